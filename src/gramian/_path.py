"""Families compared on held-out rows, at equal numbers of features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from gramian._fitting import best_of, shares_left
from gramian._types import Array

if TYPE_CHECKING:
    from gramian._reconstruction import Reconstruction

DEGREES = (1, 2, 3, 4)
"""Among these chooses `degree="auto"`."""
MAX_FUNCTIONS = 5_000
"""Fits to be compared end before they have more functions, unless another number is given."""

E = TypeVar("E", bound="Reconstruction")


@dataclass(frozen=True)
class Path(Generic[E]):
    """Fits of several families to the same data, with the same rows held out."""

    estimators: tuple[E, ...]
    """The fitted estimators, one a family."""

    def shares(self, estimator: E) -> Array:
        """Return the share of variance left on held-out rows, by the number of features."""
        return shares_left(estimator.model_.record)

    def best(self, n_features: int | None = None) -> E:
        """Return the fit that leaves least on held-out rows.

        Parameters
        ----------
        n_features : int, optional
            The number of features at which to compare; by default the least that any fit needs
            until it meets what was asked for. Of equals the first wins.
        """
        return self.estimators[best_of([each.model_ for each in self.estimators], n_features)]

    @property
    def table(self) -> list[dict[str, Any]]:
        """A row for each family and number of features, for instance for a data frame."""
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
