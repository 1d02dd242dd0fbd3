"""Coordinates: candidates and targets as short vectors, whose products are expectations.

A Cholesky factor of the Gram matrix gives coordinates along orthonormal functions. In these
coordinates every function of the fit is a short vector in place of a long column of values. Least
squares on rows becomes least squares on these vectors, at full accuracy and without the rows. The
first coordinate belongs to the constant; the others belong to centred functions.
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
"""Least residual share of a kept function after projection on the other functions."""
SHARE_FLOOR = 1e-12
"""Smallest residual share of a variance that is told apart from zero."""
CONSTANT_CANDIDATE = 1e-10
"""Largest standard deviation of a constant candidate, as a share of its mean."""


@dataclass(frozen=True)
class SparseFit:
    """A least-squares fit with some of the candidates, or with some of the variables."""

    support: IntArray
    """Indices of the candidates or variables."""
    coefficients: Array
    constant: float
    error: float
    """The mean square of the residual."""


class Coordinates:
    """Coordinates of candidates and targets, for one set of rows.

    Parameters
    ----------
    moments : Moments
        Expectations over the rows.
    dictionary : Dictionary
        The candidates.
    means : array of shape (n_targets,)
        The means that were subtracted from the targets.
    """

    def __init__(self, moments: Moments, dictionary: Dictionary, means: Array) -> None:
        self.moments = moments
        self.means = means
        self._rows = dictionary.rows
        norms = np.sqrt(moments.gram.diagonal())
        present = np.flatnonzero(norms)  # if alpha=inf, only the variables have moments
        scaled = moments.gram[np.ix_(present, present)] / np.outer(norms[present], norms[present])
        lower, order = cholesky_columns(scaled, PIVOT_SHARE)
        self.functions: IntArray = present[np.sort(order[: lower.shape[1]])]
        """The functions of the coordinates, orthogonalized in this order."""
        norms = norms[self.functions]
        inside = np.ix_(self.functions, self.functions)
        lower = cholesky(moments.gram[inside] / np.outer(norms, norms), lower=True)
        self.candidates = lower.T @ (self._rows[:, self.functions] * norms).T
        """The candidates, one column each."""
        self.targets: Array = _solve(lower, moments.with_targets[self.functions], norms)
        self.variables: Array = _solve(lower, moments.with_variables[self.functions], norms)
        squares = np.einsum("ij,ij->j", self.targets, self.targets)
        outside = moments.squares - squares
        self.outside = np.where(outside > UNCERTAIN * moments.squares, outside, 0.0)
        """The variance of each target that no function explains."""
        self.variances = self.outside + squares - self.targets[0] ** 2
        self.targets[0] += means
        missing = np.ones(len(moments.gram), dtype=bool)
        missing[self.functions] = False
        self.sizes = np.linalg.norm(self.candidates[1:], axis=0)
        """The standard deviations of the candidates."""
        formed = ~self._rows[:, missing].any(axis=1)
        varies = self.sizes > CONSTANT_CANDIDATE * np.abs(self.candidates[0])
        self.usable: IntArray = np.flatnonzero(formed & varies)
        self.unit = np.zeros((len(self.candidates) - 1, len(self.sizes)))
        """Usable candidates, centred and scaled to variance 1."""
        self.unit[:, self.usable] = self.candidates[1:, self.usable] / self.sizes[self.usable]

    @cached_property
    def gram(self) -> Array:
        """The correlations of the usable candidates."""
        unit = self.unit[:, self.usable]
        return unit.T @ unit

    def fit(self, target: int, support: IntArray, *, constant: bool) -> SparseFit:
        """Fit a target by least squares with some candidates, with or without a constant."""
        if constant:
            along = self.candidates[0, support]
            return self._fit(target, support, self.unit[:, support], self.sizes[support], along)
        terms = self.candidates[:, support]
        sizes = np.linalg.norm(terms, axis=0)
        return self._fit(target, support, terms / sizes, sizes, None)

    def fit_variables(self, target: int, variables: IntArray) -> SparseFit:
        """Fit a target by least squares with some variables and a constant.

        All variables can be used, also those that the fit has dropped from its functions. Variables
        are centred by their means in the fit.
        """
        terms = self.variables[:, variables]
        sizes = np.linalg.norm(terms[1:], axis=0)
        return self._fit(target, variables, terms[1:] / sizes, sizes, terms[0])

    def _fit(
        self, target: int, support: IntArray, unit: Array, sizes: Array, along: Array | None
    ) -> SparseFit:
        """Fit a target with scaled terms; with a constant if `along`, their means, is given."""
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
        """Return the mean square residual of a sum of variables that was fitted to other rows."""
        rest = self.targets[:, target] - self.variables[:, fit.support] @ fit.coefficients
        rest[0] -= fit.constant
        return float(rest @ rest + self.outside[target])

    def combination(self, fit: SparseFit, target: int) -> Array:
        """Return a fit as a combination of the functions, for the centred target."""
        combination: Array = fit.coefficients @ self._rows[fit.support]
        combination[0] += fit.constant - self.means[target]
        return combination


def _solve(lower: Array, with_something: Array, norms: Array) -> Array:
    scaled = with_something / norms[:, np.newaxis]
    coordinates: Array = solve_triangular(lower, scaled, lower=True, check_finite=False)
    return coordinates
