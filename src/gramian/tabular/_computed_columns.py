"""Columns that laws of levels compute: they look up the distinct values of other columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gramian.models import Beside
from gramian.tables import DICTIONARY, in_type, is_text, plain, pyarrow, without_words
from gramian.tabular._unknown_levels import UnknownLevel, unknown_levels

if TYPE_CHECKING:
    import pyarrow as pa


def as_levels(rows: pa.Table, labels: Sequence[str], *, words: bool = False) -> pa.Table:
    """Return rows in which columns are the text by which laws of levels look up other columns.

    Parameters
    ----------
    rows : pyarrow.Table
        The rows.
    labels : sequence of str
        Columns that are compared as text: text, and numbers with more digits than floats hold.
    words : bool, default=False
        True if texts such as "NA" are missing values, as in a text file.
    """
    new = {}
    for name in labels:
        column = rows.column(name)
        text = column if is_text(column.type) else column.cast(pyarrow().string())
        new[name] = without_words(text) if words else text
    return with_columns(rows, new)


def computed(table: pa.Table, beside: Beside) -> tuple[dict[str, Any], Counter[UnknownLevel]]:
    """Return the columns that laws of levels compute from a table, by name.

    Such a law looks up the distinct values (levels) of other columns. Return also the levels that
    the fit has not seen, with the numbers of cells that are empty for it.

    Parameters
    ----------
    table : pyarrow.Table
        Columns of the fit, and text columns that are not in the fit.
    beside : Beside
        The laws of levels, and the Arrow types of the columns that they compute.
    """
    inner = plain(table)

    def cells(name: str) -> Any:
        return inner.column(name).to_numpy()

    found, masks = beside.compute_with_unknown(cells)
    unknown = unknown_levels(
        beside.lookups, masks, lambda name: None if name in found else cells(name)
    )
    columns = {name: _column(each, beside.types.get(name)) for name, each in found.items()}
    return columns, unknown


def _column(values: Any, kind: str | None) -> Any:
    """Convert the values that a law computed to an Arrow array; `kind` is its type, if needed."""
    arrow = pyarrow()
    text = arrow.string() if values.dtype == object else None
    column = arrow.array(values, text, from_pandas=True)
    return column if kind in (None, DICTIONARY) else in_type(column, kind)


def with_columns(table: pa.Table, new: Mapping[str, Any]) -> pa.Table:
    """Return a table in which the columns in `new` replace the columns of the same names."""
    columns = {name: new.get(name, table.column(name)) for name in table.column_names}
    return pyarrow().table(columns, metadata=table.schema.metadata)
