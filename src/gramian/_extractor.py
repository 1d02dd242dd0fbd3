"""What GFR and GCA share: their output is a linear projection."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Self

from numpy.typing import ArrayLike
from sklearn.base import ClassNamePrefixFeaturesOutMixin
from sklearn.utils.validation import check_is_fitted

from gramian._blockwise import FileTransformer, Output, lazily, source_of, write
from gramian._reconstruction import Data, Reconstruction
from gramian._stability import Stability, of_subspaces
from gramian._types import Array
from gramian.rows import is_dask


class Extractor(ClassNamePrefixFeaturesOutMixin, FileTransformer, Reconstruction):
    """An algorithm whose output is a linear projection."""

    _count_name = "n_components"
    _scaling = "table"
    components_: Array
    mean_: Array

    @property
    def n_components_(self) -> int:
        """The number of directions."""
        return len(self.components_)

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def transform(self, X: Data, *, output: Output = None) -> Any:
        """Project X on the directions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or anything that `fit` takes
            The data.
        output : path, optional
            For files, a file to write, in the format of its ending, in place of an array.

        Returns
        -------
        Z : array of shape (n_samples, n_components)
            The centred data's coordinates along the directions, in float32 if X is. Of a Dask
            collection a lazy one; with `output` the path of the file that was written.
        """
        check_is_fitted(self)
        if is_dask(X):
            return lazily(X, self._transform, self.get_feature_names_out(), self.n_components_)
        source = source_of(X)
        if source is not None:
            names = self.get_feature_names_out()
            return write(self._rows_of(source), self._project, names, output)
        return self._transform(X)

    def _transform(self, X: ArrayLike) -> Array:
        return self._project(self._check_rows(X))

    def _project(self, table: Array) -> Array:
        kind = table.dtype
        return (table - self.mean_.astype(kind)) @ self.components_.T.astype(kind)

    def _choices(self) -> Sequence[int]:
        return range(self.n_components_)

    def _encode(self, x: Array) -> Array:
        return x @ self.components_.T

    def inverse_transform(self, X: Data, *, linear: bool = False, output: Output = None) -> Any:
        """Reconstruct the features from coordinates along the directions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components), files or a Dask collection
            Coordinates along the directions, as `transform` returns them.
        linear : bool, default=False
            Whether to use the best linear reconstruction, as PCA does, in place of the functions
            of the family.
        output : path, optional
            For files, a file to write, in the format of its ending, in place of an array.

        Returns
        -------
        X_original : array of shape (n_samples, n_features)
            The features, in float32 if X is. Of a Dask collection a lazy one; with `output` the
            path of the file that was written.
        """
        check_is_fitted(self)
        decode = partial(self._inverse_transform, linear=linear)
        return self._decode(X, decode, self.get_feature_names_out(), output)

    def _inverse_transform(self, Z: ArrayLike, *, linear: bool) -> Array:
        table = self._check_kept(Z, self.n_components_, "components")
        x = self._decoder(table, linear=linear)
        return (x + self.mean_).astype(table.dtype, copy=False)

    def _compare(self, others: Sequence[Self]) -> Stability:
        return of_subspaces(self.components_, [each.components_ for each in others])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
