"""Page about UFFS: the order of the columns, their Fourier norms, and cautions.

UFFS computes no column from others, so that the page has no formulas.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from gramian.estimators import UFFS
from gramian.reports._column_cards import Column
from gramian.reports._curves import Chart, Curve, Curves, at, principal_variances, shares
from gramian.reports._remarks import CautionEntry, about_columns, about_functions
from gramian.reports._report_rows import ReportRows


@dataclass(frozen=True)
class NormEntry:
    """A column and its Fourier norm."""

    name: str
    squared_norm: float


def norm_entries(estimator: UFFS, data: ReportRows) -> tuple[list[NormEntry], list[NormEntry]]:
    """Return the entries of kept columns and of dropped columns, the largest norm first.

    Parameters
    ----------
    estimator : UFFS
        The fitted estimator.
    data : ReportRows
        The rows.
    """
    squares = estimator.fourier_norms_**2
    kept = estimator.selected_features_.tolist()
    others = [i for i in np.argsort(-squares, kind="stable").tolist() if i not in set(kept)]
    entries = [NormEntry(name, float(squares[i])) for i, name in enumerate(data.names)]
    return [entries[i] for i in kept], [entries[i] for i in others]


def norm_curves(estimator: UFFS, data: ReportRows) -> Curves:
    """Return the share of the variance that is left after each column, beside PCA.

    Parameters
    ----------
    estimator : UFFS
        The fitted estimator.
    data : ReportRows
        The rows.
    """
    left = shares(estimator.total_residual_variance_)
    counts = np.arange(len(left))
    variances = principal_variances(data.sample)
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
    """Yield the cautions about a fit of UFFS.

    Parameters
    ----------
    estimator : UFFS
        The fitted estimator.
    data : ReportRows
        The rows.
    columns : list of Column
        Statistics of the columns.
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
