"""From what the user gives to what the pursuit works with: checks, rows held out, centring."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from gramian._missing import Gaps, without_gaps
from gramian._sklearn import check_sample_weight
from gramian._types import Array
from gramian._validation import HeldOut
from gramian._words import plural, the_columns
from gramian.families import Family
from gramian.rows import (
    Centring,
    RowBlock,
    Rows,
    Source,
    Split,
    apply_centring,
    as_source,
    centre,
    centre_sparse,
    is_dask,
    load,
    open_dask,
    open_stream,
    written_out,
)
from gramian.tables._table import DEFAULT_BUDGET

MAX_HELD_OUT = 20_000
"""Of a stream about so many rows are held out at most; they are kept in memory."""
ValidationData = ArrayLike | tuple[ArrayLike, ArrayLike | None] | None
"""Rows to hold out, or a pair of rows and their weights."""
RandomState = int | np.random.RandomState | None
Weighted = tuple[Any, Array | None]
"""Rows and their weights."""


@dataclass(frozen=True)
class Preparation:
    """What is done to the columns before the pursuit, and what must be known of them."""

    scaling: Literal["column", "table"]
    """Whether each column gets variance 1, or the most variant one does."""
    counts: bool = False
    """Whether variances are reported for the scaled columns, so that all of them count alike."""
    covariance: bool = False
    """Whether the covariance of the columns is needed."""
    checksum: bool = False
    """Whether rows must be known again: a checkpoint belongs to its data."""


@dataclass(frozen=True)
class HoldOut:
    """Which share of the rows is held out."""

    share: float
    random_state: RandomState


@dataclass(frozen=True)
class Problem:
    """Rows that are ready for the pursuit."""

    names: tuple[str, ...] | None
    rows: Rows
    centring: Centring
    held_out: RowBlock | None
    unit: Array
    """The deviation in reported variances that is 1 in the scaled columns, by column."""
    scale: Array | None
    """What the columns were divided by, if that is what counts."""
    order: Array | None = None
    """The variances of the columns over all rows, where some are held out: columns that are equal
    before that stay so."""

    def watch(self, scale: Array | float, n_penalties: int, **options: Any) -> HeldOut | None:
        """Begin to evaluate the fit on the rows held out, if there are any."""
        return (
            None if self.held_out is None else HeldOut(self.held_out, scale, n_penalties, **options)
        )


@dataclass(frozen=True)
class CheckedData(ABC):
    """Checked data, of which problems are made."""

    names: tuple[str, ...] | None
    n_columns: int
    validation: Weighted | None
    """Rows that the user gave to be held out."""

    def problem(self, preparation: Preparation, hold_out: HoldOut | None) -> Problem:
        """Hold rows out, and centre and scale the columns."""
        if self.validation is not None:
            hold_out = None
        rows, centring, held_out = self._open(preparation, hold_out)
        held_out = self.validation or held_out
        block = None if held_out is None else apply_centring(centring, *held_out)
        unit, scale, order = centring.scale, None, None
        if preparation.counts:
            unit, scale = np.ones_like(unit), unit
        elif hold_out is not None and held_out is not None:
            order = _variances_of_all(rows.n_rows, centring, held_out)
        return Problem(self.names, rows, centring, block, unit, scale, order)

    @property
    @abstractmethod
    def whole(self) -> Any:
        """The table as it is: an array, a source of row blocks, or a Dask collection."""

    @abstractmethod
    def _open(
        self, preparation: Preparation, hold_out: HoldOut | None
    ) -> tuple[Rows, Centring, Weighted | None]:
        """Return the rows, what was done to them, and those that are held out."""


@dataclass(frozen=True)
class ArrayData(CheckedData):
    """A table in memory, as an array or a sparse matrix."""

    table: Any
    weights: Array | None
    gaps: Gaps | None = None
    """What was done about missing values."""

    @property
    def whole(self) -> Array:
        """The rows, written out."""
        table: Array = written_out(self.table)
        return table

    @property
    def has_gaps(self) -> bool:
        """Whether values are missing."""
        return not issparse(self.table) and bool(np.isnan(self.table).any())

    def completed(self, families: Sequence[Family]) -> ArrayData:
        """Return the same without missing values, enough rows for functions of all columns.

        Parameters
        ----------
        families : sequence of Family
            The functions.
        """
        if not self.has_gaps:
            return self
        table, weights, gaps = without_gaps(self.table, self.weights, families, self.names)
        return replace(self, table=table, weights=weights, gaps=gaps)

    def _open(
        self, preparation: Preparation, hold_out: HoldOut | None
    ) -> tuple[Rows, Centring, Weighted | None]:
        if hold_out is None:
            fitted, held_out = (self.table, self.weights), None
        else:
            fitted, held_out = _split(self.table, self.weights, hold_out)
        how: Callable[..., tuple[Rows, Centring]] = (
            centre_sparse if issparse(self.table) else centre
        )
        rows, centring = how(*fitted, preparation.scaling, checksum=preparation.checksum)
        return rows, centring, held_out


@dataclass(frozen=True)
class StreamData(CheckedData):
    """A table that is read block by block."""

    source: Source
    memory_budget: int

    @property
    def whole(self) -> Source:
        """The source."""
        return self.source

    def _open(
        self, preparation: Preparation, hold_out: HoldOut | None
    ) -> tuple[Rows, Centring, Weighted | None]:
        return open_stream(
            self.source,
            preparation.scaling,
            covariance=preparation.covariance,
            checksum=preparation.checksum,
            memory_budget=self.memory_budget,
            split=_split_of_stream(self.source.n_rows, hold_out),
        )


@dataclass(frozen=True)
class DaskData(CheckedData):
    """A Dask array or data frame."""

    collection: Any
    weights: Any
    memory_budget: int

    @property
    def whole(self) -> Any:
        """The columns of the fit."""
        return self.collection if self.names is None else self.collection[list(self.names)]

    def _open(
        self, preparation: Preparation, hold_out: HoldOut | None
    ) -> tuple[Rows, Centring, Weighted | None]:
        n_rows = self.collection.shape[0]
        return open_dask(
            self.collection,
            self.weights,
            preparation.scaling,
            covariance=preparation.covariance,
            checksum=preparation.checksum,
            memory_budget=self.memory_budget,
            split=_split_of_stream(n_rows if isinstance(n_rows, int) else None, hold_out),
        )


def take(
    estimator: BaseEstimator,
    X: Any,
    sample_weight: Any,
    validation_data: ValidationData = None,
    memory_budget: int | None = None,
) -> CheckedData:
    """Check what the user gives to a fit, and leave the estimator as it is.

    Parameters
    ----------
    estimator : estimator
        Its name is in the messages.
    X : array, data frame, sparse matrix, files, blocks of rows, or Dask collection
        The data.
    sample_weight : array, str or Dask array, optional
        Weights, or the column that holds them.
    validation_data : array, or pair of arrays, optional
        Rows to hold out, and their weights.
    memory_budget : int, optional
        Bytes that rows may take that are not in memory.
    """
    names: Sequence[str] | None
    columns = copy(estimator)  # scikit-learn's checks note the columns down
    budget = DEFAULT_BUDGET if memory_budget is None else int(memory_budget)
    source = None
    if is_dask(X):
        names = _names_of_dask(X, sample_weight)
        n_columns = X.shape[1] if names is None else len(names)
        _note_columns(columns, names, n_columns)
        validation = _check_validation_data(columns, validation_data)
        names = None if names is None else tuple(names)
        return DaskData(names, n_columns, validation, X, sample_weight, budget)
    source = as_source(X, sample_weight)
    if source is not None:
        if not source.fits(budget):
            _note_columns(columns, source.names, source.n_columns)
            validation = _check_validation_data(columns, validation_data)
            names = None if source.names is None else tuple(source.names)
            return StreamData(names, source.n_columns, validation, source, budget)
        X, sample_weight = load(source)
    elif isinstance(sample_weight, str):
        X, sample_weight = _take_column(X, sample_weight)
    table = _checked(columns, X, ensure_min_samples=2)
    names = getattr(columns, "feature_names_in_", None)
    if source is not None:
        names = source.names
        _note_columns(columns, names, source.n_columns)
    weights = None if sample_weight is None else check_weights(sample_weight, table)
    validation = _check_validation_data(columns, validation_data)
    names = None if names is None else tuple(names)
    return ArrayData(names, table.shape[1], validation, table, weights)


def _checked(columns: BaseEstimator, X: Any, **options: Any) -> Any:
    """Check a table as scikit-learn does; name the columns that hold no numbers."""
    allow_nan = get_tags(columns).input_tags.allow_nan
    try:
        return validate_data(
            columns,
            X,
            accept_sparse=_sparse(columns),
            dtype=np.float64,
            ensure_all_finite="allow-nan" if allow_nan else True,
            **options,
        )
    except (ValueError, TypeError) as error:
        text = _columns_without_numbers(X)
        if not text:
            raise
        names = the_columns(text)
        raise type(error)(
            f"{names[0].upper()}{names[1:]} {plural(len(text), 'holds', 'hold')} something else "
            f"than numbers ({error}). Leave them out, or encode them first; gramian.relations and "
            "the command gramian select take them as they are."
        ) from error


def _columns_without_numbers(X: Any) -> list[str]:
    """Return the columns of a data frame that are no numbers."""
    if not hasattr(X, "columns") or not hasattr(X, "__getitem__"):
        return []
    found = []
    for name in X.columns:
        try:
            np.asarray(X[name], dtype=np.float64)
        except (TypeError, ValueError):
            found.append(str(name))
    return found


def shape_of(X: Any) -> tuple[int, int]:
    """Return the numbers of rows and columns, without reading the data."""
    source = as_source(X)
    shape: Any = getattr(X, "shape", None) or np.shape(X)
    if source is not None:
        shape = source.n_rows, source.n_columns
    if len(shape) != 2 or not all(isinstance(size, Integral) for size in shape):
        raise ValueError(
            "The number of rows is not known ahead. Give an array of the same shape, for "
            "example np.empty((n_rows, n_columns)), which takes no memory."
        )
    return int(shape[0]), int(shape[1])


def check_rows(estimator: BaseEstimator, X: ArrayLike) -> Any:
    """Check rows against a fitted estimator; they stay sparse where it takes sparse ones."""
    check_is_fitted(estimator)
    return validate_data(
        estimator,
        X,
        accept_sparse=_sparse(estimator),
        dtype=[np.float64, np.float32],
        reset=False,
    )


def _sparse(estimator: BaseEstimator) -> Literal["csr", False]:
    """Return the form in which an estimator takes sparse matrices, if it does."""
    return "csr" if get_tags(estimator).input_tags.sparse else False


def check_weights(sample_weight: ArrayLike, table: Any, at_least: int = 2) -> Array:
    """Check the weights of rows."""
    weights: Array = check_sample_weight(
        sample_weight, table, dtype=np.float64, ensure_non_negative=True
    )
    if np.count_nonzero(weights) < at_least:
        raise ValueError(f"sample_weight must be positive for at least {at_least} of the samples.")
    return weights


def _note_columns(columns: Any, names: Sequence[str] | None, n_columns: int) -> None:
    """Note down what scikit-learn's checks of arrays do."""
    columns.n_features_in_ = n_columns
    if names is not None:
        columns.feature_names_in_ = np.array(names, dtype=object)
    elif hasattr(columns, "feature_names_in_"):
        del columns.feature_names_in_


def _names_of_dask(X: Any, sample_weight: Any) -> list[str] | None:
    if not hasattr(X, "columns"):
        return None
    names = [str(name) for name in X.columns]
    if isinstance(sample_weight, str):
        if sample_weight not in names:
            raise ValueError(f"There is no column {sample_weight!r} to take weights from.")
        names.remove(sample_weight)
    return names


def _check_validation_data(columns: Any, validation_data: ValidationData) -> Weighted | None:
    if validation_data is None:
        return None
    X, sample_weight = validation_data, None
    if isinstance(validation_data, tuple):
        if len(validation_data) != 2:
            raise ValueError(
                "validation_data must be a table or a pair of a table and weights; got a tuple "
                f"of {len(validation_data)}."
            )
        X, sample_weight = validation_data
    table = validate_data(columns, X, accept_sparse=_sparse(columns), dtype=np.float64, reset=False)
    if sample_weight is None:
        return table, None
    return table, check_weights(sample_weight, table, at_least=1)


def _variances_of_all(n_rows: int, centring: Centring, held_out: Weighted) -> Array | None:
    """Return the variances over the rows of the fit and those held out, if they count alike."""
    table, weights = held_out
    if weights is not None:
        return None
    share = n_rows / (n_rows + table.shape[0])
    inner = np.where(centring.varies, centring.scale**2, 0.0)
    if issparse(table):
        block = apply_centring(centring, table, None)
        mean = (1 - share) * centring.scale * block.products(block.root)
        squares = block.residuals(centring.scale).of_columns()
    else:
        others = np.asarray(table, dtype=np.float64) - centring.mean
        mean, squares = (1 - share) * others.mean(axis=0), np.mean(others**2, axis=0)
    both = share * inner + (1 - share) * squares
    variances: Array = np.maximum(both - mean**2, 0.0)
    return variances


def _split(table: Any, weights: Array | None, hold_out: HoldOut) -> tuple[Weighted, Weighted]:
    """Hold out a random share of the rows that have a weight."""
    if weights is not None:
        table, weights = table[weights > 0], weights[weights > 0]
    n_rows = table.shape[0]
    n = math.ceil(hold_out.share * n_rows)
    if n_rows - n < 2:
        raise ValueError(
            f"validation_fraction={hold_out.share} of {n_rows} samples leaves "
            f"{n_rows - n} to fit; give more samples, a smaller fraction, or "
            "validation_data."
        )
    out = np.zeros(n_rows, dtype=bool)
    out[check_random_state(hold_out.random_state).permutation(n_rows)[:n]] = True
    if weights is None:
        return (table[~out], None), (table[out], None)
    return (table[~out], weights[~out]), (table[out], weights[out])


def _split_of_stream(n_rows: int | None, hold_out: HoldOut | None) -> Split | None:
    """Return which rows of a stream are held out; no more than are needed to be sure."""
    if hold_out is None:
        return None
    share = hold_out.share if n_rows is None else min(hold_out.share, MAX_HELD_OUT / n_rows)
    seed = int(check_random_state(hold_out.random_state).randint(2**31))
    return Split(share, seed, 2 * MAX_HELD_OUT)


def _take_column(X: Any, name: str) -> tuple[Any, Any]:
    """Split a data frame into a column and the others."""
    if not hasattr(X, "columns"):
        raise TypeError(
            f"sample_weight={name!r} names a column, and X has no names; give the weights."
        )
    if name not in X.columns:
        raise ValueError(f"There is no column {name!r} to take weights from.")
    others = [column for column in X.columns if column != name]
    return X[others], np.asarray(X[name])
