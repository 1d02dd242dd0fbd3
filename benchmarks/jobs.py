"""Timed jobs: data, one function for each method, and runs in child processes."""

from __future__ import annotations

import multiprocessing
import os
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import quiet

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("GRAMIAN_DATA") or ROOT.parent / "shared" / "data")
FILES = {"COIL-20": "coil20.npz", "USPS": "usps.npz", "MNIST": "mnist.npz"}
SHAPES = {"COIL-20": (1440, 1024), "USPS": (7291, 256), "MNIST": (60000, 784), "tiny": (120, 6)}
PRODUCT_SIZE = 4000
VARIABLES = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")


@dataclass(frozen=True)
class Job:
    """A method of `METHODS` on a data set, with its arguments."""

    method: str
    data: str
    options: dict[str, Any] = field(default_factory=dict)
    threads: int | None = None


@dataclass
class Outcome:
    """Time, memory and results of a job."""

    seconds: float
    """Seconds of the fastest of a few fits."""
    n_fits: int
    megabytes: float
    """Peak memory of the process, including data and libraries."""
    transform_seconds: float | None = None
    n_components: int | None = None
    n_functions: int | None = None
    flops: float | None = None
    solver: str | None = None
    components: np.ndarray | None = field(default=None, repr=False)


def is_real(name: str) -> bool:
    """Return True if the data set is available, and not only its shape."""
    return name not in FILES or (DATA / FILES[name]).exists()


def load(name: str) -> np.ndarray:
    """Return a data set with standardized columns, or made-up data of its shape."""
    if name == "made-up":
        return selection_data(0)
    if is_real(name) and name in FILES:
        with np.load(DATA / FILES[name]) as file:
            X = file["X"].astype(np.float64)
    else:
        n_rows, n_columns = SHAPES[name]
        rng = np.random.default_rng(0)
        latent = rng.standard_normal((n_rows, 20)) / np.arange(1, 21) ** 0.5
        X = np.tanh(latent @ rng.standard_normal((20, n_columns)))
        X += 0.05 * rng.standard_normal(X.shape)
    X -= X.mean(axis=0)
    scale = np.sqrt(np.einsum("ij,ij->j", X, X) / len(X))
    X /= np.where(scale > 0, scale, 1.0)
    return X


def selection_data(seed: int) -> np.ndarray:
    """Draw the paper's data for GFS against UFFS: 15 normal features, 15 products of them."""
    rng = np.random.default_rng(seed)
    free = rng.standard_normal((1000, 15)) * np.sqrt(rng.uniform(0.5, 1.0, 15))
    n_pairs, n_triples = 105, 455
    products: dict[tuple[int, ...], np.ndarray] = {}
    while len(products) < 15:
        size = 2 if rng.uniform() < n_pairs / (n_pairs + n_triples) else 3
        chosen = tuple(sorted(rng.choice(15, size, replace=False).tolist()))
        products[chosen] = free[:, chosen].prod(axis=1)
    return np.column_stack([free, *products.values()])[:, rng.permutation(30)]


def gfr(X: np.ndarray, **options: Any) -> Any:
    from gramian import GFR

    return GFR(**options).fit(X)


def gfs(X: np.ndarray, **options: Any) -> Any:
    from gramian import GFS

    return GFS(**options, criterion="variance").fit(X)


def uffs(X: np.ndarray, **options: Any) -> Any:
    from gramian import UFFS

    return UFFS(**options).fit(X)


def pca(X: np.ndarray, **options: Any) -> Any:
    from sklearn.decomposition import PCA

    return PCA(random_state=0, **options).fit(X)


def kernel_pca(X: np.ndarray, **options: Any) -> Any:
    from sklearn.decomposition import KernelPCA

    return KernelPCA(kernel="poly", random_state=0, **options).fit(X)


def fastcan(X: np.ndarray, n_features_to_select: int) -> Any:
    """Select by correlation with as many principal components as requested features."""
    from fastcan import FastCan
    from sklearn.decomposition import PCA

    target = PCA(n_features_to_select, random_state=0).fit_transform(X)
    return FastCan(n_features_to_select, verbose=0).fit(X, target)


def literal_gfr(X: np.ndarray, **options: Any) -> Any:
    import literal

    return literal.gfr(X, **options)


def literal_uffs(X: np.ndarray, **options: Any) -> Any:
    import literal

    return literal.uffs(X, **options)


def oracle_gfr(X: np.ndarray, degree: int, n_components: int) -> Any:
    sys.path.insert(0, str(ROOT / "tests"))
    import families_by_hand
    import oracle

    return oracle.gfr(X, families_by_hand.multilinear(degree), n_steps=n_components).choices


@cache
def _operand(n: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal((n, n))


def product(X: np.ndarray, n: int = PRODUCT_SIZE) -> Any:
    """Multiply two square matrices."""
    return _operand(n) @ _operand(n)


METHODS: dict[str, Callable[..., Any]] = {
    "GFR": gfr,
    "GFS": gfs,
    "UFFS": uffs,
    "PCA": pca,
    "KernelPCA": kernel_pca,
    "fastcan": fastcan,
    "literal GFR": literal_gfr,
    "literal UFFS": literal_uffs,
    "oracle GFR": oracle_gfr,
    "product": product,
}


def operations(fitted: Any, n_rows: int, n_columns: int) -> float:
    """Return the floating-point operations of a fit by the Gram matrix of all functions.

    They are two for each entry of E[gfᵀ] and E[gXᵀ] and each row, plus those of the Cholesky
    factor.
    """
    kept = np.asarray(fitted.n_functions_, dtype=float)
    new = kept + fitted.n_dropped_functions_
    old = 1 + np.cumsum(kept) - kept
    sums = new @ (old + new) + new.sum() * n_columns
    return float(2 * n_rows * sums + (1 + kept.sum()) ** 3 / 3)


def best(call: Callable[[], Any]) -> tuple[float, int, Any]:
    """Time a call: once if it takes half a minute, otherwise twice, or five times below a second.

    All methods have this rule. Calls that other processes disturbed are repeated, up to three
    times.
    """
    quiet.wait()
    times: list[tuple[bool, float]] = []
    result, wanted, undisturbed = None, 1, 0
    while undisturbed < wanted and len(times) < wanted + 3:
        result = None  # so that memory never holds two results
        before = quiet.others()
        start = time.perf_counter()
        result = call()
        seconds = time.perf_counter() - start
        disturbed = quiet.others() - before > 0.02 + quiet.SHARE * seconds
        times.append((disturbed, seconds))
        wanted = 1 if seconds > 30 else 2 if seconds > 1 else 5
        if disturbed:
            quiet.wait()
        else:
            undisturbed += 1
    return min(times)[1], len(times), result


def run(job: Job) -> Outcome:
    """Run a job in this process."""
    method = METHODS[job.method]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few samples for the functions: known, and not the point
        if job.method != "product":
            warm_up(job)
        X = load(job.data)
        if job.method == "product":
            product(X, **job.options)
        seconds, n_fits, fitted = best(lambda: method(X, **job.options))
        outcome = Outcome(seconds, n_fits, peak_megabytes())
        if isinstance(fitted, np.ndarray):
            if job.method.endswith("GFR"):
                outcome.n_components, outcome.components = len(fitted), fitted
            elif job.method == "product":
                outcome.flops = 2.0 * len(fitted) ** 3
            return outcome
        outcome.transform_seconds = best(lambda: fitted.transform(X))[0]
    outcome.n_components = int(fitted.transform(X[:2]).shape[1])
    if hasattr(fitted, "n_functions_"):
        outcome.n_functions = 1 + int(fitted.n_functions_.sum())
        outcome.flops = operations(fitted, *X.shape)
        outcome.solver = fitted.solver_
    if job.method == "GFR":
        outcome.components = fitted.components_
    return outcome


def warm_up(job: Job) -> None:
    """Run the job on a few rows, to import its packages and start the threads of BLAS."""
    X = np.random.default_rng(0).standard_normal((200, 5))
    options = {**job.options}
    for name in ("n_components", "n_features_to_select"):
        if options.get(name) is not None:
            options[name] = 2
    METHODS[job.method](X, **options)
    a = np.ones((500, 500))
    a @ a


def peak_megabytes() -> float:
    """Return the peak memory of this process; NaN on Windows."""
    try:
        import resource
    except ImportError:
        return float("nan")
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20


def in_child(function: Callable[..., Any], *args: Any, threads: int | None = None) -> Any:
    """Call a function in a fresh process, so that its peak memory is measured alone."""
    before = {name: os.environ.get(name) for name in VARIABLES}
    if threads is not None:
        os.environ.update(dict.fromkeys(VARIABLES, str(threads)))
    try:
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(1, mp_context=context) as pool:
            return pool.submit(function, *args).result()
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def measure(job: Job) -> Outcome:
    """Run a job in a separate process."""
    outcome: Outcome = in_child(run, job, threads=job.threads)
    return outcome


def import_seconds(*statements: str, repeat: int = 7) -> list[float]:
    """Return the median time of each statement in fresh interpreters, taken in turns."""
    code = "import time; start = time.perf_counter(); {}; print(time.perf_counter() - start)"
    times: dict[str, list[float]] = {statement: [] for statement in statements}
    for turn in range(repeat + 1):
        for statement in statements:
            command = [sys.executable, "-c", code.format(statement)]
            took = float(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
            if turn:  # the first fills the caches
                times[statement].append(took)
    return [statistics.median(times[statement]) for statement in statements]
