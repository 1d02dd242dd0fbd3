"""Quotients: a column divided by powers of columns that multiply the whole law."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from gramian._support.types import Array

GRID = 2
"""Exponents are multiples of 1 / GRID."""
EXPONENT_DISTANCE = 0.35
"""Largest distance of an exponent from the slope of a regression of logarithms."""
LARGEST_QUOTIENT_EXPONENT = 6
"""Largest absolute exponent."""
N_FUNCTIONS = 120
"""Largest number of smooth functions."""
SMOOTH_DEGREE = 6
"""Largest degree of smooth functions."""
AS_GOOD = 1.3
"""Factor by which dividing a column out may increase the residual."""
NO_RESIDUAL = 1e-12
"""Residual that counts as zero, as a share of the size of the column."""


@dataclass(frozen=True)
class Quotient:
    """A column divided by powers of other columns."""

    values: Array
    exponents: dict[int, Fraction]
    rest: list[int]
    """The columns that the quotient depends on."""
    left: float
    """Root mean square residual of smooth functions of `rest`, as a share of the quotient."""


def smooth(
    x: Array, positive: Sequence[bool], columns: Sequence[int], weights: Array | None = None
) -> Array:
    """Return an orthonormal basis of smooth functions: polynomials in the logarithms of columns.

    Parameters
    ----------
    x : array of shape (n_rows, n_columns)
        The table.
    positive : sequence of bool
        True for columns that enter by their logarithms.
    columns : sequence of int
        The columns.
    weights : array of shape (n_rows,), optional
        Factors of all functions.
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
    """Return the norm of the residual of a target, as a share of the norm of the target."""
    rest = target - basis @ (basis.T @ target)
    return float(np.linalg.norm(rest) / np.linalg.norm(target))


def slopes(
    x: Array, positive: Sequence[bool], y: Array, columns: Sequence[int]
) -> dict[int, float]:
    """Return the slopes of the logarithm of a target by the logarithms of positive columns."""
    there = np.abs(y) > 0
    which = [i for i in columns if positive[i]]
    logs = np.log(x[there][:, which])
    design = np.column_stack([np.ones(len(logs)), logs])
    found = np.linalg.lstsq(design, np.log(np.abs(y[there])), rcond=None)[0]
    return dict(zip(which, found[1:].tolist(), strict=True))


def left_by_functions(
    x: Array, positive: Sequence[bool], target: int, columns: Sequence[int]
) -> float:
    """Return the residual of a column by smooth functions, as a share of its deviation."""
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
    """Divide a column by powers of others, as long as the remaining columns explain it as well.

    If y = x^p g(others), the functions x^p f(others) explain y as well as functions of all columns.

    Parameters
    ----------
    x : array of shape (n_rows, n_columns)
        The table, each column of unit size.
    positive : sequence of bool
        True for positive columns.
    target : int
        The column.
    columns : sequence of int
        The other columns.
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
    """Return the exponents near a slope."""
    lowest, highest = (
        math.ceil(GRID * (slope - EXPONENT_DISTANCE)),
        math.floor(GRID * (slope + EXPONENT_DISTANCE)),
    )
    found = [Fraction(i, GRID) for i in range(lowest, highest + 1)]
    return [each for each in found if each and abs(each) <= LARGEST_QUOTIENT_EXPONENT]
