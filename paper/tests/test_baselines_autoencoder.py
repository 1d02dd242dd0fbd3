"""The autoencoder: its reconstructions, and its two halves as parts of one network."""

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.utils.estimator_checks import parametrize_with_checks

from gramian_paper.baselines import Autoencoder


@pytest.fixture(scope="module")
def curve():
    """Return two thirds of a circle: a curve with one coordinate, far from any line."""
    angle = np.random.default_rng(0).uniform(-2, 2, 300)
    X = np.column_stack([np.cos(angle), np.sin(angle)])
    return (X - X.mean(axis=0)) / X.std(axis=0)


@pytest.fixture(scope="module")
def fitted(curve):
    made = Autoencoder(
        1, hidden_layer_sizes=(16,), epochs=150, learning_rate=0.01, batch_size=50, random_state=0
    )
    return made.fit(curve)


def error(estimator, X):
    return np.mean((estimator.inverse_transform(estimator.transform(X)) - X) ** 2)


def test_a_curve_is_reconstructed_better_than_by_pca(fitted, curve):
    assert error(fitted, curve) < 0.25 * error(PCA(1).fit(curve), curve)


def test_the_code_is_monotonic_along_the_curve(fitted, curve):
    order = np.argsort(np.arctan2(curve[:, 1], curve[:, 0] + 1))
    steps = np.diff(fitted.transform(curve)[order, 0])
    assert max((steps > 0).mean(), (steps < 0).mean()) > 0.95


def test_the_decoded_code_equals_the_prediction_of_the_network(fitted, curve):
    code = fitted.transform(curve)
    assert code.shape == (300, 1)
    output = fitted.network_.predict(curve)
    np.testing.assert_allclose(fitted.inverse_transform(code), output, atol=1e-12)


@pytest.mark.parametrize("activation", ["identity", "logistic", "tanh", "relu"])
@pytest.mark.parametrize("hidden", [(), (7,), (7, 5)])
def test_halves_compose_to_the_network_for_all_shapes(curve, activation, hidden):
    made = Autoencoder(
        2, hidden_layer_sizes=hidden, activation=activation, epochs=2, random_state=0
    ).fit(curve)
    assert [len(weights) for weights in made.network_.coefs_] == [2, *hidden, 2, *hidden[::-1]]
    output = made.network_.predict(curve)
    np.testing.assert_allclose(made.inverse_transform(made.transform(curve)), output, atol=1e-12)


def test_a_linear_autoencoder_is_close_to_pca_and_not_better():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 2)) @ rng.standard_normal((2, 4))
    X += 0.1 * rng.standard_normal(X.shape)
    X -= X.mean(axis=0)
    linear = Autoencoder(
        2,
        hidden_layer_sizes=(),
        activation="identity",
        epochs=300,
        learning_rate=0.01,
        batch_size=50,
        random_state=0,
    ).fit(X)
    least = error(PCA(2).fit(X), X)
    assert least < error(linear, X) < 1.2 * least


def test_training_lasts_the_requested_number_of_epochs(curve):
    made = Autoencoder(1, hidden_layer_sizes=(4,), epochs=7, random_state=0).fit(curve)
    assert made.loss_curve_.shape == (7,)
    assert made.loss_curve_[-1] < made.loss_curve_[0]


def test_codes_of_another_width_are_refused(fitted):
    with pytest.raises(ValueError, match="Z has 3 columns, but the bottleneck has 1 units"):
        fitted.inverse_transform(np.zeros((2, 3)))


@parametrize_with_checks([Autoencoder(hidden_layer_sizes=(4,), epochs=3)])
def test_scikit_learn_contract(estimator, check):
    check(estimator)
