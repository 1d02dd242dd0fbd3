"""Rounded expressions: the rounding of a column, written with arithmetic that all targets have."""

from __future__ import annotations

from gramian.laws.columns import LARGEST_TIE, TIE, WHOLE, Rounding
from gramian.laws.exports._expressions import (
    Choice,
    Compare,
    Expression,
    Function,
    Named,
    Number,
    Product,
    Ratio,
    Step,
    Sum,
)

UNROUNDED_VALUE = "law_unrounded"
SIZE = "law_size"


def rounded_steps(steps: tuple[Step, ...], rounding: Rounding) -> tuple[Step, ...]:
    """Return the steps of a law whose result is rounded as `Rounding` does it.

    Parameters
    ----------
    steps : tuple of Step
        The steps; the last one has the result.
    rounding : Rounding
        The number of decimals, and the way in which the middle is rounded.
    """
    if rounding.decimals is None:
        return steps
    *before, last = steps
    value, unit = Named(UNROUNDED_VALUE), Number(10.0**rounding.decimals)
    even = _divided(Function("whole", _times(value, unit)), unit)
    first = (*before, Step(UNROUNDED_VALUE, last.value))
    if not rounding.half_up:
        return (*first, Step(last.name, even))
    size = Named(SIZE)
    share = Product((Number(TIE), size))
    tie = Choice(
        Compare("<", share, Number(LARGEST_TIE)),
        share,
        Choice(Compare(">=", share, Number(LARGEST_TIE)), Number(LARGEST_TIE)),
    )
    up = _divided(Function("floor", Sum((size, tie, Number(0.5)))), unit)
    down = Product((Number(-1.0), up))
    signed = Choice(Compare("<", value, Number(0.0)), down, up)
    found = Choice(Compare("<", size, Number(WHOLE)), signed, even)
    return (*first, Step(SIZE, _times(Function("abs", value), unit)), Step(last.name, found))


def _times(value: Expression, unit: Number) -> Expression:
    return value if unit.value == 1 else Product((value, unit))


def _divided(value: Expression, unit: Number) -> Expression:
    return value if unit.value == 1 else Ratio(value, unit)
