"""Plot of the selected features in the order of selection."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from gramian._support.extras import require
from gramian._support.types import Array
from gramian._support.words import percent
from gramian.certificates import nested_fits
from gramian.fitting import FittedModel, GreedySearch, SetSearch
from gramian.plots._style import (
    BLUE,
    GREEN,
    GREY,
    LIGHT,
    THRESHOLD,
    Display,
    check_by_feature,
    floats,
    names_of,
    short,
    tidy,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer
    from matplotlib.lines import Line2D

NAMED = 40
"""Up to this number of features, each feature is a bar with a name; more are drawn as curves."""


class SelectionOrderDisplay(Display):
    """Plot of the selected features in order, with their residual variances when they were chosen.

    Parameters
    ----------
    names : sequence of str
        The names of the selected features, in the order of selection.
    residual_variance : array-like of shape (n_selected,)
        The variance of each feature that functions of earlier features do not explain.
    variance : array-like of shape (n_selected,), optional
        The variance of each feature.
    threshold : float, optional
        The smallest residual variance at which a feature is chosen; drawn as a line.
    best_left : array-like of shape (n_selected,), optional
        The share of the total variance that the best set of 1, 2, ... features does not explain.

    Attributes
    ----------
    ax_ : Axes
        The axes of the plot.
    figure_ : Figure
        The figure that contains the axes.
    bars_ : list of BarContainer
        Bars of the variances (if `variance` is set) and of the residual variances. The list is
        empty if there are more than 40 features.
    lines_ : list of Line2D
        Curves that replace the bars if there are more than 40 features.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from gramian import GFS
    >>> from gramian.plots import SelectionOrderDisplay
    >>> X = load_iris(as_frame=True).data
    >>> display = SelectionOrderDisplay.from_estimator(GFS(3).fit(X))
    >>> [label.get_text() for label in display.ax_.get_yticklabels()]
    ['1. petal length (cm)', '2. sepal length (cm)', '3. sepal width (cm)']
    """

    def __init__(
        self,
        names: Sequence[str],
        residual_variance: ArrayLike,
        *,
        variance: ArrayLike | None = None,
        threshold: float | None = None,
        best_left: ArrayLike | None = None,
    ) -> None:
        self.names = [str(name) for name in names]
        self.residual_variance = np.asarray(residual_variance, dtype=np.float64)
        self.variance = floats(variance)
        self.threshold = threshold
        self.best_left = floats(best_left)
        for values in (self.residual_variance, self.variance, self.best_left):
            if values is not None and values.shape != (len(self.names),):
                raise ValueError(
                    f"There are {len(self.names)} names, but values have shape {values.shape}."
                )

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        feature_names: ArrayLike | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the features that a fitted estimator chose.

        Parameters
        ----------
        estimator : GFS, GFA, GFR or GCA
            The fitted estimator. For GFR and GCA, directions are drawn in place of features.
        feature_names : array-like of str, optional
            The names of all columns; by default the names in the fit.
        ax : Axes, optional
            The axes to draw on; by default new axes.
        **kwargs
            Further arguments of :meth:`plot`.
        """
        check_by_feature(estimator)
        model = estimator.model_
        if not isinstance(model, FittedModel):
            raise TypeError(
                f"{type(estimator).__name__} has no residual variances of its own; fit GFS."
            )
        asked = model.asked
        residual, variance = variances_when_chosen(model, asked.relative)
        names = names_of(estimator, feature_names)
        display = cls(
            model.kept.names(names, model.algorithm),
            residual,
            variance=variance,
            threshold=None if asked.relative else asked.threshold,
            best_left=_best_left(model),
        )
        return display.plot(ax=ax, **kwargs)

    def plot(self, ax: Axes | None = None, *, log: bool | None = None) -> Self:
        """Draw the variance and the residual variance of each feature.

        Parameters
        ----------
        ax : Axes, optional
            The axes to draw on; by default new axes.
        log : bool, optional
            True for a logarithmic scale of the variances. By default the scale is logarithmic if
            the residual variances differ by more than a factor of 100.
        """
        self.bars_: list[BarContainer] = []
        self.lines_: list[Line2D] = []
        n = len(self.names)
        positive = self.residual_variance[self.residual_variance > 0]
        if log is None:
            log = bool(len(positive)) and positive.max() > 100 * positive.min()
        named = n <= NAMED
        ax = self._begin(ax, 5.6, 0.9 + 0.26 * max(n, 2) if named else 3.6)
        (self._plot_bars if named else self._plot_curves)(ax, log)
        ax.legend(
            frameon=False,
            fontsize="small",
            ncols=3,
            loc="lower right",
            bbox_to_anchor=(1.0, 1.0),
            borderaxespad=0.2,
        )
        return self

    def _plot_bars(self, ax: Axes, log: bool) -> None:
        places = np.arange(len(self.names))
        if self.variance is not None:
            self.bars_.append(
                ax.barh(places, self.variance, color=LIGHT, height=0.75, label="variance")
            )
        self.bars_.append(
            ax.barh(
                places,
                self.residual_variance,
                color=BLUE,
                height=0.75 if self.variance is None else 0.4,
                label="residual variance when chosen",
            )
        )
        if self.threshold:
            ax.axvline(self.threshold, **THRESHOLD)
        ax.set_yticks(places, [f"{i}. {short(name)}" for i, name in enumerate(self.names, 1)])
        ax.tick_params(axis="y", length=0)
        ax.set(ylim=(len(self.names) - 0.4, -0.6), xlabel="variance")
        if self.best_left is not None:
            right = ax.secondary_yaxis("right")
            right.set_yticks(places, [percent(each) for each in self.best_left])
            right.tick_params(length=0)
            right.spines["right"].set_visible(False)
            right.set_ylabel("share left by the best set of each size")
        if log:
            ax.set_xscale("log")
        tidy(ax, grid="x")

    def _plot_curves(self, ax: Axes, log: bool) -> None:
        ticker = require("matplotlib.ticker", "This plot")
        order = np.arange(1, len(self.names) + 1)
        if self.variance is not None:
            self.lines_ += ax.plot(
                order, self.variance, ".", color=GREY, markersize=3, alpha=0.6, label="variance"
            )
        self.lines_ += ax.plot(
            order, self.residual_variance, color=BLUE, label="residual variance when chosen"
        )
        if self.best_left is not None:
            right = ax.twinx()
            label = "share left by the best set of each size"
            self.lines_ += right.plot(order, self.best_left, color=GREEN, label=label)
            right.set(ylabel=label, ylim=(0, 1))
            right.spines["top"].set_visible(False)
        if self.threshold:
            ax.axhline(self.threshold, **THRESHOLD)
        if log:
            ax.set_yscale("log")
        else:
            ax.set_ylim(bottom=0)
        first = ", ".join(short(name, 12) for name in self.names[:5])
        ax.set(
            xlabel=f"order of selection ({first}, …)", ylabel="variance", xlim=(0, order[-1] + 1)
        )
        ax.xaxis.set_major_locator(ticker.MaxNLocator(integer=True))
        tidy(ax, grid="y")


def _best_left(model: FittedModel) -> Array | None:
    """Return the unexplained share of the variance for the best set of 1, 2, ... columns.

    Return None if the fit has not searched for the best set of each size.
    """
    if not isinstance(model.search, SetSearch):
        return None
    sets = model.search.sets
    if len(sets.columns) != len(model.kept.chosen):
        return None
    shares: Array = sets.total[1:] / (sets.total[0] or 1.0)
    return shares


def variances_when_chosen(model: FittedModel, relative: bool) -> tuple[Array, Array]:
    """Return the residual variance of each kept variable when it was chosen, and its variance.

    `relative` is True if the threshold of the fit is a share of each variable's variance.
    """
    decoder = model.decoder
    whole = decoder.units**2
    if model.selects and model.scale is not None:
        whole = np.ones_like(whole)
    n = len(whole)
    if isinstance(model.search, GreedySearch) and not relative:
        # GFR and published GFS choose the variable with the largest residual variance.
        return model.record.largest[:n], whole
    if decoder.moments is None:
        raise ValueError(
            "The residual variance of each feature when it was chosen is not known for fits with "
            "more than 1,000 functions. Make the display from names and residual variances, or "
            "fit GFS."
        )
    # Encoding is linear: of the identity matrix, it returns the weights of the columns.
    of = model.kept.encode(np.eye(model.n_columns))
    coefficients = nested_fits(decoder, range(n), of)
    # The explained variance is the variance of the projection, cᵀE[fx].
    explained = np.sum(coefficients * (decoder.moments[1] @ of), axis=0)
    left = np.maximum(decoder.units**2 - explained, 0.0)
    return whole * left / decoder.units**2, whole
