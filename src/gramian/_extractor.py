"""What GFR and GCA share: their output is a linear projection."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from gramian._base import PursuitEstimator
from gramian._types import Array


class Extractor(ClassNamePrefixFeaturesOutMixin, TransformerMixin, PursuitEstimator):
    """An algorithm whose output is a linear projection."""

    _count_name = "n_components"
    components_: Array
    mean_: Array

    @property
    def n_components_(self) -> int:
        """The number of directions."""
        return len(self.components_)

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def transform(self, X: ArrayLike) -> Array:
        """Project X on the directions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The data.

        Returns
        -------
        Z : array of shape (n_samples, n_components)
            The centred data's coordinates along the directions, in float32 if X is.
        """
        check_is_fitted(self)
        table: Array = validate_data(self, X, dtype=[np.float64, np.float32], reset=False)
        kind = table.dtype
        return (table - self.mean_.astype(kind)) @ self.components_.T.astype(kind)

    def inverse_transform(self, Z: ArrayLike) -> Array:
        """Map coordinates back to the original space, linearly.

        Parameters
        ----------
        Z : array-like of shape (n_samples, n_components)
            Coordinates along the directions.

        Returns
        -------
        X : array of shape (n_samples, n_features)
            The point of the directions' span that has these coordinates, plus the mean.
        """
        check_is_fitted(self)
        table: Array = check_array(Z, dtype=[np.float64, np.float32], ensure_min_features=0)
        if table.shape[1] != self.n_components_:
            raise ValueError(
                f"Z has {table.shape[1]} columns, but {type(self).__name__} extracted "
                f"{self.n_components_} components."
            )
        kind = table.dtype
        return table @ self.components_.astype(kind) + self.mean_.astype(kind)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
