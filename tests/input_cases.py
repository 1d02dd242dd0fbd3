"""Data and checks for bad and hard input."""

import numpy as np
from support import EXTRACTORS

N = 200
SIGNS = np.random.default_rng(0).choice([-1, 1], (3, N))
A, B, C = SIGNS * np.random.default_rng(1).uniform(1, 2, (3, N))
X = np.column_stack([3 * A, 2 * B, C])


def fit(estimator, table, **params):
    """Fit, and check the properties that every fit has."""
    fitted = estimator.fit(table, **params)
    for residual in (fitted.residual_variance_, fitted.total_residual_variance_):
        assert np.isfinite(residual).all()
        assert (residual >= 0).all()
        assert (np.diff(residual) <= 1e-12 * residual[0]).all()
    steps = len(fitted.n_functions_)
    assert len(fitted.residual_variance_) == len(fitted.total_residual_variance_) == steps + 1
    assert np.isfinite(fitted.explained_variance_ratio_).all()
    assert np.isfinite(fitted.mean_).all()
    assert np.isfinite(fitted.orthogonality_loss_)
    if isinstance(fitted, tuple(EXTRACTORS)):
        gram = fitted.components_ @ fitted.components_.T
        np.testing.assert_allclose(gram, np.eye(len(gram)), atol=1e-10)
    return fitted


def assert_same_choice(one, other, atol=1e-10):
    """Check that two fits have equal directions, or equal features in equal order."""
    if isinstance(one, tuple(EXTRACTORS)):
        np.testing.assert_allclose(one.components_, other.components_, atol=atol)
    else:
        np.testing.assert_array_equal(one.selected_features_, other.selected_features_)
