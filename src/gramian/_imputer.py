"""Missing values filled by functions of the row's other values."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from gramian._sklearn import Interval
from gramian._types import Array
from gramian.imputation import Correction, Gaussian, best_correction, fit_gaussian

MAX_NUMBERS = 2**26
"""Rows by columns by columns: what is kept of rows while corrections are fitted, 512 MB. Of larger
tables a sample of rows is used for that."""


class GramianImputer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Fill gaps by functions of the row's other cells.

    First a normal distribution is fitted to the cells that are present, and each gap gets what it
    expects there, given the cells that its row has. Then, column by column, functions of the
    rows so completed explain what these expectations miss: products of the columns that are most
    correlated with it, or smooth functions of all columns. For a row in which the cell is present,
    everything is done as if it were not, so that functions and penalties are chosen by cells that
    took no part in their own prediction.

    Parameters
    ----------
    nonlinear : bool, default=True
        Whether to correct the linear expectations. Without, the result is that of the
        expectation-maximization algorithm for a normal distribution, with a ridge.
    margin : float, default=0.2
        How far beyond the values seen a filled one may lie, as a share of their range. Take more
        where large values are missing because they are large.

    Attributes
    ----------
    mean_ : array of shape (n_features,)
        The means of the columns as they would be without gaps.
    covariance_ : array of shape (n_features, n_features)
        Their covariance, likewise.
    ridge_ : float
        How many rows of independent columns were added to the covariance, decided by cells that
        were hidden.
    n_corrected_ : int
        The number of columns for which functions improve on linear expectations.
    n_features_in_ : int
        The number of columns.

    Notes
    -----
    Imputers that regress columns on each other in turn, as scikit-learn's IterativeImputer does,
    use, for a row in which the target is present, fills that have seen the target; the more gaps
    there are, the more they believe in relations that are not there. Here this cannot happen.

    The time grows with rows times the third power of columns: it is for up to a few hundred of
    them.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian import GramianImputer
    >>> z = np.random.default_rng(0).uniform(1, 2, (500, 2))
    >>> X = np.column_stack([z, z[:, 0] * z[:, 1]])
    >>> X[0] = [1.5, np.nan, 2.7]
    >>> GramianImputer().fit_transform(X)[0].round(1)
    array([1.5, 1.8, 2.7])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "nonlinear": ["boolean"],
        "margin": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(self, *, nonlinear: bool = True, margin: float = 0.2) -> None:
        self.nonlinear = nonlinear
        self.margin = margin

    def fit(self, X: ArrayLike, y: None = None) -> Self:
        """Fit to a table with gaps.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The table; NaN, None and pandas' NA are gaps.
        y : None
            Ignored.

        Returns
        -------
        self
            The fitted estimator.
        """
        self._validate_params()
        table: Array = validate_data(
            self, X, dtype=np.float64, ensure_all_finite="allow-nan", ensure_min_samples=2
        )
        present = ~np.isnan(table)
        self._check_columns(present)
        low, high = np.nanmin(table, axis=0), np.nanmax(table, axis=0)
        with np.errstate(over="ignore"):
            self._centre, self._scale = np.nanmean(table, axis=0), np.nanstd(table, axis=0)
        if not np.isfinite(self._scale).all():
            column = int(np.flatnonzero(~np.isfinite(self._scale))[0])
            raise ValueError(
                f"The variance of column {self._name(column)} exceeds the range of float64. "
                "Rescale the column first."
            )
        self._scale = np.where(self._scale > 0, self._scale, 1.0)
        x = np.where(present, (table - self._centre) / self._scale, 0.0)
        self._gaussian = fit_gaussian(x, present)
        self._corrections = self._correct(x, present)
        self._range = low - self.margin * (high - low), high + self.margin * (high - low)
        self.mean_ = self._centre + self._scale * self._gaussian.mean
        self.covariance_ = np.outer(self._scale, self._scale) * self._gaussian.covariance
        self.ridge_ = self._gaussian.ridge
        self.n_corrected_ = sum(each is not None for each in self._corrections)
        return self

    def _check_columns(self, present: Any) -> None:
        empty = np.flatnonzero(~present.any(axis=0))
        if len(empty):
            raise ValueError(
                f"Column {self._name(int(empty[0]))} has no value in any row, so nothing is known "
                "about it. Leave it out."
            )

    def _name(self, column: int) -> str:
        names = getattr(self, "feature_names_in_", None)
        return str(column) if names is None else repr(str(names[column]))

    def _correct(self, x: Array, present: Any) -> list[Correction | None]:
        """Fit what the linear expectations miss, column by column."""
        n_rows, n_columns = x.shape
        if not self.nonlinear:
            return [None] * n_columns
        most = max(2, MAX_NUMBERS // n_columns**2)
        if n_rows > most:
            chosen = np.random.default_rng(0).permutation(n_rows)[:most]
            x, present = x[chosen], present[chosen]
        completed = self._gaussian.complete(x, present)
        corrections: list[Correction | None] = []
        for column in range(n_columns):
            these = present[:, column]
            rows = completed.without(column)[these]
            values = completed.rows[these, column]
            corrections.append(None)
            if len(rows) > 2 and np.ptp(values) > 0:
                relevance = _correlations(rows, values)
                missed = completed.gain[these, column]
                corrections[-1] = best_correction(rows, missed, relevance)
        return corrections

    def transform(self, X: ArrayLike) -> Array:
        """Fill gaps.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows, of the fit or others, with gaps in any of the columns.

        Returns
        -------
        X_filled : array of shape (n_samples, n_features)
            The rows; cells that were present are as they were.
        """
        check_is_fitted(self)
        table: Array = validate_data(
            self, X, dtype=np.float64, ensure_all_finite="allow-nan", reset=False
        )
        gaps = np.isnan(table)
        which = np.flatnonzero(gaps.any(axis=1))
        filled: Array = table.copy()
        if len(which):
            filled[which] = np.where(gaps[which], self._fill(table[which]), table[which])
        return filled

    def _fill(self, table: Array) -> Array:
        """Return what is expected of rows, in the units of the table."""
        present = ~np.isnan(table)
        x = np.where(present, (table - self._centre) / self._scale, 0.0)
        expected = self._gaussian.expect(x, present)
        corrected = expected.copy()
        for column, correction in enumerate(self._corrections):
            rows = np.flatnonzero(~present[:, column])
            if correction is not None and len(rows):
                corrected[rows, column] += correction(expected[rows])
        corrected += self._gaussian.mean
        low, high = self._range
        filled: Array = np.clip(self._centre + self._scale * corrected, low, high)
        return filled

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    _gaussian: Gaussian
    _corrections: list[Correction | None]


def _correlations(rows: Array, values: Array) -> Array:
    """Return the absolute correlation of each column with other values; 0 where one is constant."""
    centred = rows - rows.mean(axis=0)
    values = values - values.mean()
    sizes = np.linalg.norm(centred, axis=0) * np.linalg.norm(values)
    products = np.abs(centred.T @ values)
    shares: Array = np.divide(products, sizes, out=np.zeros_like(products), where=sizes > 0)
    return shares
