"""Subject of an explanation: the columns to explain, the kept variables, and their names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from gramian._support.types import Array, IntArray
from gramian._support.words import names_or_numbers
from gramian.fitting import FittedModel, KeptComponents


@dataclass(frozen=True)
class Subject:
    """The targets (columns or directions to explain) and the kept variables that explain them."""

    columns: list[str]
    """Names of all columns of the table."""
    names: list[str]
    """Names of the kept variables, in the order in which they were chosen."""
    indices: IntArray
    """Indices of the kept variables among all columns or directions."""
    place: list[int]
    """Positions of the kept variables in the output of `transform`."""
    variable_means: Array
    axes: Array | None
    """The directions that can be explained, one in each row; None if columns are explained."""
    targets: IntArray
    """Indices of the columns or directions to explain."""
    target_names: list[str]
    target_means: Array


def subject_of(model: FittedModel, features: Iterable[str | int] | None) -> Subject:
    """Return the columns to explain, and the kept variables that explain them.

    Parameters
    ----------
    model : FittedModel
        The fit.
    features : iterable of str or int, or None
        The columns or directions to explain, by name or index; None for all that were not kept.
    """
    columns = _unique(model.names, model.n_columns)
    kept = model.kept
    everything = kept.candidate_names(columns)
    axes, means = None, model.mean
    if isinstance(kept, KeptComponents):
        axes, means = kept.candidates(model.scale), np.zeros(len(everything))
    names = kept.names(columns, model.algorithm)
    place, variable_means = [*range(len(names))], np.zeros(len(names))
    if model.selects:
        place = np.searchsorted(np.sort(kept.chosen), kept.chosen).tolist()
        variable_means = model.mean[kept.chosen]
    targets = kept.dropped
    if features is not None:
        targets = _find(features, everything, targets)
    return Subject(
        columns,
        names,
        kept.chosen,
        place,
        variable_means,
        axes,
        targets,
        [everything[i] for i in targets],
        means[targets],
    )


def _unique(names: Any, n: int) -> list[str]:
    """Return the names of the columns; the index is added to names that occur more than once."""
    if names is None:
        return names_or_numbers(None, n)
    count = Counter(names)
    return [str(name) if count[name] == 1 else f"{name} #{i}" for i, name in enumerate(names)]


def _find(features: Iterable[str | int], names: Sequence[str], targets: IntArray) -> IntArray:
    allowed = set(targets.tolist())
    found: list[int] = []
    for feature in features:
        index = names.index(feature) if feature in names else feature
        if not isinstance(index, Integral) or int(index) not in allowed:
            raise ValueError(
                f"features must be names or indices of columns that were not kept; got {feature!r}."
            )
        found.append(int(index))
    return np.array(found, dtype=np.intp)
