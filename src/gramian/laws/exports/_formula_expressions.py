"""Formula expressions: terms and formulas of laws, and the dates in them, as expressions."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from gramian.formulas import Formula, Term
from gramian.laws.exports._expressions import (
    Choice,
    Compare,
    DateColumn,
    Expression,
    Function,
    Number,
    NumberColumn,
    Power,
    Product,
    Sign,
    Sum,
)
from gramian.laws.forms import PlainFunction, comparison
from gramian.tables import Clock

SIGNS: Mapping[str, tuple[Sign, Sign]] = {
    "le": ("<=", ">"),
    "lt": ("<", ">="),
    "ge": (">=", "<"),
    "gt": (">", "<="),
    "eq": ("=", "<>"),
    "ne": ("<>", "="),
}
"""Name of a comparison → its sign, and the sign of the opposite comparison."""


class NotExportedError(Exception):
    """A law cannot be said in a target; the message is the reason, as a part of a sentence."""


def formula(formula: Formula, clocks: Mapping[str, Clock]) -> Expression:
    """Return a formula as an expression.

    Parameters
    ----------
    formula : Formula
        A sum of terms.
    clocks : mapping from str to Clock
        The clocks of the columns of dates.
    """
    parts = [term(each, clocks) for each in formula.terms]
    return parts[0] if len(parts) == 1 else Sum(tuple(parts)) if parts else Number(0.0)


def term(term: Term, clocks: Mapping[str, Clock]) -> Expression:
    """Return a term as an expression: its coefficient times its factors."""
    parts: list[Expression] = []
    for key, factor in term.factors.items():
        name = key if isinstance(key, str) else key[0]
        clock = clocks.get(name)
        x: Expression = NumberColumn(name) if clock is None else date_column(name, clock)
        if isinstance(factor, PlainFunction):
            product = [_atom(atom, power, x) for atom, power in factor.parts]
            parts.append(product[0] if len(product) == 1 else Product(tuple(product)))
        elif isinstance(factor, (int, Fraction)) and isinstance(key, str):
            parts.append(x if factor == 1 else Power(x, factor))
        else:
            raise NotExportedError(f"it has a function of {name!r} that exports do not know")
    if term.coefficient != 1 or not parts:
        parts = [Number(float(term.coefficient)), *parts]
    return parts[0] if len(parts) == 1 else Product(tuple(parts))


def _atom(atom: str, power: int, x: Expression) -> Expression:
    compared = comparison(atom)
    found: Expression
    if compared is None:
        found = Function(atom, x)  # type: ignore[arg-type]
    else:
        sign, other = SIGNS[compared[0]]
        limit = Number(compared[1])
        no = Choice(Compare(other, x, limit), Number(0.0))  # missing where x is missing
        found = Choice(Compare(sign, x, limit), Number(1.0), no)
    return found if power == 1 else Power(found, power)


def origin_of(clock: Clock) -> int:
    """Return the origin of a clock in microseconds since 1970."""
    return int(np.datetime64(clock.origin, "us").astype(np.int64))


def date_column(name: str, clock: Clock, *, whole: bool = False) -> DateColumn:
    """Return a column of dates as the numbers that a clock counts.

    Parameters
    ----------
    name : str
        The name of the column.
    clock : Clock
        The clock.
    whole : bool, default=False
        True if the time of the day is left away.
    """
    return DateColumn(name, origin_of(clock), clock.unit, whole and clock.unit == "days")
