"""Conversion of functions of a fit to `Function` objects of a formula."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from gramian._support.types import Array
from gramian.families import AtomBasis, Z
from gramian.formulas import Function

LEVEL_ERROR_SHARE = 1e-9
"""A level is rounded if this changes it by less than this share of the column's size."""


@dataclass(frozen=True)
class Scaled:
    """Mean and standard deviation with which a fit scales a variable."""

    mean: float
    deviation: float


def atom_function(key: Hashable, scaled: Scaled, evaluate: Callable[[Array], Array]) -> Function:
    """Return a function of one variable as a `Function`; `key` names it within its family."""
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
    """Return a user's function of scaled variables as a `Function`.

    Parameters
    ----------
    name : str
        The name of the function in formulas.
    scalings : sequence of Scaled
        The mean and the standard deviation of each variable.
    function : callable
        The user's function.
    """
    means = tuple(each.mean for each in scalings)
    deviations = tuple(each.deviation for each in scalings)
    return Function(name, None, means, deviations, partial(_values_of, function))


def values_of_atom(basis: AtomBasis, index: int, z: Array) -> Array:
    """Return the values of function `index` of a basis at the values `z` of a scaled variable."""
    values: Array = basis.evaluate(z)[index]
    return values


def _values_of(function: Callable[..., Array], *z: Array) -> Array:
    return np.asarray(function(*z), dtype=np.float64)


def _tidy(level: float, scaled: Scaled) -> float:
    """Remove rounding errors from a distinct value of a column.

    Scaling to variance 1 and back has added them.
    """
    size = max(abs(scaled.mean), scaled.deviation)
    rounded = round(level, int(9 - np.floor(np.log10(size))))
    return rounded if abs(rounded - level) < LEVEL_ERROR_SHARE * size else level
