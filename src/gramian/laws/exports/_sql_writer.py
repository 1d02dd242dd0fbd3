"""SQL writer: expressions as SQL; `_sql_dialects.py` has the differences of databases."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable
from fractions import Fraction

from gramian._support.words import one_line
from gramian.laws.columns import Cell
from gramian.laws.exports._expressions import (
    All,
    AsDate,
    Choice,
    Compare,
    DateColumn,
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
    Sum,
    TextColumn,
    negated,
)
from gramian.laws.exports._formula_expressions import NotExportedError
from gramian.laws.exports._level_ranges import level_range
from gramian.laws.exports._sql_levels import levels_as_sql

SUM, PRODUCT, ATOM = 1, 2, 3
"""How tightly the parts of a text are bound: a sum in a product needs brackets."""
DAYS_OF_DATES = (-719_162.0, 2_932_896.0)
"""The days from 1970-01-01 to the first day of the year 1, and to the last day of 9999."""
LENGTH_OF_DAY = {"days": 1.0, "seconds": 86_400.0}
"""The length of a day in each unit of a clock."""
MOST_MULTIPLIED = 4
"""Powers up to this one are written as products."""


class SqlWriter(ABC):
    """Writes expressions in one dialect of SQL.

    Parameters
    ----------
    maths : bool, default=True
        False if the database has no functions such as `sqrt`, `pow`, `exp` and `ln`.
    whole : collection of str, default=()
        The columns of whole numbers, which may be columns of true and false.
    """

    infinity: str
    """A literal for infinity."""

    def __init__(self, *, maths: bool = True, whole: Collection[str] = ()) -> None:
        self.maths, self.whole = maths, whole

    @abstractmethod
    def name(self, name: str) -> str:
        """Return the name of a column or a table in quotes."""

    @abstractmethod
    def number_column(self, name: str) -> str:
        """Return a column as numbers with 53 bits; NULL where it has no number."""

    @abstractmethod
    def text_column(self, name: str) -> str:
        """Return a column as texts that are compared letter by letter."""

    @abstractmethod
    def date_column(self, column: DateColumn) -> str:
        """Return a column of dates as numbers of days or seconds."""

    @abstractmethod
    def date_part(self, part: DatePart) -> str:
        """Return a part of a date as a number."""

    @abstractmethod
    def day_number(self, year: str, month: str, day: str) -> str:
        """Return the days from 1970-01-01 to a date; NULL if there is no such date."""

    @abstractmethod
    def as_date(self, number: str, unit: str) -> str:
        """Return a date from days or seconds since 1970-01-01."""

    @abstractmethod
    def whole_number(self, number: str) -> str:
        """Return the nearest whole number, the middle rounded to even."""

    def finished(self, value: str, *, is_text: bool) -> str:
        """Return the value of a law, with NULL in place of a number that does not exist."""
        return value

    def floor(self, number: str) -> str:
        """Return the largest whole number that is not above a number."""
        return f"floor({number})"

    def greatest(self, numbers: Iterable[str]) -> str:
        """Return the largest of some numbers."""
        return f"greatest({', '.join(numbers)})"

    def text(self, text: str) -> str:
        """Return a text in quotes."""
        return "'" + text.replace("'", "''") + "'"

    def number(self, value: float) -> str:
        """Return a number that is read as a number with a point, so that 1 / 2 is a half."""
        if math.isinf(value):
            return self.infinity if value > 0 else f"-{self.infinity}"
        return repr(float(value))

    def write(self, expression: Expression, inside: int = 0) -> str:
        """Return an expression as SQL.

        Parameters
        ----------
        expression : Expression
            The expression.
        inside : int, default=0
            `SUM`, `PRODUCT` or `ATOM`: how tightly the text must be bound.
        """
        text, bound = self._written(expression)
        return f"({text})" if bound < inside else text

    def _written(self, e: Expression) -> tuple[str, int]:
        match e:
            case Named(step):
                return self.name(step), ATOM
            case Number(value):
                return self.number(value), ATOM if value >= 0 else SUM
            case Sum(parts):
                return self._sum(parts), SUM if len(parts) > 1 else 0
            case Product(parts):
                return self._product(parts)
            case Ratio(above, below):
                return f"{self.write(above, PRODUCT)} / {self._divisor(below)}", PRODUCT
            case Power(base, exponent):
                return self._power(base, exponent)
            case Choice():
                return self._choice(e), ATOM
            case _:
                return self._atom(e), ATOM

    def _atom(self, e: Expression) -> str:
        match e:
            case NumberColumn(name):
                return self.number_column(name)
            case TextColumn(name):
                return self.text_column(name)
            case DateColumn():
                return self.date_column(e)
            case DatePart():
                return self.date_part(e)
            case Function(name, inside):
                return self._function(name, inside)
            case Greatest(parts):
                return self.greatest(map(self.write, parts))
            case DayNumber(year, month, day):
                return self.day_number(*map(self.write, (year, month, day)))
            case AsDate(number, unit):
                low, high = (self.number(each * LENGTH_OF_DAY[unit]) for each in DAYS_OF_DATES)
                value = self.write(number, SUM)
                date = self.as_date(self.write(number), unit)
                return f"CASE WHEN {value} BETWEEN {low} AND {high} THEN {date} END"
            case LevelKey(value):
                return self.write(value, ATOM)
            case Levels():
                return self.levels(e)
            case _:
                raise AssertionError(f"no value: {e!r}")

    def _choice(self, e: Choice) -> str:
        cases, last = list[str](), e
        while True:
            cases.append(f"WHEN {self.condition(last.condition)} THEN {self.write(last.then)}")
            if not isinstance(last.otherwise, Choice):
                break
            last = last.otherwise
        end = "" if last.otherwise is None else f" ELSE {self.write(last.otherwise)}"
        return f"CASE {' '.join(cases)}{end} END"

    def condition(self, e: Expression) -> str:
        """Return a condition as SQL, in brackets if it has several parts."""
        match e:
            case Compare(sign, left, right):
                return f"{self.write(left, SUM)} {sign} {self.write(right, SUM)}"
            case All(parts):
                return "(" + " AND ".join(map(self.condition, parts)) + ")"
            case Either(parts):
                return "(" + " OR ".join(map(self.condition, parts)) + ")"
            case IsMissing(value):
                return f"{self.write(value, ATOM)} IS NULL"
            case IsThere(value):
                return f"{self.write(value, ATOM)} IS NOT NULL"
            case IsInfinite(value):
                return f"abs({self.write(value)}) = {self.infinity}"
            case _:
                raise AssertionError(f"no condition: {e!r}")

    def _sum(self, parts: tuple[Expression, ...]) -> str:
        text = self.write(parts[0], SUM)
        for each in parts[1:]:
            positive = negated(each)
            if positive is None:
                text += f" + {self.write(each, PRODUCT)}"
            else:
                text += f" - {self.write(positive, PRODUCT)}"
        return text

    def _product(self, parts: tuple[Expression, ...]) -> tuple[str, int]:
        first, *others = parts
        rest = " * ".join(self.write(each, ATOM) for each in others)
        if first == Number(-1.0) and others:
            return f"-{rest}", SUM
        return (f"{self.write(first, PRODUCT)} * {rest}" if rest else self.write(first)), PRODUCT

    def _divisor(self, below: Expression) -> str:
        if isinstance(below, Number) and below.value:
            return self.write(below, ATOM)
        return f"NULLIF({self.write(below)}, 0.0)"

    def _power(self, base: Expression, exponent: int | Fraction) -> tuple[str, int]:
        power = Fraction(exponent)
        if power == 1:
            return self._written(base)
        text = self.write(base, ATOM)
        if power.denominator == 1 and 1 < power <= MOST_MULTIPLIED:
            return f"({' * '.join([text] * int(power))})", ATOM
        if power.denominator == 1 and -MOST_MULTIPLIED <= power < 0:
            product = " * ".join([text] * -int(power))
            zero = f"WHEN {text} = 0.0 THEN {self.infinity} "
            return f"CASE {zero}ELSE 1.0 / ({product}) END", ATOM
        self.need_maths("a power")
        bare = self.write(base)
        made = f"sqrt({bare})" if power == Fraction(1, 2) else f"power({bare}, {float(power)!r})"
        if power > 0 and (power.denominator == 1 or _is_size(base)):
            return made, ATOM
        if power > 0:
            return f"CASE WHEN {bare} >= 0.0 THEN {made} END", ATOM
        fine = "<> 0.0" if power.denominator == 1 else "> 0.0"
        zero = f"WHEN {bare} = 0.0 THEN {self.infinity}"
        return f"CASE WHEN {bare} {fine} THEN {made} {zero} END", ATOM

    def _function(self, name: str, inside: Expression) -> str:
        x = self.write(inside)
        if name == "abs":
            return f"abs({x})"
        if name == "floor":
            return self.floor(x)
        if name == "whole":
            return self.whole_number(x)
        self.need_maths(f"the function {name}")
        if name == "log":
            zero = f"WHEN {x} = 0.0 THEN -{self.infinity}"
            return f"CASE WHEN {x} > 0.0 THEN ln({x}) {zero} END"
        if name == "exp":
            large, small = f"WHEN {x} > 709.782 THEN {self.infinity}", f"WHEN {x} < -745.0 THEN 0.0"
            return f"CASE {large} {small} ELSE exp({x}) END"
        return f"CASE WHEN abs({x}) < {self.infinity} THEN {name}({x}) END"

    def need_maths(self, what: str) -> None:
        """Raise an error if the database has no mathematical functions.

        Parameters
        ----------
        what : str
            What needs them, for the message.
        """
        if not self.maths:
            raise NotExportedError(f"{what} needs mathematical functions")

    def levels(self, e: Levels) -> str:
        """Return the result for the levels of some keys; NULL for unknown levels."""
        return levels_as_sql(self, e.keys, e.entries)

    def is_level(self, key: LevelKey, level: Cell) -> str:
        """Return the condition that a key has a level.

        Parameters
        ----------
        key : LevelKey
            The key.
        level : str or float
            The level.
        """
        x = self.write(key.value, SUM)
        if isinstance(level, str):
            return f"{x} = {self.text(level)}"
        if key.kind == "interval":
            ends, place = key.thresholds, int(level)
            above, below = (">=", "<") if key.from_below else (">", "<=")
            low = [f"{x} {above} {self.number(ends[place - 1])}"] if place > 0 else []
            high = [f"{x} {below} {self.number(ends[place])}"] if place < len(ends) else []
            return " AND ".join([*low, *high])
        ends_of_level = level_range(level) if key.kind == "number" else None
        if ends_of_level is None:
            return f"{x} = {self.number(level)}"
        low_end, high_end = map(self.number, ends_of_level)
        return f"{x} BETWEEN {low_end} AND {high_end}"

    def is_below(self, key: LevelKey, level: Cell) -> str:
        """Return the condition that a key comes before a level, in the order of levels.

        Parameters
        ----------
        key : LevelKey
            The key.
        level : str or float
            The level; not the first interval.
        """
        x = self.write(key.value, SUM)
        if isinstance(level, str):
            return f"{x} < {self.text(level)}"
        if key.kind == "interval":
            sign = "<" if key.from_below else "<="
            return f"{x} {sign} {self.number(key.thresholds[int(level) - 1])}"
        ends = level_range(level) if key.kind == "number" else None
        return f"{x} < {self.number(level if ends is None else ends[0])}"

    def cell(self, value: Cell) -> str:
        """Return a text or a number."""
        return self.text(value) if isinstance(value, str) else self.number(value)

    def comment(self, text: str) -> str:
        """Return a line with a comment."""
        return f"-- {one_line(text)}"


def _is_size(e: Expression) -> bool:
    return isinstance(e, Function) and e.name == "abs"
