"""Loss of orthogonality and of digits against the condition of the functions.

``python benchmarks/accuracy.py --data FOLDER`` writes docs/theory/accuracy.md and its pictures; the
folder holds coil20.npz. The reference is Gram-Schmidt, done twice, in extended precision.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from gramian.core.orthogonalize import QR, Gram, Orthogonalizer, _admission
from gramian.core.rows import ArrayRows, centre
from gramian.core.sums import Direction
from gramian.families import Family, Multilinear, Polynomial

DOCS = Path(__file__).parents[1] / "docs"
LONG = np.longdouble
METHODS = ("one pass, as published", "qr", "gram, one pass", "gram")
# Okabe and Ito's colours are distinct with any colour vision; the markers differ as well.
COLOURS = ("#D55E00", "#009E73", "#CC79A7", "#0072B2")
MARKERS = ("v", "s", "^", "o")
FLOOR = 1e-17
"""Height at which exact results are drawn."""


@dataclass(frozen=True)
class Case:
    """Columns that become variables one after the other, and the family of functions."""

    name: str
    x: np.ndarray
    family: Family
    n_steps: int


@dataclass(frozen=True)
class Result:
    """Loss of orthogonality of functions, and error of residual variances."""

    loss: float
    error: float
    n_functions: int


def evaluate(rows: ArrayRows, solver: Orthogonalizer, *, kept: bool) -> np.ndarray:
    """Return the values of all functions, or only of the kept ones, scaled to norm 1."""
    z, store, functions = [], [rows.root], [rows.root]
    for step in solver.steps:
        z.append(step.direction.of(rows.whole))
        values = step.block.evaluate(np.array(store), z)
        store += list(values[step.block.stored])
        functions += list(values[step.kept] if kept else values)
    found = np.array(functions)
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def run(
    make: Callable[..., Orthogonalizer], case: Case
) -> tuple[ArrayRows, Orthogonalizer, np.ndarray]:
    """Substitute all variables, and return rows, solver and residual variances."""
    rows, _ = centre(case.x, None, "column")
    solver = make(rows, case.family)
    left = np.einsum("ij,ij->j", rows.x, rows.x)
    for column in range(case.n_steps):
        added = solver.orthogonalize(solver.substitute(Direction(column, 1.0)))
        left = left - np.sum(added.extensions[0].coefficients ** 2, axis=0)
    return rows, solver, left


def in_extended_precision(functions: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Return the residual variances after Gram-Schmidt, done twice."""
    q = np.empty((len(functions), functions.shape[1]), dtype=LONG)
    n = 0
    for f in functions.astype(LONG):
        for _ in range(2):
            f = f - q[:n].T @ (q[:n] @ f)
        norm = np.sqrt(f @ f)
        if norm > 1e-8:
            q[n] = f / norm
            n += 1
    left = x.astype(LONG)
    for _ in range(2):
        left = left - q[:n].T @ (q[:n] @ left)
    return np.sum(left * left, axis=0).astype(float)


def one_pass(functions: np.ndarray, x: np.ndarray) -> tuple[float, np.ndarray, int]:
    """Orthogonalize by the paper's Algorithm 1, and drop residual norms below 1e-8."""
    q = np.empty((0, functions.shape[1]))
    for f in functions:
        f = f - q.T @ (q @ f)
        norm = np.linalg.norm(f)
        if norm > 1e-8:
            q = np.vstack([q, f / norm])
    left = np.einsum("ij,ij->j", x, x) - np.sum((q @ x) ** 2, axis=0)
    return float(np.abs(q @ q.T - np.eye(len(q))).max()), left, len(q)


def loss_of(solver: Orthogonalizer, functions: np.ndarray) -> float:
    """Return the largest error of E[f̂f̂ᵀ], with f̂ = L⁻¹f in extended precision."""
    if isinstance(solver, QR):
        q = solver._q.view.astype(LONG)
    else:
        lower = solver.factors[0]._triangle.dense().astype(LONG)
        q = functions[solver.factors[0]._order].astype(LONG)
        for i in range(len(q)):
            q[i] = (q[i] - lower[i, :i] @ q[:i]) / lower[i, i]
    return float(np.abs(q @ q.T - np.eye(len(q))).max())


def measure(case: Case) -> tuple[float, list[Result]]:
    """Return the condition number of the functions, and the result of each method."""
    rows, gram, left = run(Gram, case)
    every = evaluate(rows, gram, kept=False)
    condition = float(np.linalg.cond(every.T))
    truth = in_extended_precision(every, rows.x)
    loss, found, n = one_pass(every, rows.x)
    results = [Result(loss, float(np.abs(found - truth).max()), n)]
    with patch.multiple(_admission, MAX_PASSES=1, MAX_LOSS=np.inf):
        _, single, single_left = run(Gram, case)
    _, qr, qr_left = run(QR, case)
    for solver, found in ((qr, qr_left), (single, single_left), (gram, left)):
        values = evaluate(rows, solver, kept=True)
        error = float(np.abs(found - truth).max())
        results.append(Result(loss_of(solver, values), error, solver.n_functions))
    print(f"{case.name:30}", f"{condition:.0e}", results, flush=True)
    return condition, results


def cases(data: Path) -> dict[str, list[Case]]:
    """Return the families of cases, from well to badly conditioned."""
    rng = np.random.default_rng(0)
    n = 6000
    common, own, other = (
        rng.standard_normal((n, 1)),
        rng.standard_normal((n, 20)),
        rng.random((n, 2)),
    )
    laeuchli = [
        Case(f"gap {gap:.0e}", np.hstack([common + gap * own, other]), Multilinear(1), 20)
        for gap in np.geomspace(1, 1e-7, 8)
    ]
    u = rng.uniform(0, 1, (n, 1))
    curves = np.hstack([u, np.sin(5 * u), np.exp(u), np.abs(u - 0.3)])
    powers = [
        Case(f"degree {k}", curves, Polynomial(k, max_variables=1), 1) for k in range(2, 17, 2)
    ]
    t = rng.uniform(-1, 1, (n, 1))
    vandermonde = [
        Case(
            f"{k} columns",
            np.hstack([t ** np.arange(1, k + 1), np.exp(t), np.abs(t)]),
            Multilinear(1),
            k,
        )
        for k in range(3, 22, 3)
    ]
    pixels = np.load(data / "coil20.npz")["X"].astype(float)
    pixels -= pixels.mean(axis=0)
    scores = pixels @ np.linalg.svd(pixels, full_matrices=False)[2][:20].T
    coil = [Case(f"{m} directions", scores, Multilinear(4), m) for m in (4, 6, 8, 10, 11, 12, 13)]
    return {
        "Läuchli: one column, 20 times, with gaps": laeuchli,
        "Powers of a column in [0, 1]": powers,
        "Vandermonde: powers as columns": vandermonde,
        "COIL-20, degree 4, up to 1,092 of 1,440": coil,
    }


def draw(measured: dict[str, list[tuple[float, list[Result]]]], path: Path, *, dark: bool) -> None:
    """Draw the loss of orthogonality, and the error of residual variances below it."""
    text = "#ced6dd" if dark else "black"
    names = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
    style = {"font.size": 9, "axes.facecolor": "none", "svg.hashsalt": "gramian"}
    style |= {"axes.spines.top": False, "axes.spines.right": False}
    with mpl.rc_context({**style, **dict.fromkeys(names, text)}):
        figure = Figure(figsize=(13, 6), layout="constrained", facecolor="none")
        grid = figure.subplots(2, len(measured), sharex="col", sharey="row")
        for column, (name, points) in enumerate(measured.items()):
            conditions = [condition for condition, _ in points]
            for row, what in enumerate(("loss", "error")):
                axes = grid[row, column]
                for i, method in enumerate(METHODS):
                    y = [max(getattr(results[i], what), FLOOR) for _, results in points]
                    axes.loglog(
                        conditions, y, MARKERS[i] + "-", color=COLOURS[i], ms=5, label=method
                    )
                axes.grid(alpha=0.2)
            grid[0, column].set_title(name, fontsize=9, loc="left")
            grid[1, column].set_xlabel("condition of the functions")
        grid[0, 0].set_ylabel("loss of orthogonality")
        grid[1, 0].set_ylabel("error of a residual variance")
        grid[0, 0].legend(frameon=False)
        figure.savefig(path, metadata={"Date": None})


PAGE = """\
<!-- Made by python benchmarks/accuracy.py; edit that. -->

# Accuracy

This page measures the loss of orthogonality of the functions of a fit, and the error of the
reported residual variances. The reference is Gram-Schmidt, done twice, in extended precision (a
mantissa of 64 bits), on tables with nearly dependent functions:

- *Läuchli*: twenty copies of one column, each with an independent error; the errors shrink to 10⁻⁷.
- *Powers* of a column with values from 0 to 1, up to the sixteenth.
- *Vandermonde*: powers of a column with values from -1 to 1, as columns.
- *COIL-20*: products of up to four principal directions of images, up to 1,092 functions of 1,440
  rows, close to saturation.

The methods are *one pass* of Gram-Schmidt as published, `qr`, `gram` with only one pass, and the
full `gram`, with [more passes](numerics.md) if one is not enough. The variances of columns are 1.

![Loss of orthogonality, and errors, against condition]({images}/accuracy.svg){{.only-light}}
![The same picture for dark pages.]({images}/accuracy_dark.svg){{.only-dark}}

{table}

- **One pass as published** loses orthogonality with the square of the condition number, and
  residual variances become wrong.
- **`qr`** is always orthonormal up to rounding.
- **`gram` with one pass** also loses orthogonality with the square of the condition number, and
  then drops functions that are not redundant: it cannot resolve less than 3·10⁻⁴ of a norm.
- **`gram`** keeps the functions that `qr` keeps. Its loss grows with the condition number, since it
  keeps no columns: $\\hat f = L^{{-1}}f$ is evaluated again each time. Residual variances stay
  accurate.
"""


def table(measured: dict[str, list[tuple[float, list[Result]]]]) -> str:
    """Return the hardest case of each family as a table in Markdown."""
    lines = [
        "| hardest case | condition | | functions | loss | error |",
        "|---|---|---|---|---|---|",
    ]
    for name, points in measured.items():
        condition, results = points[-1]
        for i, (method, result) in enumerate(zip(METHODS, results, strict=True)):
            first = f"{name} | {condition:.0e}" if i == 0 else " | "
            numbers = f"{result.n_functions:,} | {result.loss:.0e} | {result.error:.0e}"
            lines.append(f"| {first} | {method} | {numbers} |")
    return "\n".join(lines)


def main() -> None:
    """Measure all cases, draw the pictures and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="where coil20.npz is")
    parser.add_argument("--output", type=Path, default=DOCS, help="the folder of the documentation")
    arguments = parser.parse_args()
    measured = {
        name: [measure(case) for case in some] for name, some in cases(arguments.data).items()
    }
    images = arguments.output / "images"
    images.mkdir(parents=True, exist_ok=True)
    draw(measured, images / "accuracy.svg", dark=False)
    draw(measured, images / "accuracy_dark.svg", dark=True)
    page = arguments.output / "theory" / "accuracy.md"
    page.parent.mkdir(exist_ok=True)
    page.write_text(PAGE.format(images="../images", table=table(measured)), encoding="utf-8")


if __name__ == "__main__":
    main()
