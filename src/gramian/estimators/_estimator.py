"""Estimator, the base class: transforms, reconstructs and scores data of any kind by its model."""

from __future__ import annotations

import inspect
import os
import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted

from gramian._support.given_data import as_given
from gramian._support.scikit_learn import check_sample_weight, container_of
from gramian._support.types import Array
from gramian.core.rows import Source, is_dask, partitions, written_out
from gramian.estimators._summary import FittedSummary
from gramian.estimators._warning_texts import warning_of
from gramian.fitting import (
    AnyModel,
    FittedManifold,
    FittedModel,
    Output,
    SteppedModel,
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
    without_columns,
)
from gramian.tables import Chunk

Data = Any
"""An array or data frame, files, blocks of rows, or a Dask collection."""
M = TypeVar("M", bound=FittedModel | FittedManifold)


class Estimator(FittedSummary, TransformerMixin, BaseEstimator, Generic[M]):
    """Base class of estimators: an immutable model transforms, reconstructs and scores rows."""

    model_: M

    def _become(self, model: M) -> None:
        """Replace all fitted attributes (names that end in _) at once by those of a model."""
        names = {} if model.names is None else {"feature_names_in_": np.array(model.names, object)}
        replace_fitted(self, {**self._attributes(model), **names})

    @abstractmethod
    def _attributes(self, model: M) -> dict[str, Any]:
        """Return the fitted attributes (names that end in _) of a model, by name."""

    def fit_transform(
        self, X: Data, y: None = None, *, output: Output = None, **fit_params: Any
    ) -> Any:
        """Fit to data, and transform them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), files or a Dask collection
            The data, as `fit` takes them.
        y : None
            Ignored.
        output : path, optional
            The file to write, as in `transform`.
        **fit_params : dict
            Other arguments of `fit`, such as `sample_weight`.

        Returns
        -------
        Z : array
            The result of `transform`.
        """
        self._check_output(X, output)
        self.fit(X, y, **fit_params)
        X = without_columns(X, fit_params.get("sample_weight"), fit_params.get("groups"))
        return self.transform(X) if output is None else self.transform(X, output=output)

    def _check_output(self, X: Data, output: Output) -> None:
        """Raise an error, before any work is done, if `transform` cannot write the output."""
        check_output(X, output)
        container = container_of(self)
        if output is not None and container != "default":
            raise ValueError(
                f"output= writes a file, and set_output asks for {container}: leave out one of "
                "them, for instance by set_output(transform='default')."
            )

    def _chunks_of(self, source: Source) -> Iterator[Chunk]:
        """Read the columns of the fit from files or blocks of rows."""
        return aligned(source, self.model_.names, self.model_.n_columns)

    def _encode_data(self, X: Data, function: Callable[[Array], Array], output: Output) -> Any:
        """Return the kept variables of data of any kind, or write them to a file.

        Parameters
        ----------
        X : object
            The data: rows in memory, files, blocks of rows, or a Dask collection.
        function : callable
            Returns the kept variables of rows.
        output : path or None
            The file to write; None to return the result.
        """
        self._check_output(X, output)
        names, dask = self.get_feature_names_out(), is_dask(X)

        def encode(part: Any) -> Array:
            return function(check_rows(self, part, gaps=True, at_least=0 if dask else 1))

        if dask and output is None:
            return lazily(X, encode, names, len(names))
        source = None if dask else source_of(X)
        if source is not None:
            rows = (chunk.x for chunk in self._chunks_of(source))
            return apply_blockwise(rows, function, names, output)
        if output is None:
            return encode(X)
        return apply_blockwise(partitions(X) if dask else [X], encode, names, output)

    def score(self, X: Data, y: None = None, sample_weight: ArrayLike | None = None) -> float:
        """Return the share of the variance of X that the reconstruction explains.

        The score is 1 - Σ‖x - x̂‖² / Σ‖x - mean‖², of scaled columns with ``scale=True``. The score
        of new rows measures how well the fit generalizes, so that a grid search can choose family,
        degree, `alpha` and number of features.

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
            At most 1. The mean of the fit scores 0; worse reconstructions are negative.
        """
        check_is_fitted(self)
        if is_dask(X) and sample_weight is None:  # sum on the workers
            error, size = np.asarray(self._lazy_errors(X).sum(axis=0).compute(), dtype=np.float64)
            return 1 - float(error) / float(size) if size > 0 else 1.0
        errors, sizes, weights = self._errors(X, sample_weight)
        weights = check_sample_weight(
            weights, errors[:, np.newaxis], dtype=np.float64, ensure_non_negative=True
        )
        size = float(weights @ sizes)
        return 1 - float(weights @ errors) / size if size > 0 else 1.0

    def reconstruction_error(self, X: Data) -> Any:
        """Return the squared error of the reconstruction of each row, ‖x - x̂‖².

        A large error flags a row that breaks the redundancy which the fit has learned.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or anything that `fit` takes
            The data.

        Returns
        -------
        errors : array of shape (n_samples,)
            Sums of squares over the features; over the scaled features with ``scale=True``.
        """
        check_is_fitted(self)
        if is_dask(X):
            both = self._lazy_errors(X)
            return both["error"] if hasattr(both, "columns") else both[:, 0]
        return self._errors(X, None)[0]

    def _lazy_errors(self, X: Data) -> Any:
        """Return squared errors of a Dask collection as a lazy table with two columns.

        "error" is the squared distance of a row from its reconstruction, "size" that from the mean.
        """

        def both(part: ArrayLike) -> Array:
            return np.column_stack(
                self.model_.errors(check_rows(self, part, gaps=True, at_least=0))
            )

        return lazily(X, both, ["error", "size"], 2)

    def _errors(self, X: Data, sample_weight: Any) -> tuple[Array, Array, Any]:
        """Return squared distances of rows from reconstruction and mean, and weights of the rows.

        If `sample_weight` is the name of a column, its numbers are the weights.
        """
        named = sample_weight if isinstance(sample_weight, str) else None
        source = None if is_dask(X) else source_of(X, named)
        if source is not None:
            errors, sizes, read = self._errors_of(source)
            return errors, sizes, sample_weight if named is None else read
        weights = weights_of(X, sample_weight)
        X = without_columns(X, sample_weight)
        if is_dask(X):
            errors, sizes = np.asarray(self._lazy_errors(X).compute(), dtype=np.float64).T
        else:
            errors, sizes = self.model_.errors(check_rows(self, X, gaps=True))
        return errors, sizes, weights

    def _errors_of(self, source: Source) -> tuple[Array, Array, Array | None]:
        """Read files or blocks once, and return three arrays with a number for each row.

        They are the squared distance from its reconstruction, the squared distance from the mean,
        and the weight (None without weights).
        """
        parts = [(*self.model_.errors(chunk.x), chunk.weights) for chunk in self._chunks_of(source)]
        if not parts:
            raise ValueError(f"{source} has no rows to score. Give at least one row.")
        errors, sizes, weights = zip(*parts, strict=True)
        read = None if weights[0] is None else np.concatenate(weights)
        return np.concatenate(errors), np.concatenate(sizes), read

    def _decode_data(self, X: Data, function: Callable[[Array], Array], output: Output) -> Any:
        """Return all columns, computed from kept variables of any kind, or write them to a file.

        Parameters
        ----------
        X : object
            The kept variables: in memory, in files, in blocks of rows, or in a Dask collection.
        function : callable
            Returns all columns, given the kept variables of rows.
        output : path or None
            The file to write; None to return the result.
        """
        check_is_fitted(self)
        check_output(X, output)
        model, kept = self.model_, self.get_feature_names_out()

        def decode(Z: Any) -> Array:
            checked = check_array(
                by_name(as_given(Z), kept),
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

    def save(self, path: str | os.PathLike[str], *, moments: bool | None = None) -> None:
        """Write the fitted estimator to a file, which `gramian.load` reads.

        The file holds numbers and names, but neither training rows nor code.

        Parameters
        ----------
        path : path
            The file; by convention its name ends in .gram.
        moments : bool, optional
            True if the moments of the functions are written, too; without moments, explanations
            need rows. By default moments are written if they take at most 1 MB.

        See Also
        --------
        gramian.models.save : Writes an estimator together with its preprocessing.
        """
        import gramian  # looked up when called: models are a room above estimators

        gramian.models.save(self, path, moments=moments)


def issue_warnings(model: AnyModel) -> None:
    """Issue the warnings about a fit, before the estimator takes over the model.

    If the user turns warnings into errors, the estimator stays as it was before the fit.
    """
    for caution in model.cautions:
        category, text = warning_of(caution)
        warnings.warn(text, category, stacklevel=_outside())


def attributes_of(model: SteppedModel) -> dict[str, Any]:
    """Return the fitted attributes of an estimator that keeps variables step by step, by name."""
    record = model.record
    return {
        **({} if model.gaps is None else {"gaps_": model.gaps}),
        "model_": model,
        "n_features_in_": model.n_columns,
        "n_samples_": record.n_rows,
        "mean_": model.mean,
        "residual_variance_": record.largest,
        "total_residual_variance_": record.total,
        "explained_variance_ratio_": -np.diff(record.total) / (record.total[0] or 1.0),
        "degrees_of_freedom_": record.degrees_of_freedom,
        "n_functions_": record.n_kept,
        "n_dropped_functions_": record.n_dropped,
        "stop_reason_": record.stop_reason,
        "solver_": record.solver,
        "orthogonality_loss_": record.orthogonality_loss,
    }


def replace_fitted(estimator: BaseEstimator, attributes: Mapping[str, Any]) -> None:
    """Replace all fitted attributes (names that end in _) at once.

    Attributes of an earlier fit are removed. The parameters of the fit are kept, too: `set_params`
    may change those of the estimator.
    """
    kept = {
        name: value
        for name, value in vars(estimator).items()
        if name.startswith("_") or not name.endswith("_")
    }
    parameters = {"_parameters_of_fit": estimator.get_params(deep=False)}
    estimator.__dict__ = {**kept, **parameters, **attributes}


def parameters_set(estimator: BaseEstimator) -> dict[str, Any]:
    """Return the parameters of the fit that differ from their default, by name."""
    defaults = inspect.signature(type(estimator)).parameters
    found = {}
    for name, value in vars(estimator)["_parameters_of_fit"].items():
        default = defaults[name].default
        if value is not default and (type(value) is not type(default) or value != default):
            found[name] = value
    return found


def _outside() -> int:
    """Return the stack level of the nearest caller outside gramian, for `warnings.warn`."""
    level, frame = 0, inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").startswith("gramian."):
        level, frame = level + 1, frame.f_back
    return level
