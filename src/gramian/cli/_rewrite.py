"""Makes a table smaller with a model, and back, piece by piece."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute

from gramian._support.types import Array
from gramian._support.words import the_columns
from gramian.cli._columns import Passing, check_places, refuse_infinite
from gramian.cli._errors import CommandError
from gramian.cli._files import open_target, output_format
from gramian.cli._model import TableModel, locate, named
from gramian.cli._options import TableOutput
from gramian.models import Beside, Preprocessing
from gramian.tables import ARRAYS, PER_SECOND, TEXT, Table, in_pieces, is_duration, plain


@dataclass(frozen=True)
class Written:
    """What was read, and what was written of it."""

    n_read: int
    n_rows: int
    columns: list[str]
    n_unknown: int
    """Cells that are empty because no row of the fit had their level."""


def write_reduced(model: TableModel, table: Table, others: Passing, output: TableOutput) -> Written:
    """Write what a model makes of a table: the kept columns, or the components.

    Parameters
    ----------
    model : TableModel
        The model.
    table : Table
        The table.
    others : Passing
        Columns that pass through.
    output : TableOutput
        Where to.

    Returns
    -------
    written : Written
        What was written.
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
        return named(_transformed(model, values), model.kept)

    return _write(model, table, others, output, steps, places, reduce)


def write_reconstructed(
    model: TableModel, table: Table, others: Passing, output: TableOutput
) -> Written:
    """Write all columns of the fit, from the kept columns, from components, or from all columns.

    Parameters and results are those of `write_reduced`.
    """
    _check_kept(model)
    columns, kept = list(model.steps.columns), model.kept
    others = with_labels(others, model, table)
    if not model.estimator.model_.explains:
        raise CommandError(f"{type(model.estimator).__name__} cannot reconstruct columns")
    places = locate([kept, columns], model, table, others)
    from_all = not model.selects and list(places) != kept
    wanted = columns if from_all else kept
    from_codes = not model.selects and not from_all
    steps = Preprocessing(tuple(kept)) if from_codes else model.steps.only(wanted)

    def reconstruct(rows: pa.Table, values: Array) -> pa.Table:
        z = _transformed(model, values) if from_all else values
        x = model.estimator.inverse_transform(z) if len(z) else np.empty((0, len(columns)))
        result = in_words(named(x, columns), model.steps)
        if model.selects:  # kept columns as they were, without rounding errors
            given = filled(rows, steps)
            result = _with_columns(result, {name: given.column(name) for name in kept})
        return result

    return _write(model, table, others, output, steps, places, reconstruct, whole=True)


def _check_kept(model: TableModel) -> None:
    """Refuse a model that keeps nothing, and say why it does."""
    if not model.kept:
        varied = model.estimator.model_.record.total[0] > 0
        why = "the threshold of its fit is too high" if varied else "no column varies"
        raise CommandError(f"the model keeps no {model.noun}, because {why}")


def _transformed(model: TableModel, values: Array) -> Array:
    if not len(values):
        return np.empty((0, len(model.kept)))
    result: Array = model.estimator.transform(model.taken(values))
    return result


def _write(
    model: TableModel,
    table: Table,
    others: Passing,
    output: TableOutput,
    steps: Preprocessing,
    places: dict[str, str],
    function: Callable[[pa.Table, Array], pa.Table],
    *,
    whole: bool = False,
) -> Written:
    """Write what a function makes of rows and their numbers: the whole table, or what is kept."""
    places = {name: places[name] for name in steps.columns}
    width = len(model.steps.columns if whole else model.kept)
    beside, n_read, n_unknown = model.steps.beside, 0, 0
    format = output_format(output)
    labels = {places[name]: True for name in steps.categories}
    as_text = labels | dict.fromkeys(
        [
            *(others.ids if format not in ARRAYS else ()),
            *(others.targets if format in TEXT else ()),
        ],
        False,
    )
    names = list(dict.fromkeys([*others.names, *places.values()]))
    check_places(table, places, labels)

    def work(piece: pa.Table) -> pa.Table:
        nonlocal n_read, n_unknown
        inner = piece.select(list(places.values())).rename_columns(list(places))
        numbers = plain(inner)
        refuse_infinite(numbers, table, n_read)
        n_read += piece.num_rows
        try:
            values, keeps = steps.apply_and_keep(numbers)
            result = function(inner.filter(pa.array(keeps)), values)
        except ValueError as error:
            raise CommandError(f"{table.name}: {error}") from error
        twice = [name for name in others.names if name in result.column_names]
        if twice:
            raise CommandError(
                f"the {the_columns(twice)} of {table.name} would pass through beside another of "
                "that name: rename it first"
            )
        aside = piece.select(list(others.names)).filter(pa.array(keeps))
        for name in others.labels:
            result = result.append_column(name, aside.column(name))
        if whole:
            result, n_new = with_given(result, beside)
            n_unknown += n_new
        result = result.select(beside.sorted(result.column_names))
        for name in reversed(others.ids):
            result = result.add_column(0, name, aside.column(name))
        for name in others.targets:
            result = result.append_column(name, aside.column(name))
        return result

    pieces = table.pieces(names, as_text)
    n_rows, results = 0, (work(part) for piece in pieces for part in in_pieces(piece, width))
    first = next(results, None)
    if first is None:
        first = work(table.read(names, as_text))
    with open_target(output, first.schema) as writer:
        for result in chain([first], results):
            writer.write(result)
            n_rows += result.num_rows
    return Written(n_read, n_rows, first.column_names, n_unknown)


def with_labels(others: Passing, model: TableModel, table: Table) -> Passing:
    """Let the columns of text that stay beside a model pass through, too.

    Parameters
    ----------
    others : Passing
        What passes through besides.
    model : TableModel
        The model.
    table : Table
        The table.
    """
    labels = [name for name in model.steps.beside.labels if name not in others.names]
    absent = [name for name in labels if name not in table.columns]
    if absent:
        raise CommandError(
            f"{table.name} lacks the {the_columns(absent)} that the model keeps beside the numbers"
        )
    return replace(others, labels=tuple(labels))


def with_given(table: pa.Table, beside: Beside) -> tuple[pa.Table, int]:
    """Add the columns that lookups give, and count cells whose levels were never seen.

    Parameters
    ----------
    table : pyarrow.Table
        The columns of the fit, and those beside it.
    beside : Beside
        How they are computed.
    """
    inner = plain(table)
    found, n_unknown = beside.compute(lambda name: inner.column(name).to_numpy())
    for name, values in found.items():
        table = table.append_column(name, _in_type(values, beside.types.get(name)))
    return table, n_unknown


def _in_type(values: Any, kind: str | None) -> Any:
    """Return what a lookup gives as a column of the type that it had."""
    if values.dtype == object:
        return pa.array(values, pa.string(), from_pandas=True)
    column = pa.array(values, from_pandas=True)
    if kind is None:
        return column
    wanted = pa.type_for_alias(kind)
    if is_duration(wanted):  # numbers of seconds
        whole = pa.compute.round(pa.compute.multiply(column, PER_SECOND[wanted.unit]))
        column = whole.cast(pa.int32() if wanted.bit_width == 32 else pa.int64())
    return column.cast(wanted, safe=False)


def _with_columns(table: pa.Table, new: Mapping[str, Any]) -> pa.Table:
    """Put columns in the place of those of the same name."""
    columns = {name: new.get(name, table.column(name)) for name in table.column_names}
    return pa.table(columns, metadata=table.schema.metadata)


def in_words(table: pa.Table, steps: Preprocessing) -> pa.Table:
    """Turn reconstructed numbers of dates into dates, and of categories into the nearest category.

    Parameters
    ----------
    table : pyarrow.Table
        The table.
    steps : Preprocessing
        How dates and categories became numbers.
    """
    new = {}
    for name, clock in steps.clocks.items():
        new[name] = pa.array(clock.dates(table.column(name).to_numpy()))
    for name, categories in steps.categories.items():
        numbers = table.column(name).to_numpy()
        nearest = np.clip(np.rint(np.nan_to_num(numbers)), 0, len(categories) - 1)
        codes = pa.array(nearest.astype(np.intp), mask=np.isnan(numbers))
        new[name] = pa.array(categories, pa.string()).take(codes)
    return _with_columns(table, new)


def filled(table: pa.Table, steps: Preprocessing) -> pa.Table:
    """Fill in missing values as a model does.

    Parameters
    ----------
    table : pyarrow.Table
        The table.
    steps : Preprocessing
        What is filled in.
    """
    if steps.impute is None:
        return table
    new = {}
    for name, value in zip(steps.columns, steps.impute, strict=True):
        column = table.column(name)
        if name in steps.clocks:
            when = steps.clocks[name].times(np.array([value]))[0]
            column = column.fill_null(pa.scalar(when).cast(column.type, safe=False))
        elif name in steps.categories:
            column = column.cast(pa.string()).fill_null(steps.categories[name][int(value)])
        elif _keeps_type(column.type, value):
            column = column.fill_null(pa.scalar(int(value)).cast(column.type))
        else:
            column = column.cast(pa.float64(), safe=False)
            absent = pa.compute.is_null(column, nan_is_null=True)
            column = pa.compute.if_else(absent, float(value), column)
        new[name] = column
    return _with_columns(table, new)


def _keeps_type(kind: Any, value: float) -> bool:
    """Return whether a fill-in value keeps a column of integers or truth values what it is.

    It does not depend on the piece of the table, so all pieces have the same types.
    """
    if pa.types.is_boolean(kind):
        return value in (0, 1)
    return pa.types.is_integer(kind) and float(value).is_integer()
