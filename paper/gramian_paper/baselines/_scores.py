"""Selectors that score columns one by one: Laplacian score, Fisher score, trace ratio."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.preprocessing import normalize

from gramian_paper._sklearn import StrOptions
from gramian_paper._types import Array, IntArray
from gramian_paper.baselines._graph import degrees, laplacian_times, neighbour_graph
from gramian_paper.baselines._ranking import COUNT, Labels, Ranking, largest_first

Variant = Literal["skfeature", "published"]
VARIANT = StrOptions({"skfeature", "published"})


class LaplacianScore(Ranking):
    """Columns that vary least between neighbours, for the variance they have.

    With W the weights of a graph of nearest neighbours, D their row sums and L = D − W, the score
    of a column f, centred by the weights D, is fᵀLf / fᵀDf; small ones are best. Constant columns
    come last.

    Parameters
    ----------
    n_features_to_select : int, default=1
        The number of features.
    variant : {"skfeature", "published"}, default="skfeature"
        As the package skfeature-chappers, which the paper used, does by default: all rows are
        scaled to length 1 before anything else. Or as published: rows are not scaled.
    n_neighbors : int, default=5
        The number of nearest rows to which each is connected; the weights are 0 and 1.

    References
    ----------
    X. He, D. Cai and P. Niyogi, "Laplacian score for feature selection", Advances in Neural
    Information Processing Systems 18, 2005.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian_paper.baselines import LaplacianScore
    >>> rng = np.random.default_rng(0)
    >>> groups = np.repeat([-1, 1], 100) + 0.1 * rng.standard_normal(200)
    >>> X = np.column_stack([rng.standard_normal((200, 2)), 5 * groups])
    >>> LaplacianScore(1, variant="published").fit(X).selected_features_
    array([2])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Ranking._parameter_constraints,
        "variant": [VARIANT],
        "n_neighbors": [COUNT],
    }

    def __init__(
        self,
        n_features_to_select: int = 1,
        *,
        variant: Variant = "skfeature",
        n_neighbors: int = 5,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.variant = variant
        self.n_neighbors = n_neighbors

    def _order(self, X: Array, y: Labels | None) -> IntArray:
        rows = normalize(X) if self.variant == "skfeature" else X
        W = neighbour_graph(rows, self.n_neighbors + 1)
        weights = degrees(W)
        centred = rows - weights @ rows / weights.sum()
        spread = weights @ centred**2
        roughness = np.sum(centred * laplacian_times(W, centred), axis=0)
        return largest_first(-divide(roughness, np.where(constant(rows), 0.0, spread)))


class FisherScore(Ranking):
    """Columns whose class means differ most, for the variance within classes.

    The score is Σ n_c (μ_c − μ)² / Σ n_c σ_c² over the classes c; large ones are best. Constant
    columns come last.

    Parameters
    ----------
    n_features_to_select : int, default=1
        The number of features.

    References
    ----------
    R. O. Duda, P. E. Hart and D. G. Stork, "Pattern classification", Wiley, 2nd edition, 2001.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian_paper.baselines import FisherScore
    >>> X = np.random.default_rng(0).standard_normal((50, 3))
    >>> FisherScore(1).fit(X, X[:, 1] > 0).selected_features_
    array([1])
    """

    supervised = True

    def __init__(self, n_features_to_select: int = 1) -> None:
        self.n_features_to_select = n_features_to_select

    def _order(self, X: Array, y: Labels | None) -> IntArray:
        assert y is not None  # supervised
        return largest_first(divide(*scatter(X, y)))


class TraceRatio(Ranking):
    """The columns whose scatter between classes is largest, taken together, for that within.

    Of all sets of n columns, this is the one with the largest ratio λ of the summed scatter
    between classes, s_b, to the summed scatter within them, s_w. It consists of the n columns of
    largest s_b − λ s_w, and is found by computing λ and the set in turn.

    Parameters
    ----------
    n_features_to_select : int, default=1
        The number of features.
    variant : {"skfeature", "published"}, default="skfeature"
        As the package skfeature-chappers, which the paper used, ranks all columns: by s_b − λ s_w
        for the λ of all columns together. Or as published: for the λ of those selected.

    Attributes
    ----------
    trace_ratio_ : float
        The ratio λ by which columns were compared.

    Notes
    -----
    Given the number of columns, the package restricts itself to those of the largest Fisher score
    and changes no more than their order; that set is :class:`FisherScore`'s. The paper's numbers
    are those of the ranking of all columns, read by :func:`ranks_read_as_columns`.

    References
    ----------
    F. Nie, S. Xiang, Y. Jia, C. Zhang and S. Yan, "Trace ratio criterion for feature selection",
    AAAI Conference on Artificial Intelligence, 2008.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian_paper.baselines import TraceRatio
    >>> X = np.random.default_rng(0).standard_normal((50, 3))
    >>> TraceRatio(1).fit(X, X[:, 1] > 0).selected_features_
    array([1])
    """

    supervised = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Ranking._parameter_constraints,
        "variant": [VARIANT],
    }

    def __init__(self, n_features_to_select: int = 1, *, variant: Variant = "skfeature") -> None:
        self.n_features_to_select = n_features_to_select
        self.variant = variant

    def _order(self, X: Array, y: Labels | None) -> IntArray:
        assert y is not None  # supervised
        between, within = scatter(X, y)
        order = np.arange(X.shape[1])
        count = len(order) if self.variant == "skfeature" else self.n_features_to_select
        self.trace_ratio_ = -1.0
        while True:  # the ratio only grows, and there are finitely many sets
            ratio = float(divide(between[order[:count]].sum(), within[order[:count]].sum()))
            if not ratio > self.trace_ratio_:
                return order
            self.trace_ratio_ = ratio
            order = (
                largest_first(np.where(within > 0, 0.0, between))
                if np.isinf(ratio)
                else largest_first(between - ratio * within)
            )


def scatter(X: Array, y: Labels) -> tuple[Array, Array]:
    """Return each column's sums of squares between the classes and within them."""
    classes, codes = np.unique(y, return_inverse=True)
    members = (np.arange(len(classes))[:, None] == codes).astype(np.float64)
    centred = X - X.mean(axis=0)
    sizes = members.sum(axis=1)
    means = members @ centred / sizes[:, None]
    between = sizes @ means**2
    within = np.sum((centred - means[codes]) ** 2, axis=0)
    flat = constant(X)
    return np.where(flat, 0.0, between), np.where(flat, 0.0, within)


def constant(X: Array) -> Any:
    """Return a mask of the columns that have a single value."""
    return np.ptp(X, axis=0) == 0


def divide(numerator: Any, denominator: Any) -> Any:
    """Divide; x / 0 is infinite, and 0 / 0 is not a number."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.divide(numerator, denominator)
