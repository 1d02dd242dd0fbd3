"""Detection of codes in text files, such as zip codes and serial numbers.

A code is a whole number with leading zeros, as 007 and 01970, or one beyond 2**53, which floats
cannot hold. Codes are read as text: as numbers they would lose their zeros or their last digits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute

from gramian.tables._kinds import is_beyond_floats

SCANNED_BYTES = 2**24
"""Number of bytes, from the beginning of a file, that are searched for codes."""
MANY_DIGITS = 16
"""Whole numbers with at least this many digits may be beyond 2**53."""
WITH_ZEROS = r"^[ \t]*-?0[0-9]+[ \t]*$"
"""Pattern of a cell that is a whole number with leading zeros; quotes are already removed."""
LONG = rf"^[ \t]*-?[0-9]{{{MANY_DIGITS},}}[ \t]*$"
"""Pattern of a cell that is a whole number with many digits; quotes are already removed."""

HEXADECIMAL = r"^[ \t]*-?0[xX]"
"""Pattern of a cell that is a whole number in hexadecimal digits; quotes are already removed."""


def may_be_in(parts: Iterator[bytes], delimiter: str) -> bool:
    """Return True if a cell of a text file may be a code, by a fast search in the bytes.

    The search is much faster than reading the cells, and most files have no codes.

    Parameters
    ----------
    parts : iterator of bytes
        Content of the file without the line of column names, in parts of any size.
    delimiter : str
        Character that separates the values.
    """
    sign = delimiter.encode()
    rest, n_bytes = b"", 0
    for part in parts:
        whole = rest + part
        end = max(whole.rfind(b"\n"), whole.rfind(sign)) + 1
        rest = whole[end:]
        if _is_in(whole[:end], sign):
            return True
        n_bytes += len(part)
        if n_bytes >= SCANNED_BYTES:
            return False
    return _is_in(rest, sign)


def _is_in(cells: bytes, sign: bytes) -> bool:
    """Return True if the bytes of complete cells contain a cell that looks like a code.

    `sign` is the delimiter.
    """
    padded = b"\n\n" + cells + b"\n"
    signs = np.frombuffer(padded, np.uint8)
    between = signs <= ord('"')  # line ends, blanks and quotes
    between |= signs == sign[0]
    digits = (signs >= ord("0")) & (signs <= ord("9"))
    begins = between[1:-2] | (between[:-3] & (signs[1:-2] == ord("-")))
    zeros = begins & (signs[2:-1] == ord("0")) & digits[3:]
    places = np.flatnonzero(zeros) + 2
    # The third character excludes times and dates, such as 08:30 and 01/02/2020.
    places = places[between[places + 2] | digits[places + 2]]
    many = digits[2:]
    for step in (1, 2, 4, 8):  # runs of 2, 4, 8, 16 digits
        many = many[:-step] & many[step:]
    long = np.flatnonzero(begins[: len(many)] & many) + 2
    pattern = re.compile(rb'[0-9]+[ \t]*"?[ \t]*(?:[\r\n]|' + re.escape(sign) + rb")")
    return any(pattern.match(padded, place) for place in [*places.tolist(), *long.tolist()])


def are_hexadecimal(column: Any) -> bool:
    """Return True if at least one cell of a column is a whole number such as 0xC5.

    Parameters
    ----------
    column : pyarrow.ChunkedArray of str
        Cells of the column, as they are written in the file.
    """
    compute = pa.compute
    return bool(compute.any(compute.match_substring_regex(column, HEXADECIMAL)).as_py())


def are_in(column: Any) -> bool:
    """Return True if at least one cell of a column is a code.

    Parameters
    ----------
    column : pyarrow.ChunkedArray of str
        Cells of the column, as they are written in the file.
    """
    compute = pa.compute
    if compute.any(compute.match_substring_regex(column, WITH_ZEROS)).as_py():
        return True
    long = column.filter(compute.match_substring_regex(column, LONG))
    try:
        return is_beyond_floats(compute.ascii_trim_whitespace(long).cast(pa.int64()))
    except pa.ArrowInvalid:
        return True
