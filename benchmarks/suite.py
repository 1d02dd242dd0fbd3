"""Rows of the table: the jobs, and the jobs that they are compared with."""

# ruff: noqa: RUF001
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from jobs import Job, Outcome, import_seconds, measure
from report import OURS, THEIRS

SAME = 1e-6
"""Largest difference of directions that count as equal."""
ORACLE_DIRECTIONS = 30
SELECTED = 50


@dataclass
class Row:
    """One measurement, and its ratio to gramian's time for the same job."""

    key: str
    job: str
    method: str
    outcome: Outcome
    ratio: float | None = None
    transform_ratio: float | None = None
    note: str = ""

    def compare(self, ours: Row) -> Row:
        """Record the ratio of this time to gramian's."""
        self.ratio = self.outcome.seconds / ours.outcome.seconds
        if self.outcome.transform_seconds and ours.outcome.transform_seconds:
            self.transform_ratio = self.outcome.transform_seconds / ours.outcome.transform_seconds
        return self

    def as_dict(self) -> dict[str, Any]:
        """Return the content of the JSON file."""
        row = asdict(self)
        outcome = row.pop("outcome")
        del outcome["components"]
        return {**row, **outcome}


def agreement(ours: np.ndarray, theirs: np.ndarray) -> str:
    """Return how many of the leading directions are equal up to sign, in words."""
    signs = np.sign(np.einsum("ij,ij->i", ours, theirs))
    differences = np.abs(ours - signs[:, np.newaxis] * theirs).max(axis=1)
    apart = np.flatnonzero(differences > SAME)
    if not len(apart):
        return f"same directions, up to {differences.max():.0e}"
    return f"the first {apart[0]} directions are the same, then orthogonality is lost"


def reduction(
    data: str, degree: int, threshold: float, quick: bool, oracle: bool = False
) -> Iterator[Row]:
    """Time GFR against the literal algorithm, PCA and KernelPCA."""
    key = f"{data} {degree}"
    job = f"{data}, degree {degree} to {threshold:g}"
    options = {"degree": degree, "threshold": threshold}
    ours = Row(f"{key} GFR", job, "**gramian GFR**", measure(Job("GFR", data, options)))
    yield ours.compare(ours)
    if quick:
        return
    count = {"n_components": ours.outcome.n_components}
    found = ours.outcome.components
    theirs = measure(Job("literal GFR", data, {"degree": degree, **count}))
    note = agreement(found, theirs.components)
    yield Row(f"{key} literal", job, "one-pass, one-at-a-time", theirs, note=note).compare(ours)
    yield Row(f"{key} PCA", job, "PCA", measure(Job("PCA", data, count))).compare(ours)
    for solver in ("auto", "randomized"):
        kernel = measure(
            Job("KernelPCA", data, {"degree": degree, "eigen_solver": solver, **count})
        )
        method = f"KernelPCA, poly, {solver}"
        yield Row(f"{key} KernelPCA {solver}", job, method, kernel).compare(ours)
    if oracle:
        yield from against_oracle(data, degree)


def against_oracle(data: str, degree: int) -> Iterator[Row]:
    """Time GFR against `tests/oracle.py`, both for fewer directions: the oracle is slow."""
    job = f"{data}, degree {degree}, {ORACLE_DIRECTIONS} directions"
    options = {"degree": degree, "n_components": ORACLE_DIRECTIONS}
    ours = Row("oracle GFR", job, "**gramian GFR**", measure(Job("GFR", data, options)))
    yield ours.compare(ours)
    theirs = measure(Job("oracle GFR", data, options))
    note = agreement(ours.outcome.components, theirs.components)
    if not note.startswith("same directions, "):
        raise SystemExit(f"gramian and the oracle disagree on {data}: {note}")
    yield Row("oracle", job, "the oracle, two passes", theirs, note=note).compare(ours)


def selection(quick: bool) -> Iterator[Row]:
    """Time GFS against UFFS on the paper's made-up data, and against fastcan."""
    job = "30 made-up features, degree 3 to 0.01"
    options = {"degree": 3, "threshold": 0.01}
    ours = Row("GFS", job, "**gramian GFS**", measure(Job("GFS", "made-up", options)))
    yield ours.compare(ours)
    fast = measure(Job("UFFS", "made-up", {**options, "relative": False}))
    yield Row("UFFS", job, "gramian UFFS", fast).compare(ours)
    if not quick:
        slow = measure(Job("literal UFFS", "made-up", {"degree": 3}))
        yield Row("literal UFFS", job, "UFFS, one-pass, one-at-a-time", slow).compare(ours)

    job = f"USPS, {SELECTED} features, linear"
    count = {"n_features_to_select": SELECTED}
    ours = Row(
        "GFS linear", job, "**gramian GFS**", measure(Job("GFS", "USPS", {"degree": 1, **count}))
    )
    yield ours.compare(ours)
    if quick:
        return
    try:
        theirs = measure(Job("fastcan", "USPS", count))
    except ImportError:
        return
    note = f"target: the {SELECTED} leading principal components, their PCA included"
    yield Row("fastcan", job, "fastcan", theirs, note=note).compare(ours)


def large(long: bool) -> Iterator[Row]:
    """Time GFR on 60,000 rows."""
    cases: list[tuple[int, dict[str, Any], str]] = [
        (2, {"threshold": 0.2}, "to 0.2"),
        (3, {"threshold": 0.2}, "to 0.2"),
    ]
    if long:
        cases.append((4, {"n_components": 28}, "28 directions"))
    for degree, until, name in cases:
        outcome = measure(Job("GFR", "MNIST", {"degree": degree, **until}))
        yield Row(f"MNIST {degree}", f"MNIST, degree {degree}, {name}", "**gramian GFR**", outcome)


def share_of_product() -> Iterator[Row]:
    """Compare the plain path with the bare matrix product."""
    options = {"degree": 3, "threshold": 0.1, "solver": "gram"}
    for key, method, job in (
        ("plain", "**gramian GFR, solver='gram'**", Job("GFR", "USPS", options)),
        ("product", "4000×4000 matrix product", Job("product", "tiny")),
    ):
        outcome = measure(job)
        note = f"{outcome.flops / outcome.seconds / 1e9:.1f} GFLOPS"
        yield Row(key, "USPS, degree 3 to 0.1, plain path", method, outcome, note=note)


def imports() -> dict[str, float]:
    """Time the imports of gramian and of scikit-learn."""
    statements = (
        OURS,
        THEIRS,
        "from gramian import GFS",
        "from sklearn.feature_selection import SelectKBest",
    )
    return dict(zip(statements, import_seconds(*statements), strict=True))


def all_rows(quick: bool, long: bool) -> Iterator[Row]:
    """Run all jobs, one at a time."""
    yield from share_of_product()
    yield from reduction("COIL-20", 2, 0.01, quick, oracle=True)
    yield from reduction("COIL-20", 3, 0.01, quick)
    yield from reduction("USPS", 2, 0.1, quick)
    yield from reduction("USPS", 3, 0.1, quick)
    yield from selection(quick)
    yield from large(long)
