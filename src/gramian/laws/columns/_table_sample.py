"""Opening of tables of any kind, and random samples of their rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian._support.given_data import as_given
from gramian._support.groups import group_numbers
from gramian._support.types import Array, IntArray
from gramian._support.words import infinite_value, the_columns
from gramian.core.rows import (
    Hashes,
    as_source,
    distinct_rows,
    draw,
    is_dask,
    partitions,
    row_hashes,
)
from gramian.laws.columns._coded_table import (
    CodedTable,
    of_array,
    of_blocks,
    of_columns,
    of_files,
    of_frames,
)
from gramian.tables import dates_in_text

SAMPLE_ROWS = 8_000
"""Size of the random sample in which laws among numbers are searched; all rows test them."""
LOOKUP_ROWS = 50_000
"""Size of the sample for lookups, which is larger because each level needs several rows."""


def open_coded_table(data: Any, feature_names: Sequence[str] | None) -> CodedTable:
    """Return a `CodedTable` of an array, data frame, Arrow table, files, blocks or Dask data.

    Parameters
    ----------
    data : object
        The table.
    feature_names : sequence of str or None
        Names that replace the names of the columns in the table; None keeps those names.
    """
    data = as_given(data)
    if isinstance(data, Mapping):
        opened = _of_mapping(data)
    elif is_dask(data):
        opened = _dask(data)
    elif (files := of_files(data)) is not None:
        opened = files
    elif (source := as_source(data)) is not None:
        chunks = source.chunks
        opened = of_blocks(source.names, source.n_columns, lambda: (each.x for each in chunks()))
    else:
        opened = _in_memory(data)
    return _named(opened, feature_names)


def _of_mapping(data: Mapping[Any, Any]) -> CodedTable:
    shapes = {str(name): np.shape(column) for name, column in data.items()}
    if len({*shapes.values()}) > 1 or any(len(shape) != 1 for shape in shapes.values()):
        raise ValueError(
            f"The columns of a table are sequences of the same length; got the shapes {shapes}."
        )
    if find_spec("pandas") is None:
        return of_columns(data, list(data.values()))
    import pandas as pd  # pandas recognizes date objects of Python

    return _in_memory(pd.DataFrame(dict(data)))


def _in_memory(data: Any) -> CodedTable:
    if hasattr(data, "column_names") and hasattr(data, "to_pandas"):  # an Arrow table
        columns = [data.column(i) for i in range(len(data.column_names))]
        return of_columns(data.column_names, columns)
    if hasattr(data, "columns") and not isinstance(data, np.ndarray):
        names = list(data.columns)
        twice = next((each for each in names if names.count(each) > 1), None)
        if twice is not None:
            raise ValueError(f"The table has two columns named {twice!r}: rename one of them.")
        return of_columns(data.columns, [_with_dates(data[each]) for each in data.columns])
    if isinstance(data, np.ndarray) and data.dtype.kind in "Oiu" and data.ndim == 2:
        return of_columns(None, list(data.T))
    if hasattr(data, "toarray"):
        data = data.toarray()
    try:
        array = np.asarray(data, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"X holds values that are not numbers: {error}. Give tables with text as data frames, "
            "Arrow tables or files."
        ) from error
    if array.ndim != 2:
        raise ValueError(
            f"X must be a table with rows and columns; it has the shape {array.shape}."
        )
    return of_array(array)


def _with_dates(column: Any) -> Any:
    """Return a column of text as dates if all its cells are dates in ISO 8601, as files have them.

    Parameters
    ----------
    column : object
        A column of a data frame.
    """
    if not str(column.dtype).lower().startswith(("object", "str")):
        return column
    dates = dates_in_text(np.asarray(column, dtype=object).tolist())
    return column if dates is None else dates


def _dask(data: Any) -> CodedTable:
    if hasattr(data, "columns"):
        return of_frames(
            [str(each) for each in data.columns],
            lambda: partitions(data),
        )

    def blocks() -> Iterator[Array]:
        for part in partitions(data):
            yield np.asarray(part, dtype=np.float64)

    return of_blocks(None, int(data.shape[1]), blocks)


def _named(table: CodedTable, wanted: Sequence[str] | None) -> CodedTable:
    """Return the table with the names `wanted`, or its own if it is None.

    Raise a ValueError if two names are equal.
    """
    if wanted is not None:
        names, width = tuple(str(each) for each in wanted), len(table.names)
        if len(names) != width:
            raise ValueError(
                f"feature_names has {len(names)} names, and the table has {width} columns."
            )
        table = replace(table, names=names, named=True)
    twice = [name for name, count in Counter(table.names).items() if count > 1]
    if twice:
        raise ValueError(
            f"More than one column is called {twice[0]!r}, so that a law could not say which it "
            "means. Rename one, or give feature_names."
        )
    return table


@dataclass(frozen=True)
class Sample:
    """A random sample of the rows of a table."""

    rows: Array
    n_rows: int
    """The number of rows of the whole table."""
    n_missing: Array
    """The number of missing values of each column in the whole table."""
    groups: IntArray | None = None
    """The number of the group of each row, if the user gave groups; else None."""
    once: NDArray[np.bool_] | None = None
    """Mask of the rows of the whole table, if it is several copies of a table: one of them."""

    @property
    def is_all(self) -> bool:
        """True if the sample has all rows of the table."""
        return len(self.rows) == self.n_rows


def without_copies(rows: Array, groups: IntArray | None) -> tuple[Array, IntArray | None]:
    """Return the rows of one table if the rows are several copies of a table, in any order.

    Parameters
    ----------
    rows : array of shape (n_rows, n_columns)
        The rows, with codes for text and dates.
    groups : array of shape (n_rows,) or None
        The number of the group of each row. Copies are equal rows of one group.

    Returns
    -------
    rows, groups : array, array or None
        The rows of one table, and their groups.
    """
    cells = rows if groups is None else np.column_stack([rows, groups])
    distinct = distinct_rows(cells, None)
    times = int(np.gcd.reduce(distinct.copies)) if len(distinct.copies) else 1
    if times == 1:
        return rows, groups
    once = np.repeat(distinct.table, distinct.copies // times, axis=0)
    if groups is None:
        return once, None
    return once[:, :-1], once[:, -1].astype(np.intp)


def sample_of(
    table: CodedTable, seed: int, most: int | None = None, groups: IntArray | None = None
) -> Sample:
    """Read a table once, and return a random sample of its rows, in the order of the table.

    Parameters
    ----------
    table : CodedTable
        The table.
    seed : int
        The seed of the random choice of rows.
    most : int, optional
        The largest number of rows of the sample; by default `SAMPLE_ROWS`.
    groups : array of shape (n_rows,), optional
        The number of the group of each row of the table.
    """
    n_missing = np.zeros(len(table.names))
    hashes: list[Hashes] = []

    def checked() -> Iterator[Array]:
        nonlocal n_missing
        before = 0
        yield np.empty((0, len(table.names) + (groups is not None)))  # the table may have no rows
        for block in table.blocks():
            _check(block, table.names, before)
            n_missing += np.isnan(block).sum(axis=0)
            after = before + len(block)
            cells = block if groups is None else np.column_stack([block, groups[before:after]])
            hashes.append(row_hashes(cells))
            yield cells
            before = after

    most = SAMPLE_ROWS if most is None else most
    rows, n_rows = draw(checked(), most, seed, lambda block, mask: block[mask], np.concatenate)
    once = _once(np.concatenate([np.empty(0, dtype=np.uint64), *hashes]))
    if groups is None:
        return Sample(rows, n_rows, n_missing, once=once)
    return Sample(rows[:, :-1], n_rows, n_missing, rows[:, -1].astype(np.intp), once)


FEWEST_ROWS = 6
"""Smallest number of rows of a table of which another table is several copies."""


def _once(hashes: Hashes) -> NDArray[np.bool_] | None:
    """Return a mask of the rows of one table if the rows are several copies of a table, else None.

    Parameters
    ----------
    hashes : array of shape (n_rows,)
        A number for each row; equal rows have equal numbers.
    """
    _, row, counts = np.unique(hashes, return_inverse=True, return_counts=True)
    times = int(np.gcd.reduce(counts)) if len(counts) else 1
    if times == 1 or len(hashes) < FEWEST_ROWS * times:
        return None
    order = np.argsort(row, kind="stable")
    starts = np.cumsum(counts) - counts
    place = np.empty(len(row), dtype=np.intp)  # how many equal rows come before each row
    place[order] = np.arange(len(row)) - np.repeat(starts, counts)
    # One table after the other: take the first. Otherwise each row is followed by its copies.
    early: NDArray[np.bool_] = place < (counts // times)[row]
    return early if early[: len(row) // times].all() else place % times == 0


@dataclass(frozen=True)
class SampledTable:
    """A table without copies of the whole table, with a sample of its rows."""

    table: CodedTable
    sample: Sample
    groups: IntArray | None
    """The number of the group of each row of the table, if the user gave groups; else None."""
    n_rows: int
    """The number of rows of the table that the user gave."""


def sampled_once(
    table: CodedTable, seed: int, most: int | None = None, groups: IntArray | None = None
) -> SampledTable:
    """Sample the rows of a table; if it is several copies of a table, take one of them.

    The parameters are those of `sample_of`. Copies are equal rows of one group.
    """
    sample = sample_of(table, seed, most, groups)
    n_rows, once = sample.n_rows, sample.once
    if once is not None:
        table, groups = table.taken(once), None if groups is None else groups[once]
        sample = sample_of(table, seed, most, groups)
    return SampledTable(table, sample, groups, n_rows)


def groups_of_table(table: CodedTable, groups: Any) -> IntArray | None:
    """Return the number of the group of each row of a table; None without groups.

    If no two rows are in the same group, the groups say nothing, and the result is None.

    Parameters
    ----------
    table : CodedTable
        The table.
    groups : array-like of shape (n_rows,), str or None
        The labels of the rows, or the name of the column that holds them.
    """
    if groups is None:
        return None
    if isinstance(groups, str):
        if groups not in table.names:
            raise ValueError(
                f"There is no column {groups!r} to take groups from; there are "
                f"{the_columns(table.names)}."
            )
        place = table.names.index(groups)
        labels = np.concatenate([np.empty(0), *(block[:, place] for block in table.blocks())])
        numbers = group_numbers(labels)
    else:
        numbers = group_numbers(groups, sum(len(block) for block in table.blocks()))
    return None if len(np.unique(numbers)) == len(numbers) else numbers


def _check(block: Array, names: Sequence[str], before: int) -> None:
    if np.isinf(block).any():
        row, column = np.argwhere(np.isinf(block))[0]
        raise ValueError(infinite_value(names[column], before + row))
