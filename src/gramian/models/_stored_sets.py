"""Conversion of `BestSets` (the best sets of columns) to the arrays of a file, and back."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gramian.core.gain import BestSets
from gramian.exceptions import ModelFileError
from gramian.models._archive import AnyArray
from gramian.models._schema import SETS, check_indices

NONE = -1
"""Number that fills the end of each row of `best_sets_`, after the columns of the set."""


def to_arrays(sets: BestSets) -> dict[str, AnyArray]:
    """Return the attributes of `BestSets`; row i of `best_sets_` has the i + 1 columns of a set."""
    table = np.full((len(sets.columns), len(sets.columns)), NONE)
    for row, columns in zip(table, sets.columns, strict=True):
        row[: len(columns)] = columns
    return {
        "best_sets_": table,
        "best_sets_residual_variance_": sets.total,
        "losses_": sets.losses,
        "next_features_": np.array(sets.following, dtype=np.intp),
        "next_gains_": sets.gains,
    }


def from_arrays(arrays: Mapping[str, AnyArray], d: int) -> BestSets | None:
    """Make `BestSets` from the arrays of a file; return None if the file has no best sets.

    Parameters
    ----------
    arrays : mapping from str to array
        All arrays of the file; their shapes are already checked.
    d : int
        Number of columns of the fit.
    """
    present = [name for name in SETS if name in arrays]
    if not present:
        return None
    if len(present) < len(SETS):
        raise ModelFileError(f"It has the array {present[0]!r} without others that belong to it.")
    table, total, losses, following, gains = (arrays[name] for name in SETS)
    sets = []
    for size, row in enumerate(table, start=1):
        check_indices("best_sets_", row[:size], d, increasing=False)
        if (row[size:] != NONE).any():
            raise ModelFileError("'best_sets_' has a set with too many columns.")
        sets.append(tuple(row[:size].tolist()))
    check_indices("next_features_", following, d, increasing=False)
    return BestSets(tuple(sets), total, losses, tuple(following.tolist()), gains)
