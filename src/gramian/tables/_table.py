"""Base class of tables in files, with names and types of columns and reading in pieces."""

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
from gramian.tables._formats import TEXT, Format
from gramian.tables._kinds import (
    as_array,
    is_beyond_floats,
    is_date,
    is_number,
    is_text,
    pyarrow,
    wall_clock,
)
from gramian.tables._text_style import TextStyle

PIECE_BYTES = 2**21
"""Size of a piece of a table in bytes, approximately; tables are processed piece by piece."""
DEFAULT_BUDGET = 2**30
"""Default of `memory_budget`, in bytes: memory for rows and for values computed from rows."""
MEMORY_PART = 8
"""A table is read as a whole only if its numbers take at most the memory budget divided by this
number, because a fit makes copies of the numbers."""

READING_ERRORS = (OSError, ValueError, EOFError, BadZipFile)
"""Errors that NumPy and Python's readers raise for damaged files."""


AsText = Mapping[str, bool]
"""From the name of each column of a text file that must be read as text to True if "NA" and similar
texts are missing values, or to False if only empty cells are."""
NO_TEXT: AsText = MappingProxyType({})
"""Value of `as_text` if no column must be read as text."""


@dataclass(frozen=True)
class Chunk:
    """Some consecutive rows of a table as numbers, and the place in the file they come from."""

    x: Array
    """The numbers, one row per row of the table; missing values are NaN. The receiver may change
    this array."""
    weights: Array | None
    """Weights of the rows; None if all rows have the weight 1."""
    where: str
    """Name of the file or source, for messages."""
    first_row: int
    """Index in the file of the first row of `x`; the line of column names is not counted."""


class Table(ABC):
    """Abstract table in a file or in memory, whose rows can be read several times.

    Parameters
    ----------
    name : str
        Name of the table for messages, such as the path of its file.
    format : Format
        Format of the file.
    names : sequence of str
        Names of the columns.
    """

    memory_budget = DEFAULT_BUDGET
    """Memory in bytes. A table whose numbers take more than an eighth of it is read in pieces."""
    named = True
    """True if the file has names of columns; otherwise names are x0, x1, ..."""
    n_rows: int | None = None
    """Number of rows; None if it is unknown before all rows are read."""
    in_any_thread = True
    """True if the rows may be read by another thread than that of the user."""

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
        """PyArrow types of the columns, by name; for text files, as the first lines suggest."""

    columns_with_words: Sequence[str] = ()
    """Columns of text in a text file with a text such as "NA", which is a gap or a word."""
    spellings: Mapping[str, str] = MappingProxyType({})
    """From the names of columns of a text file that are read as numbers, although PyArrow reads
    text, to examples such as "1,5 is 1.5"."""
    ambiguous: Mapping[str, str] = MappingProxyType({})
    """From the names of columns of text that may be numbers to examples such as "1,234 is 1234 or
    1,234 is 1.234"."""
    text_dates: Sequence[str] = ()
    """Columns of dates that are text in the user's data frame."""
    without_zone: Sequence[str] = ()
    """Columns of times in a text file whose offsets from UTC differ, so that they are dropped."""
    delimiter: str | None = None
    """Character that separates the values of a text file; None for other tables."""
    style: TextStyle | None = None
    """How a text file is written; None for other tables."""

    def cells(self) -> Any:
        """Return a reader of the cells as they are written; None if the table is no text file."""
        return None

    @cached_property
    def codes(self) -> frozenset[str]:
        """Names of columns with whole numbers beyond 2**53, or with decimals of many digits.

        Floats cannot hold them: such columns are compared as text, and never computed with.
        """
        kinds, is_decimal = (pyarrow().int64(), pyarrow().uint64()), pyarrow().types.is_decimal
        whole = [n for n, kind in self.columns.items() if kind in kinds or is_decimal(kind)]
        if not whole:
            return frozenset()
        found = set[str]()
        for rows in self.pieces(whole):
            found |= {name for name in whole if is_beyond_floats(rows.column(name))}
        return frozenset(found)

    @property
    def of_numbers(self) -> bool:
        """True if all columns are numbers."""
        return all(map(is_number, self.columns.values()))

    @abstractmethod
    def pieces(self, names: Sequence[str], as_text: AsText = NO_TEXT) -> Iterator[Any]:
        """Yield some columns of the table in pieces, each a `pyarrow.Table`.

        Parameters
        ----------
        names : sequence of str
            Names of the columns to read.
        as_text : mapping from str to bool, optional
            Columns of a text file that must be read as text, even if their cells look like
            numbers. The value is True if "NA" and similar texts are missing values, as empty cells
            are.
        """

    def numbers(self, names: Sequence[str]) -> Iterator[Chunk]:
        """Yield the columns `names`, which must be numbers, in chunks of rows."""
        return self._chunks(self.pieces(names))

    def _chunks(self, pieces: Iterator[Any]) -> Iterator[Chunk]:
        """Convert parts of the table from PyArrow tables to arrays of numbers."""
        row = 0
        for rows in pieces:
            yield Chunk(as_array(rows), None, self.name, row)
            row += rows.num_rows

    def read(
        self, names: Sequence[str], as_text: AsText = NO_TEXT, at_most: int | None = None
    ) -> Any:
        """Read the columns `names` as one `pyarrow.Table`: all rows, or the first `at_most`."""
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
        """Return the number of rows, or any number above `at_most` if there are more rows."""
        return at_most + 1 if self.n_rows is None else self.n_rows

    def fits(self, memory_budget: int) -> bool:
        """Return True if the table is small enough to be read as a whole with this memory budget.

        All code that must decide between reading as a whole and in pieces calls this method.
        """
        most = memory_budget // MEMORY_PART // (8 * len(self.names))
        return self.count_rows(most) <= most

    @cached_property
    def too_large(self) -> bool:
        """True if the table is too large to be read as a whole, and must be read in pieces."""
        return not self.fits(self.memory_budget)


class SomeColumns(Table):
    """A `Table` that consists of some columns of another table; columns of `codes` are text.

    Parameters
    ----------
    table : Table
        Table with all columns.
    names : sequence of str
        Names of the columns to take.
    """

    def __init__(self, table: Table, names: Sequence[str]) -> None:
        super().__init__(table.name, table.format, names)
        self._table = table
        self.named, self.n_rows = table.named, table.n_rows
        self.memory_budget = table.memory_budget
        self.delimiter = table.delimiter
        self.text_dates = [name for name in table.text_dates if name in names]

    @property
    def columns_with_words(self) -> Sequence[str]:  # type: ignore[override]
        """Columns of text in a text file with a text such as "NA", a missing value or a word."""
        return [name for name in self._table.columns_with_words if name in self.names]

    @property
    def columns(self) -> dict[str, Any]:
        """PyArrow types of the columns, by name."""
        return {name: self._table.columns[name] for name in self.names}

    def pieces(self, names: Sequence[str], as_text: AsText = NO_TEXT) -> Iterator[Any]:
        """Yield the columns `names` in pieces, each a `pyarrow.Table`; see `Table.pieces`."""
        codes = [i for i, name in enumerate(names) if name in self.codes]
        for rows in self._table.pieces(names, as_text):
            for i in codes:
                rows = rows.set_column(i, names[i], rows.column(i).cast(pyarrow().string()))
            yield rows

    @property
    def codes(self) -> frozenset[str]:
        """Names of columns with whole numbers beyond 2**53, or with decimals of many digits."""
        return self._table.codes & {*self.names}

    def count_rows(self, at_most: int) -> int:
        """Return the number of rows, or some number above `at_most` if there are more rows."""
        return self._table.count_rows(at_most)


class JoinedTable(Table):
    """A `Table` that consists of the rows of several tables, one after the other.

    Columns are matched by name; if the files have no names, by position.

    Parameters
    ----------
    tables : sequence of Table
        The tables. The names and the order of the columns are those of the first table.
    """

    def __init__(self, tables: Sequence[Table]) -> None:
        first = tables[0]
        name = few([each.name for each in tables])
        super().__init__(name, first.format, first.names)
        self.named = first.named
        self._tables = tables
        for each in tables[1:]:
            if first.named:
                check_same_columns(each.name, each.names, first.names)
            if not first.named and len(each.names) != len(first.names):
                raise TableError(
                    f"{each.name} has {len(each.names)} columns, and {first.name} has "
                    f"{len(first.names)}."
                )
        counts = [each.n_rows for each in tables]
        self.n_rows = None if None in counts else sum(count or 0 for count in counts)
        self.spellings = {name: note for each in tables for name, note in each.spellings.items()}
        self.ambiguous = {name: note for each in tables for name, note in each.ambiguous.items()}
        self.without_zone = [name for each in tables for name in each.without_zone]

    @cached_property
    def columns_with_words(self) -> Sequence[str]:  # type: ignore[override]
        """Columns of text in text files with a text such as "NA", a missing value or a word."""
        found = {name for each in self._tables for name in each.columns_with_words}
        return [name for name in self.names if name in found]

    @cached_property
    def columns(self) -> dict[str, Any]:
        """PyArrow types of the columns, by name.

        If the files have different types, the type is float64 for numbers, times without a zone
        for dates, and text otherwise.
        """
        arrow, kinds = pyarrow(), {}
        for name in self.names:
            found = [each.columns[name] for each in self._tables]
            kinds[name] = found[0]
            if any(kind != found[0] for kind in found):
                kinds[name] = arrow.timestamp("us") if all(map(is_date, found)) else arrow.string()
                if all(map(is_number, found)):
                    kinds[name] = arrow.float64()
            elif self.format in TEXT and arrow.types.is_integer(found[0]):
                kinds[name] = arrow.float64()  # fractions may follow the first rows
        return kinds

    def pieces(self, names: Sequence[str], as_text: AsText = NO_TEXT) -> Iterator[Any]:
        """Yield the columns `names` in pieces, each a `pyarrow.Table`; see `Table.pieces`."""
        arrow = pyarrow()
        schema = arrow.schema([(name, self.columns[name]) for name in names])
        # A column that is text in one file is read as text in all files.
        text = {name: True for name in names if is_text(self.columns[name])} | {**as_text}
        for table in self._tables:
            for rows in table.pieces(names, text):
                for i, field in enumerate(schema):
                    if field.type == arrow.timestamp("us"):
                        rows = rows.set_column(i, field.name, wall_clock(rows.column(i)))
                yield rows.cast(schema, safe=False)

    def numbers(self, names: Sequence[str]) -> Iterator[Chunk]:
        """Yield the columns `names`, which must be numbers, in chunks of rows."""
        for table in self._tables:
            yield from table.numbers(names)

    def count_rows(self, at_most: int) -> int:
        """Return the number of rows, or some number above `at_most` if there are more rows."""
        total = 0
        for table in self._tables:
            total += table.count_rows(at_most - total)
            if total > at_most:
                break
        return total


def check_same_columns(name: str, names: Sequence[str], wanted: Sequence[str]) -> None:
    """Raise TableError if a file lacks a column of other files, or has a column that they lack.

    Parameters
    ----------
    name : str
        Name of the file, for the message.
    names : sequence of str
        Names of the columns of the file.
    wanted : sequence of str
        Names of the columns of the other files.
    """
    missing = [each for each in wanted if each not in names]
    if missing:
        raise TableError(f"{name} lacks the column {missing[0]!r}, which other files have.")
    extra = [each for each in names if each not in wanted]
    if extra:
        raise TableError(
            f"{name} has the column {extra[0]!r}, which other files lack. Give files with the same "
            "columns."
        )


@contextmanager
def reading(name: str, format: str) -> Iterator[None]:
    """Context manager: raise `TableError` in place of errors that readers raise for damaged files.

    The message has the name of the file and its format.
    """
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
    """Return the number of rows of which a piece of a table with `n_columns` columns consists."""
    return max(1, PIECE_BYTES // (8 * max(1, n_columns)))


def in_pieces(rows: Any, width: int = 0) -> Iterator[Any]:
    """Yield the rows of a table in pieces of about `PIECE_BYTES` bytes.

    Parameters
    ----------
    rows : pyarrow.Table
        The table.
    width : int, default=0
        Number of columns that will be computed from each piece; if it is larger than the number of
        columns of the table, pieces have fewer rows.
    """
    step = piece_rows(max(width, rows.num_columns))
    for start in range(0, rows.num_rows, step):
        yield rows.slice(start, step)


def few(names: Sequence[object]) -> str:
    """Return the names of the first three files, and the number of the others, for a message."""
    shown = ", ".join(str(name) for name in names[:3])
    return shown if len(names) <= 3 else f"{shown} and {len(names) - 3} others"
