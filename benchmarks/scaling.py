"""Growth of the time of a fit with rows, functions, columns and threads."""

from __future__ import annotations

import sys
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from jobs import best, in_child
from scipy.optimize import nnls

SOLVERS = ("gram", "moments")
DEGREES = (2, 3)
ROWS, COLUMNS = 20_000, 100
DIRECTIONS = {2: 40, 3: 18}
SWEEPS: dict[str, dict[int, list[int]]] = {
    "rows": {degree: [5_000, 10_000, 20_000, 40_000, 80_000] for degree in DEGREES},
    "functions": {2: [20, 30, 45, 60, 80], 3: [10, 14, 18, 24, 30]},  # directions, as given
    "columns": {degree: [50, 100, 200, 400, 800, 1600] for degree in DEGREES},
}
NAMES = {"rows": "N", "functions": "|F|", "columns": "d"}
TICKS = {"rows": [5000, 20_000, 80_000], "functions": [200, 1000, 5000]}
TICKS["columns"] = [50, 200, 800]
COLOURS = {("gram", 2): "#0072B2", ("gram", 3): "#D55E00"}
COLOURS |= {("moments", 2): "#56B4E9", ("moments", 3): "#E69F00"}
MARKERS = {("gram", 2): "o", ("gram", 3): "s", ("moments", 2): "^", ("moments", 3): "D"}
TERMS = {
    "products": "Gram products, N·|F|²/2",
    "with X": "E[fX], N·|F|·d",
    "evaluation": "passes over values, N·|F|·m",
    "factor": "Cholesky, |F|³/6",
    "covariance": "covariance of X, N·d²/2",
    "eigenvector": "eigenvectors, m·d²",
}


@dataclass(frozen=True)
class Point:
    """One fit."""

    sweep: str
    solver: str
    degree: int
    threads: int
    rows: int
    columns: int
    directions: int
    functions: int
    seconds: float

    @property
    def x(self) -> int:
        """Value of the quantity that the sweep varies."""
        return int(getattr(self, self.sweep))

    def terms(self) -> np.ndarray:
        """Return the multiplications of each of `TERMS`."""
        n, f, d, m = float(self.rows), float(self.functions), self.columns, self.directions
        return np.array(
            [n * f * f / 2, n * f * d, n * f * m, f**3 / 6, n * d * d / 2, float(m) * d * d]
        )


def curve(sweep: str, solver: str, degree: int, threads: int, values: list[int]) -> list[Point]:
    """Fit once for every value, in this process."""
    from gramian import GFR

    points = []
    for value in values:
        rows = value if sweep == "rows" else ROWS
        columns = value if sweep == "columns" else COLUMNS
        directions = value if sweep == "functions" else DIRECTIONS[degree]
        directions = min(directions, columns)
        X = np.random.default_rng(0).standard_normal((rows, columns))
        X *= np.linspace(2, 1, columns)  # a clear order of directions
        model = GFR(directions, degree=degree, solver=solver, alpha=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # few samples for the functions: not the point here
            if not points:
                model.fit(X[:2000])
            seconds, _, fitted = best(lambda model=model, X=X: model.fit(X))
        functions = 1 + int(fitted.n_functions_.sum())
        points.append(
            Point(sweep, solver, degree, threads, rows, columns, directions, functions, seconds)
        )
    return points


def measure_all(threads: int, sweeps: dict[str, dict[int, list[int]]] = SWEEPS) -> list[Point]:
    """Measure every curve with all threads, and the largest fits with one."""
    points: list[Point] = []
    for sweep, by_degree in sweeps.items():
        for degree, values in by_degree.items():
            for solver in SOLVERS:
                start = time.perf_counter()
                points += in_child(curve, sweep, solver, degree, threads, values, threads=threads)
                if sweep == "functions" and threads > 1:
                    points += in_child(curve, sweep, solver, degree, 1, values[-2:], threads=1)
                took = time.perf_counter() - start
                print(f"  {sweep}, {solver}, degree {degree}: {took:.0f} s", file=sys.stderr)
    return points


def exponent(x: list[float], y: list[float]) -> float:
    """Return b of the least-squares line log y = a + b log x, over the upper half of the points."""
    n = max(2, len(x) // 2 + 1)
    return float(np.polyfit(np.log(x[-n:]), np.log(y[-n:]), 1)[0])


def summarize(points: list[Point], threads: int, bare: float) -> dict[str, Any]:
    """Return exponents, gains of threads, and a cost model for each solver and degree.

    `bare` is the time of a multiplication in a bare matrix product, in seconds.
    """
    result: dict[str, Any] = {"points": [vars(point) for point in points], "threads": threads}
    result["bare"] = bare
    exponents, gains, models = {}, {}, {}
    for solver in SOLVERS:
        for degree in sorted({point.degree for point in points if point.solver == solver}):
            mine = [p for p in points if (p.solver, p.degree) == (solver, degree)]
            many = [p for p in mine if p.threads == threads]
            key = f"{solver} {degree}"
            exponents[key] = {}
            for sweep in dict.fromkeys(p.sweep for p in many):
                line = sorted((p for p in many if p.sweep == sweep), key=lambda p: p.x)
                x, y = [float(p.x) for p in line], [p.seconds for p in line]
                exponents[key][sweep] = exponent(x, y)
            models[key] = cost_model(many, bare)
            for one in (p for p in mine if p.threads == 1 and threads > 1):
                for two in (p for p in many if p.sweep == one.sweep and p.x == one.x):
                    gains[f"{key} {one.functions}"] = one.seconds / two.seconds
    return {**result, "exponents": exponents, "gains": gains, "models": models}


def cost_model(points: list[Point], bare: float) -> dict[str, Any]:
    """Fit seconds = Σ coefficient · term to relative errors.

    No coefficient is negative, and no matrix product is faster than the bare product. The Gram
    products of shared moments have no such bound, since they need fewer sums than the Gram matrix
    has entries.
    """
    least = dict.fromkeys(TERMS, 0.0)
    least |= {"with X": bare, "factor": bare, "covariance": bare}
    least["products"] = bare if points[0].solver == "gram" else 0.0
    bounds = np.array(list(least.values()))
    seconds = np.array([point.seconds for point in points])
    terms = np.array([point.terms() for point in points])
    relative = terms / seconds[:, np.newaxis]
    excess, _ = nnls(relative, np.ones(len(points)) - relative @ bounds)
    coefficients = bounds + excess
    errors = np.abs(terms @ coefficients / seconds - 1)
    shares = {}
    for sweep in dict.fromkeys(p.sweep for p in points):
        largest = max((p for p in points if p.sweep == sweep), key=lambda p: p.x)
        parts = largest.terms() * coefficients
        shares[sweep] = dict(zip(TERMS, (parts / parts.sum()).tolist(), strict=True))
    return {
        "nanoseconds": dict(zip(TERMS, (1e9 * coefficients).tolist(), strict=True)),
        "median_error": float(np.median(errors)),
        "shares": shares,
    }


def draw(points: list[Point], path: Path, threads: int) -> None:
    """Plot seconds against each of N, |F| and d."""
    import matplotlib as mpl
    from matplotlib.figure import Figure
    from matplotlib.ticker import NullFormatter

    style = {"font.size": 9, "axes.spines.top": False, "axes.spines.right": False}
    with mpl.rc_context({**style, "svg.hashsalt": "gramian"}):
        figure = Figure(figsize=(9, 3.2), layout="constrained")
        for axes, sweep in zip(figure.subplots(1, 3, sharey=True), NAMES, strict=True):
            for (solver, degree), colour in COLOURS.items():
                line = [
                    p
                    for p in points
                    if (p.sweep, p.solver, p.degree, p.threads) == (sweep, solver, degree, threads)
                ]
                axes.plot(
                    [p.x for p in line],
                    [p.seconds for p in line],
                    MARKERS[solver, degree] + ("-" if solver == "gram" else "--"),
                    color=colour,
                    ms=5,
                    label=f"{solver}, degree {degree}",
                )
            axes.set(xscale="log", yscale="log", xlabel=f"{sweep}, {NAMES[sweep]}")
            axes.set_xticks(TICKS[sweep], [f"{tick:,}" for tick in TICKS[sweep]])
            axes.xaxis.set_minor_formatter(NullFormatter())
            axes.yaxis.set_major_formatter("{x:g}")
            axes.grid(alpha=0.3, which="major")
        figure.axes[0].set_ylabel("seconds of a fit")
        figure.legend(
            *figure.axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=4
        )
        figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
