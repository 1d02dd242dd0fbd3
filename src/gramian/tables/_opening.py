"""Functions that open files, folders, PyArrow datasets and streams of Arrow batches as tables."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO

from gramian.exceptions import FormatError, TableError
from gramian.tables._array_files import open_array_file
from gramian.tables._formats import (
    ARRAYS,
    ENDINGS,
    TEXT,
    Format,
    compression_of,
    format_of,
    format_of_bytes,
)
from gramian.tables._kinds import pyarrow
from gramian.tables._streams import is_function, streamed, streamed_by
from gramian.tables._table import DEFAULT_BUDGET, JoinedTable, Table, few, reading


def open_table(
    source: str | os.PathLike[str] | BinaryIO,
    *,
    format: Format | None = None,
    delimiter: str | None = None,
    header: bool = True,
    decimal: str | None = None,
    memory_budget: int = DEFAULT_BUDGET,
) -> Table:
    """Open a table, and read the names and types of its columns.

    Parameters
    ----------
    source : path or binary stream
        Path of a file or of a folder of Parquet files, or a stream. Streams and named pipes can be
        read only once, so that their content is kept in memory.
    format : Format, optional
        Format of the file. By default it is recognized by the ending of the path, or by the first
        bytes of a stream.
    delimiter : str, optional
        Character that separates the values in a text file. By default it is recognized by the
        format and the first lines.
    header : bool, default=True
        True if the first line of a text file has the names of the columns.
    decimal : str, optional
        Sign before the fraction of numbers in a text file, "." or ",". By default it is recognized
        in each column.
    memory_budget : int, optional
        Memory in bytes. A table whose numbers take more than an eighth of it is read in pieces.
    """
    content: Path | bytes
    table: Table
    if isinstance(source, str | os.PathLike):
        content, name = Path(source), os.fspath(source)
        if not name:  # Path("") is the current folder
            raise FileNotFoundError("The path is empty: name a file or a folder.")
        if not content.exists():
            raise FileNotFoundError(f"There is no file {name}.")
        if content.is_dir():
            table = _open_folder(content)
            table.memory_budget = memory_budget
            return table
        if not content.is_file():
            content = content.read_bytes()
    else:
        content, name = source.read(), "standard input"
    if isinstance(content, bytes):
        found = format or format_of_bytes(content[:8])
    else:
        found = format_of(name, format)
    if found in ARRAYS:
        table = open_array_file(name, found, content)
    else:
        pyarrow()
        from gramian.tables._fragments import open_file
        from gramian.tables._text_files import TextTable

        if found in TEXT:
            table = TextTable(name, found, content, delimiter, header, decimal, memory_budget)
        else:
            table = open_file(name, found, content)
    table.memory_budget = memory_budget
    return table


def open_tables(
    paths: Sequence[str | os.PathLike[str]], *, memory_budget: int | None = None
) -> Table:
    """Open one or several files of the same format as one table; their rows follow each other.

    Parameters
    ----------
    paths : sequence of paths
        The files.
    memory_budget : int, optional
        See `open_table`. If it is None, the types of the columns of text files follow from their
        first lines, and other cells that come later are errors.
    """
    missing = [path for path in paths if not Path(path).exists()]
    if missing:
        raise FileNotFoundError(f"There is no file {missing[0]}.")
    if len(paths) > 1 and len({format_of(path) for path in paths}) > 1:
        endings = sorted({Path(path).suffix for path in paths})
        raise FormatError(
            f"Files ending in {', '.join(endings)} cannot be read together; give files of one kind."
        )
    tables = [open_table(path, memory_budget=memory_budget or 0) for path in paths]
    for table in tables:
        table.memory_budget = memory_budget or DEFAULT_BUDGET
    return tables[0] if len(tables) == 1 else JoinedTable(tables)


def open_given(data: Any, *, memory_budget: int | None = None) -> Table | None:
    """Open what a user gave as a table if its rows are not in memory; return None if they are.

    Parameters
    ----------
    data : object
        A path, several paths, a PyArrow dataset, a stream of Arrow batches (see `streamed`), a
        function that returns such a stream, or a `Table`, which is returned. None is returned for
        all other objects.
    memory_budget : int, optional
        See `open_tables`.
    """
    if isinstance(data, Table):
        return data
    if isinstance(data, str | os.PathLike):
        return open_tables([data], memory_budget=memory_budget)
    if isinstance(data, list | tuple) and data and isinstance(data[0], str | os.PathLike):
        return open_tables(data, memory_budget=memory_budget)
    if type(data).__module__.partition(".")[0] == "pyarrow" and hasattr(data, "get_fragments"):
        return open_dataset(data)
    return streamed_by(data, data()) if is_function(data) else streamed(data)


def open_dataset(dataset: Any, *, all_columns: bool = False) -> Table:
    """Open a PyArrow dataset as one table.

    Parameters
    ----------
    dataset : pyarrow.dataset.Dataset
        The dataset; its schema has the columns of the table.
    all_columns : bool, default=False
        True if a file with a column that the schema lacks is an error.
    """
    from gramian.tables._fragments import FragmentTable

    tables = [
        FragmentTable(
            getattr(each, "path", "the dataset"),
            Format.parquet,
            each,
            dataset.schema,
            all_columns=all_columns,
        )
        for each in dataset.get_fragments()
    ]
    if not tables:
        raise TableError("The dataset holds no table: there are no columns.")
    return tables[0] if len(tables) == 1 else JoinedTable(tables)


def _open_folder(path: Path) -> Table:
    """Open all Parquet files in a folder and its subfolders as one table."""
    tables = _table_files(path)
    files = [str(each) for each, format in tables.items() if format is Format.parquet]
    if not files:
        found = f"; it has {few(sorted(each.name for each in tables))}" if tables else ""
        raise FormatError(
            f"{path} is a folder without Parquet files, and of folders these alone are read{found}."
        )
    others = [each.name for each, format in tables.items() if format is not Format.parquet]
    if others:
        raise FormatError(
            f"{path} is a folder with Parquet files and with other tables: {few(others)}. A folder "
            "is read as one table of Parquet files: move the other files, or name files to read."
        )
    arrow = pyarrow()
    with reading(str(path), "a folder of Parquet files"):
        dataset = arrow.dataset.dataset(files, format="parquet")
    return open_dataset(dataset, all_columns=True)


def _table_files(folder: Path) -> dict[Path, Format]:
    """Return the tables in a folder and its subfolders, without hidden files: path and format."""
    found, seen = [], set()
    for place, folders, files in os.walk(folder, followlinks=True):
        real = os.path.realpath(place)
        if real in seen:  # a symbolic link to a folder that was already visited
            folders.clear()
            continue
        seen.add(real)
        folders[:] = sorted(name for name in folders if name[0] not in "._")
        found += [Path(place, name) for name in sorted(files) if name[0] not in "._"]
    inner = {path: path if compression_of(path) is None else Path(path.stem) for path in found}
    formats = {path: ENDINGS.get(each.suffix.lower()) for path, each in inner.items()}
    return {path: format for path, format in formats.items() if format is not None}
