"""Rows with wrong cells: rows that break a function of columns which all other rows obey.

One wrong cell in a hundred moves least squares so far that no column is a function of others any
more. So the fit is repeated on the rows near it, until these rows stay (concentration steps, as in
least trimmed squares): one column after the other, on all functions of the other columns.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from gramian._support.types import Array
from gramian.core._tolerances import RIDGE
from gramian.core.elimination._layout import Layout, lay_out
from gramian.core.elimination._left_out_evidence import EXACT_SHARE, Evidence
from gramian.core.rows import centre
from gramian.families import Family

NEAR = 3.0
"""Largest residual of a row on which the next fit is made, in robust standard deviations."""
WRONG = 6.0
"""Smallest residual of a row that breaks the function, in standard deviations of the others."""
PEAKED = 0.6
"""Columns whose residuals have a larger ratio of robust to ordinary variance have no wrong cells.
The ratio is 1 for normal residuals; a few large residuals make it small."""
FALLING = 0.5
"""Least ratio of robust variances, after one fit and before, at which it is worth going on."""
LEAST_VARIANCE = 0.05
"""Least share of its variance in all rows that a column must have in the rows that obey its
function: a column that is zero in most rows is not a function of others."""
CONCENTRATIONS = 20
"""Largest number of fits for a column."""
ROUNDS = 3
"""Largest number of times that all columns are examined."""
ROWS_A_FUNCTION = 3
"""Least number of rows per function."""
MOST_ROWS = 4000
"""Number of rows on which functions are fitted, unless functions are many."""
MOST_VALUES = 2**25
"""Largest number of function values: 256 MB."""
TO_VARIANCE = 2.198
"""Factor from the squared median of |residuals| to the variance of normal residuals."""


def wrong_rows(
    x: Array,
    start: NDArray[np.bool_],
    family: Family,
    *,
    threshold: float,
    most: float,
) -> NDArray[np.bool_]:
    """Return a mask of the rows that break functions of columns which the other rows obey.

    Parameters
    ----------
    x : array of shape (n_rows, n_columns)
        The columns, or other candidates of an elimination.
    start : array of bool, shape (n_rows,)
        Mask of the rows on which the first fits are made.
    family : Family
        The functions.
    threshold : float
        The share of a column's variance that functions of the others may leave.
    most : float
        The largest share of the rows that may break the function of one column.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.core.elimination import wrong_rows
    >>> from gramian.families import Polynomial
    >>> x, y = np.random.default_rng(0).standard_normal((2, 300))
    >>> X = np.column_stack([x, y, x * y])
    >>> X[[5, 70], 2] *= -1
    >>> every = np.ones(300, dtype=bool)
    >>> np.flatnonzero(wrong_rows(X, every, Polynomial(2), threshold=1e-3, most=0.05))
    array([ 5, 70])
    """
    used, wrong = start.copy(), np.zeros(len(x), dtype=bool)
    rows, centring = centre(x[start], None, "column")
    columns = np.flatnonzero(centring.varies).tolist()
    n_rows = int(start.sum())
    most_functions = min(n_rows / ROWS_A_FUNCTION, MOST_VALUES / len(x))
    layout = lay_out(rows, family, columns, most=most_functions)
    if len(layout.blocks) < len(columns):  # too few rows for all functions
        return wrong
    block = centring.apply(x, None)
    with np.errstate(over="ignore", invalid="ignore"):
        values = (layout.evaluate(block, layout.n_functions)[0] / block.root).T
    if not np.isfinite(values).all():
        return wrong
    search = _Search(values, layout, threshold)
    settled: set[int] = set()
    for _ in range(ROUNDS):
        found = False
        for j in search.suspects(used):
            if j in settled:
                continue
            broken = search.broken(j, used)
            if broken is None or broken.mean() > most:
                continue
            settled.add(j)
            if (broken & ~wrong).any():
                found = True
                wrong |= broken
                used &= ~broken
        if not found:
            break
    return wrong


class _Search:
    """Search for functions that most rows obey.

    Parameters
    ----------
    values : array of shape (n_rows, 1 + n_functions)
        The constant and the functions of a layout.
    layout : Layout
        The functions.
    threshold : float
        The share of a column's variance that functions of the others may leave.
    """

    def __init__(self, values: Array, layout: Layout, threshold: float) -> None:
        self.values = values
        self.layout = layout
        self.threshold = threshold
        self.involves = np.vstack([np.zeros((1, len(layout.columns)), bool), layout.involves])
        self.singles = 1 + layout.singles
        n_rows, n_functions = values.shape
        step = max(1, n_rows // max(MOST_ROWS, ROWS_A_FUNCTION * n_functions))
        self.sample = np.arange(n_rows) % step == 0

    def suspects(self, used: NDArray[np.bool_]) -> Iterator[int]:
        """Yield columns whose residuals on functions of the others are small in most rows only.

        The inverse of the block of the inverse Gram matrix that belongs to the functions of column
        j is the covariance of these functions after all other functions are subtracted.
        """
        functions = self.values[used & self.sample]
        gram = functions.T @ functions / len(functions)
        gram[np.diag_indices_from(gram)] *= 1 + RIDGE
        inverse = np.linalg.inv(gram)
        shares = {}
        for j, single in enumerate(self.singles):
            own = np.flatnonzero(self.involves[:, j])
            unit = (own == single).astype(np.float64)
            weights = np.linalg.solve(inverse[np.ix_(own, own)], unit)
            residuals = functions @ (inverse[:, own] @ weights)
            ordinary = float(np.mean(residuals**2))
            robust = _robust_variance(residuals)
            if robust < PEAKED * ordinary and ordinary > EXACT_SHARE:
                shares[j] = robust
        yield from sorted(shares, key=shares.__getitem__)

    def broken(self, j: int, used: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
        """Return a mask of the rows that break the function of column j that others obey.

        Return None if there is no such function.

        Parameters
        ----------
        j : int
            The number of the column in the layout.
        used : array of bool
            Mask of the rows in which functions may be fitted.
        """
        others = self.values[:, ~self.involves[:, j]]
        y = self.values[:, self.singles[j]]
        fitted, scale = used & self.sample, float(np.var(y[used]))
        last = None
        residuals = y
        for step in range(CONCENTRATIONS):
            coefficients = _solve(others[fitted], y[fitted])
            residuals = y - others @ coefficients
            sigma = max(_robust_variance(residuals[used]), EXACT_SHARE * scale)
            # Wrong cells hide a function from the first fit, but not from the next ones.
            if step > 1 and last is not None and sigma > max(FALLING * last, self.threshold):
                return None
            last = sigma if sigma > self.threshold else None
            near = used & self.sample & (np.abs(residuals) <= NEAR * np.sqrt(sigma))
            if (near == fitted).all():
                break
            fitted = near
        return self._judged(residuals, y, used, others.shape[1])

    def _judged(
        self, residuals: Array, y: Array, used: NDArray[np.bool_], n_functions: int
    ) -> NDArray[np.bool_] | None:
        """Return a mask of the rows that break a function; None if the others do not obey it.

        Parameters
        ----------
        residuals : array of shape (n_rows,)
            The residuals of the last fit.
        y : array of shape (n_rows,)
            The column.
        used : array of bool
            Mask of the rows in which functions may be fitted.
        n_functions : int
            The number of functions of the fit.
        """
        scale = float(np.var(y[used]))
        sigma = np.sqrt(max(_robust_variance(residuals[used]), EXACT_SHARE * scale))
        broken = np.abs(residuals) > WRONG * sigma
        obey = used & ~broken
        variance = float(np.var(y[obey])) if obey.any() else 0.0
        if variance < LEAST_VARIANCE * float(np.var(y)):
            return None
        share = float(np.mean(residuals[obey] ** 2)) / variance
        evidence = Evidence(float((obey & self.sample).sum()), self.threshold)
        return broken if evidence.on_new_rows(share, n_functions) <= self.threshold else None


def _robust_variance(residuals: Array) -> float:
    """Return the variance of normal residuals with the same median of absolute values."""
    return float(TO_VARIANCE * np.median(np.abs(residuals)) ** 2)


def _solve(functions: Array, y: Array) -> Array:
    """Return the coefficients of least squares."""
    gram = functions.T @ functions
    gram[np.diag_indices_from(gram)] *= 1 + RIDGE
    try:
        factor = cho_factor(gram, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        return np.asarray(np.linalg.lstsq(functions, y, rcond=None)[0])
    return np.asarray(cho_solve(factor, functions.T @ y, check_finite=False))
