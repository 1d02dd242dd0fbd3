"""Functions of a fit as functions of a formula."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from gramian._support.types import Array
from gramian.families import AtomBasis, Z
from gramian.formulas import Function

LEVEL_ERROR_SHARE = 1e-9
"""Largest rounding error of a level that was scaled and scaled back, as a share of its size."""


@dataclass(frozen=True)
class Scaled:
    """Mean and standard deviation by which a fit scales a variable."""

    mean: float
    deviation: float


def atom_function(key: Hashable, scaled: Scaled, evaluate: Callable[[Array], Array]) -> Function:
    """Return the `Function` of one variable that has the given key in its family."""
    kind, parameter = str(key), None
    if key == Z:
        kind = "z"
    elif isinstance(key, tuple) and len(key) == 2 and key[0] in ("sin", "cos", "level"):
        kind, parameter = key[0], float(key[1])
        if kind == "level":
            parameter = _tidy(scaled.mean + scaled.deviation * parameter, scaled)
    elif isinstance(key, tuple):
        kind = "".join(map(str, key))
    return Function(kind, parameter, (scaled.mean,), (scaled.deviation,), evaluate)


def called_function(
    name: str, scalings: Sequence[Scaled], function: Callable[..., Array]
) -> Function:
    """Return the `Function` of a user's function of scaled variables."""
    means = tuple(each.mean for each in scalings)
    deviations = tuple(each.deviation for each in scalings)
    return Function(name, None, means, deviations, partial(_values_of, function))


def values_of_atom(basis: AtomBasis, index: int, z: Array) -> Array:
    """Return the values of one function of a basis for a scaled variable."""
    values: Array = basis.evaluate(z)[index]
    return values


def _values_of(function: Callable[..., Array], *z: Array) -> Array:
    return np.asarray(function(*z), dtype=np.float64)


def _tidy(level: float, scaled: Scaled) -> float:
    """Return a level without the rounding errors of scaling to variance 1 and back."""
    size = max(abs(scaled.mean), scaled.deviation)
    rounded = round(level, int(9 - np.floor(np.log10(size))))
    return rounded if abs(rounded - level) < LEVEL_ERROR_SHARE * size else level
