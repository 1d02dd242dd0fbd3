"""Steps that commands with a fit share: prepare the fit from options, and print its warnings."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable

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


def tell(fitted: FittedTable, files: Iterable[str], shown: Collection[str] = ()) -> None:
    """Print on standard error how the table was changed, all warnings, and the written files.

    Parameters
    ----------
    fitted : FittedTable
        The finished fit.
    files : iterable of str
        Paths of the written files, without standard output.
    shown : collection of str
        Columns of which standard output tells all, so that these lines do not.
    """
    if sentence := changes_in_words(fitted.changes, shown):
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
