"""Steps that commands with a fit share: prepare the fit from options, and print its warnings."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from gramian._support.words import counted, listed, plural
from gramian.cli._errors import say
from gramian.cli._files import open_input
from gramian.cli._options import DataOptions, MethodOptions, Reading
from gramian.cli._wording import changes_in_words, spelled
from gramian.tabular import ColumnOptions, FittedTable, Method, TableFit, make_estimator, prepare


def prepared(
    path: str,
    algorithm: str | None,
    reading: Reading,
    data: DataOptions,
    options: MethodOptions,
    *,
    quiet: bool,
) -> TableFit:
    """Open a table, make the estimator, and check the options; return a fit that can be run.

    Parameters
    ----------
    path : str
        The file of the table.
    algorithm : str or None
        "gfs", "gfa", "gfr", "gca" or "manifold". None for the default: gfs with -n, --criterion or
        --given, and gfa without them.
    reading : Reading
        Options for reading the table.
    data : DataOptions
        Options for the columns, such as their roles.
    options : MethodOptions
        Options of the algorithm.
    quiet : bool
        True to show no progress; none is shown if standard error is no terminal.
    """
    method = Method(**vars(options))
    algorithm = algorithm or method.algorithm
    estimator = make_estimator(
        algorithm,
        method,
        scale=data.standardize,
        memory_budget=reading.memory_budget,
        verbose=int(sys.stderr.isatty() and not quiet),
    )
    table = open_input(path, reading)
    directions = None
    if options.directions is not None:
        weights = Reading(memory_budget=reading.memory_budget)
        directions = open_input(options.directions, weights)
    columns = ColumnOptions(**vars(data))
    return prepare(table, algorithm, estimator, columns, method, directions)


def warnings_of(fitted: FittedTable) -> list[str]:
    """Return the warnings about a fit as texts, each without a full stop.

    Parameters
    ----------
    fitted : FittedTable
        The finished fit.
    """
    return [each.worded(spelled) for each in fitted.cautions]


def tell(fitted: FittedTable, files: Iterable[str]) -> None:
    """Print on standard error how the table was changed, all warnings, and the written files.

    Parameters
    ----------
    fitted : FittedTable
        The finished fit.
    files : iterable of str
        Paths of the written files, without standard output.
    """
    if sentence := changes_in_words(fitted.changes):
        say(sentence)
    for warning in warnings_of(fitted):
        say(f"warning: {warning}")
    for file in files:
        say(f"wrote {file}")


def given_columns(fitted: FittedTable) -> list[str]:
    """Return the columns that the user gave: those of the fit, and those that it did not use.

    Parameters
    ----------
    fitted : FittedTable
        The finished fit.
    """
    steps = fitted.model.steps
    beside, aside = steps.beside, fitted.changes.set_aside
    return [
        *dict.fromkeys(
            [*steps.columns, *beside.labels, *beside.given, *aside, *steps.ids, *steps.targets]
        )
    ]


def used_in_words(fitted: FittedTable) -> str:
    """Return a sentence about the rows and columns that the fit used; empty if it used all.

    Parameters
    ----------
    fitted : FittedTable
        The finished fit.
    """
    model, changes = fitted.model, fitted.changes
    beside, steps = model.steps.beside, model.steps
    n_rows = int(model.estimator.n_samples_)
    others = given_columns(fitted)[len(steps.columns) :]
    passing = {*steps.ids, *steps.targets}
    columns = _reasons(
        (len(beside.labels), "holds text or codes", "hold text or codes"),
        (len(beside.given), "follows from others by a law", "follow from others by laws"),
        (len(passing), "is passed through", "are passed through"),
        (
            len({*others} - {*beside.labels, *beside.given} - passing),
            "was set aside",
            "were set aside",
        ),
    )
    n_missing = changes.rows_left_out
    held_out = fitted.model.estimator.get_params().get("validation_fraction") is not None
    rows = _reasons(
        (n_missing, "has missing values", "have missing values"),
        (
            changes.rows_used - n_rows,
            *(("is held out", "are held out") if held_out else ("was left out", "were left out")),
        ),
    )
    n_columns = counted(len(others) + len(steps.columns), "column")
    parts = [
        f"{n_rows:,} of {counted(changes.rows_read, 'row')}{rows}" if rows else "",
        f"{len(steps.columns):,} of {n_columns}{columns}" if columns else "",
    ]
    said = ", and from ".join(filter(None, parts))
    return f"The fit learned from {said}." if said else ""


def _reasons(*reasons: tuple[int, str, str]) -> str:
    """Return why some rows or columns were not used, as text that follows their number.

    Each reason has the number of rows or columns, and the words for one and for several.
    """
    found = [f"{n:,} {plural(n, one, many)}" for n, one, many in reasons if n > 0]
    return f", as {listed(found, len(found), str)}" if found else ""
