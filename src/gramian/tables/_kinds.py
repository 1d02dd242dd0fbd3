"""Kinds of PyArrow's types: numbers, text, dates, durations, and their conversion."""

from __future__ import annotations

from typing import Any

import numpy as np

from gramian._support.extras import require
from gramian._support.types import Array
from gramian.exceptions import FormatError

PYARROW = ("pyarrow", *(f"pyarrow.{part}" for part in ("compute", "csv", "dataset", "parquet")))
"""Modules of PyArrow that are used."""
PER_SECOND = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}
"""Units of PyArrow's durations, per second."""


def pyarrow() -> Any:
    """Return PyArrow; raise with an instruction to install it if it is missing."""
    package, *_ = (require(name, "Reading and writing tables in files") for name in PYARROW)
    return package


def is_number(kind: Any) -> bool:
    """Return True for a type of numbers; the type of a column without any value is one."""
    types = pyarrow().types
    return bool(
        types.is_integer(kind)
        or types.is_floating(kind)
        or types.is_boolean(kind)
        or types.is_decimal(kind)
        or types.is_null(kind)
    )


def is_text(kind: Any) -> bool:
    """Return True for a type of text."""
    if pyarrow().types.is_dictionary(kind):
        return is_text(kind.value_type)
    return str(kind) in ("string", "large_string", "string_view")


def is_date(kind: Any) -> bool:
    """Return True for a type of dates, with or without a time."""
    types = pyarrow().types
    return bool(types.is_date(kind) or types.is_timestamp(kind))


def is_duration(kind: Any) -> bool:
    """Return True for a type of times of the day or of durations."""
    types = pyarrow().types
    return bool(types.is_time(kind) or types.is_duration(kind))


def is_usable(kind: Any) -> bool:
    """Return True for a type of numbers, text, dates or durations; not bytes or nested values."""
    return any(fits(kind) for fits in (is_number, is_text, is_date, is_duration))


def plain(rows: Any) -> Any:
    """Return a table whose columns are floats, strings and dates only.

    Times of the day become seconds; dates with a time zone become local dates.

    Parameters
    ----------
    rows : pyarrow.Table
        The table.
    """
    columns = [_plain_column(column) for column in rows.columns]
    return pyarrow().table(columns, names=rows.column_names)


def _plain_column(column: Any) -> Any:
    arrow, kind = pyarrow(), column.type
    if is_text(kind):
        return column.cast(arrow.string())
    if is_date(kind):
        if arrow.types.is_timestamp(kind) and kind.tz is not None:
            column = arrow.compute.local_timestamp(column)
        return column.cast(arrow.timestamp("us"), safe=False)
    if is_duration(kind):
        whole = column.cast(arrow.int32() if kind.bit_width == 32 else arrow.int64())
        return arrow.compute.divide(whole.cast(arrow.float64(), safe=False), PER_SECOND[kind.unit])
    return column.cast(arrow.float64(), safe=False)


def n_missing(column: Any) -> int:
    """Return the number of missing values of a column of PyArrow's, NaN among them."""
    return int(pyarrow().compute.sum(column.is_null(nan_is_null=True)).as_py() or 0)


def as_array(rows: Any) -> Array:
    """Return a table of numbers as a new array; missing values become NaN.

    Parameters
    ----------
    rows : pyarrow.Table or pyarrow.RecordBatch
        The table. Integers too large for floating-point numbers are rounded.
    """
    arrow = pyarrow()
    if hasattr(rows, "to_batches"):
        parts = [as_array(batch) for batch in rows.to_batches()]
        empty = np.empty((0, rows.num_columns))
        return parts[0] if len(parts) == 1 else np.concatenate([empty, *parts])
    double = arrow.float64()
    x: Array
    if rows.num_columns and all(kind == double for kind in rows.schema.types):
        x = rows.to_tensor(null_to_nan=True, row_major=True).to_numpy()
        return x
    x = np.empty((rows.num_rows, rows.num_columns))
    for i, column in enumerate(rows.columns):
        x[:, i] = column.cast(double, safe=False).to_numpy(zero_copy_only=False)
    return x


def exact_array(rows: Any, purpose: str) -> Array:
    """Return a table as an array without rounding; raise if a column cannot be converted.

    Parameters
    ----------
    rows : pyarrow.Table
        The table.
    purpose : str
        The format that the array is written in, for messages.
    """
    arrow = pyarrow()
    columns = []
    for name, column in zip(rows.column_names, rows.columns, strict=True):
        try:
            if not is_number(column.type):
                raise arrow.ArrowInvalid("text may look like numbers")
            columns.append(column.cast(arrow.float64()).to_numpy())
        except arrow.ArrowException:
            raise FormatError(
                f"Column {name!r} cannot be written as {purpose}, which holds floating-point "
                "numbers only: leave it out, or choose another format."
            ) from None
    return np.column_stack(columns)
