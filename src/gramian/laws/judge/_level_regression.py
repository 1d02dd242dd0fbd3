"""Regression of a column on numbers, with coefficients for each level of a category.

A level is a distinct value of the category.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array, IntArray
from gramian.laws.columns import Precision

LEVEL_ERROR = 1e-9
"""Float64 error that an exact law may have in a row, as a share of the row's largest term.

It is larger than `EXACT_ERROR`, because levels have few rows each.
"""
SLOPE_HALF_UNITS = 2.0
"""A row may miss an exact law by this many half units of the last digit in the table."""
TIE = 1e-6
"""Relative error of half a unit: a number in the middle is rounded up or down."""
LEVEL_RANK = 1e-9
"""Rank tolerance of least squares, as a share of the largest singular value."""


@dataclass(frozen=True)
class ByLevel:
    """Data of a regression: a column y, numbers x that may determine y, and a level for each row.

    Each level, a distinct value of a category, may have its own coefficients.

    Attributes
    ----------
    codes : array of shape (n_rows,)
        The level of each row; levels are numbered from 0.
    x : array of shape (n_rows, n_numbers)
        The numbers that may determine y.
    y : array of shape (n_rows,)
        The column that may follow from x and the levels.
    n_levels : int
        The number of levels; a level may have no rows.
    precision : Precision
        The digits to which the values of y are rounded.
    groups : array of shape (n_rows,) or None
        The number of the group of each row, if the user gave groups.
    """

    codes: IntArray
    x: Array
    y: Array
    n_levels: int
    precision: Precision
    groups: IntArray | None = None

    @cached_property
    def design(self) -> Array:
        """The matrix of the regression: the numbers x, and a last column of ones."""
        return np.column_stack([self.x, np.ones(len(self.y))])

    @cached_property
    def _scale(self) -> Array:
        found: Array = np.abs(self.design).max(axis=0)
        return np.where(found > 0, found, 1.0)

    @cached_property
    def members(self) -> list[IntArray]:
        """For each level (distinct value of the category), the indices of its rows."""
        order = np.argsort(self.codes, kind="stable")
        ends = np.searchsorted(self.codes[order], np.arange(self.n_levels + 1))
        return [order[ends[k] : ends[k + 1]] for k in range(self.n_levels)]

    def taken(self, rows: IntArray) -> ByLevel:
        """Return the data of the given rows only."""
        groups = None if self.groups is None else self.groups[rows]
        return replace(self, codes=self.codes[rows], x=self.x[rows], y=self.y[rows], groups=groups)

    def fit(self, varying: Sequence[int], common: Sequence[int] = ()) -> Array:
        """Fit y by least squares, and return the coefficients of each level.

        A level is a distinct value of the category.

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
            The coefficients of the numbers, and the constant last; NaN in levels whose rows do not
            determine the coefficients.
        """
        design = self.design / self._scale
        found = np.zeros((self.n_levels, design.shape[1]))
        y = self.y
        if common:
            # Frisch-Waugh-Lovell: residuals of the common columns and of y on the varying columns.
            left = np.column_stack([design[:, list(common)], y])
            for rows in self.members:
                basis = _basis(design[rows][:, list(varying)])
                left[rows] -= basis @ (basis.T @ left[rows])
            shared = np.linalg.lstsq(left[:, :-1], left[:, -1], rcond=LEVEL_RANK)[0]
            found[:, list(common)] = shared
            y = y - design[:, list(common)] @ shared
        for k, rows in enumerate(self.members):
            own = design[rows][:, list(varying)]
            solved, _, rank, _ = np.linalg.lstsq(own, y[rows], rcond=LEVEL_RANK)
            found[k, list(varying)] = solved if rank == len(varying) else np.nan
        return found / self._scale

    def predicted(self, coefficients: Array) -> Array:
        """Return the predicted y of each row; NaN if a coefficient of the row's level is NaN.

        `coefficients` has one row for each level, a distinct value of the category.
        """
        found: Array = (self.design * coefficients[self.codes]).sum(axis=1)
        return found

    def largest(self, coefficients: Array) -> Array:
        """Return for each row the largest absolute value among y and the terms of its formula."""
        terms = np.abs(self.design * coefficients[self.codes])
        found: Array = np.maximum(terms.max(axis=1), np.abs(self.y))
        return np.where(found > 0, found, 1.0)

    def missed(self, coefficients: Array) -> Array:
        """Return the residual of each row: y minus its prediction."""
        return self.y - self.predicted(coefficients)

    def bound(self, coefficients: Array) -> Array:
        """Return for each row the largest absolute residual that an exact law may have."""
        half = self.precision.half_unit(self.y)
        found: Array = SLOPE_HALF_UNITS * half + LEVEL_ERROR * self.largest(coefficients)
        return found

    def share_given(self, coefficients: Array) -> float:
        """Return the share of rows whose value the coefficients give to the last printed digit."""
        half = self.precision.half_unit(self.y) * (1 + TIE)
        allowed = half + LEVEL_ERROR * self.largest(coefficients)
        return float(np.mean(np.abs(self.missed(coefficients)) <= allowed))

    def error(self, coefficients: Array) -> float:
        """Return the root mean square of residuals, each divided by the largest term of its row."""
        return rms(self.missed(coefficients) / self.largest(coefficients))

    def free(self, coefficients: Array, n_varying: int) -> IntArray:
        """Return for each level its number of distinct points x minus its coefficients, at least 0.

        The number is 0 for levels whose coefficients are NaN. `n_varying` is the number of
        coefficients of each level. Rows of a group are one point of the level at most.
        """
        known = known_levels(coefficients)
        points = np.unique(np.column_stack([self.codes, self.x]), axis=0)
        sizes = np.bincount(points[:, 0].astype(np.intp), minlength=self.n_levels)
        if self.groups is not None:
            pairs = np.unique(np.column_stack([self.codes, self.groups]), axis=0)
            sizes = np.minimum(sizes, np.bincount(pairs[:, 0], minlength=self.n_levels))
        return np.where(known, np.maximum(sizes - n_varying, 0), 0)

    def around_means(self) -> Array:
        """Return y minus the mean of y over the rows with the same value of the category."""
        sizes = np.maximum(np.bincount(self.codes, minlength=self.n_levels), 1)
        means = np.bincount(self.codes, self.y, minlength=self.n_levels) / sizes
        found: Array = self.y - means[self.codes]
        return found

    def around_plane(self) -> Array:
        """Return the residuals of y if one least-squares plane is fitted to all rows together."""
        design = self.design / self._scale
        solved = np.linalg.lstsq(design, self.y, rcond=LEVEL_RANK)[0]
        found: Array = self.y - design @ solved
        return found


def rms(x: Array) -> float:
    """Return the root mean square of an array; 0 if the array is empty."""
    return float(np.sqrt(np.mean(x**2))) if len(x) else 0.0


def known_levels(coefficients: Array) -> NDArray[np.bool_]:
    """Return a mask of levels: True if all coefficients of the level are finite."""
    return np.asarray(np.isfinite(coefficients).all(axis=1))


def _basis(matrix: Array) -> Array:
    """Return an orthonormal basis of the space that the columns of a matrix span."""
    left, sizes, _ = np.linalg.svd(matrix, full_matrices=False)
    return left[:, sizes > LEVEL_RANK * max(float(sizes[0]), 1e-300)] if len(sizes) else left
