"""Columns of zeros and ones that are thresholds or levels of other columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from gramian._types import Array
from gramian.laws._columns import Traits
from gramian.laws._law import ONE, Law, Values


def steps(values: Values, traits: Sequence[Traits], columns: Sequence[int]) -> Iterator[Law]:
    """Yield laws y = [x ≤ c], y = [x > c] and y = [x = c] for columns y of two values.

    Parameters
    ----------
    values : Values
        Rows.
    traits : sequence of Traits
        What is known of the columns.
    columns : sequence of int
        The columns.
    """
    for k in columns:
        if traits[k].n_levels != 2:
            continue
        y = values.x[:, k]
        low, high = float(y.min()), float(y.max())
        if low == high:
            continue
        on = y == high
        for i in columns:
            if i == k or traits[i].n_levels == 2:
                continue
            atom = _indicator(values.x[:, i], on)
            if atom is None:
                continue
            # y = low + (high − low) [x compares so]
            scale = values.scale[k]
            monomials = ((((k, "x"), 1),), (((i, atom), 1),), ONE)
            coefficients = np.array([-1.0, (high - low) / scale, low / scale])
            used = [0, 1] if low == 0 else [0, 1, 2]
            yield Law(coefficients[used], tuple(monomials[m] for m in used))


def _indicator(x: Array, on: NDArray[np.bool_]) -> str | None:
    """Return the comparison of a column that is true in just these rows, if there is one."""
    whole = bool((x == np.round(x)).all())
    inside, outside = x[on], x[~on]
    if whole:  # where a column is no whole number, a level may be a product with a zero factor
        if inside.min() == inside.max() and not (outside == inside[0]).any():
            return f"eq {float(inside[0])!r}"
        if outside.min() == outside.max() and not (inside == outside[0]).any():
            return f"ne {float(outside[0])!r}"
    if inside.min() == inside.max() or outside.min() == outside.max():
        return None
    if inside.max() < outside.min():
        return f"le {_between(inside.max(), outside.min())!r}"
    if outside.max() < inside.min():
        return f"gt {_between(outside.max(), inside.min())!r}"
    return None


def _between(low: float, high: float) -> float:
    """Return a threshold: the lower value where values are whole numbers, else a short one."""
    if float(low).is_integer() and float(high).is_integer():
        return float(low)
    for digits in range(1, 17):
        short = float(f"{(low + high) / 2:.{digits - 1}e}")
        if low <= short < high:
            return short
    return float(low)
