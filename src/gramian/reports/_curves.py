"""How many features are needed: what is left after each, beside PCA."""

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
"""The largest number of points of a curve on the page."""
LABELS = {
    "pca": "PCA",
    "fit": "{}, rows of the fit",
    "best": "best set of each size",
    "gcv": "estimate for new rows (GCV)",
    "held-out": "{}, held-out rows",
}
"""What curves are called, by their keys."""


@dataclass(frozen=True)
class Curve:
    """What is left, by the number of features."""

    key: str
    """One of `LABELS`."""
    label: str
    values: list[float | None]


@dataclass(frozen=True)
class Chart:
    """Curves that share an axis."""

    title: str
    axis: str
    curves: list[Curve]
    mark: float | None
    """Where the fit should stop."""
    mark_label: str
    is_share: bool


@dataclass(frozen=True)
class Curves:
    """All that is known about how many features are needed."""

    views: list[Chart]
    counts: list[int]
    """The numbers of features that the curves have values for."""
    axis: str
    n_pca: int | None
    """How many principal components leave as little, if some number does."""
    explained: float
    held_out: float | None
    gcv: float | None

    @property
    def total(self) -> Chart:
        """The view of the total variance."""
        return self.views[0]


def trace(estimator: Any, data: ReportRows) -> Curves:
    """Collect the residual variances of a fit, and PCA's.

    Parameters
    ----------
    estimator : estimator
        The fitted estimator.
    data : ReportRows
        The rows.
    """
    model: FittedModel = estimator.model_
    record = model.record
    variances, pca, n_pca = principal(model, data)
    n_steps = len(model.left) - 1
    # Far enough to see where PCA leaves as little, unless that is too far.
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
                "Largest of one",
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
    """Return the shares of the variance that a fit explains, of its own and of held-out rows."""
    held_out = model.held_out_left
    return 1 - float(model.left[-1]), None if held_out is None else 1 - held_out


def at(counts: IntArray, values: Array) -> list[float | None]:
    """Return the values for these numbers of features, None where there is none.

    Parameters
    ----------
    counts : array of int
        The numbers, in increasing order.
    values : array
        The values for 0, 1, ... features.
    """
    known = np.append(values, np.full(counts[-1] + 1, np.nan))[counts]
    return [v if np.isfinite(v) else None for v in known.tolist()]


def principal(model: AnyModel, data: ReportRows) -> tuple[Array, Array, int | None]:
    """Return what PCA does with the rows of a fit.

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
        How many components leave as little as the fit, if some number does.
    """
    table = model.scaled(data.sample)
    x = table.astype(np.float64) - table.mean(axis=0, dtype=np.float64)
    # The smaller of XᵀX and XXᵀ has all eigenvalues that are not zero.
    gram = x.T @ x if x.shape[1] <= x.shape[0] else x @ x.T
    variances = np.clip(np.linalg.eigvalsh(gram)[::-1] / len(x), 0.0, None)
    left = shares(np.append(np.cumsum(variances[::-1])[::-1], 0.0))
    enough = np.flatnonzero(left <= model.left[-1] + 1e-12)
    return variances, left, int(enough[0]) if len(enough) else None


def shares(values: Array) -> Array:
    """Return values as shares of the first of them."""
    return values / (values[0] or 1.0)


def label_of(curves: Curves, subject: str, *more: str) -> str:
    """Say what the chart of curves shows.

    Parameters
    ----------
    curves : Curves
        The curves.
    subject : str
        What falls.
    *more : str
        What else there is to say.
    """
    parts = [
        f"Share of the variance left, by {curves.axis}. {subject} falls to "
        f"{unbroken_percent(1 - curves.explained)} on the rows of the fit"
    ]
    if curves.held_out is not None:
        parts.append(f"to {unbroken_percent(1 - curves.held_out)} on held-out rows")
    return "; ".join([*parts, *more]) + "."
