"""Rows far from those of a fit: functions decode rows in range, linear regression the others."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from model_cases import unpack
from scipy.sparse import csr_array
from sklearn.cluster import KMeans
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.decomposition import PCA
from sklearn.model_selection import GroupKFold
from source_cases import BUDGET, AgainAndAgain
from support import STEPWISE, make

from gramian import GCA, GFA, GFR, GFS, models
from gramian.core.pursuit import Reach, watched_columns
from gramian.exceptions import OverfittingWarning, TrimmedRowsWarning
from gramian.families import Custom, Multilinear

EVERY = pytest.mark.parametrize("estimator", STEPWISE)


def curved(n: int = 600, seed: int = 0) -> np.ndarray:
    """Return columns of which products explain a part, with noise."""
    rng = np.random.default_rng(seed)
    z = rng.standard_normal((n, 3)) * [4.0, 3.0, 2.0]
    bent = np.column_stack([z[:, 0] * z[:, 1], z[:, 1] * z[:, 2], z[:, 0] * z[:, 2]]) / 6
    return np.column_stack([z, bent + rng.standard_normal((n, 3))])


def decoded(fitted, table, **options):
    return fitted.inverse_transform(fitted.transform(table), **options)


# In range


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@EVERY
def test_the_rows_of_a_fit_are_decoded_by_the_functions_bit_for_bit(estimator, kind):
    table = curved().astype(kind)
    fitted = make(estimator, 3, degree=3).fit(table)
    assert fitted.model_.decoder.reach is not None
    np.testing.assert_array_equal(decoded(fitted, table), decoded(fitted, table, extrapolate=True))


@EVERY
def test_far_rows_do_not_change_the_reconstruction_of_other_rows(estimator):
    table = curved()
    fitted = make(estimator, 3).fit(table)
    z = fitted.transform(table)
    both = np.vstack([z, 100 * z[:5]])
    np.testing.assert_allclose(
        fitted.inverse_transform(both)[: len(z)], fitted.inverse_transform(z), rtol=1e-12
    )


def test_the_score_of_the_rows_of_a_fit_is_the_explained_share():
    table = curved()
    fitted = GFR(3, alpha=0).fit(table)
    assert fitted.score(table) == pytest.approx(fitted.explained_variance_ratio_.sum(), abs=1e-12)


# Far rows


@EVERY
def test_rows_far_from_the_fit_are_decoded_linearly(estimator):
    table = curved()
    fitted = make(estimator, 3, degree=3).fit(table)
    z = 50 * fitted.transform(table[:20])
    np.testing.assert_allclose(
        fitted.inverse_transform(z), fitted.inverse_transform(z, linear=True), rtol=1e-12
    )
    assert not np.allclose(
        fitted.inverse_transform(z), fitted.inverse_transform(z, extrapolate=True)
    )


@EVERY
def test_the_reconstruction_is_continuous_at_the_end_of_the_range(estimator):
    fitted = make(estimator, 3).fit(curved())
    z = fitted.transform(curved()[:1])
    path = fitted.inverse_transform(z * np.linspace(0, 20, 200_001)[:, np.newaxis])
    steps = np.abs(np.diff(path, axis=0)).max()
    assert steps < 1e-3 * np.ptp(path, axis=0).max()
    linear = fitted.inverse_transform(20 * z, linear=True)
    np.testing.assert_allclose(path[-1:], linear, rtol=1e-9)


def test_codes_without_bound_give_finite_columns():
    fitted = GFR(3, degree=4, alpha=0).fit(curved())
    found = fitted.inverse_transform(np.full((1, 3), 1e100))
    np.testing.assert_allclose(found, fitted.inverse_transform(np.full((1, 3), 1e100), linear=True))


def test_a_row_inside_all_ranges_of_variables_is_far_if_a_product_is_out_of_range():
    rng = np.random.default_rng(0)
    z = rng.uniform(-1, 1, (500, 2))
    z = z[np.abs(z).min(axis=1) < 0.2]  # a cross: no row has two large values
    table = np.column_stack([3 * z, z[:, 0] * z[:, 1] + 0.1 * rng.standard_normal(len(z))])
    fitted = GFS(2, alpha=0, criterion="variance").fit(table)
    corner = np.array([[2.7, 2.7]])
    np.testing.assert_allclose(
        fitted.inverse_transform(corner), fitted.inverse_transform(corner, linear=True)
    )


def test_the_nonlinear_part_of_a_watched_column_makes_a_row_far():
    watched = np.array([0])
    reach = Reach(np.zeros(2), np.ones(2), watched, np.array([-1.0]), np.array([1.0]))
    functions = np.full((2, 4), 0.5)
    parts = np.array([[1.0, 1.0001, 2.0, 4.0]])
    trust = reach.trust(functions, parts, np.zeros(1))
    np.testing.assert_allclose(trust, [1, 1, 0.5, 0], atol=0.01)


@pytest.mark.parametrize("d", [1, 7, 128, 129, 1000])
def test_watched_columns_are_different_and_evenly_spaced(d):
    found = watched_columns(d)
    assert len(found) == min(d, 128)
    assert found[0] == 0
    assert d == 1 or found[-1] == d - 1
    gaps = np.diff(found)
    assert d == 1 or (gaps.min() >= 1 and gaps.max() - gaps.min() <= 1)


# Columns that functions explain, and laws


@pytest.mark.parametrize("noise", [0.0, 0.005])
@pytest.mark.parametrize("estimator", [GFS, GFA])
def test_a_column_that_functions_explain_is_computed_by_them_in_far_rows(estimator, noise):
    rng = np.random.default_rng(0)
    z = rng.uniform(1, 2, (400, 2))
    table = np.column_stack([10 * z, z[:, 0] * z[:, 1] + noise * rng.standard_normal(400)])
    fitted = make(estimator, 2).fit(table)
    assert fitted.selected_features_.tolist() == [0, 1]
    far = np.array([[60.0, 80.0]])
    assert fitted.inverse_transform(far)[0, 2] == pytest.approx(48, rel=1e-9 if not noise else 0.1)


def test_a_column_that_functions_do_not_explain_is_decoded_linearly_beside_one_that_they_do():
    rng = np.random.default_rng(0)
    z = rng.uniform(1, 2, (400, 2))
    product = z[:, 0] * z[:, 1]
    noisy = product + rng.standard_normal(400)
    table = np.column_stack([10 * z, product, noisy])
    fitted = GFS(2, alpha=0, criterion="variance").fit(table)
    assert fitted.model_.decoder.explained.tolist() == [2]
    far = np.array([[60.0, 80.0]])
    assert fitted.inverse_transform(far)[0, 2] == pytest.approx(48)
    assert fitted.inverse_transform(far)[0, 3] == fitted.inverse_transform(far, linear=True)[0, 3]


def test_functions_as_many_as_rows_explain_no_column():
    rng = np.random.default_rng(0)
    with pytest.warns(OverfittingWarning):
        fitted = GFS(8, alpha=0, criterion="variance").fit(rng.standard_normal((30, 12)))
    assert not len(fitted.model_.decoder.explained)


def test_laws_compute_columns_of_far_rows_exactly():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.integers(1, 50, (300, 2)).astype(float), columns=["a", "b"])
    table["quotient"] = table["a"] / table["b"]
    fitted = GFA().fit(table)
    assert fitted.model_.laws
    kept = table.columns[fitted.support_].tolist()
    far = pd.DataFrame({"a": [9e6], "b": [3.0], "quotient": [3e6]})
    found = pd.DataFrame(fitted.inverse_transform(far[kept].to_numpy()), columns=table.columns)
    np.testing.assert_allclose(found, far, rtol=1e-12)


# Sources, weights, files


def test_every_source_has_the_same_ranges():
    table = np.where(np.abs(curved(5000)) > 2, curved(5000), 0.0)
    expected = GFR(3, alpha=0).fit(table).model_.decoder
    for source in (csr_array(table), AgainAndAgain(table)):
        found = GFR(3, alpha=0, memory_budget=BUDGET).fit(source).model_.decoder
        for name in ("low", "high", "part_low", "part_high"):
            np.testing.assert_allclose(
                getattr(found.reach, name), getattr(expected.reach, name), rtol=1e-6, atol=1e-8
            )


def test_a_dask_collection_has_the_ranges_of_its_array():
    da = pytest.importorskip("dask.array")
    table = curved(3000)
    expected = GCA(3, alpha=0, backward=False).fit(table).model_.decoder.reach
    lazy = da.from_array(table, chunks=(500, -1))
    found = GCA(3, alpha=0, backward=False, memory_budget=BUDGET).fit(lazy).model_.decoder.reach
    np.testing.assert_allclose(found.low, expected.low, rtol=1e-8)
    np.testing.assert_allclose(found.part_high, expected.part_high, rtol=1e-6)


def test_rows_of_weight_zero_do_not_extend_the_ranges():
    table = curved()
    table[-1] *= 100
    weights = np.append(np.ones(len(table) - 1), 0.0)
    weighted = GFR(3, alpha=0).fit(table, sample_weight=weights).model_.decoder.reach
    without = GFR(3, alpha=0).fit(table[:-1]).model_.decoder.reach
    np.testing.assert_allclose(weighted.low, without.low, rtol=1e-9)
    np.testing.assert_allclose(weighted.high, without.high, rtol=1e-9)


@EVERY
def test_a_model_file_keeps_the_ranges(estimator, tmp_path):
    fitted = make(estimator, 3).fit(curved())
    models.save(fitted, tmp_path / "model.gram")
    z = np.linspace(0, 30, 50)[:, np.newaxis] * fitted.transform(curved()[:1])
    again = models.load(tmp_path / "model.gram")
    np.testing.assert_array_equal(again.inverse_transform(z), fitted.inverse_transform(z))


def test_a_linear_fit_has_no_ranges_in_its_file(tmp_path):
    models.save(GFR(3, degree=1).fit(curved()), tmp_path / "model.gram")
    assert "decoder.low.npy" not in unpack(tmp_path / "model.gram")


def test_functions_of_the_user_have_ranges():
    family = Multilinear(1) + Custom([(np.square, 1)])
    fitted = GFR(2, family=family, alpha=0).fit(curved())
    z = 100 * fitted.transform(curved()[:3])
    np.testing.assert_allclose(
        fitted.inverse_transform(z), fitted.inverse_transform(z, linear=True), rtol=1e-12
    )


def growth(z):
    return np.exp(z)


def one_sided(z):
    return np.log(z + 50)


@pytest.mark.parametrize("function", [growth, one_sided])
def test_functions_of_the_user_need_no_finite_values_far_from_the_fit(function):
    rng = np.random.default_rng(0)
    z = rng.uniform(-1.5, 1.5, (400, 2)) * [4.0, 3.0]
    explained = function(z[:, 0] / z[:, 0].std())
    table = np.column_stack([z, explained / explained.std(), z[:, 1] + rng.standard_normal(400)])
    family = Multilinear(1) + Custom([(function, 1)])
    fitted = GFS(2, family=family, alpha=0, criterion="variance").fit(table)
    far = np.array([[-1e6, 1.0], [1e6, 1.0], [1e200, 1e200]])
    found = fitted.inverse_transform(far)
    assert np.isfinite(found).all()
    by_lines = fitted.inverse_transform(far, linear=True)
    np.testing.assert_allclose(found[:, 3], by_lines[:, 3])  # functions explain column 2 only


def test_wrong_cells_are_trimmed_where_functions_of_the_user_overflow():
    table = curved()
    table[7, 1] = 1e6
    family = Multilinear(1) + Custom([(growth, 1)])
    with pytest.warns(TrimmedRowsWarning):
        fitted = GFR(2, family=family, alpha=0).fit(table)
    assert fitted.trimmed_rows_.tolist() == [7]
    without = GFR(2, family=family, alpha=0).fit(np.delete(table, 7, axis=0))
    np.testing.assert_allclose(fitted.residual_variance_, without.residual_variance_)


# Held-out groups


@pytest.mark.parametrize(
    ("load", "n", "options"),
    [
        (load_breast_cancer, 3, {"family": "polynomial", "degree": 3, "alpha": 0}),
        (load_digits, 10, {"family": "polynomial", "degree": 3}),
        (load_iris, 3, {"family": "polynomial", "degree": 3, "alpha": 0}),
    ],
)
def test_groups_that_are_left_out_are_reconstructed_about_as_well_as_by_pca(load, n, options):
    data = load()
    table = data.data / (1.0 if load is load_digits else data.data.std(axis=0))
    groups = data.target
    if load is not load_digits:
        groups = KMeans(6, n_init=3, random_state=0).fit_predict(table)
    left = {"GFR": 0.0, "everywhere": 0.0, "PCA": 0.0}
    for train, test in GroupKFold(4).split(table, groups=groups):
        x = table[test]
        pca, gfr = PCA(n).fit(table[train]), GFR(n, **options).fit(table[train])
        left["PCA"] += np.sum((x - pca.inverse_transform(pca.transform(x))) ** 2)
        left["GFR"] += np.sum((x - decoded(gfr, x)) ** 2)
        left["everywhere"] += np.sum((x - decoded(gfr, x, extrapolate=True)) ** 2)
    assert left["GFR"] < 1.1 * left["PCA"] < left["everywhere"]
