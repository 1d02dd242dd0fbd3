"""What is to be explained, by which variables, and all names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from gramian._extractor import Extractor
from gramian._gca import GCA
from gramian._types import Array, IntArray


@dataclass(frozen=True)
class View:
    """What is to be explained, by which variables, and all names."""

    columns: list[str]
    names: list[str]
    """The variables, in the order of choice."""
    indices: IntArray
    """Their indices among the columns or directions."""
    place: list[int]
    """Their places in the output of `transform`."""
    variable_means: Array
    axes: Array | None
    """The directions that can be explained; None for the columns."""
    targets: IntArray
    target_names: list[str]
    target_means: Array


def view_of(estimator: Any, features: Iterable[str | int] | None) -> View:
    columns = _unique(getattr(estimator, "feature_names_in_", None), estimator.n_features_in_)
    axes, everything, means = None, columns, estimator.mean_
    if isinstance(estimator, Extractor):
        names = [str(name) for name in estimator.get_feature_names_out()]
        place = list(range(len(names)))
        variable_means = np.zeros(len(names))
        if isinstance(estimator, GCA):
            axes, indices = estimator.basis_, estimator.component_indices_
            prefix = "pc" if isinstance(estimator.basis, str) else "basis"
            everything = [f"{prefix}{i}" for i in range(len(axes))]
            means = np.zeros(len(axes))
            kept = indices
        else:
            indices = np.arange(len(names))
            kept = np.empty(0, dtype=np.intp)
    else:
        indices = kept = estimator.selected_features_
        names = [columns[i] for i in indices]
        place = np.searchsorted(np.sort(indices), indices).tolist()
        variable_means = estimator.mean_[indices]
    targets = np.setdiff1d(np.arange(len(everything)), kept)
    if features is not None:
        targets = _find(features, everything, targets)
    return View(
        columns,
        names,
        indices,
        place,
        variable_means,
        axes,
        targets,
        [everything[i] for i in targets],
        means[targets],
    )


def _unique(names: Any, n: int) -> list[str]:
    """Return the names of the columns; equal names get their index."""
    if names is None:
        return [f"x{i}" for i in range(n)]
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
