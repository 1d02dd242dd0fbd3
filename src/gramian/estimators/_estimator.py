"""What every estimator does: take over a fitted model, apply it to data of any kind, write it."""

from __future__ import annotations

import inspect
import os
import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

from gramian._support.scikit_learn import container_of
from gramian._support.types import Array
from gramian.core.rows import Source, is_dask, partitions
from gramian.estimators._summary import FittedSummary
from gramian.estimators._warning_texts import warning_of
from gramian.fitting import (
    AnyModel,
    Output,
    aligned,
    apply_blockwise,
    check_output,
    check_rows,
    lazily,
    source_of,
    without_weights,
)
from gramian.tables import Chunk

Data = Any
"""An array or data frame, files, blocks of rows, or a Dask collection."""
M = TypeVar("M", bound=AnyModel)


class Estimator(FittedSummary, TransformerMixin, BaseEstimator, Generic[M]):
    """An estimator around one immutable model."""

    model_: M

    def _become(self, model: M) -> None:
        """Take over all that a fit found, at once; what an earlier fit had is gone."""
        names = {} if model.names is None else {"feature_names_in_": np.array(model.names, object)}
        replace_fitted(self, {**self._attributes(model), **names})

    @abstractmethod
    def _attributes(self, model: M) -> dict[str, Any]:
        """Return the fitted attributes."""

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
            What else `fit` takes, such as `sample_weight`.

        Returns
        -------
        Z : array
            What `transform` returns.
        """
        self._check_output(X, output)
        self.fit(X, y, **fit_params)
        X = without_weights(X, fit_params.get("sample_weight"))
        return self.transform(X) if output is None else self.transform(X, output=output)

    def _check_output(self, X: Data, output: Output) -> None:
        """Find out, before any work is done, whether `transform` can write a file."""
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
        """Apply a function from rows to what is kept of them to data of any kind."""
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

    def save(self, path: str | os.PathLike[str], *, moments: bool | None = None) -> None:
        """Write the fitted estimator to a file, which `gramian.load` reads.

        The file has numbers and names in it, and neither training rows nor a program.

        Parameters
        ----------
        path : path
            The file; by convention its name ends in .gram.
        moments : bool, optional
            Whether to write the moments of the functions, too; without them, explanations need
            rows. By default they are written if they take at most 1 MB.

        See Also
        --------
        gramian.models.save : The same, with preprocessing.
        """
        from gramian.models import save  # which imports the estimators

        save(self, path, moments=moments)

    def _warn(self, model: M) -> None:
        """Warn of each caution about a fit. If warnings are errors, the first one is raised."""
        for caution in model.cautions:
            category, text = warning_of(caution)
            warnings.warn(text, category, stacklevel=_outside())


def replace_fitted(estimator: BaseEstimator, attributes: Mapping[str, Any]) -> None:
    """Let the attributes of a fit take the place of those of an earlier one, all at once."""
    kept = {
        name: value
        for name, value in vars(estimator).items()
        if name.startswith("_") or not name.endswith("_")
    }
    estimator.__dict__ = {**kept, **attributes}


def parameters_set(estimator: BaseEstimator) -> dict[str, Any]:
    """Return the parameters that are not the default."""
    defaults = inspect.signature(type(estimator)).parameters
    found = {}
    for name, value in estimator.get_params(deep=False).items():
        default = defaults[name].default
        if value is not default and (type(value) is not type(default) or value != default):
            found[name] = value
    return found


def _outside() -> int:
    """Return the stack level of the nearest caller outside the package, for its warnings."""
    level, frame = 0, inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__", "").startswith("gramian."):
        level, frame = level + 1, frame.f_back
    return level
