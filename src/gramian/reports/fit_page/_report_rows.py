"""Rows that a report is about: numbers in memory, or a random sample if there are many rows."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from gramian._support.given_data import as_given
from gramian._support.types import Array
from gramian._support.words import names_or_numbers
from gramian.core.rows import draw, is_dask, partitions
from gramian.families import Multilinear
from gramian.fitting import GapTally, aligned, completion, has_gaps, source_of
from gramian.models import Preprocessing
from gramian.reports.fit_page._page_text import unique
from gramian.tables import pyarrow

SAMPLE_ROWS = 20_000
"""Largest number of rows for slow computations (PCA, formulas, directions). If the data have more
rows, this many are drawn at random."""
SEED = 0
"""Seed with which the sample of rows is drawn, so that a report can be repeated."""


@dataclass(frozen=True)
class ReportRows:
    """The data that a report is about: names of columns, numbers, and counts of rows."""

    names: list[str]
    """Names of the columns, all different, in the form that the page shows."""
    sample: Array
    """At most `SAMPLE_ROWS` rows, without missing values, as numbers that the estimator takes."""
    n_rows: int
    """Number of all rows in the data of the user."""
    n_complete: int
    """Number of rows from which `sample` was drawn: those that were read and have no gap, or whose
    gaps were filled."""
    n_described: int
    """Number of rows from which statistics of columns are computed; it includes rows with missing
    values."""
    values: Callable[[int], Array]
    """Function from the index of a column to its values, without missing values."""
    preprocessing: Preprocessing | None
    """Steps that turn the table of the user into numbers; None if the data are numbers."""

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return len(self.names)

    @property
    def drawn(self) -> bool:
        """True if the statistics of columns come from a random sample of the rows."""
        return self.n_rows > self.n_described


def gather(estimator: Any, X: Any, preprocessing: Preprocessing | None) -> ReportRows:
    """Read the data of a report, check that they suit the estimator, and draw a sample of rows.

    Parameters
    ----------
    estimator : estimator
        The fitted estimator.
    X : array, data frame, files or Dask collection
        The data of the user.
    preprocessing : Preprocessing or None
        Steps that turn the data into the numbers that the estimator takes.
    """
    if preprocessing is not None:
        return _preprocessed(estimator, X, preprocessing)
    names = _names(estimator, X)
    given, n_rows = _numbers(estimator, X)
    whole = _without_gaps(given)

    def values(i: int) -> Array:
        column = np.asarray(given[:, i], dtype=np.float64)
        return column[~np.isnan(column)]

    return ReportRows(names, some(whole), n_rows, len(whole), len(given), values, None)


def _preprocessed(estimator: Any, X: Any, preprocessing: Preprocessing) -> ReportRows:
    """Read a table of numbers, text or dates, and turn it into numbers by the preprocessing."""
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
        len(table),
        len(keeps),
        values,
        preprocessing,
    )


def _without_gaps(table: Array) -> Array:
    """Return rows without missing values: fill the values or drop the rows, as a fit does.

    Curves and formulas need complete rows.
    """
    if not has_gaps(table):
        return table
    make, _ = completion(GapTally.of(table), [Multilinear(1)], None, lambda share: some(table))
    return make(table, None)[0]


def _drawn(pieces: Iterable[Any]) -> tuple[Any, int]:
    """Draw at most `SAMPLE_ROWS` random rows of a table that comes in pieces.

    Return these rows, and the number of all rows.
    """
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
    """Return the names of the columns from the fit, else from the table X, else x0, x1, ..."""
    names: Sequence[Any] | None = _names_of_fit(estimator)
    if names is None and hasattr(X, "columns") and not hasattr(X, "column_names"):
        names = list(X.columns)
    if names is None or len(names) != estimator.n_features_in_:
        names = names_or_numbers(None, estimator.n_features_in_)
    return unique([str(name) for name in names])


def _names_of_fit(estimator: Any) -> tuple[str, ...] | None:
    """Return the names of the columns in the data of the fit; None if they had no names."""
    names = getattr(estimator, "feature_names_in_", None)
    return None if names is None else tuple(names)


def _numbers(estimator: Any, X: Any) -> tuple[Array, int]:
    """Read data that are numbers; return their rows and the number of all rows.

    From files and Dask collections, at most `SAMPLE_ROWS` random rows are returned.
    """
    if is_dask(X):
        chunks: Iterable[Array] = _chunks_of_dask(estimator, X)
    elif (source := source_of(X)) is not None:
        chunks = (
            chunk.x for chunk in aligned(source, _names_of_fit(estimator), estimator.n_features_in_)
        )
    else:
        if _names_of_fit(estimator) is None and hasattr(X, "columns"):
            X = np.asarray(X)  # with names, scikit-learn would warn that the fit had none
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
        estimator, as_given(X), dtype=dtype, ensure_all_finite="allow-nan", reset=False
    )
    return table


def some(table: Array, n: int = SAMPLE_ROWS) -> Array:
    """Return n rows of a table, drawn at random with a fixed seed; all rows if there are at most n.

    Parameters
    ----------
    table : array of shape (n_rows, n_columns)
        The table.
    n : int, default=20,000
        Number of rows to draw.
    """
    if len(table) <= n:
        return table
    return table[np.sort(np.random.default_rng(SEED).choice(len(table), n, replace=False))]
