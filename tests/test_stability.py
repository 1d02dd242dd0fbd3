"""Stability: frequency of features and directions in fits to resampled rows."""

from __future__ import annotations

import numpy as np
import pytest
from joblib import parallel_config
from oracle_cases import planted
from scipy.linalg import subspace_angles
from sklearn.exceptions import NotFittedError
from support import EXTRACTORS, STEPWISE, make, orthonormal

from gramian import GCA, GFA, GFR, GFS
from gramian.estimators._stability import of_selections, of_subspaces

X = planted()
SELECTORS = [GFS, GFA]
every_estimator = pytest.mark.parametrize("estimator", STEPWISE)


def clear_cut(n=300):
    """Return columns of very different variances, for which all resamples agree, and a product."""
    a, b, c = np.random.default_rng(0).uniform(-1, 1, (3, n))
    return np.column_stack([9 * a, 3 * b, c, 0.01 * a * b])


def rivals(n=200):
    """Return a table with two candidates of almost equal variance."""
    values = np.random.default_rng(0).standard_normal((n, 3))
    return values / values.std(axis=0) * [3.0, 1.001, 1.0]


# Selections


@pytest.mark.parametrize("estimator", SELECTORS)
def test_clearly_best_features_are_chosen_in_every_resample(estimator):
    stability = make(estimator, 2).fit(clear_cut()).stability(clear_cut(), 12)
    np.testing.assert_array_equal(stability.frequency, [1, 1, 0, 0])
    np.testing.assert_array_equal(stability.agreement, np.ones(12))
    np.testing.assert_array_equal(stability.n_chosen, np.full(12, 2))
    assert stability.mean == 1.0


@pytest.mark.parametrize("estimator", SELECTORS)
def test_two_equivalent_features_are_chosen_alternately(estimator):
    stability = make(estimator, 2).fit(rivals()).stability(rivals(), 30)
    sure, *rival = stability.frequency
    assert sure == 1.0
    assert all(0.1 < frequency < 0.9 for frequency in rival)
    assert sum(rival) == pytest.approx(1.0)
    # two features in common, or one of three
    shares = stability.agreement.tolist()
    assert {round(share, 12) for share in shares} == {1.0, round(1 / 3, 12)}
    assert stability.mean == pytest.approx(np.mean(shares))
    same = np.mean(stability.agreement == 1.0)
    assert rival[0] == pytest.approx(same)


@pytest.mark.parametrize("estimator", SELECTORS)
def test_frequencies_are_those_of_fits_with_the_counts_as_weights(estimator):
    fitted = make(estimator, 3, degree=3).fit(X)
    stability = fitted.stability(X, 5, random_state=7)
    masks = []
    for generator in np.random.default_rng(7).spawn(5):
        counts = generator.multinomial(len(X), np.full(len(X), 1 / len(X)))
        drawn = np.repeat(X, counts, axis=0)
        masks.append(make(estimator, 3, degree=3).fit(drawn).support_)
    np.testing.assert_allclose(stability.frequency, np.mean(masks, axis=0))
    jaccard = [(fitted.support_ & mask).sum() / (fitted.support_ | mask).sum() for mask in masks]
    np.testing.assert_allclose(stability.agreement, jaccard)


def test_selections_are_compared_by_the_features_in_common():
    chosen = np.array([True, True, False, False])
    resampled = [[1, 1, 0, 0], [1, 0, 1, 0], [0, 0, 1, 1], [1, 1, 1, 1], [0, 0, 0, 0]]
    stability = of_selections(chosen, resampled)
    np.testing.assert_allclose(stability.frequency, [0.6, 0.4, 0.6, 0.4])
    np.testing.assert_allclose(stability.agreement, [1, 1 / 3, 0, 1 / 2, 0])
    np.testing.assert_array_equal(stability.n_chosen, [2, 2, 2, 4, 0])
    nothing = of_selections(np.zeros(2, dtype=bool), [[0, 0], [1, 0]])
    np.testing.assert_allclose(nothing.agreement, [1, 0])


# Directions


@pytest.mark.parametrize("estimator", EXTRACTORS)
def test_clearly_best_directions_are_found_in_every_resample(estimator):
    stability = make(estimator, 2).fit(clear_cut()).stability(clear_cut(), 12)
    assert stability.frequency.shape == (2,)
    assert (stability.frequency > 0.99).all()
    assert (stability.agreement > 0.99).all()
    assert stability.mean <= 1.0


@pytest.mark.parametrize("estimator", EXTRACTORS)
def test_two_equivalent_directions_have_low_agreement(estimator):
    stability = make(estimator, 2).fit(rivals()).stability(rivals(), 30)
    assert stability.frequency[0] > 0.98
    assert 0.2 < stability.frequency[1] < 0.9
    assert 0.5 < stability.mean < 0.95


@pytest.mark.parametrize("estimator", EXTRACTORS)
def test_agreement_is_the_mean_squared_cosine_of_principal_angles(estimator):
    fitted = make(estimator, 3).fit(X)
    stability = fitted.stability(X, 5, random_state=3)
    spans = []
    for generator in np.random.default_rng(3).spawn(5):
        counts = generator.multinomial(len(X), np.full(len(X), 1 / len(X)))
        spans.append(make(estimator, 3).fit(np.repeat(X, counts, axis=0)).components_)
    cosines = [np.cos(subspace_angles(fitted.components_.T, span.T)) for span in spans]
    np.testing.assert_allclose(stability.agreement, np.mean(np.square(cosines), axis=1), atol=1e-7)
    shadows = [np.linalg.norm(fitted.components_ @ span.T @ span, axis=1) ** 2 for span in spans]
    np.testing.assert_allclose(stability.frequency, np.mean(shadows, axis=0), atol=1e-7)


def test_spans_of_different_dimension_are_compared_in_the_smaller_one():
    basis = orthonormal(np.random.default_rng(0), 5)
    other = orthonormal(np.random.default_rng(1), 5)
    stability = of_subspaces(basis[:3], [basis[:2], basis[:4], basis[3:], other[:2], basis[:0]])
    angles = subspace_angles(basis[:3].T, other[:2].T)
    np.testing.assert_allclose(
        stability.agreement, [1, 1, 0, np.mean(np.cos(angles) ** 2), 1], atol=1e-12
    )
    np.testing.assert_array_equal(stability.n_chosen, [2, 4, 2, 2, 0])


def test_directions_count_as_spans_and_not_one_by_one():
    # Two directions of equal variance may turn within their plane.
    values = np.random.default_rng(0).standard_normal((300, 3)) * [3, 3, 0.3]
    stability = GFR(2, degree=1, alpha=0).fit(values).stability(values, 10)
    assert (stability.frequency > 0.99).all()
    assert stability.mean > 0.99


# Selections and directions


@every_estimator
def test_frequencies_are_between_zero_and_one(estimator):
    rng = np.random.default_rng(0)
    table = rng.standard_normal((60, 8))
    stability = make(estimator, 3).fit(table).stability(table, 10)
    for shares in (stability.frequency, stability.agreement):
        assert (shares >= 0).all()
        assert (shares <= 1 + 1e-12).all()
    assert len(stability.agreement) == len(stability.n_chosen) == 10
    assert len(stability.frequency) == (3 if estimator in EXTRACTORS else 8)
    assert 0 < stability.mean < 1


@every_estimator
def test_the_seed_decides_on_the_resamples(estimator):
    fitted = make(estimator, 2, degree=3).fit(rivals())
    one, same, other = (
        fitted.stability(rivals(), 20, random_state=seed).frequency for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_parallel_resamples_give_the_result_of_sequential_ones(backend):
    fitted = GFR(2, alpha=0).fit(X)
    alone = fitted.stability(X, 6)
    with parallel_config(backend):
        together = fitted.stability(X, 6, n_jobs=2)
    for name in ("frequency", "agreement", "n_chosen"):
        np.testing.assert_array_equal(getattr(alone, name), getattr(together, name))


@every_estimator
def test_resamples_use_the_parameters_of_the_fit(estimator):
    fitted = make(estimator, 0.9, threshold=None, degree=1).fit(X)
    stability = fitted.stability(X, 8)
    n = len(fitted.n_functions_)
    assert n > 2
    assert (np.abs(stability.n_chosen - n) <= 1).all()
    shrunk = make(estimator, 2, alpha="auto", early_stopping=True, validation_fraction=0.2).fit(X)
    assert (shrunk.stability(X, 4).n_chosen == 2).all()


@every_estimator
def test_stability_does_not_change_the_fit(estimator):
    fitted = make(estimator, 2).fit(X)
    before = dict(vars(fitted))
    fitted.stability(X, 2)
    after = vars(fitted)
    assert before.keys() == after.keys()
    assert all(before[name] is after[name] for name in before)


@every_estimator
def test_stability_needs_a_fit_and_its_data(estimator):
    with pytest.raises(NotFittedError):
        make(estimator, 2).stability(X)
    with pytest.raises(ValueError, match="3 features"):
        make(estimator, 2).fit(X).stability(X[:, :3])


@pytest.mark.parametrize("n_resamples", [0, -1])
def test_the_number_of_resamples_is_positive(n_resamples):
    with pytest.raises(ValueError, match="n_resamples"):
        GCA(2, backward=False, alpha=0).fit(X).stability(X, n_resamples)
