"""The shortest sum of kept columns that gives a column exactly, however long it is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import lstsq

from gramian._types import Array
from gramian.explanations._coordinates import Coordinates

EXACT = 1e-9
"""A sum that leaves a smaller share of a column's variance is exact."""


@dataclass(frozen=True)
class ExactSum:
    """A sum of variables."""

    variables: list[int]
    coefficients: Array
    constant: float
    """What is added, the variables being centred by their means in the fit."""
    left: float
    """The mean square that is left."""

    def left_in(self, coordinates: Coordinates, target: int) -> float:
        """Return the mean square that is left in other rows."""
        rest = coordinates.targets[:, target].copy()
        rest -= coordinates.variables[:, self.variables] @ self.coefficients
        rest[0] -= self.constant
        return float(rest @ rest + coordinates.outside[target])


def exact_sum(coordinates: Coordinates, target: int) -> ExactSum | None:
    """Return the sum of fewest variables that is exact, if there is any.

    A flag that is 1 minus eight others has no formula of fewer terms. Variables are there even
    where the fit has dropped them from its functions because others give them.

    Parameters
    ----------
    coordinates : Coordinates
        The variables and targets.
    target : int
        Which target.
    """
    allowed = EXACT * float(coordinates.variances[target])
    variables = [j for j in range(coordinates.variables.shape[1]) if _size(coordinates, j) > 0]
    best = sum_of(coordinates, target, variables)
    if best.left > allowed:
        return None
    shorter: ExactSum | None = best
    while shorter is not None:
        best, shorter = shorter, None
        shares = [
            abs(c) * _size(coordinates, j)
            for j, c in zip(best.variables, best.coefficients, strict=True)
        ]
        for place in np.argsort(shares, kind="stable"):
            fewer = [*best.variables[:place], *best.variables[place + 1 :]]
            candidate = sum_of(coordinates, target, fewer)
            if candidate.left <= allowed:
                shorter = candidate
                break
    return best


def sum_of(coordinates: Coordinates, target: int, variables: list[int]) -> ExactSum:
    """Fit a target by least squares with some variables and a constant."""
    y = coordinates.targets[:, target]
    design = coordinates.variables[:, variables]
    sizes = np.linalg.norm(design[1:], axis=0)
    coefficients = np.empty(0)
    if variables:
        coefficients = lstsq(design[1:] / sizes, y[1:], check_finite=False)[0] / sizes
    rest = y[1:] - design[1:] @ coefficients
    constant = float(y[0] - design[0] @ coefficients)
    left = float(rest @ rest + coordinates.outside[target])
    return ExactSum(variables, coefficients, constant, left)


def _size(coordinates: Coordinates, variable: int) -> float:
    return float(np.linalg.norm(coordinates.variables[1:, variable]))
