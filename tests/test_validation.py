"""Held-out rows: their residuals, and their choice."""

from __future__ import annotations

import families_by_hand as hand
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle_cases import FAMILIES, INDICATORS, planted, weights
from property_cases import a_property, families, names, new, nonlinear_table, seeds, solvers
from reconstruction_cases import (
    Explicit,
    assert_held_out_residuals,
    assert_same_attributes,
    fit_anyway,
    noise,
    of_degree,
    wide_table,
)
from support import STEPWISE, make, orthonormal

from gramian import GCA, GFA, GFR, GFS
from gramian.families import Custom, Polynomial

# Columns that identify rows are in their own units.
pytestmark = pytest.mark.filterwarnings("ignore::gramian.exceptions.UnitsWarning")
X = planted()
TRAIN, TEST = X[:200], X[200:]
every_estimator = pytest.mark.parametrize("estimator", STEPWISE)


# The residuals


@pytest.mark.parametrize("solver", ["qr", "gram"])
@pytest.mark.parametrize("name", FAMILIES)
@every_estimator
def test_held_out_residuals_equal_those_of_least_squares_on_the_other_rows(estimator, name, solver):
    family, functions = FAMILIES[name]
    fitted = make(estimator, 3, threshold=None, family=family, solver=solver)
    fitted.fit(TRAIN, validation_data=TEST)
    assert len(fitted.n_functions_) == 3
    assert_held_out_residuals(fitted, Explicit(fitted, functions, TRAIN), TEST)


@pytest.mark.parametrize("name", ["multilinear 2", "multilinear 3", "polynomial 3"])
@every_estimator
def test_held_out_residuals_with_shared_moments_are_right(estimator, name):
    family, functions = FAMILIES[name]
    fitted = make(estimator, 4, threshold=None, family=family, solver="moments")
    fitted.fit(TRAIN, validation_data=TEST)
    assert fitted.solver_ == "moments"
    assert_held_out_residuals(fitted, Explicit(fitted, functions, TRAIN), TEST)


@pytest.mark.parametrize("solver", ["qr", "gram"])
@pytest.mark.parametrize("name", INDICATORS)
@pytest.mark.parametrize("estimator", [GFS, GFA])
def test_held_out_residuals_of_discrete_columns_are_right(estimator, name, solver):
    family, functions = INDICATORS[name]
    rng = np.random.default_rng(0)
    a, b, c = rng.integers(0, 4, 300), rng.integers(0, 3, 300), rng.integers(0, 2, 300)
    others = np.column_stack([(a + b) % 3, a * c]) + rng.standard_normal((300, 2))
    table = np.column_stack([others, 5 * a, 7 * b, 9 * c])
    fitted = make(estimator, 3, threshold=None, family=family, solver=solver)
    fitted.fit(table[:200], validation_data=table[200:])
    assert sorted(fitted.selected_features_) == [2, 3, 4]
    assert_held_out_residuals(fitted, Explicit(fitted, functions, table[:200]), table[200:])


@pytest.mark.parametrize("solver", ["qr", "gram", "moments"])
@every_estimator
def test_held_out_residuals_with_weights_of_both_parts_are_right(estimator, solver):
    w = weights()
    assert (w[:200] == 0).any()
    assert (w[200:] == 0).any()
    fitted = make(estimator, 4, threshold=None, degree=3, solver=solver)
    fitted.fit(TRAIN, sample_weight=w[:200], validation_data=(TEST, w[200:]))
    explicit = Explicit(fitted, hand.multilinear(3), TRAIN, w[:200])
    assert_held_out_residuals(fitted, explicit, TEST, w[200:])


@pytest.mark.parametrize("solver", ["qr", "gram"])
@every_estimator
def test_held_out_residuals_with_more_columns_than_rows_are_right(estimator, solver):
    train, test = wide_table()
    fitted = make(estimator, 4, threshold=None, solver=solver).fit(train, validation_data=test)
    assert_held_out_residuals(fitted, Explicit(fitted, hand.multilinear(2), train), test)


@pytest.mark.parametrize("solver", ["qr", "gram"])
@every_estimator
def test_held_out_residuals_are_right_if_functions_are_dropped(estimator, solver):
    family = Polynomial(2) + Custom([(np.square, 1), (np.multiply, 2)])
    fitted = make(estimator, 3, threshold=None, family=family, solver=solver)
    fitted.fit(TRAIN, validation_data=TEST)
    np.testing.assert_array_equal(fitted.n_dropped_functions_, [1, 2, 3])
    assert_held_out_residuals(fitted, Explicit(fitted, hand.polynomial(2), TRAIN), TEST)


def test_held_out_residuals_of_a_given_basis_are_along_its_directions():
    basis = orthonormal(np.random.default_rng(2), X.shape[1])
    fitted = GCA(3, threshold=None, basis=basis, backward=False, alpha=0).fit(
        TRAIN, validation_data=TEST
    )
    np.testing.assert_array_equal(fitted.basis_, basis)
    assert_held_out_residuals(fitted, Explicit(fitted, hand.multilinear(2), TRAIN), TEST)


@a_property
@given(seeds, names, families, solvers, st.integers(1, 3), st.integers(3, 5))
def test_held_out_residuals_of_any_table_are_right(seed, name, pair, solver, count, d):
    family, functions = pair
    table = nonlinear_table(seed, d)
    fitted = new(name, count=count, threshold=None, family=family, solver=solver)
    fitted.fit(table[:150], validation_data=table[150:])
    assert_held_out_residuals(fitted, Explicit(fitted, functions, table[:150]), table[150:])


@every_estimator
def test_one_row_can_be_held_out(estimator):
    fitted = make(estimator, 2, threshold=None).fit(TRAIN, validation_data=TEST[:1])
    assert_held_out_residuals(fitted, Explicit(fitted, hand.multilinear(2), TRAIN), TEST[:1])


@every_estimator
def test_held_out_rows_of_huge_values_have_infinite_residuals_and_no_nan(estimator):
    fitted = make(estimator, 3, threshold=None, degree=3).fit(TRAIN, validation_data=1e150 * TEST)
    total = fitted.validation_total_residual_variance_
    assert np.isfinite(total[0])
    assert total[-1] == np.inf
    assert not np.isnan(fitted.validation_residual_variance_).any()


@every_estimator
def test_without_held_out_rows_there_are_no_held_out_residuals(estimator):
    fitted = make(estimator, 2).fit(X)
    assert not any(name.startswith("validation") and name.endswith("_") for name in vars(fitted))


# Choice of held-out rows


def rows_of_the_fit(fitted, numbers, n_fitted):
    """Return the rows that took part in the mean, decoded from a column 1, 2, 4, 8, ..."""
    total = round(fitted.mean_[0] * n_fitted)
    return np.array([bool(total >> int(number) & 1) for number in numbers])


def numbered(n=40, seed=3):
    """Return a table whose first column holds the powers of two."""
    others = np.random.default_rng(seed).standard_normal((n, 3)) * [1, 2, 3]
    return np.column_stack([2.0 ** np.arange(n), others])


@pytest.mark.parametrize("fraction", [0.01, 0.1, 0.25, 0.26, 0.9])
@every_estimator
def test_the_fraction_held_out_is_rounded_up(estimator, fraction):
    table = numbered()
    n_out = int(np.ceil(fraction * 40))
    fitted = make(estimator, 1, validation_fraction=fraction, degree=1).fit(table)
    fit_to = rows_of_the_fit(fitted, range(40), 40 - n_out)
    assert (~fit_to).sum() == n_out


@every_estimator
def test_a_held_out_fraction_equals_separate_validation_data(estimator):
    table = numbered()
    fitted = make(estimator, 2, validation_fraction=0.25).fit(table)
    fit_to = rows_of_the_fit(fitted, range(40), 30)
    apart = make(estimator, 2).fit(table[fit_to], validation_data=table[~fit_to])
    assert_same_attributes(fitted, apart)


@every_estimator
def test_held_out_rows_depend_on_the_rows_and_the_random_state_only(estimator):
    def held_out(units=(1, 1, 1, 1), **params):
        fitted = make(estimator, 1, validation_fraction=0.25, **params).fit(numbered() * units)
        return rows_of_the_fit(fitted, range(40), 30).tolist()

    assert held_out() == held_out()
    assert held_out() == held_out(random_state=0)
    assert held_out() == held_out((1, -3, 0.7, 1e9), degree=1)
    assert held_out() == held_out(alpha=0.1, max_functions=2)
    assert held_out() == held_out(random_state=np.random.RandomState(0))
    assert held_out() != held_out(random_state=1)


@every_estimator
def test_the_order_of_rows_and_columns_does_not_change_the_held_out_rows(estimator):
    table = numbered()
    rows, columns = np.random.default_rng(0).permutation(40), [0, 3, 2, 1]
    fitted = make(estimator, 1, validation_fraction=0.25).fit(table)
    moved = make(estimator, 1, validation_fraction=0.25).fit(table[rows][:, columns])
    np.testing.assert_array_equal(
        rows_of_the_fit(fitted, range(40), 30)[rows], rows_of_the_fit(moved, rows, 30)
    )


@every_estimator
def test_rows_without_weight_are_neither_held_out_nor_counted(estimator):
    table = numbered()
    w = np.ones(40)
    w[::5] = 0.0
    fitted = make(estimator, 2, validation_fraction=0.25).fit(table, sample_weight=w)
    fit_to = rows_of_the_fit(fitted, range(40), 24)
    assert not fit_to[::5].any()
    held_out = ~fit_to & (w > 0)
    assert held_out.sum() == 8
    apart = make(estimator, 2).fit(table[fit_to], validation_data=table[held_out])
    assert_same_attributes(fitted, apart, tolerance=1e-12)


@every_estimator
def test_held_out_rows_keep_their_weights(estimator):
    w = np.random.default_rng(5).uniform(0.5, 2, 40)
    table = numbered()
    equal = make(estimator, 2, validation_fraction=0.25).fit(table)
    fit_to = rows_of_the_fit(equal, range(40), 30)
    fitted = make(estimator, 2, validation_fraction=0.25).fit(table, sample_weight=w)
    apart = make(estimator, 2).fit(
        table[fit_to], sample_weight=w[fit_to], validation_data=(table[~fit_to], w[~fit_to])
    )
    assert_same_attributes(fitted, apart)


@pytest.mark.parametrize("solver", ["qr", "gram"])
@every_estimator
def test_held_out_rows_do_not_change_the_fit(estimator, solver):
    watched = make(estimator, 3, solver=solver).fit(TRAIN, validation_data=TEST)
    alone = make(estimator, 3, solver=solver).fit(TRAIN)
    assert hasattr(watched, "validation_residual_variance_")
    assert_same_attributes(watched, alone, skip="validation_")
    np.testing.assert_array_equal(watched.transform(TEST), alone.transform(TEST))
    np.testing.assert_array_equal(watched.reconstruction_error(X), alone.reconstruction_error(X))


@every_estimator
def test_validation_data_override_the_fraction(estimator):
    both = make(estimator, 2, validation_fraction=0.5).fit(TRAIN, validation_data=TEST)
    given_only = make(estimator, 2).fit(TRAIN, validation_data=TEST)
    assert_same_attributes(both, given_only)


@every_estimator
def test_validation_data_are_rows_or_a_pair_of_rows_and_weights(estimator):
    plain = make(estimator, 2).fit(TRAIN, validation_data=TEST)
    for same in [TEST.tolist(), (TEST, None), (TEST, np.full(len(TEST), 7.0))]:
        other = make(estimator, 2).fit(TRAIN, validation_data=same)
        assert_same_attributes(other, plain, tolerance=1e-12)
    twice = make(estimator, 2).fit(TRAIN, validation_data=np.repeat(TEST, 2, axis=0)[:-1])
    w = np.full(len(TEST), 2)
    w[-1] = 1
    weighted = make(estimator, 2).fit(TRAIN, validation_data=(TEST, w))
    assert_same_attributes(weighted, twice, tolerance=1e-12)


@every_estimator
def test_validation_data_in_a_frame_have_the_names_of_the_features(estimator):
    columns = list("abcdef")
    train, test = (pd.DataFrame(part, columns=columns) for part in (TRAIN, TEST))
    fitted = make(estimator, 2).fit(train, validation_data=test)
    plain = make(estimator, 2).fit(TRAIN, validation_data=TEST)
    assert_same_attributes(fitted, plain, skip="feature_names")
    with pytest.raises(ValueError, match="same order"):
        make(estimator, 2).fit(train, validation_data=test[columns[::-1]])


@every_estimator
def test_a_second_fit_forgets_earlier_held_out_rows(estimator):
    fitted = make(estimator, 2).fit(TRAIN, validation_data=TEST).fit(TRAIN)
    assert not hasattr(fitted, "validation_total_residual_variance_")


WRONG = {
    "columns": (TEST[:, :3], "3 features"),
    "no rows": (TEST[:0], "0 sample"),
    "NaN": (np.where(TEST > 3, np.nan, TEST), "lacks a value"),
    "weights of another length": ((TEST, np.ones(3)), "sample_weight"),
    "negative weights": ((TEST, -np.ones(len(TEST))), "[Nn]egative"),
    "no weight": ((TEST, np.zeros(len(TEST))), "non-zero|positive"),
    "three": ((TEST, None, None), "pair"),
    "one": ((TEST,), "pair"),
}


@pytest.mark.parametrize("case", WRONG)
@every_estimator
def test_wrong_validation_data_are_refused(estimator, case):
    wrong, words = WRONG[case]
    with pytest.raises(ValueError, match=words):
        make(estimator, 2).fit(TRAIN, validation_data=wrong)


@every_estimator
def test_validation_data_in_a_file_are_refused(estimator, tmp_path):
    np.save(tmp_path / "test.npy", TEST)
    for file in (tmp_path / "test.npy", (str(tmp_path / "test.npy"), None)):
        with pytest.raises(TypeError, match=r"validation_data must be a table in memory.*Read"):
            make(estimator, 2).fit(TRAIN, validation_data=file)


@pytest.mark.parametrize("fraction", [0.0, 1.0, -0.1, 1.5, 3, "half", np.nan])
@every_estimator
def test_a_fraction_outside_zero_to_one_is_refused(estimator, fraction):
    with pytest.raises(ValueError, match="validation_fraction"):
        make(estimator, 2, validation_fraction=fraction).fit(X)


@every_estimator
def test_too_few_rows_to_hold_some_out_are_refused(estimator):
    with pytest.raises(ValueError, match=r"validation_fraction=0.9 of 10 samples leaves 1 to fit"):
        make(estimator, 1, validation_fraction=0.9).fit(X[:10])
    w = np.zeros(len(X))
    w[:10] = 1.0
    with pytest.raises(ValueError, match=r"validation_fraction=0.9 of 10 samples leaves 1 to fit"):
        make(estimator, 1, validation_fraction=0.9).fit(X, sample_weight=w)


# Generalization


def test_held_out_residuals_reveal_overfitting():
    fitted = fit_anyway(
        GFR(4, degree=3, alpha=0), noise(60, 8), validation_data=noise(2000, 8, seed=1)
    )
    held_out = fitted.validation_total_residual_variance_
    assert held_out[-1] > 1.5 * fitted.total_residual_variance_[-1]


@pytest.mark.parametrize("estimator", [GFS, GFA])
def test_held_out_residuals_of_planted_functions_vanish(estimator):
    table = of_degree(2)
    fitted = make(estimator, 3, degree=2).fit(table[:300], validation_data=table[300:])
    total = fitted.validation_total_residual_variance_
    assert total[-1] <= 1e-20 * total[0]
    assert total[-2] >= 1e-2 * total[0]
