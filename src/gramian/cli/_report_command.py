"""Command ``gramian report``: an HTML page about a table."""

from __future__ import annotations

import shlex
import sys
import time
from importlib.util import find_spec
from typing import Annotated

from gramian._support.extras import EXTRAS
from gramian._support.time_limit import time_was_over
from gramian.cli._errors import CommandError, UsageError, guarded, writing
from gramian.cli._options import (
    AlgorithmName,
    DataFile,
    DataOptions,
    Json,
    MethodOptions,
    ModelOutput,
    Quiet,
    Reading,
    option,
    with_options,
)
from gramian.cli._time_limit import limited


@guarded
@with_options
@limited
def report(
    *,
    data: DataFile,
    table: DataOptions,
    reading: Reading,
    algorithm: Annotated[
        AlgorithmName | None,
        option(
            "Method",
            "gfa|gfs|gfr|gca|manifold",
            "The algorithm. By default gfs if -n is given, and gfa if not.",
            "--algorithm",
            "-a",
        ),
    ] = None,
    method: MethodOptions,
    output: Annotated[
        str, option("Output", "FILE", "The page to write.", "--output", "-o")
    ] = "report.html",
    title: Annotated[str | None, option("Output", "TEXT", "The title of the page.")] = None,
    against: Annotated[
        str | None,
        option("Data", "FILE", "An older table: its laws, and those of DATA, are compared."),
    ] = None,
    model: ModelOutput = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Write a page about a table: which columns to keep, which to drop, and why.

    The page is one HTML file that loads nothing from the network. If the table is too large for the
    memory, the page uses rows that are drawn at random, and says so.
    """
    from gramian.cli._files import check_outputs, writing_model
    from gramian.cli._fits import prepared, tell, warnings_of
    from gramian.cli._pages import print_json

    start = time.perf_counter()
    if find_spec("jinja2") is None:
        extra = EXTRAS["jinja2"]
        raise CommandError(f'the report needs jinja2: pip install "gramian[{extra}]"')
    if "-" in (output, model):
        raise UsageError("a report and its model are written to files: name them")
    check_outputs([data, method.directions, against], [output, model])
    task = prepared(data, algorithm, reading, table, method, quiet=quiet)
    fitted = task.run()
    comparison = None
    if against is not None:
        from gramian.cli._compare_command import compared_files

        comparison = compared_files(against, data, reading)
    from gramian.reports import report as write_report  # slow to import: after the fit

    with writing_model(fitted.model, model), writing(output):
        write_report(
            fitted.model.estimator,
            fitted.fit.pieces if task.table.too_large else fitted.fit.rows(),
            output,
            preprocessing=fitted.model.steps,
            title=title,
            command=shlex.join(["gramian", *sys.argv[1:]]),
            comparison=comparison,
        )
    written = {"output": output}
    if model is not None:
        written["model"] = model
    if json:
        print_json(
            {
                "command": "report",
                "algorithm": task.algorithm,
                "data": task.table.name,
                "kept": fitted.model.order,
                "dropped": [*fitted.model.dropped, *fitted.model.steps.beside.given],
                **fitted.changes.document(),
                "complete": not time_was_over(),
                "warnings": warnings_of(fitted),
                "files": written,
                "seconds": round(time.perf_counter() - start, 3),
            }
        )
    elif not quiet:
        tell(fitted, written.values())
