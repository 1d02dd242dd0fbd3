"""Cost of a fit, estimated before it starts: functions, memory and time."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cache
from typing import Literal

import numpy as np

from gramian._support.blas import add_product
from gramian._support.types import Array
from gramian._support.words import counted, data_size, duration
from gramian.core.elimination import CHEAP, FEW, LARGE, MAX_FUNCTIONS, MOST_OF_ROWS, PENALTIES
from gramian.core.gain import KEPT_BYTES
from gramian.core.rows import CACHE_BYTES, DENSE_BELOW, MATRIX_COLUMNS
from gramian.core.sums import GATHERING_COST, monomials, plain_cost, tables_for_step
from gramian.families import Family, no_levels

EXCHANGES = 6
"""Approximate number of candidates in a search with exchanges, for each candidate without."""
ITERATIONS = 500.0
"""Number of multiplications per entry of the covariance for a leading eigenvector."""
PRODUCTS = 100.0
"""Number of products with a vector for a leading eigenvector of an operator."""
SLOWER = 10.0
"""Ratio of the times of a multiplication that waits for memory and of one that does not wait.
Products of sparse matrices and of vectors wait."""
COPIES = 5
"""Number of arrays of shape (functions, columns) at the end of a fit."""


@dataclass(frozen=True)
class Cost:
    """Estimated cost of a fit, which `estimate_cost` returns.

    Attributes
    ----------
    n_steps : int
        The number of directions or features.
    n_functions : int
        The number of functions, including the constant, if none is dropped.
    memory : int
        The bytes that the fit needs, without the given table.
    seconds : float
        The time, from the speed of matrix products on this machine. It is right within a factor of
        about two for fits that take seconds or longer.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian import GFR
    >>> cost = GFR(20, degree=3).estimate_cost(np.empty((10_000, 100)))
    >>> cost.n_steps, cost.n_functions
    (20, 1351)
    >>> cost.memory < 2**30  # less than 1 GiB
    True
    """

    n_steps: int
    n_functions: int
    memory: int
    seconds: float

    def __str__(self) -> str:
        return (
            f"{counted(self.n_steps, 'step')}: {counted(self.n_functions, 'function')}, "
            f"{data_size(self.memory)}, about {duration(self.seconds)}"
        )


def estimate(
    family: Family,
    n_rows: int,
    n_columns: int,
    n_steps: int,
    *,
    solver: Literal["auto", "qr", "gram", "moments"],
    covariance: bool,
    n_penalties: int = 1,
    n_stored: int | None = None,
    n_candidates: int = 0,
    exchange: bool = False,
    eliminates: bool = False,
    beam: int = 1,
) -> Cost:
    """Estimate the functions, the memory and the time of a fit.

    Parameters
    ----------
    family : Family
        The functions.
    n_rows, n_columns, n_steps : int
        The numbers of rows, columns and steps.
    solver : str
        The solver; "auto" is the cheaper of "gram" and "moments" at each step.
    covariance : bool
        True if the algorithm needs the covariance of the columns, not only their variances.
    n_penalties : int, default=1
        The number of penalties; each has a factor of its own.
    n_stored : int, optional
        The number of entries of a sparse matrix, whose covariance is an operator.
    n_candidates, exchange, beam : int, bool, int
        The parameters of a search for columns by gain, which comes before the fit.
    eliminates : bool, default=False
        True if an elimination, which begins with all columns, comes before the fit.
    """
    expansion = family.expand()
    shape = monomials(family) if solver in ("auto", "moments") else None
    size = n_rows * n_columns if n_stored is None else n_stored
    operator = covariance and n_stored is not None and n_columns > MATRIX_COLUMNS
    work = 2.0 * size
    if covariance and not operator:
        per_entry = n_columns if n_columns < DENSE_BELOW else ITERATIONS
        work += n_columns**2 * (n_rows / 2 + n_steps * per_entry)
    n, new = 1, 0
    for step in range(n_steps):
        block = expansion.grow(no_levels)
        new = block.n_functions
        work += new * size
        if solver == "qr":
            work += n_rows * new * (4 * n + 2 * new)
        else:
            costs = [] if solver == "moments" else [n_rows * plain_cost(n, new)]
            if shape is not None:
                plan = tables_for_step(*shape, step, block)
                costs.append(n_rows * plan.cost + GATHERING_COST * new * (n + new))
            work += min(costs) + n_penalties * new * (n * n / 2 + n * n_columns)
        if operator:
            work += SLOWER * PRODUCTS * (2 * size + 2 * n * n_columns)
        work += new * n_columns**2 / 2 if covariance and not operator else new * n_columns
        if n_candidates and new > 1:
            every = min(n_columns, n_candidates) * (1 + exchange * EXCHANGES)
            every *= 1 + beam if exchange and beam > 1 else 1
            # New products of this step, and the factor of all functions. Most products of
            # monomials are known.
            others = new * new if monomials(family) is None else 0
            work += every * (n_rows * (n + n_columns + others) + new * n * (n + n_columns))
        n += new

    memory = size + ((1 + n_penalties) * n_columns**2 if covariance and not operator else 0)
    memory += n_penalties * (n * n // 2 + n * n_columns)
    memory += min(KEPT_BYTES // 8, n_candidates * new * (n + n_columns))
    if n_stored is not None:
        memory += COPIES * n * n_columns
    if solver == "qr":
        memory += n_rows * (3 * min(n, n_rows) // 2 + expansion.n_store + 2 * new)
    else:
        memory += 4 * n * new + n_rows * n_steps
        memory += min(CACHE_BYTES // 8, n_rows * n)
    if eliminates:
        before, kept = _elimination(family, n_rows, n_columns, n_steps)
        work, memory = work + before, max(memory, size + kept)
    return Cost(n_steps, n, 8 * memory, work / _multiplications_per_second())


def _elimination(family: Family, n_rows: int, n_columns: int, n_kept: int) -> tuple[float, int]:
    """Return the cost of dropping columns until `n_kept` remain.

    The two values are the number of multiplications, and the number of stored numbers.
    """
    n = _n_at_first(family, n_rows, n_columns)
    n_penalties = 1 if n <= FEW * n_rows else len(PENALTIES)
    block = n / n_columns * min(2.0, n_columns)  # functions that involve a column, at degree 2
    gone = n_columns - n_kept
    n_last = n * (n_kept / n_columns) ** 2
    # The sums, an inverse, a downdate for every dropped column, and the check at the end.
    work = n_rows * n**2 / 2 + n_penalties * (n**3 / 2 + gone * block * n**2 / 3)
    work += n_rows * n_last**2
    if n_rows * n**2 <= CHEAP:  # a leave-one-out check before each column is dropped
        work += n_penalties * gone * n_rows * (n**2 + n_last**2) / 2
    return work, (1 if n > LARGE else 3) * n * n


def _n_at_first(family: Family, n_rows: int, n_columns: int) -> int:
    """Return the number of functions with which an elimination of columns begins.

    They are the functions of all columns, or of as many columns as the number of rows allows.
    """
    most = min(MAX_FUNCTIONS, int(MOST_OF_ROWS * n_rows))
    expansion, n = family.expand(), 0
    for column in range(n_columns):
        new = expansion.grow(no_levels).n_functions
        if n + new + n_columns - column - 1 > most:
            return n + n_columns - column
        n += new
    return n


@cache
def _multiplications_per_second() -> float:
    """Return the speed of matrix products, measured at the first call."""
    a: Array = np.full((1000, 1000), 0.5)
    out = np.zeros_like(a)
    best = np.inf
    for _ in range(3):
        start = time.perf_counter()
        add_product(out, a, a)
        best = min(best, time.perf_counter() - start)
    return float(a.shape[0] ** 3 / best)
