"""Plots that are compared with images in baseline_images/, and helpers of tests of plots.

These are drawn from plain data on axes of fixed size and without text, so that neither rounding
errors of a fit nor the layout and the fonts of a Matplotlib version matter. After a change that is
meant to be seen, make the images again:

    .venv/bin/python tests/plot_cases.py

and look at the same plots with text, as users see them, in a folder of your choice:

    .venv/bin/python tests/plot_cases.py FOLDER
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.text import Text

from gramian.plots import (
    ComponentsDisplay,
    ParityDisplay,
    PixelMapDisplay,
    ResidualVarianceDisplay,
    SelectionOrderDisplay,
)

BASELINE = Path(__file__).parent / "baseline_images"
CURVE = np.exp(-np.arange(13) / 3)
NAMES = [
    "radius",
    "perimeter",
    "area",
    "texture",
    "smoothness",
    "a name that is much too long for it",
]


@pytest.fixture
def close_figures():
    yield
    plt.close("all")


def drawn(display) -> None:
    """Render the figure, so that errors of any artist are raised."""
    display.figure_.canvas.draw()
    assert display.ax_.figure is display.figure_


def directions(n: int, d: int) -> np.ndarray:
    """Return directions in the shape of waves."""
    i, j = np.ogrid[1 : n + 1, 0:d]
    return np.cos(np.pi * i * (j + 0.5) / d) * np.sqrt(2 / d)


def residual_variance(ax):
    ResidualVarianceDisplay(
        CURVE,
        validation=CURVE + 0.01 * np.arange(13),
        gcv=CURVE * 1.1,
        pca=CURVE**0.7,
        name="GFR, Multilinear(2)",
    ).plot(ax)


def residual_variance_largest(ax):
    ResidualVarianceDisplay(3 * CURVE, pca=4 * CURVE**0.7, kind="largest", threshold=0.1).plot(
        ax, yscale="log"
    )


def residual_variance_of_300(ax):
    n = np.arange(301)
    ResidualVarianceDisplay(np.exp(-n / 60), validation=np.exp(-n / 80), name="GFS").plot(ax)


def components_bars(ax):
    names = [f"column {i}" for i in range(7)] + [NAMES[-1]]
    ComponentsDisplay(directions(3, 8), feature_names=names).plot(ax)


def components_images(ax):
    # Smooth, and zero at the border: versions round the edges of pixels differently.
    rows, columns = np.mgrid[0:24, 0:32]
    window = np.sin(np.pi * (rows + 0.5) / 24) * np.sin(np.pi * (columns + 0.5) / 32)
    images = [window * np.cos(0.01 * i * (rows + columns) + i) for i in range(5)]
    ComponentsDisplay(np.reshape(images, (5, -1)), image_shape=(24, 32)).plot(ax, n_columns=3)


def selection_order(ax):
    variances = np.array([4.0, 3.5, 3.8, 1.0, 2.0, 1.5])
    left = variances * [1.0, 0.9, 0.5, 0.9, 0.3, 0.1]
    SelectionOrderDisplay(NAMES, left, variance=variances, threshold=0.1).plot(ax)


def selection_order_of_300(ax):
    n = np.arange(300)
    names = [f"x{i}" for i in n]
    SelectionOrderDisplay(names, np.exp(-n / 40), variance=np.exp(-n / 60)).plot(ax)


def parity(ax):
    true = np.linspace(-2, 3, 60)
    ParityDisplay(true, true + 0.3 * np.sin(40 * true), name="power").plot(ax)


def parity_of_many(ax):
    i = np.arange(5000)
    true = np.sin(i) * 3 + np.sin(0.37 * i)
    ParityDisplay(true, true + 0.6 * np.sin(1.7 * i) ** 3, name="power").plot(ax)


def pixel_map(ax):
    mean = np.add.outer(np.arange(6.0), np.arange(8.0))
    PixelMapDisplay((np.arange(12) * 31) % 48, (6, 8), background=mean).plot(ax)


def pixel_map_of_300(ax):
    PixelMapDisplay((np.arange(300) * 37) % 1024, (32, 32)).plot(ax)


CASES: dict[str, Callable] = {
    case.__name__: case
    for case in [
        residual_variance,
        residual_variance_largest,
        residual_variance_of_300,
        components_bars,
        components_images,
        selection_order,
        selection_order_of_300,
        parity,
        parity_of_many,
        pixel_map,
        pixel_map_of_300,
    ]
}


def draw(case: Callable, path: Path | None = None, *, text: bool = False) -> Figure:
    """Draw a case in the fixed style, with text and room for the text, or without text."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update({"font.family": "DejaVu Sans", "font.size": 8})
        figure = Figure(figsize=(4.0, 2.8), layout="constrained" if text else None)
        FigureCanvasAgg(figure)
        case(figure.add_subplot() if text else figure.add_axes((0.1, 0.1, 0.8, 0.8)))
        if not text:
            for artist in figure.findobj(lambda each: isinstance(each, Text | Legend)):
                artist.set_visible(False)
        if path is not None:
            figure.savefig(path, dpi=120 if text else 80, metadata={"Software": None})
        else:
            figure.draw_without_rendering()
    return figure


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if sys.argv[1:] else BASELINE
    folder.mkdir(exist_ok=True)
    for name, case in CASES.items():
        draw(case, folder / f"{name}.png", text=bool(sys.argv[1:]))
