"""Base of all selectors: they order the columns and keep the first ones."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from gramian_paper._sklearn import Interval
from gramian_paper._types import Array, IntArray

Labels = NDArray[Any]
COUNT = Interval(Integral, 1, None, closed="left")


class Ranking(SelectorMixin, BaseEstimator, metaclass=ABCMeta):
    """A selector of a given number of columns.

    Fitted, it has `selected_features_`, the indices of the columns from the best on, `support_`,
    which columns these are, and scikit-learn's `n_features_in_` and `feature_names_in_`.
    """

    supervised: ClassVar[bool] = False
    """True if `fit` needs labels."""
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"n_features_to_select": [COUNT]}
    n_features_to_select: int

    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Select features.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The data.
        y : array-like of shape (n_samples,), optional
            The classes of the samples; needed by supervised selectors, ignored by all others.

        Returns
        -------
        self : Ranking
            The fitted selector.
        """
        self._validate_params()
        rules = {"dtype": np.float64, "ensure_min_samples": 2}
        labels: Labels | None = None
        if self.supervised:
            table, labels = validate_data(self, X, y, **rules)
            check_classification_targets(labels)
            if len(np.unique(labels)) < 2:
                raise ValueError("y has one class only; a comparison of classes needs two.")
        else:
            table = validate_data(self, X, **rules)
        if self.n_features_to_select > table.shape[1]:
            raise ValueError(
                f"n_features_to_select={self.n_features_to_select} is more than the "
                f"{table.shape[1]} features of X; give at most {table.shape[1]}."
            )
        order = self._order(table, labels)
        self.selected_features_: IntArray = np.array(
            order[: self.n_features_to_select], dtype=np.intp
        )
        self.support_ = np.zeros(table.shape[1], dtype=bool)
        self.support_[self.selected_features_] = True
        return self

    @abstractmethod
    def _order(self, X: Array, y: Labels | None) -> IntArray:
        """Return the indices of all columns, or of the first columns, best first."""

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.supervised
        return tags


def largest_first(scores: ArrayLike) -> IntArray:
    """Order by decreasing score; ties to the lower index, and undefined scores last."""
    values = np.asarray(scores, dtype=np.float64)
    return np.argsort(np.where(np.isnan(values), np.inf, -values), kind="stable")


def ranks_read_as_columns(order: ArrayLike, n_features: int) -> IntArray:
    """Return the columns that skfeature-chappers' default output names when taken for indices.

    By default (``mode="rank"``) the package's selectors return ``n_features - 1 - order``, with
    the best column first in `order`. The paper's accuracies for the Fisher score and the trace
    ratio on USPS, and for the trace ratio on COIL-20, are those of the columns that these numbers
    name: the columns opposite to the ones that were selected. This is here to reproduce them, and
    for no other use.

    Parameters
    ----------
    order : array-like of shape (n_selected,)
        Columns from the best on: `selected_features_` of a selector.
    n_features : int
        The number of columns there are.

    Returns
    -------
    columns : array of shape (n_selected,)
        The opposite columns.

    Examples
    --------
    >>> from gramian_paper.baselines import ranks_read_as_columns
    >>> ranks_read_as_columns([0, 3], 10)
    array([9, 6])
    """
    return n_features - 1 - np.asarray(order, dtype=np.intp)
