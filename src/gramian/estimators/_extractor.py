"""Extractor, the base class of GFR and GCA: the output is a projection."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from scipy.sparse import issparse
from sklearn.base import ClassNamePrefixFeaturesOutMixin
from sklearn.utils.validation import check_is_fitted

from gramian._support.types import Array
from gramian.estimators._estimator import Data
from gramian.estimators._pursuit_estimator import PursuitEstimator
from gramian.estimators._stability import Stability, of_subspaces
from gramian.fitting import FittedModel, KeptDirections, Output


class Extractor(ClassNamePrefixFeaturesOutMixin, PursuitEstimator):
    """Base class of GFR and GCA: the output is a linear projection of the columns."""

    _count_name = "n_components"
    _scales_columns = False
    components_: Array

    @property
    def n_components_(self) -> int:
        """The number of directions."""
        return len(self.components_)

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def _attributes(self, model: FittedModel) -> dict[str, Any]:
        assert isinstance(model.kept, KeptDirections)
        return {**super()._attributes(model), "components_": model.kept.directions}

    def transform(self, X: Data, *, output: Output = None) -> Any:
        """Project X on the directions.

        For a row with missing values, coordinates are estimated from the present cells, the decoder
        fills the gaps from them, and the completed row is projected. For a row without any value,
        the coordinates are missing, too.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or anything that `fit` takes
            The data.
        output : path, optional
            A file to write, in the format of its ending, in place of an array.

        Returns
        -------
        Z : array of shape (n_samples, n_components)
            The centred data's coordinates along the directions, in float32 if X is. For a Dask
            collection, a lazy array; with `output`, the path of the written file.
        """
        check_is_fitted(self)
        model, kept = self.model_, self.model_.kept
        assert isinstance(kept, KeptDirections)

        def project(table: Any) -> Any:
            axes, centre = kept.axes.T.astype(table.dtype), model.mean.astype(table.dtype)
            if issparse(table):
                return table @ axes - centre @ axes
            return model.completed(table - centre) @ axes

        return self._encode_data(X, project, output)

    def inverse_transform(
        self,
        X: Data,
        *,
        linear: bool = False,
        extrapolate: bool = False,
        output: Output = None,
    ) -> Any:
        """Reconstruct the features from coordinates along the directions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components), files or a Dask collection
            Coordinates along the directions, as `transform` returns them.
        linear : bool, default=False
            True for the best linear reconstruction, as in PCA, in place of the functions of the
            family.
        extrapolate : bool, default=False
            True to use the functions for all rows. By default, rows far from those of the fit are
            reconstructed linearly, because polynomials grow without bound there.
        output : path, optional
            A file to write, in the format of its ending, in place of an array.

        Returns
        -------
        X_original : array of shape (n_samples, n_features)
            The features, in float32 if X is. For a Dask collection, a lazy array; with `output`,
            the path of the written file.
        """

        def decode(z: Array) -> Array:
            return self.model_.decode(z, linear=linear, extrapolate=extrapolate)

        return self._decode_data(X, decode, output)

    def _compare(self, others: Sequence[Self]) -> Stability:
        return of_subspaces(self.components_, [each.components_ for each in others])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
