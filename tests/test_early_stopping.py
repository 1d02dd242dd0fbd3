"""Fits that stop when held-out residuals no longer fall."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle_cases import planted
from property_cases import a_property, names, new, nonlinear_table, seeds
from reconstruction_cases import assert_same_attributes, fit_anyway, noise
from support import STEPWISE, make

X = planted()
TRAIN, TEST = X[:200], X[200:]
every_estimator = pytest.mark.parametrize("estimator", STEPWISE)


def stopping(estimator, **params):
    return make(estimator, None, threshold=0.0, early_stopping=True, **params)


@pytest.mark.parametrize("patience", [1, 2, 4])
@pytest.mark.parametrize("tol", [0.0, 1e-4, 0.05])
@every_estimator
def test_a_fit_stops_when_held_out_residuals_no_longer_fall(estimator, tol, patience):
    fitted = stopping(estimator, n_iter_no_change=patience, tol=tol)
    fit_anyway(fitted, noise(150, 20), validation_data=noise(100, 20, seed=1))
    total = fitted.validation_total_residual_variance_
    assert fitted.stop_reason_ == "early_stopping"
    assert len(total) - 1 <= int(np.argmin(total)) + patience

    def improved(n):
        """Return True if the last steps reduced the residual by more than the tolerance."""
        return total[n - patience + 1 : n + 1].min() < total[: n - patience + 1].min() - (
            tol * total[0]
        )

    steps = range(patience, len(total))
    assert [improved(n) for n in steps] == [True] * (len(steps) - 1) + [False]


@a_property
@given(seeds, names, st.integers(1, 4), st.sampled_from([0.0, 1e-3, 0.1]))
def test_early_stopping_takes_at_most_patience_steps_after_the_best(seed, name, patience, tol):
    estimator = new(
        name,
        threshold=0.0,
        degree=3,
        early_stopping=True,
        n_iter_no_change=patience,
        tol=tol,
        validation_fraction=0.3,
    )
    fit_anyway(estimator, nonlinear_table(seed, d=8, n=90))
    total = estimator.validation_total_residual_variance_
    assert len(total) - 1 <= int(np.argmin(total)) + patience


@every_estimator
def test_a_fit_that_goes_on_improving_is_not_stopped(estimator):
    fitted = stopping(estimator, degree=1, n_iter_no_change=1, tol=0.0)
    fitted.fit(noise(400, 12), validation_data=noise(200, 12, seed=1))
    assert (np.diff(fitted.validation_total_residual_variance_) < 0).all()
    assert fitted.stop_reason_ in ("threshold", "exhausted")
    assert len(fitted.n_functions_) == 12


@every_estimator
def test_an_improvement_below_the_tolerance_does_not_count(estimator):
    # Every step of a linear fit to twelve equivalent columns explains a twelfth.
    table = noise(1200, 12)
    alike = {"degree": 1, "n_iter_no_change": 1, "validation_fraction": 0.5}
    assert len(stopping(estimator, tol=0.05, **alike).fit(table).n_functions_) == 12
    assert len(stopping(estimator, tol=0.2, **alike).fit(table).n_functions_) == 1
    patient = alike | {"n_iter_no_change": 3}
    assert len(stopping(estimator, tol=0.2, **patient).fit(table).n_functions_) == 12


@every_estimator
def test_early_stopping_holds_a_tenth_out_by_default(estimator):
    fitted = stopping(estimator, degree=1, n_iter_no_change=10).fit(X)
    told = make(estimator, None, threshold=0.0, degree=1, validation_fraction=0.1).fit(X)
    assert_same_attributes(fitted, told)


@every_estimator
def test_patience_and_tolerance_have_no_effect_without_early_stopping(estimator):
    plain = make(estimator, 4, degree=1).fit(TRAIN, validation_data=TEST)
    other = make(estimator, 4, degree=1, n_iter_no_change=1, tol=10.0)
    assert_same_attributes(other.fit(TRAIN, validation_data=TEST), plain)


@pytest.mark.parametrize(
    "wrong", [{"n_iter_no_change": 0}, {"tol": -1.0}, {"early_stopping": "yes"}]
)
@every_estimator
def test_wrong_parameters_of_early_stopping_are_refused(estimator, wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        make(estimator, 2, **wrong).fit(X)
