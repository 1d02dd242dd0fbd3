"""Tables in memory: from frames, mappings and arrays to Arrow, and back to the kind given."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gramian._support.extras import require
from gramian._support.formats import Format
from gramian._support.words import names_or_numbers
from gramian.tables import (
    DEFAULT_BUDGET,
    Table,
    in_pieces,
    open_dataset,
    open_table,
    open_tables,
    pyarrow,
)
from gramian.tabular._messages import UnusableTableError

if TYPE_CHECKING:
    import pyarrow as pa

NAME = "the table"
"""The name of a table in memory in messages."""


class ArrowTable(Table):
    """A table in memory.

    Parameters
    ----------
    rows : pyarrow.Table
        The rows.
    named : bool, default=True
        True if the columns have names of their own.
    """

    def __init__(self, rows: pa.Table, named: bool = True) -> None:
        super().__init__(NAME, Format.feather, rows.column_names)
        self._rows = rows
        self.named, self.n_rows = named, rows.num_rows

    @property
    def columns(self) -> dict[str, Any]:
        """PyArrow's types of the columns."""
        return dict(zip(self.names, self._rows.schema.types, strict=True))

    def pieces(self, names: Sequence[str], as_text: Mapping[str, bool] | None = None) -> Any:
        """Read some columns, piece by piece; `as_text` is for text files."""
        return in_pieces(self._rows.select(list(names)))


def as_table(
    data: Any,
    *,
    delimiter: str | None = None,
    header: bool = True,
    memory_budget: int = DEFAULT_BUDGET,
) -> Table:
    """Open whatever a user hands in as a table.

    Parameters
    ----------
    data : data frame, Arrow table or dataset, mapping, array, path, sequence of paths or Table
        The table.
    delimiter : str, optional
        The character between the values of a text file.
    header : bool, default=True
        True if a text file begins with the names of its columns.
    memory_budget : int
        Bytes; a table whose numbers take more than an eighth of them is read in pieces.
    """
    require("pyarrow", "A selection of columns of a table")
    if isinstance(data, Table):
        return data
    if isinstance(data, str | os.PathLike):
        return open_table(data, delimiter=delimiter, header=header, memory_budget=memory_budget)
    if isinstance(data, list | tuple) and data and isinstance(data[0], str | os.PathLike):
        table = open_tables(data)
    elif _module(data) == "pyarrow" and hasattr(data, "get_fragments"):
        table = open_dataset(data)
    else:
        table = ArrowTable(_in_arrow(data), named=not _is_array(data))
    table.memory_budget = memory_budget
    return table


def _is_array(data: Any) -> bool:
    return isinstance(data, np.ndarray | list | tuple)


def _in_arrow(data: Any) -> pa.Table:
    """Return rows in memory as an Arrow table; NaN is a missing value."""
    arrow, framed = pyarrow(), hasattr(data, "columns")
    try:
        if framed and _module(data) == "pandas":
            return arrow.Table.from_pandas(data, preserve_index=False).replace_schema_metadata()
        if framed and hasattr(data, "to_arrow"):  # polars, whose stream has types without kernels
            return data.to_arrow()
        if framed and hasattr(data, "__arrow_c_stream__"):
            return arrow.table(data)
        if isinstance(data, Mapping):
            columns, names = list(data.values()), [str(name) for name in data]
        else:
            columns = list(_array(data).T)
            names = names_or_numbers(None, len(columns))
        return arrow.table(
            [arrow.array(column, from_pandas=True) for column in columns], names=names
        )
    except (arrow.ArrowInvalid, arrow.ArrowTypeError, arrow.ArrowNotImplementedError) as error:
        raise UnusableTableError(
            "the table cannot be read: {reason}. A column holds numbers, text, truth values or "
            "dates, all of one kind",
            reason=str(error).splitlines()[0].rstrip("."),
        ) from error


def _array(data: Any) -> NDArray[Any]:
    if hasattr(data, "dask") or (array := np.asarray(data)).ndim != 2:
        raise TypeError(
            "A table is a data frame, an Arrow table, a mapping of columns, a 2-dimensional array, "
            f"a path or several paths; got {type(data).__name__}. Sparse matrices, Dask "
            "collections and blocks of rows are for GFA and GFS."
        )
    return array


def like(data: Any, result: pa.Table, keeps: NDArray[np.bool_], unchanged: Collection[str]) -> Any:
    """Return rows as the kind of table that a user handed in.

    Parameters
    ----------
    data : object
        The table that the user handed in.
    result : pyarrow.Table
        The rows to return.
    keeps : array of bool
        For each row of `data`, True if it is among the rows to return.
    unchanged : collection of str
        Columns of the result that keep the cells and the type that they have in `data`.
    """
    names = result.column_names
    if _module(data) == "pandas":
        key = {str(name): name for name in data.columns}
        frame = result.to_pandas(date_as_object=False).set_axis(data.index[keeps], axis=0)
        for name in unchanged:
            frame[name] = data.loc[keeps, key[name]]
        return frame.rename(columns=key)
    if _module(data) == "polars":
        frame = type(data)(result)
        kept = [data.get_column(name).filter(keeps) for name in unchanged]
        return frame.with_columns(kept)
    if isinstance(data, Mapping):
        return {name: result.column(name).to_numpy() for name in names}
    if _is_array(data) and not isinstance(data[0], str | os.PathLike):
        return np.column_stack([column.to_numpy() for column in result.columns])
    return result


def _module(data: Any) -> str:
    """Return the package that an object's class is from."""
    return type(data).__module__.partition(".")[0]
