"""Regression with coefficients for each level of a category."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array, IntArray
from gramian.laws.columns import Precision

LEVEL_ERROR = 1e-9
"""Largest error of an exact law, as a share of its largest term; levels have few rows each."""
SLOPE_HALF_UNITS = 2.0
"""Half units of the last printed digit by which a row may miss an exact law."""
LEVEL_RANK = 1e-9
"""Rank tolerance of least squares."""


@dataclass(frozen=True)
class ByLevel:
    """Rows of a column and of numbers that may give the column, with a level for each row.

    Attributes
    ----------
    codes : array of shape (n_rows,)
        The levels, numbered from 0.
    x : array of shape (n_rows, n_numbers)
        The numbers.
    y : array of shape (n_rows,)
        The column.
    n_levels : int
        The number of levels; a level may have no rows.
    precision : Precision
        The printed digits of the column.
    """

    codes: IntArray
    x: Array
    y: Array
    n_levels: int
    precision: Precision

    @cached_property
    def design(self) -> Array:
        """The numbers, and a column of ones."""
        return np.column_stack([self.x, np.ones(len(self.y))])

    @cached_property
    def _scale(self) -> Array:
        found: Array = np.abs(self.design).max(axis=0)
        return np.where(found > 0, found, 1.0)

    @cached_property
    def groups(self) -> list[IntArray]:
        """The rows of each level."""
        order = np.argsort(self.codes, kind="stable")
        ends = np.searchsorted(self.codes[order], np.arange(self.n_levels + 1))
        return [order[ends[k] : ends[k + 1]] for k in range(self.n_levels)]

    def taken(self, rows: IntArray) -> ByLevel:
        """Return the regression of some rows."""
        return replace(self, codes=self.codes[rows], x=self.x[rows], y=self.y[rows])

    def fit(self, varying: Sequence[int], common: Sequence[int] = ()) -> Array:
        """Return the coefficients of the numbers and the constant, for each level.

        Parameters
        ----------
        varying : sequence of int
            Columns of `design` that have one coefficient for each level.
        common : sequence of int
            Columns of `design` that have one coefficient for all levels. Columns in neither list
            have the coefficient 0.

        Returns
        -------
        coefficients : array of shape (n_levels, n_numbers + 1)
            NaN for levels whose rows do not determine them.
        """
        design = self.design / self._scale
        found = np.zeros((self.n_levels, design.shape[1]))
        y = self.y
        if common:
            # Frisch-Waugh-Lovell: residuals of the common columns and of y on the varying columns.
            left = np.column_stack([design[:, list(common)], y])
            for rows in self.groups:
                basis = _basis(design[rows][:, list(varying)])
                left[rows] -= basis @ (basis.T @ left[rows])
            shared = np.linalg.lstsq(left[:, :-1], left[:, -1], rcond=LEVEL_RANK)[0]
            found[:, list(common)] = shared
            y = y - design[:, list(common)] @ shared
        for k, rows in enumerate(self.groups):
            own = design[rows][:, list(varying)]
            solved, _, rank, _ = np.linalg.lstsq(own, y[rows], rcond=LEVEL_RANK)
            found[k, list(varying)] = solved if rank == len(varying) else np.nan
        return found / self._scale

    def predicted(self, coefficients: Array) -> Array:
        """Return the predicted value of each row; NaN where coefficients are not known."""
        found: Array = (self.design * coefficients[self.codes]).sum(axis=1)
        return found

    def largest(self, coefficients: Array) -> Array:
        """Return the size of the largest term of each row; the column is a term, too."""
        terms = np.abs(self.design * coefficients[self.codes])
        found: Array = np.maximum(terms.max(axis=1), np.abs(self.y))
        return np.where(found > 0, found, 1.0)

    def missed(self, coefficients: Array) -> Array:
        """Return the residual of each row."""
        return self.y - self.predicted(coefficients)

    def bound(self, coefficients: Array) -> Array:
        """Return the largest residual of each row that an exact law may have."""
        half = self.precision.half_unit(self.y)
        found: Array = SLOPE_HALF_UNITS * half + LEVEL_ERROR * self.largest(coefficients)
        return found

    def error(self, coefficients: Array) -> float:
        """Return the root mean square of residuals, as shares of the largest term of the row."""
        return rms(self.missed(coefficients) / self.largest(coefficients))

    def free(self, coefficients: Array, n_varying: int) -> IntArray:
        """Return for each level the number of distinct points beyond its coefficients."""
        known = known_levels(coefficients)
        points = np.unique(np.column_stack([self.codes, self.x]), axis=0)
        sizes = np.bincount(points[:, 0].astype(np.intp), minlength=self.n_levels)
        return np.where(known, np.maximum(sizes - n_varying, 0), 0)

    def around_means(self) -> Array:
        """Return the column minus its mean in each level."""
        sizes = np.maximum(np.bincount(self.codes, minlength=self.n_levels), 1)
        means = np.bincount(self.codes, self.y, minlength=self.n_levels) / sizes
        found: Array = self.y - means[self.codes]
        return found

    def around_plane(self) -> Array:
        """Return the residuals of the least-squares plane that all levels share."""
        design = self.design / self._scale
        solved = np.linalg.lstsq(design, self.y, rcond=LEVEL_RANK)[0]
        found: Array = self.y - design @ solved
        return found


def rms(x: Array) -> float:
    """Return the root mean square of numbers; 0 of no numbers."""
    return float(np.sqrt(np.mean(x**2))) if len(x) else 0.0


def known_levels(coefficients: Array) -> NDArray[np.bool_]:
    """Return True for levels whose coefficients are known."""
    return np.asarray(np.isfinite(coefficients).all(axis=1))


def _basis(matrix: Array) -> Array:
    """Return an orthonormal basis of the columns of a matrix."""
    left, sizes, _ = np.linalg.svd(matrix, full_matrices=False)
    return left[:, sizes > LEVEL_RANK * max(float(sizes[0]), 1e-300)] if len(sizes) else left
