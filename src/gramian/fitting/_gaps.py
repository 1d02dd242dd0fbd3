"""Missing values: a fit uses complete rows only, or fills the missing cells."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from gramian._support.types import Array
from gramian._support.words import names_or_numbers
from gramian.core.imputation import fit_imputation, fit_plane
from gramian.families import Family, at_most

ENOUGH = 1.25
"""Least ratio of complete rows to functions at which complete rows alone are used. A ratio near 1
is safe: redundancy is judged on left-out rows, so that too few rows make no column redundant."""
MOST_ROWS = 20_000
"""Largest number of rows to which the imputation is fitted."""
MOST_WORK = 3e8
"""Largest number of rows times cubed number of columns for which the imputation is fitted."""
ROWS_A_COLUMN = 5
"""Least number of rows per column for the imputation; with fewer, a plane fills gaps."""


@dataclass(frozen=True)
class Gaps:
    """Treatment of missing values (NaN) in a fit: the attribute `gaps_` of estimators.

    Attributes
    ----------
    n_rows : int
        The number of rows of the table.
    n_complete : int
        The number of rows without a missing value.
    n_filled : int
        The number of cells that were filled in by functions of the other cells of their row; 0 if
        only complete rows were used.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian import GFS
    >>> z = np.random.default_rng(0).uniform(1, 2, (500, 2))
    >>> X = np.column_stack([z, z[:, 0] * z[:, 1]])
    >>> X[:20, 1] = np.nan
    >>> gaps = GFS(2).fit(X).gaps_
    >>> gaps.n_rows, gaps.n_complete, gaps.n_filled
    (500, 480, 0)
    >>> print(gaps)
    480 of 500 rows were used: those without missing values
    """

    n_rows: int
    n_complete: int
    n_filled: int

    def __str__(self) -> str:
        if self.n_filled:
            return (
                f"{self.n_filled:,} missing cells in {self.n_rows - self.n_complete:,} of "
                f"{self.n_rows:,} rows were filled in by functions of the other cells"
            )
        return (
            f"{self.n_complete:,} of {self.n_rows:,} rows were used: those without missing values"
        )


def has_gaps(table: Array) -> bool:
    """Return True if any value is missing."""
    # A sum is faster than a test of every value.
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isnan(table.sum())) and bool(np.isnan(table).any())


def present_only(rows: Array) -> Array:
    """Return the rows with 0 in place of missing values."""
    return np.nan_to_num(rows, nan=0.0, posinf=np.inf, neginf=-np.inf) if has_gaps(rows) else rows


class EmptyColumnError(ValueError):
    """Error for columns that have no value in any row.

    Parameters
    ----------
    columns : sequence of int
        The indices of the empty columns.
    names : sequence of str or None
        The names of all columns.
    """

    def __init__(self, columns: Sequence[int], names: Sequence[str] | None) -> None:
        self.columns = tuple(columns)
        name = str(columns[0]) if names is None else repr(names[columns[0]])
        super().__init__(
            f"Column {name} has no value in any row, so nothing is known about it. Leave it out."
        )


Completion = Callable[[Array, Array | None], tuple[Array, Array | None]]
"""Function from rows with gaps and their weights to rows without gaps and their weights."""


@dataclass(frozen=True)
class OnlyComplete:
    """Function that drops rows with missing values."""

    def __call__(self, x: Array, weights: Array | None) -> tuple[Array, Array | None]:
        """Return the complete rows and their weights."""
        complete = ~np.isnan(x).any(axis=1)
        return x[complete], None if weights is None else weights[complete]


@dataclass(frozen=True)
class FilledIn:
    """Function that fills missing values, and drops rows without any value."""

    fill: Callable[[Array], Array]
    """Function from rows with gaps to rows without gaps."""

    def __call__(self, x: Array, weights: Array | None) -> tuple[Array, Array | None]:
        """Return the filled rows and their weights."""
        some = ~np.isnan(x).all(axis=1)
        if some.any():
            x = self.fill(x[some])
        return x if some.any() else x[:0], None if weights is None else weights[some]


@dataclass(frozen=True)
class GapTally:
    """Numbers of rows and missing cells, and the ranges of the columns."""

    n_rows: int
    n_complete: int
    n_missing: int
    """Number of missing cells; rows without any value are not counted."""
    ends: Array
    """Least value of each column, and negative of the largest; infinite for an empty column."""
    complete_ends: Array
    """Least values and negatives of the largest values, over complete rows only."""

    @classmethod
    def of(cls, x: Array) -> GapTally:
        """Count the rows and missing cells of a table."""
        absent = np.isnan(x)
        complete = ~absent.any(axis=1)
        some = ~absent.all(axis=1)
        with np.errstate(invalid="ignore"):
            ends = np.array([np.where(absent, np.inf, each) for each in (x, -x)])
        return cls(
            len(x),
            int(complete.sum()),
            int(absent[some].sum()),
            ends.min(axis=1, initial=np.inf),
            ends[:, complete].min(axis=1, initial=np.inf),
        )

    def __add__(self, other: GapTally) -> GapTally:
        return GapTally(
            self.n_rows + other.n_rows,
            self.n_complete + other.n_complete,
            self.n_missing + other.n_missing,
            np.minimum(self.ends, other.ends),
            np.minimum(self.complete_ends, other.complete_ends),
        )

    @property
    def varies_less(self) -> bool:
        """True if a column varies in all rows, but not in the rows without missing values."""
        low, high = self.ends[0], -self.ends[1]
        least, most = self.complete_ends[0], -self.complete_ends[1]
        return bool(((least >= most) & (low < high)).any())


def add_tallies(tallies: Iterable[GapTally]) -> GapTally:
    """Return the numbers for a whole table, given the numbers for its parts."""
    return reduce(GapTally.__add__, tallies)


def completion(
    tally: GapTally,
    families: Sequence[Family],
    names: Sequence[str] | None,
    sample: Callable[[float], Array],
) -> tuple[Completion, Gaps]:
    """Decide how to complete rows: use complete rows only if they are enough, otherwise fill gaps.

    Parameters
    ----------
    tally : GapTally
        The counts of rows and missing cells.
    families : sequence of Family
        The families that are fitted. Complete rows are enough if they outnumber the functions of
        all columns, see `ENOUGH`.
    names : sequence of str or None
        The names of the columns, for messages.
    sample : callable
        Function from a share to about that share of the rows, chosen at random.

    Returns
    -------
    completion : Completion
        The function that completes rows.
    gaps : Gaps
        The numbers to report.
    """
    empty = np.flatnonzero(np.isposinf(tally.ends[0])).tolist()
    if empty:
        raise EmptyColumnError(empty, names)
    n_columns = tally.ends.shape[1]
    most = tally.n_complete / ENOUGH - 1  # the constant is one of the functions
    enough = most >= n_columns and all(at_most(each, n_columns, most) for each in families)
    if enough and not tally.varies_less:
        return OnlyComplete(), Gaps(tally.n_rows, tally.n_complete, 0)
    fill = _fit_filler(sample, tally.n_rows, names_or_numbers(names, n_columns))
    return FilledIn(fill), Gaps(tally.n_rows, tally.n_complete, tally.n_missing)


def _fit_filler(
    sample: Callable[[float], Array], n_rows: int, names: list[str]
) -> Callable[[Array], Array]:
    """Fit a function that fills missing values, to a random sample if there are many rows.

    Parameters
    ----------
    sample : callable
        Function from a share to about that share of the rows, chosen at random.
    n_rows : int
        The number of all rows.
    names : list of str
        The names of the columns, for messages.
    """
    affordable = MOST_WORK / len(names) ** 3
    wide = affordable < min(n_rows, ROWS_A_COLUMN * len(names))
    most = MOST_ROWS if wide else min(MOST_ROWS, affordable)
    rows = sample(min(1.0, most / n_rows))
    rows = rows[~np.isnan(rows).all(axis=1)]
    if len(rows) < 2:
        raise ValueError(
            f"{len(rows)} of {n_rows} rows have any value, and at least two are needed to fill "
            "gaps. Give more rows."
        )
    return fit_plane(rows).transform if wide else fit_imputation(rows, names).fill
