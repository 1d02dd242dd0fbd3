"""GramianImputer: missing cells filled by functions of the other cells of their row."""

from __future__ import annotations

from copy import copy
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from gramian._support.given_data import as_given
from gramian._support.scikit_learn import Interval
from gramian._support.types import Array
from gramian.core.imputation import Imputation, fit_imputation
from gramian.estimators._estimator import replace_fitted
from gramian.fitting import check_in_memory


class GramianImputer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Fill gaps by functions of the other cells of the row.

    First a normal distribution is fitted to the present cells, and each gap is filled by its
    conditional expectation, given the present cells of the row. Then, column by column, functions
    of the completed rows correct these expectations: products of the columns that are most
    correlated with the column, or smooth functions of all columns. A present cell is predicted as
    if it were missing, so that functions and penalties are chosen by cells that took no part in
    their own prediction.

    Parameters
    ----------
    nonlinear : bool, default=True
        True to correct the linear expectations by functions. False for the expectation-maximization
        algorithm of a normal distribution, with a ridge.
    margin : float, default=0.2
        The largest distance of a filled value from the range of the present values of its column,
        as a share of that range. Use a larger margin if large values are missing because they are
        large.

    Attributes
    ----------
    mean_ : array of shape (n_features,)
        The estimated means of the columns without gaps.
    covariance_ : array of shape (n_features, n_features)
        The estimated covariance of the columns without gaps.
    ridge_ : float
        The ridge of the covariance, as a number of extra rows with independent columns; chosen on
        hidden cells.
    n_corrected_ : int
        The number of columns for which functions improve on linear expectations.
    n_features_in_ : int
        The number of columns.

    Notes
    -----
    Imputers that regress columns on each other in turn, such as scikit-learn's IterativeImputer,
    train on filled cells that were computed from the target of the regression. With many gaps,
    they find relations that do not exist. GramianImputer leaves the target out.

    The time grows with the number of rows times the third power of the number of columns: use it
    for up to a few hundred columns.

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

    model_: Imputation

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
        check_in_memory(X, "X of GramianImputer")
        checked = copy(self)  # scikit-learn's checks set attributes
        table: Array = validate_data(
            checked,
            as_given(X),
            dtype=np.float64,
            ensure_all_finite="allow-nan",
            ensure_min_samples=2,
        )
        names = getattr(checked, "feature_names_in_", None)
        called = [str(i) if names is None else repr(str(names[i])) for i in range(table.shape[1])]
        model = fit_imputation(table, called, nonlinear=self.nonlinear, margin=self.margin)
        scale, gaussian = model.scale, model.gaussian
        found = {
            "model_": model,
            "n_features_in_": table.shape[1],
            "mean_": model.centre + scale * gaussian.mean,
            "covariance_": np.outer(scale, scale) * gaussian.covariance,
            "ridge_": gaussian.ridge,
            "n_corrected_": sum(each is not None for each in model.corrections),
        }
        replace_fitted(self, found if names is None else {**found, "feature_names_in_": names})
        return self

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
        check_in_memory(X, "X of GramianImputer")
        table: Array = validate_data(
            self, as_given(X), dtype=np.float64, ensure_all_finite="allow-nan", reset=False
        )
        return self.model_.fill(table)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
