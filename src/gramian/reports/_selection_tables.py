"""What to keep, in order; what to drop, and by which formula it can be computed again."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gramian._support.types import Array
from gramian._support.words import listed
from gramian.estimators import unbroken_percent
from gramian.explanations import Explanation, Redundancy, explain_checked
from gramian.fitting import FittedModel
from gramian.reports._report_rows import ReportRows, some

MAX_ROWS = 1000
"""The largest number of rows of a table on the page."""
MAX_FORMULAS = 300
"""Formulas are found for at most this many columns, those of the largest variance."""
MAX_TESTED = 80
"""Formulas are tested on rows if there are at most this many formulas."""
MAX_UNSTORED = 30
"""The same if the fit stored no moments, as that takes longer."""
MAX_LOADINGS = 3
"""The number of columns that describe a direction."""
WORK = 2e10
"""Formulas are tested on rows if rows times squared number of functions is at most this."""
MIN_ROWS = 50
"""Formulas are not tested on fewer rows than this."""


@dataclass(frozen=True)
class KeptEntry:
    """A column or direction to keep."""

    name: str
    about: str
    """For a direction, which columns weigh most."""
    explains: float
    """A share of the total variance; for UFFS the squared Fourier norm."""
    cumulative: float | None
    new: float | None
    """The share of its own variance that those before it did not explain."""


@dataclass(frozen=True)
class ShownSelection:
    """What a fit keeps and drops."""

    kept: list[KeptEntry]
    explanation: Explanation | None
    """None if no formulas were searched, as the fit has stored too little for that."""
    n_tested: int
    """The number of rows that formulas were tested on."""
    n_without: int
    """How many more columns are dropped, without a search for their formulas."""
    exchanges: dict[int, Exchange]
    """For what was dropped whatever the order, by its index, the evidence and the alternatives."""

    @property
    def dropped(self) -> list[Redundancy]:
        """What can be computed from the rest, as far as formulas were searched."""
        return list(self.explanation or ())


@dataclass(frozen=True)
class Exchange:
    """What is left of a dropped column or direction, and what could be dropped in its place."""

    left: float
    """A share of its variance, on rows left out of the fit."""
    alternatives: str
    """The kept ones that could be exchanged for it, or nothing."""


def shown_selection(estimator: Any, data: ReportRows) -> ShownSelection:
    """Find out what a fit keeps and what it drops.

    Parameters
    ----------
    estimator : estimator
        The fitted estimator.
    data : ReportRows
        The rows.
    """
    model: FittedModel = estimator.model_
    explanation, n_tested = explain_dropped(model, data)
    n_without = 0 if explanation is None else len(model.dropped) - len(explanation)
    kept, exchanges = _kept(estimator, data, explanation), _exchanges(model, data)
    return ShownSelection(kept, explanation, n_tested, n_without, exchanges)


def _exchanges(model: FittedModel, data: ReportRows) -> dict[int, Exchange]:
    found = model.elimination
    if found is None:
        return {}
    basis = model.basis
    names = data.names if basis is None else [f"{basis.prefix}{i}" for i in range(len(basis.axes))]
    return {
        j: Exchange(float(left), ", ".join(names[i] for i in found.alternatives.get(j, ())))
        for j, left in zip(found.dropped, found.share_left, strict=True)
    }


def how(model: FittedModel) -> str:
    """Say in one line how a selection was made, and how to ask for another.

    Parameters
    ----------
    model : FittedModel
        The fit.
    """
    footing = "All columns count alike" if model.scale is not None else "Columns count by variance"
    if model.elimination is None:
        return f"{footing} (scale=True or False, --standardize or --same-unit)."
    thing, few = ("columns", "GFS(10)") if model.selects else ("directions", "GFR(10)")
    command = "-a gfs -n 10" if model.selects else "-a gfr -n 10"
    return (
        f"Dropped: {thing} that functions of the kept {thing} explain (R² ≥ "
        f"{1 - model.elimination.threshold:.6g} on rows left out of the fit); neither units nor "
        f"the order of columns matter. For a few {thing} that stand for all fit {few} ({command}), "
        "for the published algorithm set backward=False (--forward)."
    )


def explain_dropped(model: FittedModel, data: ReportRows) -> tuple[Explanation | None, int]:
    """Return formulas of the dropped columns, and the number of rows that they were tested on."""
    named = replace(model, names=tuple(data.names))
    stored = model.decoder.moments is not None
    targets = _targets(model, MAX_FORMULAS if stored else MAX_UNSTORED)
    rows = _tested(data.sample, model.record.n_functions)
    if stored and len(targets) > MAX_TESTED:
        rows = None
    if rows is None and not stored:
        return None, 0
    explanation = explain_checked(named, rows, features=targets)
    return explanation, 0 if rows is None else len(rows)


def _targets(model: FittedModel, n: int) -> list[int]:
    """Return what is to be explained: all that is not kept, or those of largest variance."""
    others = model.dropped
    largest = others[np.argsort(-model.variances[others], kind="stable")[:n]]
    return np.sort(largest).tolist()  # type: ignore[no-any-return]


def _tested(rows: Array, n_functions: int) -> Array | None:
    """Return rows to test formulas on, as many as time allows; None if these are too few."""
    n = min(len(rows), int(WORK / n_functions**2))
    return None if n < max(MIN_ROWS, 2 * n_functions) else some(rows, n)


def _kept(estimator: Any, data: ReportRows, explanation: Explanation | None) -> list[KeptEntry]:
    model: FittedModel = estimator.model_
    ratios = estimator.explained_variance_ratio_
    new: list[float | None] = [None] * len(ratios)
    if explanation is not None:
        new = [each.residual_variance / (each.variance or 1.0) for each in explanation.kept]
    if model.directions is not None:
        names = model.kept_names
        about = [loadings(row, data.names) for row in model.directions]
    else:
        names = [data.names[i] for i in model.chosen]
        about = [""] * len(names)
    columns = (names, about, ratios.tolist(), np.cumsum(ratios).tolist(), new)
    return [KeptEntry(*each) for each in zip(*columns, strict=True)]


def loadings(direction: Array, names: list[str], n: int = MAX_LOADINGS) -> str:
    """Name the columns that weigh most in a direction.

    Parameters
    ----------
    direction : array of shape (n_columns,)
        The weights.
    names : list of str
        The names of the columns.
    n : int, default=3
        How many to name.
    """
    heaviest = np.argsort(-np.abs(direction), kind="stable")[:n]
    weights = [f"{direction[i]:+.2f}".replace("-", "\N{MINUS SIGN}") for i in heaviest]
    return ", ".join(f"{w} {names[i]}" for w, i in zip(weights, heaviest, strict=True))


def in_words(dropped: Redundancy) -> str:
    """Say what a column follows from."""
    if dropped.kind == "constant":
        return f"{dropped.feature} is constant."
    if not dropped.sources:
        return f"Nothing that is kept says much about {dropped.feature}."
    sources = sorted(dropped.sources.items(), key=lambda item: -item[1])
    names = listed([name for name, _ in sources], quote=str)
    explained = unbroken_percent(dropped.r2)
    return f"{dropped.feature} is computed from {names}, which explains {explained} of it."
