"""Counts, shares, sizes, times and names of columns as text; all messages and reports use them.

- Counts have commas: ``12,345 rows``, ``1 row``.
- Shares are percentages with one decimal: ``73.1 %``. Only shares of 1 or 0, up to rounding errors,
  are ``100 %`` or ``0 %``; shares close to 1 or 0 are ``> 99.9 %`` or ``< 0.1 %``.
- Columns are in quotes. The first few columns are named, and further columns are counted:
  ``'a', 'b' and 12 more``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import Any

MAX_NAMED = 5
"""Largest number of columns that a sentence names."""
ROUNDING = 1e-9
"""Distance from 0 or 1 below which a share counts as 0 or 1."""


def names_or_numbers(names: Sequence[str] | None, n: int) -> list[str]:
    """Return the names of columns, or scikit-learn's names x0, x1, ... for columns without names.

    Parameters
    ----------
    names : sequence of str or None
        The names; None if the columns have no names.
    n : int
        The number of columns.

    Examples
    --------
    >>> names_or_numbers(None, 3)
    ['x0', 'x1', 'x2']
    """
    return [f"x{i}" for i in range(n)] if names is None else [*names]


def is_storable_text(value: Any) -> bool:
    """Return True if a value is text that a UTF-8 file can hold (no lone surrogates)."""
    return isinstance(value, str) and not any("\ud800" <= letter <= "\udfff" for letter in value)


def plural(n: int, one: str, many: str | None = None) -> str:
    """Return the form of a word that goes with a number.

    Parameters
    ----------
    n : int
        The number.
    one : str
        The word for one.
    many : str, optional
        The word for any other number; by default the word for one with an s.

    Examples
    --------
    >>> plural(1, "column"), plural(2, "column"), plural(2, "holds", "hold")
    ('column', 'columns', 'hold')
    """
    if n == 1:
        return one
    return f"{one}s" if many is None else many


def counted(n: int, noun: str) -> str:
    """Return a number and the word for what is counted, such as "12,345 rows".

    Parameters
    ----------
    n : int
        The number.
    noun : str
        The word for one thing.

    Examples
    --------
    >>> counted(1, "row"), counted(12345, "row")
    ('1 row', '12,345 rows')
    """
    return f"{n:,} {plural(n, noun)}"


def percent(share: float) -> str:
    """Return a share as a percentage, never rounded up to 100 % or down to 0 %.

    Parameters
    ----------
    share : float
        The share.

    Examples
    --------
    >>> percent(0.7306), percent(0.99996), percent(1.0), percent(0.0002), percent(-0.25)
    ('73.1 %', '> 99.9 %', '100 %', '< 0.1 %', '-25.0 %')
    """
    for whole in (0, 1):
        if abs(share - whole) < ROUNDING:
            return f"{100 * whole} %"
    if 0 < share < 0.0005:
        return "< 0.1 %"
    if 0.9995 <= share < 1:
        return "> 99.9 %"
    return f"{100 * share:.1f} %"


def small_percent(share: float) -> str:
    """Return a share as a percentage with two digits if `percent` would say "< 0.1 %".

    Parameters
    ----------
    share : float
        The share.

    Examples
    --------
    >>> small_percent(0.25), small_percent(0.0), small_percent(0.0000001)
    ('25.0 %', '0 %', '0.00001 %')
    """
    if share >= 0.001 or not share:
        return percent(share)
    return f"{Decimal(f'{100 * share:.2g}'):f} %"


def listed(names: Sequence[str], most: int = MAX_NAMED, quote: Callable[[str], str] = repr) -> str:
    """Write the first few names, and the number of further names.

    Parameters
    ----------
    names : sequence of str
        The names.
    most : int, default=5
        The largest number of names.
    quote : callable, default=repr
        Function from a name to the text that is written.

    Examples
    --------
    >>> listed(["a", "b"]), listed(["a", "b", "c"], most=2)
    ("'a' and 'b'", "'a', 'b' and 1 more")
    """
    shown = [quote(name) for name in names[:most]]
    if len(names) > most:
        shown.append(f"{len(names) - most:,} more")
    *first, last = shown or [""]
    return f"{', '.join(first)} and {last}" if first else last


def one_line(text: str) -> str:
    """Return a text with letters such as line ends written as escapes.

    Parameters
    ----------
    text : str
        Any text, such as a law with hostile names of columns.
    """
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode() for each in text
    )


def either(options: Iterable[str]) -> str:
    """Write alternatives, joined by "or".

    Parameters
    ----------
    options : iterable of str
        One or more alternatives.

    Examples
    --------
    >>> either(["more rows"]), either(["alpha=0.1", "a lower degree", "more rows"])
    ('more rows', 'alpha=0.1, a lower degree, or more rows')
    """
    *first, last = options
    return f"{', '.join(first)}, or {last}" if first else last


def infinite_value(name: str, row: int) -> str:
    """Return the message about an infinite value: its place, and the remedy.

    Parameters
    ----------
    name : str
        The column.
    row : int
        The row, counted from 0.
    """
    return (
        f"Column {name!r} has an infinite value in row {row}. Leave the row out, or mark the value "
        "as missing (NaN)."
    )


def the_columns(names: Sequence[str]) -> str:
    """Write the word "column" or "columns", and the names of the columns.

    Parameters
    ----------
    names : sequence of str
        The names.

    Examples
    --------
    >>> the_columns(["a"]), the_columns(["a", "b", "c"])
    ("column 'a'", "columns 'a', 'b' and 'c'")
    """
    return f"{plural(len(names), 'column')} {listed(names)}"


def cut(name: str, length: int) -> str:
    """Return a name, cut to `length` letters if it is longer.

    Parameters
    ----------
    name : str
        The name.
    length : int
        The largest number of letters.

    Examples
    --------
    >>> cut("temperature", 5)
    'temp…'
    """
    return name if len(name) <= length else name[: length - 1] + "…"


def data_size(n_bytes: float) -> str:
    """Return a number of bytes as text, such as "1.5 GiB".

    Parameters
    ----------
    n_bytes : float
        The number.

    Examples
    --------
    >>> data_size(300), data_size(3 * 2**29)
    ('300 bytes', '1.5 GiB')
    """
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if n_bytes < 1024:
            return f"{n_bytes:.0f} {unit}" if unit == "bytes" else f"{n_bytes:.1f} {unit}"
        n_bytes /= 1024
    return f"{n_bytes:.1f} TiB"


def duration(seconds: float) -> str:
    """Write a duration, rounded, in seconds, minutes or hours.

    Parameters
    ----------
    seconds : float
        The duration in seconds.

    Examples
    --------
    >>> duration(0.04), duration(20), duration(600), duration(9000)
    ('0.04 s', '20 s', '10 min', '2.5 h')
    """
    if seconds < 1:
        return f"{seconds:.1g} s"
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
