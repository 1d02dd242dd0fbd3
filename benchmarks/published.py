"""Reports of published tables by ``gramian report``, and the tables that it refuses.

The tables come with statsmodels and scikit-learn. In an environment that has these,

    python benchmarks/published.py --export FOLDER

writes them as CSV files with all their columns: text, dates, gaps. Then

    python benchmarks/published.py FOLDER --output docs/published.json

makes a report of each table, and writes the page beside the file. Tables in the file are skipped.
"""

from __future__ import annotations

import argparse
import json
import pkgutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

BUNDLED = ("breast_cancer", "diabetes", "digits", "iris", "linnerud", "wine")
"""Tables of scikit-learn that need no network."""
PAGE = """\
<!-- Made by benchmarks/published.py FOLDER --output docs/published.json; edit the script. -->

# Reports of published tables

`gramian report TABLE` was run without options on the {n} tables that come with statsmodels and
scikit-learn, with all their columns. Refused: {refused}. *Aside* counts columns that are not used,
because they are constant or have no value; *text* counts text columns that are kept beside the
numbers. *Left out* counts rows with missing values, if complete rows were enough; otherwise
*filled* counts filled cells. {date}, gramian {version}.

{table}
"""


def export(folder: Path) -> None:
    """Write the tables."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, frame in _frames():
        frame.to_csv(folder / f"{name}.csv", index=False)


def _frames() -> Iterator[tuple[str, Any]]:
    import sklearn.datasets
    import statsmodels.datasets

    for each in pkgutil.iter_modules(statsmodels.datasets.__path__):
        if each.ispkg and each.name != "tests":
            module = import_module(f"statsmodels.datasets.{each.name}")
            yield f"statsmodels.{each.name}", module.load_pandas().data
    for name in BUNDLED:
        yield f"sklearn.{name}", getattr(sklearn.datasets, f"load_{name}")(as_frame=True).frame


def reported(path: Path) -> dict[str, Any]:
    """Make a report of a table, and return its counts."""
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        arguments = ["report", str(path), "-o", str(Path(folder) / "report.html"), "--json"]
        done = subprocess.run(
            [sys.executable, "-m", "gramian", *arguments],
            capture_output=True,
            text=True,
            check=False,
        )
    row: dict[str, Any] = {"table": path.stem, "seconds": time.perf_counter() - start}
    if done.returncode:
        return {**row, "error": done.stderr.strip().splitlines()[-1]}
    document = json.loads(done.stdout)
    names = ("kept", "dropped", "rows_read", "rows_left_out", "cells_filled", "set_aside", "beside")
    return {**row, **{name: document[name] for name in names}}


def page(content: dict[str, Any]) -> str:
    """Return the page."""
    lines = [
        "| table | rows | kept | dropped | text | aside | left out | filled |",
        "|---|--:|--:|--:|--:|--:|--:|--:|",
    ]
    refused = [f"{row['table']} ({row['error']})" for row in content["rows"] if "error" in row]
    for row in content["rows"]:
        if "error" not in row:
            counts = [len(row[name]) for name in ("kept", "dropped", "beside", "set_aside")]
            numbers = [row["rows_read"], *counts, row["rows_left_out"], row["cells_filled"]]
            lines.append(f"| {row['table']} | {' | '.join(f'{n:,}' for n in numbers)} |")
    return PAGE.format(
        n=len(content["rows"]),
        refused="; ".join(refused) or "none",
        date=content["date"],
        version=content["version"],
        table="\n".join(lines),
    )


def main() -> None:
    """Export, or measure and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--export", action="store_true")
    parser.add_argument("--output", type=Path, help="a .json file; the page is written beside it")
    options = parser.parse_args()
    if options.export:
        export(options.folder)
        return
    import gramian

    rows: list[dict[str, Any]] = []
    if options.output and options.output.exists():
        rows = json.loads(options.output.read_text(encoding="utf-8"))["rows"]
    content = {
        "date": time.strftime("%Y-%m-%d"),
        "version": gramian.__version__,
        "rows": rows,
    }
    known = {row["table"] for row in rows}
    for path in sorted(options.folder.glob("*.csv")):
        if path.stem not in known:
            rows.append(reported(path))
            print(rows[-1]["table"], rows[-1].get("error", ""), file=sys.stderr)
            if options.output:
                options.output.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    print(page(content))
    if options.output:
        options.output.with_suffix(".md").write_text(page(content), encoding="utf-8")


if __name__ == "__main__":
    main()
