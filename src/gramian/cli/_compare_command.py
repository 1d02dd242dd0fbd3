"""Command ``gramian compare``: compare two tables by their laws."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from gramian.cli._errors import BROKEN, CommandError, guarded
from gramian.cli._options import Json, Quiet, Reading, with_options
from gramian.cli._time_limit import limited

if TYPE_CHECKING:
    from gramian.laws import Comparison


@guarded
@with_options
@limited
def compare(
    *,
    old: Annotated[str, typer.Argument(metavar="OLD", help="The table of before.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The table of now.")],
    reading: Reading,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Compare two tables by their laws: which hold in both, which broke, which are new.

    Columns that came or went are named, and rows of NEW that break laws of OLD. The exit code is 0
    if all laws of OLD hold in NEW, else 1.
    """
    from gramian.cli._check_command import why_it_passes
    from gramian.cli._pages import Page, print_json

    found = compared_files(old, new, reading)
    if json:
        print_json({"command": "compare", "old": old, "new": new, **found.to_json()})
    elif not quiet:
        page = Page()
        passes = why_it_passes(found.result, command="gramian check ")
        for line in [*str(found).splitlines(), *passes]:
            page.line(line)
    if not found.ok:
        raise typer.Exit(BROKEN)


def compared_files(old: str, new: str, reading: Reading) -> Comparison:
    """Compare two files by their laws.

    Parameters
    ----------
    old, new : str
        The files.
    reading : Reading
        Options for reading them.
    """
    from gramian.cli._files import open_input
    from gramian.laws import TooFewValuesError, compare

    before, now = open_input(old, reading), open_input(new, reading)
    try:
        return compare(before, now)
    except TooFewValuesError as error:
        raise CommandError(f"{old} and {new} cannot be compared: {error}") from error
