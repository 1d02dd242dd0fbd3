"""Law expressions: what each form of law computes, and when a row breaks it, as expressions."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from gramian.laws.columns import Cell, Key, Rounding, rounded
from gramian.laws.exports._expressions import (
    All,
    AsDate,
    Choice,
    Compare,
    DatePart,
    DayNumber,
    Either,
    Expression,
    Function,
    Greatest,
    IsInfinite,
    IsMissing,
    IsThere,
    LevelKey,
    Levels,
    Named,
    Number,
    NumberColumn,
    Power,
    Product,
    Ratio,
    Step,
    Sum,
    TextColumn,
    columns_of,
)
from gramian.laws.exports._formula_expressions import (
    NotExportedError,
    date_column,
    formula,
    origin_of,
    term,
)
from gramian.laws.exports._rounded_expressions import rounded_steps
from gramian.laws.forms import (
    Balance,
    ColumnLaw,
    ComposedDate,
    Extreme,
    Guarded,
    LawCheck,
    Lookup,
    Series,
    Slopes,
    Solution,
)
from gramian.tables import DAYS, LIMITS, Clock, Part

VALUE = "law_value"
"""Name of the step that has the value that the law gives."""
RATIO = "law_ratio"
"""Name of the step that has the ratio of which a root is taken."""
SECONDS = Clock("1970-01-01", "seconds")


@dataclass(frozen=True)
class Made:
    """How a law computes its column."""

    steps: tuple[Step, ...]
    """The last step, with the name `VALUE`, has the result."""
    cell: Expression | None
    """The cell with which the result is compared; None for an equation."""
    shown: Expression
    """The result as people read it: a date in place of the number of a day."""
    where: Expression | None = None
    """The condition that a row is concerned; None if each row is."""


@dataclass(frozen=True)
class LawExpression:
    """When a row breaks a law."""

    check: LawCheck
    made: Made
    broken: Expression
    tested: Expression
    """The condition that no cell is missing and the law gives a value, or a cell is infinite."""


def law_expression(check: LawCheck) -> LawExpression:
    """Return when a row breaks a law; it says the same as `LawCheck.outcome`.

    The value of a law is missing where a cell is missing, and then the comparison is not true.

    Parameters
    ----------
    check : LawCheck
        The law, with the error that it allows.
    """
    law = check.law
    made = _balance(law) if isinstance(law, Balance) else made_by(law)
    cell = () if made.cell is None else (made.cell,)
    columns = columns_of(*(each.value for each in made.steps), *cell)
    value = Named(VALUE)
    if made.cell is None:
        missed: Expression = Compare(">", Function("abs", value), Number(check.relative_tolerance))
    else:
        missed = Compare("<>", value, made.cell)
        exact = isinstance(made.cell, TextColumn) or getattr(law, "gives_dates", False)
        if not exact and (check.tolerance or check.relative_tolerance):
            error = Function("abs", Sum((value, Product((Number(-1.0), made.cell)))))
            far = Compare(">", error, _allowed(check, value))
            missed = All((missed, Either((IsInfinite(value), far))))
    there: tuple[Expression, ...] = tuple(map(IsThere, columns.values()))
    valued: Expression = IsThere(value)
    numbers = [Function("abs", c) for c in columns.values() if isinstance(c, NumberColumn)]
    if numbers:
        others = [IsThere(c) for c in columns.values() if not isinstance(c, NumberColumn)]
        # The sum is missing if one of them is missing.
        infinite = Compare("=", Sum(tuple(numbers)), Number(math.inf))
        concerned = () if made.where is None else (made.where,)
        missed = Either((missed, All((IsMissing(value), *concerned, *others, infinite))))
        valued = Either((valued, All((*concerned, infinite))))
    return LawExpression(check, made, missed, All((*there, valued)))


def _allowed(check: LawCheck, value: Expression) -> Expression:
    """Return the error that a check allows: tolerance + relative_tolerance · |value|."""
    parts = [Number(check.tolerance)] if check.tolerance else []
    if check.relative_tolerance:
        size = Function("abs", value)
        parts.append(Product((Number(check.relative_tolerance), size)))  # type: ignore[arg-type]
    return Sum(tuple(parts))


def made_by(law: ColumnLaw, rounding: Rounding | None = None) -> Made:
    """Return how a law computes its column.

    Parameters
    ----------
    law : ColumnLaw
        The law.
    rounding : Rounding, optional
        How the result is rounded, in place of the rounding of the law itself.
    """
    make = MAKERS.get(type(law))
    if make is None:
        raise NotExportedError("it has a form that exports do not know")
    steps, cell, shown, where = make(law)
    own = rounding or getattr(law, "rounding", None)
    if own is not None and not isinstance(law, (Lookup, ComposedDate)):
        if own.spelling is not None:
            raise NotExportedError("its column has numbers of single precision (float32)")
        steps = rounded_steps(steps, own)
    return Made(steps, cell, shown, where)


class Parts(NamedTuple):
    """The parts of `Made`, before the result is rounded."""

    steps: tuple[Step, ...]
    cell: Expression
    shown: Expression
    where: Expression | None = None


def _solution(law: Solution) -> Parts:
    ratio: Expression = formula(law.numerator, law.clocks)
    below = formula(law.denominator, law.clocks)
    if below != Number(1.0):
        ratio = Ratio(ratio, below)
    clock = law.clocks.get(law.column)
    cell = NumberColumn(law.column) if clock is None else date_column(law.column, clock)
    steps: tuple[Step, ...]
    if not (law.exponential or law.logarithm) and law.root == 1:
        steps = (Step(VALUE, ratio),)
    else:
        value = Named(RATIO)
        if law.exponential:
            found: Expression = Function("exp", value)
        elif law.logarithm:
            found = Choice(Compare(">", value, Number(0.0)), Function("log", value))
        else:
            found = _root(value, law)
        steps = (Step(RATIO, ratio), Step(VALUE, found))
    return Parts(steps, cell, _shown(Named(VALUE), clock))


def _root(value: Expression, law: Solution) -> Expression:
    """Return sign(x) · |x|^(1/root), which an even root gives for x ≥ 0 only."""
    power = 1 / Fraction(law.root)
    size = Power(Function("abs", value), power.numerator if power.denominator == 1 else power)
    minus = Product((Number(-1.0), size))
    plus, less = (minus, size) if law.negative else (size, minus)
    if law.root % 2 == 0:
        return Choice(Compare(">=", value, Number(0.0)), plus)
    zero_or_less = Choice(Compare("<", value, Number(0.0)), less)
    if power < 0:
        # sign(0) · 0^(negative) does not exist
        return Choice(Compare(">", value, Number(0.0)), plus, zero_or_less)
    return Choice(Compare(">=", value, Number(0.0)), plus, zero_or_less)


def _shown(value: Expression, clock: Clock | None) -> Expression:
    """Return a number that a clock counts as a date; the number itself without a clock."""
    if clock is None:
        return value
    per = 86_400_000_000 if clock.unit == "days" else 1_000_000
    return AsDate(Sum((value, Number(origin_of(clock) / per))), clock.unit)


def _lookup(law: Lookup) -> Parts:
    found: Expression
    keys = tuple(_level_key(key, law.levels, i) for i, key in enumerate(law.keys))
    values = law.values
    clock = None
    if law.clock is not None:
        clock = DAYS if law.clock.unit == "days" else SECONDS
        dates = law.clock.dates(np.array(values, dtype=np.float64))
        values = tuple(clock.numbers(dates).tolist())
    if law.is_part:
        found = keys[0].value
    else:
        entries = {
            tuple(map(rounded, level)): value
            for level, value in zip(law.levels, values, strict=True)
        }
        found = Levels(keys, tuple(entries.items()))
    cell: Expression
    if law.is_text:
        cell = TextColumn(law.column)
    elif clock is not None:
        cell = date_column(law.column, clock, whole=True)
    else:
        cell = NumberColumn(law.column)
    return Parts((Step(VALUE, found),), cell, _shown(Named(VALUE), clock))


def _level_key(key: Key, levels: tuple[tuple[Cell, ...], ...], place: int) -> LevelKey:
    if key.part is not None:
        return LevelKey(DatePart(key.column, key.part), "part")
    if key.clock is not None:
        value: Expression = date_column(key.column, key.clock)
    elif isinstance(levels[0][place], str):
        if any(not isinstance(each[place], str) for each in levels):
            raise NotExportedError(f"{key.column!r} has texts and numbers")
        return LevelKey(TextColumn(key.column), "text")
    else:
        value = NumberColumn(key.column)
    if key.thresholds:
        return LevelKey(value, "interval", key.thresholds, key.from_below)
    return LevelKey(value, "number")


def _slopes(law: Slopes) -> Parts:
    levels = tuple((each,) for each in law.levels)
    key = _level_key(law.key, levels, 0)

    def coefficient(place: int) -> Expression:
        known = {
            (rounded(level),): row[place]
            for level, row in zip(law.levels, law.coefficients, strict=True)
        }
        return Levels((key,), tuple(known.items()))

    products = [Product((coefficient(i), NumberColumn(name))) for i, name in enumerate(law.numbers)]
    total = Sum((coefficient(len(law.numbers)), *products))
    return Parts((Step(VALUE, total),), NumberColumn(law.column), Named(VALUE))


def _extreme(law: Extreme) -> Parts:
    first, second = (
        Number(factor) if name is None else _multiple(factor, NumberColumn(name))
        for factor, name in law.parts
    )
    signs: tuple[Any, Any] = (">=", "<") if law.largest else ("<=", ">")
    found: Expression = Choice(
        Compare(signs[0], first, second), first, Choice(Compare(signs[1], first, second), second)
    )
    if law.added:
        found = Sum((found, Number(law.added)))
    return Parts((Step(VALUE, found),), NumberColumn(law.column), Named(VALUE))


def _multiple(factor: float, value: Expression) -> Expression:
    return value if factor == 1 else Product((Number(factor), value))


def _composed_date(law: ComposedDate) -> Parts:
    named: dict[Part, Expression] = {
        part: NumberColumn(each) if isinstance(each, str) else Number(float(each))
        for part, each in law._named.items()
    }
    fine: list[Expression] = []
    for part, value in named.items():
        if isinstance(value, NumberColumn):
            low, high = LIMITS[part]
            fine += [
                Compare("=", value, Function("floor", value)),
                Compare(">=", value, Number(float(low))),
                Compare("<=", value, Number(float(high))),
            ]
    made: Expression = DayNumber(named["year"], named["month"], named["day"])
    clock = DAYS
    if law.unit == "seconds":
        clock = SECONDS
        lengths: tuple[tuple[Part, float], ...] = (
            ("hour", 3600.0),
            ("minute", 60.0),
            ("second", 1.0),
        )
        times = [_multiple(seconds, named[part]) for part, seconds in lengths]
        made = Sum((Product((Number(86400.0), made)), *times))
    cell = date_column(law.column, clock, whole=law.unit == "days")
    step = Step(VALUE, Choice(All(tuple(fine)), made))
    return Parts((step,), cell, _shown(Named(VALUE), clock))


def _series(law: Series) -> Parts:
    raise NotExportedError("it computes from earlier rows, and here each row is tested alone")


def _guarded(law: Guarded) -> Parts:
    steps, cell, shown, _ = _solution(law.law)
    *before, last = steps
    where: Expression
    if isinstance(law.level, str):
        key = LevelKey(TextColumn(law.guard), "text")
        where = IsThere(Levels((key,), (((law.level,), 1.0),)))
    else:
        where = Compare("=", NumberColumn(law.guard), Number(law.level))
    return Parts((*before, Step(VALUE, Choice(where, last.value))), cell, shown, where)


MAKERS: Mapping[type[ColumnLaw], Callable[[Any], Parts]] = {
    Solution: _solution,
    Lookup: _lookup,
    Slopes: _slopes,
    Extreme: _extreme,
    ComposedDate: _composed_date,
    Series: _series,
    Guarded: _guarded,
}
"""Form of a law → function that returns its steps, the cell that it gives, and what is shown."""


def _balance(law: Balance) -> Made:
    names = [f"law_term_{i}" for i in range(1, len(law.terms) + 1)]
    terms = [Named(name) for name in names]
    largest = Greatest(tuple(Function("abs", each) for each in terms))
    total = Sum(tuple(terms))
    steps = [
        Step(name, Sum((term(each, law.clocks),)))
        for name, each in zip(names, law.terms, strict=True)
    ]
    steps.append(Step("law_largest", largest if len(terms) > 1 else Function("abs", terms[0])))
    biggest = Named("law_largest")
    share = Choice(Compare(">", biggest, Number(0.0)), Ratio(total, biggest), total)
    return Made((*steps, Step(VALUE, share)), None, Named(VALUE))
