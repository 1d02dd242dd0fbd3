"""Choice of the penalty by the residuals of held-out rows, which are left out of the fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from gramian._support.types import Array
from gramian.core.gain._explained import Explained
from gramian.core.pursuit import equals, least
from gramian.core.rows import RowBlock, or_infinity


@dataclass
class Decision:
    """Held-out residuals of sets of each size, and the penalties that they choose.

    Parameters
    ----------
    rows : RowBlock or None
        The held-out rows, centred and scaled as the rows of the fit; None for no choice.
    units : array of shape (n_columns,)
        The standard deviation of each column in the units of the variances.
    """

    rows: RowBlock | None
    units: Array
    total: list[float] = field(default_factory=list)
    """Residual squares of the rows before the first column, and with sets of each size."""

    _last: int = field(default=0, init=False)
    """Index of the penalty that was chosen last."""

    def __post_init__(self) -> None:
        if self.rows is not None:
            self.total.append(float(np.sum((self.rows.x * self.units) ** 2)))

    def choose(self, fit: Callable[[float], Explained], alphas: Sequence[float]) -> Explained:
        """Return the fit whose penalty gives the smallest held-out residual.

        All penalties are tried if the number of columns is a power of two, or if the last choice
        was infinite, which says nothing about finite penalties. Otherwise penalties around the last
        choice are tried, as long as residuals do not grow.

        Parameters
        ----------
        fit : callable
            Returns the fit of the set, one column larger than before, with a given penalty.
        alphas : sequence of float
            The penalties, in ascending order.
        """
        if self.rows is None:
            return fit(alphas[0])
        start, size = self._last, len(self.total)
        fits = {start: fit(alphas[start])}
        functions = self._evaluate(fits[start])
        left = {start: self._left(fits[start], functions)}
        every = size & (size - 1) == 0 or np.isinf(alphas[start])
        as_good = equals(left[start], self.total[0])
        for step in (-1, 1):
            i = start
            while 0 <= i + step < len(alphas) and (every or left[i] <= as_good):
                i += step
                fits[i] = fit(alphas[i])
                left[i] = self._left(fits[i], functions)
        tried = sorted(left)
        self._last = tried[least(np.array([left[i] for i in tried]), self.total[0])]
        self.total.append(left[self._last])
        return fits[self._last]

    def _evaluate(self, fit: Explained) -> Array:
        """Return the values of the functions of a fit on the held-out rows."""
        assert self.rows is not None
        values, _, _ = fit.frame.evaluate(self.rows)
        functions = values[1:] - np.multiply.outer(fit.moments.mean, self.rows.root)
        functions /= fit.moments.norm[:, np.newaxis]
        return functions

    def _left(self, fit: Explained, functions: Array) -> float:
        """Return the sum of squared residuals of the held-out rows, or infinity."""
        assert self.rows is not None
        with np.errstate(over="ignore", invalid="ignore"):  # far from the rows of the fit
            residual = self.rows.x * self.units - functions.T @ fit.coefficients
            left = float(np.einsum("ij,ij->", residual, residual))
        return or_infinity(left)

    def stalled(self, patience: int | None, tolerance: float) -> bool:
        """Return True if the last `patience` columns did not lower the held-out residual enough.

        An improvement must exceed the share `tolerance` of the variance of the held-out rows.
        Without held-out rows or without `patience`, the result is False.
        """
        if self.rows is None or not patience or len(self.total) <= patience:
            return False
        before = min(self.total[:-patience])
        return min(self.total[-patience:]) >= before - tolerance * self.total[0]
