"""Tables with gaps: which rows a fit uses, and what is filled in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from gramian._support.types import Array
from gramian.families import Family, at_most

ENOUGH = 1.25
"""Complete rows are enough if they are at least this many times the functions. Rows that are left
out one by one judge what is redundant, so that too few rows make nothing redundant that is not."""
MOST_ROWS = 20_000
"""Functions that fill gaps are fitted to at most this many rows,"""
MOST_WORK = 3e8
"""and to no more than this number divided by the third power of the number of columns."""
ROWS_A_COLUMN = 5
"""If these are fewer than this many times the columns, gaps are filled from a plane."""


@dataclass(frozen=True)
class Gaps:
    """What was done about missing values (NaN): the attribute `gaps_` of estimators.

    Attributes
    ----------
    n_rows : int
        The rows of the table.
    n_complete : int
        Those without a missing value.
    n_filled : int
        The cells that were filled in by functions of the others in their row; 0 where complete
        rows were enough, and no others were used.

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
                f"{self.n_rows:,} rows were filled in by functions of the others"
            )
        return (
            f"{self.n_complete:,} of {self.n_rows:,} rows were used: those without missing values"
        )


def has_gaps(table: Array) -> bool:
    """Return whether values are missing."""
    # a sum is cheaper than to look at every value
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isnan(table.sum())) and bool(np.isnan(table).any())


def present_only(rows: Array) -> Array:
    """Put 0 where values are missing."""
    return np.nan_to_num(rows, nan=0.0, posinf=np.inf, neginf=-np.inf) if has_gaps(rows) else rows


class EmptyColumnError(ValueError):
    """Columns have no value in any row.

    Parameters
    ----------
    columns : sequence of int
        Which.
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
"""Makes rows with gaps rows without, perhaps fewer, and returns their weights, too."""


@dataclass(frozen=True)
class OnlyComplete:
    """Leaves out rows with gaps."""

    def __call__(self, x: Array, weights: Array | None) -> tuple[Array, Array | None]:
        """Return the complete rows, and their weights."""
        complete = ~np.isnan(x).any(axis=1)
        return x[complete], None if weights is None else weights[complete]


@dataclass(frozen=True)
class FilledIn:
    """Fills gaps; of rows without any value nothing is known, and they are left out."""

    fill: Callable[[Array], Array]

    def __call__(self, x: Array, weights: Array | None) -> tuple[Array, Array | None]:
        """Return the rows that have any values, filled, and their weights."""
        some = ~np.isnan(x).all(axis=1)
        if some.any():
            x = self.fill(x[some])
        return x if some.any() else x[:0], None if weights is None else weights[some]


@dataclass(frozen=True)
class GapTally:
    """How much of some rows is there."""

    n_rows: int
    n_complete: int
    n_missing: int
    """Missing cells, those of rows without any value not counted."""
    ends: Array
    """The least value of each column and the negative of the largest; infinite without any."""
    complete_ends: Array
    """The same of complete rows."""

    @classmethod
    def of(cls, x: Array) -> GapTally:
        """Count."""
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
        """Whether some column varies in all rows, but not in the complete ones."""
        low, high = self.ends[0], -self.ends[1]
        least, most = self.complete_ends[0], -self.complete_ends[1]
        return bool(((least >= most) & (low < high)).any())


def add_tallies(tallies: Iterable[GapTally]) -> GapTally:
    """Count all rows together."""
    return reduce(GapTally.__add__, tallies)


def completion(
    tally: GapTally,
    families: Sequence[Family],
    names: Sequence[str] | None,
    sample: Callable[[float], Array],
) -> tuple[Completion, Gaps]:
    """Decide what to do about gaps: only complete rows if they are enough, else fill them all.

    Parameters
    ----------
    tally : GapTally
        What there is.
    families : sequence of Family
        Which functions of all columns are fitted. Complete rows must be more.
    names : sequence of str or None
        The names of the columns, for messages.
    sample : callable
        Returns about a given share of the rows, chosen at random; all of them if it is 1.
    """
    empty = np.flatnonzero(np.isposinf(tally.ends[0])).tolist()
    if empty:
        raise EmptyColumnError(empty, names)
    n_columns = tally.ends.shape[1]
    most = tally.n_complete / ENOUGH - 1  # the constant is one of the functions
    enough = most >= n_columns and all(at_most(each, n_columns, most) for each in families)
    if enough and not tally.varies_less:
        return OnlyComplete(), Gaps(tally.n_rows, tally.n_complete, 0)
    fill = _fit_filler(sample, tally.n_rows, n_columns)
    return FilledIn(fill), Gaps(tally.n_rows, tally.n_complete, tally.n_missing)


def _fit_filler(
    sample: Callable[[float], Array], n_rows: int, n_columns: int
) -> Callable[[Array], Array]:
    """Fit what fills gaps, to no more rows than it needs."""
    from gramian.core.imputation import fit_plane
    from gramian.estimators import GramianImputer

    affordable = MOST_WORK / n_columns**3
    wide = affordable < min(n_rows, ROWS_A_COLUMN * n_columns)
    most = MOST_ROWS if wide else min(MOST_ROWS, affordable)
    rows = sample(min(1.0, most / n_rows))
    rows = rows[~np.isnan(rows).all(axis=1)]
    return fit_plane(rows).transform if wide else GramianImputer().fit(rows).transform
