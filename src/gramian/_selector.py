"""What GFS, GFA and UFFS share: their output is a subset of the columns."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from gramian._base import COUNT, PursuitEstimator
from gramian._choosers import GivenDirections


class Selector(SelectorMixin, PursuitEstimator):
    """An algorithm whose output is a subset of the columns."""

    _count_name = "n_features_to_select"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **PursuitEstimator._parameter_constraints,
        "n_features_to_select": [*COUNT, None],
        "relative": ["boolean"],
    }
    relative: bool
    support_: NDArray[np.bool_]

    def _fit(
        self, X: ArrayLike, sample_weight: ArrayLike | None, chooser: type[GivenDirections]
    ) -> GivenDirections:
        """Run the pursuit over columns."""
        rows, centring = self._centre(X, sample_weight, "column")
        variances = np.where(centring.varies, centring.scale**2, 0.0)
        fitted, trace, orthogonalizer = self._pursue(
            rows,
            lambda: chooser(variances, centring.varies, self.threshold, self.relative),
            self._limits(),
        )
        self._select(fitted.chosen)
        self._record(trace, rows.n_rows, orthogonalizer)
        return fitted

    def _select(self, columns: list[int]) -> None:
        self.selected_features_ = np.array(columns, dtype=np.intp)
        self.support_ = np.zeros(self.n_features_in_, dtype=bool)
        self.support_[self.selected_features_] = True

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_
