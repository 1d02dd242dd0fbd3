"""Columns of tables as arrays: floats, dates, or text as objects; NaN is a missing value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._support.words import listed, plural, the_columns

ColumnValues = dict[str, NDArray[Any]]
"""From the name of a column to its values."""


def columns_of(table: Any, names: Sequence[str]) -> ColumnValues:
    """Return columns of a table by name.

    Parameters
    ----------
    table : data frame or mapping from str to array-like
        The table.
    names : sequence of str
        The columns.
    """
    known = getattr(table, "columns", table)
    known = getattr(table, "column_names", known)  # PyArrow's columns are the data themselves
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
    """Return the beginning of a sentence: the columns, and the verb for one or for many.

    Parameters
    ----------
    names : sequence of str
        The columns.
    one, many : str
        The forms of the verb.
    """
    text = the_columns(names)
    return f"{text[0].upper()}{text[1:]} {plural(len(names), one, many)}"


def _values(name: str, column: Any) -> NDArray[Any]:
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
    values = np.asarray(column, dtype=object)  # otherwise NaN in a list of text becomes "nan"
    # A comparison with pandas' NA gives NA, whose truth value is an error.
    absent = [value is None or str(value == value) != "True" for value in values]
    values = np.where(absent, np.nan, values)
    if all(isinstance(value, Real) for value in values):
        return values.astype(np.float64)
    return values


def check_numbers(name: str, values: NDArray[Any]) -> None:
    """Refuse text and infinite values in a column of numbers.

    Parameters
    ----------
    name : str
        The column.
    values : array
        Its values.
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
    """Return True if a value is a number, or a text that Python reads as a number."""
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def labels_of(values: NDArray[Any]) -> NDArray[Any]:
    """Write values as text; NaN stays, as a missing value."""
    labels = np.empty(len(values), dtype=object)
    labels[:] = [
        value
        if value != value
        # integers become whole floats if one of them is missing
        else str(int(value) if isinstance(value, float) and value.is_integer() else value)
        for value in values.tolist()
    ]
    return labels
