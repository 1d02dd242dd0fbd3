"""Laws of a fitted model as plain data, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gramian.exceptions import ModelFileError

if TYPE_CHECKING:
    from gramian.laws import ColumnLaw


def to_data(laws: Sequence[ColumnLaw]) -> list[Any]:
    """Return the laws in a form that JSON can hold."""
    return [law.to_json() for law in laws]


def from_data(data: Any, names: Sequence[str], kept: Sequence[str]) -> tuple[ColumnLaw, ...]:
    """Read laws. Each law computes a column from kept columns and columns of earlier laws.

    Parameters
    ----------
    data : list
        Laws in a file, not checked.
    names : sequence of str
        Names of all columns.
    kept : sequence of str
        Names of the columns that are kept.
    """
    from gramian.laws import law_from_json

    if not isinstance(data, list) or len(data) > len(names):
        raise ModelFileError("Its laws are damaged.")
    left, known = {*names} - {*kept}, {*kept}
    found: list[ColumnLaw] = []
    for each in data:
        try:
            law = law_from_json(each)
        except ValueError as error:
            raise ModelFileError(f"One of its laws is damaged: {error}") from error
        if law.column not in left or not known.issuperset(law.columns):
            raise ModelFileError(
                f"Its law of {law.column[:60]!r} needs a column that is neither kept nor computed "
                "before."
            )
        left.remove(law.column)
        known.add(law.column)
        found.append(law)
    return tuple(found)
