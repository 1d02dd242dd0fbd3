"""Classification by the features that GFS and other selectors choose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC

from gramian import GFS
from gramian.families import Multilinear
from gramian_paper._types import Array, IntArray
from gramian_paper.baselines import SELECTORS, ranks_read_as_columns, selector
from gramian_paper.experiments._blocks import Block, Entry, Table
from gramian_paper.experiments._data import TITLES, expected_overfitting, load
from gramian_paper.experiments._experiment import Experiment, Params, Results, Size, Task, Values
from gramian_paper.experiments._gfs_counts import SCALINGS
from gramian_paper.experiments._published import published

NAME = "gfs-accuracy"
LABEL = "table:GFS-classification-accuracy-benchmark-datasets"
IN_PAPER = ("gfs", "mcfs", "ndfs", "udfs", "laplacian-score", "trace-ratio", "fisher-score")
LOWER = {"gfs-1": 1, "gfs-2": 2}
"""GFS with functions of a lower degree."""
BEYOND = (*LOWER, "fastcan", "cur", "fps", "variance", "correlation")
OF_CLUSTERS = ("mcfs", "ndfs", "udfs")
"""Selectors that need a number of clusters."""
BY_COUNT = ("mcfs", "fastcan")
"""Selectors whose first features depend on the requested number."""
CENTRED = ("cur", "fps")
"""Selectors that do not centre the data."""
FOLDS = 5
HIGHEST_DEGREE = 4
FEW_COUNTS = [24, 14, 11]
"""Numbers of features on USPS in a quick run."""
ROWS = {"usps": 7291, "coil20": 1440, "credit": 690}
LARGE = 5000
"""Largest number of rows for MCFS by the package that the paper used."""

PROTOCOL = f"""
The data are scaled as for the numbers of selected features: USPS and COIL-20 in [0, 1], Credit
Approval standardized. Features are selected from all rows, by trace ratio and Fisher score with
labels; then a support vector machine with RBF kernel (scikit-learn's defaults, one against one) is
cross-validated in {FOLDS} folds, stratified, rows in their order. This is the paper's protocol; the
selection uses the test rows, and for the two supervised selectors also their labels. Another table
of each data set selects from the training rows of every fold.

GFS has multilinear polynomials of degree up to {HIGHEST_DEGREE}, or the highest degree whose
functions do not outnumber the rows. MCFS, NDFS and UDFS get the number of classes as the number of
clusters. All selectors are those of `gramian_paper.baselines`, with the defaults of
skfeature-chappers, the package that the paper used; MCFS on USPS follows its publication, since the
package decomposes a dense matrix of 7291² entries. The last table of each data set uses ranks as
columns, which explains several of the paper's numbers. **Noise:** 2 standard errors of an accuracy
for the number of rows.
"""

REASONS = {
    "saturated": "with this number of features the functions of degree 4 outnumber the rows. The "
    "paper's features come from functions that were no longer orthogonal; ours come from "
    "functions of degree 3 or 2, which are fewer than the rows.",
    "misread": "the paper's number is for other columns. By default skfeature-chappers returns "
    "ranks, d - 1 - i for column i; these ranks used as columns give the paper's accuracy "
    "(tables below). Our number is for the selected columns.",
    "competitor": "the paper does not state the parameters of the competing selectors (clusters, "
    "neighbours, scaling of rows) nor the scaling of the data for them, and several start at "
    "random.",
    "gfs": "the features differ from the paper's after a few steps: if two features have nearly "
    "the same residual variance, rounding errors decide.",
}


def degree_for(n_features: int, n_rows: int) -> int:
    """Return the highest degree, at most 4, whose functions do not outnumber the rows.

    Examples
    --------
    >>> degree_for(17, 7291), degree_for(24, 7291), degree_for(31, 1440)
    (4, 3, 2)
    """
    return max(
        degree
        for degree in range(1, HIGHEST_DEGREE + 1)
        if degree == 1 or Multilinear(degree).count(n_features) < n_rows
    )


def select(
    name: str, X: Array, y: IntArray, counts: Sequence[int], random_state: int | None = None
) -> dict[int, IntArray]:
    """Select features.

    Parameters
    ----------
    name : str
        "gfs", a key of `LOWER`, or a selector of :mod:`gramian_paper.baselines`.
    X : array of shape (n_samples, n_features)
        The data.
    y : array of shape (n_samples,)
        The labels, which supervised selectors use. Others get their number only.
    counts : sequence of int
        Numbers of features.
    random_state : int or None, default=None
        For selectors that start at random.

    Returns
    -------
    selected : dict of int to array
        The features for every count.
    """
    if name == "gfs" or name in LOWER:
        return select_by_gfs(X, counts, LOWER.get(name, HIGHEST_DEGREE))
    options: dict[str, Any] = {}
    if name in OF_CLUSTERS:
        options["n_clusters"] = len(np.unique(y))
    if name == "mcfs" and len(X) > LARGE:
        options["variant"] = "published"
    if name in CENTRED:
        X = X - X.mean(axis=0)
    asked = counts if name in BY_COUNT else [max(counts)]
    orders = {
        count: selector(name, count, random_state=random_state, **options)
        .fit(X, y)
        .selected_features_
        for count in asked
    }
    return {count: orders.get(count, orders[max(counts)])[:count] for count in counts}


def select_by_gfs(X: Array, counts: Sequence[int], highest: int) -> dict[int, IntArray]:
    """Select features by GFS, by one fit for each degree that the counts need."""
    degrees = {count: min(highest, degree_for(count, len(X))) for count in counts}
    orders = {}
    for degree in sorted(set(degrees.values())):
        largest = max(count for count in counts if degrees[count] == degree)
        with expected_overfitting():
            orders[degree] = (
                GFS(largest, degree=degree, alpha=0, criterion="variance").fit(X).selected_features_
            )
    return {count: orders[degrees[count]][:count] for count in counts}


def accuracies(
    name: str,
    X: Array,
    y: IntArray,
    counts: Sequence[int],
    *,
    within_folds: bool = False,
    misread: bool = False,
    random_state: int | None = None,
) -> dict[int, float]:
    """Cross-validate a support vector machine on selected features.

    Parameters
    ----------
    name : str
        "gfs", a key of `LOWER`, or a selector of :mod:`gramian_paper.baselines`.
    X : array of shape (n_samples, n_features)
        The data.
    y : array of shape (n_samples,)
        The labels.
    counts : sequence of int
        Numbers of features.
    within_folds : bool, default=False
        True to select features from the training rows of each fold, False to select once from all.
    misread : bool, default=False
        True to read ranks as columns, see `ranks_read_as_columns`.
    random_state : int or None, default=None
        For selectors that start at random.

    Returns
    -------
    accuracies : dict of int to float
        The mean accuracy over the folds in percent for every count.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> accuracies("gfs", X, y, [2, 1], within_folds=True)
    {2: 94.67, 1: 95.33}
    """
    scores: dict[int, list[float]] = {count: [] for count in counts}
    selected = {} if within_folds else select(name, X, y, counts, random_state)
    for train, test in StratifiedKFold(FOLDS).split(X, y):
        if within_folds:
            selected = select(name, X[train], y[train], counts, random_state)
        for count, columns in selected.items():
            if misread:
                columns = ranks_read_as_columns(columns, X.shape[1])
            machine = SVC().fit(X[np.ix_(train, columns)], y[train])
            scores[count].append(machine.score(X[np.ix_(test, columns)], y[test]))
    return {count: round(100 * float(np.mean(each)), 2) for count, each in scores.items()}


def run(task: Task) -> Values:
    """Compute a cell: one data set, one selector, one protocol."""
    data = task.params["data"]
    X, y = load(task, data, scaling=SCALINGS[data])
    found = accuracies(
        task.params["selector"],
        X,
        y,
        task.params["counts"],
        within_folds=task.params.get("within_folds", False),
        misread=task.params.get("misread", False),
        random_state=task.integer_seed(),
    )
    return {"accuracy": list(found.values()), "n_samples": len(X)}


def cells(size: Size) -> list[Params]:
    """Return all cells; a quick run has fewer of USPS, which takes longest."""
    listed: list[Params] = []
    for data, table in published(NAME)[LABEL].items():
        counts = FEW_COUNTS if (size, data) == ("quick", "usps") else table["n_features"]
        both = {"data": data, "counts": counts}
        listed += [
            {**both, "selector": name, "within_folds": within_folds}
            for within_folds in (False, True)
            for name in (*IN_PAPER, *BEYOND)
            if not (size == "quick" and data == "usps" and within_folds)
        ]
        listed += [{**both, "selector": name, "misread": True} for name in IN_PAPER[1:]]
    return listed


def cost(params: Params) -> float:
    """Return the approximate seconds of a cell."""
    seconds = {"usps": 25.0, "coil20": 5.0, "credit": 0.3}[params["data"]]
    slow = params["selector"] in ("gfs", *OF_CLUSTERS)
    return seconds * (1 + slow * (4 if params.get("within_folds") else 1))


def title_of(name: str) -> str:
    """Return the name of a selector in tables."""
    if name in LOWER:
        return f"GFS, degree {LOWER[name]}"
    return "GFS" if name == "gfs" else SELECTORS[name].title


def rates(results: Results, **params: Any) -> dict[int, float]:
    """Return the accuracies of a cell by the number of features; empty if it was not run."""
    for outcome in results.select(**params):
        if outcome.values is not None:
            return dict(zip(outcome.params["counts"], outcome.values["accuracy"], strict=True))
    return {}


def entries(results: Results, data: str, name: str) -> list[Entry | None]:
    """Return a row of the paper's table, or of a selector beyond it."""
    table = published(NAME)[LABEL][data]
    ours = rates(results, data=data, selector=name, within_folds=False)
    misread = rates(results, data=data, selector=name, misread=True)
    paper = table["selectors"].get(name, [None] * len(table["n_features"]))
    line: list[Entry | None] = []
    for count, theirs in zip(table["n_features"], paper, strict=True):
        if theirs is None:
            line.append(Entry(ours[count]) if count in ours else None)
            continue
        noise = 2 * float(np.sqrt(theirs * (100 - theirs) / ROWS[data]))
        if name == "gfs":
            why = "saturated" if degree_for(count, ROWS[data]) < HIGHEST_DEGREE else "gfs"
            line.append(Entry(ours.get(count), theirs, noise, "higher", why))
        else:
            # Agreement of selectors with random or arbitrary parts may be chance.
            same = SELECTORS[name].supervised and abs(misread.get(count, 0.0) - theirs) <= noise
            why = "misread" if same else "competitor"
            line.append(Entry(ours.get(count), theirs, noise, reason=why))
    return line


def ours_alone(
    results: Results, title: str, names: Sequence[str], *, data: str, **params: Any
) -> Table:
    """Return a table without published numbers."""
    counts = published(NAME)[LABEL][data]["n_features"]
    lines = {}
    for name in names:
        found = rates(results, data=data, selector=name, **params)
        if found:
            lines[title_of(name)] = [Entry(found.get(count)) for count in counts]
    return Table(title, "selector", [f"{count} features" for count in counts], lines, digits=2)


def page(results: Results) -> list[Block]:
    """Return the page."""
    blocks: list[Block] = []
    for data, table in published(NAME)[LABEL].items():
        columns = [f"{count} features" for count in table["n_features"]]

        what = f"{TITLES[data]}: accuracy, %"
        blocks += [
            f"### {TITLES[data]}",
            Table(
                f"{what}, features selected from all rows",
                "selector",
                columns,
                {title_of(name): entries(results, data, name) for name in IN_PAPER},
                LABEL,
                digits=2,
            ),
            remark(data, table["n_features"]),
            ours_alone(
                results,
                f"{what}, others, beyond the paper",
                BEYOND,
                data=data,
                within_folds=False,
            ),
            best(results, data, table["n_features"]),
            ours_alone(
                results,
                f"{what}, features selected from training rows only, beyond the paper",
                (*IN_PAPER, *BEYOND),
                data=data,
                within_folds=True,
            ),
            ours_alone(
                results,
                f"{what}, with ranks read as columns",
                IN_PAPER[1:],
                data=data,
                misread=True,
            ),
        ]
    return [block for block in blocks if not isinstance(block, Table) or block.rows]


def best(results: Results, data: str, counts: Sequence[int]) -> str:
    """Return a sentence on the best selectors, and the distance of GFS."""
    found = {
        name: rates(results, data=data, selector=name, within_folds=False)
        for name in (*IN_PAPER, *BEYOND)
    }
    said = []
    for count in counts:
        here = {name: each[count] for name, each in found.items() if count in each}
        if "gfs" not in here:
            continue
        name = max(here, key=lambda each: here[each])
        behind = "" if name == "gfs" else f" ({here[name] - here['gfs']:.2f} ahead of GFS)"
        said.append(f"{count} features: {title_of(name)}{behind}")
    return f"The best selectors on {TITLES[data]}. {'; '.join(said)}." if said else ""


def remark(data: str, counts: Sequence[int]) -> str:
    """Return a sentence on the degrees of GFS."""
    degrees = {count: degree_for(count, ROWS[data]) for count in counts}
    low = [count for count in counts if degrees[count] < HIGHEST_DEGREE]
    if not low:
        return ""
    said = ", ".join(f"{count} features: degree {degrees[count]}" for count in low)
    return f"GFS on {TITLES[data]} has degree {HIGHEST_DEGREE}, except for {said}."


EXPERIMENT = Experiment(
    name=NAME,
    title="GFS: classification accuracy against other selectors",
    source="the table of classification accuracies of GFS and six selectors",
    protocol=PROTOCOL,
    cells=cells,
    run=run,
    page=page,
    reasons=REASONS,
    cost=cost,
)
