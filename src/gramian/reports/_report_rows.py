"""Rows of a report: numbers in memory, of a random sample if there are many rows."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from gramian._support.types import Array
from gramian._support.words import names_or_numbers
from gramian.core.rows import draw, is_dask, partitions
from gramian.families import Multilinear
from gramian.fitting import GapTally, aligned, completion, has_gaps, source_of
from gramian.models import Preprocessing
from gramian.reports._page_text import unique
from gramian.tables import pyarrow

SAMPLE_ROWS = 20_000
"""Largest number of rows for slow steps (PCA, formulas, directions); of more, some are drawn."""
SEED = 0
"""Seed of the random sample of rows."""


@dataclass(frozen=True)
class ReportRows:
    """The rows that a report is about."""

    names: list[str]
    sample: Array
    """Numbers that the estimator takes, of at most `SAMPLE_ROWS` rows."""
    n_rows: int
    """Number of rows that the user gave."""
    n_described: int
    """Number of rows for statistics of columns, rows with missing values included."""
    values: Callable[[int], Array]
    """Function of an index: values of that column as given, without missing values."""
    preprocessing: Preprocessing | None

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return len(self.names)

    @property
    def drawn(self) -> bool:
        """True if only a sample of the rows was read."""
        return self.n_rows > self.n_described


def gather(estimator: Any, X: Any, preprocessing: Preprocessing | None) -> ReportRows:
    """Check the rows against the estimator, and draw a sample if there are many.

    Parameters
    ----------
    estimator : estimator
        The fitted estimator.
    X : array, data frame, files or Dask collection
        The rows.
    preprocessing : Preprocessing or None
        Steps from the rows to the numbers that the estimator takes.
    """
    if preprocessing is not None:
        return _preprocessed(estimator, X, preprocessing)
    names = _names(estimator, X)
    given, n_rows = _numbers(estimator, X)
    sample = some(_without_gaps(given))

    def values(i: int) -> Array:
        column = np.asarray(given[:, i], dtype=np.float64)
        return column[~np.isnan(column)]

    return ReportRows(names, sample, n_rows, len(given), values, None)


def _preprocessed(estimator: Any, X: Any, preprocessing: Preprocessing) -> ReportRows:
    if isinstance(X, str | os.PathLike) or is_dask(X):
        raise TypeError(
            "With preprocessing, X is a table in memory, a data frame or a mapping of columns, or "
            "a function that returns pieces of one. Read the file first, for example with pandas."
        )
    n_rows = None
    if callable(X):
        X, n_rows = _drawn(X())
    names = [str(name) for name in preprocessing.columns]
    if len(names) != estimator.n_features_in_:
        raise ValueError(
            f"The preprocessing gives {len(names)} columns, and {type(estimator).__name__} was "
            f"fitted to {estimator.n_features_in_}: they do not belong together."
        )
    table, keeps = preprocessing.apply_and_keep(X)
    table = _without_gaps(table)
    if not len(table):
        raise ValueError("Every row of X has a missing value.")

    def values(i: int) -> Array:
        name = preprocessing.columns[i]
        alone = replace(preprocessing.only([name]), missing="drop", impute=None, ids=(), targets=())
        return alone.apply(X)[:, 0]

    return ReportRows(
        unique(names),
        some(table),
        len(keeps) if n_rows is None else n_rows,
        len(keeps),
        values,
        preprocessing,
    )


def _without_gaps(table: Array) -> Array:
    """Fill or drop missing values as a fit does: curves and formulas need complete rows."""
    if not has_gaps(table):
        return table
    make, _ = completion(GapTally.of(table), [Multilinear(1)], None, lambda share: some(table))
    return make(table, None)[0]


def _drawn(pieces: Iterable[Any]) -> tuple[Any, int]:
    """Draw rows of a table that comes in pieces; return also its number of rows."""
    arrow = pyarrow()
    found: tuple[Any, int] = draw(
        pieces,
        SAMPLE_ROWS,
        SEED,
        lambda piece, mask: piece.filter(arrow.array(mask)),
        arrow.concat_tables,
    )
    return found


def _names(estimator: Any, X: Any) -> list[str]:
    """Return the names of the columns: of the fit, or of the table, or x0, x1, ..."""
    names: Sequence[Any] | None = _names_of_fit(estimator)
    if names is None and hasattr(X, "columns") and not hasattr(X, "column_names"):
        names = list(X.columns)
    if names is None or len(names) != estimator.n_features_in_:
        names = names_or_numbers(None, estimator.n_features_in_)
    return unique([str(name) for name in names])


def _names_of_fit(estimator: Any) -> tuple[str, ...] | None:
    """Return the names of the columns that the estimator was fitted to, if they had names."""
    names = getattr(estimator, "feature_names_in_", None)
    return None if names is None else tuple(names)


def _numbers(estimator: Any, X: Any) -> tuple[Array, int]:
    """Return rows, or a sample of many rows, and the number of all rows."""
    if is_dask(X):
        chunks: Iterable[Array] = _chunks_of_dask(estimator, X)
    elif (source := source_of(X)) is not None:
        chunks = (
            chunk.x for chunk in aligned(source, _names_of_fit(estimator), estimator.n_features_in_)
        )
    else:
        if _names_of_fit(estimator) is None and hasattr(X, "columns"):
            X = np.asarray(X)  # scikit-learn would warn of names that the fit did not have
        table = _checked(estimator, X, [np.float64, np.float32])
        return table, len(table)
    nothing = np.empty((0, estimator.n_features_in_))
    found: tuple[Array, int] = draw(
        chain([nothing], chunks), SAMPLE_ROWS, SEED, lambda chunk, mask: chunk[mask], np.concatenate
    )
    return found


def _chunks_of_dask(estimator: Any, X: Any) -> Iterator[Array]:
    for rows in partitions(X):
        if len(rows):
            yield _checked(estimator, rows, np.float64)


def _checked(estimator: Any, X: Any, dtype: Any) -> Array:
    table: Array = validate_data(
        estimator, X, dtype=dtype, ensure_all_finite="allow-nan", reset=False
    )
    return table


def some(table: Array, n: int = SAMPLE_ROWS) -> Array:
    """Draw n rows at random with a fixed seed; return all rows if there are at most n.

    Parameters
    ----------
    table : array of shape (n_rows, n_columns)
        The rows.
    n : int, default=20,000
        Number of rows.
    """
    if len(table) <= n:
        return table
    return table[np.sort(np.random.default_rng(SEED).choice(len(table), n, replace=False))]
