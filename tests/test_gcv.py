"""Generalized cross-validation: residual variance of new rows, estimated from the fitted rows."""

from __future__ import annotations

import families_by_hand as hand
import numpy as np
import pytest
from oracle_cases import planted, weights
from reconstruction_cases import Explicit
from support import STEPWISE, make

from gramian.exceptions import SaturationWarning

X = planted()
every_estimator = pytest.mark.parametrize("estimator", STEPWISE)


@pytest.mark.parametrize("solver", ["qr", "gram", "moments"])
@every_estimator
def test_gcv_divides_by_the_squared_share_of_spare_rows(estimator, solver):
    fitted = make(estimator, 4, degree=3, solver=solver).fit(X)
    p = 1 + np.cumsum([0, *fitted.n_functions_])
    expected = fitted.total_residual_variance_ / (1 - p / len(X)) ** 2
    np.testing.assert_allclose(fitted.gcv_total_residual_variance_, expected, rtol=1e-12)


@every_estimator
def test_gcv_counts_rows_by_the_effective_sample_size(estimator):
    w = weights()
    fitted = make(estimator, 3).fit(X, sample_weight=w)
    p = 1 + np.cumsum([0, *fitted.n_functions_])
    n = w.sum() ** 2 / (w**2).sum()  # Kish's effective sample size
    expected = fitted.total_residual_variance_ / (1 - p / n) ** 2
    np.testing.assert_allclose(fitted.gcv_total_residual_variance_, expected, rtol=1e-12)


@pytest.mark.parametrize("alpha", [0.01, 0.3, 3.0])
@every_estimator
def test_gcv_with_shrinkage_counts_effective_functions(estimator, alpha):
    fitted = make(estimator, 5, degree=3, alpha=alpha).fit(X)
    explicit = Explicit(fitted, hand.multilinear(3), X)
    shares = np.sqrt(fitted.total_residual_variance_ / fitted.gcv_total_residual_variance_)
    p = len(X) * (1 - shares)
    for j in range(6):
        F, _, penalized = explicit.functions(j)
        gram = F.T @ F / len(F)
        expected = np.trace(gram @ np.linalg.inv(gram + alpha * np.diag(penalized.astype(float))))
        # Singletons and the constant count in full; random probes estimate the trace of the others.
        assert p[j] - (1 + j) == pytest.approx(expected - (1 + j), rel=0.1, abs=1e-6)


@every_estimator
def test_gcv_is_infinite_with_as_many_functions_as_rows(estimator):
    table = np.random.default_rng(0).standard_normal((16, 8))
    with pytest.warns(SaturationWarning):
        fitted = make(estimator, 6, degree=None, threshold=1e-9).fit(table)
    assert np.isfinite(fitted.gcv_total_residual_variance_[:-1]).all()
    assert fitted.gcv_total_residual_variance_[-1] == np.inf


@pytest.mark.parametrize("alpha", [0.0, 0.1])
@every_estimator
def test_gcv_estimates_the_residual_variance_of_new_rows_of_noise(estimator, alpha):
    scales = np.repeat([3.0, 1.0], [6, 30])
    train, test = np.random.default_rng(0).standard_normal((2, 1500, 36)) * scales
    fitted = make(estimator, 6, degree=3, alpha=alpha)
    fitted.fit(train[:300], validation_data=test)
    estimate, measured = (
        fitted.gcv_total_residual_variance_,
        fitted.validation_total_residual_variance_,
    )
    np.testing.assert_allclose(estimate, measured, rtol=0.08)
    # GCV is closer than the residual variance of the fitted rows.
    optimism = np.abs(fitted.total_residual_variance_ - measured)
    assert np.abs(estimate - measured)[-1] < 0.5 * optimism[-1]
