"""Columns of few values, on which functions are zero or multiples of each other."""

from __future__ import annotations

import numpy as np
import pytest

from gramian import GFS


@pytest.mark.parametrize("family", ["hermite", "legendre"])
@pytest.mark.parametrize("levels", [(0.0, 1.0), (0.1, 0.3), (7.3, 9.1)])
def test_a_function_of_rounding_errors_is_dropped(family, levels):
    # Scaled, a column of two equally frequent values is 1 or -1, and both families have z² - 1.
    rng = np.random.default_rng(0)
    column = rng.permutation(np.repeat(levels, 200))
    X = np.column_stack([30 * column / np.ptp(levels), rng.standard_normal((400, 2))])
    fit = GFS(1, criterion="variance", family=family, alpha=0.01, solver="gram").fit(X)
    assert fit.n_dropped_functions_.tolist() == [1]
    between = np.array([[30 * np.mean(levels) / np.ptp(levels), 0.0, 0.0]])
    filled = fit.inverse_transform(fit.transform(between))
    assert np.abs(filled[:, 1:]).max() < 1


@pytest.mark.parametrize("family", ["hermite", "legendre", "polynomial"])
@pytest.mark.parametrize("solver", ["qr", "gram"])
def test_a_column_of_two_values_has_one_function(family, solver):
    # Scaled to norm one, z² - 1 is z or -z on these rows, and the tie goes to z.
    for seed in range(20):
        rng = np.random.default_rng(seed)
        column = rng.integers(0, 2, 240).astype(float)
        X = np.column_stack([column, column + 0.3 * rng.standard_normal(240)])
        fit = GFS(1, given=[0], criterion="gain", family=family, alpha=0, solver=solver).fit(X)
        assert fit.n_functions_.tolist() == [1]
        assert abs(fit.inverse_transform([[0.5]])[0, 1] - 0.5) < 0.2
