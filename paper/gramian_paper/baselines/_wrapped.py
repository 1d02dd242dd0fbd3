"""Selectors of other packages, and UFFS, with the interface of `Ranking`."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.decomposition import PCA

from gramian import UFFS
from gramian_paper._sklearn import Interval, StrOptions
from gramian_paper._types import Array, IntArray
from gramian_paper.baselines._packages import load
from gramian_paper.baselines._ranking import COUNT, Labels, Ranking


class UFFSRanking(Ranking):
    """UFFS for a given number of columns, as the paper compares it with GFS.

    All products up to the degree are orthogonalized in the order of the columns, and the columns
    of which most variance is left are selected.

    Parameters
    ----------
    n_features_to_select : int, default=1
        The number of features.
    degree : int, default=3
        The largest number of columns in a product, the paper's.
    relative : bool, default=False
        Whether variances count as shares of each column's own; on standardized data that is the
        same.

    See Also
    --------
    gramian.UFFS : All of its options, and what it records.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian_paper.baselines import UFFSRanking
    >>> a, b = np.random.default_rng(0).standard_normal((2, 200))
    >>> UFFSRanking(2).fit(np.column_stack([a, b, a * b])).get_support()
    array([ True,  True, False])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Ranking._parameter_constraints,
        "degree": [COUNT],
        "relative": ["boolean"],
    }

    def __init__(
        self, n_features_to_select: int = 1, *, degree: int = 3, relative: bool = False
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.degree = degree
        self.relative = relative

    def _order(self, X: Array, y: Labels | None) -> IntArray:
        uffs = UFFS(threshold=None, degree=self.degree, relative=self.relative)
        return uffs.fit(X).selected_features_


class FastCanRanking(Ranking):
    """fastcan without labels: columns that are most correlated with the principal components.

    Columns are selected one at a time; each adds most to the sum of squared canonical correlations
    between the selected ones and the principal components of all.

    Parameters
    ----------
    n_features_to_select : int, default=1
        The number of features.
    n_components : int or None, default=None
        The number of principal components; None for as many as features to select.
    tol : float, default=0.01
        The loss of orthogonality at which fastcan takes a column for a combination of others.

    References
    ----------
    S. Zhang and Z. Q. Lang, "Orthogonal least squares based fast feature selection for linear
    classification", Pattern Recognition 123, 2022.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian_paper.baselines import FastCanRanking
    >>> a, b = np.random.default_rng(0).standard_normal((2, 200))
    >>> FastCanRanking(2).fit(np.column_stack([a, 3 * a, b])).get_support()[2]
    np.True_
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Ranking._parameter_constraints,
        "n_components": [COUNT, None],
        "tol": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self, n_features_to_select: int = 1, *, n_components: int | None = None, tol: float = 0.01
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.n_components = n_components
        self.tol = tol

    def _order(self, X: Array, y: Labels | None) -> IntArray:
        package = load("fastcan", "fastcan")
        n_components = min(self.n_components or self.n_features_to_select, *X.shape)
        targets = PCA(n_components, svd_solver="full").fit_transform(X)
        fastcan = package.FastCan(self.n_features_to_select, tol=self.tol, verbose=0)
        selected: IntArray = fastcan.fit(X, targets).indices_
        return selected


class CURRanking(Ranking):
    """scikit-matter's CUR: columns of largest weight in the leading singular vectors.

    Columns are selected one at a time, and the others are orthogonalized against each. It works
    with X as it is; centre it first to work with variances.

    Parameters
    ----------
    n_features_to_select : int, default=1
        The number of features.
    k : int, default=1
        The number of singular vectors; scikit-matter's default.
    random_state : int or None, default=None
        Where the search for singular vectors starts.

    References
    ----------
    G. Imbalzano et al., "Automatic selection of atomic fingerprints and reference configurations
    for machine-learning potentials", Journal of Chemical Physics 148, 2018.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian_paper.baselines import CURRanking, available
    >>> a, b = np.random.default_rng(0).standard_normal((2, 200))
    >>> ranking = CURRanking(2)
    >>> if available("cur"):  # needs scikit-matter
    ...     ranking = ranking.fit(np.column_stack([a, a, b]))
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Ranking._parameter_constraints,
        "k": [COUNT],
        "random_state": [Interval(Integral, 0, None, closed="left"), None],
    }

    def __init__(
        self, n_features_to_select: int = 1, *, k: int = 1, random_state: int | None = None
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.k = k
        self.random_state = random_state

    def _order(self, X: Array, y: Labels | None) -> IntArray:
        return selected_by_skmatter(
            "CUR",
            X,
            n_to_select=self.n_features_to_select,
            k=self.k,
            random_state=self.random_state,
        )


class FPSRanking(Ranking):
    """scikit-matter's farthest point sampling, of columns.

    Each column is the one with the largest Euclidean distance to the nearest of those before it.
    It works with X as it is; centre it first to make distances those of variation.

    Parameters
    ----------
    n_features_to_select : int, default=1
        The number of features.
    initialize : int or "random", default=0
        The first column; scikit-matter's default.
    random_state : int or None, default=None
        Where a random first column comes from.

    References
    ----------
    G. Imbalzano et al., "Automatic selection of atomic fingerprints and reference configurations
    for machine-learning potentials", Journal of Chemical Physics 148, 2018.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian_paper.baselines import FPSRanking, available
    >>> a, b = np.random.default_rng(0).standard_normal((2, 200))
    >>> ranking = FPSRanking(2)
    >>> if available("fps"):  # needs scikit-matter
    ...     ranking = ranking.fit(np.column_stack([a, a, b]))
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Ranking._parameter_constraints,
        "initialize": [Interval(Integral, 0, None, closed="left"), StrOptions({"random"})],
        "random_state": [Interval(Integral, 0, None, closed="left"), None],
    }

    def __init__(
        self,
        n_features_to_select: int = 1,
        *,
        initialize: int | str = 0,
        random_state: int | None = None,
    ) -> None:
        self.n_features_to_select = n_features_to_select
        self.initialize = initialize
        self.random_state = random_state

    def _order(self, X: Array, y: Labels | None) -> IntArray:
        if isinstance(self.initialize, Integral) and self.initialize >= X.shape[1]:
            raise ValueError(
                f"initialize={self.initialize}, but X has {X.shape[1]} features, counted from 0."
            )
        return selected_by_skmatter(
            "FPS",
            X,
            n_to_select=self.n_features_to_select,
            initialize=self.initialize,
            random_state=self.random_state,
        )


def selected_by_skmatter(name: str, X: Array, **options: Any) -> IntArray:
    """Fit one of scikit-matter's selectors and return its columns in their order."""
    package = load("skmatter.feature_selection", "skmatter")
    return np.asarray(getattr(package, name)(**options).fit(X).selected_idx_, dtype=np.intp)
