"""Conversion of the columns of a table to NumPy arrays: of floats, of dates, or of objects (text).

A missing number or text becomes NaN.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._support.given_data import as_given
from gramian._support.words import listed, plural, the_columns

ColumnValues = dict[str, NDArray[Any]]
"""Dictionary from the name of each column to the array of its values."""


def columns_of(table: Any, names: Sequence[str]) -> ColumnValues:
    """Return some columns of a table as a dictionary from name to array.

    Parameters
    ----------
    table : data frame or mapping from str to array-like
        The table.
    names : sequence of str
        Names of the columns to return.
    """
    known = getattr(table, "columns", table)
    known = getattr(table, "column_names", known)  # in PyArrow, `columns` are values, not names
    if isinstance(table, np.ndarray) or not isinstance(known, Iterable):
        raise TypeError("A table with names is needed: a data frame, or a mapping of columns.")
    have = [str(name) for name in known]
    key = dict(zip(have, known, strict=True))
    absent = [name for name in names if name not in key]
    if absent:
        raise ValueError(
            f"{about_columns(absent, 'is', 'are')} not in the table, whose columns are "
            f"{listed(have)}."
        )
    twice = [name for name in names if have.count(name) > 1] if len(key) < len(have) else []
    if twice:
        raise ValueError(f"{about_columns(twice, 'occurs', 'occur')} more than once in the table.")
    return {name: _values(name, table[key[name]]) for name in names}


def about_columns(names: Sequence[str], one: str, many: str) -> str:
    """Return the beginning of a sentence: "Column 'a' has", "Columns 'a' and 'b' have".

    Parameters
    ----------
    names : sequence of str
        Names of the columns.
    one, many : str
        Forms of the verb for one column and for several columns, such as "has" and "have".
    """
    text = the_columns(names)
    return f"{text[0].upper()}{text[1:]} {plural(len(names), one, many)}"


def _values(name: str, column: Any) -> NDArray[Any]:
    """Return a column as an array of floats, of dates with microseconds, or of objects (text)."""
    column = as_given(column)
    values = np.asarray(column)
    if values.ndim == 1 and values.dtype.kind == "M":
        return values.astype("datetime64[us]")
    if values.ndim != 1 or values.dtype.kind not in "fiubOUT":
        raise ValueError(
            f"Column {name!r} contains {values.dtype}, and only numbers, text and dates can be "
            "used."
        )
    if values.dtype.kind in "fiub":
        return values.astype(np.float64, copy=False)
    values = np.asarray(column, dtype=object)  # a dtype of text would turn NaN into "nan"
    # str(...), because a comparison with pandas.NA returns NA, and bool(NA) raises an error.
    absent = [value is None or str(value == value) != "True" for value in values]
    values = np.where(absent, np.nan, values)
    if all(isinstance(value, Real | Decimal) for value in values):
        return values.astype(np.float64)
    return values


def check_numbers(name: str, values: NDArray[Any]) -> None:
    """Raise ValueError if a column that should have numbers has text or infinite values.

    Parameters
    ----------
    name : str
        Name of the column, for the message.
    values : array
        Values of the column.
    """
    if values.dtype == object:
        text = [value for value in values if not isinstance(value, Real)]
        example = next((value for value in text if not is_numeric(value)), text[0])
        raise ValueError(
            f"Column {name!r} contains {str(example)[:60]!r}, but the model takes numbers."
        )
    if np.isinf(values).any():
        raise ValueError(f"Column {name!r} contains infinity.")


def is_numeric(value: Any) -> bool:
    """Return True if a value is a number, or a text that Python can convert to a number."""
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def labels_of(values: NDArray[Any]) -> NDArray[Any]:
    """Return the values of a column as text, "3" for 3.0; missing values stay NaN."""
    labels = np.empty(len(values), dtype=object)
    labels[:] = [
        value
        if value != value
        # 3.0 is written as "3": a column of integers has floats if a value is missing
        else str(int(value) if isinstance(value, float) and value.is_integer() else value)
        for value in values.tolist()
    ]
    return labels
