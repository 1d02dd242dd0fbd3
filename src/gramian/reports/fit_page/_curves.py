"""Curves of the residual variance after 0, 1, 2, ... features, for a fit and for PCA."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gramian._support.types import Array, IntArray
from gramian._support.words import percent
from gramian.estimators import unbroken_percent
from gramian.fitting import AnyModel, FittedModel, SetSearch
from gramian.reports.fit_page._report_rows import ReportRows

MAX_POINTS = 400
"""Largest number of points in a curve on the page; longer curves are thinned out."""
LABELS = {
    "pca": "PCA",
    "fit": "{}, rows of the fit",
    "best": "best set of each size",
    "gcv": "estimate for new rows (GCV)",
    "held-out": "{}, held-out rows",
}
"""Label of each kind of curve in the legend; {} stands for the name of the algorithm."""


@dataclass(frozen=True)
class Curve:
    """One curve of a chart: the residual variance after 0, 1, 2, ... features."""

    key: str
    """Kind of the curve: a key of `LABELS`."""
    label: str
    values: list[float | None]
    """Residual variances at the numbers of features in `Curves.counts`; None for no point."""


@dataclass(frozen=True)
class Chart:
    """One chart: several curves with a common vertical axis."""

    title: str
    axis: str
    """Label of the vertical axis."""
    curves: list[Curve]
    mark: float | None
    """Height of a horizontal line: the residual variance at which the fit should stop, or, on the
    page about a surface, the residual share of PCA. None for no line."""
    mark_label: str
    is_share: bool
    """True if the values are shares of the variance, which are shown in per cent."""


@dataclass(frozen=True)
class Curves:
    """All charts of a fit, and the shares of the variance that the fit explains."""

    views: list[Chart]
    """Charts that the reader can choose from; the first chart shows the total variance."""
    counts: list[int]
    """Numbers of features at which the curves have points."""
    axis: str
    """Label of the horizontal axis."""
    n_pca: int | None
    """Smallest number of principal components that explain as much as the fit; None if it is not
    computed."""
    explained: float
    """Share of the variance that the fit explains on its own rows."""
    held_out: float | None
    """Share of the variance that the fit explains on held-out rows; None without such rows."""
    gcv: float | None
    """Share of the variance that the fit is expected to explain on new rows, estimated by
    generalized cross-validation; None if there is no estimate."""

    @property
    def total(self) -> Chart:
        """Chart of the share of the total variance that is not explained."""
        return self.views[0]


def trace(model: FittedModel, data: ReportRows) -> Curves:
    """Make the charts of the residual variances of a fit and of PCA.

    Parameters
    ----------
    model : FittedModel
        The fitted model.
    data : ReportRows
        The rows that the report is about; PCA is computed from a sample of them.
    """
    record = model.record
    variances, pca, n_pca = principal(model, data)
    n_steps = len(model.left) - 1
    # The axis reaches the number of components at which PCA explains as much as the fit, unless
    # this number is larger than 2 * n_steps + 2.
    length = 1 + max(n_steps, min(n_pca or 0, 2 * n_steps + 2))
    counts = np.arange(length)
    if length > MAX_POINTS:
        counts = np.unique(np.linspace(0, length - 1, MAX_POINTS).astype(int))

    def view(title: str, axis: str, curves: dict[str, Array | None], **mark: Any) -> Chart:
        known = {key: values for key, values in curves.items() if values is not None}
        labels = [LABELS[key].format(model.algorithm) for key in known]
        shown = [at(counts, values) for values in known.values()]
        return Chart(title, axis, list(map(Curve, known, labels, shown)), **mark)

    gcv = record.gcv_total / (record.total[0] or 1.0)
    held_out = None if record.validation_total is None else shares(record.validation_total)
    best = shares(model.search.sets.total) if isinstance(model.search, SetSearch) else None
    wanted = model.asked.explained
    views = [
        view(
            "Total variance",
            "share of the variance left",
            {"pca": pca, "fit": model.left, "best": best, "gcv": gcv, "held-out": held_out},
            mark=None if wanted is None else 1 - wanted,
            mark_label="" if wanted is None else f"asked for: {percent(wanted)} explained",
            is_share=True,
        )
    ]
    threshold = model.asked.threshold
    if threshold and not model.asked.relative:
        views.append(
            view(
                "Largest variance",
                "largest variance left",
                {
                    "pca": np.append(variances, 0.0),
                    "fit": record.largest,
                    "held-out": record.validation_largest,
                },
                mark=float(threshold),
                mark_label=f"threshold {threshold:g}",
                is_share=False,
            )
        )
    return Curves(
        views,
        counts.tolist(),
        "number of features",
        n_pca,
        *explained(model),
        1 - float(gcv[-1]) if np.isfinite(gcv[-1]) else None,
    )


def explained(model: AnyModel) -> tuple[float, float | None]:
    """Return the explained share of the variance on the rows of the fit, and on held-out rows.

    The second share is None if no rows were held out.
    """
    held_out = model.held_out_left
    return 1 - float(model.left[-1]), None if held_out is None else 1 - held_out


def at(counts: IntArray, values: Array) -> list[float | None]:
    """Return the values at the numbers of features in `counts`; None where there is no value.

    Parameters
    ----------
    counts : array of int
        Numbers of features, in increasing order.
    values : array
        Values for 0, 1, ... features. The array may end before the last of `counts`.
    """
    known = np.append(values, np.full(counts[-1] + 1, np.nan))[counts]
    return [v if np.isfinite(v) else None for v in known.tolist()]


def principal(model: AnyModel, data: ReportRows) -> tuple[Array, Array, int | None]:
    """Compute PCA of the rows of a report, to compare the fit with PCA.

    Parameters
    ----------
    model : AnyModel
        The fitted model. Columns are scaled for PCA if they were scaled for the fit.
    data : ReportRows
        The rows that the report is about.

    Returns
    -------
    variances : array
        The variances along the principal directions, the largest first.
    left : array
        The shares of the variance that 0, 1, ... principal components do not explain.
    n_pca : int or None
        The smallest number of components that explain at least as much as the fit; None if no
        number of components does.
    """
    variances = principal_variances(model.deviations(data.sample))
    left = shares(np.append(np.cumsum(variances[::-1])[::-1], 0.0))
    enough = np.flatnonzero(left <= model.left[-1] + 1e-12)
    return variances, left, int(enough[0]) if len(enough) else None


def principal_variances(x: Array) -> Array:
    """Return the variances along the principal directions, the largest first.

    Parameters
    ----------
    x : array of shape (n_rows, n_columns)
        Rows whose columns have mean 0.
    """
    # XᵀX and XXᵀ have equal nonzero eigenvalues; the smaller matrix is faster.
    gram = x.T @ x if x.shape[1] <= x.shape[0] else x @ x.T
    variances: Array = np.clip(np.linalg.eigvalsh(gram)[::-1] / len(x), 0.0, None)
    return variances


def shares(values: Array) -> Array:
    """Return all values divided by the first value; unchanged values if the first value is 0."""
    return values / (values[0] or 1.0)


def label_of(curves: Curves, subject: str, *more: str) -> str:
    """Return a sentence that describes the charts of a fit, for screen readers.

    Parameters
    ----------
    curves : Curves
        The charts.
    subject : str
        Beginning of the sentence about the fit, such as "With 3 features of GFS it".
    *more : str
        Further parts of the sentence; they follow after semicolons.
    """
    parts = [
        f"Share of the variance left, by {curves.axis}. {subject} falls to "
        f"{unbroken_percent(1 - curves.explained)} on the rows of the fit"
    ]
    if curves.held_out is not None:
        parts.append(f"to {unbroken_percent(1 - curves.held_out)} on held-out rows")
    return "; ".join([*parts, *more]) + "."
