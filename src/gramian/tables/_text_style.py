"""Style of a text file: delimiter, decimal sign, line ends, and byte order mark."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gramian.tables._kinds import pyarrow

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
"""Bytes that some programs write before UTF-8 text."""
LARGE, TOO_LARGE = 1e10, 1e16
"""Numbers in this range are written by digits, where PyArrow writes an exponent."""


@dataclass(frozen=True)
class TextStyle:
    """How a text file is written."""

    delimiter: str = ","
    decimal: str = "."
    """Sign before the fraction of numbers."""
    line_end: str = "\n"
    mark: bool = False
    """True if the file begins with a byte order mark."""

    @classmethod
    def of(cls, head: bytes, delimiter: str, decimals: Iterable[str | None]) -> TextStyle:
        """Return the style of a file.

        Parameters
        ----------
        head : bytes
            The first lines of the file.
        delimiter : str
            Character that separates the values.
        decimals : iterable of str or None
            Signs before fractions in the columns, as far as they are known.
        """
        end = head.find(b"\n")
        line_end = "\r" if end < 0 else ("\r\n" if head[end - 1 : end] == b"\r" else "\n")
        decimal = "," if "," in decimals else "."
        return cls(delimiter, decimal, line_end, head.startswith(BYTE_ORDER_MARK))


def number_texts(column: Any, decimal: str = ".") -> Any:
    """Return numbers as texts: by digits, and with a decimal sign.

    Parameters
    ----------
    column : pyarrow.ChunkedArray
        Floats or decimals; NaN must be null.
    decimal : str
        The sign before the fraction.
    """
    arrow = pyarrow()
    text = column.cast(arrow.large_string())
    if has_large(column):
        chunks = getattr(column, "chunks", [column])
        text = arrow.chunked_array([_digits(each) for each in chunks], arrow.large_string())
    return text if decimal == "." else arrow.compute.replace_substring(text, ".", decimal)


def _digits(column: Any) -> Any:
    """Return an array of floats as texts, without exponents unless they are very large or small."""
    arrow = pyarrow()
    compute, text = arrow.compute, column.cast(arrow.large_string())
    size = compute.abs(column)
    large = compute.and_(compute.greater_equal(size, LARGE), compute.less(size, TOO_LARGE))
    large = compute.fill_null(large, False)
    numbers = column.filter(large).to_numpy(zero_copy_only=False)
    digits = [np.format_float_positional(each, trim="-") for each in numbers]
    return compute.replace_with_mask(text, large, arrow.array(digits, arrow.large_string()))


def has_large(column: Any) -> bool:
    """Return True if a column has floats that PyArrow would write with a positive exponent."""
    arrow = pyarrow()
    if not arrow.types.is_floating(column.type):
        return False
    ends = arrow.compute.min_max(column).as_py()
    return max((abs(each) for each in ends.values() if each is not None), default=0.0) >= LARGE
