"""Page about UFFS: the columns, their Fourier norms, and cautions.

UFFS computes no column from others, so that the page has no formulas.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from gramian.estimators import UFFS
from gramian.reports.fit_page._column_cards import Column
from gramian.reports.fit_page._curves import Chart, Curve, Curves, at, principal_variances, shares
from gramian.reports.fit_page._remarks import CautionEntry, about_columns, about_functions
from gramian.reports.fit_page._report_rows import ReportRows


@dataclass(frozen=True)
class NormEntry:
    """A column and its squared Fourier norm: one row in a table of the page."""

    name: str
    squared_norm: float


def norm_entries(estimator: UFFS, data: ReportRows) -> tuple[list[NormEntry], list[NormEntry]]:
    """Return two lists of entries: kept columns, and dropped columns; the largest norm is first.

    Parameters
    ----------
    estimator : UFFS
        The fitted estimator.
    data : ReportRows
        The rows that the report is about; only their column names are used.
    """
    squares = estimator.fourier_norms_**2
    kept = estimator.selected_features_.tolist()
    others = [i for i in np.argsort(-squares, kind="stable").tolist() if i not in set(kept)]
    entries = [NormEntry(name, float(squares[i])) for i, name in enumerate(data.names)]
    return [entries[i] for i in kept], [entries[i] for i in others]


def norm_curves(estimator: UFFS, data: ReportRows) -> Curves:
    """Return the chart of the residual share of the variance after each column, for UFFS and PCA.

    Parameters
    ----------
    estimator : UFFS
        The fitted estimator.
    data : ReportRows
        The rows that the report is about; PCA is computed from a sample of them.
    """
    left = shares(estimator.total_residual_variance_)
    counts = np.arange(len(left))
    variances = principal_variances(estimator.model_.deviations(data.sample))
    pca = shares(np.append(np.cumsum(variances[::-1])[::-1], 0.0))
    curves = [
        Curve("pca", "PCA", at(counts, pca)),
        Curve("fit", "UFFS, rows of the fit", at(counts, left)),
    ]
    view = Chart("Total variance", "share of the variance left", curves, None, "", is_share=True)
    axis = "columns gone through, in their order"
    return Curves([view], counts.tolist(), axis, None, 1 - float(left[-1]), None, None)


def norm_cautions(
    estimator: UFFS, data: ReportRows, columns: list[Column]
) -> Iterator[CautionEntry]:
    """Yield the cautions about a fit of UFFS: about functions, columns, and the order of columns.

    Parameters
    ----------
    estimator : UFFS
        The fitted estimator.
    data : ReportRows
        The rows that the report is about.
    columns : list of Column
        Statistics of each column.
    """
    model = estimator.model_
    yield from about_functions(model.cautions, model.freedom / model.n_rows, model.remedies)
    yield from about_columns(data, columns)
    yield CautionEntry(
        "The order matters",
        "UFFS goes through the columns in the order in which they are given: with another order it "
        "may keep other columns, and another number of columns.",
        "Put the columns first that you would rather keep, or use GFS, which finds an order.",
        serious=False,
    )
