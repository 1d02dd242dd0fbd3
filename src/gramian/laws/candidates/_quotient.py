"""Quotients: divides a column by powers of other columns that multiply its whole formula."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from gramian._support.types import Array

GRID = 2
"""The exponents of divisors are multiples of 1 / GRID."""
EXPONENT_DISTANCE = 0.35
"""Exponents are tried up to this distance from the slope of a regression of logarithms."""
LARGEST_QUOTIENT_EXPONENT = 6
"""Largest absolute exponent of a column by which another column is divided."""
N_FUNCTIONS = 120
"""Largest number of smooth functions in a basis."""
SMOOTH_DEGREE = 6
"""Largest degree of the polynomials that are the smooth functions of a basis."""
AS_GOOD = 1.3
"""A column becomes a divisor only if the residual grows by at most this factor."""
NO_RESIDUAL = 1e-12
"""A residual of at most this share of the norm of the column counts as zero."""


@dataclass(frozen=True)
class Quotient:
    """A column divided by powers of other columns."""

    values: Array
    """Values of the quotient, one for each row."""
    exponents: dict[int, Fraction]
    """For each column that is a divisor, its exponent."""
    rest: list[int]
    """Indices of the columns that the quotient may depend on; they are not divisors."""
    left: float
    """Norm of the residual if smooth functions of `rest`, times the divisors, fit the column.

    The norm is a share of the norm of the column.
    """


def smooth(
    x: Array, positive: Sequence[bool], columns: Sequence[int], weights: Array | None = None
) -> Array:
    """Return an orthonormal basis of polynomials in columns, or in logarithms of columns.

    Parameters
    ----------
    x : array of shape (n_rows, n_columns)
        The table.
    positive : sequence of bool
        True for each column that is replaced by its logarithm.
    columns : sequence of int
        Indices of the columns that the polynomials depend on.
    weights : array of shape (n_rows,), optional
        Row weights, by which each polynomial is multiplied.
    """
    functions = [np.ones(len(x))]
    if columns:
        z = np.column_stack([np.log(x[:, i]) if positive[i] else x[:, i] for i in columns])
        low, high = z.min(axis=0), z.max(axis=0)
        z = 2 * (z - low) / np.where(high > low, high - low, 1.0) - 1
        limit = min(N_FUNCTIONS, len(x) // 5)
        degree = 1
        while degree < SMOOTH_DEGREE and math.comb(len(columns) + degree + 1, degree + 1) <= limit:
            degree += 1
        last = [(functions[0], 0)]
        for _ in range(degree):
            last = [
                (values * z[:, j], j) for values, start in last for j in range(start, z.shape[1])
            ]
            functions += [values for values, _ in last]
    matrix = np.column_stack(functions)
    if weights is not None:
        matrix *= weights[:, np.newaxis]
    basis: Array = np.linalg.qr(matrix)[0]
    return basis


def unexplained(basis: Array, target: Array) -> float:
    """Return the norm of the residual of `target` on an orthonormal basis.

    The norm is a share of the norm of `target`.
    """
    rest = target - basis @ (basis.T @ target)
    return float(np.linalg.norm(rest) / np.linalg.norm(target))


def slopes(
    x: Array, positive: Sequence[bool], y: Array, columns: Sequence[int]
) -> dict[int, float]:
    """Regress log |y| on the logarithms of the positive columns, and return each column's slope.

    Parameters
    ----------
    x : array of shape (n_rows, n_columns)
        The table.
    positive : sequence of bool
        True for each column whose values are all positive.
    y : array of shape (n_rows,)
        The values whose logarithm is fitted.
    columns : sequence of int
        Indices of the columns to use.
    """
    there = np.abs(y) > 0
    which = [i for i in columns if positive[i]]
    logs = np.log(x[there][:, which])
    design = np.column_stack([np.ones(len(logs)), logs])
    found = np.linalg.lstsq(design, np.log(np.abs(y[there])), rcond=None)[0]
    return dict(zip(which, found[1:].tolist(), strict=True))


def left_by_functions(
    x: Array, positive: Sequence[bool], target: int, columns: Sequence[int]
) -> float:
    """Return the share of the column `target` that smooth functions of `columns` do not fit.

    The share is the residual divided by the standard deviation. If the target is positive, its
    logarithm is also fitted, and the smaller share is returned.
    """
    y = x[:, target]
    basis = smooth(x, positive, columns)
    shares = [unexplained(basis, y) * np.sqrt(np.mean(y**2)) / np.std(y)]
    if positive[target]:
        logs = np.log(y)
        logs = logs - logs.mean()
        if logs.any():
            shares.append(unexplained(basis, logs))
    return float(min(shares))


def divide_out(x: Array, positive: Sequence[bool], target: int, columns: Sequence[int]) -> Quotient:
    """Divide a column by powers of other columns, as long as the fit stays as good.

    If y = x^p g(others), the functions x^p f(others) explain y as well as functions of all columns.

    Parameters
    ----------
    x : array of shape (n_rows, n_columns)
        The table, with columns scaled to a size near 1.
    positive : sequence of bool
        True for each column whose values are all positive.
    target : int
        Index of the column y that is divided.
    columns : sequence of int
        Indices of the columns that may be divisors.
    """
    y = x[:, target]
    rest = list(columns)
    left = unexplained(smooth(x, positive, rest), y)
    exponents: dict[int, Fraction] = {}
    divisor = np.ones(len(y))
    while rest:
        best: tuple[float, int, Fraction] | None = None
        for k, slope in slopes(x, positive, y / divisor, rest).items():
            others = [i for i in rest if i != k]
            for exponent in _near(slope):
                weights = divisor * x[:, k] ** float(exponent)
                share = unexplained(smooth(x, positive, others, weights), y)
                if best is None or share < best[0]:
                    best = (share, k, exponent)
        if best is None or best[0] > max(AS_GOOD * left, NO_RESIDUAL):
            break
        left, k = min(best[0], left), best[1]
        exponents[k] = best[2]
        divisor = divisor * x[:, k] ** float(best[2])
        rest.remove(k)
    return Quotient(y / divisor, exponents, rest, left)


def _near(slope: float) -> list[Fraction]:
    """Return the exponents to try: multiples of 1 / GRID near `slope`, not 0 and not too large."""
    lowest, highest = (
        math.ceil(GRID * (slope - EXPONENT_DISTANCE)),
        math.floor(GRID * (slope + EXPONENT_DISTANCE)),
    )
    found = [Fraction(i, GRID) for i in range(lowest, highest + 1)]
    return [each for each in found if each and abs(each) <= LARGEST_QUOTIENT_EXPONENT]
