"""Draw the README's picture: ``make figures`` or ``python docs/figures.py``."""

from __future__ import annotations

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


def main() -> None:
    """Draw all pictures."""
    IMAGES.mkdir(exist_ok=True)
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
