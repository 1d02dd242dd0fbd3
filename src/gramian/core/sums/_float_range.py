"""Range of float64: check function values, and scale users' functions that leave the range."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gramian._support.threads import AddProduct
from gramian._support.types import Array
from gramian.core.rows import BlockWork, RowBlock, Rows
from gramian.core.sums._steps import Direction
from gramian.families import Call

LARGEST = 1e250
"""Largest sum of squares that is accepted; the smallest is its inverse. Between the two, sums of
squares lose no digits in float64."""
MAX_EXPONENT = 1000
"""Largest exponent n of the factors 2ⁿ and 2⁻ⁿ that scale a user's function."""


def check_finite(values: Array) -> None:
    """Raise an error if any value is NaN or infinite, because products of variables overflowed."""
    if not np.isfinite(values).all():
        raise FloatingPointError(
            "Products of variables exceed the range of float64. Lower the degree, or tame the "
            "outliers in the data (scikit-learn's RobustScaler with clipping, or a transform)."
        )


def out_of_range(squares: Array) -> NDArray[np.bool_]:
    """Return a mask: True for mean squares of functions that are too large or small for float64."""
    return ~((squares > 1 / LARGEST) & (squares < LARGEST))


def scaled(rows: Rows, directions: Sequence[Direction], calls: Sequence[Call]) -> list[Call]:
    """Return the user's functions, scaled by powers of two to largest absolute values near one.

    Parameters
    ----------
    rows : Rows
        The table; it is read once, unless `calls` is empty.
    directions : sequence of Direction
        The variables.
    calls : sequence of Call
        The functions.
    """
    if not calls:
        return []
    (sizes,) = rows.sum(CallSizes(directions, calls))
    exponents = np.clip(np.frexp(sizes)[1], -MAX_EXPONENT, MAX_EXPONENT)
    scales = np.ldexp(1.0, -exponents).tolist()
    return [replace(call, scale=scale) for call, scale in zip(calls, scales, strict=True)]


@dataclass(frozen=True)
class CallSizes(BlockWork):
    """Work that finds the largest absolute value of each of the user's functions."""

    directions: Sequence[Direction]
    calls: Sequence[Call]

    def zeros(self) -> list[Array]:
        """Return one zero for each function: the largest absolute values before any row."""
        return [np.zeros(len(self.calls))]

    def add(self, sums: list[Array], rows: RowBlock, add_product: AddProduct) -> None:
        """Update the largest absolute value of each function with the values on a row block."""
        z = [each.of(rows, one_thread=True) for each in self.directions]
        for i, call in enumerate(self.calls):
            sums[0][i] = np.abs(call(z)).max(initial=sums[0][i])

    def merge(self, sums: list[Array], others: list[Array]) -> list[Array]:
        """Return for each function the larger of the two largest values that two workers found."""
        return [np.maximum(*pair) for pair in zip(sums, others, strict=True)]
