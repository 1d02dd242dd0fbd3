"""Parts that all displays share: colours, axes, and names of columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from gramian._support.extras import require
from gramian._support.types import Array
from gramian._support.words import cut

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Colours by Okabe and Ito, which people with colour blindness can tell apart.
BLUE, ORANGE, GREEN, VERMILION = "#0072B2", "#E69F00", "#009E73", "#D55E00"
GREY, LIGHT = "#666666", "#D4D4D4"

THRESHOLD: dict[str, Any] = {
    "color": GREY,
    "linewidth": 1.2,
    "linestyle": (0, (2, 2)),
    "label": "threshold",
}
"""Arguments of Matplotlib for the line at the threshold of a fit."""
MAX_NAME = 24
"""Largest number of letters in the name of a column in a plot; longer names are cut."""


class Display:
    """Base class of all displays; it stores the axes and the figure that a display draws on."""

    ax_: Axes
    figure_: Figure

    def _begin(self, ax: Axes | None, width: float, height: float) -> Axes:
        """Return the axes to draw on: `ax`, or new axes if `ax` is None.

        The width and height of new axes are in inches.
        """
        if ax is None:
            size = (width, height)
            ax = require("matplotlib.pyplot", "This plot").subplots(
                figsize=size, layout="constrained"
            )[1]
        self.ax_, self.figure_ = ax, cast("Figure", ax.figure)
        return ax


def tidy(ax: Axes, *, grid: Literal["x", "y"] | None = None) -> None:
    """Remove the frame at the top and on the right; draw light grid lines if `grid` is set."""
    ax.spines[["top", "right"]].set_visible(False)
    if grid is not None:
        ax.grid(axis=grid, color=LIGHT, linewidth=0.6)
        ax.set_axisbelow(True)


def names_of(estimator: Any, names: ArrayLike | None = None) -> list[str]:
    """Return the names of the columns: `names`, else the names in the fit, else x0, x1, ...

    Raise ValueError if the number of `names` is wrong.
    """
    if names is None:
        return list(estimator.model_.column_names)
    given = [str(name) for name in np.asarray(names, dtype=object).ravel()]
    if len(given) != estimator.n_features_in_:
        raise ValueError(
            f"feature_names has {len(given)} names, but there are {estimator.n_features_in_} "
            "columns."
        )
    return given


def floats(values: ArrayLike | None) -> Array | None:
    """Return values as an array of floats; None stays None."""
    return None if values is None else np.asarray(values, dtype=np.float64)


def short(name: str, length: int = MAX_NAME) -> str:
    """Return a name for a plot: cut if it is long, with dollar signs escaped.

    Matplotlib would read dollar signs as the beginning of a formula.
    """
    return cut(name, length).replace("$", r"\$")


def check_by_feature(estimator: Any) -> None:
    """Raise TypeError if the estimator did not choose its features one after another."""
    check_is_fitted(estimator)
    if not estimator.model_.by_feature:
        raise TypeError(
            f"{type(estimator).__name__} fits all codes at once, in rounds. Use gramian.report, "
            "which draws the rounds and a map."
        )
