"""Filters: columns of largest variance, and columns that are not correlated."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np

from gramian_paper._sklearn import Interval
from gramian_paper._types import Array, IntArray
from gramian_paper.baselines._ranking import Labels, Ranking, largest_first


class VarianceRanking(Ranking):
    """Columns of largest variance: scikit-learn's VarianceThreshold, with a number of columns.

    Columns whose variances agree to nine digits, as those of standardized data do, are taken in
    their given order.

    Parameters
    ----------
    n_features_to_select : int, default=1
        The number of features.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian_paper.baselines import VarianceRanking
    >>> X = np.random.default_rng(0).standard_normal((50, 3)) * [1, 3, 2]
    >>> VarianceRanking(2).fit(X).selected_features_
    array([1, 2])
    """

    def __init__(self, n_features_to_select: int = 1) -> None:
        self.n_features_to_select = n_features_to_select

    def _order(self, X: Array, y: Labels | None) -> IntArray:
        return most_variant_first(X)


class CorrelationFilter(Ranking):
    """Columns that are not correlated with one another.

    The filter goes through the columns by decreasing variance (equal ones in their given order). A
    column is kept unless its correlation with a kept column exceeds the threshold in magnitude. The
    first `n_features_to_select` kept columns are selected. If fewer are kept, dropped columns
    follow, by increasing magnitude of their largest correlation with a kept column, so that the
    requested number is always selected. Constant columns come last.

    Parameters
    ----------
    n_features_to_select : int, default=1
        The number of features.
    threshold : float, default=0.95
        The correlation above which a column is dropped.

    Attributes
    ----------
    n_kept_ : int
        The number of columns that are not correlated above the threshold, whether selected or not.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian_paper.baselines import CorrelationFilter
    >>> a, b = np.random.default_rng(0).standard_normal((2, 50))
    >>> X = np.column_stack([3 * a, 2 * a + 0.01 * b, b])
    >>> CorrelationFilter(2).fit(X).selected_features_
    array([0, 2])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Ranking._parameter_constraints,
        "threshold": [Interval(Real, 0, 1, closed="both")],
    }

    def __init__(self, n_features_to_select: int = 1, *, threshold: float = 0.95) -> None:
        self.n_features_to_select = n_features_to_select
        self.threshold = threshold

    def _order(self, X: Array, y: Labels | None) -> IntArray:
        centred = X - X.mean(axis=0)
        norms = np.linalg.norm(centred, axis=0)
        varies = norms > len(X) * np.finfo(np.float64).eps * np.abs(X).max(axis=0)
        unit = np.where(varies, centred, 0.0) / np.where(varies, norms, 1.0)
        correlations = np.abs(unit.T @ unit)

        by_variance = most_variant_first(X)
        kept: list[int] = []
        nearest = np.where(varies, 0.0, np.inf)  # the largest correlation with any kept so far
        for column in by_variance.tolist():
            if nearest[column] <= self.threshold:
                kept.append(column)
                nearest = np.maximum(nearest, correlations[column])
        self.n_kept_ = len(kept)
        dropped = by_variance[~np.isin(by_variance, kept)]
        dropped = dropped[np.argsort(nearest[dropped], kind="stable")]
        return np.concatenate([np.array(kept, dtype=np.intp), dropped])


def most_variant_first(X: Array) -> IntArray:
    """Order columns by decreasing variance, and equal columns by index."""
    variances = X.var(axis=0)
    # Rounding errors must not decide between two standardized columns.
    return largest_first(np.round(variances / (variances.max() or 1.0), 9))
