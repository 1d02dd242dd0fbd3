"""Checks of columns: their types, missing values, infinite values and too large differences."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gramian._support.words import infinite_value, plural, the_columns
from gramian.tables import TEXT, Table, is_text, is_usable, n_missing, pyarrow
from gramian.tabular._messages import OptionError, UnusableTableError

if TYPE_CHECKING:
    import pyarrow as pa

MAX_SPREAD = 1e150
"""Largest allowed difference between two values of a column. The sum of squares of larger
differences could overflow float64."""


def fitting(table: Table, features: Sequence[str], *, encode: bool) -> list[str]:
    """Return the names of the columns that a fit can use: all, or without `encode` all but text.

    Parameters
    ----------
    table : Table
        The table.
    features : sequence of str
        Names of the columns that the user chose.
    encode : bool
        True if text columns are turned into numbers of categories.
    """
    return [name for name in features if encode or not is_text(table.columns[name])]


def check_types(kinds: Mapping[str, Any], *, encode: bool) -> None:
    """Raise an error for columns whose type a fit cannot use.

    Numbers and dates can be used, and text if it is encoded.

    Parameters
    ----------
    kinds : mapping from str to pyarrow.DataType
        From the name of each column to its type.
    encode : bool
        True if text columns are turned into numbers of categories.
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
    """Return the words for a message such as "columns 'a' and 'b' hold text"."""
    return {"names": the_columns(names), "hold": plural(len(names), "holds", "hold")}


def check_places(table: Table, places: Mapping[str, str], labels: Collection[str]) -> None:
    """Raise an error if a model cannot use the type of a column, except categories in text files.

    Parameters
    ----------
    table : Table
        The table to which the model is applied.
    places : mapping from str to str
        From the name of a column in the model to its name in the table.
    labels : collection of str
        Columns of the table that are categories. In a text file they are read as text, whatever
        their type, and need no check.
    """
    read_as_text = labels if table.format in TEXT else ()
    kinds = {
        name: table.columns[place] for name, place in places.items() if place not in read_as_text
    }
    check_types(kinds, encode=True)


def check_count(estimator: Any, n_columns: int) -> None:
    """Raise an error if an estimator shall keep more columns than take part in the fit.

    Parameters
    ----------
    estimator : estimator
        Estimator, not fitted.
    n_columns : int
        Number of columns of the fit, without text.
    """
    count = estimator.get_params().get("n_features_to_select")
    if isinstance(count, int) and count > n_columns:
        raise OptionError(
            "{n:{count}} is more than the {n_columns} columns of numbers and dates",
            count=count,
            n_columns=n_columns,
        )


def constant_columns(table: Table, names: Sequence[str]) -> list[str]:
    """Return the columns among `names`, without text, that have at most one distinct value.

    Parameters
    ----------
    table : Table
        The table.
    names : sequence of str
        Names of the columns to read.
    """
    arrow = pyarrow()
    ends: dict[str, set[Any]] = {name: set() for name in names if not is_text(table.columns[name])}
    for rows in table.pieces(list(ends)) if ends else ():
        for name, seen in ends.items():
            if len(seen) < 2 and not arrow.types.is_null(rows.column(name).type):
                found = arrow.compute.min_max(rows.column(name))
                seen |= {each.as_py() for each in found.values() if each.is_valid}
    return [name for name, seen in ends.items() if len(seen) < 2]


def with_missing(table: pa.Table) -> dict[str, int]:
    """Return the number of missing values by column, for the columns that have missing values.

    Parameters
    ----------
    table : pyarrow.Table
        Rows, as `gramian.tables.plain` makes them.
    """
    counts = map(n_missing, table.columns)
    return {name: n for name, n in zip(table.column_names, counts, strict=True) if n}


def refuse_infinite(rows: pa.Table, table: Table, n_before: int = 0) -> None:
    """Raise an error if a cell is infinite; the message names the column and the row.

    Parameters
    ----------
    rows : pyarrow.Table
        Rows to check, as `gramian.tables.plain` makes them.
    table : Table
        The table from which the rows come, for the message.
    n_before : int, default=0
        Number of rows of the table that come before `rows`.
    """
    arrow = pyarrow()
    for name, column in zip(rows.column_names, rows.columns, strict=True):
        if arrow.types.is_floating(column.type):
            row = arrow.compute.index(arrow.compute.is_inf(column), True).as_py()
            if row >= 0:
                problem = infinite_value(name, n_before + row)
                raise UnusableTableError("{table}: {problem}", table=table.name, problem=problem)


def refuse_too_wide(rows: pa.Table, table: Table) -> None:
    """Raise an error for columns whose values differ by more than `MAX_SPREAD`.

    Parameters
    ----------
    rows : pyarrow.Table
        Rows to check, as `gramian.tables.plain` makes them.
    table : Table
        The table from which the rows come, for the message.
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


def too_many_levels(most: int, selects: bool, table: pa.Table | None = None) -> UnusableTableError:
    """Return an error that names the columns with more than `most` distinct values.

    Parameters
    ----------
    most : int
        The largest number of distinct values that a family of functions accepts.
    selects : bool
        True if the fit selects columns; False if it makes components.
    table : pyarrow.Table, optional
        The columns of the fit, if they are in memory.
    """
    needs = "{family:indicator} is for columns of at most {most} distinct values"
    if not selects:
        return UnusableTableError(
            f"{needs}, and components have more: say {{select}}, or choose another {{family}}",
            most=most,
        )
    values = [] if table is None else zip(table.column_names, table.columns, strict=True)
    many = [name for name, column in values if len(column.unique()) > most]
    has = f"{the_columns(many)} {plural(len(many), 'has', 'have')}" if many else "some have"
    return UnusableTableError(
        f"{needs}, such as categories; {{has}} more. Say {{exclude:...}} to leave such columns "
        "out, round their values, or choose another {family}",
        most=most,
        has=has,
    )
