"""Coordinates: terms of formulas, and columns to explain, as short vectors.

A Cholesky factor of the Gram matrix E[ffᵀ] provides coordinates along orthonormal functions. In
these coordinates every function of the fit is a short vector, in place of a column with a value for
each row, and the inner product of two vectors is the expectation of the product of the functions.
So least squares on rows becomes least squares on these vectors, with the same accuracy. The first
coordinate belongs to the constant; the others belong to centred functions.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import cholesky, lstsq, solve_triangular

from gramian._support.types import Array, IntArray
from gramian.core.orthogonalize import cholesky_columns
from gramian.explanations._dictionary import Dictionary
from gramian.explanations._target_moments import UNCERTAIN, Moments

PIVOT_SHARE = 1e-12
"""A function is not used if the other functions explain all of it but this share."""
SHARE_FLOOR = 1e-12
"""Residual shares of a variance below this count as zero."""
CONSTANT_CANDIDATE = 1e-10
"""A candidate term is constant if its standard deviation is at most this share of its mean."""


@dataclass(frozen=True)
class SparseFit:
    """Result of least squares with few terms: their indices and coefficients, and the residual."""

    support: IntArray
    """Indices of the candidate terms or variables in the fit."""
    coefficients: Array
    constant: float
    error: float
    """The mean square of the residual."""


class Coordinates:
    """Coordinates of candidate terms and targets, for one set of rows.

    Parameters
    ----------
    moments : Moments
        Expectations of products of functions and targets over the rows.
    dictionary : Dictionary
        The candidate terms of a formula.
    means : array of shape (n_targets,)
        The means that were subtracted from the targets.
    """

    def __init__(self, moments: Moments, dictionary: Dictionary, means: Array) -> None:
        self.moments = moments
        self.means = means
        self._rows = dictionary.rows
        norms = np.sqrt(moments.gram.diagonal())
        present = np.flatnonzero(norms)  # with alpha=inf, the other functions have no moments
        scaled = moments.gram[np.ix_(present, present)] / np.outer(norms[present], norms[present])
        lower, order = cholesky_columns(scaled, PIVOT_SHARE)
        self.functions: IntArray = present[np.sort(order[: lower.shape[1]])]
        """Indices of the functions that define the coordinates, orthogonalized in this order."""
        norms = norms[self.functions]
        inside = np.ix_(self.functions, self.functions)
        lower = cholesky(moments.gram[inside] / np.outer(norms, norms), lower=True)
        self.candidates = lower.T @ (self._rows[:, self.functions] * norms).T
        """The coordinates of the candidate terms, of shape (n_coordinates, n_candidates)."""
        self.targets: Array = _solve(lower, moments.with_targets[self.functions], norms)
        self.variables: Array = _solve(lower, moments.with_variables[self.functions], norms)
        squares = np.einsum("ij,ij->j", self.targets, self.targets)
        outside = moments.squares - squares
        self.outside = np.where(outside > UNCERTAIN * moments.squares, outside, 0.0)
        """The part of the variance of each target that no function of the fit explains."""
        self.variances = self.outside + squares - self.targets[0] ** 2
        self.targets[0] += means
        missing = np.ones(len(moments.gram), dtype=bool)
        missing[self.functions] = False
        self.sizes = np.linalg.norm(self.candidates[1:], axis=0)
        """The standard deviations of the candidate terms."""
        formed = ~self._rows[:, missing].any(axis=1)
        varies = self.sizes > CONSTANT_CANDIDATE * np.abs(self.candidates[0])
        self.usable: IntArray = np.flatnonzero(formed & varies)
        self.unit = np.zeros((len(self.candidates) - 1, len(self.sizes)))
        """Coordinates of usable candidate terms, centred and scaled to variance 1; 0 for others."""
        self.unit[:, self.usable] = self.candidates[1:, self.usable] / self.sizes[self.usable]

    @property
    def finite(self) -> bool:
        """True if all coordinates and variances are finite numbers."""
        parts = self.candidates, self.targets, self.variables, self.variances
        return all(np.isfinite(each).all() for each in parts)

    @cached_property
    def gram(self) -> Array:
        """The correlation matrix of the candidate terms that vary."""
        unit = self.unit[:, self.usable]
        return unit.T @ unit

    def fit(self, target: int, support: IntArray, *, constant: bool) -> SparseFit:
        """Fit a column (or direction) by least squares with the candidate terms `support`.

        Parameters
        ----------
        target : int
            The index of the column or direction to explain.
        support : array of int
            The indices of the candidate terms.
        constant : bool
            True to add a constant.
        """
        if constant:
            along = self.candidates[0, support]
            return self._fit(target, support, self.unit[:, support], self.sizes[support], along)
        terms = self.candidates[:, support]
        sizes = np.linalg.norm(terms, axis=0)
        return self._fit(target, support, terms / sizes, sizes, None)

    def fit_variables(self, target: int, variables: IntArray) -> SparseFit:
        """Fit a column (or direction) by least squares with some kept variables and a constant.

        All kept variables can be used, even if the basis does not contain them. Variables are
        centred by their means in the fit. `target` is the index of the column to explain.
        """
        terms = self.variables[:, variables]
        sizes = np.linalg.norm(terms[1:], axis=0)
        return self._fit(target, variables, terms[1:] / sizes, sizes, terms[0])

    def _fit(
        self, target: int, support: IntArray, unit: Array, sizes: Array, along: Array | None
    ) -> SparseFit:
        """Fit a target by least squares, and return coefficients and residual.

        Parameters
        ----------
        target : int
            The index of the target.
        support : array of int
            The indices of the terms.
        unit : array of shape (n, n_terms)
            The terms, scaled to length 1.
        sizes : array of shape (n_terms,)
            Their lengths before scaling.
        along : array of shape (n_terms,), or None
            The means of the terms for a fit with a constant; None for a fit without a constant.
        """
        y = self.targets[:, target] if along is None else self.targets[1:, target]
        scaled = lstsq(unit, y, check_finite=False)[0] if len(support) else np.empty(0)
        rest = y - unit @ scaled
        coefficients = scaled / sizes
        offset = 0.0
        if along is not None:
            offset = float(self.targets[0, target] - along @ coefficients)
        error = float(rest @ rest + self.outside[target])
        return SparseFit(support, coefficients, offset, error)

    def left_by_variables(self, fit: SparseFit, target: int) -> float:
        """Return the mean square residual of a target for a fit that was made with other rows.

        `fit` is a sum of variables and a constant.
        """
        rest = self.targets[:, target] - self.variables[:, fit.support] @ fit.coefficients
        rest[0] -= fit.constant
        return float(rest @ rest + self.outside[target])

    def combination(self, fit: SparseFit, target: int) -> Array:
        """Return the coefficients of the basis functions that give the fitted terms together.

        They predict the target minus its mean.
        """
        combination: Array = fit.coefficients @ self._rows[fit.support]
        combination[0] += fit.constant - self.means[target]
        return combination


def _solve(lower: Array, with_something: Array, norms: Array) -> Array:
    scaled = with_something / norms[:, np.newaxis]
    coordinates: Array = solve_triangular(lower, scaled, lower=True, check_finite=False)
    return coordinates
