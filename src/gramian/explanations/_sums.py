"""The shortest sum of kept columns that gives a column exactly, however long it is."""

from __future__ import annotations

import numpy as np

from gramian.explanations._coordinates import Coordinates, SparseFit

EXACT = 1e-9
"""A sum that leaves a smaller share of a column's variance is exact."""


def exact_sum(coordinates: Coordinates, target: int) -> SparseFit | None:
    """Return the sum of fewest variables that is exact, if there is any.

    A flag that is 1 minus eight others has no formula of fewer terms.

    Parameters
    ----------
    coordinates : Coordinates
        The variables and targets.
    target : int
        Which target.
    """
    allowed = EXACT * float(coordinates.variances[target])
    sizes = np.linalg.norm(coordinates.variables[1:], axis=0)
    best = coordinates.fit_variables(target, np.flatnonzero(sizes))
    if best.error > allowed:
        return None
    shorter: SparseFit | None = best
    while shorter is not None:
        best, shorter = shorter, None
        shares = np.abs(best.coefficients) * sizes[best.support]
        for place in np.argsort(shares, kind="stable"):
            fewer = coordinates.fit_variables(target, np.delete(best.support, place))
            if fewer.error <= allowed:
                shorter = fewer
                break
    return best
