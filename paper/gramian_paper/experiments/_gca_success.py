"""Success rates of GCA: how often it keeps exactly the components that are not redundant."""

from __future__ import annotations

import numpy as np

from gramian import GCA
from gramian.datasets import Truth
from gramian_paper._types import Array, IntArray
from gramian_paper.experiments._blocks import Block, Entry, Picture, Table
from gramian_paper.experiments._experiment import Experiment, Params, Results, Size, Task, Values
from gramian_paper.experiments._planted_success import (
    EASIER,
    OPTIONS,
    PROTOCOL,
    cost,
    count_successes,
    draw_rates,
    paper_tables,
    premise_blocks,
    success_rate,
    table_cells,
)

NAME = "gca-success"
SAMPLE_SIZES = (1000, 10_000, 100_000)
"""Numbers of rows for the principal directions of the sample."""

REASONS = {
    "easier": EASIER,
    "saturated": "the functions of all independent components except one, and the constant, are "
    "as many as the rows. They explain everything, and GCA stops before it reaches the last "
    "independent component. A loss of orthogonality would explain the paper's success there, but "
    "this was not tested.",
    "overfitted": "there are hardly more rows than functions. In the sample, f functions leave "
    "the share 1 - f / N of an independent component, which is less than the threshold for the "
    "last independent component.",
}


def cells(size: Size) -> list[Params]:
    """Return the cells of the paper's tables, and those with directions of the sample."""
    listed = table_cells(NAME, "GCA", size)
    if size == "full":
        both = {"part": "sample", "shape": "30,15,2", "repeats": 20, **OPTIONS[1]}
        listed += [{**both, "rows": rows} for rows in SAMPLE_SIZES]
    return listed


def keep(X: Array, truth: Truth) -> IntArray:
    """Return the components along the true directions that GCA keeps.

    Examples
    --------
    >>> from gramian.datasets import make_planted_redundancy
    >>> X, truth = make_planted_redundancy(500, rotate=True, random_state=0)
    >>> sorted(keep(X, truth).tolist()) == truth.informative.tolist()
    True
    """
    assert truth.rotation is not None
    gca = GCA(
        threshold=truth.threshold,
        degree=truth.degree,
        basis=truth.rotation,
        backward=False,
        alpha=0,
    ).fit(X)
    return gca.component_indices_


def keep_of_sample(X: Array, truth: Truth) -> IntArray:
    """Return the true components closest to the principal directions that GCA keeps."""
    gca = GCA(threshold=truth.threshold, degree=truth.degree, backward=False, alpha=0).fit(X)
    closest: IntArray = np.abs(truth.columns(gca.components_)).argmax(axis=1)
    return closest


def run(task: Task) -> Values:
    """Count successes."""
    find = keep_of_sample if task.params["part"] == "sample" else keep
    return {**count_successes(task, find, rotate=True)}


def page(results: Results) -> list[Block]:
    """Return the paper's tables, a figure, and results beyond the paper."""
    return [
        Picture(
            "rates",
            "Success rates of GCA by the number of rows: ours (lines) and the paper's (marks). "
            "The vertical line marks the number of functions of all independent components, for "
            "the row of the table of the same colour.",
            lambda figure: draw_rates(figure, results, NAME, "GCA"),
            (8.0, 3.2),
        ),
        *paper_tables(results, NAME, "GCA", "components"),
        "### Beyond the paper",
        *premise_blocks(results, NAME, "GCA"),
        *sample_blocks(results),
    ]


def sample_blocks(results: Results) -> list[Block]:
    """Return the rates with directions of the sample."""
    found = [results.get(part="sample", rows=rows) for rows in SAMPLE_SIZES]
    if not any(found):
        return []
    return [
        "All results above are with the true directions. The principal directions of a sample are "
        "mixtures of directions with similar variances, and the formula does not hold for a "
        "mixture: with a threshold of 1e-4 no component is redundant. GCA with its default basis "
        "needs a larger threshold, and components whose variances differ.",
        Table(
            "Corollary 1, (30, 15, 2), with the principal directions of the sample. Success "
            "rate, %, by the number of rows",
            "",
            [str(rows) for rows in SAMPLE_SIZES],
            {"(30, 15, 2)": [Entry(success_rate(values)) for values in found]},
        ),
    ]


EXPERIMENT = Experiment(
    name=NAME,
    title="GCA: success rates on planted redundancies",
    source="the three tables of GCA's success rates",
    protocol="The components are coordinates along random orthonormal directions, which are given "
    "to GCA, as in the authors' scripts.\n" + PROTOCOL.format(parts="components", algorithm="GCA"),
    cells=cells,
    run=run,
    page=page,
    reasons=REASONS,
    cost=cost,
)
