"""Paths: degrees and families compared on held-out rows."""

from __future__ import annotations

import families_by_hand as hand
import numpy as np
import pytest
from oracle_cases import FAMILIES, planted, weights
from property_cases import nonlinear_table
from reconstruction_cases import (
    Explicit,
    assert_fitted_to_all_rows,
    assert_held_out_residuals,
    assert_same_attributes,
)
from reconstruction_cases import of_degree as table_of_degree
from sklearn.base import clone
from support import STEPWISE, make

from gramian import GCA, GFR, GFS
from gramian.families import Fourier, Hermite, Indicator, Multilinear, Polynomial

X = planted()
TRAIN, TEST = X[:200], X[200:]
every_estimator = pytest.mark.parametrize("estimator", STEPWISE)


def of_degree(estimator, degree, noise=0.3):
    """Return a table whose redundant columns or principal directions are products of `degree`."""
    if estimator not in (GFR, GCA):
        return table_of_degree(degree, n=1000, noise=noise)
    rng = np.random.default_rng(1)
    a, b, c = rng.uniform(-1.7, 1.7, (3, 1000))
    columns = [8 * a, 7 * b, 6 * c, np.zeros(1000)]
    columns += [a * b, b * c] if degree > 1 else []
    columns += [a * b * c] if degree > 2 else []
    return np.column_stack(columns) + noise * rng.standard_normal((1000, len(columns)))


# Most rows are held out: on few fitted rows, too high a degree overfits clearly.
FEW = {"validation_fraction": 0.9}


# The fits


@every_estimator
def test_a_path_has_a_fit_for_every_degree(estimator):
    path = make(estimator, 3).path(TRAIN, validation_data=TEST)
    families = [Multilinear(degree) for degree in (1, 2, 3, 4)]
    assert [fit.family_ for fit in path.estimators] == families
    for fit, degree in zip(path.estimators, (1, 2, 3, 4), strict=True):
        alone = make(estimator, 3, degree=degree).fit(TRAIN, validation_data=TEST)
        assert_same_attributes(fit, alone)


@every_estimator
def test_held_out_residuals_of_a_path_equal_those_of_least_squares(estimator):
    by_hand = {str(family): functions for family, functions in FAMILIES.values()}
    path = make(estimator, 2, alpha=0.01).path(
        TRAIN,
        degrees=[2, 3],
        families=["polynomial", "multilinear", Fourier(1)],
        validation_data=TEST,
    )
    assert len(path.estimators) == 5
    for fit in path.estimators:
        explicit = Explicit(fit, by_hand[str(fit.family_)], TRAIN)
        assert_held_out_residuals(fit, explicit, TEST)


@pytest.mark.parametrize("random_state", [0, 3, None, np.random.RandomState(0)])
@every_estimator
def test_all_fits_of_a_path_hold_the_same_rows_out(estimator, random_state):
    path = make(estimator, 2, random_state=random_state).path(X, degrees=[1, 2, 3])
    first, *others = path.estimators
    for other in others:
        np.testing.assert_array_equal(first.mean_, other.mean_)
        assert (
            first.validation_total_residual_variance_[0]
            == other.validation_total_residual_variance_[0]
        )


@every_estimator
def test_a_path_holds_out_a_tenth_by_default(estimator):
    plain = make(estimator, 2)
    (fit,) = plain.path(X, degrees=[2]).estimators
    assert_same_attributes(fit, make(estimator, 2, validation_fraction=0.1).fit(X))
    half = make(estimator, 2, validation_fraction=0.5)
    (fit,) = half.path(X, degrees=[2]).estimators
    assert_same_attributes(fit, clone(half).fit(X))


@every_estimator
def test_a_path_uses_weights(estimator):
    w = weights()
    path = make(estimator, 2).path(
        TRAIN, degrees=[2], sample_weight=w[:200], validation_data=(TEST, w[200:])
    )
    alone = make(estimator, 2).fit(TRAIN, sample_weight=w[:200], validation_data=(TEST, w[200:]))
    assert_same_attributes(path.estimators[0], alone)


@every_estimator
def test_a_path_does_not_change_the_estimator(estimator):
    plain = make(estimator, 2)
    before = dict(vars(plain))
    plain.path(X, degrees=[1, 2])
    assert vars(plain) == before


def test_families_are_given_by_name_or_as_instances():
    path = GFR(2, alpha=0).path(
        X, degrees=(1, 2), families=["polynomial", Multilinear(3), "fourier", Hermite(4)]
    )
    # The simplest named families come first, so that they win ties.
    assert [fit.family_ for fit in path.estimators] == [
        Multilinear(3),
        Hermite(4),
        Polynomial(1),
        Fourier(1),
        Polynomial(2),
        Fourier(2),
    ]


def test_the_family_of_the_estimator_is_compared_by_default():
    path = GFR(2, family="hermite", alpha=0).path(X, degrees=[2, 3])
    assert [fit.family_ for fit in path.estimators] == [Hermite(2), Hermite(3)]
    path = GFR(2, family=Hermite(3), alpha=0).path(X)
    assert [fit.family_ for fit in path.estimators] == [Hermite(3)]
    path = GFR(2, family="auto", alpha=0).path(X, degrees=[2, 3])
    assert [fit.family_ for fit in path.estimators] == [
        Multilinear(2),
        Polynomial(2),
        Multilinear(3),
        Polynomial(3),
    ]


WRONG = {
    "too many levels": ({"families": [Multilinear(1), Indicator(1)]}, "max_levels"),
    "no degree": ({"degrees": [0]}, "degree"),
    "unknown name": ({"families": ["no such"]}, "famil"),
    "no family": ({"families": [Multilinear(1), 3]}, "famil"),
    "nothing": ({"families": []}, "famil"),
    "no degrees": ({"degrees": []}, "degree"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_path_of_invalid_families_is_refused(case):
    wrong, words = WRONG[case]
    with pytest.raises(ValueError, match=words):
        GFR(2, alpha=0).path(X, **wrong)


# The table


@pytest.mark.parametrize("alpha", [0.0, "auto"])
@every_estimator
def test_the_table_has_a_row_for_every_family_and_number_of_features(estimator, alpha):
    path = make(estimator, 3, alpha=alpha).path(TRAIN, degrees=[1, 2], validation_data=TEST)
    rows = iter(path.table)
    for fit in path.estimators:
        held_out = fit.validation_total_residual_variance_
        total = fit.total_residual_variance_
        np.testing.assert_array_equal(path.shares(fit), held_out / held_out[0])
        for n in range(4):
            row = next(rows)
            assert list(row) == [
                "family",
                "n_features",
                "n_functions",
                "alpha",
                "left",
                "left_held_out",
            ]
            assert row["family"] == str(fit.family_)
            assert row["n_features"] == n
            assert row["n_functions"] == 1 + fit.n_functions_[:n].sum()
            assert row["left"] == pytest.approx(total[n] / total[0])
            assert row["left_held_out"] == pytest.approx(held_out[n] / held_out[0])
            if n:
                assert row["alpha"] == fit.alpha_path_[n - 1]
            else:
                assert np.isnan(row["alpha"])
    assert next(rows, None) is None


# The best


@pytest.mark.parametrize("degree", [1, 2, 3])
@every_estimator
def test_the_degree_of_planted_functions_is_found(estimator, degree):
    table = of_degree(estimator, degree)
    path = make(estimator, 3, **FEW).path(table, degrees=[1, 2, 3, 4])
    assert path.best().family_ == Multilinear(degree)
    assert path.best(3).family_ == Multilinear(degree)
    shares = [path.shares(fit)[3] for fit in path.estimators]
    assert int(np.argmin(shares)) == degree - 1


@every_estimator
def test_the_best_fit_has_the_least_residual_at_equal_numbers_of_features(estimator):
    path = make(estimator, 4, alpha=0.01).path(
        nonlinear_table(0, d=6),
        degrees=[1, 2, 3],
        families=["multilinear", "polynomial", Fourier(1)],
    )
    for n in range(1, 5):
        shares = [path.shares(fit)[n] for fit in path.estimators]
        assert path.best(n) is path.estimators[int(np.argmin(shares))]
    assert path.best() is path.best(4)


def test_the_first_of_equal_fits_is_the_best():
    path = GFS(1, alpha=0, criterion="variance").path(
        TRAIN, degrees=[3, 1, 2], validation_data=TEST
    )
    assert path.best().family_ == Multilinear(3)  # one variable has no products


@every_estimator
def test_fits_of_different_lengths_are_compared_at_the_shortest(estimator):
    # Degree 2 explains everything with three features; degree 1 needs all features.
    table = of_degree(estimator, 2, noise=0.0)
    path = make(estimator, 0.99, threshold=None).path(table, degrees=[1, 2])
    linear, quadratic = path.estimators
    assert len(quadratic.n_functions_) < len(linear.n_functions_)
    n = len(quadratic.n_functions_)
    assert path.shares(quadratic)[n] < path.shares(linear)[n]
    assert path.best() is quadratic


# The number of functions


@every_estimator
def test_fits_of_a_path_obey_the_limit_of_functions(estimator):
    path = make(estimator, 4, threshold=1e-9, max_functions=12).path(X, degrees=[1, 2, 4])
    for fit in path.estimators:
        assert fit.n_functions_.sum() <= 12
    linear, quadratic, quartic = path.estimators
    assert linear.stop_reason_ == quadratic.stop_reason_ == linear._count_name
    assert quartic.stop_reason_ == "max_functions"
    assert len(quartic.n_functions_) == 3
    # The quartic fit has three features, so it is not compared at four.
    assert path.best() in (linear, quadratic)
    assert path.best(4) in (linear, quadratic)
    shares = [path.shares(fit)[3] for fit in path.estimators]
    assert path.best(3) is path.estimators[int(np.argmin(shares))]


def test_a_fit_that_ended_early_does_not_compete_beyond_its_end():
    table = table_of_degree(2, noise=0.02)
    path = GFS(4, max_functions=6, alpha=0, criterion="variance").path(table, degrees=[1, 2])
    linear, quadratic = path.estimators
    assert quadratic.stop_reason_ == "max_functions"
    assert len(quadratic.n_functions_) == 3
    assert path.shares(quadratic)[3] < path.shares(linear)[4]
    assert path.best(3) is quadratic
    assert path.best() is path.best(4) is linear


def test_a_path_has_its_own_limit_of_functions(monkeypatch):
    monkeypatch.setattr("gramian.estimators._pursuit_plan.MAX_FUNCTIONS", 5)
    linear, cubic = GFR(4, alpha=0).path(X, degrees=[1, 3]).estimators
    assert linear.stop_reason_ == "n_components"
    assert cubic.stop_reason_ == "max_functions"
    assert cubic.n_functions_.sum() == 3


def test_a_path_whose_fits_all_end_early_has_a_best_fit():
    path = GFR(5, max_functions=2, alpha=0).path(X, degrees=[1, 2])
    assert [fit.stop_reason_ for fit in path.estimators] == ["max_functions"] * 2
    assert [len(fit.n_functions_) for fit in path.estimators] == [2, 1]
    assert path.best() in path.estimators


# degree="auto"


@pytest.mark.parametrize("degree", [1, 2, 3])
@every_estimator
def test_a_degree_chosen_automatically_is_the_best_of_the_path(estimator, degree):
    table = of_degree(estimator, degree)
    fitted = make(estimator, 3, degree="auto", **FEW).fit(table)
    assert fitted.family_ == Multilinear(degree)
    assert fitted.degree == "auto"
    # All rows are fitted once the degree is known.
    deciding = make(estimator, 3, **FEW).path(table).best()
    assert_fitted_to_all_rows(fitted, deciding, hand.multilinear(degree), table)


@every_estimator
def test_an_automatic_degree_works_with_validation_data_weights_and_penalty(estimator):
    w = weights()
    arguments = {"sample_weight": w[:200], "validation_data": (TEST, w[200:])}
    auto = make(estimator, 3, degree="auto", alpha="auto").fit(TRAIN, **arguments)
    best = make(estimator, 3, alpha="auto").path(TRAIN, **arguments).best()
    assert_same_attributes(auto, best)


@every_estimator
def test_automatic_degree_and_penalty_are_kept_for_the_fit_to_all_rows(estimator):
    table = nonlinear_table(0, d=6)
    auto = make(estimator, 4, degree="auto", alpha="auto").fit(table)
    deciding = make(estimator, 4, alpha="auto").path(table).best()
    functions = hand.multilinear(deciding.family_.degree)
    assert_fitted_to_all_rows(auto, deciding, functions, table)


@every_estimator
def test_a_degree_chosen_automatically_can_be_fitted_again(estimator):
    auto = make(estimator, 3, degree="auto", **FEW)
    once = auto.fit(of_degree(estimator, 3)).family_
    again = auto.fit(of_degree(estimator, 1)).family_
    assert (once, again) == (Multilinear(3), Multilinear(1))
    assert clone(auto).get_params() == make(estimator, 3, degree="auto", **FEW).get_params()


def test_a_degree_of_another_family_is_chosen_automatically():
    rng = np.random.default_rng(0)
    a, b = rng.uniform(-1.7, 1.7, (2, 600))
    table = np.column_stack([5 * a, 4 * b, np.sin(2 * a / a.std()), np.cos(2 * b / b.std())])
    table += 0.2 * rng.standard_normal(table.shape)
    fitted = GFS(2, family="fourier", degree="auto", **FEW, criterion="variance").fit(table)
    assert fitted.family_ == Fourier(2)


@every_estimator
def test_a_family_is_chosen_automatically(estimator):
    rng = np.random.default_rng(0)
    a, b = rng.uniform(-1.7, 1.7, (2, 600))
    table = np.column_stack([5 * a, 4 * b, a**2, b**2, a * b])
    table += 0.1 * rng.standard_normal(table.shape)
    both = make(estimator, 2, family="auto", degree="auto", **FEW).fit(table)
    assert both.family_ == Polynomial(2)


def test_a_given_degree_applies_to_an_automatic_family():
    for degree in (2, 3):
        fitted = GFR(2, family="auto", degree=degree, alpha=0).fit(X)
        assert fitted.family_ in (Multilinear(degree), Polynomial(degree))


@every_estimator
def test_the_cost_of_an_automatic_degree_cannot_be_estimated(estimator):
    with pytest.raises(ValueError, match="degree"):
        make(estimator, 3, degree="auto").estimate_cost(X)
