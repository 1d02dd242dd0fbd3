"""Names and numbers as text and as LaTeX."""

from __future__ import annotations

import math
import re
from fractions import Fraction

DIGITS = 4
"""Significant digits of a printed number, unless more are needed."""
MAX_DIGITS = 12
MAX_DENOMINATOR = 12
"""Largest denominator of a simple fraction: as text, as coefficient, as exponent."""
MAX_NUMERATOR = 1_000
"""Largest numerator of a fraction that is written as a fraction; others become decimals."""
MINUS = "\N{MINUS SIGN}"
_SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_UNCLEAR = re.compile(r"[^\w .,:;%#&@'°µ$-]|^[\s\d.-]|\s$|\s\s|^$|[⁰¹²³⁴-⁹]")
"""Names that are unclear within a formula: with operators or brackets, or like numbers."""
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
    """Return an exponent in superscript digits; an empty text for 1."""
    return "" if exponent == 1 else str(exponent).translate(_SUPERSCRIPTS)


def powered(name: str, exponent: int | Fraction) -> str:
    """Return a power as text: x², √x, x^(3/2)."""
    if isinstance(exponent, int):
        return name + superscript(exponent)
    return f"√{name}" if exponent == Fraction(1, 2) else f"{name}^({exponent})"


def latex_powered(name: str, exponent: int | Fraction) -> str:
    """Return a power in LaTeX."""
    return name if exponent == 1 else f"{name}^{{{exponent}}}"


def fraction(value: float) -> str | None:
    """Return a number as a simple fraction; None if it has a short decimal or is no fraction."""
    near = Fraction(value).limit_denominator(MAX_DENOMINATOR)
    short = float(f"{value:.{DIGITS - 1}e}") == value
    if short or not 0 < near.numerator < MAX_NUMERATOR or float(near) != value:
        return None
    return str(near)


def quote(name: str) -> str:
    """Return a name, in backquotes if it could be read as a part of the formula around it."""
    if not _UNCLEAR.search(name):
        return name
    return "`" + _printable(name).replace("`", "``") + "`"


def latex_name(name: str) -> str:
    """Return a name in LaTeX: upright letters, special signs escaped."""
    letters = "".join(_LATEX.get(letter, letter) for letter in _printable(name))
    return rf"\mathrm{{{letters}}}"


def _printable(name: str) -> str:
    return "".join(letter if letter.isprintable() else "�" for letter in name)


def number(value: float, digits: int = DIGITS) -> str:
    """Return a number as text with so many significant digits, without trailing zeros."""
    mantissa, exponent = _decimal(value, digits)
    if not exponent:
        return mantissa.replace("-", MINUS)
    power = f"10{superscript(exponent)}"
    return power if mantissa == "1" else f"{mantissa} · {power}".replace("-", MINUS)


def latex_number(value: float, digits: int = DIGITS) -> str:
    """Return a number in LaTeX with so many significant digits, without trailing zeros."""
    mantissa, exponent = _decimal(value, digits)
    if not exponent:
        return mantissa
    power = f"10^{{{exponent}}}"
    return power if mantissa == "1" else rf"{mantissa} \cdot {power}"


def _decimal(value: float, digits: int) -> tuple[str, int]:
    """Return the mantissa as text and the exponent of ten; the exponent is 0 for plain decimals."""
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
    """Return R² as text with four decimals, never rounded up to 1."""
    if value > 1 - 1e-9:
        return "1"
    if value > 0.99995:
        return ">0.9999"
    return f"{round(value, 4) + 0.0:.4f}".replace("-", MINUS)  # adding zero drops its sign
