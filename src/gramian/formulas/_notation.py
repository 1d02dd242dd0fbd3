"""Names and numbers as text and as LaTeX."""

from __future__ import annotations

import math
import re
from fractions import Fraction

DIGITS = 4
"""Significant digits, unless more are needed."""
MAX_DIGITS = 12
MAX_DENOMINATOR = 12
MAX_NUMERATOR = 1_000
"""Fractions with larger denominators or numerators are written as decimals."""
MINUS = "\N{MINUS SIGN}"
_SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_UNCLEAR = re.compile(r"[^\w .,:;%#&@'°µ$-]|^[\s\d.-]|\s$|\s\s|^$|[⁰¹²³⁴-⁹]")
"""What makes a name unclear within a formula: operators, brackets, and names that are numbers."""
_LATEX = {
    "\\": r"\backslash ",
    "^": r"\wedge ",
    "~": r"\sim ",
    " ": r"\ ",
    "'": r"\prime ",
    '"': r"\prime \prime ",
    **{sign: "\\" + sign for sign in "_%$#&{}"},
}


def superscript(exponent: int) -> str:
    """Write an exponent; nothing if it is 1."""
    return "" if exponent == 1 else str(exponent).translate(_SUPERSCRIPTS)


def powered(name: str, exponent: int | Fraction) -> str:
    """Write a power: x², √x, x^(3/2)."""
    if isinstance(exponent, int):
        return name + superscript(exponent)
    return f"√{name}" if exponent == Fraction(1, 2) else f"{name}^({exponent})"


def latex_powered(name: str, exponent: int | Fraction) -> str:
    """Write a power in LaTeX."""
    return name if exponent == 1 else f"{name}^{{{exponent}}}"


def fraction(value: float) -> str | None:
    """Write a number as a fraction, if it is a simple one that has no short decimal."""
    near = Fraction(value).limit_denominator(MAX_DENOMINATOR)
    short = float(f"{value:.{DIGITS - 1}e}") == value
    if short or not 0 < near.numerator < MAX_NUMERATOR or float(near) != value:
        return None
    return str(near)


def quote(name: str) -> str:
    """Write a name so that it cannot be taken for a part of the formula around it."""
    if not _UNCLEAR.search(name):
        return name
    return "`" + _printable(name).replace("`", "``") + "`"


def latex_name(name: str) -> str:
    """Write a name in upright letters, with the special signs of LaTeX escaped."""
    letters = "".join(_LATEX.get(letter, letter) for letter in _printable(name))
    return rf"\mathrm{{{letters}}}"


def _printable(name: str) -> str:
    return "".join(letter if letter.isprintable() else "�" for letter in name)


def number(value: float, digits: int = DIGITS) -> str:
    """Write a number with this many significant digits, without trailing zeros."""
    mantissa, exponent = _decimal(value, digits)
    if not exponent:
        return mantissa.replace("-", MINUS)
    power = f"10{superscript(exponent)}"
    return power if mantissa == "1" else f"{mantissa} · {power}".replace("-", MINUS)


def latex_number(value: float, digits: int = DIGITS) -> str:
    """Write a number as `number` does, in LaTeX."""
    mantissa, exponent = _decimal(value, digits)
    if not exponent:
        return mantissa
    power = f"10^{{{exponent}}}"
    return power if mantissa == "1" else rf"{mantissa} \cdot {power}"


def _decimal(value: float, digits: int) -> tuple[str, int]:
    """Return a factor and the exponent of ten; the exponent is 0 if it is not needed."""
    rounded = float(f"{value:.{digits - 1}e}")
    if rounded == 0 or not math.isfinite(rounded):
        return f"{rounded:g}", 0
    exponent = math.floor(math.log10(abs(rounded)))
    plain = -5 < exponent < max(6, digits)
    places = max(0, digits - 1 - (exponent if plain else 0))
    text = f"{rounded if plain else rounded / 10.0**exponent:.{places}f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return text, 0 if plain else exponent


def r_squared(value: float) -> str:
    """Write R² with four decimals, never rounded up to 1."""
    if value > 1 - 1e-9:
        return "1"
    if value > 0.99995:
        return ">0.9999"
    return f"{round(value, 4) + 0.0:.4f}".replace("-", MINUS)  # adding zero drops its sign
