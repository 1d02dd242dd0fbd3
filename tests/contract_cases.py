"""Data and comparisons for tests of scikit-learn's conventions."""

import numpy as np

from gramian.families import Family


def signed_variables(rng, n_samples):
    """Return three independent variables of both signs, away from zero."""
    return rng.choice([-1, 1], (3, n_samples)) * rng.uniform(1, 2, (3, n_samples))


def make_table(n_samples=200):
    """Return three independent variables, and functions of them."""
    rng = np.random.default_rng(1)
    a, b, c = signed_variables(rng, n_samples)
    return np.column_stack([0.2 * a * b, 2 * a, c, 3 * b, 0.2 * b * c, 0.5 * c])


X = make_table()
N, D = X.shape


def assert_same_fit(one, other, rtol=0.0):
    """Check that all fitted attributes are equal."""
    assert vars(one).keys() == vars(other).keys()
    for name, value in vars(one).items():
        if name.endswith("_") and name != "model_":  # `model_` repeats the other attributes
            if value is None or isinstance(value, str | Family):
                assert value == getattr(other, name), name
            else:
                np.testing.assert_allclose(
                    value, getattr(other, name), rtol=rtol, atol=rtol, err_msg=name
                )
