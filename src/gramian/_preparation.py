"""From what the user gives to what the pursuit works with: checks, rows held out, centring."""

from __future__ import annotations

import math
import os
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_sample_weight, validate_data

from gramian._types import Array
from gramian._validation import HeldOut
from gramian.families import Family
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

DEFAULT_BUDGET = 2**30
"""Bytes that rows and what belongs to them may take, where they are not in memory anyway."""
MAX_HELD_OUT = 20_000
"""Of a stream about so many rows are held out at most; they are kept in memory."""
DEFAULT_VALIDATION = 0.1
"""The share of rows held out where something is to be chosen by them, and no share is given."""
ValidationData = ArrayLike | tuple[ArrayLike, ArrayLike | None] | None
"""Rows to hold out, or a pair of rows and their weights."""
Scaling = Literal["column", "table"]
"""Whether each column is scaled to variance 1, or all alike."""
RandomState = int | np.random.RandomState | None


@dataclass(frozen=True)
class Problem:
    """Checked data, ready for the pursuit."""

    rows: Rows
    centring: Centring
    held_out: RowBlock | None
    repeated: Sequence[int] | None = None
    """The choices of an earlier fit that are to be made again; of directions only their number."""

    def watch(self, scale: Array | float, n_penalties: int, **options: Any) -> HeldOut | None:
        """Begin to evaluate the fit on the rows held out, if there are any."""
        return (
            None if self.held_out is None else HeldOut(self.held_out, scale, n_penalties, **options)
        )


class Preparation(BaseEstimator):
    """Takes data of all kinds."""

    _count_name: ClassVar[str]
    alpha: float | Literal["auto"]
    validation_fraction: float | None
    early_stopping: bool
    random_state: RandomState
    memory_budget: int | None
    checkpoint: str | os.PathLike[str] | None

    @abstractmethod
    def _family(self) -> Family:
        """Return the family of functions."""

    def _prepare(
        self,
        X: ArrayLike,
        sample_weight: ArrayLike | None,
        validation_data: ValidationData,
        scaling: Scaling,
    ) -> Problem:
        """Check parameters and data, hold rows out, and centre and scale the columns."""
        self._validate_params()
        self._family().rules()  # complains of wrong parameters
        if is_dask(X):
            return self._prepare_dask(X, sample_weight, validation_data, scaling)
        source = as_source(X, sample_weight)
        if source is not None:
            size = 8 * source.n_columns * (source.n_rows or math.inf)
            if size > self._memory_budget / 8:
                return self._prepare_stream(source, validation_data, scaling)
            X, sample_weight = load(source)
        elif isinstance(sample_weight, str):
            X, sample_weight = _take_column(X, sample_weight)
        table: Array = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        if source is not None:
            self._set_columns(source.names, source.n_columns)
        self._check_count()
        weights = self._check_weights(sample_weight, table)
        held_out = self._check_validation_data(validation_data)
        if held_out is None and self._validation_share is not None:
            table, weights, held_out = self._split(table, weights, self._validation_share)
        rows, centring = centre(table, weights, scaling, checksum=self._needs_checksum)
        return self._problem(rows, centring, held_out)

    def _shape(self, X: Any) -> tuple[int, int]:
        """Return the numbers of rows and columns, without reading the data."""
        source = as_source(X)
        shape: Any = np.shape(X) if source is None else (source.n_rows, source.n_columns)
        if len(shape) != 2 or not all(isinstance(size, Integral) for size in shape):
            raise ValueError(
                "The number of rows is not known ahead. Give an array of the same shape, for "
                "example np.empty((n_rows, n_columns)), which takes no memory."
            )
        return int(shape[0]), int(shape[1])

    def _check_count(self) -> None:
        count: Any = getattr(self, self._count_name)
        n_columns = self.n_features_in_
        if isinstance(count, Integral) and int(count) > n_columns:
            raise ValueError(
                f"{self._count_name}={count} is more than the {n_columns} features of X; give at "
                f"most {n_columns}."
            )

    @property
    def _needs_checksum(self) -> bool:
        """Whether rows must be known again: a checkpoint belongs to its data."""
        return self.checkpoint is not None

    @property
    def _memory_budget(self) -> int:
        return DEFAULT_BUDGET if self.memory_budget is None else int(self.memory_budget)

    def _set_columns(self, names: Sequence[str] | None, n_columns: int) -> None:
        """Set what scikit-learn's checks set for arrays."""
        self.n_features_in_ = n_columns
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _split_of(self, n_rows: int | None, validation_data: ValidationData) -> Split | None:
        """Return which rows of a stream are held out; no more than are needed to be sure."""
        share = self._validation_share
        if share is None or validation_data is not None:
            return None
        if n_rows is not None:
            share = min(share, MAX_HELD_OUT / n_rows)
        seed = int(check_random_state(self.random_state).randint(2**31))
        return Split(share, seed, 2 * MAX_HELD_OUT)

    def _prepare_stream(
        self, source: Source, validation_data: ValidationData, scaling: Scaling
    ) -> Problem:
        self._set_columns(source.names, source.n_columns)
        self._check_count()
        split = self._split_of(source.n_rows, validation_data)
        rows, centring, held_out = open_stream(
            source,
            scaling,
            memory_budget=self._memory_budget,
            split=split,
            checksum=self._needs_checksum,
        )
        return self._problem(
            rows, centring, held_out or self._check_validation_data(validation_data)
        )

    def _prepare_dask(
        self, X: Any, sample_weight: Any, validation_data: ValidationData, scaling: Scaling
    ) -> Problem:
        names = [str(name) for name in X.columns] if hasattr(X, "columns") else None
        if names is not None and isinstance(sample_weight, str):
            if sample_weight not in names:
                raise ValueError(f"There is no column {sample_weight!r} to take weights from.")
            names.remove(sample_weight)
        self._set_columns(names, X.shape[1] if names is None else len(names))
        self._check_count()
        n_rows = X.shape[0] if isinstance(X.shape[0], int) else None
        rows, centring, held_out = open_dask(
            X,
            sample_weight,
            scaling,
            memory_budget=self._memory_budget,
            split=self._split_of(n_rows, validation_data),
            checksum=self._needs_checksum,
        )
        return self._problem(
            rows, centring, held_out or self._check_validation_data(validation_data)
        )

    def _problem(
        self, rows: Rows, centring: Centring, held_out: tuple[Array, Array | None] | None
    ) -> Problem:
        self.mean_ = centring.mean
        return Problem(rows, centring, None if held_out is None else centring.apply(*held_out))

    def _check_weights(
        self, sample_weight: ArrayLike | None, table: Array, at_least: int = 2
    ) -> Array | None:
        if sample_weight is None:
            return None
        weights: Array = _check_sample_weight(
            sample_weight, table, dtype=np.float64, ensure_non_negative=True
        )
        if np.count_nonzero(weights) < at_least:
            raise ValueError(
                f"sample_weight must be positive for at least {at_least} of the samples."
            )
        return weights

    def _check_validation_data(
        self, validation_data: ValidationData
    ) -> tuple[Array, Array | None] | None:
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
        table: Array = validate_data(self, X, dtype=np.float64, reset=False)
        return table, self._check_weights(sample_weight, table, at_least=1)

    @property
    def _validation_share(self) -> float | None:
        """The share of rows to hold out, if any are."""
        if self.validation_fraction is None and (self.early_stopping or self.alpha == "auto"):
            return DEFAULT_VALIDATION
        return self.validation_fraction

    def _split(
        self, table: Array, weights: Array | None, share: float
    ) -> tuple[Array, Array | None, tuple[Array, Array | None]]:
        """Hold out a random share of the rows that have a weight."""
        if weights is not None:
            table, weights = table[weights > 0], weights[weights > 0]
        n = math.ceil(share * len(table))
        if len(table) - n < 2:
            raise ValueError(
                f"validation_fraction={share} of {len(table)} samples leaves "
                f"{len(table) - n} to fit; give more samples, a smaller fraction, or "
                "validation_data."
            )
        out = np.zeros(len(table), dtype=bool)
        out[check_random_state(self.random_state).permutation(len(table))[:n]] = True
        if weights is None:
            return table[~out], None, (table[out], None)
        return table[~out], weights[~out], (table[out], weights[out])


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
