"""Command ``gramian compare``: compare two tables by their laws."""

from __future__ import annotations

from typing import Annotated

import typer

from gramian.cli._errors import BROKEN, CommandError, guarded
from gramian.cli._options import Json, Quiet, Reading, option, with_options


@guarded
@with_options
def compare(
    *,
    old: Annotated[str, typer.Argument(metavar="OLD", help="The table of before.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The table of now.")],
    reading: Reading,
    time_limit: Annotated[
        float | None,
        option(None, "SECONDS", "Stop the search for laws of each table then.", min=0.001),
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Compare two tables by their laws: which hold in both, which broke, which are new.

    Columns that came or went are named, and rows of NEW that break laws of OLD. The exit code is 0
    if all laws of OLD hold in NEW, else 1.
    """
    from gramian.cli._files import open_input
    from gramian.cli._pages import Page, print_json
    from gramian.laws import TooFewValuesError
    from gramian.laws import compare as compared

    before, now = open_input(old, reading), open_input(new, reading)
    try:
        found = compared(before, now, time_limit=time_limit)
    except TooFewValuesError as error:
        raise CommandError(f"{old} or {new}: {error}") from error
    if json:
        print_json({"command": "compare", "old": before.name, "new": now.name, **found.to_json()})
    elif not quiet:
        page = Page()
        for line in str(found).splitlines():
            page.line(line)
    if not found.ok:
        raise typer.Exit(BROKEN)
