"""Conversion of the laws of a fitted model to JSON data, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gramian.exceptions import ModelFileError

if TYPE_CHECKING:
    from gramian.laws import ColumnLaw


def to_data(laws: Sequence[ColumnLaw]) -> list[Any]:
    """Return laws as a list of dictionaries that can be written as JSON."""
    return [law.to_json() for law in laws]


def from_data(data: Any, names: Sequence[str], kept: Sequence[str]) -> tuple[ColumnLaw, ...]:
    """Make the laws from their descriptions in a file; raise ModelFileError if one is damaged.

    Each law must compute a dropped column from kept columns and from columns that earlier laws
    compute.

    Parameters
    ----------
    data : list
        Descriptions of the laws, as `to_data` returns them, not checked yet.
    names : sequence of str
        Names of all columns of the fit.
    kept : sequence of str
        Names of the columns that the model keeps.
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
