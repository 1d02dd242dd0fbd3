"""Columns of zeros and ones that are thresholds or levels of other columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from gramian._types import Array
from gramian.laws._columns import Traits
from gramian.laws._law import LEVEL, ONE, STEP, Law, Values


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
            atom, inside = _indicator(values.x[:, i], on)
            if atom is None:
                continue
            scale = values.scale[k]
            one, other = (high, low) if inside else (low, high)
            # y = other + (one − other) [x in the set]
            monomials = ((((k, "x"), 1),), (((i, atom), 1),), ONE)
            coefficients = np.array([-1.0, (one - other) / scale, other / scale])
            used = [0, 1] if other == 0 else [0, 1, 2]
            yield Law(coefficients[used], tuple(monomials[m] for m in used))


def _indicator(x: Array, on: NDArray[np.bool_]) -> tuple[str | None, bool]:
    """Return the set of values of a column that tells the rows apart, and whether it is `on`."""
    whole = bool((x == np.round(x)).all())
    for mask, inside in ((on, True), (~on, False)):
        within, without = x[mask], x[~mask]
        if not whole:
            break  # a product is zero where a factor is: no level
        if within.min() == within.max() and not (without == within[0]).any():
            return f"{LEVEL}{float(within[0])!r}", inside
    for mask, inside in ((on, True), (~on, False)):
        within, without = x[mask], x[~mask]
        several = within.min() < within.max() and without.min() < without.max()
        if several and within.max() < without.min():
            return f"{STEP}{_between(within.max(), without.min())!r}", inside
    return None, True


def _between(low: float, high: float) -> float:
    """Return a threshold: the lower value where values are whole numbers, else a short one."""
    if float(low).is_integer() and float(high).is_integer():
        return float(low)
    for digits in range(1, 17):
        short = float(f"{(low + high) / 2:.{digits - 1}e}")
        if low <= short < high:
            return short
    return float(low)
