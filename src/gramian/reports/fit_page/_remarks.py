"""Cautions on the page: problems of a fit or of its data, each with a remedy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gramian._support.words import counted, either, listed, plural
from gramian.core.elimination import Selection
from gramian.estimators import unbroken_percent
from gramian.fitting import (
    AnyModel,
    Caution,
    EliminationSearch,
    FittedModel,
    NearDependence,
    Overfitting,
    Remedy,
    Saturation,
    SetSearch,
    TrimmedRows,
    UnequalUnits,
)
from gramian.reports.fit_page._column_cards import Column
from gramian.reports.fit_page._curves import Curves
from gramian.reports.fit_page._report_rows import ReportRows
from gramian.reports.fit_page._selection_tables import ShownSelection

MANY_FUNCTIONS = 0.2
"""The page has a caution if the number of functions, divided by the number of rows, is above this:
residual variances on the rows of the fit are then noticeably too small."""
MAX_OVER_LEAST = 100.0
"""The page has a caution about units if the largest standard deviation of a column, divided by the
smallest, is above this."""
MAX_GAP = 0.02
"""The page has a serious caution if the explained share of the variance is larger by more than this
on the rows of the fit than on other rows."""
REMEDIES = {
    Remedy.AUTO_ALPHA: "alpha='auto' (--alpha auto)",
    Remedy.AUTO_DEGREE: "degree='auto' (--degree auto)",
    Remedy.LOWER_DEGREE: "a lower degree",
    Remedy.FEWER_FEATURES: "fewer features",
    Remedy.MORE_ROWS: "more rows",
    Remedy.QR_SOLVER: "solver='qr' if the data fit in memory",
    Remedy.BETTER_FAMILY: "family='hermite' (--family hermite)",
    Remedy.SCALE: "scale=True (--standardize), unless all columns have the same unit",
    Remedy.ALL_ROWS: "robust=False if all rows should be fitted",
}
"""Text on the page for each remedy: the parameter to set, with the option of the command."""


@dataclass(frozen=True)
class CautionEntry:
    """A caution as the page shows it: title, text and remedy."""

    title: str
    text: str
    remedy: str
    serious: bool = True
    """True if the problem may change which columns to keep; False for a note."""


def caution_entries(
    estimator: Any,
    data: ReportRows,
    columns: list[Column],
    curves: Curves,
    selection: ShownSelection,
) -> list[CautionEntry]:
    """Return all cautions for the page about a selection; serious cautions come first.

    Parameters
    ----------
    estimator : estimator
        The fitted estimator.
    data : ReportRows
        The rows that the report is about.
    columns : list of Column
        Statistics of each column.
    curves : Curves
        Residual variances of the fit.
    selection : ShownSelection
        The columns or directions that the fit keeps and drops.
    """
    search = estimator.model_.search
    found = [
        *_of_exceptions(estimator.model_),
        *of_any_fit(estimator.model_, data, columns, curves, "Fit with validation_fraction=0.2"),
        *_of_formulas(estimator, selection),
        *(
            _of_choice(search.selection)
            if isinstance(search, EliminationSearch)
            else _of_order(estimator.model_)
        ),
    ]
    return most_serious_first(found)


def _of_exceptions(model: FittedModel) -> Iterator[CautionEntry]:
    """Yield a caution for each law that computes a column except in some rows."""
    for law in model.near_laws:
        rows = f"but for {law.n_exceptions:,} of {law.n_rows:,} rows"
        yield CautionEntry(
            f"{law.column} breaks its law in {law.n_exceptions:,} rows",
            f"{law.column} = {law.law} {rows}, whose cells do not come back."
            if law.dropped
            else f"{law.column} would follow from {law.law} {rows}, and is kept.",
            "Look for wrong cells there.",
        )


def most_serious_first(found: Iterable[CautionEntry]) -> list[CautionEntry]:
    """Return serious cautions first, then notes; within each group the order does not change."""
    return sorted(found, key=lambda caution: not caution.serious)


def of_any_fit(
    model: AnyModel, data: ReportRows, columns: list[Column], curves: Curves, hold_out: str
) -> Iterator[CautionEntry]:
    """Yield the cautions that can concern every fit: about functions, rows, columns and units.

    Parameters
    ----------
    model : AnyModel
        The fitted model.
    data, columns, curves
        Parameters of `caution_entries`.
    hold_out : str
        Advice how to hold out rows, such as "Fit with validation_fraction=0.2".
    """
    yield from about_functions(model.cautions, model.freedom / model.n_rows, model.remedies)
    yield from _of_other_rows(model, curves, hold_out)
    yield from about_columns(data, columns)
    yield from _of_units(model, data)


def about_functions(
    cautions: Sequence[Caution], functions: float, remedies: Sequence[Remedy]
) -> Iterator[CautionEntry]:
    """Yield the cautions that the fit itself found.

    If the fit found none, but has many functions for its rows, yield a caution about this.

    Parameters
    ----------
    cautions : sequence of Caution
        The cautions that the fit found.
    functions : float
        Effective number of functions, divided by the number of rows.
    remedies : sequence of Remedy
        Remedies against too many functions, the best first.
    """
    for caution in cautions:
        title, text = _worded(caution)
        yield CautionEntry(title, text, f"Use {_remedies(caution.remedies)}.")
    if not cautions and functions > MANY_FUNCTIONS:
        yield CautionEntry(
            "Not many rows for this many functions",
            f"There are {unbroken_percent(functions)} as many functions as rows. Residual "
            "variances are then smaller on the rows of the fit than on new rows.",
            f"Use {_remedies(remedies)}, and trust residual variances of held-out rows.",
        )


def _worded(caution: Caution) -> tuple[str, str]:
    """Return the title and the text with which the page shows a caution of the fit."""
    match caution:
        case Saturation():
            return "The functions span all rows", (
                f"After {caution.n_steps} steps the functions span all {caution.n_rows:,} rows. "
                "Every residual is then zero, whatever the data, and the fit stopped."
            )
        case Overfitting():
            return "Too few rows for this many functions", (
                f"{caution.n_functions:,.0f} functions were fitted to {caution.n_rows:,} rows. "
                "Above half as many functions as rows, residual variances on the rows of the fit "
                "are far too small."
            )
        case NearDependence():
            return "Rounding errors may show", (
                "The functions are close to linearly dependent. Residual variances may be off by "
                f"a relative {caution.loss:.0e}."
            )
        case UnequalUnits():
            return "One unit hides the others", (
                f"The standard deviation of “{caution.column}” is {caution.ratio:,.3g} times the "
                f"median of all columns. {caution.algorithm} compares variances, as PCA does, so "
                "that this column hides the others."
            )
        case TrimmedRows():
            return "Some rows were not fitted", (
                f"{caution.n_trimmed:,} of {caution.n_rows:,} rows lie far from the others and "
                "would decide the fit. They took no part in it: look for wrong cells there."
            )
    raise NotImplementedError(type(caution))


def _remedies(remedies: Sequence[Remedy]) -> str:
    """Return a text that lists remedies, such as "fewer features or more rows"."""
    return either(REMEDIES[each] for each in remedies)


def _of_other_rows(model: AnyModel, curves: Curves, hold_out: str) -> Iterator[CautionEntry]:
    """Yield a caution if no rows were held out, or if held-out rows are explained less well.

    Parameters
    ----------
    model : AnyModel
        The fitted model.
    curves : Curves
        Residual variances of the fit.
    hold_out : str
        Advice how to hold out rows, such as "Fit with validation_fraction=0.2".
    """
    if curves.held_out is None:
        text = "All shares of variance are measured on the rows of the fit."
        if model.eliminates:
            text = (
                "Rows left out of the fit decided which columns to drop. The other shares of "
                "variance are measured on the rows of the fit."
            )
        if curves.gcv is not None and unbroken_percent(curves.gcv) != unbroken_percent(
            curves.explained
        ):
            text += (
                " For new rows, generalized cross-validation expects "
                f"{unbroken_percent(curves.gcv)} explained in place of "
                f"{unbroken_percent(curves.explained)}."
            )
        yield CautionEntry(
            "No rows were held out",
            text,
            f"{hold_out} to measure the shares on held-out rows as well.",
            curves.gcv is not None and curves.explained - curves.gcv > MAX_GAP,
        )
    elif curves.explained - curves.held_out > MAX_GAP:
        yield CautionEntry(
            "Held-out rows are explained less well",
            f"The fit explains {unbroken_percent(curves.explained)} of the variance of its own "
            f"rows, and {unbroken_percent(curves.held_out)} of the variance of held-out rows.",
            "Trust the second number. Fewer features, a lower degree or alpha='auto' make the "
            "difference smaller.",
        )


def about_columns(data: ReportRows, columns: list[Column]) -> Iterator[CautionEntry]:
    """Yield cautions about heavy tails, constant columns and missing values in the data."""
    heavy = sorted((each for each in columns if each.heavy), key=lambda each: -each.kurtosis)
    if heavy:
        yield CautionEntry(
            "Heavy tails",
            f"{counted(len(heavy), 'column')} with an excess kurtosis above 10: {_names(heavy)}. A "
            "few extreme rows decide the variance of such a column, and even more that of its "
            "products.",
            "Look at the extreme rows. Take logarithms or ranks of the columns, or clip them, and "
            "check that the result stays.",
        )
    still = [each for each in columns if each.constant]
    if still:
        yield CautionEntry(
            "Constant columns",
            f"{_names(still)} {plural(len(still), 'does', 'do')} not vary. A constant column tells "
            "nothing about other columns, and is never kept.",
            "Leave constant columns out.",
            serious=False,
        )
    nearly = [each for each in columns if each.nearly_constant]
    if nearly:
        yield CautionEntry(
            "Nearly constant columns",
            f"{_names(nearly)}: at least 99 % of the values are equal. A handful of rows decides "
            "whether such a column is kept.",
            "Check that the other values are real. If not, leave the column out.",
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
            f"{counted(n, 'value')} in {_names(missing)} were missing, and {what}. A column with "
            "filled-in values looks more predictable than it is.",
            "Compare with a fit to the rows without missing values.",
            serious=False,
        )


def _names(columns: list[Column]) -> str:
    return listed([each.name for each in columns])


def _of_units(model: AnyModel, data: ReportRows) -> Iterator[CautionEntry]:
    """Yield a caution if a fit compares variances, and the variances of columns differ much."""
    deviations = data.sample.std(axis=0, dtype=np.float64)
    sizes = np.abs(data.sample).max(axis=0)
    varying = np.flatnonzero(deviations > 1e-12 * sizes)
    if not len(varying) or model.scale is not None:
        return
    if model.eliminates and model.selects:
        return  # a selection by backward elimination does not depend on units
    if any(isinstance(caution, UnequalUnits) for caution in model.cautions):
        return  # the fit itself has found a caution about units
    largest, least = (varying[f(deviations[varying])] for f in (np.argmax, np.argmin))
    ratio = deviations[largest] / deviations[least]
    if ratio > MAX_OVER_LEAST:
        yield CautionEntry(
            "Units decide",
            f"The standard deviation of “{data.names[largest]}” is {ratio:,.0f} times that of "
            f"“{data.names[least]}”. {model.algorithm} compares variances, as PCA does, so that "
            "columns with large numbers come first and hide the others.",
            "Fit with scale=True (--standardize), unless all columns have the same unit.",
        )


def _of_formulas(estimator: Any, selection: ShownSelection) -> Iterator[CautionEntry]:
    """Yield a caution if the formulas of dropped columns explain less than 90 % of the variance."""
    partial = [each.feature for each in selection.dropped if each.kind == "partial"]
    model = estimator.model_
    if partial and model.kept.has_candidates:
        yield CautionEntry(
            "Some information is lost",
            f"The formulas of {listed(partial)} explain less than 90 % of the variance. These "
            "columns hold information that the formulas do not have.",
            "Keep these columns if they matter to you, or ask for a larger share of the variance.",
        )


def _of_choice(found: Selection) -> Iterator[CautionEntry]:
    """Yield cautions about a selection that starts with all columns and drops some of them."""
    if found.start == "forward":
        yield CautionEntry(
            "Not all functions took part",
            "There are too few rows for functions of all columns. Some columns took part with "
            "their products, the others without, so that more columns may be redundant.",
            "Use more rows, fewer columns, or a lower degree.",
            serious=False,
        )
    if any(found.alternatives.values()):
        yield CautionEntry(
            "Other columns could be kept",
            "Some dropped columns could be kept in place of kept columns: the table of formulas "
            "names the pairs. By default GFA keeps the columns that others are computed from, and "
            "of equal candidates the first in the alphabet.",
            "Name the columns that you would rather keep: priority=[...] (--prefer), or keep=[...] "
            "(--keep) for columns that must stay.",
            serious=False,
        )
    if found.refused:
        yield CautionEntry(
            "Some columns are explained in the fit only",
            f"{counted(len(found.refused), 'column')} seemed to follow from others on the rows of "
            "the fit, but not on rows left out of the fit, and were kept.",
            "Use more rows, or a lower degree.",
            serious=False,
        )


def _of_order(model: FittedModel) -> Iterator[CautionEntry]:
    """Yield a note that a forward selection depends on the order in which columns are chosen."""
    if not model.search.tells_redundant:
        how = "is greedy: each choice depends on earlier choices and is never taken back"
        if isinstance(model.search, SetSearch):
            how = "searches step by step and does not try all sets"
        text = (
            f"{model.algorithm} {how}, so that another set of the same size may explain a little "
            "more, and a few rows may decide between nearly equal choices."
        )
        remedy = "Call stability(X) to see how often each choice returns on resampled rows."
    else:
        text = (
            "Candidates are taken by decreasing variance. A candidate is redundant only if it "
            "follows from candidates taken before. If power and voltage come first, current is "
            "their quotient, which is not a polynomial, and all three are kept."
        )
        remedy = (
            "Put the columns first that you would rather keep: candidates of equal variance are "
            "taken in the given order."
        )
        if model.scale is None:
            remedy = "With scale=True (--standardize) all variances are equal. " + remedy
    yield CautionEntry("The order matters", text, remedy, serious=False)
