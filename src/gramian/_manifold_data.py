"""Tables of all kinds that PolynomialManifold is fitted to, with or without some of the rows."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import qr
from sklearn.utils.validation import validate_data

from gramian._sklearn import check_sample_weight
from gramian._types import Array
from gramian.rows import (
    Centring,
    RowBlock,
    Rows,
    Source,
    Split,
    as_source,
    centre,
    is_dask,
    load,
    open_dask,
    open_stream,
)

MAX_HELD_OUT = 20_000
"""Of a stream about so many rows are held out at most; they are kept in memory."""
HeldOut = tuple[Array, Array | None]
"""Rows and their weights."""


@dataclass(frozen=True)
class Opened:
    """Centred rows, and those held out, in the same units."""

    rows: Rows
    centring: Centring
    held_out: RowBlock | None = None


class Table(ABC):
    """What the user gave, checked."""

    names: Sequence[str] | None
    n_columns: int
    axes: Array | None = None
    """An orthonormal basis in which the rows are expressed, by rows, where it is a smaller one."""
    shift: Array | float = 0.0
    """What was subtracted before."""

    @abstractmethod
    def open(self, share: float | None, seed: int) -> Opened:
        """Centre the rows, all of them or without a random share."""


class ArrayTable(Table):
    """Rows in memory; where these are fewer than the columns, in a basis of their span."""

    def __init__(self, x: Array, weights: Array | None, names: Sequence[str] | None = None) -> None:
        if weights is not None:
            x, weights = x[weights > 0], weights[weights > 0]
        self.names, self.n_columns = names, x.shape[1]
        if x.shape[1] > len(x):
            self.shift = x.mean(axis=0)
            x = x - self.shift
            q = qr(x.T, mode="economic", check_finite=False)[0]
            self.axes = np.asarray(q.T, dtype=np.float64, order="C")
            x = x @ self.axes.T
        self._x, self._weights = x, weights

    def open(self, share: float | None, seed: int) -> Opened:
        """Centre the rows, all of them or without a random share."""
        x, weights = self._x, self._weights
        if share is None:
            return Opened(*centre(x, weights, "table"))
        n = math.ceil(share * len(x))
        if len(x) - n < 2:
            raise ValueError(
                f"validation_fraction={share} of {len(x)} samples leaves {len(x) - n} to fit; give "
                "more samples or a smaller fraction, or decide yourself on what is 'auto'."
            )
        out = np.zeros(len(x), dtype=bool)
        out[np.random.RandomState(seed).permutation(len(x))[:n]] = True

        def take(which: Any) -> HeldOut:
            return x[which], None if weights is None else weights[which]

        rows, centring = centre(*take(~out), "table")
        return Opened(rows, centring, centring.apply(*take(out)))


class StreamTable(Table):
    """Rows of files, or of anything else that can be read again and again."""

    def __init__(self, source: Source, budget: int) -> None:
        self.names, self.n_columns = source.names, source.n_columns
        self._source, self._budget = source, budget

    def open(self, share: float | None, seed: int) -> Opened:
        """Centre the rows, all of them or without a random share."""
        split = _split(share, seed, self._source.n_rows)
        opened = open_stream(self._source, "table", memory_budget=self._budget, split=split)
        return _opened(*opened)


class DaskTable(Table):
    """Rows of a Dask collection."""

    def __init__(self, x: Any, weights: Any, budget: int) -> None:
        names = [str(name) for name in x.columns] if hasattr(x, "columns") else None
        if names is not None and isinstance(weights, str):
            if weights not in names:
                raise ValueError(f"There is no column {weights!r} to take weights from.")
            names.remove(weights)
        self.names = names
        self.n_columns = x.shape[1] if names is None else len(names)
        self._x, self._weights, self._budget = x, weights, budget

    def open(self, share: float | None, seed: int) -> Opened:
        """Centre the rows, all of them or without a random share."""
        n_rows = self._x.shape[0] if isinstance(self._x.shape[0], int) else None
        split = _split(share, seed, n_rows)
        opened = open_dask(self._x, self._weights, "table", memory_budget=self._budget, split=split)
        return _opened(*opened)


def _split(share: float | None, seed: int, n_rows: int | None) -> Split | None:
    if share is None:
        return None
    if n_rows is not None:
        share = min(share, MAX_HELD_OUT / n_rows)
    return Split(share, seed, 2 * MAX_HELD_OUT)


def _opened(rows: Rows, centring: Centring, held_out: HeldOut | None) -> Opened:
    return Opened(rows, centring, None if held_out is None else centring.apply(*held_out))


def table_of(estimator: Any, X: Any, sample_weight: Any, budget: int) -> Table:
    """Check data of any kind.

    Parameters
    ----------
    estimator : estimator
        scikit-learn's checks set its `n_features_in_` and `feature_names_in_`.
    X : array-like, files or a Dask collection
        The data.
    sample_weight : array-like, str or Dask array, optional
        The weights, or the name of their column.
    budget : int
        Bytes that rows may take that are not in memory; files of less than an eighth are loaded.
    """
    if is_dask(X):
        return DaskTable(X, sample_weight, budget)
    source = as_source(X, sample_weight)
    if source is not None:
        if 8 * source.n_columns * (source.n_rows or math.inf) > budget / 8:
            return StreamTable(source, budget)
        X, sample_weight = load(source)
    elif isinstance(sample_weight, str):
        X, sample_weight = _take_column(X, sample_weight)
    x: Array = validate_data(estimator, X, dtype=np.float64, ensure_min_samples=2)
    weights: Array | None = None
    if sample_weight is not None:
        weights = check_sample_weight(sample_weight, x, dtype=np.float64, ensure_non_negative=True)
        if np.count_nonzero(weights) < 2:
            raise ValueError("sample_weight must be positive for at least 2 of the samples.")
    names = getattr(estimator, "feature_names_in_", None) if source is None else source.names
    return ArrayTable(x, weights, names)


def _take_column(X: Any, name: str) -> tuple[Any, Any]:
    """Split a data frame into a column and the others."""
    if not hasattr(X, "columns") or name not in X.columns:
        raise ValueError(f"There is no column {name!r} to take weights from.")
    return X[[column for column in X.columns if column != name]], np.asarray(X[name])
