"""What GFS, GFA and UFFS share: their output is a subset of the columns."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from gramian._base import COUNT, PursuitEstimator
from gramian._blockwise import FileTransformer, Output, aligned, lazily, source_of, write
from gramian._choosers import GivenDirections
from gramian._decoder import make_decoder
from gramian._preparation import Problem
from gramian._reconstruction import Data, Reconstruction
from gramian._stability import Stability, of_selections
from gramian._types import Array
from gramian.rows import is_dask


class Selector(FileTransformer, SelectorMixin, PursuitEstimator):
    """An algorithm whose output is a subset of the columns."""

    _count_name = "n_features_to_select"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **PursuitEstimator._parameter_constraints,
        "n_features_to_select": [*COUNT, None],
        "relative": ["boolean"],
    }
    relative: bool
    support_: NDArray[np.bool_]

    def _select(self, columns: list[int]) -> None:
        self.selected_features_ = np.array(columns, dtype=np.intp)
        self.support_ = np.zeros(self.n_features_in_, dtype=bool)
        self.support_[self.selected_features_] = True

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_

    def transform(self, X: Data, *, output: Output = None) -> Any:
        """Take the selected columns of X, in the order in which X has them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or anything that `fit` takes
            The data.
        output : path, optional
            For files, a file to write, in the format of its ending, in place of an array.

        Returns
        -------
        X_selected : array of shape (n_samples, n_selected_features)
            The selected columns. Of a Dask collection a lazy one; with `output` the path of the
            file that was written.
        """
        check_is_fitted(self)
        if is_dask(X):
            names = self.get_feature_names_out()
            if hasattr(X, "columns"):
                return X[names.tolist()]
            return lazily(X, super().transform, names, len(names))
        source = source_of(X)
        if source is not None:
            names = self.get_feature_names_out()
            kept = self.support_
            rows = aligned(source, self._names_in, self.n_features_in_)
            return write(rows, lambda table: table[:, kept], names, output)
        return super().transform(X)


class DecodingSelector(Reconstruction, Selector):
    """A selection by pursuit, from which the columns that were not selected can be filled in."""

    _scaling = "column"

    def _select_by(
        self,
        problem: Problem,
        chooser: type[GivenDirections],
        threshold: float | None,
        given: Sequence[int] | None = None,
    ) -> GivenDirections:
        """Run the pursuit over columns."""
        rows, scale, varies = problem.rows, problem.centring.scale, problem.centring.varies
        fit = self._pursue(
            problem,
            lambda n_penalties: chooser(
                np.where(varies, scale**2, 0.0),
                varies,
                threshold,
                self.relative,
                n_penalties,
                given,
            ),
            self._limits(problem.repeated),
            lambda n_penalties: problem.watch(scale, n_penalties),
        )
        chosen = fit.chooser.chosen
        self._select(chosen)
        self._record_fit(rows, fit)
        self._decoder = make_decoder(fit.orthogonalizer, scale[chosen], scale)
        self._variances = np.where(varies, scale**2, 0.0)
        return fit.chooser

    def _choices(self) -> Sequence[int]:
        return [int(i) for i in self.selected_features_]

    def _encode(self, x: Array) -> Array:
        return x[:, self.selected_features_]

    def inverse_transform(self, X: Data, *, linear: bool = False, output: Output = None) -> Any:
        """Fill in the features that were not selected.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_selected_features), files or a Dask collection
            The selected features, in the order of `transform`.
        linear : bool, default=False
            Whether to fill in by linear regression on the selected features, in place of the
            functions of the family.
        output : path, optional
            For files, a file to write, in the format of its ending, in place of an array.

        Returns
        -------
        X_original : array of shape (n_samples, n_features)
            All features, the selected ones as given; in float32 if X is. Of a Dask collection a
            lazy one; with `output` the path of the file that was written.
        """
        check_is_fitted(self)
        fill = partial(self._fill, linear=linear)
        return self._decode(X, fill, self.get_feature_names_out(), output)

    def _fill(self, X: ArrayLike, *, linear: bool) -> Array:
        table = self._check_kept(X, len(self.selected_features_), "selected features")
        place = np.searchsorted(np.flatnonzero(self.support_), self.selected_features_)
        chosen = table[:, place] - self.mean_[self.selected_features_]
        filled = (self._decoder(chosen, linear=linear) + self.mean_).astype(table.dtype, copy=False)
        filled[:, self.support_] = table
        return filled

    def _compare(self, others: Sequence[Self]) -> Stability:
        return of_selections(self.support_, [each.support_ for each in others])
