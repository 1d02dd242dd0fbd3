"""Application of a model to tables, piece by piece.

`reduced` returns the table with fewer columns; `reconstructed` computes all columns again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array
from gramian._support.words import the_columns
from gramian.models import Preprocessing
from gramian.tables import (
    DICTIONARY,
    TEXT,
    Table,
    in_pieces,
    in_type,
    plain,
    pyarrow,
    without_nan,
)
from gramian.tabular._column_checks import check_places, refuse_infinite
from gramian.tabular._column_roles import Passing
from gramian.tabular._computed_columns import as_levels, computed, with_columns
from gramian.tabular._messages import UnusableTableError
from gramian.tabular._table_model import TableModel, locate, with_names
from gramian.tabular._unknown_levels import UnknownLevel

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Piece:
    """Result of a model for some consecutive rows of a table."""

    rows: pa.Table
    """Rows of the result. Rows with missing values may have been dropped."""
    keeps: NDArray[np.bool_]
    """Mask of the rows that were read: True if the row is in `rows`."""
    unknown: Counter[UnknownLevel]
    """Levels that the fit has not seen, with the number of computed cells that are empty for it."""
    copied: Mapping[str, str]
    """From the names of columns in `rows` whose cells are those of the table, except for missing
    cells that were filled, to the names of these columns in the table."""


def reduced(
    model: TableModel, table: Table, others: Passing, verbatim: Collection[str] = ()
) -> Iterator[Piece]:
    """Reduce a table to the kept columns, or to the components, of a model.

    Parameters
    ----------
    model : TableModel
        The fitted model.
    table : Table
        The table to reduce.
    others : Passing
        Columns that are copied unchanged to the result.
    verbatim : collection of str
        Columns among `others` whose cells are copied from a text file exactly as written.

    Returns
    -------
    pieces : iterator of Piece
        The result in one or more pieces.
    """
    _check_kept(model)
    columns = list(model.steps.columns)
    wanted = model.kept if model.selects else columns
    others = with_labels(others, model, table)
    places = locate([columns, wanted], model, table, others)
    steps = model.steps.only(wanted)

    def reduce(rows: pa.Table, values: Array) -> pa.Table:
        if model.selects:
            return filled(rows, steps)
        return without_nan(with_names(_transformed(model, values), model.kept))

    return _Rewriter(model, table, others, verbatim, steps, places, reduce).pieces(whole=False)


def reconstructed(
    model: TableModel, table: Table, others: Passing, verbatim: Collection[str] = ()
) -> Iterator[Piece]:
    """Compute all columns of the fit from a table of kept columns or of components.

    The table may also have all columns of the fit. Parameters and results are those of `reduced`.
    """
    _check_kept(model)
    columns, kept = list(model.steps.columns), model.kept
    others = with_labels(others, model, table)
    if not model.estimator.model_.explains:
        raise UnusableTableError(
            "{estimator} cannot reconstruct columns", estimator=type(model.estimator).__name__
        )
    places = locate([kept, columns], model, table, others)
    from_all = not model.selects and list(places) != kept
    wanted = columns if from_all else kept
    from_codes = not model.selects and not from_all
    steps = Preprocessing(tuple(kept)) if from_codes else model.steps.only(wanted)

    def reconstruct(rows: pa.Table, values: Array) -> pa.Table:
        z = _transformed(model, values) if from_all else values
        x = model.estimator.inverse_transform(z) if len(z) else np.empty((0, len(columns)))
        x = _with_constants(x, model)
        result = in_words(without_nan(with_names(x, columns)), model.steps)
        if model.selects:  # copy kept columns from the input, without rounding errors
            result = _typed(result, model.steps.types)
            given = filled(rows, steps)
            result = with_columns(result, {name: given.column(name) for name in kept})
        return result

    return _Rewriter(model, table, others, verbatim, steps, places, reconstruct).pieces(whole=True)


def _with_constants(x: Array, model: TableModel) -> Array:
    """Return reconstructed rows in which constant columns have their value in every row.

    The estimator leaves columns missing in rows in which a kept column is missing.
    """
    variances = getattr(model.estimator.model_, "variances", None)
    if variances is None or not model.selects:
        return x
    constant = ~model.estimator.support_ & (variances == 0)
    return np.where(np.isnan(x) & constant, model.estimator.model_.mean, x)


def _typed(table: pa.Table, types: Mapping[str, str]) -> pa.Table:
    """Convert computed columns to the types of the fit; categories stay text.

    A file stores categories separately for each piece.

    Parameters
    ----------
    table : pyarrow.Table
        Computed columns.
    types : mapping from str to str
        From the name of a column to its type; see `Preprocessing.types`.
    """
    wanted = {name: each for name, each in types.items() if each != DICTIONARY}
    return with_columns(table, {n: in_type(table.column(n), each) for n, each in wanted.items()})


def _check_kept(model: TableModel) -> None:
    """Raise an error if a model keeps no column or component; the message says why."""
    if not model.kept:
        varied = model.estimator.model_.record.total[0] > 0
        raise UnusableTableError(
            "the model keeps no {noun}, because {why}",
            noun=model.noun,
            why="the threshold of its fit is too high" if varied else "no column varies",
        )


def _transformed(model: TableModel, values: Array) -> Array:
    """Return the components of rows of numbers; an array without rows if there are no rows."""
    if not len(values):
        return np.empty((0, len(model.kept)))
    result: Array = model.estimator.transform(model.taken(values))
    return result


@dataclass
class _Rewriter:
    """Reader of a table that applies a function of a model to each piece of the table."""

    model: TableModel
    table: Table
    others: Passing
    """Columns that are copied unchanged to the result."""
    verbatim: Collection[str]
    """Columns among `others` whose cells are copied from a text file exactly as written."""
    steps: Preprocessing
    """Preprocessing of the columns that the function takes."""
    places: Mapping[str, str]
    """From the name of a column in the model to its name in the table."""
    function: Callable[[pa.Table, Array], pa.Table]
    """Function from rows of the table, and the numbers made of them, to rows of the result."""
    n_read: int = 0
    """Number of rows that have been read so far."""

    def pieces(self, *, whole: bool) -> Iterator[Piece]:
        """Read the table piece by piece, and yield the result for each piece.

        Parameters
        ----------
        whole : bool
            True if the result has all columns of the fit; then columns of laws of levels are added.
        """
        self.places = {name: self.places[name] for name in self.steps.columns}
        labels = {self.places[name]: True for name in self.steps.categories}
        as_text = labels | dict.fromkeys([*self.verbatim, *self.others.labels], False)
        names = list(dict.fromkeys([*self.others.names, *self.places.values()]))
        width = len(self.model.steps.columns if whole else self.model.kept)
        check_places(self.table, self.places, labels)
        for rows in self.table.pieces(names, as_text):
            for part in in_pieces(rows, width):
                yield self._rewritten(part, whole)
        if not self.n_read:  # a table without rows still has columns: yield one empty piece
            yield self._rewritten(self.table.read(names, as_text), whole)

    def _rewritten(self, piece: pa.Table, whole: bool) -> Piece:
        """Return the result for one piece of the table."""
        places, others, beside = self.places, self.others, self.model.steps.beside
        inner = piece.select(list(places.values())).rename_columns(list(places))
        numbers = plain(inner)
        refuse_infinite(numbers, self.table, self.n_read)
        self.n_read += piece.num_rows
        try:
            values, keeps = self.steps.apply_and_keep(numbers)
            result = self.function(inner.filter(keeps), values)
        except ValueError as error:
            raise UnusableTableError(
                "{table}: {problem}", table=self.table.name, problem=str(error)
            ) from error
        twice = [name for name in others.names if name in result.column_names]
        if twice:
            raise UnusableTableError(
                "the {names} of {table} would pass through beside another of that name: rename it "
                "first",
                names=the_columns(twice),
                table=self.table.name,
            )
        aside = piece.select(list(others.names)).filter(keeps)
        for name in others.labels:
            result = result.append_column(name, aside.column(name))
        unknown = Counter[UnknownLevel]()
        if whole:
            rows = as_levels(result, others.labels, words=self.table.format in TEXT)
            given, unknown = computed(rows, beside)
            for name, column in given.items():
                result = result.append_column(name, column)
        result = result.select(beside.sorted(result.column_names))
        for name in reversed(others.ids):
            result = result.add_column(0, name, aside.column(name))
        for name in others.targets:
            result = result.append_column(name, aside.column(name))
        copied = {name: name for name in others.names}
        if self.model.selects:
            copied |= {name: places[name] for name in self.model.kept}
        return Piece(result, keeps, unknown, copied)


def with_labels(others: Passing, model: TableModel, table: Table) -> Passing:
    """Add the text columns that a model keeps to the columns that are copied to the result.

    Raise an error if the table lacks one of these text columns.

    Parameters
    ----------
    others : Passing
        Columns to copy, without the text columns of the model.
    model : TableModel
        The fitted model.
    table : Table
        The table to which the model is applied.
    """
    labels = [name for name in model.steps.beside.labels if name not in others.names]
    absent = [name for name in labels if name not in table.columns]
    if absent:
        raise UnusableTableError(
            "{table} lacks the {names} that the model keeps beside the numbers",
            table=table.name,
            names=the_columns(absent),
        )
    return replace(others, labels=tuple(labels))


def in_words(table: pa.Table, steps: Preprocessing) -> pa.Table:
    """Convert numbers back to dates and to categories, in the columns that had them.

    Parameters
    ----------
    table : pyarrow.Table
        Table of numbers, with all columns of the fit.
    steps : Preprocessing
        Preprocessing that turned dates and categories into numbers.
    """
    arrow, new = pyarrow(), {}
    for name, clock in steps.clocks.items():
        new[name] = arrow.array(clock.dates(table.column(name).to_numpy()))
    for name, categories in steps.categories.items():
        numbers = table.column(name).to_numpy()
        nearest = np.clip(np.rint(np.nan_to_num(numbers)), 0, len(categories) - 1)
        codes = arrow.array(nearest.astype(np.intp), mask=np.isnan(numbers))
        new[name] = arrow.array(categories, arrow.string()).take(codes)
    return with_columns(table, new)


def filled(table: pa.Table, steps: Preprocessing) -> pa.Table:
    """Fill missing values of a table with the values that a preprocessing has learned.

    Parameters
    ----------
    table : pyarrow.Table
        Table with all columns of `steps`.
    steps : Preprocessing
        Preprocessing with the values to fill in; without such values the table is returned as is.
    """
    if steps.impute is None:
        return table
    arrow, new = pyarrow(), {}
    for name, value in zip(steps.columns, steps.impute, strict=True):
        column = table.column(name)
        if name in steps.clocks:
            when = steps.clocks[name].times(np.array([value]))[0]
            column = column.fill_null(arrow.scalar(when).cast(column.type, safe=False))
        elif name in steps.categories:
            column = column.cast(arrow.string()).fill_null(steps.categories[name][int(value)])
        elif _keeps_type(column.type, value):
            column = column.fill_null(arrow.scalar(int(value)).cast(column.type))
        else:
            if not arrow.types.is_floating(column.type):
                column = column.cast(arrow.float64(), safe=False)
            absent = arrow.compute.is_null(column, nan_is_null=True)
            number = arrow.scalar(float(value)).cast(column.type, safe=False)
            column = arrow.compute.if_else(absent, number, column)
        new[name] = column
    return with_columns(table, new)


def _keeps_type(kind: Any, value: float) -> bool:
    """Return True if a column of integers or truth values keeps its type when `value` fills it.

    The answer does not depend on the rows, so that all pieces of a table have one type.
    """
    types = pyarrow().types
    if types.is_boolean(kind):
        return value in (0, 1)
    return types.is_integer(kind) and float(value).is_integer()


def with_categories(table: pa.Table, steps: Preprocessing) -> pa.Table:
    """Convert text to categories, in the columns that were categories in the fit.

    Parameters
    ----------
    table : pyarrow.Table
        All rows of a result.
    steps : Preprocessing
        Preprocessing with the types of the columns of the fit.
    """
    types = {**steps.types, **steps.beside.types}
    wanted = [name for name in table.column_names if types.get(name) == DICTIONARY]
    return with_columns(table, {n: in_type(table.column(n), DICTIONARY) for n in wanted})
