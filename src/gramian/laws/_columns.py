"""What is to be known of columns before laws are looked for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gramian._support.types import Array
from gramian.laws._precision import EXACT, LARGEST_WHOLE, Precision, precision_of

FEW_LEVELS = 12
"""With at most this many values, a column satisfies a polynomial trivially: no law."""
LARGEST_ANGLE = 40.0
SMALLEST_TURN = 0.3
"""A column may be an angle in radians if its values are no larger, and spread at least this far."""


@dataclass(frozen=True)
class Traits:
    """What is known of a column."""

    scale: float
    """A power of two near its size."""
    constant: bool
    n_levels: int | None
    """The number of different values if they are few."""
    never_zero: bool
    positive: bool
    angle: bool
    """Whether it may be an angle."""
    whole: bool = False
    """Whether its values are whole numbers."""
    precision: Precision = EXACT
    """With how many digits it is printed."""


def traits_of(x: Array) -> Traits:
    """Look at a column."""
    size = float(np.abs(x).max())
    root = np.sqrt(np.mean((x / size) ** 2)) * size if size > 0 else 1.0
    scale = float(2.0 ** np.round(np.log2(root)))
    levels = np.unique(x)
    spread = float(levels[-1] - levels[0])
    few = len(levels) <= FEW_LEVELS and len(levels) < len(x)
    whole = size < LARGEST_WHOLE and bool((levels == np.rint(levels)).all())
    return Traits(
        scale,
        len(levels) == 1 or spread <= 1e-13 * size,
        len(levels) if few else None,
        bool((x != 0).all()),
        bool((x > 0).all()),
        not few and size <= LARGEST_ANGLE and spread >= SMALLEST_TURN,
        whole,
        EXACT if few and whole else precision_of(x),
    )
