"""Types of columns as texts that a model file can store, and conversion of columns to them."""

from __future__ import annotations

import math
import re
from typing import Any

from gramian.tables._formats import TEXT
from gramian.tables._kinds import (
    PER_SECOND,
    SAFE_DIGITS,
    in_zone,
    is_duration,
    is_text,
    pyarrow,
)
from gramian.tables._table import Table

DICTIONARY = "dictionary"
"""Text for the type of categories of text."""
STRING = "string"
"""Text for the type of dates that were text in the fit."""
UNITS = "(s|ms|us|ns)"
TYPE_TEXT = re.compile(
    rf"bool|u?int(8|16|32|64)|float|date32\[day\]|date64\[ms\]|time32\[(s|ms)\]|time64\[(us|ns)\]"
    rf"|duration\[{UNITS}\]|timestamp\[{UNITS}(, tz=[A-Za-z0-9_+\-/:]{{1,60}})?\]"
    rf"|decimal(128|256)\([0-9]{{1,2}}, [0-9]{{1,2}}\)|{DICTIONARY}|{STRING}",
    re.ASCII,
)
"""Pattern of the texts of types to which a computed column can be converted."""


def type_texts(table: Table) -> dict[str, str]:
    """Return the types of the columns of a table as texts, by name.

    Columns of float64 and of text have none. Whole numbers of a text file have none if it is read
    in pieces: their type is guessed from the first rows, and fractions may follow.

    Parameters
    ----------
    table : Table
        The table.
    """
    arrow, found = pyarrow(), {}
    for name, kind in table.columns.items():
        text = DICTIONARY if arrow.types.is_dictionary(kind) and is_text(kind) else str(kind)
        text = STRING if name in table.text_dates else text.replace(STRING, "")
        # Only a single text file that is read as a whole has types that follow from all rows.
        sure = table.format not in TEXT or (table.style is not None and not table.too_large)
        if TYPE_TEXT.fullmatch(text) and (sure or not arrow.types.is_integer(kind)):
            found[name] = text
    return found


def is_type_text(text: object) -> bool:
    """Return True if an object is the text of a type that `type_texts` may return."""
    return isinstance(text, str) and TYPE_TEXT.fullmatch(text) is not None


def in_type(column: Any, text: str) -> Any:
    """Convert a column to a type; if its values do not allow it, return the column as it is.

    For whole numbers and truth values, numbers are rounded to the nearest.

    Parameters
    ----------
    column : pyarrow.Array or pyarrow.ChunkedArray
        Numbers (seconds for durations and times of the day), times of the wall clock, or text.
    text : str
        Text of the type, as `type_texts` returns it.
    """
    try:
        return _converted(column, text)
    except pyarrow().ArrowInvalid:
        return column


def _converted(column: Any, text: str) -> Any:
    """Convert a column to a type; raise ArrowInvalid if a value does not fit."""
    arrow = pyarrow()
    compute = arrow.compute
    if text == DICTIONARY:
        return column.dictionary_encode() if is_text(column.type) else column
    unit, zone = _time(text)
    if zone is not None:
        return in_zone(column.cast(arrow.timestamp(unit), safe=False), zone)
    if text.startswith("decimal"):
        bits, digits, places = (int(each) for each in re.findall("[0-9]+", text))
        kind = (arrow.decimal128 if bits == 128 else arrow.decimal256)(digits, places)
        if is_text(column.type):
            return column.cast(kind)
        # By way of text, and without the last digits of floats, which are rounding errors.
        largest = compute.max(compute.abs(column)).as_py() or 0.0
        before = math.ceil(math.log10(largest)) if 0 < largest < math.inf else 0
        per_unit = 10.0 ** max(0, min(places, SAFE_DIGITS - before))
        whole = compute.round(compute.multiply(column, per_unit))
        return compute.divide(whole, per_unit).cast(arrow.string()).cast(kind)
    kind = arrow.type_for_alias(text)
    if is_text(column.type):
        return column.cast(kind)
    if is_duration(kind):
        whole = compute.round(compute.multiply(column, PER_SECOND[kind.unit]))
        return whole.cast(arrow.int32() if kind.bit_width == 32 else arrow.int64()).cast(kind)
    if arrow.types.is_boolean(kind):
        return compute.greater(column, 0.5)
    if arrow.types.is_integer(kind):
        return compute.round(column).cast(kind)
    return column.cast(kind, safe=False)


def _time(text: str) -> tuple[str, str | None]:
    """Return the unit and the zone of a type of times; no zone if the type has none."""
    found = re.fullmatch(rf"timestamp\[{UNITS}, tz=(.*)\]", text)
    return ("us", None) if found is None else (found[1], found[2])
