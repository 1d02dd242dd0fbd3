"""Residuals of held-out rows, which are not among the rows of the fit."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gramian._support.blas import add_product, solve_lower, threads_for
from gramian._support.types import Array
from gramian.core._tolerances import NOISE, TIE
from gramian.core.orthogonalize import Added
from gramian.core.pursuit._eigen import LeadingEigenvector
from gramian.core.rows import Residuals, RowBlock, or_infinity
from gramian.core.sums import Direction, GrowingRows, Step


class HeldOut:
    """The steps of a fit, repeated on held-out rows to measure their residuals.

    Functions of held-out rows are orthogonalized with the factor of the fit, and the predictions by
    the coefficients of the fit are subtracted from X.

    Parameters
    ----------
    rows : RowBlock
        The held-out rows, centred and scaled by the means and scales of the fit.
    scale : array of shape (n_columns,) or float
        The standard deviation, in reported units, of the scaled columns.
    n_penalties : int, default=1
        The number of penalties; there is one fit for each.
    axes : pair of arrays, optional
        The matrices from the scaled columns to the coordinates of the fit, of shape (n_columns,
        n_coordinates), and back, if these differ.
    largest : callable, default=largest_of_columns
        Function from residuals to the largest residual variance.
    """

    def __init__(
        self,
        rows: RowBlock,
        scale: Array | float,
        n_penalties: int = 1,
        *,
        axes: tuple[Array, Array] | None = None,
        largest: Callable[[Residuals], float] | None = None,
    ) -> None:
        self._rows = rows
        self._scale = scale
        self._axes = axes
        self._largest = largest or largest_of_columns
        self._z: list[Array] = []
        self._store = GrowingRows(rows.root)
        self._functions = [GrowingRows(rows.root) for _ in range(n_penalties)]
        self._residuals = [rows.residuals(scale) for _ in range(n_penalties)]
        self.largest = [self._largest(self._residuals[0])]
        """The largest residual variance before each step and after the last."""
        self.total = [self._residuals[0].total]
        """The total residual variance before each step and after the last."""

    def observe(self, step: Step, added: Added) -> int:
        """Repeat a step of the fit on the held-out rows.

        Return the index of the penalty with the smallest residual of the held-out rows.

        Parameters
        ----------
        step : Step
            The variable that the step chose.
        added : Added
            The functions that the step added.
        """
        width = len(self._functions[0].view) + self._rows.n_columns
        with threads_for(float(step.block.n_functions * len(self._rows.root) * width)):
            return self._observe(step, added)

    def _observe(self, step: Step, added: Added) -> int:
        block = step.block
        self._z.append(self._lift(step.direction).of(self._rows))
        with np.errstate(over="ignore", invalid="ignore"):  # rows may be far from those of the fit
            values = block.evaluate(self._store.view, self._z)
            self._store.append(values[block.stored])
            values /= added.norms[:, np.newaxis]
            for extension, functions, residual in zip(
                added.extensions, self._functions, self._residuals, strict=True
            ):
                new = values[extension.pivots]
                add_product(new, extension.left, functions.view, -1.0)
                solve_lower(extension.diagonal, new)
                functions.append(new)
                coefficients = extension.coefficients
                if self._axes is not None:
                    coefficients = coefficients @ self._axes[1]
                residual.subtract(new, coefficients * self._scale)
        totals = np.array([residual.total for residual in self._residuals])
        use = least(totals, self.total[0])
        self.largest.append(self._largest(self._residuals[use]))
        self.total.append(float(totals[use]))
        return use

    def stalled(self, patience: int, tolerance: float) -> bool:
        """Return True if the last `patience` steps did not lower the residual of held-out rows.

        An improvement must exceed the share `tolerance` of their variance.
        """
        if len(self.total) <= patience:
            return False
        before = min(self.total[:-patience])
        return min(self.total[-patience:]) >= before - tolerance * self.total[0]

    def _lift(self, direction: Direction) -> Direction:
        if self._axes is None:
            return direction
        to_coordinates, axis = self._axes[0], direction.axis
        vector = to_coordinates[:, axis] if isinstance(axis, int) else to_coordinates @ axis
        return Direction(np.ascontiguousarray(vector), direction.deviation)


def least(totals: Array, at_first: float) -> int:
    """Return the index of the fit with the smallest residual; of tied fits, the first.

    Parameters
    ----------
    totals : array
        The total residual variance of held-out rows, for each fit.
    at_first : float
        The total variance of held-out rows before any fit.
    """
    return int(np.argmax(totals <= equals(totals.min(), at_first)))


def equals(total: float, at_first: float) -> float:
    """Return the largest residual that counts as tied with `total`.

    `at_first` is the total variance before any fit, to which rounding errors are proportional.
    """
    return max((1 + TIE) * total, NOISE * at_first)


def largest_of_columns(residuals: Residuals) -> float:
    """Return the largest sum of squared residuals of a column."""
    return or_infinity(float(residuals.of_columns().max()))


def largest_of_directions(residuals: Residuals) -> float:
    """Return the largest sum of squared residuals along any direction (unit vector)."""
    if not np.isfinite(residuals.total):
        return np.inf
    value, _ = LeadingEigenvector()(residuals.covariance())
    return max(value, 0.0)
