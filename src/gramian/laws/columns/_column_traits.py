"""Traits of columns: scale, sign, levels and printed digits, which the search needs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gramian._support.types import Array
from gramian.laws.columns._precision import LARGEST_WHOLE, UNROUNDED, Precision, precision_of

FEW_LEVELS = 12
"""Largest number of values of a column that trivially satisfies a polynomial."""
LARGEST_ANGLE = 40.0
"""Largest absolute value of an angle in radians."""
SMALLEST_TURN = 0.3
"""Least spread of an angle in radians."""
NO_SPREAD = 1e-13
"""Largest spread of a constant column, as a share of its largest value."""


@dataclass(frozen=True)
class Traits:
    """Facts about a column."""

    scale: float
    """A power of two near the root mean square of the column."""
    constant: bool
    n_levels: int | None
    """The number of distinct values; None if they are many."""
    never_zero: bool
    positive: bool
    angle: bool
    """True if the column may be an angle in radians."""
    whole: bool = False
    """True if all values are whole numbers."""
    precision: Precision = UNROUNDED
    """The printed digits of the column."""


def traits_of(x: Array) -> Traits:
    """Return the traits of a column."""
    size = float(np.abs(x).max())
    root = np.sqrt(np.mean((x / size) ** 2)) * size if size > 0 else 1.0
    scale = float(2.0 ** np.round(np.log2(root)))
    levels = np.unique(x)
    spread = float(levels[-1] - levels[0])
    few = len(levels) <= FEW_LEVELS and len(levels) < len(x)
    whole = size < LARGEST_WHOLE and bool((levels == np.rint(levels)).all())
    return Traits(
        scale,
        len(levels) == 1 or spread <= NO_SPREAD * size,
        len(levels) if few else None,
        bool((x != 0).all()),
        bool((x > 0).all()),
        not few and size <= LARGEST_ANGLE and spread >= SMALLEST_TURN,
        whole,
        UNROUNDED if few and whole else precision_of(x),
    )
