"""Fits of commands: from options to a fit, and its lines on standard error."""

from __future__ import annotations

from collections.abc import Iterable

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
    """Open a table, and check all that can be checked before a fit.

    Parameters
    ----------
    path : str
        The table.
    algorithm : str or None
        "gfs", "gfa", "gfr", "gca" or "manifold"; by default the selection that suits the options.
    reading : Reading
        Options of the file.
    data : DataOptions
        The roles of columns.
    options : MethodOptions
        Options of the algorithm.
    quiet : bool
        True if no progress bar is shown.
    """
    method = Method(**vars(options))
    algorithm = algorithm or method.algorithm
    estimator = make_estimator(
        algorithm,
        method,
        scale=data.standardize,
        memory_budget=reading.memory_budget,
        verbose=0 if quiet else 1,
    )
    table = open_input(path, reading)
    directions = None
    if options.directions is not None:
        weights = Reading(memory_budget=reading.memory_budget)
        directions = open_input(options.directions, weights)
    columns = ColumnOptions(**vars(data))
    return prepare(table, algorithm, estimator, columns, method, directions)


def warnings_of(fitted: FittedTable) -> list[str]:
    """Return the cautions of a fit as lines without a full stop.

    Parameters
    ----------
    fitted : FittedTable
        The fit.
    """
    return [each.worded(spelled) for each in fitted.cautions]


def tell(fitted: FittedTable, files: Iterable[str]) -> None:
    """Print changes of the table, cautions and written files on standard error.

    Parameters
    ----------
    fitted : FittedTable
        The fit.
    files : iterable of str
        The written files; standard output is not among them.
    """
    if sentence := changes_in_words(fitted.changes):
        say(sentence)
    for warning in warnings_of(fitted):
        say(f"warning: {warning}")
    for file in files:
        say(f"wrote {file}")
