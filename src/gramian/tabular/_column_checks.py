"""Checks of columns: types, gaps, infinite values and values too far apart."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gramian._support.words import infinite_value, plural, the_columns
from gramian.tables import TEXT, Table, is_text, is_usable, n_missing, pyarrow
from gramian.tabular._messages import UnusableTableError

if TYPE_CHECKING:
    import pyarrow as pa

MAX_SPREAD = 1e150
"""Largest difference of two values of a column: larger squares, summed, overflow float64."""


def fitting(table: Table, features: Sequence[str], *, encode: bool) -> list[str]:
    """Return the columns that a fit can use: all but text that is not encoded.

    Parameters
    ----------
    table : Table
        The table.
    features : sequence of str
        The columns that the user wants.
    encode : bool
        True if text becomes numbers.
    """
    return [name for name in features if encode or not is_text(table.columns[name])]


def check_types(kinds: Mapping[str, Any], *, encode: bool) -> None:
    """Refuse columns that are neither numbers nor dates; text is allowed if it is encoded.

    Parameters
    ----------
    kinds : mapping from str to pyarrow.DataType
        The columns.
    encode : bool
        True if text becomes numbers.
    """
    text = [name for name, kind in kinds.items() if is_text(kind)]
    if text and not encode:
        raise UnusableTableError(
            "{names} {hold} text. Say {encode:True} to turn categories into numbers, "
            "{exclude:...} to leave them out, or {id:...} or {target:...} to pass them through",
            **_about(text),
        )
    strange = [name for name, kind in kinds.items() if pyarrow().types.is_binary(kind)]
    if strange:
        raise UnusableTableError(
            "{names} {hold} bytes that are not UTF-8 text: convert the file, for instance with "
            "iconv, or leave the columns out with {exclude:...}",
            **_about(strange),
        )
    others = [name for name, kind in kinds.items() if not is_usable(kind)]
    if others:
        raise UnusableTableError(
            "{names} {hold} {kind}, and only numbers, text and dates can be used: say "
            "{exclude:...} to leave them out, or {id:...} to pass them through",
            kind=kinds[others[0]],
            **_about(others),
        )


def _about(names: Sequence[str]) -> dict[str, str]:
    """Return the facts of a message that begins with columns and what they hold."""
    return {"names": the_columns(names), "hold": plural(len(names), "holds", "hold")}


def check_places(table: Table, places: Mapping[str, str], labels: Collection[str]) -> None:
    """Check the types of the columns that a model takes, except categories in text files.

    Parameters
    ----------
    table : Table
        The table.
    places : mapping from str to str
        From the model's name of a column to the table's name.
    labels : collection of str
        The columns of the table that are categories: a text file gives their dates as text.
    """
    read_as_text = labels if table.format in TEXT else ()
    kinds = {
        name: table.columns[place] for name, place in places.items() if place not in read_as_text
    }
    check_types(kinds, encode=True)


def with_missing(table: pa.Table) -> dict[str, int]:
    """Return the number of missing values of each column that has some.

    Parameters
    ----------
    table : pyarrow.Table
        The rows, as `gramian.tables.plain` makes them.
    """
    counts = map(n_missing, table.columns)
    return {name: n for name, n in zip(table.column_names, counts, strict=True) if n}


def refuse_infinite(rows: pa.Table, table: Table, n_before: int = 0) -> None:
    """Refuse infinite values.

    Parameters
    ----------
    rows : pyarrow.Table
        The rows, as `gramian.tables.plain` makes them.
    table : Table
        The table that the rows are from.
    n_before : int, default=0
        The number of rows of the table before these.
    """
    arrow = pyarrow()
    for name, column in zip(rows.column_names, rows.columns, strict=True):
        if arrow.types.is_floating(column.type):
            row = arrow.compute.index(arrow.compute.is_inf(column), True).as_py()
            if row >= 0:
                problem = infinite_value(name, n_before + row)
                raise UnusableTableError("{table}: {problem}", table=table.name, problem=problem)


def refuse_too_wide(rows: pa.Table, table: Table) -> None:
    """Refuse columns whose variance would overflow float64.

    Parameters
    ----------
    rows : pyarrow.Table
        The rows, as `gramian.tables.plain` makes them.
    table : Table
        The table that the rows are from.
    """
    arrow, wide = pyarrow(), []
    for name, column in zip(rows.column_names, rows.columns, strict=True):
        if not arrow.types.is_floating(column.type):
            continue
        ends = arrow.compute.min_max(column).as_py()
        low, high = ends["min"] or 0.0, ends["max"] or 0.0
        if math.isfinite(high) and math.isfinite(low) and high - low > MAX_SPREAD:
            wide.append(name)
    if wide:
        raise UnusableTableError(
            "{names} of {table} {have} values that differ by more than {most:.0e}, too much to "
            "compute a variance. Change the unit, or correct the values, or say {exclude:...} to "
            "leave them out",
            names=the_columns(wide),
            table=table.name,
            have=plural(len(wide), "has", "have"),
            most=MAX_SPREAD,
        )
