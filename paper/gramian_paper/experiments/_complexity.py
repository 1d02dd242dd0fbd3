"""Growth of the time of a fit with rows, functions and columns."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np
from threadpoolctl import threadpool_limits

from gramian import GCA, GFA, GFR, GFS
from gramian.families import Multilinear
from gramian_paper._types import Array
from gramian_paper.experiments._blocks import Block, Entry, Picture, Table
from gramian_paper.experiments._data import expected_overfitting
from gramian_paper.experiments._experiment import Experiment, Params, Results, Size, Task, Values
from gramian_paper.experiments._page import COLOURS, MARKERS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME = "complexity"
ALGORITHMS = {"GFR": GFR, "GCA": GCA, "GFS": GFS, "GFA": GFA}
SIZES: dict[Size, dict[str, list[int]]] = {
    "quick": {"rows": [500, 1000, 2000], "functions": [5, 10, 20], "columns": [20, 40, 80]},
    "full": {
        "rows": [2000, 4000, 8000, 16_000, 32_000],
        "functions": [10, 20, 40, 60, 80],
        "columns": [100, 200, 400, 800, 1600],
    },
}
"""Varied sizes; functions are varied by the number of directions or features."""
BASE: dict[Size, dict[str, int]] = {
    "quick": {"rows": 1000, "functions": 10, "columns": 20},
    "full": {"rows": 4000, "functions": 20, "columns": 100},
}
BOUNDS = {
    ("GFR", "rows"): "1",
    ("GFR", "functions"): "2",
    ("GFR", "columns"): "3",
    ("GFS", "rows"): "1",
    ("GFS", "functions"): "2",
    ("GFS", "columns"): "2",
}
"""The highest power in the paper's bounds; GCA's is GFR's, GFA's is GFS's."""
VARIED = {"rows": "rows, N", "functions": "functions, F", "columns": "columns, d"}

PROTOCOL = """
The data are independent standard normal columns, without redundancy. The family is multilinear
polynomials of degree 2; the solver is `"qr"`, which is Algorithm 1 of the paper in blocks and with
a second pass. One of rows N, functions F (m(m+1)/2 for m directions or features) and columns d is
varied; the others are 4,000 rows, 210 functions and 100 columns (1,000, 55 and 20 in a quick run).
Times are the best of five fits with one thread, on a machine with other work, so that exponents are
noisy. The exponent is the slope of log time against the log of the size, by least squares over the
three largest sizes.

The paper's bounds are O(F²N + F(N d + d²) + d²(N + d)) for extraction and O(F²N + F(N d + d) + d(N
+ d)) for selection, with a constant cost of each function. The powers below are the highest power
of each size in the bound. There are no published numbers."""


def cells(size: Size) -> list[Params]:
    """Return a cell for every algorithm and varied size."""
    return [
        {"algorithm": algorithm, "varied": varied, "sizes": sizes, "base": BASE[size]}
        for algorithm in ALGORITHMS
        for varied, sizes in SIZES[size].items()
    ]


def run(task: Task) -> Values:
    """Return the sizes and the times."""
    varied = task.params["varied"]
    sizes, seconds = [], []
    for value in task.params["sizes"]:
        numbers = {**task.params["base"], varied: value}
        X = task.rng(value).standard_normal((numbers["rows"], numbers["columns"]))
        seconds.append(best_time(task.params["algorithm"], numbers["functions"], X))
        sizes.append(Multilinear(2).count(value) if varied == "functions" else value)
    return {"sizes": sizes, "seconds": seconds}


def best_time(algorithm: str, count: int, X: Array) -> float:
    """Return the seconds of the fastest of five fits, in one thread."""
    times = []
    with threadpool_limits(1), expected_overfitting():
        for _ in range(5):
            estimator = ALGORITHMS[algorithm](count, degree=2, solver="qr")
            start = time.perf_counter()
            estimator.fit(X)
            times.append(time.perf_counter() - start)
    return min(times)


def exponent(values: Values) -> float:
    """Return the slope of log time against log size over the three largest sizes.

    Examples
    --------
    >>> round(exponent({"sizes": [1, 10, 20, 40], "seconds": [9.0, 1.0, 4.0, 16.0]}), 6)
    2.0
    """
    return float(np.polyfit(np.log(values["sizes"][-3:]), np.log(values["seconds"][-3:]), 1)[0])


def page(results: Results) -> list[Block]:
    """Return the exponents, the times and a figure."""
    rows: dict[str, list[Entry | None]] = {}
    for algorithm in ALGORITHMS:
        found = [results.get(algorithm=algorithm, varied=varied) for varied in VARIED]
        rows[algorithm] = [Entry(exponent(values)) if values else None for values in found]
    for kind, algorithm in (("extraction", "GFR"), ("selection", "GFS")):
        powers = [Entry(float(BOUNDS[algorithm, varied])) for varied in VARIED]
        rows[f"power in the bound of {kind}"] = [*powers]
    blocks: list[Block] = [
        Table("Measured exponents", "", list(VARIED.values()), rows, digits=2),
        Picture(
            "times",
            "Seconds of a fit against rows, functions and columns, on logarithmic scales.",
            lambda figure: draw(figure, results),
            (9.0, 3.2),
        ),
    ]
    for varied, title in VARIED.items():
        times = {
            algorithm: values
            for algorithm in ALGORITHMS
            if (values := results.get(algorithm=algorithm, varied=varied)) is not None
        }
        if times:
            sizes = next(iter(times.values()))["sizes"]
            blocks.append(
                Table(
                    f"Milliseconds of a fit by the number of {title}",
                    "",
                    [str(size) for size in sizes],
                    {
                        algorithm: [Entry(1000 * seconds) for seconds in values["seconds"]]
                        for algorithm, values in times.items()
                    },
                    digits=1,
                )
            )
    return blocks


def draw(figure: Figure, results: Results) -> None:
    """Draw times against sizes."""
    from matplotlib.ticker import LogLocator, NullFormatter

    panels = figure.subplots(1, 3, sharey=True)
    for ax, (varied, title) in zip(panels, VARIED.items(), strict=True):
        for i, algorithm in enumerate(ALGORITHMS):
            values = results.get(algorithm=algorithm, varied=varied)
            if values is not None:
                style = {"color": COLOURS[i], "marker": MARKERS[i], "ms": 4}
                ax.plot(values["sizes"], values["seconds"], label=algorithm, **style)
        ax.set(xscale="log", yscale="log", xlabel=title)
        ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        ax.xaxis.set_major_formatter("{x:g}")
        ax.xaxis.set_minor_formatter(NullFormatter())
        ax.grid(color="0.92", lw=0.6)
    panels[0].set_ylabel("seconds")
    panels[0].legend(loc="best")


EXPERIMENT = Experiment(
    name=NAME,
    title="Growth of the time of a fit",
    source="the complexity bounds of the appendix",
    protocol=PROTOCOL,
    cells=cells,
    run=run,
    page=page,
    version=2,
)
