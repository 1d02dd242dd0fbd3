"""Range of float64: checks of functions, and scales of users' functions that leave the range."""

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
"""Sums of squares between this and its inverse lose no digits in float64."""
MAX_EXPONENT = 1000
"""Largest power of two that functions are multiplied with or divided by."""


def check_finite(values: Array) -> None:
    """Raise if products of variables left the range of float64."""
    if not np.isfinite(values).all():
        raise FloatingPointError(
            "Products of variables exceed the range of float64. Lower the degree, or tame the "
            "outliers in the data (scikit-learn's RobustScaler with clipping, or a transform)."
        )


def out_of_range(squares: Array) -> NDArray[np.bool_]:
    """Return True for second moments of functions that are too large or too small to trust."""
    return ~((squares > 1 / LARGEST) & (squares < LARGEST))


def scaled(rows: Rows, directions: Sequence[Direction], calls: Sequence[Call]) -> list[Call]:
    """Scale functions by powers of two, so that their largest values are near one.

    Parameters
    ----------
    rows : Rows
        The table, which is read once if there is any function.
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
    """Find the largest absolute values of functions."""

    directions: Sequence[Direction]
    calls: Sequence[Call]

    def zeros(self) -> list[Array]:
        """Return the sizes on no rows."""
        return [np.zeros(len(self.calls))]

    def add(self, sums: list[Array], rows: RowBlock, add_product: AddProduct) -> None:
        """Raise the sizes to the largest values on a row block."""
        z = [each.of(rows, one_thread=True) for each in self.directions]
        for i, call in enumerate(self.calls):
            sums[0][i] = np.abs(call(z)).max(initial=sums[0][i])

    def merge(self, sums: list[Array], others: list[Array]) -> list[Array]:
        """Return for each function the larger of the sizes of two workers."""
        return [np.maximum(*pair) for pair in zip(sums, others, strict=True)]
