"""Number of features that GFS selects until a threshold is reached."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.model_selection import train_test_split

from gramian import GFS
from gramian.families import Multilinear
from gramian_paper._types import Array
from gramian_paper.experiments._blocks import Block, Entry, Picture, Table
from gramian_paper.experiments._data import TITLES, expected_overfitting, load
from gramian_paper.experiments._experiment import Experiment, Params, Results, Size, Task, Values
from gramian_paper.experiments._held_out import shares_left
from gramian_paper.experiments._page import COLOURS, MARKERS
from gramian_paper.experiments._published import published
from gramian_paper.experiments._scripted_gfs import residual_path

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME = "gfs-counts"
LABEL = "table:number-of-selected-features-benchmark-datasets"
DEGREES = (1, 2, 3, 4)
SCRIPTED_DEGREES = (1, 2, 3)
"""Degrees for which the authors' scripts take minutes on COIL-20."""
SCALINGS = {
    "usps": "unit",
    "coil20": "unit",
    # The paper's thresholds of 0.1 and 0.4 exceed most variances that columns in [0, 1] can have.
    "credit": "standardized",
}
"""The data sets of the paper's tables of GFS, and how they are scaled there."""
TICKS = {"usps": (0.03, 0.05, 0.1, 0.2), "coil20": (0.01, 0.02, 0.05, 0.1)}
HELD_OUT = 0.2
"""Share of the rows that are held out of the second fit."""

PROTOCOL = """
GFS with multilinear polynomials of degree up to 1, 2, 3 or 4, fitted once to the lowest threshold;
the count for a threshold ε² is the number of features whose residual variance was above it when
they were selected. USPS (7,291 digits) and COIL-20 have values in [0, 1] and are not standardized.
Credit Approval (categories as codes, gaps filled) is standardized, because columns in [0, 1] cannot
have the variance 0.4 of the paper's threshold. Of three scalings tried (also [0, 1], and none) the
standardized one has counts close to the paper's. **Noise:** 1, since the paper sometimes counts the
feature that meets the threshold and sometimes does not. Fewer features for the same residual
variance are better.
"""

REASONS = {
    "misprint": "the paper's count at this threshold does not fit between its counts at the next "
    "thresholds, which all equal ours or ours minus one. These are residual variances of plain "
    "linear regressions, so that only a misprint explains the count.",
    "order": "all features of standardized data have the same variance, so that rounding errors "
    "choose the first one, and the other features depend on it. The paper also does not state "
    "how it coded the categories and filled the gaps.",
    "quick": "not part of a quick run.",
}


def count_selected(
    X: Array, degree: int, thresholds: Sequence[float], held_out: Array | None = None
) -> Values:
    """Count the features that GFS selects until each threshold, by one fit to the lowest.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        The data.
    degree : int
        The degree of the multilinear polynomials.
    thresholds : sequence of float
        Residual variances.
    held_out : array of shape (n_held_out, n_features), optional
        Other rows.

    Returns
    -------
    values : dict
        The counts, the selected features, the largest residual variance before each step and after
        the last, the number of functions at the end, and why the fit ended; with `held_out` the
        share of the variance that is left of the rows and of those, at every count, or None where
        there are more functions than rows.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian_paper.experiments._gfs_counts import count_selected
    >>> a, b = np.random.default_rng(0).standard_normal((2, 1000))
    >>> X = np.column_stack([3 * a, 2 * b, a * b])
    >>> count_selected(X, 1, [0.1, 3])["counts"], count_selected(X, 2, [0.1, 3])["counts"]
    ([3, 2], [2, 2])
    """
    with expected_overfitting():
        gfs = GFS(threshold=min(thresholds), degree=degree, alpha=0, criterion="variance").fit(
            X, validation_data=held_out
        )
    counts = [int(np.sum(gfs.residual_variance_ > t)) for t in thresholds]
    shares: dict[str, Any] = {}
    if held_out is not None:
        pairs = list(zip(*shares_left(gfs), strict=True))
        fits = [Multilinear(degree).count(count) < len(X) for count in counts]
        shares["shares"] = [
            pairs[count] if fit else None for count, fit in zip(counts, fits, strict=True)
        ]
    return shares | {
        "counts": counts,
        "selected": gfs.selected_features_,
        "residual_variance": np.round(gfs.residual_variance_, 9),
        "n_functions": int(gfs.n_functions_.sum()),
        "stop_reason": gfs.stop_reason_,
    }


def run(task: Task) -> Values:
    """Compute a cell: one data set, one degree."""
    data = task.params["data"]
    X, _ = load(task, data, scaling=SCALINGS[data])
    degree, thresholds = task.params["degree"], task.params["thresholds"]
    if "scripted" in task.params:
        return {
            key: [sum(variance > t for variance in path) for t in thresholds]
            for key, path in (
                ("counts", residual_path(X, degree, min(thresholds))),
                ("orthogonalized", residual_path(X, degree, min(thresholds), second=True)),
            )
        }
    values = count_selected(X, degree, thresholds)
    fitted, held_out = train_test_split(X, test_size=HELD_OUT, random_state=task.integer_seed())
    part = count_selected(fitted, degree, thresholds, held_out)
    return values | {
        "n_samples": len(X),
        "part_counts": part["counts"],
        "part_shares": part["shares"],
    }


def cells(size: Size) -> list[Params]:
    """Return all cells; the quick size leaves out cells that take minutes."""
    tables = published(NAME)[LABEL]
    listed: list[Params] = [
        {"data": data, "degree": degree, "thresholds": tables[data]["thresholds"]}
        for data in SCALINGS
        for degree in DEGREES
        if size == "full" or (data, degree) != ("usps", 4)
    ]
    thresholds = tables["coil20"]["thresholds"]
    listed += [
        {"scripted": "coil20", "data": "coil20", "degree": degree, "thresholds": thresholds}
        for degree in SCRIPTED_DEGREES
        if size == "full" or degree < 3
    ]
    return listed


def cost(params: Params) -> float:
    """Return the approximate seconds of a cell."""
    if "scripted" in params:
        return (5.0, 10.0, 120.0)[params["degree"] - 1]
    seconds = {"usps": (15, 10, 15, 120), "coil20": (4, 3, 3, 3), "credit": (0.1,) * 4}
    return seconds[params["data"]][params["degree"] - 1]


def reason(data: str, degree: int, values: Values | None) -> str:
    """Return the key of the reason why a count differs or is missing."""
    if values is None:
        return "quick"
    if (data, degree) == ("usps", 1):
        return "misprint"
    return "order" if data == "credit" else ""


def get(results: Results, data: str, degree: int) -> Values | None:
    """Return the values of a cell by gramian, not by the authors' scripts."""
    for outcome in results.select(data=data, degree=degree):
        if "scripted" not in outcome.params:
            return outcome.values
    return None


def entries(results: Results, data: str, degree: int) -> list[Entry]:
    """Return a row of a table."""
    paper = published(NAME)[LABEL][data]["degrees"][str(degree)]
    values = get(results, data, degree)
    counts = values["counts"] if values else [None] * len(paper)
    return [
        Entry(ours, theirs, noise=1, better="lower", reason=reason(data, degree, values))
        for ours, theirs in zip(counts, paper, strict=True)
    ]


def page(results: Results) -> list[Block]:
    """Return the page."""
    tables = published(NAME)[LABEL]
    blocks: list[Block] = []
    for data, title in ((data, TITLES[data]) for data in SCALINGS):
        blocks.append(
            Table(
                f"{title}: number of selected features until no residual variance is above ε²",
                "degree",
                [f"ε² = {t:g}" for t in tables[data]["thresholds"]],
                {f"degree {degree}": entries(results, data, degree) for degree in DEGREES},
                source=LABEL,
            )
        )
    blocks.append(
        Picture(
            "residuals",
            "The largest residual variance of any feature against the number of selected features, "
            "by the degree of the functions. Hollow marks are the paper's counts.",
            lambda figure: draw(figure, results),
        )
    )
    blocks += scripted_blocks(results)
    blocks += functions_used(results)
    blocks.append("### Beyond the paper: on rows that were not fitted")
    blocks.append(
        f"GFS was fitted once to {1 - HELD_OUT:.0%} of the rows, until the same thresholds. "
        "Functions of the selected features then predict all features, on the fitted rows and on "
        "the others. The tables show the share of the variance that is left, in percent. Entries "
        "are empty if there are more functions than rows. The threshold uses fitted rows only: "
        "with a higher degree, more is left on new rows than the threshold suggests."
    )
    for data, title in ((data, TITLES[data]) for data in SCALINGS):
        blocks.append(held_out_table(results, data, title))
    return blocks


def scripted_blocks(results: Results) -> list[Block]:
    """Return the counts of the authors' scripts on COIL-20."""
    columns = [f"ε² = {t:g}" for t in published(NAME)[LABEL]["coil20"]["thresholds"]]
    rows: dict[str, list[Entry | None]] = {}
    for degree in SCRIPTED_DEGREES:
        values = results.get(scripted="coil20", degree=degree)
        if values is not None:
            rows[f"degree {degree}"] = [Entry(count) for count in values["counts"]]
    values = results.get(scripted="coil20", degree=2)
    if values is not None:
        rows["degree 2, second feature orthogonalized"] = [
            Entry(count) for count in values["orthogonalized"]
        ]
    return [
        "### Reason for the paper's larger counts on COIL-20",
        "The authors' scripts scale the second feature to norm 1, but do not orthogonalize it "
        "against the first. Later functions are orthogonalized against a basis that is not "
        "orthonormal, and the residual, from which the scripts subtract projections, falls more "
        "slowly. With this arithmetic our counts equal the paper's or are up to two higher. With "
        "the second feature orthogonalized, the scripts' single pass of Gram-Schmidt gives our "
        "counts at degree 2.",
        Table(
            "COIL-20, by the scripts' arithmetic: number of selected features",
            "degree",
            columns,
            rows,
        ),
    ]


def functions_used(results: Results) -> list[Block]:
    """Return the table of functions at the lowest threshold."""
    rows: dict[str, list[Entry | None]] = {}
    for data, title in ((data, TITLES[data]) for data in SCALINGS):
        found = [get(results, data, degree) for degree in DEGREES]
        rows[title] = [Entry(values["n_functions"]) if values else None for values in found]
        samples = {values["n_samples"] for values in found if values}
        rows[title].append(Entry(samples.pop()) if samples else None)
    columns = [*(f"degree {degree}" for degree in DEGREES), "samples"]
    return [
        Table("Functions at the lowest threshold, and samples", "data", columns, rows),
        "As many functions as samples leave nothing for any data; the fit then stops.",
    ]


def held_out_table(results: Results, data: str, title: str) -> Table:
    """Return tables of the residual shares of fitted and of held-out rows."""
    thresholds = published(NAME)[LABEL][data]["thresholds"]
    rows: dict[str, list[Entry | None]] = {}
    for degree in DEGREES:
        values = get(results, data, degree)
        if values is None:
            continue
        for place, name in enumerate(("fitted rows", "held-out rows")):
            rows[f"degree {degree}, {name}"] = [
                None if shares is None else Entry(100 * shares[place])
                for shares in values["part_shares"]
            ]
    columns = [f"ε² = {t:g}" for t in thresholds]
    return Table(f"{title}: share of the variance left, %", "", columns, rows, digits=1)


def draw(figure: Figure, results: Results) -> None:
    """Draw residual variances against numbers of features."""
    tables = published(NAME)[LABEL]
    for axes, data in zip(figure.subplots(1, 2), ("usps", "coil20"), strict=True):
        for degree, colour, marker in zip(DEGREES, COLOURS, MARKERS, strict=False):
            thresholds: list[Any] = tables[data]["thresholds"]
            axes.plot(
                tables[data]["degrees"][str(degree)],
                thresholds,
                marker,
                color=colour,
                markerfacecolor="none",
                markersize=4,
            )
            values = get(results, data, degree)
            if values is not None:
                path = np.array(values["residual_variance"])
                path[path <= 0] = np.nan  # where the functions span all rows
                axes.plot(path, color=colour, label=f"degree {degree}")
        axes.set(
            title=TITLES[data],
            xlabel="features",
            yscale="log",
            xlim=(0, 1.05 * max(tables[data]["degrees"]["1"])),
            ylim=(0.9 * min(thresholds), None),
        )
        axes.minorticks_off()
        axes.set_yticks(TICKS[data], [f"{tick:g}" for tick in TICKS[data]])
    figure.axes[0].set_ylabel("largest residual variance")
    figure.axes[1].legend()


EXPERIMENT = Experiment(
    name=NAME,
    title="GFS: numbers of selected features",
    source="the table of numbers of features selected by GFS",
    protocol=PROTOCOL,
    cells=cells,
    run=run,
    page=page,
    reasons=REASONS,
    cost=cost,
)
