"""Draw the pictures of README and front page: ``make figures`` or ``python docs/figures.py``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from gramian import GFR

IMAGES = Path(__file__).parent / "images"
# Okabe and Ito's colours are distinct with any colour vision; the markers differ as well.
COLOURS = {1: "#D55E00", 2: "#0072B2"}
MARKERS = {1: "o", 2: "s"}
STYLE = {
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "svg.hashsalt": "gramian",  # the same file from every run
}
DARK_TEXT = "#ced6dd"
DARK_COLOURS = {1: "#F0884A", 2: "#56B4E9"}
"""Colours of lines on a dark page, by degree."""
LEVEL = 0.8
"""Share of the variance for which directions are counted."""


Panel = Callable[[Axes, dict[int, str]], None]


def draw_parabola(axes: Axes, colours: dict[int, str]) -> None:
    """Plot a column and its square, with their reconstructions from one number."""
    rng = np.random.default_rng(0)
    x = np.sort(rng.uniform(-1, 1, 160))
    X = np.column_stack([2 * x, 2 * x**2 + 0.08 * rng.standard_normal(160)])
    axes.plot(*X.T, "o", color="0.55", ms=3, alpha=0.6, mew=0)
    for degree, name in ((1, "PCA"), (2, "GFR")):
        gfr = GFR(1, family="polynomial", degree=degree).fit(X)
        back = gfr.inverse_transform(gfr.transform(X))
        back = back[np.argsort(back[:, 0])]
        lost = 1 - gfr.score(X)
        axes.plot(*back.T, color=colours[degree], lw=3, label=f"{name}: {lost:.1%} lost")
    axes.legend(frameon=False, loc="upper center", handlelength=1.5)
    axes.set(xlabel="$x$", ylabel="$x^2$, measured", ylim=(None, 3.1), xticks=[], yticks=[])
    axes.set_title("Two columns from one number")


def draw_counts(axes: Axes, colours: dict[int, str]) -> None:
    """Plot the explained variance of held-out digits against the number of directions."""
    X = StandardScaler().fit_transform(load_digits().data)
    old, new = train_test_split(X, test_size=1 / 3, random_state=0)
    counts = {}
    for degree, name in ((1, "PCA"), (2, "GFR")):
        explained = [0.0] + [GFR(m, degree=degree).fit(old).score(new) for m in range(1, 31)]
        counts[degree] = next(m for m, share in enumerate(explained) if share >= LEVEL)
        axes.plot(
            explained, MARKERS[degree] + "-", color=colours[degree], lw=2.5, ms=5, markevery=5
        )
        axes.text(30.5, explained[-1], name, color=colours[degree], va="center", weight="bold")
    axes.hlines(LEVEL, 0, counts[1], color=mpl.rcParams["text.color"], lw=1, ls=":")
    for degree, count in counts.items():
        axes.vlines(count, 0, LEVEL, color=colours[degree], lw=1, ls=":")
        axes.text(count + 0.4, 0.03, f"{count}", color=colours[degree], weight="bold", size=12)
    axes.set(xlim=(0, 34), ylim=(0, 1), xlabel="number of directions", xticks=range(0, 31, 10))
    axes.yaxis.set_major_formatter(mpl.ticker.PercentFormatter(1))
    axes.set_title("Digits not seen in the fit: variance explained")


def draw(path: Path, panels: tuple[Panel, ...], *, dark: bool = False, paper: str = "none") -> None:
    """Draw panels side by side, for a light or a dark page."""
    names = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
    text, colours = (DARK_TEXT, DARK_COLOURS) if dark else ("black", COLOURS)
    with mpl.rc_context({**STYLE, **dict.fromkeys(names, text), "axes.facecolor": "none"}):
        figure = Figure(figsize=(4.6 * len(panels), 3.2), layout="constrained", facecolor=paper)
        for i, panel in enumerate(panels):
            panel(figure.add_subplot(1, len(panels), i + 1), colours)
        figure.savefig(path, metadata={"Date": None})


def main() -> None:
    """Draw all pictures."""
    IMAGES.mkdir(exist_ok=True)
    # A viewer of README.md may be dark, and cannot choose between two pictures.
    draw(IMAGES / "idea.svg", (draw_parabola, draw_counts), paper="white")
    for name, panel in (("parabola", draw_parabola), ("directions", draw_counts)):
        draw(IMAGES / f"{name}.svg", (panel,))
        draw(IMAGES / f"{name}_dark.svg", (panel,), dark=True)


if __name__ == "__main__":
    main()
