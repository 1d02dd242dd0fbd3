"""Tables in Parquet and Arrow files, and in fragments (files) of PyArrow datasets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.dataset
import pyarrow.fs
import pyarrow.parquet

from gramian.tables._formats import Format
from gramian.tables._kinds import knows_views, without_view, without_views
from gramian.tables._table import (
    NO_TEXT,
    AsText,
    Table,
    check_same_columns,
    piece_rows,
    reading,
)

BUFFER_BYTES = 2**16
"""Number of bytes of each column that are read at once from a Parquet file, approximately."""
FILE_FORMATS = {
    Format.parquet: pyarrow.dataset.ParquetFileFormat,
    Format.feather: pyarrow.dataset.IpcFileFormat,
}
"""From a format to the PyArrow class that reads its files."""


class FragmentTable(Table):
    """A `Table` that is read from a fragment (usually one file) of a PyArrow dataset.

    Parameters
    ----------
    name : str
        Name of the table for messages, such as the path of its file.
    format : Format
        Format for messages; the fragment of a dataset may have another format.
    fragment : pyarrow.dataset.Fragment
        The fragment to read.
    fields : pyarrow.Schema, optional
        Columns of the dataset. Values of some columns may come from names of folders, such as
        year=2024, and not from files.
    all_columns : bool, default=False
        True if the file must not have columns that `fields` lacks.
    """

    def __init__(
        self,
        name: str,
        format: Format,
        fragment: Any,
        fields: Any = None,
        *,
        all_columns: bool = False,
    ) -> None:
        self._fragment = fragment
        with reading(name, format):
            physical = fragment.physical_schema
        in_path = pa.dataset.get_partition_keys(fragment.partition_expression)
        if fields is not None:
            wanted = fields.names if all_columns else [*fields.names, *physical.names]
            check_same_columns(name, [*physical.names, *in_path], wanted)
        schema = []
        for field in fields or physical:
            if field.name in in_path:
                schema.append(field)
            else:
                kind = field.type if fields is None else physical.field(field.name).type
                # Floats: integers in the first lines of a CSV file may be followed by fractions.
                if self._is_text and not pa.types.is_boolean(kind):
                    kind = pa.float64()
                schema.append(field.with_type(kind))
        super().__init__(name, format, [field.name for field in schema])
        self._schema = pa.schema(schema)
        self._all_stored = not set(self.names) - set(physical.names)

    @property
    def _is_text(self) -> bool:
        """True if the fragment is a CSV or JSON file."""
        name = type(getattr(self._fragment, "format", None)).__name__
        return name.startswith(("Csv", "Json"))

    @property
    def columns(self) -> dict[str, Any]:
        """PyArrow types of the columns, by name."""
        kinds = map(without_view, self._schema.types)
        return dict(zip(self._schema.names, kinds, strict=True))

    @cached_property
    def n_rows(self) -> int | None:  # type: ignore[override]
        """Number of rows; None for text files, whose rows would have to be counted."""
        if self._is_text:
            return None
        with reading(self.name, self.format):
            return int(self._fragment.count_rows())

    def pieces(self, names: Sequence[str], as_text: AsText = NO_TEXT) -> Iterator[Any]:
        """Yield the columns `names` in pieces, each a `pyarrow.Table`; `as_text` is not used."""
        row = 0
        batches = self._batches(list(names))
        while True:
            with reading(self.name, f"{self.format} any further than row {row}"):
                batch = next(batches, None)
            if batch is None:
                return
            yield without_views(pa.Table.from_batches([batch]).select(list(names)))
            row += batch.num_rows

    def _batches(self, names: list[str]) -> Iterator[Any]:
        """Yield the columns `names` as record batches of PyArrow."""
        views = any(without_view(kind) != kind for kind in self._schema.types)
        if views and not knows_views():
            names = self.names
        fragment, step = self._fragment, piece_rows(len(names))
        if isinstance(fragment, pa.dataset.ParquetFileFragment) and self._all_stored:
            # No scanner: it reads whole row groups ahead, so that memory grows with the file.
            # No threads: for such small batches they cost more time than they save.
            groups = [group.id for group in fragment.row_groups]
            with fragment.open() as stream:
                file = pa.parquet.ParquetFile(stream, pre_buffer=False, buffer_size=BUFFER_BYTES)
                yield from file.iter_batches(step, groups, names, use_threads=False)
        else:
            yield from fragment.to_batches(
                schema=self._schema, columns=names, batch_size=step, batch_readahead=2
            )


def open_file(name: str, format: Format, source: Any) -> FragmentTable:
    """Open a Parquet or Arrow file as a table.

    Parameters
    ----------
    name : str
        Name of the table for messages, such as the path of its file.
    format : Format
        Format of the file.
    source : Path or bytes
        Path of the file, or its content.
    """
    in_memory = isinstance(source, bytes)
    with reading(name, format):
        fragment = FILE_FORMATS[format]().make_fragment(
            pa.py_buffer(source) if in_memory else str(source),
            None if in_memory else pa.fs.LocalFileSystem(),
        )
    return FragmentTable(name, format, fragment)
