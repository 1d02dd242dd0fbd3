"""Command ``gramian check``: test the laws of a table on another table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from gramian.cli._errors import BROKEN, CommandError, UsageError, guarded, say
from gramian.cli._options import DataFile, Json, Quiet, Reading, option, with_options
from gramian.cli._time_limit import limited
from gramian.cli._values import share_or_zero

if TYPE_CHECKING:
    from gramian.laws import CheckResult, Checks, SuspectCell
    from gramian.tables import Table


@guarded
@with_options
@limited
def check(
    *,
    laws: Annotated[
        str,
        typer.Argument(
            metavar="LAWS",
            help="Laws that 'gramian relations -o' wrote, a model, or a table that has them.",
        ),
    ],
    data: DataFile,
    reading: Reading,
    allow: Annotated[
        Any,
        option(
            None,
            "SHARE",
            "The share of rows that may break each law, 0 for none; by default the share that "
            "broke it when it was found, and two standard errors.",
            parser=share_or_zero,
        ),
    ] = None,
    output: Annotated[
        str | None,
        option("Output", "FILE", "Write the rows that break laws.", "--output", "-o"),
    ] = None,
    repair: Annotated[
        str | None,
        option(
            "Output",
            "FILE",
            "Write the table with cells replaced that one value explains; FILE.changes.csv lists "
            "them.",
        ),
    ] = None,
    save: Annotated[
        str | None, option("Output", "FILE", "Write the laws, if LAWS is a table.")
    ] = None,
    junit: Annotated[
        str | None, option("Output", "FILE", "Write a test report in JUnit's XML.")
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Test laws on a table, and name the rows that break them.

    The exit code is 0 if all laws hold, and 1 if a law does not hold or cannot be tested because a
    column is missing or has another type. A law that some rows broke when it was found holds if no
    larger share breaks it; see --allow. Nothing is changed; --repair writes a new file.
    """
    from gramian._support.words import counted
    from gramian.cli._files import check_outputs, open_input
    from gramian.cli._pages import Page, print_json
    from gramian.formulas import quote

    changes = None if repair is None else f"{repair}.changes.csv"
    check_outputs([laws, data], [output, repair, changes, save, junit])
    checks = open_checks(laws, reading, save)
    if not len(checks):
        raise CommandError(f"{laws} has no law, so that nothing would be tested")
    table = open_input(data, reading)
    result = tested(checks, table, allow)
    cells = result.cells if output is not None or repair is not None else ()
    if output is not None:
        _write_broken(table, cells, output)
    mended = [each for each in cells if each.mends]
    kept: list[SuspectCell] = []
    if repair is not None and changes is not None:
        kept = _write_repaired(table, mended, repair, changes)
    if junit is not None:
        _write_junit(result, junit, table.name)
    if json:
        print_json({"command": "check", "laws": laws, "data": table.name, **result.to_json()})
    elif not quiet:
        page = Page()
        for line in [*result.told(), *why_it_passes(result, allow)]:
            page.line(line)
        if repair is not None:
            n = counted(len(mended) - len(kept), "cell")
            say(f"wrote {repair}: {n} replaced, listed in {changes}")
            for name in dict.fromkeys(str(each.column) for each in kept):
                n = counted(sum(each.column == name for each in kept), "cell")
                say(f"{n} of {quote(name)} kept: its cells are written in several ways")
    if not result.ok:
        raise typer.Exit(BROKEN)


def open_checks(path: str, reading: Reading, save: str | None = None) -> Checks:
    """Return the checks of a file of laws or a model, or those of the laws of a table.

    Parameters
    ----------
    path : str
        The file.
    reading : Reading
        Options for reading a table.
    save : str, optional
        A file to write the laws of a table to.
    """
    from gramian.cli._files import STANDARD, open_input
    from gramian.tabular import checks_of_table, stored_checks

    try:
        found = None if path == STANDARD else stored_checks(path)
    except (FileNotFoundError, IsADirectoryError):
        found = None
    if found is not None:
        if save is not None:
            raise UsageError(f"--save writes the laws of a table, and {path} has laws already")
        return found
    table = open_input(path, reading)
    try:
        found = checks_of_table(table)
    except ValueError as error:
        raise CommandError(f"{table.name}: {error}") from error
    if save is not None:
        write_laws(found, save)
    return found


def write_laws(checks: Checks, path: str) -> None:
    """Write laws.json, a file of laws.

    Parameters
    ----------
    checks : Checks
        The laws.
    path : str
        The file.
    """
    from gramian._support.writing import replacing
    from gramian.cli._errors import writing

    with writing(path), replacing(path) as stream:
        stream.write(checks.text().encode())


def tested(checks: Checks, table: Table, allow: float | None) -> CheckResult:
    """Test laws on a table; an error says why no law can be tested.

    Parameters
    ----------
    checks : Checks
        The laws.
    table : Table
        The table.
    allow : float or None
        The share of rows that may break each law, in place of its own share.
    """
    columns = dict.fromkeys(name for each in checks for name in each.columns)
    if columns and not {*columns} & {*table.names} and table.named:
        raise CommandError(f"{table.name} has none of the columns of the laws")
    result = checks.check(table, allow=allow)
    if not result.n_rows:
        raise CommandError(f"{table.name} has no rows")
    return result


def why_it_passes(result: CheckResult, allow: float | None = None, command: str = "") -> list[str]:
    """Return a line that says why the exit code is 0, if rows break laws.

    Parameters
    ----------
    result : CheckResult
        The result of the check.
    allow : float, optional
        The share of rows that the user allows.
    command : str, default=""
        The command that has the option --allow, if it is another one.
    """
    if not result.ok or not len(result.rows):
        return []
    if allow is not None:
        return ["The exit code is 0: no law is broken in a larger share of its rows than --allow."]
    return [
        "The exit code is 0: no law is broken in more rows than it allows, which are the share "
        f"that broke it when it was found, and what chance adds. {command}--allow 0 allows none."
    ]


def _write_broken(table: Table, cells: tuple[SuspectCell, ...], path: str) -> None:
    from gramian.cli._checked_tables import write_broken
    from gramian.cli._options import TableOutput

    write_broken(table, cells, TableOutput(output=path))


def _write_repaired(
    table: Table, cells: list[SuspectCell], path: str, changes: str
) -> list[SuspectCell]:
    """Write the table with cells replaced, and the list of the changes; return the cells kept."""
    import io

    from gramian._support.writing import replacing
    from gramian.cli._checked_tables import write_repaired
    from gramian.cli._errors import writing
    from gramian.cli._options import TableOutput

    lines = io.StringIO()
    with writing(changes), replacing(changes) as stream:
        kept = write_repaired(table, cells, TableOutput(output=path), lines)
        stream.write(lines.getvalue().encode())
    return kept


def _write_junit(result: CheckResult, path: str, name: str) -> None:
    """Write a test report: a test for each law."""
    from xml.etree import ElementTree

    from gramian._support.writing import replacing
    from gramian.cli._errors import printable, writing

    n_broken = sum(not each.holds for each in result.laws)
    suite = ElementTree.Element(
        "testsuite", name=f"gramian check {printable(name)}", tests=str(len(result.laws)),
        failures=str(n_broken), errors="0", skipped="0",
    )  # fmt: skip
    for each in result.laws:
        case = ElementTree.SubElement(suite, "testcase", name=printable(each.law), classname="laws")
        if not each.holds:
            ElementTree.SubElement(case, "failure", message=printable(str(each)))
    with writing(path), replacing(path) as stream:
        ElementTree.ElementTree(suite).write(stream, encoding="utf-8", xml_declaration=True)
