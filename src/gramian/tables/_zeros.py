"""Whole numbers with zeros in front, such as 007 and 01970, which are codes rather than numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute

SCANNED_BYTES = 2**24
"""So much of a file is looked through."""
CELL = r"^[ \t]*-?0[0-9]+[ \t]*$"
"""What a cell with such a number looks like, quotes taken away."""


def may_be_in(parts: Iterator[bytes], delimiter: str) -> bool:
    """Return whether some cell of a text file looks like such a number, by its bytes.

    That takes a fraction of the time of reading the cells, and in most files there is none.

    Parameters
    ----------
    parts : iterator of bytes
        The file after its heading, cut anywhere.
    delimiter : str
        What is between values.
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
    """Return whether one of some whole cells looks like such a number."""
    padded = b"\n\n" + cells + b"\n"
    signs = np.frombuffer(padded, np.uint8)
    between = signs <= ord('"')  # ends of lines, blanks and quotes
    between |= signs == sign[0]
    begins = between[1:-2] | (between[:-3] & (signs[1:-2] == ord("-")))
    begins &= signs[2:-1] == ord("0")
    begins &= (signs[3:] >= ord("0")) & (signs[3:] <= ord("9"))
    places = np.flatnonzero(begins) + 2
    # The third sign tells times and dates, such as 08:30 and 01/02/2020.
    third = signs[places + 2]
    places = places[between[places + 2] | ((third >= ord("0")) & (third <= ord("9")))]
    pattern = re.compile(rb'0[0-9]+[ \t]*"?[ \t]*(?:[\r\n]|' + re.escape(sign) + rb")")
    return any(pattern.match(padded, place) for place in places.tolist())


def are_in(column: Any) -> bool:
    """Return whether some cell of a column is such a number.

    Parameters
    ----------
    column : pyarrow.ChunkedArray of str
        The cells, as they are written.
    """
    return bool(pa.compute.any(pa.compute.match_substring_regex(column, CELL)).as_py())
