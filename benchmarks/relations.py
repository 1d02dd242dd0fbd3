"""Laws among columns: Feynman's equations, noise, tables without laws, wide tables, surfaces.

``python benchmarks/relations.py EQUATIONS.csv`` writes docs/relations.md and its figures in JSON.
Times are those of the processor, of one thread.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import relations_page
import relations_tables as tables
from jobs import peak_megabytes

import gramian
from gramian.laws import Relation

EXACT = 1e-9
"""Largest relative error of an exact law on new rows."""
SEED = 90_000
N_ROWS, N_NEW, N_TABLES = 2_000, 1_000, 100
PARTS = ("surfaces", "exact", "noise", "wide", "independent")


def timed(x: np.ndarray, names: list[str]) -> tuple[gramian.laws.Relations, float]:
    start = time.process_time()
    found = gramian.relations(x, names)
    return found, time.process_time() - start


def error(relation: Relation, x: np.ndarray) -> float:
    return float(np.sqrt(np.mean(relation.imbalance(x) ** 2)))


def fitted_error(relation: Relation, x: np.ndarray) -> float:
    """Return the error of a law on noise-free rows after fitting its coefficients to them."""
    columns = dict(zip(relation.feature_names, x.T, strict=True))
    terms = []
    for coefficient, factors in relation.terms:
        value = np.full(len(x), coefficient)
        for key, factor in factors.items():
            values = columns[key if isinstance(key, str) else key[0]]
            value = value * (values ** float(factor) if isinstance(key, str) else factor(values))
        terms.append(value)
    matrix = np.column_stack(terms)
    matrix /= np.abs(matrix).max(axis=1, keepdims=True)
    size = np.linalg.norm(matrix, axis=0)
    vector = np.linalg.svd(matrix / size, full_matrices=False)[2][-1] / size
    sums = matrix * vector
    return float(np.sqrt(np.mean((sums.sum(axis=1) / np.abs(sums).max(axis=1)) ** 2)))


def feynman(row: dict[str, str], seed: int, noise: float) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    x, names, setting = tables.equation(row, N_ROWS, rng, noise=noise)
    new, _, _ = tables.equation(row, N_NEW, rng, setting)
    found, seconds = timed(x, names)
    laws = list(found)
    if noise:
        fine = [fitted_error(each, new) < EXACT for each in laws]
    else:
        fine = [error(each, new) < EXACT for each in laws]
    ties_all = len(laws) == 1 and set(laws[0].columns) == set(names)
    return {
        "name": row["name"],
        "formula": f"{row['output']} = {row['formula']}",
        "laws": [str(each) for each in laws],
        "right": ties_all and all(fine),
        "seconds": seconds,
    }


def independent(i: int) -> dict[str, Any]:
    x, kind = tables.independent(np.random.default_rng([SEED, i]), i)
    found, seconds = timed(x, [f"x{k}" for k in range(x.shape[1])])
    return {
        "kind": kind,
        "shape": x.shape,
        "laws": [str(each) for each in found],
        "seconds": seconds,
    }


def wide() -> dict[str, Any]:
    x, planted = tables.wide(np.random.default_rng(SEED))
    found, seconds = timed(x, [f"x{i}" for i in range(x.shape[1])])
    exact = {frozenset(each.columns) for each in found if each.exact}
    return {
        "planted": len(planted),
        "found": sum(columns in exact for columns in planted),
        "others": [str(each) for each in found if frozenset(each.columns) not in planted],
        "missed": sorted(kind for columns, kind in planted.items() if columns not in exact),
        "seconds": seconds,
        "gigabytes": peak_megabytes() / 1024,
    }


def surfaces() -> list[dict[str, Any]]:
    rows = []
    for name, columns in tables.surfaces(np.random.default_rng(SEED)).items():
        x = np.column_stack(list(columns.values()))
        found, seconds = timed(x, list(columns))
        rows.append({"name": name, "laws": [str(each) for each in found], "seconds": seconds})
    return rows


def save(content: dict[str, Any], path: Path) -> None:
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("equations", type=Path, help="the equations, as a CSV file")
    parser.add_argument("--output", type=Path, default=Path("docs/relations.json"))
    parser.add_argument("--only", nargs="*", default=PARTS, choices=PARTS, help="measure these")
    parser.add_argument("--anew", action="store_true", help="forget what was measured before")
    parser.add_argument("--page", action="store_true", help="only write the page anew")
    options = parser.parse_args()
    path: Path = options.output
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}

    if not options.page:
        with options.equations.open() as stream:
            equations = list(csv.DictReader(stream))
        series: dict[str, Callable[[int], Any]] = {
            "exact": lambda i: feynman(equations[i], SEED + i, 0.0),
            "noise": lambda i: feynman(equations[i], SEED + i, 0.01),
            "independent": independent,
        }
        for part in options.only:
            if part in series:
                rows = [] if options.anew else content.get(part, [])
                for i in range(len(rows), N_TABLES):
                    rows.append(series[part](i))
                    save(content | {part: rows}, path)
                content[part] = rows
            elif options.anew or part not in content:
                content[part] = wide() if part == "wide" else surfaces()
                save(content, path)
    path.with_suffix(".md").write_text(relations_page.page(content), encoding="utf-8")


if __name__ == "__main__":
    main()
