"""Laws of a fit as plain data, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gramian.exceptions import ModelFileError

if TYPE_CHECKING:
    from gramian.laws import ColumnLaw


def to_data(laws: Sequence[ColumnLaw]) -> list[Any]:
    """Return the laws as JSON can hold them."""
    return [law.to_json() for law in laws]


def from_data(data: Any, names: Sequence[str], kept: Sequence[str]) -> tuple[ColumnLaw, ...]:
    """Read laws, each of which gives a column from columns that are kept or given before it.

    Parameters
    ----------
    data : list
        What was written; anything, as files hold it.
    names : sequence of str
        The columns of the table.
    kept : sequence of str
        Those that are kept.
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
