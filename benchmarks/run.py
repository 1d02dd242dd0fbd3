"""Time gramian against the literal algorithm, PCA and KernelPCA: ``make bench``.

Every job runs in a process of its own and gets the same data there. The time is the best of three
fits (the literal algorithm runs once); the memory is by how much the fits raised the most that the
process ever held. Times of different machines do not compare: compare the ratios.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import platform
import resource
import sys
import time
import warnings
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("GRAMIAN_DATA") or ROOT.parent / "shared" / "data")
THRESHOLDS = {"digits": 0.2, "COIL-20": 0.01}
DEGREE = 2


@dataclass
class Result:
    """What one job took, and what it found."""

    data: str
    method: str
    n_components: int
    seconds: float
    megabytes: float
    ratio: float | None = None
    components: list[list[float]] = field(default_factory=list, repr=False)
    residual_variance: list[float] = field(default_factory=list, repr=False)


def load(name: str) -> np.ndarray:
    """Return the standardized data."""
    from sklearn.datasets import load_digits
    from sklearn.preprocessing import StandardScaler

    if name == "digits":
        X = load_digits().data
    elif (path := DATA / "coil20.npz").exists():
        with np.load(path) as file:
            X = file["X"].astype(np.float64)
    else:
        rng = np.random.default_rng(0)
        latent = rng.standard_normal((1440, 20)) / np.arange(1, 21) ** 0.5
        X = np.tanh(latent @ rng.standard_normal((20, 1024)))
        X += 0.05 * rng.standard_normal(X.shape)
    return StandardScaler().fit_transform(X)


def title(name: str) -> str:
    """Return what the table calls the data."""
    if name == "COIL-20" and not (DATA / "coil20.npz").exists():
        return "synthetic, of COIL-20's shape"
    return name


def gfr(X: np.ndarray, threshold: float, n_components: int) -> tuple[Any, Any]:
    from gramian import GFR

    fitted = GFR(threshold=threshold, degree=DEGREE).fit(X)
    return fitted.components_, fitted.residual_variance_


def pca(X: np.ndarray, threshold: float, n_components: int) -> tuple[Any, Any]:
    from sklearn.decomposition import PCA

    return PCA(n_components, random_state=0).fit(X).components_, []


def kernel_pca(X: np.ndarray, threshold: float, n_components: int) -> tuple[Any, Any]:
    from sklearn.decomposition import KernelPCA

    model = KernelPCA(n_components, kernel="poly", degree=DEGREE, random_state=0)
    return model.fit(X).eigenvectors_.T, []


def literal(X: np.ndarray, threshold: float, n_components: int) -> tuple[Any, Any]:
    sys.path.insert(0, str(ROOT / "tests"))
    import families_by_hand
    import oracle

    run = oracle.gfr(X, families_by_hand.multilinear(DEGREE), threshold)
    return run.choices, run.residual_variance


METHODS = {
    "GFR": (f"gramian GFR, degree {DEGREE}", gfr),
    "oracle": (f"literal algorithm, degree {DEGREE}", literal),
    "PCA": ("scikit-learn PCA", pca),
    "KernelPCA": (f"scikit-learn KernelPCA, poly {DEGREE}", kernel_pca),
}


def measure(name: str, method: str, n_components: int, repeat: int) -> Result:
    """Run one job in this process."""
    label, fit = METHODS[method]
    X = load(name)
    small = np.random.default_rng(0).standard_normal((200, 5))
    fit(small, 0.01, 3)  # imports, and the threads of BLAS
    before = peak_megabytes()
    times = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few samples for the functions: known, and not the point
        for _ in range(repeat):
            start = time.perf_counter()
            components, residual_variance = fit(X, THRESHOLDS[name], n_components)
            times.append(time.perf_counter() - start)
    return Result(
        title(name),
        label,
        len(components),
        min(times),
        peak_megabytes() - before,
        components=np.asarray(components).tolist() if method in ("GFR", "oracle") else [],
        residual_variance=list(map(float, residual_variance)),
    )


def peak_megabytes() -> float:
    """Return the most memory this process has held."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 2**20


def gflops(n: int = 2000) -> float:
    """Return the rate of the bare matrix product in float64."""
    a = np.random.default_rng(0).standard_normal((n, n))
    best = np.inf
    for _ in range(5):
        start = time.perf_counter()
        a @ a
        best = min(best, time.perf_counter() - start)
    return 2 * n**3 / best / 1e9


def in_child(function: Any, *args: Any) -> Any:
    """Call a function in a fresh process, so that peaks of memory do not add up."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(function, args)


def agreement(ours: Result, theirs: Result) -> dict[str, float]:
    """Return how far two runs are apart; raise if they are not the same directions."""
    if ours.n_components != theirs.n_components:
        raise SystemExit(f"{ours.n_components} directions, but {theirs.n_components} by the oracle")
    directions = np.abs(np.subtract(ours.components, theirs.components)).max()
    variances = np.abs(np.subtract(ours.residual_variance, theirs.residual_variance)).max()
    if directions > 1e-6:
        raise SystemExit(f"directions differ from the oracle's by {directions:.1e}")
    return {"directions": float(directions), "residual_variance": float(variances)}


def machine() -> dict[str, Any]:
    """Describe what the times were measured on."""
    cpu = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        models = [line for line in info.read_text().splitlines() if line.startswith("model name")]
        cpu = models[0].split(":")[1].strip() if models else cpu
    packages = ("gramian", "numpy", "scipy", "scikit-learn")
    return {
        "cpu": cpu,
        "cores": os.cpu_count(),
        "threads": os.environ.get("OPENBLAS_NUM_THREADS", "default"),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        **{name: version(name) for name in packages},
        "matrix_product_gflops": round(in_child(gflops), 1),
    }


def markdown(results: list[Result], about: dict[str, Any], check: dict[str, float] | None) -> str:
    """Return the report as Markdown."""
    lines = [
        "| data, standardized | method | components | seconds | times GFR | peak MB |",
        "|---|---|--:|--:|--:|--:|",
    ]
    lines += [
        f"| {each.data} | {each.method} | {each.n_components} | {each.seconds:.3g} "
        f"| {each.ratio:.3g} | {each.megabytes:.0f} |"
        for each in results
    ]
    if check is not None:
        lines += [
            "",
            f"GFR and the literal algorithm: directions differ by at most "
            f"{check['directions']:.0e}, residual variances by {check['residual_variance']:.0e}.",
        ]
    lines += ["", ", ".join(f"{name.replace('_', ' ')}: {value}" for name, value in about.items())]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="gramian's own rows only")
    parser.add_argument("--threads", type=int, help="threads of the matrix products")
    parser.add_argument("--output", type=Path, help="also write this path with .md and .json")
    options = parser.parse_args()
    if options.threads:
        os.environ["OPENBLAS_NUM_THREADS"] = str(options.threads)

    results, check = [], None
    about = machine()
    for name in THRESHOLDS:
        ours = in_child(measure, name, "GFR", 0, 3)
        rows = [ours]
        if not options.quick:
            if name == "COIL-20":
                rows.append(in_child(measure, name, "oracle", 0, 1))
                check = agreement(ours, rows[-1])
            rows += [
                in_child(measure, name, method, ours.n_components, 3)
                for method in ("PCA", "KernelPCA")
            ]
        for row in rows:
            row.ratio = row.seconds / ours.seconds
        results += rows

    report = markdown(results, about, check)
    print(report)
    if options.output:
        rows = [asdict(each) for each in results]
        for row in rows:
            del row["components"], row["residual_variance"]
        options.output.with_suffix(".md").write_text(report + "\n")
        content = {"machine": about, "results": rows, "agreement_with_oracle": check}
        options.output.with_suffix(".json").write_text(json.dumps(content, indent=2) + "\n")


if __name__ == "__main__":
    main()
