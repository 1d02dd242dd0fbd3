"""Expressions: what a law computes from a row, and when a row breaks the law, as a tree.

Each target (SQL, Python) has one writer that turns the tree into its language. A number that does
not exist, such as a ratio with the denominator zero, is missing: NULL in SQL, NaN in Python.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any, Literal

from gramian.laws.columns import Cell
from gramian.tables import Part, Unit

Sign = Literal["<=", "<", ">", ">=", "=", "<>"]


@dataclass(frozen=True)
class Expression:
    """A node of the tree; the subclasses say what it means."""

    @property
    def inner(self) -> Iterator[Expression]:
        """The nodes below this one."""
        for each in fields(self):
            value = getattr(self, each.name)
            for one in value if isinstance(value, tuple) else (value,):
                if isinstance(one, Expression):
                    yield one

    def walk(self) -> Iterator[Expression]:
        """Yield this node and all nodes below it."""
        yield self
        for each in self.inner:
            yield from each.walk()


@dataclass(frozen=True)
class NumberColumn(Expression):
    """The cell of a column of numbers; true is 1, false is 0."""

    name: str


@dataclass(frozen=True)
class TextColumn(Expression):
    """The cell of a column of text."""

    name: str


@dataclass(frozen=True)
class DateColumn(Expression):
    """The cell of a column of dates as the number of days or seconds since an origin."""

    name: str
    origin: int
    """The origin in microseconds since 1970."""
    unit: Unit
    whole: bool = False
    """True if the time of the day is left away."""


@dataclass(frozen=True)
class DatePart(Expression):
    """A part of a date: its month, weekday (0 for Monday) and so on, as a number."""

    name: str
    part: Part


@dataclass(frozen=True)
class Named(Expression):
    """The value of an earlier step of the computation."""

    step: str


@dataclass(frozen=True)
class Number(Expression):
    """A number; it may be infinite."""

    value: float


@dataclass(frozen=True)
class Sum(Expression):
    """A sum, from left to right."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True)
class Product(Expression):
    """A product, from left to right."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True)
class Ratio(Expression):
    """A ratio; missing where the denominator is zero."""

    above: Expression
    below: Expression


@dataclass(frozen=True)
class Power(Expression):
    """A power: infinite for a negative power of zero, missing for a root of a negative number."""

    base: Expression
    exponent: int | Fraction


@dataclass(frozen=True)
class Function(Expression):
    """A function of a number: minus infinity is the logarithm of zero.

    "whole" is the nearest whole number, the middle rounded to even.
    """

    name: Literal["log", "exp", "sin", "cos", "abs", "floor", "whole"]
    inside: Expression


@dataclass(frozen=True)
class Greatest(Expression):
    """The largest of some numbers, none of which is missing."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True)
class DayNumber(Expression):
    """Days from 1970-01-01 to a date; missing if there is no such date."""

    year: Expression
    month: Expression
    day: Expression


@dataclass(frozen=True)
class Compare(Expression):
    """A comparison of two numbers, or of two texts; true or false."""

    sign: Sign
    left: Expression
    right: Expression


@dataclass(frozen=True)
class All(Expression):
    """True if all parts are true."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True)
class Either(Expression):
    """True if some part is true."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True)
class IsMissing(Expression):
    """True if a value is missing."""

    value: Expression


@dataclass(frozen=True)
class IsThere(Expression):
    """True if a value is not missing."""

    value: Expression


@dataclass(frozen=True)
class IsInfinite(Expression):
    """True if a number is infinite."""

    value: Expression


@dataclass(frozen=True)
class Choice(Expression):
    """The first value if a condition is true, else the second; None is a missing number."""

    condition: Expression
    then: Expression
    otherwise: Expression | None = None


@dataclass(frozen=True)
class LevelKey(Expression):
    """A value by which `Levels` finds its result.

    Texts and parts of dates are found as they are, numbers by their first ten digits. With
    thresholds, the level is the number of the interval.
    """

    value: Expression
    kind: Literal["text", "part", "number", "interval"]
    thresholds: tuple[float, ...] = ()
    from_below: bool = False
    """True if an end belongs to the interval above it, False if to that below it."""


@dataclass(frozen=True)
class Levels(Expression):
    """A result for each combination of levels; missing for others."""

    keys: tuple[LevelKey, ...]
    entries: tuple[tuple[tuple[Cell, ...], Cell], ...]
    """Pairs of a level for each key, and the result; no combination occurs twice."""

    @property
    def is_text(self) -> bool:
        """True if the results are texts."""
        return isinstance(self.entries[0][1], str)


@dataclass(frozen=True)
class AsDate(Expression):
    """A date from the number of days or seconds since 1970-01-01."""

    number: Expression
    unit: Unit


@dataclass(frozen=True)
class Step:
    """A value with a name, which later steps use."""

    name: str
    value: Expression


def columns_of(*expressions: Expression) -> dict[str, Expression]:
    """Return the columns in some expressions: name → a node that reads the column."""
    found: dict[str, Expression] = {}
    for each in expressions:
        for node in each.walk():
            if isinstance(node, (NumberColumn, TextColumn, DateColumn, DatePart)):
                found.setdefault(node.name, node)
    return found


def inlined(expression: Expression, known: Mapping[str, Expression]) -> Expression:
    """Return an expression in which each earlier step is replaced by what it computes.

    Parameters
    ----------
    expression : Expression
        The expression.
    known : mapping from str to Expression
        What each step computes.
    """
    return _changed(
        expression, lambda node: known.get(node.step) if isinstance(node, Named) else None
    )


def with_columns(expression: Expression, known: Mapping[str, Expression]) -> Expression:
    """Return an expression in which some columns of numbers are replaced by what gives them.

    Parameters
    ----------
    expression : Expression
        The expression.
    known : mapping from str to Expression
        What gives each column.
    """
    return _changed(
        expression, lambda node: known.get(node.name) if isinstance(node, NumberColumn) else None
    )


def _changed(
    expression: Expression, change: Callable[[Expression], Expression | None]
) -> Expression:
    """Return an expression in which a function replaced some nodes."""
    found = change(expression)
    if found is not None:
        return found
    changed: dict[str, Any] = {}
    for each in fields(expression):
        value = getattr(expression, each.name)
        if isinstance(value, Expression):
            changed[each.name] = _changed(value, change)
        elif isinstance(value, tuple) and any(isinstance(one, Expression) for one in value):
            changed[each.name] = tuple(_changed(one, change) for one in value)
    return replace(expression, **changed)


def negated(e: Expression) -> Expression | None:
    """Return a number or a product without its minus sign; None if it has none.

    Parameters
    ----------
    e : Expression
        The expression.
    """
    if isinstance(e, Number) and e.value < 0:
        return Number(-e.value)
    if isinstance(e, Product) and isinstance(e.parts[0], Number) and e.parts[0].value < 0:
        size, rest = Number(-e.parts[0].value), e.parts[1:]
        if size.value != 1:
            return Product((size, *rest))
        return rest[0] if len(rest) == 1 else Product(rest)
    return None
