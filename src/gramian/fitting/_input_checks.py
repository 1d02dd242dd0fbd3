"""Checks of the data that a user gives to a fit, or to a fitted estimator."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from numbers import Integral
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from gramian._support.given_data import as_given
from gramian._support.scikit_learn import check_sample_weight
from gramian._support.types import Array
from gramian._support.words import plural, the_columns
from gramian.core.rows import TableSource, as_source, is_dask, read_into_memory
from gramian.fitting._blockwise import source_of, weights_of, without_columns
from gramian.fitting._checked_data import ArrayData, CheckedData, DaskData, StreamData
from gramian.fitting._gaps import OnlyComplete, has_gaps
from gramian.fitting._groups import (
    checked_groups,
    named_labels,
    refuse_groups_of_dask,
    refuse_groups_of_stream,
)
from gramian.fitting._held_out_rows import Weighted
from gramian.tables import DEFAULT_BUDGET

ValidationData = ArrayLike | tuple[ArrayLike, ArrayLike | None] | None
"""Rows to hold out, or a pair of rows and weights."""


def check_data(
    estimator: BaseEstimator,
    X: Any,
    sample_weight: Any,
    validation_data: ValidationData = None,
    memory_budget: int | None = None,
    groups: Any = None,
) -> CheckedData:
    """Check the data that a user gives to a fit, and return them; the estimator stays unchanged.

    Parameters
    ----------
    estimator : estimator
        The estimator, whose name is in messages.
    X : array, data frame, sparse matrix, files, blocks of rows, or Dask collection
        The data.
    sample_weight : array, str or Dask array, optional
        Weights, or the column that holds them.
    validation_data : array, or pair of arrays, optional
        Rows to hold out, and their weights.
    memory_budget : int, optional
        The largest number of bytes for rows of files and Dask collections.
    groups : array or str, optional
        Labels of the rows, or the column that holds them: rows of equal label are left out
        together.
    """
    X = as_given(X)
    names: Sequence[str] | None
    columns = copy(estimator)  # scikit-learn's checks set attributes
    budget = DEFAULT_BUDGET if memory_budget is None else int(memory_budget)
    source = None
    if is_dask(X):
        refuse_groups_of_dask(groups)
        names = _names_of_dask(X, sample_weight)
        n_columns = X.shape[1] if names is None else len(names)
        _note_columns(columns, names, n_columns)
        validation = _check_validation_data(columns, validation_data)
        names = None if names is None else tuple(names)
        return DaskData(names, n_columns, validation, X, sample_weight, budget)
    source = as_source(X, sample_weight, groups if isinstance(groups, str) else None)
    if source is not None:
        if not source.fits(budget):
            refuse_groups_of_stream(groups, source)
            _note_columns(columns, source.names, source.n_columns)
            validation = _check_validation_data(columns, validation_data)
            names = None if source.names is None else tuple(source.names)
            return StreamData(names, source.n_columns, validation, source, budget)
        X, sample_weight = read_into_memory(source)
        if isinstance(groups, str) and isinstance(source, TableSource):
            groups = source.labels()
    else:
        labels, others = named_labels(X, groups), without_columns(X, sample_weight, groups)
        if isinstance(sample_weight, str):
            sample_weight = weights_of(X, sample_weight)
        X, groups = others, labels
    table = _checked(columns, X, ensure_min_samples=2)
    names = getattr(columns, "feature_names_in_", None)
    if source is not None:
        names = source.names
        _note_columns(columns, names, source.n_columns)
    weights = None if sample_weight is None else check_weights(sample_weight, table)
    validation = _check_validation_data(columns, validation_data)
    names = None if names is None else tuple(names)
    numbers = checked_groups(groups, table.shape[0])
    return ArrayData(names, table.shape[1], validation, table, weights, numbers)


def _checked(columns: BaseEstimator, X: Any, **options: Any) -> Any:
    """Check a table by scikit-learn; an error names the columns that hold no numbers.

    Parameters
    ----------
    columns : estimator
        Receives the number and the names of the columns as attributes.
    X : object
        The table.
    **options : object
        Options of scikit-learn's `validate_data`.
    """
    try:
        return _validated(columns, X, dtype=np.float64, **options)
    except (ValueError, TypeError) as error:
        text = _columns_without_numbers(X)
        if not text:
            raise
        names = the_columns(text)
        raise type(error)(
            f"{names[0].upper()}{names[1:]} {plural(len(text), 'holds', 'hold')} values that are "
            f"not numbers ({error}). Leave them out, or encode them first; gramian.relations and "
            "gramian.select take them as they are."
        ) from error


def _columns_without_numbers(X: Any) -> list[str]:
    """Return the names of the columns of a data frame that hold no numbers."""
    if not hasattr(X, "columns") or not hasattr(X, "__getitem__"):
        return []
    found = []
    for name in getattr(X, "column_names", X.columns):  # PyArrow's `columns` are data
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
            "The number of rows is not known in advance. Give an array of the same shape, for "
            "example np.empty((n_rows, n_columns)), which takes no memory."
        )
    return int(shape[0]), int(shape[1])


def check_rows(
    estimator: BaseEstimator, X: ArrayLike, *, gaps: bool = False, at_least: int = 1
) -> Any:
    """Check rows against a fitted estimator; sparse rows stay sparse if it takes them.

    Parameters
    ----------
    estimator : estimator
        The estimator.
    X : array-like of shape (n_rows, n_columns)
        The rows.
    gaps : bool, default=False
        True if values may be missing.
    at_least : int, default=1
        The least number of rows; 0 for a partition, which may be empty.
    """
    check_is_fitted(estimator)
    return _validated(
        estimator,
        X,
        gaps=gaps,
        dtype=[np.float64, np.float32],
        ensure_min_samples=at_least,
        reset=False,
    )


def check_in_memory(X: Any, name: str) -> None:
    """Raise an error if the data are files or blocks of rows: a table in memory is needed.

    Parameters
    ----------
    X : object
        The data that the user gave.
    name : str
        The name of the data, for the message.
    """
    if source_of(X) is not None:
        raise TypeError(
            f"{name} must be a table in memory, such as an array or a data frame. Read files "
            "first, for example with pandas.read_csv or pandas.read_parquet."
        )


def only_complete(table: Any, weights: Array | None, name: str) -> tuple[Any, Array | None]:
    """Return the rows without missing values, and the weights of these rows.

    Parameters
    ----------
    table : array of shape (n_rows, n_columns), or sparse matrix
        The rows.
    weights : array of shape (n_rows,), or None
        The weights of the rows.
    name : str
        The name of the rows, for messages.
    """
    if issparse(table) or not has_gaps(table):
        return table, weights
    rows, left = OnlyComplete()(table, weights)
    if not len(rows):
        raise ValueError(
            f"Each of the {len(table):,} rows of {name} lacks a value, and complete rows are "
            "needed. Fill gaps first, for example with gramian.GramianImputer, or give other rows."
        )
    return rows, left


def finite_but_gaps(X: Any) -> Literal["allow-nan", True]:
    """Return the value of scikit-learn's option `ensure_all_finite` for a table.

    It allows missing values (NaN), but not in sparse matrices, and no infinite values.
    """
    return True if issparse(X) else "allow-nan"


def _validated(estimator: BaseEstimator, X: Any, *, gaps: bool = True, **options: Any) -> Any:
    """Check a table by scikit-learn; sparse tables pass if the estimator takes them."""
    return validate_data(
        estimator,
        as_given(X),
        accept_sparse="csr" if get_tags(estimator).input_tags.sparse else False,
        ensure_all_finite=finite_but_gaps(X) if gaps else True,
        **options,
    )


def check_weights(sample_weight: ArrayLike, table: Any, at_least: int = 2) -> Array:
    """Return checked weights of the rows of `table`; negative weights are an error.

    At least `at_least` weights must be positive.
    """
    weights: Array = check_sample_weight(
        sample_weight, table, dtype=np.float64, ensure_non_negative=True
    )
    if np.count_nonzero(weights) < at_least:
        raise ValueError(f"sample_weight must be positive for at least {at_least} of the samples.")
    return weights


def _note_columns(columns: Any, names: Sequence[str] | None, n_columns: int) -> None:
    """Set `n_features_in_` and `feature_names_in_` on an object, as scikit-learn does."""
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
    check_in_memory(X, "validation_data")
    table = _validated(columns, X, dtype=np.float64, reset=False)
    weights = None if sample_weight is None else check_weights(sample_weight, table, at_least=1)
    found: Weighted = only_complete(table, weights, "validation_data")
    if found[1] is not None and not found[1].any():
        raise ValueError("The rows of validation_data without missing values have no weight.")
    return found
