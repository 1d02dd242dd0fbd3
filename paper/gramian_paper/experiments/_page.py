"""Files of an experiment: all cells in JSON, and the page, table and figures made from it."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from gramian_paper.experiments._blocks import Entry, Picture, Table, Verdict
from gramian_paper.experiments._cache import Cache, to_json, write_file
from gramian_paper.experiments._experiment import Experiment, Outcome, Results

VERDICTS: tuple[Verdict, ...] = ("reproduced", "bettered", "missed", "not run")
MARKS = {"bettered": " ▲", "missed": " ✗"}
LEGEND = "In the tables, ▲ is better than the paper by more than the noise, ✗ worse or different."
STYLE: dict[Any, Any] = {
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "svg.hashsalt": "gramian",  # the same file from every run
}
# Okabe and Ito's colours are distinct with any colour vision.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#444444")
MARKERS = ("o", "s", "D", "^", "v", "P", "X")


def write_results(experiment: Experiment, results: Results, folder: Path) -> list[Path]:
    """Write an experiment's JSON, and the page, table and figures made from it.

    Parameters
    ----------
    experiment : Experiment
        The experiment.
    results : Results
        Its cells.
    folder : Path
        Where ``NAME.json``, ``NAME.md``, ``NAME.csv`` and ``images/NAME-*.svg`` go.

    Returns
    -------
    paths : list of Path
        The files, the page first.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from gramian_paper.experiments import Experiment, run, write_results
    >>> experiment = Experiment(
    ...     name="squares", title="Squares", source="no table", protocol="Two numbers are squared.",
    ...     cells=lambda size: [{"n": 2}, {"n": 3}],
    ...     run=lambda task: {"square": task.params["n"] ** 2},
    ...     page=lambda results: ["Squared."],
    ... )
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     results = run(experiment, cache=Path(folder) / "cells")
    ...     paths = write_results(experiment, results, Path(folder))
    >>> [path.name for path in paths]
    ['squares.md', 'squares.csv', 'squares.json']
    """
    document = folder / f"{experiment.name}.json"
    content = {
        "experiment": experiment.name,
        "version": experiment.version,
        "size": results.size,
        "seed": results.seed,
        "cells": [asdict(outcome) for outcome in results.outcomes],
    }
    write_file(document, compact(content))
    return [*write_page(experiment, load_results(document), folder), document]


def compact(content: dict[str, Any]) -> str:
    """Return JSON text with one line for each cell, so that differences are readable."""
    cells = ",\n".join(to_json(cell) for cell in content["cells"])
    head = to_json({**content, "cells": []}, indent=1)
    return head.replace('"cells": []', f'"cells": [\n{cells}\n]') + "\n"


def load_results(path: Path) -> Results:
    """Return the cells in ``NAME.json``."""
    content = json.loads(path.read_text(encoding="utf-8"))
    return Results(content["size"], content["seed"], [Outcome(**cell) for cell in content["cells"]])


def reuse(experiment: Experiment, folder: Path, cache: Path) -> None:
    """Fill the cache with the cells in ``NAME.json`` if their version is current."""
    path = folder / f"{experiment.name}.json"
    if path.exists() and json.loads(path.read_text("utf-8"))["version"] == experiment.version:
        Cache(cache).fill(experiment, load_results(path))


def write_page(experiment: Experiment, results: Results, folder: Path) -> list[Path]:
    """Write the page, table and figures of given cells."""
    page = folder / f"{experiment.name}.md"
    table = folder / f"{experiment.name}.csv"
    write_file(page, page_text(experiment, results))
    write_file(table, csv_text(experiment, results))
    pictures = [block for block in experiment.page(results) if isinstance(block, Picture)]
    images = [write_picture(experiment, picture, folder) for picture in pictures]
    return [page, table, *images]


def image_path(experiment: Experiment, picture: Picture) -> str:
    """Return the path of a picture relative to the page."""
    return f"images/{experiment.name}-{picture.name}.svg"


def write_picture(experiment: Experiment, picture: Picture, folder: Path) -> Path:
    """Draw a picture."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(STYLE):
        figure = Figure(figsize=picture.size, layout="constrained")
        picture.draw(figure)
        buffer = io.BytesIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    path = folder / image_path(experiment, picture)
    write_file(path, buffer.getvalue())
    return path


def tables(experiment: Experiment, results: Results) -> list[Table]:
    """Return the tables of an experiment's page."""
    return [block for block in experiment.page(results) if isinstance(block, Table)]


def entries(experiment: Experiment, results: Results) -> Iterator[tuple[Table, str, str, Entry]]:
    """Yield table, row name, column name and entry of every number on the page."""
    for table in tables(experiment, results):
        for row, line in table.rows.items():
            for column, entry in zip(table.columns, line, strict=True):
                if entry is not None:
                    yield table, row, column, entry


def page_text(experiment: Experiment, results: Results) -> str:
    """Return the page in Markdown, which depends on the cells only."""
    parts = [
        f"# {experiment.title}",
        f"<!-- Made by `python -m gramian_paper {experiment.name}`; not to be edited. -->",
        f"Reproduces {experiment.source}. The numbers are also in "
        f"[{experiment.name}.csv]({experiment.name}.csv), and all cells with their times in "
        f"[{experiment.name}.json]({experiment.name}.json).",
        verdict_text(experiment, results),
        "## Protocol",
        experiment.protocol.strip(),
        run_text(results),
        "## Results",
        LEGEND if count_verdicts(experiment, results) else "",
    ]
    for block in experiment.page(results):
        if isinstance(block, Table):
            parts.append(table_text(block))
        elif isinstance(block, Picture):
            parts.append(f"![{block.caption}]({image_path(experiment, block)})")
            parts.append(f"*{block.caption}*")
        else:
            parts.append(block.strip())
    parts += missing_text(results)
    return "\n\n".join(part for part in parts if part) + "\n"


def count_verdicts(experiment: Experiment, results: Results) -> Counter[Verdict]:
    """Return how many published numbers were reproduced, bettered, missed and not run."""
    return Counter(
        entry.verdict for *_, entry in entries(experiment, results) if entry.verdict is not None
    )


def reasons_for(experiment: Experiment, results: Results, verdict: Verdict) -> dict[str, int]:
    """Return the reasons for the entries of a verdict, with their numbers, in the given order."""
    counts = Counter(
        entry.reason for *_, entry in entries(experiment, results) if entry.verdict == verdict
    )
    known = {text: counts.pop(key) for key, text in experiment.reasons.items() if key in counts}
    if counts:
        known["No reason is known."] = counts.total()
    return known


def verdict_text(experiment: Experiment, results: Results) -> str:
    """Return the comparison with the paper in a paragraph and a list of reasons."""
    counts = count_verdicts(experiment, results)
    if not counts:
        return ""
    total = counts.total()
    said = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict])
    lines = [f"**Of {total} published numbers: {said}.**"]
    for verdict in ("missed", "not run"):
        for reason, count in reasons_for(experiment, results, verdict).items():
            lines.append(f"- {count} {verdict}: {reason}")
    return lines[0] if len(lines) == 1 else lines[0] + "\n\n" + "\n".join(lines[1:])


def run_text(results: Results) -> str:
    """Return size, seed, versions and time of a run."""
    seen: dict[str, set[str]] = {}
    for outcome in results.outcomes:
        for package, number in outcome.versions.items():
            seen.setdefault(package, set()).add(number)
    names = ", ".join(f"{package} {' and '.join(sorted(seen[package]))}" for package in seen)
    seconds = sum(outcome.seconds for outcome in results.outcomes)
    return (
        f"Size of this run: {results.size}. Seed: {results.seed}. Versions: {names}. Cells: "
        f"{len(results.outcomes)}, which took {duration(seconds)} one after the other."
    )


def duration(seconds: float) -> str:
    """Return a time in words.

    Examples
    --------
    >>> duration(3.21), duration(200), duration(9000)
    ('3.2 s', '3 min 20 s', '2 h 30 min')
    """
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def number(value: float | None, digits: int, sign: str = "") -> str:
    """Return a number formatted for a table."""
    if value is None:
        return "n/a"
    return f"{round(value, digits) + 0.0:{sign}.{digits}f}"  # + 0.0 makes -0.0 positive


def table_text(table: Table) -> str:
    """Return a table in Markdown: the paper's numbers, ours, and the differences."""
    compared = any(
        entry is not None and entry.paper is not None
        for line in table.rows.values()
        for entry in line
    )
    title = f"**{table.title}**" + (f" (`{table.source}`)" if table.source else "")
    head = [table.corner, *([""] if compared else []), *table.columns]
    lines = [head, ["---"] * (1 + compared) + ["---:"] * len(table.columns)]
    for name, row in table.rows.items():
        ours = [number(entry.ours, table.digits) if entry else "" for entry in row]
        if not compared:
            lines.append([name, *ours])
            continue
        paper = [number(entry.paper, table.digits) if entry else "" for entry in row]
        difference = [
            number(entry.difference, table.digits, "+") + MARKS.get(entry.verdict or "", "")
            if entry
            else ""
            for entry in row
        ]
        lines.append([name, "paper", *paper])
        lines.append(["", "ours", *ours])
        lines.append(["", "difference", *difference])
    text = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    return f"{title}\n\n{text}"


def missing_text(results: Results) -> list[str]:
    """Return a list of the cells that could not be run, by the reason."""
    by_message: dict[str, list[str]] = {}
    for outcome in results.outcomes:
        if outcome.values is None:
            by_message.setdefault(outcome.missing, []).append(cell_name(outcome))
    if not by_message:
        return []
    return [
        "## Cells that could not be run",
        "\n".join(f"- {'; '.join(names)}: {message}" for message, names in by_message.items()),
    ]


def cell_name(outcome: Outcome) -> str:
    """Return a cell's parameters in a line."""
    return ", ".join(f"{name}={value}" for name, value in outcome.params.items())


def csv_text(experiment: Experiment, results: Results) -> str:
    """Return all numbers of the page as CSV, one number a line."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(
        ["table", "source", "row", "column", "paper", "ours", "difference", "noise", "verdict"]
    )
    for table, row, column, entry in entries(experiment, results):
        numbers = (entry.paper, entry.ours, entry.difference, entry.noise)
        shown = ["" if value is None else f"{value:.10g}" for value in numbers]
        writer.writerow([table.title, table.source, row, column, *shown, entry.verdict or ""])
    return buffer.getvalue()
