"""Conversion of the search for the kept variables to the content of a file, and back."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, get_args

import numpy as np

from gramian.core.elimination import Minimal, Selection
from gramian.core.gain import BestSets
from gramian.exceptions import ModelFileError
from gramian.fitting import (
    EliminationSearch,
    GreedySearch,
    KeptVariables,
    RedundancySearch,
    Search,
    SetSearch,
)
from gramian.models._archive import AnyArray
from gramian.models._schema import SETS, check_indices
from gramian.models._stored_numbers import INFINITY, number_to

SCALARS: dict[str, tuple[type, Callable[[Any], bool]]] = {
    "minimal": (str, lambda value: value in get_args(Minimal)),
    "start": (str, lambda value: value in ("all", "forward")),
    "alpha": (float, lambda value: value >= 0),
    "threshold": (float, lambda value: 0 < value < 1),
    "n_functions": (int, lambda value: 0 <= value < 2**31),
}
"""Attributes of a `Selection` that are numbers or texts: from name to type and test of a value."""
NONE = -1
"""Number that fills the end of each row of `best_sets_`, after the columns of the set."""


def to_arrays(search: Search) -> dict[str, AnyArray]:
    """Return the arrays of a search by name, except for those that the schema copies."""
    match search:
        case EliminationSearch(selection=selection):
            return _of_elimination(selection)
        case SetSearch(sets=sets):
            return _of_sets(sets)
    return {}


def to_data(found: Selection) -> dict[str, Any]:
    """Return the numbers and texts of a `Selection` as a dictionary for the JSON document."""
    return {name: number_to(kind(getattr(found, name))) for name, (kind, _) in SCALARS.items()}


def _of_elimination(found: Selection) -> dict[str, AnyArray]:
    """Return the attributes of a `Selection` that are stored as arrays, by name.

    `alternatives` are two arrays of indices: dropped columns, and kept columns to exchange.
    """
    pairs = [(j, i) for j, others in found.alternatives.items() for i in others]
    dropped, kept = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
    return {
        "elimination.dropped": np.array(found.dropped, dtype=np.intp),
        "elimination.share_when_dropped": found.share_when_dropped,
        "elimination.share_left": found.share_left,
        "elimination.exchanged": dropped,
        "elimination.alternative": kept,
        "elimination.needed": np.array(found.needed, dtype=np.intp),
        "elimination.refused": np.array(found.refused, dtype=np.intp),
    }


def _of_sets(sets: BestSets) -> dict[str, AnyArray]:
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


def restore(elimination: Any, arrays: Mapping[str, AnyArray], kept: KeptVariables) -> Search:
    """Return the search for the kept variables from a file, after checks.

    Parameters
    ----------
    elimination : dict or None
        Numbers and texts of an elimination, not checked yet; None if the file has none.
    arrays : mapping from str to array
        All arrays of the file; their shapes are already checked.
    kept : KeptVariables
        The kept variables.
    """
    redundant = arrays.get("redundant_features_", arrays.get("redundant_indices_"))
    if redundant is None:
        sets = sets_from(arrays, len(arrays["mean_"]))
        return GreedySearch() if sets is None else SetSearch(sets)
    if elimination is None:
        return RedundancySearch(redundant)
    n = len(kept.chosen) + len(kept.dropped)
    return EliminationSearch(redundant, _elimination(elimination, arrays, n, redundant))


def _elimination(
    data: Any, arrays: Mapping[str, AnyArray], n: int, redundant: AnyArray
) -> Selection:
    """Make a `Selection` from the content of a file; raise ModelFileError if it is damaged.

    Parameters
    ----------
    data : dict
        Numbers and texts of the selection, not checked yet.
    arrays : mapping from str to array
        All arrays of the file; their shapes are already checked.
    n : int
        Number of columns (for GCA, of directions) that could be dropped.
    redundant : array
        Indices of the dropped columns, in increasing order. All other columns were kept.
    """
    damaged = ModelFileError("Its description of how columns were dropped is damaged.")
    if not isinstance(data, dict) or set(data) != set(SCALARS):
        raise damaged
    scalars: dict[str, Any] = {
        name: math.inf if value == INFINITY else value for name, value in data.items()
    }
    for name, (kind, fits) in SCALARS.items():
        if type(scalars[name]) is not kind or not fits(scalars[name]):
            raise damaged
    array = {name.partition(".")[2]: value for name, value in arrays.items()}
    kept = np.setdiff1d(np.arange(n), redundant)
    check_indices("elimination.dropped", array["dropped"], n, increasing=False)
    for name in ("needed", "refused"):
        check_indices(f"elimination.{name}", array[name], n, increasing=True)
        if not np.isin(array[name], kept).all():
            raise damaged
    exchanged, alternative = array["exchanged"], array["alternative"]
    if (
        not np.array_equal(np.sort(array["dropped"]), redundant)
        or not np.isin(exchanged, redundant).all()
        or not np.isin(alternative, kept).all()
    ):
        raise damaged
    alternatives: dict[int, list[int]] = {j: [] for j in array["dropped"].tolist()}
    for j, i in zip(exchanged.tolist(), alternative.tolist(), strict=True):
        alternatives[j].append(i)
    return Selection(
        kept=tuple(kept.tolist()),
        dropped=tuple(array["dropped"].tolist()),
        share_when_dropped=array["share_when_dropped"],
        share_left=array["share_left"],
        alternatives={j: tuple(others) for j, others in alternatives.items()},
        needed=tuple(array["needed"].tolist()),
        refused=tuple(array["refused"].tolist()),
        **scalars,
    )


def sets_from(arrays: Mapping[str, AnyArray], d: int) -> BestSets | None:
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
