"""Curves of the residual variance by the number of features, for a fit and for PCA."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gramian._support.types import Array, IntArray
from gramian._support.words import percent
from gramian.estimators import unbroken_percent
from gramian.fitting import AnyModel, FittedModel
from gramian.reports._report_rows import ReportRows

MAX_POINTS = 400
"""Largest number of points of a curve on the page."""
LABELS = {
    "pca": "PCA",
    "fit": "{}, rows of the fit",
    "best": "best set of each size",
    "gcv": "estimate for new rows (GCV)",
    "held-out": "{}, held-out rows",
}
"""Labels of curves by key."""


@dataclass(frozen=True)
class Curve:
    """Residual variance by the number of features."""

    key: str
    """Key of `LABELS`."""
    label: str
    values: list[float | None]


@dataclass(frozen=True)
class Chart:
    """Curves that share an axis."""

    title: str
    axis: str
    curves: list[Curve]
    mark: float | None
    """Value at which the fit should stop; None if no value was asked for."""
    mark_label: str
    is_share: bool


@dataclass(frozen=True)
class Curves:
    """Curves of a fit, and the shares of the variance that the fit explains."""

    views: list[Chart]
    counts: list[int]
    """Numbers of features at which the curves have values."""
    axis: str
    n_pca: int | None
    """Number of principal components that leave as little; None if no number does."""
    explained: float
    """Explained share of the variance on the rows of the fit."""
    held_out: float | None
    """Explained share on held-out rows; None if no rows were held out."""
    gcv: float | None
    """Explained share of new rows, estimated by generalized cross-validation; None if not known."""

    @property
    def total(self) -> Chart:
        """Chart of the total variance."""
        return self.views[0]


def trace(model: FittedModel, data: ReportRows) -> Curves:
    """Collect the residual variances of a fit and of PCA.

    Parameters
    ----------
    model : FittedModel
        The fit.
    data : ReportRows
        The rows.
    """
    record = model.record
    variances, pca, n_pca = principal(model, data)
    n_steps = len(model.left) - 1
    # Long enough to see where PCA leaves as little, unless that is too far.
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
    best = None if model.best_sets is None else shares(model.best_sets.total)
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
    """Return the shares of the variance that a fit explains, on its own and on held-out rows."""
    held_out = model.held_out_left
    return 1 - float(model.left[-1]), None if held_out is None else 1 - held_out


def at(counts: IntArray, values: Array) -> list[float | None]:
    """Return the values at some numbers of features; None beyond the last value.

    Parameters
    ----------
    counts : array of int
        Numbers of features, in increasing order.
    values : array
        Values for 0, 1, ... features.
    """
    known = np.append(values, np.full(counts[-1] + 1, np.nan))[counts]
    return [v if np.isfinite(v) else None for v in known.tolist()]


def principal(model: AnyModel, data: ReportRows) -> tuple[Array, Array, int | None]:
    """Return the variances and residual shares of PCA on the rows of a report.

    Parameters
    ----------
    model : AnyModel
        The fit.
    data : ReportRows
        The rows.

    Returns
    -------
    variances : array
        The variances along the principal directions, the largest first.
    left : array
        The shares of the variance that 0, 1, ... components leave.
    n_pca : int or None
        The number of components that leave as little as the fit; None if no number does.
    """
    variances = principal_variances(model.scaled(data.sample))
    left = shares(np.append(np.cumsum(variances[::-1])[::-1], 0.0))
    enough = np.flatnonzero(left <= model.left[-1] + 1e-12)
    return variances, left, int(enough[0]) if len(enough) else None


def principal_variances(table: Array) -> Array:
    """Return the variances along the principal directions, the largest first.

    Parameters
    ----------
    table : array of shape (n_rows, n_columns)
        The rows.
    """
    x = table.astype(np.float64) - table.mean(axis=0, dtype=np.float64)
    # The smaller of XᵀX and XXᵀ has all eigenvalues that are not zero.
    gram = x.T @ x if x.shape[1] <= x.shape[0] else x @ x.T
    variances: Array = np.clip(np.linalg.eigvalsh(gram)[::-1] / len(x), 0.0, None)
    return variances


def shares(values: Array) -> Array:
    """Return values as shares of the first value."""
    return values / (values[0] or 1.0)


def label_of(curves: Curves, subject: str, *more: str) -> str:
    """Describe a chart of curves in words, for screen readers.

    Parameters
    ----------
    curves : Curves
        The curves.
    subject : str
        Subject of the sentence about the fit.
    *more : str
        More parts of the sentence.
    """
    parts = [
        f"Share of the variance left, by {curves.axis}. {subject} falls to "
        f"{unbroken_percent(1 - curves.explained)} on the rows of the fit"
    ]
    if curves.held_out is not None:
        parts.append(f"to {unbroken_percent(1 - curves.held_out)} on held-out rows")
    return "; ".join([*parts, *more]) + "."
