"""Page of UFFS: curves, formulas and cautions of a fit that has no decoder of its own."""

from __future__ import annotations

import warnings

import numpy as np

from gramian.estimators import GFS, UFFS
from gramian.families import Multilinear
from gramian.fitting import FittedNorms
from gramian.reports._column_cards import Column
from gramian.reports._curves import LABELS, Chart, Curve, Curves, at, explained, principal
from gramian.reports._remarks import (
    CautionEntry,
    most_serious_first,
    of_columns,
    of_formulas,
    of_functions,
)
from gramian.reports._report_rows import ReportRows
from gramian.reports._selection_tables import KeptEntry, ShownSelection, explain_dropped


def products_of_two(estimator: UFFS) -> Multilinear:
    """Return the family of formulas and directions: all products of UFFS are too many."""
    return Multilinear(1 if estimator.degree == 1 else 2)


def norms_curves(model: FittedNorms, data: ReportRows) -> Curves:
    """Return the residual variances of UFFS and of PCA.

    Parameters
    ----------
    model : FittedNorms
        The fit.
    data : ReportRows
        The rows.
    """
    variances, pca, n_pca = principal(model, data)
    largest = model.record.largest
    counts = np.arange(len(model.left))
    views = {
        "Total variance": ("share of the variance left", pca, model.left),
        "Largest of one": (
            "largest variance left",
            np.append(variances, 0.0),
            largest,
        ),
    }
    threshold, relative = model.asked.threshold, model.asked.relative
    charts = []
    for title, (axis, linear, left) in views.items():
        of_one = title == "Largest of one"
        if of_one and (not threshold or relative):
            continue
        charts.append(
            Chart(
                title,
                axis,
                [
                    Curve("pca", LABELS["pca"], at(counts, linear)),
                    Curve("fit", LABELS["fit"].format(model.algorithm), at(counts, left)),
                ],
                mark=threshold if of_one else None,
                mark_label=f"threshold {threshold:g}" if of_one else "",
                is_share=not of_one,
            )
        )
    axis = "columns gone through, in their order"
    return Curves(charts, counts.tolist(), axis, n_pca, *explained(model), None)


def norms_selection(estimator: UFFS, data: ReportRows) -> ShownSelection:
    """Return the selected columns, and formulas of the others in products of two.

    Parameters
    ----------
    estimator : UFFS
        The fitted estimator.
    data : ReportRows
        The rows.
    """
    model, chosen = estimator.model_, estimator.selected_features_.tolist()
    squares = model.norms**2
    kept = [KeptEntry(data.names[i], "", float(squares[i]), None, None) for i in chosen]
    if not chosen:
        return ShownSelection(kept, None, 0, 0, {})
    decoding = GFS(len(chosen), given=chosen, family=products_of_two(estimator), alpha=0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the page warns of the fit of UFFS
        decoding.fit(data.sample)
    explanation, n_tested = explain_dropped(decoding.model_, data)
    n_without = 0
    if explanation is not None:
        n_without = len(decoding.model_.dropped) - len(explanation)
    return ShownSelection(kept, explanation, n_tested, n_without, {})


def norms_cautions(
    model: FittedNorms, data: ReportRows, columns: list[Column], selection: ShownSelection
) -> list[CautionEntry]:
    """Return the cautions about a fit of UFFS, the most serious first.

    Parameters
    ----------
    model : FittedNorms
        The fit.
    data : ReportRows
        The rows.
    columns : list of Column
        The descriptions of the columns.
    selection : ShownSelection
        The kept and dropped columns.
    """
    order = CautionEntry(
        "The order matters",
        "UFFS goes through the columns in the order in which they are given: with another order it "
        "may keep other columns, and as many as are new in that order.",
        "Put the columns first that you would rather keep, or use GFS, which orders them itself.",
        serious=False,
    )
    return most_serious_first(
        [*of_functions(model), *of_columns(data, columns), *of_formulas(model, selection), order]
    )
