"""Model files of earlier versions, with the numbers that their models gave when they were written.

`python tests/old_models.py NAME` writes one more pair of files with the version of gramian that
runs it: NAME.gram, the model, and NAME.npz, eight rows with their results. Files that are there
already are never written again: they stand for what users have.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gramian import GCA, GFA, GFR, GFS, UFFS, PolynomialManifold, models
from gramian.families import Fourier, Hermite, Indicator, Legendre, Polynomial

FOLDER = Path(__file__).parent / "fixtures"
N_ROWS = 8
"""Rows whose results are kept beside a model."""


def numbers(n: int = 200) -> np.ndarray:
    """Three free columns, functions of them, and a constant."""
    rng = np.random.default_rng(0)
    a, b, c = rng.uniform(1, 2, (3, n)) * rng.choice([-1, 1], (3, n))
    return np.column_stack([3 * a, a * b, 2 * b, np.full(n, 7.0), c, a * c + b, a**2])


def levels(n: int = 200) -> np.ndarray:
    """Four columns of few values, the third of them given by the first two."""
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 4, (2, n)) / 3
    return np.column_stack([3 * a, 2 * b, (a + b) % 1, rng.integers(0, 3, n)])


def named(n: int = 200) -> pd.DataFrame:
    """Columns with names, of which laws give the last three."""
    rng = np.random.default_rng(0)
    width, height, price = rng.integers(1, 40, (3, n)).astype(float)
    code = rng.integers(0, 5, n).astype(float)
    return pd.DataFrame(
        {
            "width": width,
            "height": height,
            "price": price,
            "code": code,
            "area": width * height,
            "total": width + height + 2 * price,
            "rate": np.array([0.3, 0.1, 0.7, 0.2, 0.9])[code.astype(int)],
        }
    )


def curve(n: int = 200) -> np.ndarray:
    """A curved surface of two dimensions in five columns."""
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((2, n))
    return np.column_stack([3 * a, 2 * b, a * b, a**2, b - a]) + 0.01 * rng.standard_normal((n, 5))


def mixed(n: int = 200) -> pd.DataFrame:
    """Numbers, dates, text with and without a law, gaps, an identifier and a target."""
    rng = np.random.default_rng(0)
    width, height = rng.integers(1, 40, (2, n)).astype(float)
    day, product = rng.integers(0, 300, n), rng.choice([*"abcd"], n)
    table = pd.DataFrame(
        {
            "number": np.arange(n),
            "width": width,
            "height": height,
            "area": width * height,
            "day": pd.Timestamp("2024-01-31") + pd.to_timedelta(day, "D"),
            "product": product,
            "price": pd.Series(product).map({"a": 5.0, "b": 2.0, "c": 5.0, "d": 3.5}),
            "outcome": rng.standard_normal(n).round(3),
        }
    )
    table.loc[[3, 40], "height"] = np.nan
    return table


def orders(n: int = 300) -> pd.DataFrame:
    """Dates in parts and whole, a total by a price of each product, and a name by two codes."""
    rng = np.random.default_rng(0)
    dates = pd.Timestamp("2021-03-05") + pd.to_timedelta(rng.integers(0, 900, n), "D")
    product, amount = rng.choice([*"abcd"], n), rng.integers(1, 60, n).astype(float)
    each = pd.Series(product).map({"a": 1.25, "b": 2.0, "c": 7.5, "d": 3.0})
    shop, till = rng.integers(1, 5, (2, n))
    return pd.DataFrame(
        {
            "year": dates.year,
            "month": dates.month,
            "day": dates.day,
            "date": dates,
            "product": product,
            "amount": amount,
            "total": amount * each,
            "shop": shop,
            "till": till,
            "clerk": [f"clerk {3 * i + 2 * j}" for i, j in zip(shop, till, strict=True)],
        }
    )


FITS: dict[str, tuple[Any, Callable[[], Any]]] = {
    "gfr": (GFR(3, alpha=0.01), numbers),
    "gfr_families": (GFR(2, family=Polynomial(2) + Fourier(1, frequency=0.5), alpha=0), numbers),
    "gfr_given": (GFR(2, given=np.eye(7)[:2], scale=True), numbers),
    "gca": (GCA(), numbers),
    "gca_basis": (GCA(basis=np.eye(7)[::-1], backward=False, family=Legendre(2)), numbers),
    "gfs": (GFS(3), numbers),
    "gfs_variance": (GFS(2, criterion="variance", scale=True), named),
    "gfs_given": (GFS(3, given=["price"]), named),
    "gfs_held_out": (GFS(0.9, validation_fraction=0.25, early_stopping=True, beam=2), numbers),
    "gfa": (GFA(), named),
    "gfa_laws": (GFA(laws=True, keep=["area"], priority=["total"]), named),
    "gfa_levels": (GFA(family=Indicator(2), backward=False), levels),
    "gfa_hermite": (GFA(family=Hermite(2), prove=True), numbers),
    "uffs": (UFFS(degree=2), numbers),
    "uffs_clusters": (UFFS(2, cluster_size=3), named),
    "manifold": (PolynomialManifold(2, scale=True), curve),
}
COMMANDS: dict[str, tuple[Callable[[], pd.DataFrame], list[str]]] = {
    "command_gfa": (mixed, ["--id", "number", "--target", "outcome", "--impute", "drop-rows"]),
    "command_gfs": (mixed, ["-n", "3", "--exclude", "number", "--encode", "--impute", "median"]),
    "command_levels": (orders, []),
    "command_dates": (orders, ["--prefer", "year,month,day"]),
}


def tables(name: str) -> Any:
    """Return the rows whose results stand beside a model: the first of those it was fitted to."""
    table = COMMANDS[name][0]() if name in COMMANDS else FITS[name][1]()
    return table[:N_ROWS]


def results(model: models.Model, table: Any) -> dict[str, np.ndarray]:
    """Return all that a model computes from rows, as arrays by name."""
    found: dict[str, Any] = {}
    steps, estimator = model.preprocessing, model.estimator
    rows = table
    if steps is not None:
        rows = found["apply"] = steps.apply(table)
        columns, _ = steps.beside.compute(table.get)
        found |= {f"beside.{name}": np.asarray(each) for name, each in columns.items()}
        if hasattr(estimator, "feature_names_in_"):
            rows = pd.DataFrame(rows, columns=estimator.feature_names_in_)
    found["transform"] = estimator.transform(rows)
    if hasattr(estimator, "inverse_transform"):
        found["inverse_transform"] = estimator.inverse_transform(found["transform"])
    found["names"] = estimator.get_feature_names_out().astype(str)
    return {name: np.asarray(each) for name, each in found.items()}


def _write(name: str) -> None:
    path = FOLDER / f"{name}.gram"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if name in COMMANDS:
            with tempfile.NamedTemporaryFile(suffix=".csv") as data:
                table, options = COMMANDS[name]
                table().to_csv(data.name, index=False)
                options = [*options, "--quiet", "--model", str(path)]
                command = [sys.executable, "-m", "gramian", "select", data.name, *options]
                subprocess.run(command, check=True)
        else:
            estimator, rows = FITS[name]
            estimator.fit(rows()).save(path)
        model = models.read(path)
        np.savez_compressed(path.with_suffix(".npz"), **results(model, tables(name)))


if __name__ == "__main__":
    for name in sys.argv[1:]:
        if not (FOLDER / f"{name}.gram").exists():
            _write(name)
