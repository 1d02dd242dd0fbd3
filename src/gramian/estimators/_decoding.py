"""What the decoder is good for: to reconstruct rows, score a fit, and find rows that break it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_array, check_is_fitted

from gramian._support.scikit_learn import check_sample_weight
from gramian._support.types import Array
from gramian.core.rows import Source, is_dask, partitions, written_out
from gramian.estimators._estimator import Data, Estimator, M
from gramian.fitting import (
    Output,
    aligned,
    any_named,
    apply_blockwise,
    by_name,
    check_output,
    check_rows,
    finite_but_gaps,
    lazily,
    source_of,
    weights_of,
    without_weights,
)


class Decoding(Estimator[M]):
    """An estimator that can reconstruct all columns from what it keeps."""

    def score(self, X: Data, y: None = None, sample_weight: ArrayLike | None = None) -> float:
        """Return the share of the variance of X that the reconstruction explains.

        It is 1 - Σ‖x - x̂‖² / Σ‖x - mean‖², of scaled columns with ``scale=True``. On rows that
        took no part in the fit it tells how well the fit generalizes, so that a grid search finds
        family, degree, `alpha` and number of features.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or anything that `fit` takes
            The data.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), str or Dask array, optional
            Weights of the samples in both sums, or the name of the column that holds them.

        Returns
        -------
        score : float
            At most 1; 0 is as good as the mean of the fit, less is worse.
        """
        check_is_fitted(self)
        if is_dask(X) and sample_weight is None:  # summed where the rows are
            error, size = np.asarray(self._lazy_errors(X).sum(axis=0).compute(), dtype=np.float64)
            return 1 - float(error) / float(size) if size > 0 else 1.0
        errors, sizes, weights = self._errors(X, sample_weight)
        weights = check_sample_weight(
            weights, errors[:, np.newaxis], dtype=np.float64, ensure_non_negative=True
        )
        size = float(weights @ sizes)
        return 1 - float(weights @ errors) / size if size > 0 else 1.0

    def reconstruction_error(self, X: Data) -> Any:
        """Return what the reconstruction of each row misses, ‖x - x̂‖².

        Large errors flag rows that break the redundancy which the fit has learned.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or anything that `fit` takes
            The data.

        Returns
        -------
        errors : array of shape (n_samples,)
            Sums of squares over the features; over the scaled ones with ``scale=True``.
        """
        check_is_fitted(self)
        if is_dask(X):
            both = self._lazy_errors(X)
            return both["error"] if hasattr(both, "columns") else both[:, 0]
        return self._errors(X, None)[0]

    def _lazy_errors(self, X: Data) -> Any:
        """Return what `_errors` does of a Dask collection, in two columns."""

        def both(part: ArrayLike) -> Array:
            return np.column_stack(
                self.model_.errors(check_rows(self, part, gaps=True, at_least=0))
            )

        return lazily(X, both, ["error", "size"], 2)

    def _errors(self, X: Data, sample_weight: Any) -> tuple[Array, Array, Any]:
        """Return the squared distances of rows from their reconstruction and from the mean.

        Also returned are their weights, as numbers if they were the name of a column.
        """
        named = sample_weight if isinstance(sample_weight, str) else None
        source = None if is_dask(X) else source_of(X, named)
        if source is not None:
            errors, sizes, read = self._errors_of(source)
            return errors, sizes, sample_weight if named is None else read
        weights = weights_of(X, sample_weight)
        X = without_weights(X, sample_weight)
        if is_dask(X):
            errors, sizes = np.asarray(self._lazy_errors(X).compute(), dtype=np.float64).T
        else:
            errors, sizes = self.model_.errors(check_rows(self, X, gaps=True))
        return errors, sizes, weights

    def _errors_of(self, source: Source) -> tuple[Array, Array, Array | None]:
        """Do that in one pass over files or blocks of rows, with the weights that they hold."""
        parts = [(*self.model_.errors(chunk.x), chunk.weights) for chunk in self._chunks_of(source)]
        if not parts:
            raise ValueError(f"{source} has no rows, and so no error of their reconstruction.")
        errors, sizes, weights = zip(*parts, strict=True)
        read = None if weights[0] is None else np.concatenate(weights)
        return np.concatenate(errors), np.concatenate(sizes), read

    def _decode_data(self, X: Data, function: Callable[[Array], Array], output: Output) -> Any:
        """Apply a function from what was kept to all columns to data of any kind."""
        check_is_fitted(self)
        check_output(X, output)
        model, kept = self.model_, self.get_feature_names_out()

        def decode(Z: Any) -> Array:
            checked = check_array(
                by_name(Z, kept),
                accept_sparse="csr",
                dtype=[np.float64, np.float32],
                ensure_all_finite=finite_but_gaps(Z),
                ensure_min_samples=0 if is_dask(X) else 1,
                ensure_min_features=0,
            )
            table: Array = written_out(checked)
            if table.shape[1] != len(kept):
                raise ValueError(
                    f"X has {table.shape[1]} columns, but {model.algorithm} kept {len(kept)}."
                )
            return function(table).astype(table.dtype, copy=False)

        source = source_of(X)
        if output is None and is_dask(X):
            return lazily(X, decode, model.names, model.n_columns)
        if output is None and source is None:
            return decode(X)
        blocks = partitions(X) if is_dask(X) else [X]
        if source is not None:
            named = source.names is not None and any_named(source.names, kept)
            chunks = aligned(source, kept if named else None, len(kept))
            blocks = (chunk.x for chunk in chunks)
        return apply_blockwise(blocks, decode, model.column_names, output)
