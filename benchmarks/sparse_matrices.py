"""Tables with very many columns, sparse and dense: time and memory, beside PCA and TruncatedSVD.

``python benchmarks/sparse_matrices.py --output docs/sparse.json`` also writes the page beside it.
Every fit runs in a separate process. ``--quick`` uses a matrix a hundred times smaller.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import run
import scale
import scipy.sparse as sp

FULL = (11_000, 100_000)
QUICK = (1_100, 10_000)
DENSE = {False: (1_000, 50_000), True: (200, 2_000)}
"""Shape of the dense table, by whether the run is quick."""
ENTRIES = 150
TOPICS = 40
N_DIRECTIONS = 20
PAGE = """\
<!-- Made by make sparse ARGS="--output docs/sparse.json"; edit benchmarks/sparse_matrices.py. -->

# Sparse matrices, measured

A matrix of {n_rows} documents by {n_columns} words, drawn from {topics} topics whose words follow
Zipf's law: {entries:.0f} entries a row, weighted by tf-idf, each row of norm one. All methods
except TruncatedSVD centre the columns. {n_directions} directions or features at degree 2; {cpu},
{cores} cores; {date}, {versions}. Each fit is a separate process. *Processor seconds* are those of
`fit`, summed over threads; *peak* is the peak memory of the process, including libraries and the
matrix ({matrix:.0f} MB). As a dense array, the matrix alone would take {dense:.1f} GB, and the
covariance of its columns {square:.0f} GB.

{table}

{targets}

## A dense table

{dense_rows} rows by {dense_columns} columns of numbers, {dense_table:.1f} GB: combinations of 12
variables and of 12 products of two of them, with noise. The covariance of its columns would take
{dense_square:.0f} GB.

{dense_fits}
"""


def documents(n_rows: int, n_columns: int, seed: int = 0) -> sp.csr_array:
    """Draw documents of a few topics each, weighted by tf-idf."""
    rng = np.random.default_rng(seed)
    frequency = 1 / np.arange(10, n_columns + 10)
    topics = []
    for _ in range(TOPICS):
        favourite = rng.random(n_columns) < 0.02
        words = frequency * np.where(favourite, rng.gamma(1, 60, n_columns), 1.0)
        topics.append(np.cumsum(words / words.sum()))
    shares = rng.dirichlet(np.full(TOPICS, 0.08), n_rows)
    columns = []
    for row in shares:
        counts = rng.multinomial(ENTRIES * 6 // 5, row)
        drawn = [np.searchsorted(topics[t], rng.random(n)) for t, n in enumerate(counts)]
        columns.append(np.minimum(np.concatenate(drawn), n_columns - 1))
    rows = np.repeat(np.arange(n_rows), [len(each) for each in columns])
    flat = np.concatenate(columns)
    counts = sp.coo_array((np.ones(len(flat)), (rows, flat)), shape=(n_rows, n_columns)).tocsr()
    in_rows = np.bincount(counts.indices, minlength=n_columns)
    counts.data = (1 + np.log(counts.data)) * np.log(n_rows / in_rows[counts.indices])
    norms = np.sqrt(np.asarray(counts.multiply(counts).sum(axis=1)).ravel())
    counts.data /= np.repeat(np.where(norms > 0, norms, 1.0), np.diff(counts.indptr))
    return counts


def numbers(n_rows: int, n_columns: int, seed: int = 0) -> np.ndarray:
    """Draw a dense table of a few variables and their products."""
    rng = np.random.default_rng(seed)
    z = rng.standard_normal((n_rows, 12))
    X = np.hstack([z, z * np.roll(z, 1, axis=1)]) @ rng.standard_normal((24, n_columns))
    for part in np.array_split(X, 10):  # no second table in memory
        part += 0.3 * rng.standard_normal(part.shape)
    return X


def methods(*, dense: bool) -> dict[str, Any]:
    """Return the estimators to compare."""
    from sklearn.decomposition import PCA, TruncatedSVD

    from gramian import GCA, GFA, GFR, GFS

    found = {
        "TruncatedSVD": TruncatedSVD(N_DIRECTIONS, algorithm="arpack", random_state=0),
        "PCA": PCA(N_DIRECTIONS, svd_solver="arpack", random_state=0),
        "GFR": GFR(N_DIRECTIONS),
        "GCA": GCA(N_DIRECTIONS),
        "GFS": GFS(N_DIRECTIONS, criterion="variance"),
        "GFA": GFA(N_DIRECTIONS, threshold=0.0, backward=False),
    }
    del found["TruncatedSVD" if dense else "GCA"]  # principal components are dense
    return found


def fit(name: str, shape: tuple[int, int], *, dense: bool) -> dict[str, Any]:
    """Fit once, in this process, and return time, memory and explained share."""
    if dense:
        return measured(name, numbers(*shape), methods(dense=True)[name])
    X = documents(*shape)
    n_bytes = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    return {**measured(name, X, methods(dense=False)[name]), "nnz": X.nnz, "matrix": n_bytes}


def measured(name: str, X: Any, estimator: Any) -> dict[str, Any]:
    """Return time, memory and explained share of a fit."""
    wall, processor = time.perf_counter(), time.process_time()
    estimator.fit(X)
    seconds, busy = time.perf_counter() - wall, time.process_time() - processor
    explained = float(np.sum(estimator.explained_variance_ratio_))
    outcome = {"seconds": seconds, "processor": busy, "peak": scale.peak()}
    return {"name": name, **outcome, "explained": explained}


def in_child(name: str, shape: tuple[int, int], *, dense: bool) -> dict[str, Any]:
    """Fit in another process."""
    arguments = [sys.executable, __file__, "--job", json.dumps([name, shape, dense])]
    environment = dict(os.environ, PYTHONWARNINGS="ignore")
    done = subprocess.run(arguments, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        raise SystemExit(f"{name} failed:\n{done.stderr}")
    outcome: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    print(f"  {name}: {outcome['seconds']:.3g} s", file=sys.stderr)
    return outcome


def page(content: dict[str, Any]) -> str:
    """Return the page."""
    fits, (n_rows, n_columns) = content["fits"], content["shape"]
    dense_rows, dense_columns = content["dense shape"]
    gfr = next(each for each in fits if each["name"] == "GFR")
    met = gfr["peak"] < 2e9 and gfr["processor"] < 120
    return PAGE.format(
        n_rows=f"{n_rows:,}",
        n_columns=f"{n_columns:,}",
        topics=TOPICS,
        entries=fits[0]["nnz"] / n_rows,
        n_directions=N_DIRECTIONS,
        cpu=content["machine"]["cpu"],
        cores=content["machine"]["cores"],
        date=content["date"],
        versions=", ".join(f"{name} {number}" for name, number in content["versions"].items()),
        matrix=fits[0]["matrix"] / 1e6,
        dense=8 * n_rows * n_columns / 1e9,
        square=8 * n_columns**2 / 1e9,
        table=table(fits),
        dense_rows=f"{dense_rows:,}",
        dense_columns=f"{dense_columns:,}",
        dense_table=8 * dense_rows * dense_columns / 1e9,
        dense_square=8 * dense_columns**2 / 1e9,
        dense_fits=table(content["dense fits"]),
        targets=(
            f"Target: GFR in less than 2 GB and 2 minutes. Measured: {gfr['peak'] / 1e9:.2f} GB "
            f"and {gfr['processor']:.0f} s of processor time, {'met' if met else '**missed**'}."
        ),
    )


def table(fits: list[dict[str, Any]]) -> str:
    """Return the results of fits as a Markdown table."""
    pca = next(each for each in fits if each["name"] == "PCA")
    rows = [
        [
            each["name"],
            f"{each['processor']:.1f}",
            f"{each['processor'] / pca['processor']:.1f}",
            f"{each['peak'] / 1e9:.2f}",
            f"{each['explained']:.1%}",
        ]
        for each in fits
    ]
    head = ["", "processor seconds", "over PCA", "peak, GB", "of the variance, in sample"]
    return scale.table(head, rows)


def main() -> None:
    """Measure, and write the page if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, help="a .json file; the page is written beside it")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--job", help=argparse.SUPPRESS)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.job:
        name, shape, dense = json.loads(options.job)
        print(json.dumps(fit(name, shape, dense=dense)))
        return
    shape, dense_shape = QUICK if options.quick else FULL, DENSE[options.quick]
    content: dict[str, Any] = {
        "date": time.strftime("%Y-%m-%d"),
        "machine": run.machine(),
        "versions": run.versions(),
        "shape": shape,
        "fits": [in_child(name, shape, dense=False) for name in methods(dense=False)],
        "dense shape": dense_shape,
        "dense fits": [in_child(name, dense_shape, dense=True) for name in methods(dense=True)],
    }
    print(page(content))
    if options.output:
        options.output.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        options.output.with_suffix(".md").write_text(page(content), encoding="utf-8")


if __name__ == "__main__":
    main()
