"""Commands ``gramian select`` and ``gramian extract``: fit a model, print it, write files."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Annotated, Any

from gramian._support.time_limit import time_was_over
from gramian._support.words import data_size, duration
from gramian.cli._errors import UsageError, guarded
from gramian.cli._options import (
    DataFile,
    DataOptions,
    ExtractionMethod,
    ExtractorName,
    FitOutput,
    MethodOptions,
    Reading,
    SelectionMethod,
    SelectorName,
    option,
    with_options,
)
from gramian.cli._time_limit import limited

if TYPE_CHECKING:
    from gramian.tabular import FittedTable, TableFit


@guarded
@with_options
@limited
def select(
    *,
    data: DataFile,
    table: DataOptions,
    reading: Reading,
    algorithm: Annotated[
        SelectorName | None,
        option(
            "Method",
            "gfa|gfs",
            "gfa: all columns but those that follow from others; gfs: the few most informative "
            "ones. By default gfs if -n is given, and gfa if not.",
            "--algorithm",
            "-a",
        ),
    ] = None,
    method: SelectionMethod,
    output: FitOutput,
) -> None:
    """Select the columns from which the others can be computed."""
    _reduce("select", data, algorithm, reading, table, method, output)


@guarded
@with_options
def extract(
    *,
    data: DataFile,
    table: DataOptions,
    reading: Reading,
    algorithm: Annotated[
        ExtractorName,
        option(
            "Method",
            None,
            "gfr: the best directions; gca: principal ones that are not redundant; manifold: "
            "codes, the coordinates of the nearest points of a curved surface.",
            "--algorithm",
            "-a",
        ),
    ] = ExtractorName.gfr,
    method: ExtractionMethod,
    output: FitOutput,
) -> None:
    """Extract a few components from which all columns can be computed."""
    _reduce("extract", data, algorithm, reading, table, method, output)


def _reduce(
    command: str,
    path: str,
    algorithm: str | None,
    reading: Reading,
    data: DataOptions,
    method: MethodOptions,
    output: FitOutput,
) -> None:
    """Run ``gramian select`` or ``gramian extract``: check the options, fit, write and print."""
    from gramian.cli._files import STANDARD, check_outputs, output_format
    from gramian.cli._fit_page import show, shown_columns
    from gramian.cli._fits import prepared, tell
    from gramian.cli._pages import Page, print_json

    start = time.perf_counter()
    if output.output == STANDARD and output.json:
        raise UsageError("-o - and --json cannot both have standard output")
    if output.model == STANDARD:
        raise UsageError("a model is written to a file: name one with --model")
    check_outputs([path, method.directions], [output.output, output.model])
    if output.output is not None:
        output_format(output)
    task = prepared(path, algorithm, reading, data, method, quiet=output.quiet)
    if output.dry_run:
        _show_costs(task, output)
        return
    fitted = task.run()
    written = _write(fitted, output)
    if output.json:
        seconds = round(time.perf_counter() - start, 3)
        print_json({"command": command, **_document(fitted), "files": written, "seconds": seconds})
        return
    if output.quiet:
        return
    page = Page(sys.stderr if output.output == STANDARD else sys.stdout)
    named = "DATA" if path == STANDARD else path
    show(fitted, page, output.model, named, keeps=bool(method.keep or method.exceptions))
    tell(fitted, (file for file in written.values() if file != STANDARD), shown_columns(fitted))


def _write(fitted: FittedTable, output: FitOutput) -> dict[str, str]:
    """Write the table and the model that the user asks for, both or none; return their paths."""
    from gramian.cli._files import writing_model
    from gramian.cli._table_writing import write
    from gramian.tabular import reduced

    with writing_model(fitted.model, output.model):
        if output.output is not None:
            write(reduced, fitted.model, fitted.fit.table, fitted.fit.passing, output)
    files = {"output": output.output, "model": output.model}
    return {name: path for name, path in files.items() if path is not None}


def _document(fitted: FittedTable) -> dict[str, Any]:
    """Return the content of the JSON output after a fit."""
    from gramian.cli._descriptions import about, given_by_levels
    from gramian.cli._fits import warnings_of

    model, estimator = fitted.model, fitted.model.estimator
    told = about(estimator.model_)
    beside = model.steps.beside
    if "elimination" in told.details:
        kept = {*model.order, *beside.labels}
        given = given_by_levels(beside.lookups, fitted.alternatives, kept)
        told.details["elimination"]["dropped"] |= given
    return {
        "algorithm": fitted.fit.algorithm,
        "data": fitted.fit.table.name,
        "rows": int(estimator.n_samples_),
        "columns": len(model.steps.columns),
        "kept": model.order,
        "dropped": [*model.dropped, *beside.given],
        **told.brief,
        **told.details,
        "family": repr(estimator.family_),
        **fitted.changes.document(),
        "complete": not time_was_over(),
        "warnings": warnings_of(fitted),
    }


def _show_costs(task: TableFit, output: FitOutput) -> None:
    """Print the estimated time and memory of a fit, as a table or as JSON."""
    from gramian.cli._costs import costs
    from gramian.cli._pages import Page, print_json

    found = costs(task)
    if output.json:
        print_json(
            {
                "algorithm": task.algorithm,
                "data": task.table.name,
                "columns": list(task.features),
                "costs": [vars(cost) for cost in found],
            }
        )
        return
    page = Page()
    page.line(
        f"What {task.algorithm.upper()} on {task.table.name} would take, by the number of "
        f"{'columns' if task.algorithm in tuple(SelectorName) else 'components'} it keeps:"
    )
    page.table(
        ["kept", "functions", "memory", "time"],
        [
            [
                str(each.n_steps),
                f"{each.n_functions:,}",
                data_size(each.memory),
                "under 1 s" if each.seconds < 1 else duration(each.seconds),
            ]
            for each in found
        ],
        left=(),
    )
