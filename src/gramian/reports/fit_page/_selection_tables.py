"""Tables of the page: kept columns in the order of choice, and formulas of dropped columns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gramian._support.types import Array
from gramian._support.words import listed
from gramian.estimators import unbroken_percent
from gramian.explanations import Explanation, Redundancy, explain_checked
from gramian.fitting import EliminationSearch, FittedModel, KeptDirections
from gramian.reports.fit_page._report_rows import ReportRows, some

MAX_ROWS = 1000
"""Largest number of rows in a table on the page."""
MAX_FORMULAS = 300
"""Largest number of dropped columns for which formulas are searched; the columns with the largest
variance are chosen."""
MAX_TESTED = 80
"""Formulas are tested on rows only if at most this many formulas are searched."""
MAX_UNSTORED = 30
"""Replaces `MAX_FORMULAS` if the fit stored no moments (mean products of its functions): formulas
must then be found from rows, which is slower."""
MAX_LOADINGS = 3
"""Number of columns, with their weights, that describe a direction in the table."""
WORK = 2e10
"""Limit of the work in a test of formulas: the number of rows times the squared number of functions
is at most this."""
MIN_ROWS = 50
"""Smallest number of rows in a test of formulas; with fewer rows, formulas are not tested."""


@dataclass(frozen=True)
class KeptEntry:
    """A kept column or direction: one row in the table of the page."""

    name: str
    about: str
    """Columns with the largest weights, if the entry is a direction; empty if it is a column."""
    explains: float
    """Share of the total variance that the fit explains in addition when it adds this entry."""
    cumulative: float
    """Share of the total variance that this entry and all earlier entries explain together."""
    new: float | None
    """Share of the entry's own variance that earlier entries do not explain; None if it was not
    computed."""


@dataclass(frozen=True)
class ShownSelection:
    """All columns or directions that a fit keeps, and those that it drops."""

    kept: list[KeptEntry]
    """Kept columns or directions, in the order of choice."""
    explanation: Explanation | None
    """Formulas of dropped columns; None if the fit stored no moments (mean products of its
    functions) and there are too few rows to find formulas."""
    n_tested: int
    """Number of rows on which the formulas were tested; 0 if they were not tested."""
    n_without: int
    """Number of dropped columns for which no formula was searched."""
    exchanges: dict[int, Exchange]
    """Residual share and alternatives of each dropped column, by its index. The dictionary is empty
    if the fit did not eliminate columns backward."""

    @property
    def dropped(self) -> list[Redundancy]:
        """Dropped columns for which formulas were searched, each with its formula."""
        return list(self.explanation or ())


@dataclass(frozen=True)
class Exchange:
    """Residual share of a dropped column or direction, and columns to drop instead of it."""

    left: float
    """Share of the variance of the dropped column that the kept columns do not explain, on rows
    that were left out of the fit."""
    alternatives: str
    """Names of kept columns that could be dropped instead; empty if there are none."""


def shown_selection(estimator: Any, data: ReportRows) -> ShownSelection:
    """Return the columns or directions that a fit keeps, and formulas of those that it drops.

    Parameters
    ----------
    estimator : estimator
        The fitted estimator.
    data : ReportRows
        The rows that the report is about; formulas are tested on a sample of them.
    """
    model: FittedModel = estimator.model_
    explanation, n_tested = _explain(estimator, data)
    n_without = 0 if explanation is None else len(model.kept.dropped) - len(explanation)
    kept, exchanges = _kept(estimator, data, explanation), _exchanges(model, data)
    return ShownSelection(kept, explanation, n_tested, n_without, exchanges)


def _exchanges(model: FittedModel, data: ReportRows) -> dict[int, Exchange]:
    """Return the residual share of each dropped column, and columns to drop instead.

    Keys are the indices of the dropped columns.
    """
    if not isinstance(model.search, EliminationSearch):
        return {}
    found, names = model.search.selection, model.kept.candidate_names(data.names)
    return {
        j: Exchange(float(left), ", ".join(names[i] for i in found.alternatives.get(j, ())))
        for j, left in zip(found.dropped, found.share_left, strict=True)
    }


def how(model: FittedModel) -> str:
    """Return a text that says how a selection was made, and which options change it.

    Parameters
    ----------
    model : FittedModel
        The fitted model.
    """
    footing = "All columns count alike" if model.scale is not None else "Columns count by variance"
    if not isinstance(model.search, EliminationSearch):
        return f"{footing} (scale=True or False, --standardize or --same-unit)."
    thing, few = ("columns", "GFS(10)") if model.selects else ("directions", "GFR(10)")
    command = "-a gfs -n 10" if model.selects else "-a gfr -n 10"
    return (
        f"Dropped: {thing} that functions of the kept {thing} explain (R² ≥ "
        f"{1 - model.search.selection.threshold:.6g} on rows left out of the fit). Units and the "
        f"order of columns do not matter. For a few {thing} that explain most, fit {few} "
        f"({command}); for the published algorithm, set backward=False (--forward)."
    )


def _explain(estimator: Any, data: ReportRows) -> tuple[Explanation | None, int]:
    """Find formulas of dropped columns; return them, and the number of rows in their test.

    Return (None, 0) if formulas cannot be found.
    """
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
    """Return the indices, in increasing order, of the n dropped columns with most variance."""
    assert model.variances is not None
    others = model.kept.dropped
    largest = others[np.argsort(-model.variances[others], kind="stable")[:n]]
    return np.sort(largest).tolist()  # type: ignore[no-any-return]


def _tested(rows: Array, n_functions: int) -> Array | None:
    """Return rows for a test of formulas; None if they are too few.

    As many rows are taken as the constant `WORK` allows for `n_functions` functions.
    """
    n = min(len(rows), int(WORK / n_functions**2))
    return None if n < max(MIN_ROWS, 2 * n_functions) else some(rows, n)


def _kept(estimator: Any, data: ReportRows, explanation: Explanation | None) -> list[KeptEntry]:
    """Return one entry for each kept column or direction, in the order of choice."""
    model: FittedModel = estimator.model_
    ratios = estimator.explained_variance_ratio_
    new: list[float | None] = [None] * len(ratios)
    if explanation is not None:
        new = [each.residual_variance / (each.variance or 1.0) for each in explanation.kept]
    names = model.kept.names(data.names, model.algorithm)
    about = [""] * len(names)
    if isinstance(model.kept, KeptDirections):
        about = [loadings(row, data.names) for row in model.kept.directions]
    columns = (names, about, ratios.tolist(), np.cumsum(ratios).tolist(), new)
    return [KeptEntry(*each) for each in zip(*columns, strict=True)]


def loadings(direction: Array, names: list[str], n: int = MAX_LOADINGS) -> str:
    """Return a text with the largest weights of a direction, such as "+0.71 width, +0.70 height".

    Parameters
    ----------
    direction : array of shape (n_columns,)
        The weight of each column.
    names : list of str
        The names of the columns.
    n : int, default=3
        Number of columns to name.
    """
    heaviest = np.argsort(-np.abs(direction), kind="stable")[:n]
    weights = [f"{direction[i]:+.2f}".replace("-", "\N{MINUS SIGN}") for i in heaviest]
    return ", ".join(f"{w} {names[i]}" for w, i in zip(weights, heaviest, strict=True))


def in_words(dropped: Redundancy) -> str:
    """Return a sentence that names the columns from which a dropped column is computed."""
    if dropped.has_formula and not dropped.sources:
        return f"{dropped.feature} is constant."
    if not dropped.sources:
        return f"The kept columns explain little of {dropped.feature}."
    sources = sorted(dropped.sources.items(), key=lambda item: -item[1])
    names = listed([name for name, _ in sources], quote=str)
    explained = unbroken_percent(dropped.r2)
    return f"{dropped.feature} is computed from {names}: {explained} of its variance is explained."
