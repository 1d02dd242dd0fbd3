"""Far cells: few cells of a column that lie far beyond its tail and hold most of its variance.

Large values alone are no errors: incomes, counts and file sizes have long tails. So a column is
judged by its own tail. Let d₁ ≥ d₂ ≥ ... be the distances of its cells from the median. In a tail
that falls like a power, i·log(dᵢ/dᵢ₊₁) are independent exponential numbers of one mean (Rényi); in
shorter tails they become smaller towards the end. The mean over the first k of them is compared
with the mean over the next ones, by the F distribution of such a ratio.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtrc

from gramian._support.types import Array

MOST_FAR = 0.02
"""Largest share of the cells of a column that are far."""
LEVEL = 1e-5
"""Probability that far cells are found in any column of a table, although all tails are powers."""
SUSPECTED = 1e-2
"""Probability of far cells in one column, once another column of the table has far cells."""
DECIDING = 0.5
"""Least share of the squared distances of a column that its far cells have."""
SHORTEST_TAIL = 0.25
"""Smallest mean exponential number of a tail. Columns of few values have no tail to measure."""
FEWEST = 8
"""Smallest number of cells that show the tail without the far cells."""
USUAL = 20
"""Number of cells that show the tail, if the table is large enough."""
MODERATE = 5.0
"""Largest distance from the median, in robust standard deviations, of a moderate cell."""
TO_DEVIATION = 1.4826
"""Factor from the median distance to the standard deviation of normal numbers."""
STRIP = 256
"""Number of cells that are compared at once, side by side: short rows take more time."""


class Tail(NamedTuple):
    """Distances of far cells of a column from its median, if it has far cells."""

    median: float
    probability: float
    """Probability of so far cells, if they belonged to the tail."""
    cut: float
    """Distance above which cells are far."""
    share: float
    """Share of the squared distances that far cells have."""


def far_rows(table: Array) -> NDArray[np.bool_] | None:
    """Return a mask of the rows with far cells; None if no column has far cells that decide.

    Far cells of a column decide if they have more than half of its squared distances from the
    median: they are then what a variance measures. Missing values are not far.

    Parameters
    ----------
    table : array of shape (n_rows, n_columns)
        The rows, of which none is a copy of another.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.core.rows import far_rows
    >>> X = np.random.default_rng(0).standard_normal((500, 3))
    >>> far_rows(X) is None
    True
    >>> X[7, 1] = 1e6
    >>> np.flatnonzero(far_rows(X))
    array([7])
    """
    n_columns = table.shape[1]
    suspects = spread_out(table)
    tails = {j: tail_of(table[:, j]) for j in np.flatnonzero(suspects).tolist()}
    if not any(
        each.probability < LEVEL / n_columns and each.share > DECIDING for each in tails.values()
    ):
        return None
    found = np.zeros(len(table), dtype=bool)
    for j in range(n_columns):
        tail = tails[j] if j in tails else tail_of(table[:, j])
        if tail.probability < SUSPECTED:
            found |= np.abs(table[:, j] - tail.median) > tail.cut
    return found


def spread_out(table: Array) -> NDArray[np.bool_]:
    """Return a mask of the columns that may have far cells that decide.

    If a share `MOST_FAR` of the cells has half of the squared distances, the largest squared
    distance is at least so many variances. Columns with missing values are always in the mask.
    """
    n_rows, n_columns = table.shape
    width = max(1, STRIP // n_columns)
    n_whole = n_rows - n_rows % width
    strips = table[:n_whole].reshape(-1, width * n_columns) if n_whole else table[:0]
    with np.errstate(over="ignore", invalid="ignore"):
        low, high, sums, squares = (
            _joined(reduce, strips, table[n_whole:], n_columns)
            for reduce in (np.minimum, np.maximum, np.add, None)
        )
        mean = sums / n_rows
        variance = squares / n_rows - mean**2
        largest = np.maximum(high - mean, mean - low)
        # Variances of columns far from zero are rounding errors: then a closer look decides.
        rounded = variance <= 1e-10 * mean**2
        least = DECIDING * n_rows / _most_far(n_rows)
        found: NDArray[np.bool_] = ~(largest**2 < least * variance) | rounded
    return np.asarray(found & (high != low))


def _joined(reduce: np.ufunc | None, strips: Array, rest: Array, n_columns: int) -> Array:
    """Reduce strips of several rows side by side, and the other rows, to one number a column.

    Parameters
    ----------
    reduce : ufunc or None
        The function that reduces; None for the sum of squares.
    strips : array of shape (n_strips, width * n_columns)
        Rows, several side by side.
    rest : array of shape (n_other_rows, n_columns)
        The other rows.
    n_columns : int
        The number of columns.
    """
    parts = [part for part in (strips, rest) if len(part)]
    if reduce is None:
        found = [np.einsum("ij,ij->j", part, part).reshape(-1, n_columns) for part in parts]
        return np.asarray(np.concatenate(found).sum(axis=0, dtype=np.float64))
    found = [reduce.reduce(part, axis=0).reshape(-1, n_columns) for part in parts]
    return np.asarray(reduce.reduce(np.concatenate(found), axis=0).astype(np.float64))


def _most_far(n_rows: int) -> int:
    """Return the largest number of far cells of a column."""
    return max(1, int(np.ceil(MOST_FAR * n_rows)))


def tail_of(values: Array) -> Tail:
    """Return the far cells of a column: those whose distances least belong to the tail.

    Parameters
    ----------
    values : array of shape (n_rows,)
        The column. Missing values are left out.
    """
    values = values[~np.isnan(values)].astype(np.float64, copy=False)
    n = len(values)
    nothing = Tail(0.0, 1.0, np.inf, 0.0)
    most = _most_far(n)
    size = min(n // 2, most + max(USUAL, 2 * most) + 1)
    if size < FEWEST + 2:
        return nothing
    median = float(np.median(values))
    distances = np.abs(values - median)
    top = np.sort(np.partition(distances, n - size)[n - size :])[::-1]
    top = top[top > 0]
    counts = np.arange(1, min(most, len(top) - 1 - FEWEST) + 1)
    if not len(counts):
        return nothing
    logs = _log_distances(top)
    numbers = np.arange(1, len(top)) * -np.diff(logs)
    sums = np.concatenate([[0.0], np.cumsum(numbers)])
    others = np.minimum(max(USUAL, 2 * most), len(top) - 1 - counts)
    usual = np.maximum((sums[counts + others] - sums[counts]) / others, SHORTEST_TAIL)
    probability = fdtrc(2.0 * counts, 2.0 * others, sums[counts] / counts / usual)
    probability[top[counts - 1] == top[counts]] = 1.0
    best = int(np.argmin(probability))
    far, near = top[best], top[best + 1]
    scaled = distances / top[0]  # squares stay in the range of float64
    share = float(np.sum(scaled[distances >= far] ** 2) / np.sum(scaled**2))
    return Tail(median, float(probability[best]), float((far + near) / 2), share)


def _log_distances(top: Array) -> Array:
    """Return logarithms of distances in descending order, equal distances spread evenly.

    Equal distances come from rounding, as in counts. They are spread down to the next smaller
    distance, the smallest down to its half.
    """
    _, first, counts = np.unique(-top, return_index=True, return_counts=True)
    logs = np.log(top[first])
    steps = np.append(logs[:-1] - logs[1:], np.log(2.0))
    group = np.repeat(np.arange(len(first)), counts)
    share = (np.arange(len(top)) - first[group]) / counts[group]
    return np.asarray(logs[group] - steps[group] * share)


def moderate_rows(table: Array, least_share: float) -> NDArray[np.bool_]:
    """Return a mask of the rows in which no cell is far from the median of its column.

    Distances are divided by their median; in a column with mostly equal values, by the median of
    those that are not zero. Missing values are moderate.

    Parameters
    ----------
    table : array of shape (n_rows, n_columns)
        The rows.
    least_share : float
        Least share of the rows in the mask: if there are fewer, more distant cells are moderate.
    """
    gaps = bool(np.isnan(table).any())
    median = np.nanmedian if gaps else np.median
    distances = np.abs(table - median(table, axis=0))
    units = median(distances, axis=0)
    for j in np.flatnonzero(~(units > 0)).tolist():
        positive = distances[distances[:, j] > 0, j]
        units[j] = np.median(positive) if len(positive) else 1.0
    distances /= TO_DEVIATION * units
    largest = np.nan_to_num(distances, copy=False).max(axis=1)
    limit = max(MODERATE, float(np.quantile(largest, least_share)))
    return np.asarray(largest <= limit)
