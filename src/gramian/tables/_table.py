"""What a table in a file is to those who read it."""

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
"""About this much of a table is worked on at once."""
DEFAULT_BUDGET = 2**30
"""Bytes that rows and what belongs to them may take, unless said otherwise."""
MEMORY_PART = 8
"""A table may take this part of the memory, as a fit makes copies of it."""

READING_ERRORS = (OSError, ValueError, EOFError, BadZipFile)
"""What readers other than PyArrow's raise for files that are not as they should be."""


AsText = Mapping[str, bool]
"""Columns of a text file that are read as text, and whether empty fields of them are no text."""
NO_TEXT: AsText = MappingProxyType({})


@dataclass(frozen=True)
class Chunk:
    """Rows as they come from where they are stored."""

    x: Array
    """In memory of its own, which the receiver may overwrite; missing values are NaN."""
    weights: Array | None
    where: str
    """The file, or what else there is to name."""
    first_row: int
    """The number of the first row there; rows are counted from 0, names of columns not at all."""


class Table(ABC):
    """A table that can be read as often as needed.

    Parameters
    ----------
    name : str
        What to call it in messages.
    format : Format
        Its format.
    names : sequence of str
        The columns.
    """

    memory_budget = DEFAULT_BUDGET
    """Bytes; a table whose numbers take more than an eighth of them is not read as a whole."""
    named = True
    """Whether it comes with names of columns; otherwise they are x0, x1, ..."""
    n_rows: int | None = None
    """The number of rows, where it is known without reading the table."""

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
        """PyArrow's types of the columns; those of text files, as their beginning suggests."""

    @property
    def of_numbers(self) -> bool:
        """Whether all columns are numbers."""
        return all(map(is_number, self.columns.values()))

    @abstractmethod
    def pieces(self, names: Sequence[str], as_text: AsText = NO_TEXT) -> Iterator[Any]:
        """Read some columns in pieces, each a `pyarrow.Table`.

        Parameters
        ----------
        names : sequence of str
            The columns.
        as_text : mapping from str to bool, optional
            If the file is text: those among them that are read as text, whatever they look like,
            and whether empty fields and the like are missing values there.
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
        """Read some columns, as `pieces` does, into one `pyarrow.Table`: all rows, or the first."""
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
        """Return the number of rows, or some number above `at_most` if there are more."""
        return at_most + 1 if self.n_rows is None else self.n_rows

    def fits(self, memory_budget: int) -> bool:
        """Return whether the table may be read as a whole: the one place that judges it."""
        most = memory_budget // MEMORY_PART // (8 * len(self.names))
        return self.count_rows(most) <= most

    @cached_property
    def too_large(self) -> bool:
        """Whether it takes more memory than it may."""
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
        """Return the number of rows, or some number above `at_most` if there are more."""
        return self._table.count_rows(at_most)


class JoinedTable(Table):
    """Tables one below the other; columns go by name, where there are names.

    Parameters
    ----------
    tables : sequence of Table
        The tables; the first one says which columns there are.
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
        """PyArrow's types of the columns; where those of files differ, one that holds them all."""
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
        # Text in one file is text in all of them, as it is written.
        text = {name: True for name in names if is_text(self.columns[name])} | {**as_text}
        for table in self._tables:
            for rows in table.pieces(names, text):
                yield rows.cast(schema, safe=False)

    def numbers(self, names: Sequence[str]) -> Iterator[Chunk]:
        """Read some columns of numbers, piece by piece."""
        for table in self._tables:
            yield from table.numbers(names)

    def count_rows(self, at_most: int) -> int:
        """Return the number of rows, or some number above `at_most` if there are more."""
        total = 0
        for table in self._tables:
            total += table.count_rows(at_most - total)
            if total > at_most:
                break
        return total


@contextmanager
def reading(name: str, format: str) -> Iterator[None]:
    """Turn what readers raise for files that are not as they should be into one error."""
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
    """Return how many rows make a piece."""
    return max(1, PIECE_BYTES // (8 * max(1, n_columns)))


def in_pieces(rows: Any, width: int = 0) -> Iterator[Any]:
    """Cut a table into pieces that can be worked on at once.

    Parameters
    ----------
    rows : pyarrow.Table
        The table.
    width : int, default=0
        How many columns are made of it, if these are more than it has.
    """
    step = piece_rows(max(width, rows.num_columns))
    for start in range(0, rows.num_rows, step):
        yield rows.slice(start, step)


def few(names: Sequence[object]) -> str:
    """Name some files in a message."""
    shown = ", ".join(str(name) for name in names[:3])
    return shown if len(names) <= 3 else f"{shown} and {len(names) - 3} others"
