"""Demonstration on data that come with scikit-learn: ``python -m gramian.demo``."""

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
from gramian._support.types import Array
from gramian._support.words import percent
from gramian.families import Multilinear

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
"""Columns of the table of measurements, and formulas of the last four."""


def main() -> None:
    """Print the demonstration."""
    pixels = StandardScaler().fit_transform(load_digits().data)
    compare_counts(pixels)
    compare_on_new_rows(pixels)
    find_redundant_columns()


def compare_counts(X: Array) -> None:
    """Print the numbers of directions that PCA and GFR need."""
    print(f"1. FEWER DIRECTIONS: {len(X)} handwritten digits, {X.shape[1]} standardized pixels\n")
    print("PCA explains the pixels by linear functions of its directions. GFR also uses")
    print("products of two (degree 2) or three (degree 3) directions.\n")
    pca = PCA().fit(X)
    # One fit has enough directions for all rows of the table.
    fits = [GFR(max(SHARES), degree=degree).fit(X) for degree in (2, 3)]
    variances = [pca.explained_variance_ * (len(X) - 1) / len(X)]
    variances += [gfr.residual_variance_ for gfr in fits]
    shares = [np.cumsum(each.explained_variance_ratio_) for each in (pca, *fits)]
    by_variance = [
        (
            f"variance left in any direction <= {level:g}",
            *(int(np.sum(each > level)) for each in variances),
        )
        for level in VARIANCES
    ]
    by_share = [
        (
            f"{percent(share)} of all variance explained",
            *(1 + int(np.sum(each < share)) for each in shares),
        )
        for share in SHARES
    ]
    print_table(
        ("directions needed until", "PCA", "GFR degree 2", "GFR degree 3"),
        [*by_variance, *by_share],
    )


def compare_on_new_rows(X: Array) -> None:
    """Print the residual share of the variance of rows that took no part in the fit."""
    old, new = train_test_split(X, test_size=1 / 3, random_state=0)
    print(
        f"On new rows ({len(old)} digits fitted, {len(new)} held out), this share of the variance"
    )
    print("is left; the share that is left of the fitted rows is in brackets:\n")

    def left(degree: int, n_components: int) -> str:
        if 2 * Multilinear(degree).count(n_components) > len(old):
            return "too few rows"
        # Least squares on functions of GFR's directions; degree 1 is PCA.
        model = make_pipeline(
            GFR(n_components, degree=degree),
            StandardScaler(),
            PolynomialFeatures(degree, interaction_only=True, include_bias=False),
            LinearRegression(),
        ).fit(old, old)
        held_out, fitted = (
            np.sum((rows - model.predict(rows)) ** 2) / np.sum((rows - old.mean(axis=0)) ** 2)
            for rows in (new, old)
        )
        return f"{percent(held_out)} {f'({percent(fitted)})':>8}"

    print_table(
        ("directions", "PCA", "GFR degree 2", "GFR degree 3"),
        [(str(m), *(left(degree, m) for degree in (1, 2, 3))) for m in DIRECTIONS],
    )
    print("The more functions are fitted, the less the number in brackets can be trusted:")
    print("10 directions have 55 functions of degree 2, and 175 of degree 3.\n")


def measurements(n_rows: int = 500) -> Array:
    """Return measurements with errors of 0.5 %; `FORMULAS` has the names of the columns."""
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
    """Print the columns that GFA finds redundant, with linear functions and with products."""
    X = measurements()
    print(f"2. REDUNDANT COLUMNS: a table of {X.shape[1]} measurements, {len(X)} rows\n")
    print("Four columns follow from the others, up to errors of 0.5 %. GFA drops a column")
    print("that the kept columns explain with R^2 >= 0.999, by linear functions only, or")
    print("also by products of up to two (degree 2) or three (degree 3) kept columns.\n")
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


def print_table(
    header: Sequence[object], rows: Sequence[Sequence[object]], left_aligned: int = 1
) -> None:
    """Print rows in aligned columns; the first `left_aligned` columns are aligned to the left."""
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
