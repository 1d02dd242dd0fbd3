"""Command ``gramian report``: a page about a table, or about a fit."""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Iterator
from dataclasses import fields, replace
from importlib.util import find_spec
from typing import Annotated, Any

from gramian._support.extras import EXTRAS
from gramian._support.formats import Format
from gramian._support.time_limit import time_was_over
from gramian.cli._errors import CommandError, UsageError, guarded, say, writing
from gramian.cli._options import (
    AlgorithmName,
    DataFile,
    DataOptions,
    MethodOptions,
    PageFormatName,
    PageOrTable,
    PageOutput,
    Reading,
    option,
    with_options,
)
from gramian.cli._time_limit import limited

OF_TABLES = ("keep", "columns", "exclude", "groups")
"""Options of fits that the page about a table has, too."""


@guarded
@with_options
@limited
def report(
    *,
    data: DataFile,
    table: DataOptions,
    reading: Annotated[Reading, "format"],
    format: Annotated[
        PageOrTable | None,
        option(
            "Output",
            "html|md|json",
            "The format of the page about a table, if the ending of FILE does not say. A format of "
            f"tables ({', '.join(Format)}) is that of DATA.",
        ),
    ] = None,
    algorithm: Annotated[
        AlgorithmName | None,
        option(
            "Method",
            "gfa|gfs|gfr|gca|manifold",
            "Write a page about a fit of this algorithm. Other options of a fit choose gfs if -n "
            "is given, and gfa if not; without any, the page is about the table.",
            "--algorithm",
            "-a",
        ),
    ] = None,
    method: MethodOptions,
    against: Annotated[
        str | None,
        option("Data", "FILE", "An older table: its laws, and those of DATA, are compared."),
    ] = None,
    page: PageOutput,
) -> None:
    """Write a page about a table: its laws, the rows that break them, the columns that can go.

    With --algorithm, or another option of a fit, the page is about the fit: which columns to keep,
    which to drop, and why. The page is one file that loads nothing from the network.
    """
    from gramian.cli._files import check_outputs
    from gramian.cli._pages import print_json

    start = time.perf_counter()
    page_name = None if format not in {*PageFormatName} else format
    if page_name is None and format is not None:
        reading = replace(reading, format=Format(format))
    of_fit = next(_options_of_fits(algorithm, page.model, method, table), None)
    if of_fit is not None and page_name is not None:
        raise UsageError(
            f"--format {page_name} is for a page about a table, and {of_fit} asks for one about a "
            "fit"
        )
    if "-" in (page.output, page.model):
        raise UsageError("a report and its model are written to files: name them")
    check_outputs([data, method.directions, against], [page.output, page.model])
    if of_fit is None:
        told = _about_table(data, reading, table, method, against, page, page_name)
    else:
        told = _about_fit(data, reading, table, algorithm, method, against, page)
    if page.json:
        seconds = round(time.perf_counter() - start, 3)
        complete = not time_was_over()
        print_json({"command": "report", **told, "complete": complete, "seconds": seconds})


def _options_of_fits(
    algorithm: str | None, model: str | None, *groups: MethodOptions | DataOptions
) -> Iterator[str]:
    """Yield the options that ask for a page about a fit, as they are typed.

    Parameters
    ----------
    algorithm, model : str or None
        The values of --algorithm and --model.
    *groups : MethodOptions or DataOptions
        The values of other options; those that are not the default ask for a fit.
    """
    from gramian.cli._wording import spelled

    if algorithm is not None:
        yield "--algorithm"
    if model is not None:
        yield "--model"
    for group in groups:
        for each in fields(group):
            # A default is a text that was parsed.
            if each.name not in OF_TABLES and str(getattr(group, each.name)) != str(each.default):
                yield spelled(each.name, "")


def _about_table(
    data: str,
    reading: Reading,
    columns: DataOptions,
    method: MethodOptions,
    against: str | None,
    page: PageOutput,
    format: str | None,
) -> dict[str, Any]:
    """Write the page about a table; return what --json prints."""
    from gramian.cli._files import STANDARD, open_input
    from gramian.laws import TooFewValuesError
    from gramian.reports import PageWishes, page_format, write_table_page

    written = page_format(page.output, format)
    if written == "html":
        _check_packages()
    table = open_input(data, reading)
    older = None if against is None else open_input(against, reading)
    wishes = PageWishes(columns.columns, columns.exclude, method.keep, columns.groups)
    given = {
        "columns": columns.columns,
        "exclude": columns.exclude,
        "keep": method.keep,
        "groups": columns.groups,
        "delimiter": reading.delimiter,
        "header": None if reading.header else False,
        "decimal": reading.decimal,
        "title": page.title,
    }
    with writing(page.output):
        try:
            found = write_table_page(
                table,
                page.output,
                written,
                wishes,
                older=older,
                title=page.title,
                command=_command(),
                source="table.csv" if data == STANDARD else data,
                options={name: value for name, value in given.items() if value is not None},
                verbose=int(sys.stderr.isatty() and not page.quiet),
            )
        except TooFewValuesError as error:
            raise CommandError(f"{table.name}: {error}") from error
    if not page.quiet and not page.json:
        say(f"wrote {page.output}")
    return {"data": table.name, **found, "files": {"output": page.output}}


def _about_fit(
    data: str,
    reading: Reading,
    columns: DataOptions,
    algorithm: AlgorithmName | None,
    method: MethodOptions,
    against: str | None,
    page: PageOutput,
) -> dict[str, Any]:
    """Fit, and write the page about the fit; return what --json prints."""
    from gramian.cli._files import writing_model
    from gramian.cli._fits import prepared, tell, warnings_of

    _check_packages()
    task = prepared(data, algorithm, reading, columns, method, quiet=page.quiet)
    fitted = task.run()
    comparison = None
    if against is not None:
        from gramian.cli._compare_command import compared_files

        comparison = compared_files(against, data, reading)
    from gramian.reports import report as write_report  # slow to import: after the fit

    with writing_model(fitted.model, page.model), writing(page.output):
        write_report(
            fitted.model.estimator,
            fitted.fit.pieces if task.table.too_large else fitted.fit.rows(),
            page.output,
            preprocessing=fitted.model.steps,
            title=page.title,
            command=_command(),
            comparison=comparison,
        )
    written = {"output": page.output}
    if page.model is not None:
        written["model"] = page.model
    if not page.quiet and not page.json:
        tell(fitted, written.values())
    return {
        "algorithm": task.algorithm,
        "data": task.table.name,
        "kept": fitted.model.order,
        "dropped": [*fitted.model.dropped, *fitted.model.steps.beside.given],
        **fitted.changes.document(),
        "warnings": warnings_of(fitted),
        "files": written,
    }


def _command() -> str:
    return shlex.join(["gramian", *sys.argv[1:]])


def _check_packages() -> None:
    """Raise an error if a package is missing, before any work is done."""
    if find_spec("jinja2") is None:
        extra = EXTRAS["jinja2"]
        raise CommandError(f'the report needs jinja2: pip install "gramian[{extra}]"')
