"""Command ``gramian relations``: laws among the columns of a table."""

from __future__ import annotations

import sys
from typing import Annotated

from gramian.cli._errors import CommandError, guarded, say
from gramian.cli._options import DataFile, Groups, Json, Names, Reading, option, with_options
from gramian.cli._time_limit import limited


@guarded
@with_options
@limited
def relations(
    *,
    data: DataFile,
    reading: Reading,
    columns: Annotated[
        Names,
        option(None, "NAMES", "Use these: names or patterns such as 'pixel*'.", "--columns", "-c"),
    ] = None,
    exclude: Annotated[Names, option(None, "NAMES", "Leave these out.", "--exclude", "-x")] = None,
    groups: Groups = None,
    tolerance: Annotated[
        float,
        option(
            None,
            "SHARE",
            "The largest error, in standard deviations; 0: exact only.",
            min=0.0,
            max=0.5,
        ),
    ] = 0.05,
    output: Annotated[
        str | None,
        option("Output", "FILE", "Write the laws, for 'gramian check'.", "--output", "-o"),
    ] = None,
    json: Json = False,
) -> None:
    """Find laws among the columns: products, ratios, sums, powers, roots, logarithms.

    You do not name a target column. The command also finds columns that follow from categories in
    other columns, from intervals of numbers, or from parts of dates.
    """
    import gramian
    from gramian._support.words import counted, the_columns
    from gramian.cli._check_command import write_laws
    from gramian.cli._files import check_outputs, open_input
    from gramian.cli._pages import Page, print_json
    from gramian.cli._wording import spelled
    from gramian.tables import SomeColumns, is_usable
    from gramian.tabular import cautions_of_text, column_of_groups, examples, find, labels_in

    check_outputs([data], [output])
    table = open_input(data, reading)
    every = list(table.columns)
    left_out, by = find(exclude, every, "exclude"), column_of_groups(groups, every)
    chosen = find(columns, every, "columns") if columns else every
    chosen = [name for name in chosen if name not in left_out]
    names = [name for name in chosen if is_usable(table.columns[name])]
    if not names:
        raise CommandError(f"{table.name} has no column of numbers, text or dates to look at")
    if len(names) < len(chosen):
        others = [name for name in chosen if name not in names]
        say(f"neither numbers nor text nor dates, left out: {the_columns(others)}")
    if table.spellings:
        say(f"read as numbers: {examples(table.spellings)}")
    for caution in cautions_of_text(table, names):
        say(f"warning: {caution.worded(spelled)}")
    try:
        found = gramian.relations(
            SomeColumns(table, names),
            tolerance=tolerance,
            verbose=int(sys.stderr.isatty()),
            groups=None if by is None else labels_in(table, by),
        )
    except ValueError as error:
        raise CommandError(f"{table.name}: {error}") from error
    if output is not None:
        checks = found.checks
        write_laws(checks, output)
        # Columns that follow from each other are one law, and a test of each.
        tests = "" if len(checks) == len(found) else f", as {counted(len(checks), 'test')}"
        say(f"wrote {output}: {counted(len(found), 'law')}{tests}")
    if json:
        print_json(
            {
                "command": "relations",
                "data": data,
                "columns": names,
                "n_rows": found.n_rows,
                "complete": found.complete,
                "notes": list(found.notes),
                "relations": found.table,
            }
        )
        return
    page = Page()
    for line in found.in_groups.splitlines():
        page.line(line)
