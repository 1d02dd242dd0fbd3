"""GramianImputer: gaps are filled by functions of the row's other cells."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from gramian import GFR, GramianImputer
from gramian.core.imputation import _gaussian
from gramian.core.imputation._corrections import best_correction
from gramian.core.imputation._gaussian import Gaussian


def with_gaps(x: np.ndarray, share: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    gone = np.random.default_rng(seed).random(x.shape) < share
    return np.where(gone, np.nan, x), gone


@pytest.fixture
def normal() -> tuple[Gaussian, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    root = rng.standard_normal((5, 5))
    gaussian = Gaussian(rng.standard_normal(5), root @ root.T / 5 + 0.1 * np.eye(5), ridge=0.7)
    x = rng.standard_normal((40, 5))
    present = rng.random(x.shape) < 0.7
    present[0], present[1] = False, True
    return gaussian, x, present


def expected_row(gaussian: Gaussian, row: np.ndarray, present: np.ndarray) -> np.ndarray:
    """Return the conditional expectation by the textbook formula, centred."""
    o, m = np.flatnonzero(present), np.flatnonzero(~present)
    found = row - gaussian.mean
    inner = gaussian.covariance[np.ix_(o, o)]
    across = gaussian.covariance[np.ix_(m, o)]
    found[m] = across @ np.linalg.solve(inner, found[o])
    return found


def test_completed_rows_are_conditional_expectations(normal):
    gaussian, x, present = normal
    completed = gaussian.complete(x, present)
    expected = [expected_row(gaussian, *pair) for pair in zip(x, present, strict=True)]
    assert_allclose(completed.rows, expected, atol=1e-12)
    assert_allclose(gaussian.expect(x, present), expected, atol=1e-12)


@pytest.mark.parametrize("column", range(5))
def test_a_left_out_cell_gets_its_conditional_expectation(normal, column):
    gaussian, x, present = normal
    completed = gaussian.complete(x, present)
    fewer = present.copy()
    fewer[:, column] = False
    expected = [expected_row(gaussian, *pair) for pair in zip(x, fewer, strict=True)]
    rows = completed.without(column)
    assert_allclose(rows, expected, atol=1e-12)
    missed = (x - gaussian.mean - rows)[present[:, column], column]
    assert_allclose(completed.gain[present[:, column], column], missed, atol=1e-12)


def test_one_round_is_a_step_of_expectation_maximization(normal):
    gaussian, x, present = normal
    mean, products = np.zeros(5), np.zeros((5, 5))
    for row, here in zip(x, present, strict=True):
        full = expected_row(gaussian, row, here) + gaussian.mean
        uncertain = np.zeros((5, 5))
        o, m = np.flatnonzero(here), np.flatnonzero(~here)
        across = gaussian.covariance[np.ix_(m, o)]
        inner = np.linalg.inv(gaussian.covariance[np.ix_(o, o)])
        uncertain[np.ix_(m, m)] = gaussian.covariance[np.ix_(m, m)] - across @ inner @ across.T
        mean += full / len(x)
        products += (np.outer(full, full) + uncertain) / len(x)
    covariance = products - np.outer(mean, mean)
    covariance = (len(x) * covariance + 0.7 * np.eye(5)) / (len(x) + 0.7)
    updated = gaussian.updated(x, present)
    assert_allclose(updated.mean, mean, atol=1e-12)
    assert_allclose(updated.covariance, covariance, atol=1e-12)


def test_present_cells_stay_and_no_cell_is_missing():
    x, _ = with_gaps(np.random.default_rng(1).exponential(size=(80, 6)), 0.4)
    filled = GramianImputer().fit_transform(x)
    present = ~np.isnan(x)
    assert_array_equal(filled[present], x[present])
    assert np.isfinite(filled).all()
    spread = np.nanmax(x, axis=0) - np.nanmin(x, axis=0)
    assert (filled <= np.nanmax(x, axis=0) + 0.2 * spread).all()
    assert (filled >= np.nanmin(x, axis=0) - 0.2 * spread).all()


def test_a_product_is_filled_by_its_factors():
    rng = np.random.default_rng(2)
    z = rng.uniform(1, 3, (400, 3))
    x = np.column_stack([z, z[:, 0] * z[:, 1]])
    gone = rng.random(400) < 0.2
    given = x.copy()
    given[gone, 3] = np.nan
    errors = {}
    for nonlinear in (False, True):
        filled = GramianImputer(nonlinear=nonlinear).fit_transform(given)
        errors[nonlinear] = np.sqrt(np.mean((filled - x)[gone, 3] ** 2)) / x[:, 3].std()
    assert errors[True] < 0.1 * errors[False]


def test_independent_columns_get_their_means():
    rng = np.random.default_rng(3)
    given, gone = with_gaps(rng.standard_normal((2000, 4)), 0.2)
    filled = GramianImputer().fit_transform(given)
    assert np.abs(filled[gone]).max() < 0.6
    assert np.sqrt(np.mean(filled[gone] ** 2)) < 0.12


def test_new_rows_may_have_gaps_in_any_or_all_columns():
    rng = np.random.default_rng(4)
    x = rng.standard_normal((300, 1)) @ np.ones((1, 3)) + 0.1 * rng.standard_normal((300, 3))
    imputer = GramianImputer().fit(x)
    filled = imputer.transform([[1.0, 1.0, np.nan], [np.nan, np.nan, np.nan]])
    assert_allclose(filled[0, 2], 1.0, atol=0.15)
    assert_allclose(filled[1], imputer.mean_, atol=0.1)


def test_units_do_not_matter():
    given, _ = with_gaps(np.random.default_rng(5).standard_normal((150, 4)).cumsum(axis=1), 0.2)
    factors, shifts = np.array([1e-6, 1.0, 1e3, 1e9]), np.array([1.0, -2.0, 5e3, 0.0])
    expected = GramianImputer().fit_transform(given)
    found = GramianImputer().fit_transform(given * factors + shifts)
    assert_allclose((found - shifts) / factors, expected, rtol=1e-5, atol=1e-5)


def test_blocks_of_rows_do_not_change_the_result():
    given, _ = with_gaps(np.random.default_rng(6).standard_normal((100, 4)).cumsum(axis=1), 0.3)
    expected = GramianImputer().fit_transform(given)
    with mock.patch.object(_gaussian, "INVERSES_BYTES", 7 * 8 * 4**2):
        assert_allclose(GramianImputer().fit_transform(given), expected, atol=1e-9)


def test_missing_values_of_pandas_are_filled():
    table = pd.DataFrame({"a": [1.0, 2, None, 4, 5], "b": pd.array([2, 4, 6, None, 10], "Int64")})
    filled = GramianImputer().set_output(transform="pandas").fit_transform(table)
    assert list(filled.columns) == ["a", "b"]
    assert filled.notna().all(axis=None)


def test_the_correction_of_pure_noise_is_small():
    rng = np.random.default_rng(7)
    corrected = [
        best_correction(rng.standard_normal((200, 4)), rng.standard_normal(200), np.ones(4))
        for _ in range(10)
    ]
    sizes = [np.std(each(rng.standard_normal((500, 4)))) for each in corrected if each is not None]
    assert np.mean([*sizes, *[0.0] * (10 - len(sizes))]) < 0.2


def test_the_imputer_works_before_an_estimator_in_a_pipeline():
    from sklearn.pipeline import make_pipeline

    given, _ = with_gaps(np.random.default_rng(8).standard_normal((200, 5)).cumsum(axis=1), 0.1)
    codes = make_pipeline(GramianImputer(), GFR(2)).fit_transform(given)
    assert np.isfinite(codes).all()


def test_a_column_without_values_is_named():
    table = pd.DataFrame({"a": [1.0, 2.0, 3.0], "empty": [np.nan] * 3})
    with pytest.raises(ValueError, match=r"Column 'empty' has no value in any row.*Leave it out"):
        GramianImputer().fit(table)


def test_infinity_is_refused_and_not_filled():
    with pytest.raises(ValueError, match="infinity"):
        GramianImputer().fit([[1.0, np.inf], [2.0, 3.0]])


def test_a_path_is_refused_with_advice_to_read_the_file(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text("a,b\n1,2\n3,\n")
    said = r"X of GramianImputer must be a table in memory.*Read files first.*pandas\.read_csv"
    with pytest.raises(TypeError, match=said):
        GramianImputer().fit(path)
    fitted = GramianImputer().fit(pd.read_csv(path))
    with pytest.raises(TypeError, match=said):
        fitted.transform(str(path))


def test_constant_columns_stay_constant():
    rng = np.random.default_rng(9)
    given, _ = with_gaps(np.column_stack([rng.standard_normal((50, 2)), np.full(50, 7.0)]), 0.2)
    assert_array_equal(GramianImputer().fit_transform(given)[:, 2], 7.0)
