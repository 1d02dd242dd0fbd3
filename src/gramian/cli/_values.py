"""Parsers of option values: they read texts such as 0.95, auto or 500MB."""

from __future__ import annotations

import re

import typer

UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
"""Bytes in each decimal unit, by its first letter: kB, MB, GB, TB."""
BINARY_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
"""Bytes in each binary unit, by its first letter: KiB, MiB, GiB, TiB."""


def count_or_share(text: str) -> float:
    """Read a number of columns (a positive whole number), or a share of the variance (0 to 1)."""
    value = _number(text)
    if text.strip().isdecimal() and value >= 1:
        return int(text)
    if 0 < value < 1:
        return value
    raise typer.BadParameter(
        f"{text!r} is neither a whole number of columns nor a share of the variance such as 0.95."
    )


def degree_or_auto(text: str) -> int | str:
    """Read a degree: a positive whole number, or "auto"."""
    if text == "auto":
        return text
    if text.isdecimal() and int(text) >= 1:
        return int(text)
    raise typer.BadParameter(f"{text!r} is neither a whole number such as 2 nor 'auto'.")


def penalty_or_auto(text: str) -> float | str:
    """Read a penalty: a number that is not negative, or "auto"."""
    if text == "auto":
        return text
    value = _number(text)
    if value >= 0:
        return value
    raise typer.BadParameter(f"{text!r} is neither a number such as 0.1 nor 'auto'.")


def variance(text: str) -> float:
    """Read a variance: a finite number that is not negative."""
    value = _number(text)
    if 0 <= value < float("inf"):
        return value
    raise typer.BadParameter(f"{text!r} is not a variance: give a number such as 0.001.")


def share(text: str) -> float:
    """Read a share: a number between 0 and 1, both excluded."""
    value = _number(text)
    if 0 < value < 1:
        return value
    raise typer.BadParameter(f"{text!r} is not a share between 0 and 1, such as 0.2.")


def share_or_zero(text: str) -> float:
    """Read a share that may be 0: a number from 0 to 1, 1 excluded."""
    value = _number(text)
    if 0 <= value < 1:
        return value
    raise typer.BadParameter(f"{text!r} is not a share from 0 to below 1, such as 0.02.")


def seconds_or_none(text: str) -> float:
    """Read a time limit: a positive number of seconds, or "none", which is infinite."""
    value = float("inf") if text.strip().lower() == "none" else _number(text)
    if value > 0:
        return value
    raise typer.BadParameter(f"{text!r} is neither a number of seconds such as 60 nor 'none'.")


def n_bytes(text: str) -> int:
    """Read a size of memory such as 500MB or 1.5GiB; return the number of bytes."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?) ?([kmgt]?)(i?)b?", text.strip().lower())
    if match is None:
        raise typer.BadParameter(f"{text!r} is not a size such as 500MB or 2GiB.")
    number, unit, binary = match.groups()
    size = int(float(number) * (BINARY_UNITS if binary else UNITS)[unit])
    if size < 2**20:
        raise typer.BadParameter(f"{text!r} is too little: give at least 1MiB.")
    return size


def one_character(text: str) -> str:
    r"""Read a delimiter of a CSV file: one ASCII character, or \t for a tab."""
    text = "\t" if text == r"\t" else text
    if len(text) != 1 or not text.isascii() or text in '"\r\n':
        raise typer.BadParameter("a delimiter is one character, such as ';'.")
    return text


def point_or_comma(text: str) -> str:
    """Read the sign before the fraction of a number: a point or a comma."""
    if text not in (".", ","):
        raise typer.BadParameter("the decimal sign is '.' or ','.")
    return text


def _number(text: str) -> float:
    """Return a text as a number; return -1, which no option accepts, if it is not a number."""
    try:
        return float(text)
    except ValueError:
        return -1.0
