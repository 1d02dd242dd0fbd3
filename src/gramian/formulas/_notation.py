"""Names, numbers and powers, written as plain text and as LaTeX."""

from __future__ import annotations

import math
import re
from fractions import Fraction

DIGITS = 4
"""Default number of significant digits of a printed number."""
MAX_DIGITS = 12
"""Largest number of significant digits of a printed coefficient."""
MAX_DENOMINATOR = 12
"""Largest denominator of a fraction that is printed, or tried as coefficient or exponent."""
PART_DIGITS = 3
"""Largest number of digits, without zeros at the end, of a number n in a fraction 1/n."""
MAX_NUMERATOR = 1_000
"""A fraction with a numerator of at least this is printed as a decimal number."""
NEARLY = 2e-5
"""Largest relative difference of coefficients that are printed as short ones of log10 or 10^x."""
MINUS = "\N{MINUS SIGN}"
_SUPERSCRIPTS = str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
_UNCLEAR = re.compile(r"[^\w .,:;%#&@'°µ$-]|^[\s\d.-]|\s$|\s\s|^$|[⁰¹²³⁴-⁹]")
"""Pattern of names that need backquotes: with operators or brackets, or like numbers."""
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
    """Return an exponent in superscript digits; an empty text for the exponent 1."""
    return "" if exponent == 1 else str(exponent).translate(_SUPERSCRIPTS)


def powered(name: str, exponent: int | Fraction) -> str:
    """Return a power of a name as text: x², √x, x^(3/2)."""
    if isinstance(exponent, int):
        return name + superscript(exponent)
    return f"√{name}" if exponent == Fraction(1, 2) else f"{name}^({exponent})"


def latex_powered(name: str, exponent: int | Fraction) -> str:
    """Return a power of a name in LaTeX."""
    return name if exponent == 1 else f"{name}^{{{exponent}}}"


def fraction(value: float) -> str | None:
    """Return a number as a fraction in text, such as "5/9" or "1/3600".

    Return None for a short decimal, or if no small fraction is equal to the number.
    """
    if not math.isfinite(value) or float(f"{value:.{DIGITS - 1}e}") == value:
        return None
    near = Fraction(value).limit_denominator(MAX_DENOMINATOR)
    if 0 < near.numerator < MAX_NUMERATOR and float(near) == value:
        return str(near)
    parts = float(f"{1 / value:.{PART_DIGITS - 1}e}")
    return f"1/{int(parts)}" if parts > 1 and parts.is_integer() and 1 / parts == value else None


def latex_fraction(value: float) -> str | None:
    """Return a number as a fraction in LaTeX; None where `fraction` returns None."""
    text = fraction(value)
    if text is None or "/" not in text:
        return text
    return rf"\tfrac{{{text.replace('/', '}{')}}}"


def decimal_logarithm(coefficient: float) -> float | None:
    """Return the coefficient of log10(x) that is equal to a coefficient of the natural log(x).

    Return None if the coefficient is a short number itself, or if that of log10(x) is not.
    """
    return _short_multiple(coefficient, coefficient * math.log(10))


def power_of_ten(coefficient: float) -> float | None:
    """Return the short number f if exp(coefficient · x) is 10^(f · x); None if there is none."""
    return _short_multiple(coefficient, coefficient / math.log(10))


def _short_multiple(value: float, multiple: float) -> float | None:
    """Return `multiple`, rounded, if it is nearly a number of two digits and `value` is not."""
    short = float(f"{multiple:.1e}")
    if not short or float(f"{value:.2e}") == value:
        return None
    return short if abs(short - multiple) <= NEARLY * abs(multiple) else None


def quote(name: str) -> str:
    """Return a name, in backquotes if it could be misread as a part of a formula."""
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
    """Return a number as text with `digits` significant digits, without zeros at the end."""
    mantissa, exponent = _decimal(value, digits)
    if not exponent:
        return mantissa.replace("-", MINUS)
    power = f"10{superscript(exponent)}"
    return power if mantissa == "1" else f"{mantissa} · {power}".replace("-", MINUS)


def latex_number(value: float, digits: int = DIGITS) -> str:
    """Return a number in LaTeX with `digits` significant digits, without zeros at the end."""
    mantissa, exponent = _decimal(value, digits)
    if not exponent:
        return mantissa
    power = f"10^{{{exponent}}}"
    return power if mantissa == "1" else rf"{mantissa} \cdot {power}"


def _decimal(value: float, digits: int) -> tuple[str, int]:
    """Split a number: return its mantissa as text and its power of ten, 0 for a plain decimal."""
    rounded = float(f"{value:.{digits - 1}e}")
    if rounded == 0 or not math.isfinite(rounded):
        return f"{rounded:g}", 0
    mantissa, power = f"{rounded:.{digits - 1}e}".split("e")
    exponent = int(power)
    plain = -5 < exponent < max(6, digits)
    text = f"{rounded:.{max(0, digits - 1 - exponent)}f}" if plain else mantissa
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return text, 0 if plain else exponent


def r_squared(value: float) -> str:
    """Return R² as text with four decimals; values below 1 - 1e-9 are not rounded up to 1."""
    if value > 1 - 1e-9:
        return "1"
    if value > 0.99995:
        return ">0.9999"
    return f"{round(value, 4) + 0.0:.4f}".replace("-", MINUS)  # adding 0.0 changes -0.0 to 0.0
