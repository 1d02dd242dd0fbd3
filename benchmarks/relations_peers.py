"""Symbolic regression on Feynman's tables by gplearn and Operon, with a given target.

Each method runs in a separate environment that has gplearn or pyoperon: ``python
benchmarks/relations_peers.py EQUATIONS.csv --method gplearn`` adds to docs/relations.json. Measured
results are kept, so that an interrupted run resumes.

The tables are those of benchmarks/relations.py, but in the units of the equations and in their
order: gplearn fits no constants, so that it needs these units.
"""

from __future__ import annotations

import argparse
import csv
import json
import time
import warnings
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import relations_tables as tables

SEED, N_ROWS, N_NEW = 90_000, 2_000, 1_000
EXACT = 1e-12
"""Share of the variance that single precision leaves."""
Predict = Callable[[np.ndarray], np.ndarray]


def gplearn(x: np.ndarray, y: np.ndarray, seconds: float) -> Predict:
    from gplearn.genetic import SymbolicRegressor

    model = SymbolicRegressor(
        population_size=1000,
        function_set=("add", "sub", "mul", "div", "sqrt", "log", "sin", "cos"),
        const_range=(-5.0, 5.0),
        warm_start=True,
        random_state=0,
    )
    generations = 0

    def evolve() -> Predict:
        nonlocal generations
        generations += 1
        model.set_params(generations=generations)
        return model.fit(x, y).predict

    return until(evolve, x, y, seconds)


def operon(x: np.ndarray, y: np.ndarray, seconds: float) -> Predict:
    from pyoperon.sklearn import SymbolicRegressor

    model = SymbolicRegressor(
        allowed_symbols="add,sub,mul,div,sqrt,log,exp,sin,cos,square,constant,variable",
        optimizer_iterations=10,
        population_size=500,
        generations=100_000,
        max_evaluations=1_000_000_000,
        max_time=1,
        n_threads=1,
        random_state=0,
        warm_start=True,
    )
    return until(lambda: model.fit(x, y).predict, x, y, seconds)


def until(evolve: Callable[[], Predict], x: np.ndarray, y: np.ndarray, seconds: float) -> Predict:
    """Evolve until the processor time is used up, or the rows are predicted exactly."""
    start = time.process_time()
    while True:
        predict = evolve()
        left = np.mean((predict(x) - y) ** 2) / np.var(y)
        if left < EXACT or time.process_time() - start >= seconds:
            return predict


METHODS: dict[str, Callable[..., Predict]] = {"gplearn": gplearn, "pyoperon": operon}
"""Methods by the names of their packages."""


def measure(method: str, row: dict[str, str], seed: int, seconds: float) -> dict[str, Any]:
    """Fit the output of an equation, and return its unexplained share on new rows."""
    rng = np.random.default_rng(seed)
    width = len(row["variables"].split()) + 1
    setting = np.ones(width), np.arange(width)
    x, _, _ = tables.equation(row, N_ROWS, rng, setting)
    new, _, _ = tables.equation(row, N_NEW, rng, setting)
    start = time.process_time()
    predict = METHODS[method](x[:, :-1], x[:, -1], seconds)
    spent = time.process_time() - start
    y = new[:, -1]
    missed = predict(new[:, :-1]) - y
    return {
        "name": row["name"],
        "unexplained": float(np.mean(missed**2) / np.var(y)),
        "seconds": spent,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("equations", type=Path)
    parser.add_argument("--output", type=Path, default=Path("docs/relations.json"))
    parser.add_argument("--seconds", type=float, default=10.0, help="the time for each table")
    parser.add_argument("--method", choices=METHODS, required=True)
    parser.add_argument("--count", type=int, default=100, help="measure no more tables than this")
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # of packages that are not ours
    with options.equations.open() as stream:
        equations = list(csv.DictReader(stream))
    content = (
        json.loads(options.output.read_text(encoding="utf-8")) if options.output.exists() else {}
    )
    peers = content.setdefault("peers", {})
    new = {"version": version(options.method), "limit": options.seconds, "clock": "processor"}
    measured = peers.setdefault(options.method, {**new, "rows": []})
    first = len(measured["rows"])
    for i in range(first, min(first + options.count, len(equations))):
        row = measure(options.method, equations[i], SEED + i, measured["limit"])
        measured["rows"].append(row)
        options.output.write_text(
            json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
        )


if __name__ == "__main__":
    main()
