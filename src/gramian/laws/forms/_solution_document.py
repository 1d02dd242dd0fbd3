"""Documents of solutions: dictionaries of lists, numbers and texts that can be stored as JSON.

A document has the terms of the numerator ("above"), the terms of the denominator ("below"), and the
function that is applied to the ratio. A term is a coefficient and a list of factors. A factor is
a column, a function from a fixed list, and an exponent. Nothing in a document is executed.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from gramian.formulas import Formula, Term
from gramian.laws.columns import ROUNDING_KEYS, UNROUNDED, Rounding, stored_clock, stored_rounding
from gramian.laws.forms._law import ATOMS, COMPARISONS, Power, plain_power
from gramian.laws.forms._law_terms import PlainFunction, formula_of, plain_function
from gramian.tables import Clock

if TYPE_CHECKING:
    from gramian.laws.forms._solution import Solution

FUNCTIONS = ("root", "exp", "log")
"""Names of the functions that may be applied to the ratio."""
MOST_TERMS = 10_000
MOST_FACTORS = 100
LARGEST_EXPONENT = 100
LARGEST = sys.float_info.max


def document_of(solution: Solution) -> dict[str, Any]:
    """Return a solution as a document: a dictionary that can be stored as JSON."""
    document = {
        "column": solution.column,
        "above": terms_document(solution.numerator.terms),
        "below": terms_document(solution.denominator.terms),
        "digits": [list(side.digits) for side in (solution.numerator, solution.denominator)],
        "function": solution._function,
        "root": _power(solution.root),
        "negative": solution.negative,
    }
    if solution.rounding != UNROUNDED:
        document |= solution.rounding.document()
    return document | clocks_document(solution.clocks)


def clocks_document(clocks: Mapping[str, Clock]) -> dict[str, Any]:
    """Return the entry of a stored law that has the clocks of its columns of dates, if any."""
    if not clocks:
        return {}
    entries = {name: {"origin": each.origin, "unit": each.unit} for name, each in clocks.items()}
    return {"clocks": entries}


def stored_clocks(document: Mapping[str, Any]) -> dict[str, Clock]:
    """Return the clocks of a stored law, by column; raise a ValueError for other documents."""
    clocks = document.get("clocks", {})
    if not isinstance(clocks, dict):
        raise ValueError(f"The clocks of a stored law must have names; got {_short(clocks)}.")
    return {_name(name): stored_clock(each) for name, each in clocks.items()}


def terms_document(terms: Sequence[Term]) -> list[dict[str, Any]]:
    """Return terms as a list that can be stored as JSON."""
    return [_term(each) for each in terms]


def stored_terms(terms: Any, where: str) -> tuple[Term, ...]:
    """Return stored terms; raise a ValueError that says what is wrong with other documents.

    Parameters
    ----------
    terms : object
        The result of `terms_document`.
    where : str
        The place of the terms in the law, for messages.
    """
    if not isinstance(terms, list) or not 0 < len(terms) <= MOST_TERMS:
        raise ValueError(
            f"The terms {where} must be a list of 1 to {MOST_TERMS}; got {_short(terms)}."
        )
    return tuple(_read_term(each) for each in terms)


def _term(term: Term) -> dict[str, Any]:
    factors: list[list[Any]] = []
    for key, factor in term.factors.items():
        if isinstance(factor, PlainFunction):
            factors += [[key[0], atom, _power(power)] for atom, power in factor.parts]
        elif isinstance(factor, (int, Fraction)) and isinstance(key, str):
            factors.append([key, "x", _power(factor)])
        else:
            raise ValueError(f"The law cannot be stored: it has an unknown function of {key!r}.")
    return {"coefficient": float(term.coefficient), "factors": factors}


def _power(power: Power) -> list[int]:
    exact = Fraction(power)
    return [exact.numerator, exact.denominator]


def solution_parts(
    document: Any,
) -> tuple[str, Formula, Formula, Power, bool, bool, bool, Rounding, dict[str, Clock]]:
    """Return the arguments of `Solution` from a document of `document_of`.

    Any other document raises a ValueError that says what is wrong.
    """
    keys = {"column", "above", "below", "digits", "function", "root", "negative"}
    if isinstance(document, dict):
        keys |= {*ROUNDING_KEYS, "clocks"}.intersection(document)
    found = _mapping(document, keys, "a solved law")
    rounding = stored_rounding(found)
    clocks = stored_clocks(found)
    digits = found["digits"]
    if not isinstance(digits, list) or len(digits) != 2:
        raise ValueError("A solved law must have digits for the terms above and for those below.")
    above = _formula(found["above"], digits[0], "above")
    below = _formula(found["below"], digits[1], "below")
    if not all(term.coefficient for term in below.terms):
        raise ValueError("A coefficient of the terms below must not be zero.")
    function, negative = found["function"], found["negative"]
    if function not in FUNCTIONS or not isinstance(function, str):
        raise ValueError(
            f"The function of a solved law must be one of {FUNCTIONS}; got {_short(function)}."
        )
    if not isinstance(negative, bool):
        raise ValueError(f"'negative' must be true or false; got {_short(negative)}.")
    root = _read_power(found["root"])
    column = _name(found["column"])
    if column in (*above.columns, *below.columns):
        raise ValueError(f"A solved law must not compute {column!r} from itself.")
    kind = (function == "exp", negative, function == "log")
    return column, above, below, root, *kind, rounding, clocks


def _formula(terms: Any, digits: Any, where: str) -> Formula:
    read = stored_terms(terms, where)
    if not isinstance(digits, list) or len(digits) != len(terms):
        raise ValueError(f"There must be a number of digits for each of the terms {where}.")
    return formula_of(read, [_whole(each, 1, 17) for each in digits])


def _read_term(document: Any) -> Term:
    found = _mapping(document, {"coefficient", "factors"}, "a term")
    coefficient, factors = found["coefficient"], found["factors"]
    if isinstance(coefficient, bool) or not isinstance(coefficient, (int, float)):
        raise ValueError(f"A coefficient must be a number; got {_short(coefficient)}.")
    if not abs(coefficient) <= LARGEST:
        raise ValueError(f"A coefficient must be finite; got {_short(coefficient)}.")
    if not isinstance(factors, list) or len(factors) > MOST_FACTORS:
        raise ValueError(f"A term must have a list of up to {MOST_FACTORS} factors.")
    made: dict[Any, Any] = {}
    functions: dict[str, list[tuple[str, int]]] = {}
    for factor in factors:
        if not isinstance(factor, list) or len(factor) != 3:
            raise ValueError(
                f"A factor must be a column, a function and an exponent; got {_short(factor)}."
            )
        name, atom, power = _name(factor[0]), _atom(factor[1]), _read_power(factor[2])
        if atom != "x":
            if not isinstance(power, int):
                raise ValueError(f"A function of {name!r} must have a whole exponent; got {power}.")
            functions.setdefault(name, []).append((atom, power))
        elif name in made:
            raise ValueError(f"A term must not have two powers of {name!r}.")
        else:
            made[name] = power
    for name, parts in functions.items():
        made[(name,)] = plain_function(tuple(parts))
    return Term(float(coefficient), made)


def _atom(value: Any) -> str:
    """Check the name of a stored function and return it; raise a ValueError for other names."""
    if isinstance(value, str):
        kind, _, threshold = value.partition(" ")
        if value == "x" or value in ATOMS:
            return value
        if kind in COMPARISONS:
            try:
                number = float(threshold)
            except ValueError:
                number = math.nan
            if math.isfinite(number):
                return f"{kind} {number!r}"
    raise ValueError(
        f"A function of a column must be one of the functions of laws; got {_short(value)}."
    )


def _read_power(value: Any) -> Power:
    if not isinstance(value, list) or len(value) != 2:
        raise ValueError(f"An exponent must be two whole numbers; got {_short(value)}.")
    above = _whole(value[0], -LARGEST_EXPONENT, LARGEST_EXPONENT)
    below = _whole(value[1], 1, LARGEST_EXPONENT)
    if above == 0:
        raise ValueError("An exponent must not be zero.")
    return plain_power(Fraction(above, below))


def _whole(value: Any, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise ValueError(f"Expected a whole number from {low} to {high}; got {_short(value)}.")
    return value


def _name(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"A column must have a name; got {_short(value)}.")
    return value


def _mapping(value: Any, keys: set[str], what: str) -> Mapping[str, Any]:
    if not isinstance(value, dict) or set(value) != keys:
        raise ValueError(f"The keys of {what} must be {sorted(keys)}; got {_short(value)}.")
    return value


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
