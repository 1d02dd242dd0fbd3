"""Path: families compared on held-out rows, at equal numbers of features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from gramian._support.types import Array
from gramian.fitting import best_of, shares_left

if TYPE_CHECKING:
    from gramian.estimators._pursuit_estimator import PursuitEstimator

DEGREES = (1, 2, 3, 4)
"""Degrees among which `degree="auto"` chooses."""
MAX_FUNCTIONS = 5_000
"""Largest number of functions of fits that are compared, unless the user gives another."""

E = TypeVar("E", bound="PursuitEstimator")


@dataclass(frozen=True)
class Path(Generic[E]):
    """Fits of several families to the same data, with the same rows held out.

    The method `path` of GFR, GCA, GFS and GFA returns it.

    Attributes
    ----------
    estimators : tuple of estimators
        The fitted estimators, one per family.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian import GFR
    >>> z = np.random.default_rng(0).standard_normal((500, 2))
    >>> X = np.column_stack([3 * z, z[:, 0] * z[:, 1], z[:, 0] ** 2])
    >>> path = GFR(2).path(X, degrees=[1, 2])
    >>> [each.family_ for each in path.estimators]
    [Multilinear(1), Multilinear(2)]
    >>> best = path.best()
    >>> best.family_
    Multilinear(2)
    >>> path.shares(best).round(2)  # with no feature, with one, and with two
    array([1.  , 0.64, 0.09])
    """

    estimators: tuple[E, ...]

    def shares(self, estimator: E) -> Array:
        """Return the residual share of variance on held-out rows, by the number of features.

        Parameters
        ----------
        estimator : estimator
            One of `estimators`.

        Returns
        -------
        shares : array of shape (n_features + 1,)
            The shares: 1 without features, then with the first feature, the first two, and so on.
        """
        return shares_left(estimator.model_.record)

    def best(self, n_features: int | None = None) -> E:
        """Return the fit with the smallest residual on held-out rows.

        Parameters
        ----------
        n_features : int, optional
            The number of features at which fits are compared; by default the smallest number with
            which a fit reaches its goal. In ties the first fit wins.

        Returns
        -------
        estimator : estimator
            One of `estimators`.
        """
        return self.estimators[best_of([each.model_ for each in self.estimators], n_features)]

    @property
    def table(self) -> list[dict[str, Any]]:
        """Rows for a data frame, one for each family and number of features.

        A row is a dictionary: the "family" as text, "n_features", "n_functions" including the
        constant, the penalty "alpha", and the residual share of variance, of the rows of the fit
        ("left") and of held-out rows ("left_held_out").
        """
        return [
            {
                "family": str(estimator.family_),
                "n_features": n,
                "n_functions": 1 + int(estimator.n_functions_[:n].sum()),
                "alpha": float(estimator.alpha_path_[n - 1]) if n else float("nan"),
                "left": float(estimator.total_residual_variance_[n] / (whole or 1.0)),
                "left_held_out": float(share),
            }
            for estimator in self.estimators
            for whole in [estimator.total_residual_variance_[0]]
            for n, share in enumerate(self.shares(estimator))
        ]
