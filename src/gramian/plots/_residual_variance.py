"""Plot of the residual variance against the number of features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import svdvals
from sklearn.utils.validation import check_array

from gramian._support.extras import require
from gramian._support.types import Array
from gramian.fitting import FittedModel
from gramian.plots._style import (
    BLUE,
    GREEN,
    ORANGE,
    THRESHOLD,
    Display,
    check_by_feature,
    floats,
    tidy,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

VarianceKind = Literal["total", "largest"]
"""Kind of residual variance: share of the total variance, or largest variance of a feature."""
MARKED = 40
"""Curves with at most this many points have a marker at each point."""


class ResidualVarianceDisplay(Display):
    """Plot of the residual variance of a fit against the number of features.

    Use :meth:`from_estimator` to make the plot from a fitted estimator.

    Parameters
    ----------
    residual : array of shape (n_features + 1,)
        Residual variance on the rows of the fit, with 0, 1, 2, ... features.
    validation : array-like, optional
        Residual variance on held-out rows, with 0, 1, 2, ... features.
    gcv : array-like, optional
        Residual variance that is expected on new rows, by generalized cross-validation.
    pca : array-like, optional
        Residual variance of PCA with 0, 1, 2, ... components.
    kind : {"total", "largest"}, default="total"
        "total" if the values are shares of the total variance; "largest" if they are the largest
        residual variance of any feature or direction.
    threshold : float, optional
        Largest residual variance at which the fit stops; drawn as a line.
    name : str, default="residual"
        The name of the fit in the legend.

    Attributes
    ----------
    ax_ : Axes
        The axes of the plot.
    figure_ : Figure
        The figure that contains the axes.
    lines_ : dict of str to Line2D
        The drawn lines by name: "residual", "validation", "gcv", "pca" and "threshold".

    Examples
    --------
    >>> import numpy as np
    >>> from gramian import GFR
    >>> from gramian.plots import ResidualVarianceDisplay
    >>> z = np.random.default_rng(0).standard_normal((500, 2))
    >>> X = np.column_stack([z, z[:, 0] * z[:, 1]])
    >>> display = ResidualVarianceDisplay.from_estimator(GFR(2).fit(X), X)
    >>> sorted(display.lines_)
    ['gcv', 'pca', 'residual']
    """

    lines_: dict[str, Line2D]

    def __init__(
        self,
        residual: ArrayLike,
        *,
        validation: ArrayLike | None = None,
        gcv: ArrayLike | None = None,
        pca: ArrayLike | None = None,
        kind: VarianceKind = "total",
        threshold: float | None = None,
        name: str = "residual",
    ) -> None:
        self.residual = np.asarray(residual, dtype=np.float64)
        self.validation = floats(validation)
        self.gcv = floats(gcv)
        self.pca = floats(pca)
        self.kind = kind
        self.threshold = threshold
        self.name = name

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: ArrayLike | None = None,
        *,
        kind: VarianceKind = "total",
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the residual variances of a fitted estimator after each step of its fit.

        Parameters
        ----------
        estimator : GFR, GCA, GFS or GFA
            The fitted estimator.
        X : array-like of shape (n_samples, n_features), optional
            Rows from which the curve of PCA is computed; by default that curve is not drawn.
            Columns are scaled for PCA if they were scaled in the fit.
        kind : {"total", "largest"}, default="total"
            "total" draws the residual share of the total variance; "largest" draws the largest
            residual variance of any feature or direction, which is compared with the threshold.
        name : str, optional
            The name of the fit in the legend; by default its algorithm and family.
        ax : Axes, optional
            The axes to draw on; by default new axes.
        **kwargs
            Further arguments of :meth:`plot`.
        """
        check_by_feature(estimator)
        if kind not in ("total", "largest"):
            raise ValueError(f"kind must be 'total' or 'largest'; got {kind!r}.")
        model: FittedModel = estimator.model_
        record, asked = model.record, model.asked
        residual, held_out = getattr(record, kind), getattr(record, f"validation_{kind}")
        gcv = record.gcv_total if kind == "total" else None
        pca = None
        if X is not None:
            rows = model.deviations(check_array(X, dtype=np.float64))
            pca = _principal(rows, kind, len(residual))
        family = getattr(estimator, "family_", None)
        display = cls(
            _share(residual, kind),
            validation=None if held_out is None else _share(held_out, kind),
            # Divide by the total variance as for `residual`: the first value of GCV is larger.
            gcv=None if gcv is None else gcv / (residual[0] or 1.0),
            pca=pca,
            kind=kind,
            threshold=None if kind == "total" or asked.relative else asked.threshold,
            name=name or type(estimator).__name__ + (f", {family}" if family else ""),
        )
        return display.plot(ax=ax, **kwargs)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        yscale: Literal["linear", "log"] = "linear",
        gcv: bool = True,
        **kwargs: Any,
    ) -> Self:
        """Draw the curves of residual variances.

        Parameters
        ----------
        ax : Axes, optional
            The axes to draw on; by default new axes.
        yscale : {"linear", "log"}, default="linear"
            The scale of the vertical axis.
        gcv : bool, default=True
            True to draw the curve of generalized cross-validation.
        **kwargs
            Arguments of Matplotlib's `plot` for the curve of the fit.
        """
        ticker = require("matplotlib.ticker", "This plot")
        ax = self._begin(ax, 5.6, 3.8)
        self.lines_ = {}
        # Rows of the fit: solid lines, filled markers. Other rows: broken lines, open markers.
        styles: dict[str, dict[str, Any]] = {
            "pca": {"color": ORANGE, "marker": "s", "label": "PCA"},
            "residual": {"color": BLUE, "marker": "o", "label": self.name, **kwargs},
            "gcv": {"color": GREEN, "linestyle": ":", "label": "cross-validation (GCV)"},
            "validation": {
                "color": BLUE,
                "linestyle": "--",
                "marker": "o",
                "markerfacecolor": "white",
                "label": "held-out rows",
            },
        }
        for key, style in styles.items():
            values = getattr(self, key)
            if values is None or (key == "gcv" and not gcv):
                continue
            if len(values) > MARKED:
                style.pop("marker", None)
            shown = np.where(
                np.isfinite(values) & ((values > 0) | (yscale == "linear")), values, np.nan
            )
            (self.lines_[key],) = ax.plot(
                range(len(values)), shown, **{"markersize": 4, "linewidth": 1.6, **style}
            )
        if self.threshold:
            self.lines_["threshold"] = ax.axhline(self.threshold, **THRESHOLD)
        ax.set(yscale=yscale, xlabel="number of features")
        ax.set_xlim(left=0)
        ax.xaxis.set_major_locator(ticker.MaxNLocator(integer=True))
        if self.kind == "total":
            ax.set_ylabel("share of variance left")
            ax.yaxis.set_major_formatter(ticker.PercentFormatter(1.0))
        else:
            ax.set_ylabel("largest residual variance")
        if yscale == "linear":
            # Held-out rows can have very large residual variances: the axis ends at about 1.5 times
            # the variance before the first feature.
            drawn = np.concatenate([line.get_ydata() for line in self.lines_.values()])
            ax.set_ylim(0, 1.05 * min(np.nanmax(drawn), 1.5 * self.residual[0]) or 1.0)
        tidy(ax, grid="y")
        ax.legend(frameon=False)
        return self


def _share(values: Array, kind: VarianceKind) -> Array:
    """Return values divided by the first value if `kind` is "total"; unchanged values otherwise."""
    return values / (values[0] or 1.0) if kind == "total" else values


def _principal(table: Array, kind: VarianceKind, length: int) -> Array:
    """Return the residual variances of PCA with 0, 1, ..., `length` - 1 components.

    The columns of `table` have mean 0. The residual variances are shares of the total variance if
    `kind` is "total".
    """
    variances = svdvals(table) ** 2 / len(table)
    padded = np.concatenate([variances, np.zeros(length)])
    if kind == "largest":
        return padded[:length]
    left: Array = np.cumsum(padded[::-1])[::-1]
    return left[:length] / (left[0] or 1.0)
