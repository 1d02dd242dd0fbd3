"""What the library does, on data that come with scikit-learn: ``python -m gramian.demo``."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

from gramian import GFA, GFR
from gramian._types import Array

VARIANCES = (2.0, 1.0, 0.5, 0.3, 0.2)
SHARES = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
DIRECTIONS = (5, 10, 20)
FORMULAS = {
    "voltage_V": "",
    "current_A": "",
    "runtime_min": "",
    "temperature_C": "",
    "width_cm": "",
    "height_cm": "",
    "perimeter_m": "2 (width + height)",
    "area_m2": "width * height",
    "power_kW": "voltage * current",
    "energy_kWh": "voltage * current * runtime",
}
"""The columns of the table of measurements, and what the last four are made of."""


def main() -> None:
    """Print the demonstration."""
    pixels = StandardScaler().fit_transform(load_digits().data)
    compare_counts(pixels)
    compare_on_new_rows(pixels)
    find_redundant_columns()


def compare_counts(X: Array) -> None:
    """Print how many directions PCA and GFR need."""
    print(f"1. FEWER DIRECTIONS: {len(X)} handwritten digits, {X.shape[1]} standardized pixels\n")
    print("PCA subtracts what is a linear function of the directions so far; GFR also")
    print("subtracts products of two (degree 2) or up to three (degree 3) of them.\n")
    pca = PCA().fit(X)
    variances = pca.explained_variance_ * (len(X) - 1) / len(X)
    shares = np.cumsum(pca.explained_variance_ratio_)
    fits = [
        GFR(threshold=min(VARIANCES), degree=2).fit(X),
        GFR(threshold=min(VARIANCES), degree=3).fit(X),
    ]
    print_table(
        ("directions needed until", "PCA", "GFR degree 2", "GFR degree 3"),
        [
            (
                f"no direction has variance > {level:g}",
                int(np.sum(variances > level)),
                *(int(np.sum(gfr.residual_variance_ > level)) for gfr in fits),
            )
            for level in VARIANCES
        ],
    )
    fits = [
        GFR(max(SHARES), degree=2).fit(X),
        GFR(max(SHARES), degree=3).fit(X),
    ]
    explained = [np.cumsum(gfr.explained_variance_ratio_) for gfr in fits]
    print_table(
        ("directions needed until", "PCA", "GFR degree 2", "GFR degree 3"),
        [
            (
                f"{share:.0%} of all variance is explained",
                *(1 + int(np.argmax(each >= share)) for each in (shares, *explained)),
            )
            for share in SHARES
        ],
    )


def compare_on_new_rows(X: Array) -> None:
    """Print what the functions leave of rows they were not fitted to."""
    old, new = train_test_split(X, test_size=1 / 3, random_state=0)
    print(f"The same on rows not seen before: {len(old)} digits to fit, {len(new)} held out.")
    print("Variance left, held out (in brackets: of the rows that were fitted):\n")

    def left(degree: int, n_components: int) -> str:
        # The best combination of the functions of GFR's directions; PCA is degree 1.
        model = make_pipeline(
            GFR(n_components, degree=degree),
            StandardScaler(),
            PolynomialFeatures(degree, interaction_only=True, include_bias=False),
            LinearRegression(),
        ).fit(old, old)
        held_out, in_sample = (
            np.sum((rows - model.predict(rows)) ** 2) / np.sum((rows - old.mean(axis=0)) ** 2)
            for rows in (new, old)
        )
        return f"{held_out:4.0%} ({in_sample:3.0%})"

    print_table(
        ("directions", "PCA", "GFR degree 2", "GFR degree 3"),
        [
            (
                str(m),
                left(1, m),
                left(2, m),
                left(3, m) if 3 * m < 40 else "too few rows",
            )
            for m in DIRECTIONS
        ],
    )
    print("The more functions for the rows there are, the more the number in brackets")
    print("flatters: 10 directions have 55 functions of degree 2 and 175 of degree 3.\n")


def measurements(n_rows: int = 500) -> Array:
    """Return a table of measurements, its columns named by `FORMULAS`, with errors of 0.5 %."""
    rng = np.random.default_rng(0)
    voltage = rng.uniform(12, 400, n_rows)
    current = rng.uniform(2, 60, n_rows)
    runtime = rng.uniform(5, 120, n_rows)
    temperature = rng.normal(15, 8, n_rows)
    width = rng.uniform(20, 120, n_rows)
    height = rng.uniform(20, 200, n_rows)
    perimeter = 2 * (width + height) / 100
    area = width * height / 1e4
    power = voltage * current / 1e3
    energy = power * runtime / 60
    made = np.column_stack([perimeter, area, power, energy])
    made *= 1 + 0.005 * rng.standard_normal(made.shape)
    return np.column_stack([voltage, current, runtime, temperature, width, height, made])


def find_redundant_columns() -> None:
    """Print which columns GFA finds redundant, and which a linear method does."""
    X = measurements()
    print(f"2. REDUNDANT COLUMNS: a table of {X.shape[1]} measurements, {len(X)} rows\n")
    print("Four columns follow from the others, up to errors of 0.5 %. GFA drops a column")
    print("if functions of those it keeps explain it with R^2 >= 0.999; of degree 1, these")
    print("are the linear ones.\n")
    names = list(FORMULAS)
    found = [
        {
            names[i]
            for i in GFA(threshold=1e-3, relative=True, degree=degree).fit(X).redundant_features_
        }
        for degree in (1, 2, 3)
    ]
    print_table(
        ("column", "made of", "linear", "degree 2", "degree 3"),
        [
            (name, formula, *("redundant" if name in each else "keep" for each in found))
            for name, formula in FORMULAS.items()
        ],
        left_aligned=2,
    )
    for title, each in zip(("linear", "degree 2", "degree 3"), found, strict=True):
        print(f"GFA {title + ':':9} drops {', '.join(n for n in names if n in each)}")


def print_table(
    header: Sequence[object], rows: Sequence[Sequence[object]], left_aligned: int = 1
) -> None:
    """Print rows in aligned columns, the first ones aligned to the left."""
    lines = [[str(cell) for cell in line] for line in (header, *rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    lines.insert(1, ["-" * width for width in widths])
    for line in lines:
        cells = [
            f"{cell:{'<' if i < left_aligned else '>'}{width}}"
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        print("  " + "  ".join(cells).rstrip())
    print()


if __name__ == "__main__":
    main()
