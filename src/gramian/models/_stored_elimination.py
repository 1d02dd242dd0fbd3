"""Conversion of a `Selection` (how columns were dropped) to the content of a file, and back."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, get_args

import numpy as np

from gramian.core.elimination import Minimal, Selection
from gramian.exceptions import ModelFileError
from gramian.models._archive import AnyArray
from gramian.models._schema import check_indices
from gramian.models._stored_numbers import INFINITY, number_to

SCALARS: dict[str, tuple[type, Callable[[Any], bool]]] = {
    "minimal": (str, lambda value: value in get_args(Minimal)),
    "start": (str, lambda value: value in ("all", "forward")),
    "alpha": (float, lambda value: value >= 0),
    "threshold": (float, lambda value: 0 < value < 1),
    "n_functions": (int, lambda value: 0 <= value < 2**31),
}
"""Attributes of a `Selection` that are numbers or texts: from name to type and test of a value."""


def to_data(found: Selection) -> dict[str, Any]:
    """Return the numbers and texts of a `Selection` as a dictionary for the JSON document."""
    return {name: number_to(kind(getattr(found, name))) for name, (kind, _) in SCALARS.items()}


def to_arrays(found: Selection) -> dict[str, AnyArray]:
    """Return the other attributes of a `Selection` as arrays.

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


def from_data_and_arrays(
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
