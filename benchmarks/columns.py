"""Share of all columns that a few columns explain, for several methods of selection.

``python benchmarks/columns.py --data FOLDER`` writes docs/columns.md and its figures in JSON. The
folder holds usps.npz, coil20.npz, mnist.npz, musk2.npz and pitprops.csv; missing files are left
out. ``--only NAME`` measures one data set again, ``--method NAME`` one method of selection,
``--count`` only counts columns, ``--clock`` times one selection, ``--quick`` does not choose the
decoder's degree; all options keep the other figures.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
from columns_decoder import Array, decode
from columns_methods import FSCA, LINEAR, METHODS, OURS, PIVOTED, Method
from columns_page import DECODED, SHARES, page
from scipy.linalg import qr
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.neighbors import KNeighborsClassifier

from gramian import GFS
from gramian._support.blas import n_threads

RARE = 0.01
"""Smallest share of rows that differ from a column's most common value. Other columns are left
out: after scaling to variance 1 they could have any size in new rows."""
SIZES: dict[str, tuple[int, ...]] = {
    "USPS": (10, 20, 40),
    "COIL-20": (5, 10, 20),
    "MNIST": (10, 20),
    "Musk": (5, 10, 20),
    "breast cancer": (2, 4, 8),
    "digits": (5, 10, 20),
}
DEGREES = (1, 2, 3)
COUNTED = ("breast cancer", "digits", "Musk", "USPS")
"""Data sets for which the needed columns are counted."""
MOST_FUNCTIONS = 13_000
"""Largest number of functions of a decoder whose degree is chosen."""
PACKAGES = ("gramian", "numpy", "scipy", "scikit-learn", "fastcan", "skfeature-chappers")


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=os.environ.get("GRAMIAN_DATA", "."))
    parser.add_argument("--output", type=Path, default=Path("docs/columns.json"))
    parser.add_argument("--only", choices=[*SIZES, "pit props"])
    parser.add_argument("--method", choices=[*METHODS], help="one way to choose columns only")
    parser.add_argument("--count", action="store_true", help="count columns only")
    parser.add_argument(
        "--clock", action="store_true", help="only time 40 columns of USPS, on an idle machine"
    )
    parser.add_argument(
        "--quick", action="store_true", help="leave the decoder's degree alone, which takes minutes"
    )
    given = parser.parse_args()
    methods = {each: METHODS[each] for each in METHODS if given.method in (None, each)}
    if given.count:
        methods = {}
    found: dict[str, Any] = {"tables": {}, "needed": {}}
    if given.output.exists() and (given.only or given.method or given.count or given.clock):
        found = json.loads(given.output.read_text(encoding="utf-8"))
    if given.clock:
        found["clock"] = by_the_clock(Path(given.data))
    for name, sizes in SIZES.items() if not given.clock else ():
        if given.only in (None, name) and (data := load(name, Path(given.data))) is not None:
            decoded = DECODED if name == "USPS" and not given.quick else ()
            table = measure(*data, sizes, methods, decoded)
            known = found["tables"].get(name, {"methods": {}})["methods"]
            table["methods"] = {
                each: {**known, **table["methods"]}[each]
                for each in METHODS
                if each in {*known, *methods}
            }
            found["tables"][name] = table
            if name in COUNTED and given.method is None:
                found["needed"][name] = count(data[0])
            print(name, flush=True)
    path = Path(given.data) / "pitprops.csv"
    if given.only in (None, "pit props") and not given.clock and path.exists():
        found["pit props"] = pit_props(path)
    found["versions"] = versions()
    given.output.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    given.output.with_suffix(".md").write_text(page(found), encoding="utf-8")


def by_the_clock(folder: Path) -> dict[str, Any]:
    """Time the selection of 40 columns of USPS."""
    data = load("USPS", folder)
    if data is None:
        raise SystemExit(f"usps.npz is not in {folder}")
    start = time.perf_counter()
    METHODS[OURS](data[0], [40])
    return {"seconds": time.perf_counter() - start, "threads": n_threads()}


def load(name: str, folder: Path) -> tuple[Array, Array, Array, Array] | None:
    """Return training rows and labels, test rows and labels, standardized."""
    files = {"USPS": "usps", "COIL-20": "coil20", "MNIST": "mnist", "Musk": "musk2"}
    if name in files:
        path = folder / f"{files[name]}.npz"
        if not path.exists():
            return None
        with np.load(path) as file:
            X, y = file["X"].astype(np.float64), file["y"]
            if name == "USPS":
                return standardized(X, y, file["X_test"].astype(np.float64), file["y_test"])
            if name == "MNIST":
                rows = np.random.default_rng(0).permutation(len(X))[:10_000]
                tests = np.random.default_rng(1).permutation(len(file["X_test"]))[:2000]
                test = file["X_test"][tests].astype(np.float64)
                return standardized(X[rows], y[rows], test, file["y_test"][tests])
    else:
        make = {"breast cancer": load_breast_cancer, "digits": load_digits}[name]
        X, y = make(return_X_y=True)
    rows = np.random.default_rng(0).permutation(len(X))
    test, train = rows[: len(X) // 5], rows[len(X) // 5 :]
    return standardized(X[train], y[train], X[test], y[test])


def standardized(X: Array, y: Array, T: Array, t: Array) -> tuple[Array, Array, Array, Array]:
    """Scale columns by their training rows, without columns that are nearly constant there."""
    common = [np.unique(column, return_counts=True)[1].max() for column in X.T]
    X, T = (each[:, np.array(common) <= (1 - RARE) * len(X)] for each in (X, T))
    mean, deviation = X.mean(axis=0), X.std(axis=0)
    return (X - mean) / deviation, y, (T - mean) / deviation, t


def measure(
    X: Array,
    y: Array,
    T: Array,
    t: Array,
    sizes: Sequence[int],
    methods: Mapping[str, Method],
    decoded: Collection[str],
) -> dict[str, Any]:
    """Choose columns by each method, and measure what they explain."""
    rows: dict[str, Any] = {}
    for name, method in methods.items():
        start = time.process_time()
        sets = method(X, sizes)
        seconds = time.process_time() - start
        rows[name] = {"seconds": seconds, "columns": sets[max(sizes)]}
        for k, columns in sets.items():
            neighbour = KNeighborsClassifier(1).fit(X[:, columns], y)
            rows[name][str(k)] = {
                "linear": asdict(decode(X, T, columns, 1)),
                "quadratic": asdict(decode(X, T, columns, 2)),
                "neighbour": float(neighbour.score(T[:, columns], t)),
                "chosen": best_degree(X, T, columns) if name in decoded else None,
            }
        print("  ", name, f"{seconds:.1f} s", flush=True)
    return {"sizes": list(sizes), "shape": list(X.shape), "methods": rows}


def best_degree(X: Array, T: Array, columns: Sequence[int]) -> dict[str, Any]:
    """Choose the decoder's degree by training rows, and decode test rows."""
    tried = {
        degree: decode(X, T, columns, degree)
        for degree in DEGREES
        if comb(len(columns) + degree, degree) <= MOST_FUNCTIONS
    }
    degree = min(tried, key=lambda each: tried[each].chosen)
    return {"degree": degree, "left": tried[degree].test}


def count(X: Array) -> dict[str, list[int | None]]:
    """Count the columns that explain a share of the variance, linearly."""
    whole = float(np.sum(X**2))
    values = np.linalg.svd(X, compute_uv=False) ** 2
    curves = {"principal components": 1 - np.cumsum(values) / whole}
    greedy = GFS(SHARES[-1], criterion="gain", degree=1, exchange=False).fit(X)
    again = GFS(SHARES[-1], criterion="gain", degree=1).fit(X)
    for name, fitted in {LINEAR: again, FSCA: greedy}.items():
        left = fitted.best_sets_residual_variance_
        curves[name] = left[1:] / left[0]
    names = [PIVOTED, "fastcan", "random"]
    for name in [each for each in names if each in METHODS]:
        n = min(X.shape[1], 2 * len(again.best_sets_))
        if name == "fastcan" and X.shape[1] > 100:
            continue  # takes minutes
        order = METHODS[name](X, [n])[n]
        curves[name] = explained_by(X, order)
    return {
        name: [
            int(np.argmax(left <= 1 - share + 1e-9)) + 1 if left[-1] <= 1 - share + 1e-9 else None
            for share in SHARES
        ]
        for name, left in curves.items()
    }


def explained_by(X: Array, order: Sequence[int]) -> Array:
    """Return the share left with the first 1, 2, ... columns of an order."""
    basis = qr(X[:, list(order)], mode="economic")[0]
    gains = np.sum((basis.T @ X) ** 2, axis=1)
    left: Array = 1 - np.cumsum(gains) / np.sum(X**2)
    return left


def pit_props(path: Path) -> list[float]:
    """Return the share that the best set of each size explains, for a given covariance."""
    with path.open() as stream:
        lines = list(csv.reader(stream))[1:]
    correlation = np.array([[float(value) for value in line[1:]] for line in lines])
    d = len(correlation)
    rows = np.random.default_rng(0).standard_normal((180, d))
    rows = np.linalg.qr(rows - rows.mean(axis=0))[0] * np.sqrt(180)
    fitted = GFS(d - 1, criterion="gain", degree=1).fit(rows @ np.linalg.cholesky(correlation).T)
    explained: list[float] = (1 - fitted.best_sets_residual_variance_[1:] / d).tolist()
    return explained


def versions() -> str:
    """Return the versions of the packages as text."""
    found = []
    for package in PACKAGES:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            found.append(f"{package} not installed")
    return ", ".join(found)


if __name__ == "__main__":
    main()
