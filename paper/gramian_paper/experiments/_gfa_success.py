"""Success rates of GFA: how often it keeps exactly the features that are not redundant."""

from __future__ import annotations

from typing import Any

import numpy as np

from gramian import GFA, GFS
from gramian.datasets import Truth
from gramian_paper._types import Array, IntArray
from gramian_paper.experiments._blocks import Block, Entry, Picture, Table
from gramian_paper.experiments._data import expected_overfitting
from gramian_paper.experiments._experiment import Experiment, Params, Results, Size, Task, Values
from gramian_paper.experiments._planted_success import (
    EASIER,
    OPTIONS,
    PROTOCOL,
    cost,
    count_successes,
    draw_data,
    draw_rates,
    functions,
    paper_tables,
    premise_blocks,
    row_name,
    success_rate,
    table_cells,
)

NAME = "gfa-success"
FEWER_REPEATS = 40
"""Number of draws for results beyond the paper."""
RATIOS = (1e-3, 1e-2, 0.1, 0.85)
SIZES = (300, 500, 600, 800, 1000, 2000)
"""Numbers of rows for results beyond the paper."""
SCRIPTED = (
    (1, "30,15,2"),
    (1, "30,15,3"),
    (2, "30,15,2"),
    (2, "30,15,3"),
    (3, "30,15,4"),
    (3, "30,15,5"),
)
"""Cases that are also run by the protocol of the authors' scripts."""

REASONS = {
    "easier": EASIER,
    "saturated": "the functions of all independent features except one, and the constant, are as "
    "many as the rows. They explain everything, and GFA stops before it reaches the last "
    "independent feature. The authors' scripts always take n features, although only rounding "
    "errors are left of the last ones.",
    "overfitted": "there are hardly more rows than functions. In the sample, f functions leave "
    "the share 1 - f / N of an independent feature, which is less than the threshold for the "
    "last independent feature (measured below). The authors' scripts always take n features.",
}


def keep(X: Array, truth: Truth) -> IntArray:
    """Return the features that GFA keeps.

    Examples
    --------
    >>> from gramian.datasets import make_planted_redundancy
    >>> X, truth = make_planted_redundancy(500, random_state=0)
    >>> sorted(keep(X, truth).tolist()) == truth.informative.tolist()
    True
    """
    gfa = GFA(threshold=truth.threshold, degree=truth.degree, backward=False, alpha=0).fit(X)
    return gfa.selected_features_


def keep_as_scripts(X: Array, truth: Truth) -> IntArray:
    """Return n features by largest residual variance, as GFS without threshold."""
    return (
        GFS(len(truth.informative), degree=truth.degree, alpha=0, criterion="variance")
        .fit(X)
        .selected_features_
    )


def share_left(X: Array, degree: int) -> float:
    """Return the residual share of the last feature after functions of all others.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        Independent features.
    degree : int
        The degree of the multilinear polynomials.

    Returns
    -------
    share : float
        The share.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian_paper.experiments._gfa_success import share_left
    >>> X = np.random.default_rng(0).standard_normal((400, 15))
    >>> round(share_left(X, 2), 2), 1 - 106 / 400      # 105 functions and the constant
    (0.7, 0.735)
    """
    # The last feature has variance 1, and the others more, so that GFA reaches it last.
    ordered = X / X.std(axis=0) * np.arange(X.shape[1], 0, -1)
    with expected_overfitting():
        gfa = GFA(X.shape[1] - 1, threshold=None, degree=degree, backward=False, alpha=0).fit(
            ordered
        )
    return float(gfa.residual_variance_[-1])


def cells(size: Size) -> list[Params]:
    """Return the cells of the paper's tables, and those beyond them."""
    listed = table_cells(NAME, "GFA", size)
    if size == "quick":
        return listed
    many = {"repeats": FEWER_REPEATS}
    listed += [{"part": "left", "shape": "30,15,3", "rows": rows, **many} for rows in SIZES[1:]]
    listed += [
        {"part": "degree 2", "shape": "50,25,4", "rows": rows, **many, **OPTIONS[3]}
        for rows in SIZES
    ]
    listed += [
        {"part": "ratio", "shape": "30,15,4", "rows": rows, "ratio": ratio, **many}
        for ratio in RATIOS
        for rows in SIZES[2:]
    ]
    listed += [
        {"part": "scripts", "shape": shape, "rows": rows, "ratio": 0.85, **many}
        | ({"noise": 0.1} if corollary == 2 else {"noise": 0.0})
        for corollary, shape in SCRIPTED
        for rows in SIZES
    ]
    return listed


def run(task: Task) -> Values:
    """Compute a cell."""
    part = task.params["part"]
    if part == "left":
        return run_left(task)
    if part == "degree 2":
        return count_successes(task, keep, family_degree=2)
    if part == "scripts":
        options: dict[str, Any] = {"variances": "integers", "distinct": False}
        return count_successes(task, keep_as_scripts, premises=False, **options)
    return count_successes(task, keep, premises=part == "text")


def run_left(task: Task) -> Values:
    """Measure the residual share of the last independent feature."""
    shares = []
    for number in range(task.params["repeats"]):
        X, truth = draw_data(task, number)
        shares.append(share_left(X[:, truth.informative], truth.degree))
    return {"mean": np.mean(shares), "deviation": np.std(shares)}


def page(results: Results) -> list[Block]:
    """Return the paper's tables, a figure, and results beyond the paper."""
    return [
        Picture(
            "rates",
            "Success rates of GFA by the number of rows: ours (lines) and the paper's (marks). A "
            "vertical line marks the number of functions of all independent features, for the "
            "case of the same colour.",
            lambda figure: draw_rates(figure, results, NAME, "GFA"),
            (9.0, 3.4),
        ),
        *paper_tables(results, NAME, "GFA", "features"),
        "### Reason for failures",
        *left_blocks(results),
        *premise_blocks(results, NAME, "GFA"),
        *beyond_blocks(results),
    ]


def left_blocks(results: Results) -> list[Block]:
    """Return a table of the residual share of the last independent feature."""
    sizes = SIZES[1:]
    found = [results.get(part="left", rows=rows) for rows in sizes]
    if not any(found):
        return []
    f = functions("30,15,3", 14)
    lines: dict[str, list[Entry | None]] = {
        "measured, mean": [Entry(100 * each["mean"]) if each else None for each in found],
        "standard deviation": [Entry(100 * each["deviation"]) if each else None for each in found],
        "1 - f / N": [Entry(100 * (1 - f / rows)) for rows in sizes],
    }
    return [
        f"14 of 15 independent features have f = {f} functions of degree 3, including the "
        "constant. In a sample of N rows these functions leave the share 1 - f / N of the "
        "variance of the last feature, by chance. The last feature is kept if this share is "
        "above ε.",
        Table(
            "Residual share of the variance of the last independent feature, %, by the number of "
            "rows",
            "",
            [str(rows) for rows in sizes],
            lines,
            digits=1,
        ),
    ]


def beyond_blocks(results: Results) -> list[Block]:
    """Return success rates beyond the paper's tables."""
    if results.size == "quick":
        return []

    def line(sizes: tuple[int, ...], **params: Any) -> list[Entry | None]:
        return [Entry(success_rate(results.get(rows=rows, **params), "all")) for rows in sizes]

    scripts = {
        f"Corollary {corollary}, {row_name(shape)}": line(
            SIZES, part="scripts", shape=shape, noise=0.1 if corollary == 2 else 0.0
        )
        for corollary, shape in SCRIPTED
    }
    columns = [str(rows) for rows in SIZES]
    return [
        f"### Beyond the paper ({FEWER_REPEATS} draws for each number)",
        "(50, 25, 4) has 2,625 functions of degree 3, more than rows. It has 325 functions of "
        "degree 2, which explain as little of the products: nothing. With degree 2 GFA succeeds:",
        Table(
            "Corollary 3, functions of degree 2: success rate, %, by the number of rows",
            "",
            columns,
            {"(50, 25, 4)": line(SIZES, part="degree 2")},
            digits=1,
        ),
        "In Corollary 3 the threshold is about the largest variance of a redundant feature, and "
        "an independent feature with less variance is treated as redundant. So the variance of "
        "the redundant features matters, for which the paper gives only an upper bound. The "
        "table counts all draws:",
        Table(
            "Corollary 3, (30, 15, 4), by the variance of redundant features as a multiple of that "
            "of their least variant factor: success rate, %, by the number of rows",
            "multiple",
            columns[2:],
            {f"{ratio:g}": line(SIZES[2:], part="ratio", ratio=ratio) for ratio in RATIOS},
            digits=1,
        ),
        "The authors' scripts differ from the text: the variances are n, ..., 2, 1, there are "
        "always n steps, and each step takes the feature with the largest residual variance, so "
        "that the threshold hardly matters. The table follows the scripts, by GFS with n "
        "features and the multiple 0.85:",
        Table(
            "By the protocol of the authors' scripts: success rate, %, by the number of rows",
            "",
            columns,
            scripts,
            digits=1,
        ),
    ]


EXPERIMENT = Experiment(
    name=NAME,
    title="GFA: success rates on planted redundancies",
    source="the three tables of GFA's success rates",
    protocol="Data sets of d features, in random order. "
    + PROTOCOL.format(parts="features", algorithm="GFA").strip(),
    cells=cells,
    run=run,
    page=page,
    reasons=REASONS,
    cost=cost,
)
