"""Command ``gramian explain``: formulas of the columns that a model dropped."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gramian.cli._errors import CommandError, UsageError, guarded
from gramian.cli._options import Json, ModelFile, Reading, option, with_options
from gramian.cli._time_limit import limited

if TYPE_CHECKING:
    import pyarrow as pa

    from gramian.explanations import Explanation, Redundancy
    from gramian.tabular import TableModel

MAX_ROWS = 20_000
"""Formulas are tested on at most this many rows, the first rows of the table."""


@guarded
@with_options
@limited
def explain(
    *,
    model: ModelFile,
    data: Annotated[
        str | None, typer.Argument(metavar="DATA", help="Rows to test formulas on.")
    ] = None,
    reading: Reading,
    max_terms: Annotated[int, option(None, "N", "Terms that a formula may have.", min=1)] = 5,
    json: Json = False,
) -> None:
    """Print the formula with which each dropped column is computed from the kept columns.

    With DATA, the formulas of a selection are tested on the rows of DATA, and R² "on DATA" is
    printed. Formulas of directions are found in DATA, with R² on held-out rows. If a column is
    computed from categories of other columns, the command counts the rows of DATA that agree.
    """
    from gramian._support.time_limit import time_was_over
    from gramian._support.words import counted
    from gramian.cli._files import load_model
    from gramian.cli._pages import Page, print_json
    from gramian.explanations import RowsNeededError

    loaded = load_model(model)
    by_levels = levels(loaded, data, reading)
    rows = None if data is None else _rows(loaded, data, reading)
    try:
        found = formulas(loaded, None, rows, max_terms, Path(data or "").name)
    except TypeError as error:  # UFFS has no formulas
        raise CommandError(str(error)) from error
    except RowsNeededError as error:
        raise UsageError(
            f"the fit of {model} has too many functions for the file to hold their moments: "
            f"name rows as well, as in gramian explain {model} data.csv"
        ) from error
    if json:
        print_json(
            {
                "command": "explain",
                "model": model,
                "kept": loaded.order,
                "formulas": found.table,
                "levels": by_levels,
                "complete": not time_was_over(),
            }
        )
        return
    page = Page()
    if not len(found) and not by_levels:
        page.line("No column was dropped: all were kept.")
    for each in found:
        page.line(told(each, loaded))
    for law in by_levels:
        where = ""
        if law["n_rows"] is not None:
            rows_of = f"{counted(law['n_rows'], 'row')} of {Path(data or '').name}"
            where = f", in {law['n_holds']:,} of {rows_of}"
        page.line(law["law"] + where)


def told(found: Redundancy, model: TableModel) -> str:
    """Return the formula of a column as text, without remarks if it gives each cell.

    That of a constant date has the date, not a number.

    Parameters
    ----------
    found : Redundancy
        The column with its formula.
    model : TableModel
        The model that dropped the column.
    """
    from gramian.formulas import quote, r_squared

    clock = model.steps.clocks.get(found.feature)
    if found.kind == "constant" and clock is not None:
        return f"{quote(found.feature)} = {clock.text(float(found({})))}"
    exact = found.kind == "constant" or (found.kind == "law" and r_squared(found.r2) == "1")
    if exact and found.validation_r2 is None:
        return f"{quote(found.feature)} = {found.formula}"
    return str(found)


def levels(model: TableModel, data: str | None, reading: Reading) -> list[dict[str, Any]]:
    """Return the laws of levels of a model, as values for JSON; test them if there is a table.

    A law of levels maps each level (category) of some columns to the value of another column.

    Parameters
    ----------
    model : TableModel
        The model that contains the laws.
    data : str or None
        The file of the table; None for no test. A law is tested only if the table has all columns
        of the law.
    reading : Reading
        Options for reading the table.
    """
    from gramian.cli._files import open_input
    from gramian.laws import agreement
    from gramian.tables import plain

    laws = model.steps.beside.lookups
    table = open_input(data, reading) if data is not None and laws else None
    found = []
    for law in laws:
        names = [*law.columns, law.column]
        tested: tuple[int | None, int | None] = (None, None)
        if table is not None and {*names} <= {*table.columns}:
            rows = plain(table.read(names, at_most=MAX_ROWS))
            tested = agreement(law, {name: rows.column(name).to_numpy() for name in names})
        found.append(
            {
                "feature": law.column,
                "law": str(law),
                "columns": list(law.columns),
                "n_rows": tested[0],
                "n_holds": tested[1],
            }
        )
    return found


def formulas(
    model: TableModel,
    features: Sequence[str] | None = None,
    rows: pa.Table | None = None,
    max_terms: int = 5,
    name: str = "",
) -> Explanation:
    """Find formulas that compute dropped columns from kept columns, in the units of the table.

    Parameters
    ----------
    model : TableModel
        The model.
    features : sequence of str, optional
        The columns to explain; by default all dropped columns.
    rows : pyarrow.Table, optional
        Rows on which the formulas are tested. If the model has directions, or does not store the
        moments (mean products) of its functions, the formulas are also found from these rows.
    max_terms : int, default=5
        Largest number of terms in a formula.
    name : str
        Name of the table with the rows, which is printed after R²: "on data.csv".
    """
    import gramian
    from gramian.explanations import of_fit, subject_of
    from gramian.fitting import only_complete

    x: Any = None
    if rows is not None:
        x, _ = only_complete(model.steps.apply(rows), None, name or "the table")
    fitted = model.estimator.model_
    if x is not None and fitted.selects and of_fit(fitted, None, fitted.kept.dropped):
        found = gramian.explain(model.estimator, features=features, max_terms=max_terms)
        columns = subject_of(fitted, features).columns
        return found.tested(dict(zip(columns, x.T, strict=True)), name)
    if x is not None:
        x = model.taken(x)
    return gramian.explain(model.estimator, x, features=features, max_terms=max_terms)


def _rows(model: TableModel, path: str, reading: Reading) -> pa.Table:
    """Read the first rows of a file for a test of formulas; columns get the names in the model."""
    from gramian.cli._files import open_input
    from gramian.tables import plain
    from gramian.tabular import check_places, locate, passing, refuse_infinite

    table = open_input(path, reading)
    others, columns = passing(model, table), model.steps.columns
    places = locate([columns], model, table, others)
    names = list(places.values())
    labels = {places[name]: True for name in model.steps.categories}
    check_places(table, places, labels)
    rows = plain(table.read(names, labels, MAX_ROWS)).rename_columns(list(columns))
    refuse_infinite(rows, table)
    return rows
