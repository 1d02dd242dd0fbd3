"""What to know before trusting a fit, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from gramian._support.words import counted, listed, plural
from gramian.core.elimination import Selection
from gramian.estimators import unbroken_percent
from gramian.exceptions import UnitsWarning
from gramian.fitting import AnyModel
from gramian.reports._column_cards import Column
from gramian.reports._curves import Curves
from gramian.reports._report_rows import ReportRows
from gramian.reports._selection_tables import ShownSelection

MANY_FUNCTIONS = 0.2
"""From this ratio of functions to rows on, residual variances are noticeably too small."""
SPREAD = 100.0
"""From this ratio of standard deviations on, units decide what is chosen first."""
GAP = 0.02
"""By this share of the variance, other rows may be worse without a caution."""
TITLES = {
    "SaturationWarning": "The functions span all rows",
    "OverfittingWarning": "Too few rows for this many functions",
    "NumericalWarning": "Rounding errors may show",
    "UnitsWarning": "One unit hides the others",
}


@dataclass(frozen=True)
class CautionEntry:
    """Something to know, and what to do."""

    title: str
    text: str
    remedy: str
    serious: bool = True


def caution_entries(
    estimator: Any,
    data: ReportRows,
    columns: list[Column],
    curves: Curves,
    selection: ShownSelection,
) -> list[CautionEntry]:
    """Collect what could mislead, the most serious first.

    Parameters
    ----------
    estimator : estimator
        The fitted estimator.
    data : ReportRows
        The rows.
    columns : list of Column
        What they are like.
    curves : Curves
        What is left of their variance.
    selection : ShownSelection
        What is kept and dropped.
    """
    eliminated = estimator.model_.elimination
    found = [
        *of_any_fit(estimator, data, columns, curves, "Fit with validation_fraction=0.2"),
        *of_formulas(estimator.model_, selection),
        *(_of_order(estimator) if eliminated is None else _of_choice(eliminated)),
    ]
    return most_serious_first(found)


def most_serious_first(found: Iterable[CautionEntry]) -> list[CautionEntry]:
    """Sort cautions, equals as they came."""
    return sorted(found, key=lambda caution: not caution.serious)


def of_any_fit(
    estimator: Any, data: ReportRows, columns: list[Column], curves: Curves, hold_out: str
) -> Iterator[CautionEntry]:
    """Yield what could mislead in a fit of whatever kind.

    Parameters
    ----------
    estimator, data, columns, curves
        As in `caution_entries`.
    hold_out : str
        What to do so that rows are held out.
    """
    yield from of_functions(estimator.model_)
    yield from _of_other_rows(estimator.model_, curves, hold_out)
    yield from of_columns(data, columns)
    yield from _of_units(estimator, data)


def of_functions(model: AnyModel) -> Iterator[CautionEntry]:
    """Yield the warnings about a fit, or a caution that functions are many."""
    told = model.cautions
    for category, message in told:
        kind = category.__name__
        text, _, remedy = message.partition(" Use ")
        yield CautionEntry(TITLES.get(kind, kind), text, f"Use {remedy}")
    functions = model.freedom / model.n_rows
    if not told and functions > MANY_FUNCTIONS:
        yield CautionEntry(
            "Not many rows for this many functions",
            f"There are {unbroken_percent(functions)} as many functions as rows. What is left on "
            "the rows of the fit is then less than on others.",
            f"Use {model.remedy}a lower degree, fewer features, or more rows, and trust what "
            "is measured on other rows.",
        )


def _of_other_rows(model: AnyModel, curves: Curves, hold_out: str) -> Iterator[CautionEntry]:
    if curves.held_out is None:
        text = "All shares of variance are measured on the rows that were fitted."
        if model.eliminates:
            text = (
                "What is dropped was decided by rows left out of the fit. The other shares of "
                "variance are measured on the rows that were fitted."
            )
        if curves.gcv is not None and unbroken_percent(curves.gcv) != unbroken_percent(
            curves.explained
        ):
            text += (
                " Of new rows, generalized cross-validation expects "
                f"{unbroken_percent(curves.gcv)} to be explained in place of "
                f"{unbroken_percent(curves.explained)}."
            )
        yield CautionEntry(
            "No rows were held out",
            text,
            f"{hold_out} to measure them on held-out rows as well.",
            curves.gcv is not None and curves.explained - curves.gcv > GAP,
        )
    elif curves.explained - curves.held_out > GAP:
        yield CautionEntry(
            "Held-out rows are explained less well",
            f"The fit explains {unbroken_percent(curves.explained)} of the variance of its own "
            f"rows, and {unbroken_percent(curves.held_out)} of rows that took no part in it.",
            "Go by the second number. Fewer features, a lower degree or alpha='auto' bring the two "
            "together.",
        )


def of_columns(data: ReportRows, columns: list[Column]) -> Iterator[CautionEntry]:
    """Yield cautions about constant, rare and heavy columns."""
    heavy = sorted((each for each in columns if each.heavy), key=lambda each: -each.kurtosis)
    if heavy:
        yield CautionEntry(
            "Heavy tails",
            f"{counted(len(heavy), 'column')} with an excess kurtosis above 10: {_names(heavy)}. A "
            "few rows decide on their variance, and on their products even more.",
            "Look at the extreme rows; take logarithms or ranks, or clip, and see whether the "
            "result stays.",
        )
    still = [each for each in columns if each.constant]
    if still:
        yield CautionEntry(
            "Constant columns",
            f"{_names(still)} {plural(len(still), 'does', 'do')} not vary. Nothing can be learned "
            "from what is always the same, and it is never kept.",
            "Leave them out.",
            serious=False,
        )
    nearly = [each for each in columns if each.nearly_constant]
    if nearly:
        yield CautionEntry(
            "Nearly constant columns",
            f"{_names(nearly)}: at least 99 % of the values are the same. Whether such a column is "
            "kept depends on a handful of rows.",
            "Check that the other values are real, and leave the column out if they are not.",
        )
    missing = [each for each in columns if each.missing]
    if missing:
        n = sum(each.missing for each in missing)
        what = {
            "drop": "their rows were dropped",
            "keep": "their rows were left out, or filled by functions of the others",
        }.get(data.preprocessing.missing if data.preprocessing else "fill", "were filled in")
        yield CautionEntry(
            "Missing values",
            f"{counted(n, 'value')} in {_names(missing)} were missing, and {what}. A column that "
            "is filled in looks more predictable than it is.",
            "Compare with a fit to the complete rows.",
            serious=False,
        )


def _names(columns: list[Column]) -> str:
    return listed([each.name for each in columns])


def _of_units(estimator: Any, data: ReportRows) -> Iterator[CautionEntry]:
    deviations = data.sample.std(axis=0, dtype=np.float64)
    sizes = np.abs(data.sample).max(axis=0)
    varying = np.flatnonzero(deviations > 1e-12 * sizes)
    model = estimator.model_
    if not len(varying) or model.scale is not None:
        return
    if model.eliminates and model.selects:
        return  # which does not depend on units
    if any(issubclass(category, UnitsWarning) for category, _ in model.cautions):
        return  # which has been said
    largest, least = (varying[f(deviations[varying])] for f in (np.argmax, np.argmin))
    ratio = deviations[largest] / deviations[least]
    if ratio > SPREAD:
        yield CautionEntry(
            "Units decide",
            f"The deviation of “{data.names[largest]}” is {ratio:,.0f} times that of "
            f"“{data.names[least]}”. {type(estimator).__name__} goes by variances, as PCA does, so "
            "that columns in large units come first and hide the others.",
            "Fit with scale=True (--standardize), unless the units of all columns are the same and "
            "their sizes matter.",
        )


def of_formulas(model: AnyModel, selection: ShownSelection) -> Iterator[CautionEntry]:
    """Yield a caution if formulas explain little of dropped columns."""
    partial = [each.feature for each in selection.dropped if each.kind == "partial"]
    if partial and (model.selects or getattr(model, "basis", None)):
        yield CautionEntry(
            "Some of what is dropped is lost",
            f"The formulas of {listed(partial)} explain less than 90 % of their variance. They "
            "hold more than the formula says.",
            "Keep them if they matter to you, or ask for a larger share of the variance.",
        )


def _of_choice(found: Selection) -> Iterator[CautionEntry]:
    """Say what is doubtful about what was dropped whatever the order."""
    if found.start == "forward":
        yield CautionEntry(
            "Not all functions took part",
            "Functions of all columns are too many for so few rows. Some columns took part with "
            "their products, the others by themselves only, so that more may be redundant.",
            "Use more rows, fewer columns, or a lower degree.",
            serious=False,
        )
    if any(found.alternatives.values()):
        yield CautionEntry(
            "Other columns could be kept",
            "Some of what is dropped could be kept in place of something that is kept: the table "
            "of formulas says which. If you express no wish, GFA keeps the columns that others are "
            "made of, and of equals the first in the alphabet.",
            "Name the columns that you would rather keep: priority=[...] (--prefer), or keep=[...] "
            "(--keep) for those that must stay.",
            serious=False,
        )
    if found.refused:
        yield CautionEntry(
            "Some columns are explained in the fit only",
            f"{counted(len(found.refused), 'column')} seemed to follow from others, and were kept: "
            "on rows left out of the fit too much of them is left.",
            "Use more rows, or a lower degree, to know.",
            serious=False,
        )


def _of_order(estimator: Any) -> Iterator[CautionEntry]:
    model = estimator.model_
    if model.redundant is None:
        how = "is greedy: each choice depends on those before it and is never taken back"
        if model.best_sets is not None:
            how = "searches step by step and does not try all sets"
        text = (
            f"{model.algorithm} {how}, so that another set of the same size may explain a little "
            "more, and near ties may turn on a few rows."
        )
        remedy = "Call stability(X) to see how often each choice returns on resampled rows."
    else:
        text = (
            "Candidates are taken by decreasing variance, and redundant is only what follows from "
            "those taken before. If power and voltage come first, current is their quotient, "
            "which is no polynomial, and all three stay."
        )
        remedy = (
            "Put the columns first that you would rather keep: candidates of equal variance are "
            "taken in the given order."
        )
        if model.scale is None:
            remedy = "With scale=True (--standardize) all variances are equal. " + remedy
    yield CautionEntry("The order matters", text, remedy, serious=False)
