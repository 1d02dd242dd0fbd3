"""Symbolic regression on Feynman's tables: gplearn and Operon, which are told the target.

Runs in an environment of its own that has gplearn or pyoperon:
``python benchmarks/relations_peers.py EQUATIONS.csv --seconds 2`` adds to docs/relations.json.
"""

from __future__ import annotations

import argparse
import csv
import json
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import relations_tables as tables

EXACT, GOOD = 1e-9, 0.999
SEED, N_ROWS, N_NEW = 90_000, 2_000, 1_000
Predict = Callable[[np.ndarray], np.ndarray]


def gplearn(x: np.ndarray, y: np.ndarray, seconds: float) -> Predict:
    from gplearn.genetic import SymbolicRegressor

    functions = ("add", "sub", "mul", "div", "sqrt", "log", "sin", "cos")
    start, generations = time.process_time(), 0
    model = SymbolicRegressor(
        population_size=1000, function_set=functions, warm_start=True, random_state=0
    )
    while generations == 0 or time.process_time() - start < seconds:
        generations += 1
        model.set_params(generations=generations)
        model.fit(x, y)
    return model.predict


def operon(x: np.ndarray, y: np.ndarray, seconds: float) -> Predict:
    from pyoperon.sklearn import SymbolicRegressor

    model = SymbolicRegressor(
        allowed_symbols="add,sub,mul,div,sqrt,log,exp,sin,cos,square,constant,variable",
        optimizer_iterations=10,
        population_size=500,
        generations=100_000,
        max_evaluations=1_000_000_000,
        max_time=max(1, round(seconds)),
        n_threads=1,
        random_state=0,
    )
    model.fit(x, y)
    return model.predict


def measure(method: Callable[..., Predict], row: dict[str, str], seed: int, seconds: float) -> dict:
    rng = np.random.default_rng(seed)
    x, names, setting = tables.equation(row, N_ROWS, rng)
    new, _, _ = tables.equation(row, N_NEW, rng, setting)
    target = names.index(row["output"])
    start = time.process_time()
    predict = method(np.delete(x, target, axis=1), x[:, target], seconds)
    spent = time.process_time() - start
    y = new[:, target]
    missed = predict(np.delete(new, target, axis=1)) - y
    return {
        "name": row["name"],
        "error": float(np.sqrt(np.mean(missed**2) / np.mean(y**2))),
        "r2": float(1 - np.mean(missed**2) / np.var(y)),
        "seconds": spent,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("equations", type=Path)
    parser.add_argument("--output", type=Path, default=Path("docs/relations.json"))
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--method", choices=("gplearn", "operon"), required=True)
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # of packages that are not ours
    with options.equations.open() as stream:
        equations = list(csv.DictReader(stream))
    method = {"gplearn": gplearn, "operon": operon}[options.method]
    rows = [measure(method, row, SEED + i, options.seconds) for i, row in enumerate(equations)]
    summary: dict[str, Any] = {
        "limit": options.seconds,
        "exact": sum(row["error"] < EXACT for row in rows),
        "good": sum(row["r2"] > GOOD for row in rows),
        "tables": len(rows),
        "seconds": float(np.median([row["seconds"] for row in rows])),
    }
    content = json.loads(options.output.read_text()) if options.output.exists() else {}
    content.setdefault("peers", {})[options.method] = summary
    options.output.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
