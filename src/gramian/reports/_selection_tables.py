"""Tables of the page: columns to keep in order, and formulas of columns to drop."""

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
"""Largest number of rows of a table on the page."""
MAX_FORMULAS = 300
"""Largest number of columns with a formula; columns of the largest variance come first."""
MAX_TESTED = 80
"""Largest number of formulas that are tested on rows."""
MAX_UNSTORED = 30
"""Largest number of columns with a formula if the fit stored no moments, which is slower."""
MAX_LOADINGS = 3
"""Number of columns that describe a direction."""
WORK = 2e10
"""Largest product of rows and squared number of functions in a test of formulas."""
MIN_ROWS = 50
"""Smallest number of rows for a test of formulas."""


@dataclass(frozen=True)
class KeptEntry:
    """A column or direction to keep."""

    name: str
    about: str
    """For a direction, the columns with the largest weights; empty for a column."""
    explains: float
    """Share of the total variance."""
    cumulative: float
    """Share of the total variance, together with the entries before."""
    new: float | None
    """Share of its own variance that the entries before do not explain; None if not known."""


@dataclass(frozen=True)
class ShownSelection:
    """Columns or directions that a fit keeps and drops."""

    kept: list[KeptEntry]
    explanation: Explanation | None
    """Formulas; None if the fit stored no moments and there are too few rows to find them."""
    n_tested: int
    """Number of rows that formulas were tested on."""
    n_without: int
    """Number of dropped columns for which no formula was searched."""
    exchanges: dict[int, Exchange]
    """Evidence and alternatives by the index of a dropped column; empty for published fits."""

    @property
    def dropped(self) -> list[Redundancy]:
        """Columns to drop, each with its formula, as far as formulas were searched."""
        return list(self.explanation or ())


@dataclass(frozen=True)
class Exchange:
    """Residual share of a dropped column or direction, and columns to drop in its place."""

    left: float
    """Residual share of its variance, on rows left out of the fit."""
    alternatives: str
    """Names of kept columns that could be dropped in its place; empty if there are none."""


def shown_selection(estimator: Any, data: ReportRows) -> ShownSelection:
    """Return the columns or directions that a fit keeps and drops.

    Parameters
    ----------
    estimator : estimator
        The fitted estimator.
    data : ReportRows
        The rows.
    """
    model: FittedModel = estimator.model_
    explanation, n_tested = _explain(estimator, data)
    n_without = 0 if explanation is None else len(model.dropped) - len(explanation)
    kept, exchanges = _kept(estimator, data, explanation), _exchanges(model, data)
    return ShownSelection(kept, explanation, n_tested, n_without, exchanges)


def _exchanges(model: FittedModel, data: ReportRows) -> dict[int, Exchange]:
    """Return evidence and alternatives by the index of a dropped column."""
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
    """Describe in one line how a selection was made, and how to make another.

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
        f"{1 - model.elimination.threshold:.6g} on rows left out of the fit). Units and the order "
        f"of columns do not matter. For a few {thing} that explain most, fit {few} ({command}); "
        "for the published algorithm, set backward=False (--forward)."
    )


def _explain(estimator: Any, data: ReportRows) -> tuple[Explanation | None, int]:
    """Return formulas, and the number of rows that they were tested on."""
    model: FittedModel = estimator.model_
    assert model.decoder is not None
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
    """Return the indices of at most n dropped columns, chosen by the largest variance."""
    assert model.variances is not None
    others = model.dropped
    largest = others[np.argsort(-model.variances[others], kind="stable")[:n]]
    return np.sort(largest).tolist()  # type: ignore[no-any-return]


def _tested(rows: Array, n_functions: int) -> Array | None:
    """Return rows to test formulas on, as many as time allows; None if too few."""
    n = min(len(rows), int(WORK / n_functions**2))
    return None if n < max(MIN_ROWS, 2 * n_functions) else some(rows, n)


def _kept(estimator: Any, data: ReportRows, explanation: Explanation | None) -> list[KeptEntry]:
    """Return the entries of the columns or directions that are kept, in the order of choice."""
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
    """Name the columns with the largest weights in a direction.

    Parameters
    ----------
    direction : array of shape (n_columns,)
        The weights.
    names : list of str
        The names of the columns.
    n : int, default=3
        Number of columns to name.
    """
    heaviest = np.argsort(-np.abs(direction), kind="stable")[:n]
    weights = [f"{direction[i]:+.2f}".replace("-", "\N{MINUS SIGN}") for i in heaviest]
    return ", ".join(f"{w} {names[i]}" for w, i in zip(weights, heaviest, strict=True))


def in_words(dropped: Redundancy) -> str:
    """Describe in one sentence which columns a dropped column is computed from."""
    if dropped.kind == "constant":
        return f"{dropped.feature} is constant."
    if not dropped.sources:
        return f"The kept columns explain little of {dropped.feature}."
    sources = sorted(dropped.sources.items(), key=lambda item: -item[1])
    names = listed([name for name, _ in sources], quote=str)
    explained = unbroken_percent(dropped.r2)
    return f"{dropped.feature} is computed from {names}: {explained} of its variance is explained."
