"""Plot of the predicted values of a column against its true values."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from gramian._support.extras import require
from gramian._support.words import listed, names_or_numbers
from gramian.fitting import check_rows
from gramian.plots._style import BLUE, GREY, Display, names_of, short, tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import Collection

MANY = 3000
"""Up to this number of points, each point is drawn; more points are counted in hexagons."""


class ParityDisplay(Display):
    """Plot of the predicted values of a column against its true values.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        The true values of the column, and the predicted values.
    name : str, default="y"
        The name of the column.

    Attributes
    ----------
    ax_ : Axes
        The axes of the plot.
    figure_ : Figure
        The figure that contains the axes.
    points_ : Collection
        The points, or hexagons whose colour is the number of points in them.
    r2_ : float
        The share of the variance that the predictions explain; NaN for a constant column.
    rmse_ : float
        The root mean squared error of the predictions.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian import GFS
    >>> from gramian.plots import ParityDisplay
    >>> z = np.random.default_rng(0).standard_normal((500, 2))
    >>> X = np.column_stack([2 * z, z[:, 0] * z[:, 1]])
    >>> display = ParityDisplay.from_estimator(GFS(2).fit(X), X, "x2")
    >>> round(display.r2_, 6)
    1.0
    """

    points_: Collection

    def __init__(self, y_true: ArrayLike, y_pred: ArrayLike, *, name: str = "y") -> None:
        self.y_true = np.asarray(y_true, dtype=np.float64).ravel()
        self.y_pred = np.asarray(y_pred, dtype=np.float64).ravel()
        if len(self.y_true) != len(self.y_pred):
            raise ValueError(
                f"There are {len(self.y_true)} true and {len(self.y_pred)} predicted values; give "
                "the same number of both."
            )
        self.name = name
        errors = self.y_true - self.y_pred
        self.rmse_ = float(np.sqrt(np.mean(errors**2)))
        variance = float(np.var(self.y_true))
        self.r2_ = 1 - self.rmse_**2 / variance if variance > 0 else float("nan")

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: ArrayLike,
        feature: str | int,
        *,
        linear: bool = False,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the values of a column that a fitted estimator computes from what it keeps.

        Parameters
        ----------
        estimator : GFR, GCA, GFS or GFA
            The fitted estimator.
        X : array-like of shape (n_samples, n_features)
            Rows to predict, preferably rows that were not used in the fit.
        feature : str or int
            The name or the index of the column.
        linear : bool, default=False
            True to compute the column by linear functions only.
        ax : Axes, optional
            The axes to draw on; by default new axes.
        **kwargs
            Further arguments of :meth:`plot`.
        """
        check_is_fitted(estimator)
        names = names_of(estimator)
        column = _column(feature, names)
        predicted = estimator.inverse_transform(estimator.transform(X), linear=linear)
        true = check_rows(estimator, X)[:, column]
        return cls(true, np.asarray(predicted)[:, column], name=names[column]).plot(ax, **kwargs)

    @classmethod
    def from_formula(
        cls,
        formula: Callable[[Any], ArrayLike],
        X: Any,
        feature: str | int,
        *,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the values of a column that a formula predicts.

        Parameters
        ----------
        formula : callable
            Function that takes X and returns the predicted values of the column.
        X : array-like or data frame of shape (n_samples, n_features)
            Rows that contain the column and the columns that the formula uses.
        feature : str or int
            The name of the column, if the columns of X have names, or its index.
        ax : Axes, optional
            The axes to draw on; by default new axes.
        **kwargs
            Further arguments of :meth:`plot`.
        """
        table = np.asarray(X)
        columns = getattr(X, "columns", None)
        names = names_or_numbers(columns, table.shape[1])
        column = _column(feature, [str(name) for name in names])
        return cls(table[:, column], formula(X), name=str(names[column])).plot(ax, **kwargs)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        name: str = "y",
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw predicted values of a column against true values.

        Parameters
        ----------
        y_true, y_pred : array-like of shape (n_samples,)
            The true values of the column, and the predicted values.
        name : str, default="y"
            The name of the column.
        ax : Axes, optional
            The axes to draw on; by default new axes.
        **kwargs
            Further arguments of :meth:`plot`.
        """
        return cls(y_true, y_pred, name=name).plot(ax, **kwargs)

    def plot(self, ax: Axes | None = None, **kwargs: Any) -> Self:
        """Draw the predicted values against the true values, with R² and the error.

        Parameters
        ----------
        ax : Axes, optional
            The axes to draw on; by default new axes.
        **kwargs
            Arguments of Matplotlib's `scatter`, or of `hexbin` if there are more than 3,000 points.
        """
        ticker = require("matplotlib.ticker", "This plot")
        ax = self._begin(ax, 4.2, 4.2)
        both = np.concatenate([self.y_true, self.y_pred])
        low, high = float(both.min()), float(both.max())
        margin = 0.04 * (high - low) or 1.0
        limits = low - margin, high + margin
        ax.plot(limits, limits, color=GREY, linewidth=1, zorder=1)
        if len(self.y_true) > MANY:
            style = {"gridsize": 50, "bins": "log", "mincnt": 1, "cmap": "cividis_r", "zorder": 2}
            extent = (*limits, *limits)
            self.points_ = ax.hexbin(self.y_true, self.y_pred, extent=extent, **{**style, **kwargs})
        else:
            alpha = float(np.clip(100 / len(self.y_true), 0.25, 0.8))
            style = {"s": 14, "color": BLUE, "alpha": alpha, "linewidths": 0, "zorder": 2}
            self.points_ = ax.scatter(self.y_true, self.y_pred, **{**style, **kwargs})
        name = short(self.name, 40)
        ax.set(xlim=limits, ylim=limits, xlabel=name, ylabel=f"{name}, predicted", aspect="equal")
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_locator(ticker.MaxNLocator(5))
        ax.text(
            0.03,
            0.97,
            f"R² = {_r2(self.r2_)}\nRMSE = {self.rmse_:.3g}",
            transform=ax.transAxes,
            verticalalignment="top",
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 2},
            zorder=3,
        )
        tidy(ax)
        return self


def _column(feature: str | int, names: list[str]) -> int:
    """Return the index of a column from its name or index; raise ValueError if there is none."""
    if isinstance(feature, str):
        if feature not in names:
            raise ValueError(
                f"There is no column {feature!r}; columns are {listed(names, most=10)}."
            )
        return names.index(feature)
    if not 0 <= feature < len(names):
        raise ValueError(f"There is no column {feature}: columns are 0 to {len(names) - 1}.")
    return int(feature)


def _r2(value: float) -> str:
    """Return R² as text, with enough digits that 0.99998 is not printed as 1."""
    if value > 1 - 1e-6:
        return "1.000000" if value < 1 else "1"
    return f"{value:.3f}" if value < 0.9995 else f"{value:.6f}"
