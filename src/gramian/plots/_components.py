"""Plot of directions as images or as bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from gramian._support.types import Array
from gramian._support.words import names_or_numbers
from gramian.plots._style import BLUE, GREY, LIGHT, VERMILION, Display, names_of, short

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

MAX_BARS = 6
"""Default of `max_components` if directions are drawn as bars."""
LABELLED = 60
"""Images have titles only if there are at most this many images."""


class ComponentsDisplay(Display):
    """Plot of directions: as images if the columns are pixels, or as bars with column names.

    Parameters
    ----------
    components : array-like of shape (n_components, n_features)
        The directions: each row contains the weights of all columns in one direction.
    image_shape : pair of int, optional
        Height and width of images, if the columns are pixels.
    feature_names : sequence of str, optional
        The names of the columns; by default x0, x1, ...
    component_names : sequence of str, optional
        The names of the directions; by default 0, 1, ...

    Attributes
    ----------
    ax_ : Axes
        The axes of the plot.
    figure_ : Figure
        The figure that contains the axes.
    artists_ : list of Artist
        The image of each direction, or the bars of each direction.
    shown_ : array of int
        Indices of the columns that have a bar, from top to bottom; all columns for images.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from gramian import GFR
    >>> from gramian.plots import ComponentsDisplay
    >>> X = load_iris(as_frame=True).data
    >>> display = ComponentsDisplay.from_estimator(GFR(2).fit(X))
    >>> [tick.get_text() for tick in display.ax_.get_xticklabels()]
    ['gfr0', 'gfr1']
    """

    def __init__(
        self,
        components: ArrayLike,
        *,
        image_shape: tuple[int, int] | None = None,
        feature_names: Sequence[str] | None = None,
        component_names: Sequence[str] | None = None,
    ) -> None:
        self.components = np.atleast_2d(np.asarray(components, dtype=np.float64))
        n, d = self.components.shape
        self.image_shape = image_shape
        if image_shape is not None and int(np.prod(image_shape)) != d:
            raise ValueError(
                f"image_shape={image_shape} has {np.prod(image_shape)} pixels, but a direction has "
                f"{d} entries."
            )
        self.feature_names = names_or_numbers(feature_names or None, d)
        self.component_names = [*(component_names or [str(i) for i in range(n)])]

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        image_shape: tuple[int, int] | None = None,
        feature_names: ArrayLike | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw the directions of a fitted estimator.

        Parameters
        ----------
        estimator : GFR or GCA
            The fitted estimator.
        image_shape : pair of int, optional
            Height and width of images, if the columns are pixels.
        feature_names : array-like of str, optional
            The names of the columns; by default the names in the fit.
        ax : Axes, optional
            The axes to draw on; by default new axes.
        **kwargs
            Further arguments of :meth:`plot`.
        """
        check_is_fitted(estimator)
        if estimator.model_.selects:
            raise TypeError(
                f"{type(estimator).__name__} has no directions; see SelectionOrderDisplay and "
                "PixelMapDisplay for selected features."
            )
        display = cls(
            estimator.components_,
            image_shape=image_shape,
            feature_names=names_of(estimator, feature_names),
            component_names=[str(name) for name in estimator.get_feature_names_out()],
        )
        return display.plot(ax=ax, **kwargs)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        max_components: int | None = None,
        max_features: int = 20,
        n_columns: int | None = None,
        cmap: str = "RdBu_r",
    ) -> Self:
        """Draw the directions as images or as bars.

        Parameters
        ----------
        ax : Axes, optional
            The axes to draw on; by default new axes.
        max_components : int, optional
            Largest number of directions to draw; by default all directions as images, or 6 as bars.
        max_features : int, default=20
            Largest number of columns with a bar; the columns with the largest weights are drawn.
        n_columns : int, optional
            Number of images side by side; by default it depends on the shape of the images.
        cmap : str, default="RdBu_r"
            Colour map of the images.
        """
        if self.image_shape is None:
            return self._plot_bars(ax, max_components or MAX_BARS, max_features)
        n = len(self.components) if max_components is None else max_components
        return self._plot_images(ax, self.image_shape, self.components[:n], n_columns, cmap)

    def _plot_images(
        self,
        ax: Axes | None,
        image_shape: tuple[int, int],
        components: Array,
        n_columns: int | None,
        cmap: str,
    ) -> Self:
        n = len(components)
        height, width = image_shape
        labelled = n <= LABELLED
        gap = 0.1 * width
        step_x, step_y = width + gap, height + (0.28 * height if labelled else gap)
        n_columns = min(n, n_columns or int(np.ceil(np.sqrt(1.6 * n * step_y / step_x))))
        n_rows = -(-n // n_columns)
        inch = min(1.1, 10 / n_columns) / step_x
        ax = self._begin(ax, n_columns * step_x * inch, n_rows * step_y * inch)
        largest = float(np.abs(components).max()) or 1.0
        self.artists_: list[Artist] = []
        for i, component in enumerate(components):
            row, column = divmod(i, n_columns)
            left, top = column * step_x, row * step_y
            self.artists_.append(
                ax.imshow(
                    component.reshape(image_shape),
                    cmap=cmap,
                    vmin=-largest,
                    vmax=largest,
                    interpolation="nearest",
                    extent=(left, left + width, top + height, top),
                )
            )
            if labelled:
                size = min(9.0, 0.16 * 72 * height * inch)
                name = short(self.component_names[i], 12)
                ax.text(left + width / 2, top, name, ha="center", va="bottom", fontsize=size)
        head = step_y - height if labelled else 0
        ax.set(xlim=(0, n_columns * step_x - gap), ylim=(n_rows * step_y - head, -head))
        ax.set_axis_off()
        self.shown_ = np.arange(self.components.shape[1])
        return self

    def _plot_bars(self, ax: Axes | None, max_components: int, max_features: int) -> Self:
        components = self.components[:max_components]
        n, d = components.shape
        weights = np.abs(components).max(axis=0, initial=0.0)
        shown = np.sort(np.argsort(-weights, kind="stable")[:max_features])
        self.shown_ = shown
        ax = self._begin(ax, 2.2 + 1.2 * n, 0.9 + 0.24 * len(shown))
        largest = float(weights.max(initial=0.0)) or 1.0
        step = 2.3 * largest  # bars of neighbouring directions never touch
        places = np.arange(len(shown))
        self.artists_ = []
        for i, component in enumerate(components):
            values = component[shown]
            ax.axvline(i * step, color=GREY, linewidth=0.8, zorder=1)
            colours = [BLUE if value >= 0 else VERMILION for value in values]
            self.artists_ += [
                ax.barh(places, values, left=i * step, color=colours, height=0.7, zorder=2)  # type: ignore[list-item]
            ]
        ax.set_yticks(places, [short(self.feature_names[j]) for j in shown])
        ax.set_xticks(
            [i * step for i in range(n)], [short(s, 12) for s in self.component_names[:n]]
        )
        ax.xaxis.tick_top()
        ax.tick_params(length=0)
        ax.set(xlim=(-step / 2, (n - 0.5) * step), ylim=(len(shown) - 0.4, -0.6))
        for place in range(len(shown)):
            ax.axhline(place, color=LIGHT, linewidth=0.6, zorder=0)
        ax.spines[:].set_visible(False)
        notes = []
        if n < len(self.components):
            notes.append(f"{n} of {len(self.components)} directions")
        if len(shown) < d:
            notes.append(f"the {len(shown)} of {d} columns with the largest weights")
        notes.append(f"longest bar: {largest:.2f}")
        ax.set_xlabel("; ".join(notes), color=GREY, fontsize="small")
        return self
