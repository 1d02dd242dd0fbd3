"""Python writer: expressions as Python without dependencies; see `_python_support.py`."""

from __future__ import annotations

import math

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

PER = {"days": 86_400_000_000, "seconds": 1_000_000}


class PythonWriter:
    """Writes expressions as Python; the tables of levels are collected in `tables`."""

    def __init__(self) -> None:
        self.tables: dict[str, str] = {}
        """The content of each table of levels → its name."""

    def write(self, e: Expression) -> str:
        """Return an expression as Python.

        Parameters
        ----------
        e : Expression
            The expression.
        """
        match e:
            case NumberColumn(name):
                return f"_number(row[{name!r}])"
            case TextColumn(name):
                return f"_text(row[{name!r}])"
            case DateColumn(name, origin, unit, whole):
                passed = f"_passed(row[{name!r}], {origin}, {PER[unit]})"
                return f"_floor({passed})" if whole else passed
            case DatePart(name, part):
                return f"_part(row[{name!r}], {part!r})"
            case Named(step):
                return step
            case Number(value):
                return _number(value)
            case Sum(parts):
                return self._sum(parts)
            case Product(parts):
                return " * ".join(map(self._factor, parts))
            case Ratio(above, below):
                return f"_ratio({self.write(above)}, {self.write(below)})"
            case Power(base, exponent):
                power = exponent if isinstance(exponent, int) else float(exponent)
                return f"_power({self.write(base)}, {power!r})"
            case Function(name, inside):
                return f"_{name}({self.write(inside)})".replace("_abs(", "abs(")
            case Greatest(parts):
                return f"max({', '.join(map(self.write, parts))})"
            case DayNumber(year, month, day):
                return f"_day_number({', '.join(map(self.write, (year, month, day)))})"
            case AsDate(number, unit):
                return f"_date({self.write(number)}, {unit!r})"
            case Choice(condition, then, otherwise):
                last = "_NAN" if otherwise is None else self.write(otherwise)
                return f"({self.write(then)} if {self.condition(condition)} else {last})"
            case LevelKey():
                return self._key(e)
            case Levels():
                return self._levels(e)
            case _:
                raise AssertionError(f"no value: {e!r}")

    def condition(self, e: Expression) -> str:
        """Return a condition as Python; it is false where a value is missing.

        Parameters
        ----------
        e : Expression
            The condition.
        """
        match e:
            case Compare("<>", left, right):
                return f"_differ({self.write(left)}, {self.write(right)})"
            case Compare(sign, left, right):
                return f"{self.write(left)} {'==' if sign == '=' else sign} {self.write(right)}"
            case All(parts):
                return "(" + " and ".join(map(self.condition, parts)) + ")"
            case Either(parts):
                return "(" + " or ".join(map(self.condition, parts)) + ")"
            case IsMissing(value):
                return f"_missing({self.write(value)})"
            case IsThere(value):
                return f"not _missing({self.write(value)})"
            case IsInfinite(value):
                return f"abs({self.write(value)}) == _INF"
            case _:
                raise AssertionError(f"no condition: {e!r}")

    def _factor(self, e: Expression) -> str:
        return f"({self.write(e)})" if isinstance(e, Product) else self.write(e)

    def _sum(self, parts: tuple[Expression, ...]) -> str:
        text = self.write(parts[0])
        for each in parts[1:]:
            positive = negated(each)
            sign, value = ("+", each) if positive is None else ("-", positive)
            text += f" {sign} {self.write(value)}"
        return f"({text})" if len(parts) > 1 else text

    def _key(self, key: LevelKey) -> str:
        text = self.write(key.value)
        if key.kind == "number":
            return f"_level({text})"
        if key.kind == "interval":
            from_below = ", True" if key.from_below else ""
            return f"_interval({text}, {self._table(_listed(key.thresholds))}{from_below})"
        return text

    def _levels(self, e: Levels) -> str:
        keys = [self.write(each) for each in e.keys]
        alone = len(keys) == 1
        entries = [
            f"    {_cell(level[0]) if alone else '(' + ', '.join(map(_cell, level)) + ')'}: "
            f"{_cell(result)},"
            for level, result in e.entries
        ]
        name = self._table("\n".join(["{", *entries, "}"]))
        key = keys[0] if alone else f"({', '.join(keys)})"
        return f"{name}.get({key})" if e.is_text else f"{name}.get({key}, _NAN)"

    def _table(self, content: str) -> str:
        return self.tables.setdefault(content, f"_TABLE_{len(self.tables) + 1}")


def _listed(numbers: tuple[float, ...]) -> str:
    return f"({', '.join(map(repr, numbers))},)"


def _number(value: float) -> str:
    if math.isinf(value):
        return "_INF" if value > 0 else "-_INF"
    return repr(float(value))


def _cell(value: Cell) -> str:
    return repr(value) if isinstance(value, str) else _number(value)
