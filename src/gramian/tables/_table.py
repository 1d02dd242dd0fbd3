"""Interface of tables in files: names and types of columns, reading whole or in pieces."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any
from zipfile import BadZipFile

from gramian._support.types import Array
from gramian.exceptions import TableError
from gramian.tables._formats import Format
from gramian.tables._kinds import as_array, is_number, is_text, pyarrow

PIECE_BYTES = 2**21
"""Approximate bytes of a table that are processed at once."""
DEFAULT_BUDGET = 2**30
"""Default memory budget in bytes, for rows and values computed from rows."""
MEMORY_PART = 8
"""Ratio of the memory budget to the largest table that is read as a whole: a fit makes copies."""

READING_ERRORS = (OSError, ValueError, EOFError, BadZipFile)
"""Errors that readers other than PyArrow's raise for damaged files."""


AsText = Mapping[str, bool]
"""Columns of a text file that are read as text; True if their empty fields are missing values."""
NO_TEXT: AsText = MappingProxyType({})


@dataclass(frozen=True)
class Chunk:
    """Some rows of a table, with their origin."""

    x: Array
    """The rows, in memory that the receiver may overwrite; missing values are NaN."""
    weights: Array | None
    where: str
    """Name of the file or source, for messages."""
    first_row: int
    """Number of the first row in the file, counted from 0 without the heading."""


class Table(ABC):
    """A table that can be read as often as needed.

    Parameters
    ----------
    name : str
        The name of the table, for messages.
    format : Format
        The format.
    names : sequence of str
        The columns.
    """

    memory_budget = DEFAULT_BUDGET
    """Memory budget in bytes; tables of more than an eighth of it are not read as a whole."""
    named = True
    """True if the file has names of columns; otherwise names are x0, x1, ..."""
    n_rows: int | None = None
    """Number of rows; None if it is not known before reading."""

    def __init__(self, name: str, format: Format, names: Sequence[str]) -> None:
        self.name = name
        self.format = format
        self.names = list(names)
        if not names:
            raise TableError(f"{name} holds no table: there are no columns.")
        twice = [each for each, count in Counter(names).items() if count > 1]
        if twice:
            raise TableError(f"{name} has more than one column {twice[0]!r}: rename one of them.")

    def __str__(self) -> str:
        return self.name

    @property
    @abstractmethod
    def columns(self) -> dict[str, Any]:
        """PyArrow's types of the columns; for text files, the types of the first lines."""

    @property
    def of_numbers(self) -> bool:
        """True if all columns are numbers."""
        return all(map(is_number, self.columns.values()))

    @abstractmethod
    def pieces(self, names: Sequence[str], as_text: AsText = NO_TEXT) -> Iterator[Any]:
        """Read some columns in pieces, each a `pyarrow.Table`.

        Parameters
        ----------
        names : sequence of str
            The columns.
        as_text : mapping from str to bool, optional
            Columns of a text file that are read as text, whatever they look like; the value is
            True if empty fields, NA and the like are missing values.
        """

    def numbers(self, names: Sequence[str]) -> Iterator[Chunk]:
        """Read some columns of numbers, piece by piece."""
        return self._chunks(self.pieces(names))

    def _chunks(self, pieces: Iterator[Any]) -> Iterator[Chunk]:
        row = 0
        for rows in pieces:
            yield Chunk(as_array(rows), None, self.name, row)
            row += rows.num_rows

    def read(
        self, names: Sequence[str], as_text: AsText = NO_TEXT, at_most: int | None = None
    ) -> Any:
        """Return some columns as one `pyarrow.Table`: all rows, or the first `at_most` rows."""
        arrow = pyarrow()
        parts, n_rows = [], 0
        for part in self.pieces(names, as_text):
            parts.append(part)
            n_rows += part.num_rows
            if at_most is not None and n_rows >= at_most:
                break
        if not parts:
            return arrow.table({name: arrow.array([], self.columns[name]) for name in names})
        return arrow.concat_tables(parts).slice(0, at_most)

    def count_rows(self, at_most: int) -> int:
        """Return the number of rows, or any number above `at_most` if there are more."""
        return at_most + 1 if self.n_rows is None else self.n_rows

    def fits(self, memory_budget: int) -> bool:
        """Return True if the table may be read as a whole; no other place decides this."""
        most = memory_budget // MEMORY_PART // (8 * len(self.names))
        return self.count_rows(most) <= most

    @cached_property
    def too_large(self) -> bool:
        """True if the table must not be read as a whole."""
        return not self.fits(self.memory_budget)


class SomeColumns(Table):
    """Some columns of a table.

    Parameters
    ----------
    table : Table
        The table.
    names : sequence of str
        The columns.
    """

    def __init__(self, table: Table, names: Sequence[str]) -> None:
        super().__init__(table.name, table.format, names)
        self._table = table
        self.named, self.n_rows = table.named, table.n_rows
        self.memory_budget = table.memory_budget

    @property
    def columns(self) -> dict[str, Any]:
        """PyArrow's types of the columns."""
        return {name: self._table.columns[name] for name in self.names}

    def pieces(self, names: Sequence[str], as_text: AsText = NO_TEXT) -> Iterator[Any]:
        """Read some columns, piece by piece."""
        return self._table.pieces(names, as_text)

    def count_rows(self, at_most: int) -> int:
        """Return the number of rows, or any number above `at_most` if there are more."""
        return self._table.count_rows(at_most)


class JoinedTable(Table):
    """Several tables, one below the other; columns are matched by name if there are names.

    Parameters
    ----------
    tables : sequence of Table
        The tables; the first table determines the columns.
    """

    def __init__(self, tables: Sequence[Table]) -> None:
        first = tables[0]
        name = few([each.name for each in tables])
        super().__init__(name, first.format, first.names)
        self.named = first.named
        self._tables = tables
        for each in tables[1:]:
            missing = [column for column in first.names if column not in each.names]
            if first.named and missing:
                raise TableError(
                    f"{each.name} lacks the column {missing[0]!r}, which other files have."
                )
            if not first.named and len(each.names) != len(first.names):
                raise TableError(
                    f"{each.name} has {len(each.names)} columns, and {first.name} has "
                    f"{len(first.names)}."
                )
        counts = [each.n_rows for each in tables]
        self.n_rows = None if None in counts else sum(count or 0 for count in counts)

    @cached_property
    def columns(self) -> dict[str, Any]:
        """PyArrow's types of the columns; if files differ, floats or text that hold all values."""
        kinds = {}
        for name in self.names:
            found = [each.columns[name] for each in self._tables]
            kinds[name] = found[0]
            if any(kind != found[0] for kind in found):
                numbers = all(map(is_number, found))
                kinds[name] = pyarrow().float64() if numbers else pyarrow().string()
        return kinds

    def pieces(self, names: Sequence[str], as_text: AsText = NO_TEXT) -> Iterator[Any]:
        """Read some columns, piece by piece."""
        arrow = pyarrow()
        schema = arrow.schema([(name, self.columns[name]) for name in names])
        # A column that is text in one file is read as text in all files.
        text = {name: True for name in names if is_text(self.columns[name])} | {**as_text}
        for table in self._tables:
            for rows in table.pieces(names, text):
                yield rows.cast(schema, safe=False)

    def numbers(self, names: Sequence[str]) -> Iterator[Chunk]:
        """Read some columns of numbers, piece by piece."""
        for table in self._tables:
            yield from table.numbers(names)

    def count_rows(self, at_most: int) -> int:
        """Return the number of rows, or any number above `at_most` if there are more."""
        total = 0
        for table in self._tables:
            total += table.count_rows(at_most - total)
            if total > at_most:
                break
        return total


@contextmanager
def reading(name: str, format: str) -> Iterator[None]:
    """Turn the errors of readers for damaged files into `TableError`."""
    try:
        yield
    except Exception as error:
        by_arrow = type(error).__module__.startswith("pyarrow")
        if isinstance(error, TableError) or not (by_arrow or isinstance(error, READING_ERRORS)):
            raise
        reason = str(error).splitlines()[0].rstrip(".") if str(error) else "it ends too early"
        raise TableError(
            f"{name} cannot be read as {format}: {reason}. It may be damaged or cut short."
        ) from error


def piece_rows(n_columns: int) -> int:
    """Return the number of rows of a piece."""
    return max(1, PIECE_BYTES // (8 * max(1, n_columns)))


def in_pieces(rows: Any, width: int = 0) -> Iterator[Any]:
    """Yield a table in pieces of about `PIECE_BYTES`.

    Parameters
    ----------
    rows : pyarrow.Table
        The table.
    width : int, default=0
        The number of columns computed from the table, if it exceeds that of the table.
    """
    step = piece_rows(max(width, rows.num_columns))
    for start in range(0, rows.num_rows, step):
        yield rows.slice(start, step)


def few(names: Sequence[object]) -> str:
    """Return the names of up to three files for a message, and the number of others."""
    shown = ", ".join(str(name) for name in names[:3])
    return shown if len(names) <= 3 else f"{shown} and {len(names) - 3} others"
