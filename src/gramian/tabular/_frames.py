"""Conversion of data frames, mappings and arrays to Arrow tables, and of results back."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gramian._support.extras import require
from gramian._support.formats import Format
from gramian._support.given_data import as_given
from gramian._support.words import names_or_numbers
from gramian.tables import (
    DEFAULT_BUDGET,
    Table,
    dates_in_text,
    in_pieces,
    is_text,
    may_be_dates,
    open_given,
    open_table,
    pyarrow,
    without_views,
)
from gramian.tabular._messages import UnusableTableError

if TYPE_CHECKING:
    import pyarrow as pa

NAME = "the table"
"""Words for a table in memory, in messages where files have their paths."""


class ArrowTable(Table):
    """A `Table` whose rows are a PyArrow table in memory.

    Parameters
    ----------
    rows : pyarrow.Table
        All rows of the table.
    named : bool, default=True
        True if the user named the columns; False if the names are x0, x1, ...
    text_dates : sequence of str, default=()
        Columns of dates that are text in the user's data.
    """

    def __init__(self, rows: pa.Table, named: bool = True, text_dates: Sequence[str] = ()) -> None:
        super().__init__(NAME, Format.feather, rows.column_names)
        self._rows, self.text_dates = rows, text_dates
        self.named, self.n_rows = named, rows.num_rows

    @property
    def columns(self) -> dict[str, Any]:
        """PyArrow types of the columns, by name."""
        return dict(zip(self.names, self._rows.schema.types, strict=True))

    def pieces(self, names: Sequence[str], as_text: Mapping[str, bool] | None = None) -> Any:
        """Return some columns of the table in pieces; `as_text` is not used (for text files)."""
        return in_pieces(self._rows.select(list(names)))


def as_table(
    data: Any,
    *,
    delimiter: str | None = None,
    header: bool = True,
    decimal: str | None = None,
    memory_budget: int = DEFAULT_BUDGET,
) -> Table:
    """Return the user's data, of any accepted kind, as a `Table`.

    Parameters
    ----------
    data : object
        The user's data: a data frame, Arrow table, mapping or array, or what `open_given` takes.
    delimiter : str, optional
        Character that separates the values in a text file.
    header : bool, default=True
        True if the first line of a text file has the names of the columns.
    decimal : str, optional
        Sign before the fraction of numbers in a text file, "." or ",".
    memory_budget : int
        Memory in bytes. A table whose numbers take more than an eighth of it is read in pieces.
    """
    require("pyarrow", "A selection of columns of a table")
    if isinstance(data, Table):
        return data
    if isinstance(data, str | os.PathLike):
        return open_table(
            data,
            delimiter=delimiter,
            header=header,
            decimal=decimal,
            memory_budget=memory_budget,
        )
    table = open_given(data, memory_budget=memory_budget)
    if table is None:
        rows, named = without_views(_in_arrow(data)), not _is_array(data)
        dates = _text_dates(rows) if named else {}
        for name, column in dates.items():
            rows = rows.set_column(rows.column_names.index(name), name, column)
        table = ArrowTable(rows, named, list(dates))
    table.memory_budget = memory_budget
    return table


def _is_array(data: Any) -> bool:
    """Return True if the data are a NumPy array, a list or a tuple."""
    return isinstance(data, np.ndarray | list | tuple)


def _in_arrow(data: Any) -> pa.Table:
    """Convert a data frame, mapping or array to an Arrow table, with NaN as missing values."""
    arrow, data = pyarrow(), as_given(data)
    framed = hasattr(data, "columns")
    if framed:
        _check_labels(getattr(data, "column_names", data.columns))
    elif not isinstance(data, Mapping):
        data = _array(data)
    try:
        if framed and _module(data) == "pandas":
            return arrow.Table.from_pandas(data, preserve_index=False).replace_schema_metadata()
        # polars: its Arrow stream has types for which Arrow lacks compute functions
        if framed and hasattr(data, "to_arrow"):
            return data.to_arrow()
        if framed and hasattr(data, "__arrow_c_stream__"):
            return arrow.table(data)
        if isinstance(data, Mapping):
            columns, names = list(data.values()), [str(name) for name in data]
        else:
            columns = list(data.T)
            names = names_or_numbers(None, len(columns))
        return arrow.table(
            [arrow.array(column, from_pandas=True) for column in columns], names=names
        )
    except (arrow.ArrowInvalid, TypeError, arrow.ArrowNotImplementedError) as error:
        raise UnusableTableError(
            "the table cannot be read: {reason}. A column holds numbers, text, truth values or "
            "dates, all of one kind",
            reason=str(error).splitlines()[0].rstrip("."),
        ) from error


def _text_dates(rows: pa.Table) -> dict[str, Any]:
    """Return the columns of text whose cells are all dates in ISO 8601, as dates, by name.

    A text file has dates where `pandas.read_csv` returns text.
    """
    found = {}
    for field in rows.schema:
        column = rows.column(field.name)
        if is_text(field.type) and not pyarrow().types.is_dictionary(field.type):
            # Most columns of text are no dates, which the first cells tell.
            if not may_be_dates(column.drop_null().slice(0, 10).to_pylist()):
                continue
            dates = dates_in_text(column.to_pylist())
            if dates is not None:
                found[field.name] = pyarrow().array(dates)
    return found


def _check_labels(labels: Any) -> None:
    """Raise an error if a data frame has two equal names, or names of several levels."""
    if getattr(labels, "nlevels", 1) > 1:
        raise UnusableTableError(
            "the names of the columns have {n_levels} levels: give each column one name",
            n_levels=labels.nlevels,
        )
    seen: set[str] = set()
    for label in map(str, labels):
        if label in seen:
            raise UnusableTableError(
                "the table has two columns named {label!r}: rename one of them", label=label
            )
        seen.add(label)


def _array(data: Any) -> NDArray[Any]:
    """Return the data as a 2-dimensional array; raise TypeError if this is not possible."""
    if hasattr(data, "dask") or (array := np.asarray(data)).ndim != 2:
        raise TypeError(
            "A table is a data frame, an Arrow table, a mapping of columns, a 2-dimensional array, "
            f"a path or several paths; got {type(data).__name__}. Sparse matrices, Dask "
            "collections and blocks of rows are for GFA and GFS."
        )
    return array


def like(data: Any, result: pa.Table, keeps: NDArray[np.bool_], unchanged: Collection[str]) -> Any:
    """Convert a result to the kind of table that the user passed: pandas, polars, dict or array.

    Parameters
    ----------
    data : object
        The table that the user passed. If it is a path, a dataset or a stream, the result stays a
        pyarrow.Table, except for a LazyFrame of Polars, whose result is a DataFrame.
    result : pyarrow.Table
        The rows to convert.
    keeps : array of bool
        Mask of the rows of `data`: True if the row is in `result`.
    unchanged : collection of str
        Columns that are copied from `data`, so that they keep their exact cells and type.
    """
    names = result.column_names
    if _module(data) == "pandas":
        key: dict[str, Any] = {str(name): name for name in data.columns}
        if all(isinstance(name, Integral) for name in data.columns):
            key |= {name: int(name) for name in names if name not in key and name.isdecimal()}
        frame = result.to_pandas(date_as_object=False).set_axis(data.index[keeps], axis=0)
        for name in unchanged:
            frame[name] = data.loc[keeps, key[name]]
        for name in names:
            if name not in unchanged and key.get(name) in data.columns:
                frame[name] = _with_dtype(frame[name], data[key[name]].dtype)
            elif name not in unchanged:
                frame[name] = _nullable(frame[name], result.column(name))
        return frame.rename(columns=key)
    if _module(data) == "polars" and not hasattr(data, "get_column"):  # a LazyFrame
        return type(data.limit(0).collect())(result)
    if _module(data) == "polars":
        frame = type(data)(result)
        columns = [data.get_column(name) for name in unchanged]
        return frame.with_columns([each.filter(type(each)("", keeps)) for each in columns])
    if isinstance(data, Mapping):
        given = {str(name): column for name, column in data.items()}
        return {
            name: np.asarray(as_given(given[name]))[keeps]
            if name in unchanged
            else result.column(name).to_numpy()
            for name in names
        }
    if hasattr(data, "set_column"):  # an Arrow table
        for name in unchanged:
            column = data.column(name)
            if not keeps.all():
                column = without_views(data.select([name])).column(0).filter(keeps)
            result = result.set_column(names.index(name), name, column)
        return result
    if _is_array(data) and not isinstance(data[0], str | os.PathLike):
        return np.column_stack([column.to_numpy() for column in result.columns])
    return result


def _with_dtype(column: Any, dtype: Any) -> Any:
    """Convert a column of pandas to a dtype if all its values allow it; else return the column."""
    try:
        converted = column.astype(dtype)
        same = (converted.isna() == column.isna()) & ((converted == column) | column.isna())
    except (TypeError, ValueError):
        return column
    return converted if same.all() else column


def _nullable(column: Any, cells: Any) -> Any:
    """Return whole numbers and truth values with gaps as pandas' nullable types, as they were.

    Parameters
    ----------
    column : pandas.Series
        The column as float64, or as Python objects.
    cells : pyarrow.ChunkedArray
        The same column.
    """
    types = pyarrow().types
    if not cells.null_count or not (types.is_integer(cells.type) or types.is_boolean(cells.type)):
        return column
    import pandas as pd

    name = str(cells.type).replace("bool", "boolean").replace("int", "Int").replace("uI", "UI")
    dtype: Any = pd.api.types.pandas_dtype(name)
    return pd.Series(dtype.__from_arrow__(cells), index=column.index)


def _module(data: Any) -> str:
    """Return the name of the package that defines the class of an object, such as "pandas"."""
    return type(data).__module__.partition(".")[0]
