"""How few columns, or components of PCA, stand for all numbers of a table, on rows held out."""

from __future__ import annotations

import warnings
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from gramian._support.blas import threads_for
from gramian._support.types import Array, IntArray
from gramian._support.words import counted, listed, plural
from gramian.estimators import GFS
from gramian.formulas import quote
from gramian.tables import Table, as_array, is_number

MAX_ROWS, MAX_COLUMNS = 1_000, 60
"""Largest number of rows and columns of numbers that are compared."""
LEAST_ROWS, LEAST_COLUMNS = 60, 4
"""With fewer rows or columns there is nothing to compare."""
STEPS = 12
"""Largest number of columns or components."""
ENOUGH = 0.99
"""The list ends with the first columns that explain this share."""
HELD_OUT = 3
"""One row of this many is held out."""
SEED = 0


@dataclass(frozen=True)
class FewColumns:
    """Shares of the variance of held-out rows that few columns, or components, explain."""

    columns: tuple[str, ...]
    """The columns, in the order of choice."""
    by_columns: tuple[float, ...]
    """The share that the first column explains, the first two with their product, and so on."""
    by_components: tuple[float, ...]
    """The share that one, two, ... components of PCA explain."""
    n_columns: int
    """The number of all columns of numbers."""
    n_rows: int
    """The number of rows of the comparison."""
    counters: tuple[str, ...] = ()
    """Columns that count the rows, which are left out."""
    n_not_compared: int = 0
    """The number of columns of numbers beyond `MAX_COLUMNS`."""

    @property
    def ends(self) -> str:
        """Why the list of columns ends, as a sentence."""
        n, enough = len(self.columns), f"{100 * ENOUGH:.0f} %"
        if self.by_columns[-1] >= ENOUGH:
            return f"The list ends where the columns explain {enough}."
        if n == self.n_columns - 1:
            return "The list ends with all columns but one."
        if n == STEPS:
            others = counted(self.n_columns - n, "other column")
            return (
                f"The list ends after {n} columns, which do not explain {enough}; {others} follow."
            )
        return "The list ends where no further column explains more."

    @property
    def without(self) -> str:
        """Which columns were left out, as sentences; empty if none was."""
        found = []
        if self.counters:
            verbs = plural(len(self.counters), "counts the rows, and is", "count the rows, and are")
            found.append(f"{listed(self.counters, len(self.counters), quote)} {verbs} left out.")
        if n := self.n_not_compared:
            further = counted(n, "further column")
            found.append(f"{further} {plural(n, 'was', 'were')} not compared.")
        return " ".join(found)


def few_columns(table: Table, names: Collection[str], without: IntArray) -> FewColumns | None:
    """Compare few columns with as many components of PCA; None if there is too little to compare.

    Parameters
    ----------
    table : Table
        The table.
    names : collection of str
        Its columns; those of numbers that vary are compared.
    without : array of int
        Rows to leave out, since they break laws.
    """
    kinds, codes = table.columns, table.codes
    every = [name for name in names if is_number(kinds[name]) and name not in codes]
    numbers = every[:MAX_COLUMNS]
    if len(numbers) < LEAST_COLUMNS:
        return None
    rows = as_array(table.read(numbers, at_most=50 * MAX_ROWS))
    counts = [_counts_rows(column) for column in rows.T]
    counters = tuple(name for name, each in zip(numbers, counts, strict=True) if each)
    numbers = [name for name in numbers if name not in counters]
    if len(numbers) < LEAST_COLUMNS:
        return None
    rows = rows[:, ~np.array(counts)]
    there = np.asarray(np.isfinite(rows).all(axis=1))
    there[without[without < len(rows)]] = False
    rows = rows[there]
    random = np.random.default_rng(SEED)
    rows = rows[random.permutation(len(rows))[:MAX_ROWS]]
    if len(rows) < LEAST_ROWS:
        return None
    n = len(rows) // HELD_OUT
    new, old = rows[:n], rows[n:]
    scale = old.std(axis=0)
    vary = scale > 1e-9 * np.abs(old).max(axis=0)
    if int(vary.sum()) < LEAST_COLUMNS:
        return None
    mean = old.mean(axis=0)
    old, new = ((part - mean)[:, vary] / scale[vary] for part in (old, new))
    own = [name for name, keeps in zip(numbers, vary, strict=True) if keeps]
    steps = min(STEPS, len(own) - 1)
    with threads_for(0), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # only shares of held-out rows are shown
        gfs = GFS(steps, degree=2, criterion="gain").fit(old, validation_data=new)
    total = gfs.validation_total_residual_variance_
    shares = 1 - total[1:] / total[0]
    enough = np.flatnonzero(shares >= ENOUGH)
    shares = shares[: enough[0] + 1] if len(enough) else shares
    return FewColumns(
        tuple(own[i] for i in gfs.selected_features_[: len(shares)]),
        tuple(shares.tolist()),
        tuple(shares_of_components(old, new, len(shares))),
        len(own),
        len(rows),
        counters,
        len(every) - len(every[:MAX_COLUMNS]),
    )


def _counts_rows(column: Array) -> bool:
    """Return True for whole numbers that grow by the same number from each row to the next."""
    steps = np.diff(column)
    return bool(
        len(steps)
        and np.isfinite(column).all()
        and (column == np.rint(column)).all()
        and steps[0] > 0
        and (steps == steps[0]).all()
    )


def shares_of_components(old: Array, new: Array, n: int) -> list[float]:
    """Return the shares of the variance of new rows that components of old rows explain.

    Parameters
    ----------
    old, new : array of shape (n_rows, n_columns)
        The rows from which the components come, and those in which the shares are measured.
    n : int
        The largest number of components.
    """
    with threads_for(0):
        _, axes = np.linalg.eigh(old.T @ old)
        along = ((new @ axes[:, ::-1]) ** 2).sum(axis=0)
    return (np.cumsum(along)[:n] / along.sum()).tolist()  # type: ignore[no-any-return]
