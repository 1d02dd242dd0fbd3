"""Tables of the comparison of redundancies: planted, Feynman's equations, real."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

Array = np.ndarray
UNITS = 3.0
"""Largest exponent of ten of the random unit of a column."""


def in_any_units(rng: np.random.Generator, columns: list[Array]) -> tuple[Array, Array]:
    """Return columns in random units and order, and the new place of each column."""
    X = np.column_stack(columns) * 10 ** rng.uniform(-UNITS, UNITS, len(columns))
    order = rng.permutation(len(columns))
    return X[:, order], order


def planted(
    seed: int, n_independent: int, n_derived: int, n_rows: int, noise: float
) -> tuple[Array, set[int]]:
    """Return a table, and the indices of its derived columns."""
    rng = np.random.default_rng(seed)
    z = rng.standard_normal((n_rows, n_independent))
    pairs = np.array([(i, j) for j in range(n_independent) for i in range(j)])
    columns = list(z.T)
    for i, j in rng.permutation(pairs)[:n_derived]:
        exact = z[:, i] * z[:, j] + rng.uniform(0.5, 2) * z[:, rng.integers(n_independent)]
        columns.append(exact + noise * exact.std() * rng.standard_normal(n_rows))
    X, order = in_any_units(rng, columns)
    return X, set(np.flatnonzero(order >= n_independent).tolist())


def equations(path: Path) -> Iterator[dict[str, str]]:
    """Read the Feynman equations."""
    with path.open(newline="") as file:
        yield from csv.DictReader(file)


def feynman(equation: dict[str, str], rng: np.random.Generator, n_rows: int) -> Array:
    """Return the inputs of an equation and its output, in their own units."""
    scope: dict[str, Any] = {name: getattr(np, name) for name in FUNCTIONS}
    scope["ln"] = np.log
    columns = []
    for variable in equation["variables"].split():
        name, limits = variable.split("=")
        low, high = map(float, limits.split(".."))
        scope[name] = rng.uniform(low, high, n_rows)
        columns.append(scope[name])
    columns.append(eval(equation["formula"], {"__builtins__": {}}, scope) * np.ones(n_rows))
    X = np.column_stack(columns)
    return X[np.isfinite(X).all(axis=1)]


FUNCTIONS = ("arccos", "arcsin", "cos", "exp", "pi", "sin", "sqrt", "tanh")


def names_of(equation: dict[str, str]) -> list[str]:
    """Return the names of the columns."""
    inputs = [part.split("=")[0] for part in equation["variables"].split()]
    return [*inputs, equation["output"]]


def is_angle(equation: dict[str, str], name: str) -> bool:
    """Return True if a column is an angle, which keeps its unit."""
    angles = equation["name"] in ("I.26.2", "I.30.5") and name == equation["output"]
    return name.startswith("theta") or name == "delta" or angles


def real_tables() -> dict[str, tuple[list[str], Array]]:
    """Return tables that come with scikit-learn."""
    from sklearn import datasets

    tables = {}
    for name in ("breast_cancer", "wine", "diabetes", "iris", "linnerud"):
        found = getattr(datasets, f"load_{name}")()
        tables[name] = ([str(column) for column in found.feature_names], np.asarray(found.data))
    return tables


def wide(seed: int, n_independent: int, n_derived: int, n_rows: int) -> tuple[Array, set[int]]:
    """Return a table with columns derived from up to three others, and their indices."""
    rng = np.random.default_rng(seed)
    z = rng.standard_normal((n_rows, n_independent))
    columns = list(z.T)
    for _ in range(n_derived):
        a, b, c = z[:, rng.choice(n_independent, 3, replace=False)].T
        factor = rng.uniform(0.5, 2)
        exact = [a**2 + factor * a, a * b + factor * a, a * b + factor * c][rng.integers(3)]
        columns.append(exact + 1e-3 * exact.std() * rng.standard_normal(n_rows))
    X, order = in_any_units(rng, columns)
    return X, set(np.flatnonzero(order >= n_independent).tolist())
