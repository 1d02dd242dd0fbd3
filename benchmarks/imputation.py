"""Missing cells filled by several imputers: errors and times.

``python benchmarks/imputation.py --output docs/imputation.json`` also writes the page beside it;
``--quick`` takes one table. Results in the file are not measured again, so that an interrupted run
resumes. The environment variable GRAMIAN_DATA names the folder of the paper's data sets; without
it, the table of that folder is left out. No fit sees the removed cells.
"""

# ruff: noqa: RUF001
from __future__ import annotations

import argparse
import json
import os
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import run
import scale

SHARES = (0.1, 0.2, 0.4)
RULES = {"random": "at random", "large": "large values more often"}
PAGE = """\
<!-- Made by benchmarks/imputation.py --output docs/imputation.json; edit the script. -->

# Missing values, measured

Cells of complete tables are removed, filled by each imputer, and compared with the true values: the
root mean squared error in units of each column's standard deviation, so that filling in true means
has an error of 1. *At random* removes each cell with the same probability. *Large values more
often* removes a cell with a probability that grows with its rank in the column, from 0 to twice the
share, so that the remaining values are a biased sample. The smallest error of a row is in bold.
{cpu}, {date}, {versions}.

- **mean**: `SimpleImputer()`
- **neighbours**: `KNNImputer(n_neighbors=10, weights="distance")` on standardized columns
- **linear**: `IterativeImputer()`, which fits `BayesianRidge` to each column in turn
- **trees**: `IterativeImputer(ExtraTreesRegressor(20, min_samples_leaf=2), max_iter=3)`, as
  missForest does
- **gramian**: `GramianImputer()`

{tables}

## Ranks

How often each imputer was first, second, and so on, in the {n} rows above; and its processor
seconds for all rows.

{ranks}

{verdict}

No fit sees the removed cells. But these tables influenced gramian: after a first run, in which
gramian was first or second in 31 of 36 rows, shorter waves were added to the functions that it
tries.
"""


def tables() -> dict[str, np.ndarray]:
    """Return complete tables."""
    from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_wine

    rng = np.random.default_rng(0)
    digits = load_digits().data.reshape(-1, 8, 8)[:600, 1:7, 1:7]
    found = {
        "wine": load_wine().data,
        "breast cancer": load_breast_cancer().data,
        "diabetes": load_diabetes().data,
        "digits, inner pixels": digits.reshape(len(digits), -1),
        "circuits": circuits(rng, 600),
    }
    folder = os.environ.get("GRAMIAN_DATA")
    if folder:
        with np.load(Path(folder) / "musk2.npz") as file:
            musk = next(file[name] for name in file.files if file[name].ndim == 2)
        rows = np.random.default_rng(1).permutation(len(musk))[:800]
        found["musk, every eighth column"] = musk[rows, ::8].astype(np.float64)
    return found


def circuits(rng: np.random.Generator, n: int) -> np.ndarray:
    """Return measurements related by laws, each with an error of 2 %."""
    voltage, current = rng.uniform(1, 10, n), rng.uniform(0.5, 3, n)
    hours, diameter = rng.uniform(0, 5, n), rng.uniform(1, 4, n)
    power, area = voltage * current, np.pi * diameter**2 / 4
    columns = [voltage, current, power, voltage / current, hours, power * hours, diameter, area]
    table = np.column_stack([*columns, current / area])
    return table * (1 + 0.02 * rng.standard_normal(table.shape))


def removed(x: np.ndarray, share: float, rule: str) -> np.ndarray:
    """Return a mask of the cells to remove; every row keeps at least one cell."""
    rng = np.random.default_rng(0)
    if rule == "random":
        gone = rng.random(x.shape) < share
    else:
        ranks = x.argsort(axis=0).argsort(axis=0) / len(x)
        gone = rng.random(x.shape) < np.minimum(1, 2 * share * ranks)
    gone[gone.all(axis=1), 0] = False
    return gone


def methods() -> dict[str, Any]:
    """Return the imputers."""
    from sklearn.ensemble import ExtraTreesRegressor
    from sklearn.experimental import enable_iterative_imputer  # noqa: F401
    from sklearn.impute import IterativeImputer, KNNImputer, SimpleImputer

    from gramian import GramianImputer

    trees = ExtraTreesRegressor(20, min_samples_leaf=2, random_state=0)
    return {
        "mean": SimpleImputer(),
        "neighbours": KNNImputer(n_neighbors=10, weights="distance"),
        "linear": IterativeImputer(random_state=0),
        "trees": IterativeImputer(trees, max_iter=3, random_state=0),
        "gramian": GramianImputer(),
    }


def measure(names: list[str], done: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Remove, fill and compare cells, except for results that are done."""
    every = tables()
    known = {(row["table"], row["rule"], row["share"]) for row in done}
    for name in names:
        x = every[name]
        for rule in RULES:
            for share in SHARES:
                if (name, rule, share) in known:
                    continue
                gone = removed(x, share, rule)
                given = np.where(gone, np.nan, x)
                centre, deviation = np.nanmean(given, axis=0), np.nanstd(given, axis=0)
                given = (given - centre) / np.where(deviation > 0, deviation, 1.0)
                row: dict[str, Any] = {"table": name, "rule": rule, "share": share}
                row["shape"] = x.shape
                for method, imputer in methods().items():
                    start = time.process_time()
                    filled = imputer.fit_transform(given) * deviation + centre
                    seconds = time.process_time() - start
                    error = ((filled - x) / x.std(axis=0))[gone]
                    row[method] = {"error": float(np.sqrt(np.mean(error**2))), "seconds": seconds}
                print(f"  {name}, {rule}, {share}", file=sys.stderr)
                yield row


def page(content: dict[str, Any]) -> str:
    """Return the page."""
    names, rows = list(methods()), content["rows"]
    sections, leading, n_tables = [], 0, 0
    for table in dict.fromkeys(row["table"] for row in rows):
        mine = [row for row in rows if row["table"] == table]
        n_rows, n_columns = mine[0]["shape"]
        lines = []
        for row in mine:
            errors = [row[name]["error"] for name in names]
            cells = [f"**{e:.3f}**" if e == min(errors) else f"{e:.3f}" for e in errors]
            lines.append([f"{row['share']:.0%} {RULES[row['rule']]}", *cells])
        means = [float(np.mean([row[name]["error"] for row in mine])) for name in names]
        lines.append(["mean", *(f"**{e:.3f}**" if e == min(means) else f"{e:.3f}" for e in means)])
        leading += sorted(means).index(means[names.index("gramian")]) <= 1
        n_tables += 1
        head = f"## {table[0].upper()}{table[1:]}, {n_rows} × {n_columns}"
        sections.append(f"{head}\n\n{scale.table(['removed', *names], lines)}")
    places = np.array(
        [np.argsort(np.argsort([row[name]["error"] for name in names])) for row in rows]
    )
    ranks = [
        [
            name,
            *(str(int(np.sum(places[:, i] == place))) for place in range(len(names))),
            f"{sum(row[name]['seconds'] for row in rows):.0f}",
        ]
        for i, name in enumerate(names)
    ]
    ours = places[:, names.index("gramian")]
    missed = [
        f"{row['table']}, {row['share']:.0%} {RULES[row['rule']]}"
        for row, place in zip(rows, ours, strict=True)
        if place > 1
    ]
    verdict = (
        "Target: gramian first or second on each table. By the mean over the rows of a table it is "
        f"on {leading} of {n_tables} tables; by single rows in {np.sum(ours <= 1)} of {len(rows)}"
    )
    verdict += f"; not in: {'; '.join(missed)}." if missed else "."
    head = ["", *(f"{place}." for place in range(1, len(names) + 1)), "seconds"]
    return PAGE.format(
        cpu=content["machine"]["cpu"],
        date=content["date"],
        versions=", ".join(f"{name} {number}" for name, number in content["versions"].items()),
        tables="\n\n".join(sections),
        n=len(rows),
        ranks=scale.table(head, ranks),
        verdict=verdict,
    )


def main() -> None:
    """Measure, and write the page if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, help="a .json file; the page is written beside it")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows: list[dict[str, Any]] = []
    if options.output and options.output.exists():
        rows = json.loads(options.output.read_text(encoding="utf-8"))["rows"]
    content: dict[str, Any] = {
        "date": time.strftime("%Y-%m-%d"),
        "machine": run.machine(),
        "versions": run.versions(),
        "rows": rows,
    }
    for row in measure(["wine"] if options.quick else list(tables()), rows):
        rows.append(row)
        if options.output:
            options.output.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    print(page(content))
    if options.output:
        options.output.with_suffix(".md").write_text(page(content), encoding="utf-8")


if __name__ == "__main__":
    main()
