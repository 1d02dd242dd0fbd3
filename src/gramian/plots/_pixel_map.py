"""Plot of the selected pixels of an image."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_array, check_is_fitted

from gramian._support.extras import require
from gramian.plots._style import LIGHT, Display

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PatchCollection

NUMBERED = 40
"""By default, numbers are written into the pixels only if at most this many are selected."""


class PixelMapDisplay(Display):
    """Plot of the selected pixels of an image, coloured by the order of selection.

    Parameters
    ----------
    selected : array-like of shape (n_selected,)
        Indices of the selected pixels, counted row by row, in the order of selection.
    image_shape : pair of int
        Height and width of the images.
    background : array-like, optional
        An image to draw behind the selected pixels, for example the mean of all images.

    Attributes
    ----------
    ax_ : Axes
        The axes of the plot.
    figure_ : Figure
        The figure that contains the axes.
    pixels_ : PatchCollection
        The selected pixels as squares, with the values 1, 2, ... in the order of selection.
    texts_ : list of Text
        The numbers that are written into the pixels.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from gramian import GFS
    >>> from gramian.plots import PixelMapDisplay
    >>> X = load_digits().data
    >>> display = PixelMapDisplay.from_estimator(GFS(10).fit(X), image_shape=(8, 8))
    >>> len(display.texts_)
    10
    """

    pixels_: PatchCollection

    def __init__(
        self,
        selected: ArrayLike,
        image_shape: tuple[int, int],
        *,
        background: ArrayLike | None = None,
    ) -> None:
        self.selected = np.asarray(selected, dtype=np.intp)
        self.image_shape = _check_shape(image_shape)
        n_pixels = self.image_shape[0] * self.image_shape[1]
        if len(self.selected) and not 0 <= self.selected.min() <= self.selected.max() < n_pixels:
            raise ValueError(f"Indices of pixels must be from 0 to {n_pixels - 1}.")
        self.background = (
            None if background is None else np.reshape(background, self.image_shape).astype(float)
        )

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        image_shape: tuple[int, int],
        X: ArrayLike | None = None,
        *,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the pixels that a fitted estimator selected.

        Parameters
        ----------
        estimator : GFS or GFA
            The fitted estimator.
        image_shape : pair of int
            Height and width of the images.
        X : array-like of shape (n_samples, n_features), optional
            Images, one in each row; their mean is drawn behind the selected pixels. By default the
            mean of the images in the fit is drawn.
        ax : Axes, optional
            The axes to draw on; by default new axes.
        **kwargs
            Further arguments of :meth:`plot`.
        """
        check_is_fitted(estimator)
        if not estimator.model_.selects:
            raise TypeError(
                f"{type(estimator).__name__} selects no pixels; see ComponentsDisplay for "
                "directions as images."
            )
        height, width = _check_shape(image_shape)
        if height * width != estimator.n_features_in_:
            raise ValueError(
                f"image_shape={image_shape} has {height * width} pixels, but the fit has "
                f"{estimator.n_features_in_} features."
            )
        mean = estimator.mean_ if X is None else check_array(X, dtype=np.float64).mean(axis=0)
        return cls(estimator.selected_features_, image_shape, background=mean).plot(ax, **kwargs)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        numbered: bool | None = None,
        cmap: str = "viridis",
        colorbar: bool = True,
    ) -> Self:
        """Draw the selected pixels.

        Parameters
        ----------
        ax : Axes, optional
            The axes to draw on; by default new axes.
        numbered : bool, optional
            True to write 1, 2, ... into the pixels, in the order of selection. By default True if
            at most 40 pixels are selected in images of at most 32 by 32 pixels.
        cmap : str, default="viridis"
            Colour map of Matplotlib for the order of selection.
        colorbar : bool, default=True
            True to draw the colour bar, which shows the order of selection.
        """
        patches = require("matplotlib.patches", "This plot")
        collections = require("matplotlib.collections", "This plot")
        ticker = require("matplotlib.ticker", "This plot")
        height, width = self.image_shape
        scale = 4.6 / max(height, width)
        ax = self._begin(ax, max(width * scale, 1.5) + 0.9, max(height * scale, 1.5) + 0.2)
        background = np.zeros(self.image_shape) if self.background is None else self.background
        span = float(np.ptp(background)) or 1.0
        # The background is light grey, so that the colours of the selected pixels stand out.
        ax.imshow(
            background,
            cmap="gray_r",
            vmin=float(background.min()),
            vmax=float(background.min()) + 3 * span,
            interpolation="nearest",
        )
        order = np.arange(1, len(self.selected) + 1)
        rows, columns = np.divmod(self.selected, width)
        squares = [
            patches.Rectangle((column - 0.5, row - 0.5), 1, 1)
            for row, column in zip(rows, columns, strict=True)
        ]
        self.pixels_ = collections.PatchCollection(squares, cmap=cmap, edgecolor="white", lw=0.6)
        self.pixels_.set_array(order)
        self.pixels_.set_clim(1, max(len(order), 2))
        ax.add_collection(self.pixels_)
        if numbered is None:
            numbered = len(order) <= NUMBERED and max(height, width) <= 32
        self.texts_ = []
        for i, row, column in zip(order, rows, columns, strict=True) if numbered else ():
            red, green, blue, _ = self.pixels_.to_rgba(np.asarray(i))
            dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.55
            size = min(10.0, 0.5 * 72 * scale)
            self.texts_.append(
                ax.text(
                    column,
                    row,
                    str(i),
                    ha="center",
                    va="center_baseline",
                    fontsize=size,
                    color="white" if dark else "black",
                )
            )
        ax.set(xticks=[], yticks=[])
        ax.spines[:].set_color(LIGHT)
        if colorbar and len(order) > 1:
            bar = self.figure_.colorbar(
                self.pixels_, ax=ax, label="order of selection", shrink=0.8, pad=0.02
            )
            bar.locator = ticker.MaxNLocator(6, integer=True, min_n_ticks=1)
            bar.outline.set_visible(False)
            bar.update_ticks()
        return self


def _check_shape(image_shape: tuple[int, int]) -> tuple[int, int]:
    """Return (height, width) as integers; raise ValueError if they are not two positive numbers."""
    if len(image_shape) != 2 or min(image_shape) < 1:
        raise ValueError(f"image_shape must be a height and a width; got {image_shape!r}.")
    return int(image_shape[0]), int(image_shape[1])
