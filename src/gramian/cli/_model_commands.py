"""Commands ``gramian apply`` and ``gramian reconstruct``: use a model on a table."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from gramian._support.words import counted, plural
from gramian.cli._errors import UsageError, guarded, say
from gramian.cli._options import (
    DataFile,
    ModelFile,
    PassingOptions,
    Reading,
    TableOutput,
    with_options,
)


@guarded
@with_options
def apply(
    *,
    model: ModelFile,
    data: DataFile,
    through: PassingOptions,
    reading: Reading,
    output: TableOutput,
) -> None:
    """Reduce a table with a model: write the columns or components that the model keeps.

    Columns are found by name. For a selection of columns, the table needs only the kept columns.
    """
    from gramian.tabular import reduced

    _work("apply", reduced, model, data, through, reading, output)


@guarded
@with_options
def reconstruct(
    *,
    model: ModelFile,
    data: DataFile,
    through: PassingOptions,
    reading: Reading,
    output: TableOutput,
) -> None:
    """Compute all columns from the columns or components that a model keeps.

    DATA is a table that 'gramian apply' wrote, or a table with all columns. The computed columns
    have the units of the table that the model was fitted to.
    """
    from gramian.tabular import reconstructed

    _work("reconstruct", reconstructed, model, data, through, reading, output)


def _work(
    command: str,
    rewrite: Callable[..., Any],
    model_path: str,
    path: str,
    through: PassingOptions,
    reading: Reading,
    output: TableOutput,
) -> None:
    """Run ``gramian apply`` or ``gramian reconstruct``: read the files, write the new table."""
    from gramian.cli._files import (
        STANDARD,
        check_outputs,
        load_model,
        open_input,
        output_format,
    )
    from gramian.cli._pages import print_json
    from gramian.cli._table_writing import write
    from gramian.cli._wording import left_out
    from gramian.tabular import passing

    start = time.perf_counter()
    to = output.output or STANDARD
    if to == STANDARD and output.json:
        raise UsageError("--json needs -o FILE, as standard output cannot have both")
    check_outputs([model_path, path], [output.output])
    output_format(output)
    model = load_model(model_path)
    table = open_input(path, reading)
    others = passing(model, table, **vars(through))
    done = write(rewrite, model, table, others, output)
    n_left_out = done.n_read - done.n_rows
    if output.json:
        print_json(
            {
                "command": command,
                "model": model_path,
                "data": table.name,
                "rows": done.n_rows,
                "rows_left_out": n_left_out,
                "cells_of_unknown_levels": done.n_unknown,
                "columns": done.columns,
                "files": {"output": to},
                "seconds": round(time.perf_counter() - start, 3),
            }
        )
    elif not output.quiet:
        if n_left_out:
            say(left_out(done.n_read, n_left_out))
        if done.n_unknown:
            cells = f"{counted(done.n_unknown, 'cell')} {plural(done.n_unknown, 'stays', 'stay')}"
            say(f"{cells} empty, as no row of the fit had the level")
        if to != STANDARD:
            size = f"{counted(done.n_rows, 'row')}, {counted(len(done.columns), 'column')}"
            say(f"wrote {to}: {size}")
