"""Draw the pictures of README and front page: ``make figures`` or ``python docs/figures.py``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from sklearn.datasets import load_digits
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from gramian import GFR
from gramian.demo import FORMULAS, measurements

IMAGES = Path(__file__).parent / "images"
# Okabe and Ito's colours are distinct with any colour vision; the markers differ as well.
COLOURS = {1: "#444444", 2: "#0072B2", 3: "#D55E00"}
MARKERS = {1: "o", 2: "s", 3: "D"}
NAMES = {1: "linear (PCA)", 2: "degree 2: products of two", 3: "degree 3: products of up to three"}
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
"""For lines on a dark page."""
LEVEL = 0.8
"""The share of the variance for which directions are counted."""


Panel = Callable[[Axes, dict[int, str]], None]


def functions(degree: int) -> PolynomialFeatures:
    """Return the step that computes products of up to `degree` distinct columns."""
    return PolynomialFeatures(degree, interaction_only=True, include_bias=False)


def left_of(X: np.ndarray, prediction: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """Return the share of the variance of X that a prediction leaves."""
    return np.sum((X - prediction) ** 2) / np.sum((X - mean) ** 2)


def draw_directions(axes: Axes) -> None:
    """Plot the variance left of the digits against the number of directions."""
    X = StandardScaler().fit_transform(load_digits().data)
    old, new = train_test_split(X, test_size=1 / 3, random_state=0)
    for degree, n_directions in ((1, 30), (2, 30), (3, 13)):
        gfr = GFR(n_directions, degree=degree).fit(old)
        scaler = StandardScaler().fit(gfr.transform(old))
        z_old, z_new = scaler.transform(gfr.transform(old)), scaler.transform(gfr.transform(new))
        held_out = [1.0]
        for m in range(1, n_directions + 1):
            expand = functions(degree).fit(z_old[:, :m])
            model = LinearRegression().fit(expand.transform(z_old[:, :m]), old)
            prediction = model.predict(expand.transform(z_new[:, :m]))
            held_out.append(left_of(new, prediction, old.mean(axis=0)))
        fitted = gfr.total_residual_variance_ / gfr.total_residual_variance_[0]
        axes.plot(held_out, MARKERS[degree] + "-", color=COLOURS[degree], lw=2, ms=5, markevery=4)
        axes.plot(fitted, color=COLOURS[degree], lw=1, ls=(0, (4, 2)))
    axes.plot([], [], color="0.3", lw=2, label=f"on {len(new)} digits held out")
    axes.plot([], [], color="0.3", lw=1, ls=(0, (4, 2)), label=f"on the {len(old)} digits fitted")
    axes.legend(frameon=False, loc="upper right")
    axes.set(xlim=(0, 30), ylim=(0, 1), xlabel="number of directions")
    axes.yaxis.set_major_formatter(mpl.ticker.PercentFormatter(1))
    axes.set_title("GFR: variance left of handwritten digits")
    axes.grid(axis="y", color="0.9", lw=0.8)


def draw_columns(axes: Axes) -> None:
    """Plot what functions of the measured columns leave of the planted ones."""
    X = measurements()
    names = list(FORMULAS)
    made = [i for i, formula in enumerate(FORMULAS.values()) if formula]
    measured = [i for i, formula in enumerate(FORMULAS.values()) if not formula]
    Z = StandardScaler().fit_transform(X[:, measured])
    for degree in (1, 2, 3):
        F = functions(degree).fit_transform(Z)
        prediction = LinearRegression().fit(F, X).predict(F)
        left = [left_of(X[:, i], prediction[:, i], X[:, i].mean()) for i in made]
        axes.plot(
            left,
            # Where all degrees leave the same, the markers stand above one another.
            np.arange(len(made)) + 0.16 * (degree - 2),
            MARKERS[degree],
            color=COLOURS[degree],
            ms=6,
        )
    axes.axvline(1e-3, color="0.3", lw=1, ls=":")
    axes.text(0.9e-3, -0.62, "redundant ", ha="right", va="center", color="0.3")
    axes.text(1.1e-3, -0.62, " keep", ha="left", va="center", color="0.3")
    axes.set(xscale="log", xlim=(1e-5, 1), ylim=(len(made) - 0.5, -0.9))
    axes.set_yticks(range(len(made)), [f"{names[i]}\n= {FORMULAS[names[i]]}" for i in made])
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel("share that functions of the other columns leave")
    axes.set_title("GFA: variance left of four derived columns")
    axes.grid(axis="y", color="0.9", lw=0.8)


def draw_parabola(axes: Axes, colours: dict[int, str]) -> None:
    """Plot two columns, of which one is the other's square, and what one number tells of them."""
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
    """Plot what is explained of digits held out, and how many directions that takes."""
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


def draw_idea(path: Path, panels: tuple[Panel, ...], *, dark: bool = False) -> None:
    """Draw panels side by side, without a background, for a light or a dark page."""
    names = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
    text, colours = (DARK_TEXT, DARK_COLOURS) if dark else ("black", {1: COLOURS[3], 2: COLOURS[2]})
    with mpl.rc_context({**STYLE, **dict.fromkeys(names, text), "axes.facecolor": "none"}):
        figure = Figure(figsize=(4.6 * len(panels), 3.2), layout="constrained", facecolor="none")
        for i, panel in enumerate(panels):
            panel(figure.add_subplot(1, len(panels), i + 1), colours)
        figure.savefig(path, metadata={"Date": None})


def main() -> None:
    """Draw all pictures."""
    IMAGES.mkdir(exist_ok=True)
    draw_idea(IMAGES / "idea.svg", (draw_parabola, draw_counts))
    for name, panel in (("parabola", draw_parabola), ("directions", draw_counts)):
        draw_idea(IMAGES / f"{name}.svg", (panel,))
        draw_idea(IMAGES / f"{name}_dark.svg", (panel,), dark=True)
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(9.2, 3.8), layout="constrained")
        draw_directions(figure.add_subplot(1, 2, 1))
        draw_columns(figure.add_subplot(1, 2, 2))
        handles = [
            Line2D([], [], color=COLOURS[degree], marker=MARKERS[degree], label=NAMES[degree])
            for degree in NAMES
        ]
        figure.legend(handles=handles, loc="outside lower center", ncols=3, frameon=False)
        figure.savefig(IMAGES / "overview.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
