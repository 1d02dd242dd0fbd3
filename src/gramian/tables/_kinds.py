"""Kinds of PyArrow types (numbers, text, dates, durations), and conversions of columns."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

import numpy as np

from gramian._support.extras import require
from gramian._support.types import Array
from gramian.exceptions import FormatError

PYARROW = ("pyarrow", *(f"pyarrow.{part}" for part in ("compute", "csv", "dataset", "parquet")))
"""Modules of PyArrow that `pyarrow` imports."""
LARGEST_WHOLE = 2**53
"""Float64 holds all whole numbers up to this one exactly, and not all beyond it."""
SAFE_DIGITS = 15
"""Float64 tells all decimals with up to this many digits apart."""
OFFSET = re.compile("([+-])([0-9]{2}):?([0-9]{2})")
"""Pattern of a time zone that is an offset from UTC, such as +01:00."""
KNOWS_VIEWS = 24
"""First version of PyArrow that reads and converts all columns of type string_view."""
PER_SECOND = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}
"""From each unit of PyArrow durations to the number of units in a second."""


def pyarrow() -> Any:
    """Import and return PyArrow; if it is not installed, raise an error that tells what to do."""
    package, *_ = (require(name, "Reading and writing tables in files") for name in PYARROW)
    return package


def is_number(kind: Any) -> bool:
    """Return True if a PyArrow type is a number, a truth value, or null (all cells empty)."""
    types = pyarrow().types
    return bool(
        types.is_integer(kind)
        or types.is_floating(kind)
        or types.is_boolean(kind)
        or types.is_decimal(kind)
        or types.is_null(kind)
    )


def is_text(kind: Any) -> bool:
    """Return True if a PyArrow type is text, or a dictionary of text (categories)."""
    if pyarrow().types.is_dictionary(kind):
        return is_text(kind.value_type)
    return str(kind) in ("string", "large_string", "string_view")


def without_view(kind: Any) -> Any:
    """Return a PyArrow type, but large_string in place of string_view.

    PyArrow has no functions for string_view, in which polars writes text.
    """
    return pyarrow().large_string() if str(kind) == "string_view" else kind


def without_views(rows: Any) -> Any:
    """Return a `pyarrow.Table` in which columns of type string_view are large_string."""
    for i, field in enumerate(rows.schema):
        if without_view(field.type) != field.type:
            rows = rows.set_column(i, field.name, _without_view(rows.column(i)))
    return rows


def _without_view(column: Any) -> Any:
    """Convert a column of type string_view to large_string."""
    arrow = pyarrow()
    if knows_views():
        return column.cast(arrow.large_string())
    return arrow.chunked_array([arrow.array(column.to_pylist(), arrow.large_string())])


def knows_views() -> bool:
    """Return True if PyArrow converts string_view, and reads it if other columns are skipped.

    Version 17 does not convert it. Up to version 23, the buffers of columns are mixed up if columns
    of a file are skipped, and the process may end.
    """
    return int(pyarrow().__version__.partition(".")[0]) >= KNOWS_VIEWS


def is_date(kind: Any) -> bool:
    """Return True if a PyArrow type is a date, with or without a time."""
    types = pyarrow().types
    return bool(types.is_date(kind) or types.is_timestamp(kind))


def is_duration(kind: Any) -> bool:
    """Return True if a PyArrow type is a time of the day or a duration."""
    types = pyarrow().types
    return bool(types.is_time(kind) or types.is_duration(kind))


def is_usable(kind: Any) -> bool:
    """Return True if a PyArrow type is a number, text, date or duration, not bytes or lists."""
    return any(fits(kind) for fits in (is_number, is_text, is_date, is_duration))


def plain(rows: Any) -> Any:
    """Convert all columns of a table to floats, strings or timestamps.

    Times of the day and durations become seconds; dates with a time zone become local dates.

    Parameters
    ----------
    rows : pyarrow.Table
        Table whose columns have types for which `is_usable` is True.
    """
    columns = [_plain_column(column) for column in rows.columns]
    return pyarrow().table(columns, names=rows.column_names)


def _plain_column(column: Any) -> Any:
    """Convert a column to floats, strings or timestamps."""
    arrow, kind = pyarrow(), column.type
    if is_text(kind):
        return column.cast(arrow.string())
    if is_date(kind):
        return wall_clock(column)
    if is_duration(kind):
        whole = column.cast(arrow.int32() if kind.bit_width == 32 else arrow.int64())
        return arrow.compute.divide(whole.cast(arrow.float64(), safe=False), PER_SECOND[kind.unit])
    return column.cast(arrow.float64(), safe=False)


def wall_clock(column: Any) -> Any:
    """Convert dates, with or without a time zone, to times of the wall clock without a zone."""
    arrow, kind = pyarrow(), column.type
    if arrow.types.is_timestamp(kind) and kind.tz is not None:
        offset = _offset(kind.tz, kind.unit)
        if offset is None:
            column = arrow.compute.local_timestamp(column)
        else:
            wall = arrow.compute.add(column.cast(arrow.int64()), offset)
            column = wall.cast(arrow.timestamp(kind.unit))
    return column.cast(arrow.timestamp("us"), safe=False)


def in_zone(wall: Any, zone: str) -> Any:
    """Convert times of the wall clock to times with a zone.

    Of a time that the clock shows twice, it is the earlier one; of one that it leaves out, the
    time after the gap.
    """
    arrow, unit = pyarrow(), wall.type.unit
    offset = _offset(zone, unit)
    if offset is None:
        compute = arrow.compute
        return compute.assume_timezone(wall, zone, ambiguous="earliest", nonexistent="latest")
    return arrow.compute.subtract(wall.cast(arrow.int64()), offset).cast(
        arrow.timestamp(unit, zone)
    )


def _offset(zone: str, unit: str) -> int | None:
    """Return the offset of a zone from UTC in some unit; None if the zone has a name.

    PyArrow 21 and older know zones by their names only.
    """
    found = OFFSET.fullmatch(zone)
    if found is None:
        return None
    sign, hours, minutes = found.groups()
    seconds = 3600 * int(hours) + 60 * int(minutes)
    return int(f"{sign}1") * seconds * int(PER_SECOND[unit])


def is_beyond_floats(column: Any) -> bool:
    """Return True if a PyArrow column has a number that float64 may not hold exactly.

    Whole numbers are beyond floats if they are beyond 2**53, decimals if the shortest text of the
    float is another decimal.
    """
    arrow = pyarrow()
    if arrow.types.is_decimal(column.type):
        return _has_long_decimals(column)
    if column.type not in (arrow.int64(), arrow.uint64()):
        return False
    ends = arrow.compute.min_max(column).as_py()
    return any(abs(end or 0) > LARGEST_WHOLE for end in ends.values())


def _has_long_decimals(column: Any) -> bool:
    """Return True if a decimal of a PyArrow column has more digits than its float tells."""
    ends = pyarrow().compute.min_max(column).as_py()
    largest = max(abs(end or 0) for end in ends.values())
    if largest.scaleb(column.type.scale) <= 10**SAFE_DIGITS if largest else True:
        return False
    cells = column.unique().drop_null().to_pylist()
    return any(Decimal(repr(float(each))) != each for each in cells)


def missing_words() -> Any:
    """Return the texts that stand for a missing value in text files: "", "NA", "null", ..."""
    arrow = pyarrow()
    return arrow.array(arrow.csv.ConvertOptions().null_values, arrow.string())


def without_words(column: Any) -> Any:
    """Return a column of text with null in place of texts that mean a missing value ("NA")."""
    compute = pyarrow().compute
    absent = compute.is_in(column, value_set=missing_words())
    return compute.if_else(absent, pyarrow().scalar(None, column.type), column)


def without_nan(rows: Any) -> Any:
    """Return a table in which null stands in place of NaN, as files write missing values.

    Parameters
    ----------
    rows : pyarrow.Table
        Table with columns of any type.
    """
    arrow = pyarrow()
    for i, field in enumerate(rows.schema):
        if arrow.types.is_floating(field.type):
            column = rows.column(i)
            absent = arrow.compute.is_nan(column)
            if arrow.compute.any(absent).as_py():
                column = arrow.compute.if_else(absent, arrow.scalar(None, field.type), column)
                rows = rows.set_column(i, field, column)
    return rows


def n_missing(column: Any) -> int:
    """Return the number of missing values in a PyArrow column; NaN counts as missing."""
    return int(pyarrow().compute.sum(column.is_null(nan_is_null=True)).as_py() or 0)


def as_array(rows: Any) -> Array:
    """Convert a table of numbers to a new array of float64; missing values become NaN.

    Parameters
    ----------
    rows : pyarrow.Table or pyarrow.RecordBatch
        Table of numbers. Integers that float64 cannot represent exactly are rounded.
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
    """Convert a table to an array of float64; raise FormatError if a value would be rounded.

    Parameters
    ----------
    rows : pyarrow.Table
        Table of numbers; text is an error.
    purpose : str
        Format of the file that will be written, for the error message.
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
