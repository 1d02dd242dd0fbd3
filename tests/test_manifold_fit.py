"""PolynomialManifold: fits that alternate between codes and surfaces."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import special_ortho_group
from sklearn.decomposition import PCA

from gramian import GFR, PolynomialManifold
from gramian._support.words import percent
from gramian.core.manifold import HeldOutRows
from gramian.core.manifold._refit import TermSums, refit
from gramian.core.manifold._surface_terms import Terms
from gramian.estimators._manifold_plan import growing_families
from gramian.exceptions import OverfittingWarning
from gramian.families import Custom, Fourier, Hermite, Indicator, Multilinear, Polynomial

PRECISE = {"tol": 1e-10, "max_steps": 200}


def paraboloid(n_rows: int = 800, noise: float = 0.05, seed: int = 0) -> np.ndarray:
    """Return points of a curved sheet in eight dimensions, with noise."""
    rng = np.random.default_rng(seed)
    a, b = rng.uniform(-1.5, 1.5, (2, n_rows))
    sheet = np.column_stack([2 * a, 1.5 * b, a**2 + b**2, a * b])
    turn = special_ortho_group.rvs(8, random_state=0)[:4]
    return sheet @ turn + noise * rng.standard_normal((n_rows, 8)) + np.arange(8.0)


X = paraboloid()


def left(model: PolynomialManifold, rows: np.ndarray) -> float:
    return float(np.mean(model.reconstruction_error(rows)))


@pytest.mark.parametrize("name", ["polynomial", "multilinear", "hermite", "legendre", "fourier"])
@pytest.mark.parametrize(("n_codes", "most"), [(2, 30), (4, 40), (5, 20), (5, 12), (5, 7)])
def test_families_grow_as_far_as_the_number_of_rows_allows(name, n_codes, most):
    families = growing_families(name, n_codes, most)
    z = np.random.default_rng(0).uniform(-1, 1, (200, n_codes))
    assert all(each.count(n_codes) <= max(most, n_codes) for each in families)
    for few, many in pairwise(Terms.of(each, n_codes)(z).T for each in families):
        assert few.shape[1] < many.shape[1]
        rest = few - many @ np.linalg.lstsq(many, few)[0]
        assert np.abs(rest).max() < 1e-8  # each family contains the one before


def test_a_degree_with_too_many_functions_is_limited_to_few_variables():
    assert growing_families("polynomial", 40, 3600) == [
        Polynomial(2),
        Polynomial(3, max_variables=2),
    ]
    assert growing_families("polynomial", 40, 900) == [Polynomial(2)]
    assert growing_families("polynomial", 40, 100) == [Polynomial(2, max_variables=1)]
    assert growing_families("polynomial", 40, 60) == [Multilinear(1)]


@pytest.mark.parametrize("alpha", [0.0, 0.01, 1.0])
def test_the_penalty_grows_with_the_degree(alpha):
    rng = np.random.default_rng(0)
    z, x = rng.standard_normal((50, 2)), rng.standard_normal((50, 3))
    terms = Terms.of(Polynomial(3), 2)
    f = terms(z)
    sums = TermSums(f @ f.T / 50, f @ x / 50, 0.0)
    found = refit(sums, terms, alpha)(z)
    # The penalty as additional rows: each function, of norm one, should be zero.
    a, b = np.meshgrid(range(4), range(4))
    powers = [(i, j) for i, j in zip(a.ravel(), b.ravel(), strict=True) if i + j <= 3]
    design = np.column_stack([z[:, 0] ** i * z[:, 1] ** j for i, j in powers])
    design /= np.sqrt(np.mean(design**2, axis=0))
    penalties = np.array([{2: alpha, 3: 3 * alpha}.get(i + j, 0.0) for i, j in powers])
    rows = np.vstack([design / np.sqrt(50), np.diag(np.sqrt(penalties))])
    targets = np.vstack([x / np.sqrt(50), np.zeros((len(powers), 3))])
    expected = design @ np.linalg.lstsq(rows, targets)[0]
    np.testing.assert_allclose(found, expected, atol=1e-8)


@pytest.mark.parametrize("family", ["polynomial", "multilinear", "hermite", "legendre"])
@pytest.mark.parametrize("n_components", [1, 3, 8])
def test_a_surface_of_degree_1_is_pca(family, n_components):
    model = PolynomialManifold(n_components, degree=1, family=family).fit(X)
    pca = PCA(n_components).fit(X)
    scores = pca.transform(X)
    np.testing.assert_allclose(
        model.inverse_transform(model.transform(X)), pca.inverse_transform(scores), atol=1e-7
    )
    np.testing.assert_allclose(
        np.abs(model.transform(X)), np.abs(scores / scores.std(axis=0)), atol=1e-6
    )
    unit = model.components_ / np.linalg.norm(model.components_, axis=1, keepdims=True)
    np.testing.assert_allclose(np.abs(unit), np.abs(pca.components_), atol=1e-7)


@pytest.mark.parametrize("family", ["polynomial", "multilinear", "hermite", "legendre", "fourier"])
def test_every_round_lowers_the_error(family):
    model = PolynomialManifold(2, family=family, degree=2, n_rounds=8).fit(X)
    assert (np.diff(model.total_residual_variance_) < 0).all()
    np.testing.assert_allclose(model.total_residual_variance_[0], X.var(axis=0).sum())
    np.testing.assert_allclose(model.total_residual_variance_[-1], left(model, X), rtol=1e-9)
    assert model.n_rounds_ == len(model.total_residual_variance_) - 1


def test_a_planted_paraboloid_is_recovered_to_the_noise():
    noise = 0.05
    train, test = paraboloid(2000, noise), paraboloid(2000, noise, seed=1)
    model = PolynomialManifold(2, alpha=0, n_rounds=30).fit(train)
    # two of the eight dimensions of the noise lie in the sheet
    assert left(model, test) == pytest.approx(6 * noise**2, rel=0.05)
    pca = PCA(2).fit(train)
    linear = np.sum((test - pca.inverse_transform(pca.transform(test))) ** 2, axis=1).mean()
    assert linear > 20 * left(model, test)


def test_a_planted_cubic_curve_in_20_dimensions_is_recovered_to_the_noise():
    noise, rng = 0.02, np.random.default_rng(0)
    shape = rng.standard_normal((3, 20)) * [[1.0], [0.4], [0.4]]

    def draw(n_rows: int) -> np.ndarray:
        u = rng.uniform(-1, 1, n_rows)
        curve = np.column_stack([u, u**2, u**3]) @ shape
        return curve + noise * rng.standard_normal((n_rows, 20))

    model = PolynomialManifold(1, degree=3, alpha=0, n_rounds=80).fit(draw(1000))
    assert left(model, draw(2000)) == pytest.approx(19 * noise**2, rel=0.05)


def test_a_circle_has_one_code_its_angle():
    rng = np.random.default_rng(0)
    angle = rng.uniform(-np.pi, np.pi, 1000)
    circle = np.column_stack([3 * np.cos(angle), 3 * np.sin(angle)])
    noise = 0.05
    rows = np.column_stack([circle, np.zeros(1000)]) + noise * rng.standard_normal((1000, 3))
    model = PolynomialManifold(1, family="fourier", degree=1).fit(rows)
    assert left(model, rows) == pytest.approx(2 * noise**2, rel=0.1)
    # the code is the angle, up to its origin and sense of rotation
    found = model.transform(rows)[:, 0] * np.pi / 3**0.5
    turns = [np.abs(np.mean(np.exp(1j * (found + sign * angle)))) for sign in (-1, 1)]
    assert max(turns) > 0.99
    assert left(PolynomialManifold(1, degree=3).fit(rows), rows) > 5 * left(model, rows)


def test_codes_have_mean_0_and_variance_1_and_are_uncorrelated():
    for options in ({"degree": 3}, {"family": "multilinear"}, {"family": Hermite(2)}):
        codes = PolynomialManifold(2, **options).fit_transform(X)
        np.testing.assert_allclose(codes.mean(axis=0), 0, atol=1e-7)
        np.testing.assert_allclose(np.cov(codes.T, bias=True), np.eye(2), atol=1e-7)


def test_components_are_the_linear_coefficients_of_codes_longest_first():
    model = PolynomialManifold(3).fit(X)
    slopes = np.linalg.lstsq(model.transform(X), X - X.mean(axis=0), rcond=None)[0]
    np.testing.assert_allclose(model.components_, slopes, atol=1e-6)
    lengths = np.linalg.norm(model.components_, axis=1)
    assert (np.diff(lengths) <= 0).all()
    assert (model.components_.max(axis=1) >= -model.components_.min(axis=1)).all()
    products = model.components_ @ model.components_.T
    np.testing.assert_allclose(products, np.diag(lengths**2), atol=1e-6)


def test_linear_codes_approximate_codes():
    model = PolynomialManifold(2).fit(X)
    codes, estimates = model.transform(X), model.transform(X, linear=True)
    for one, other in zip(codes.T, estimates.T, strict=True):
        assert np.corrcoef(one, other)[0, 1] > 0.9
    # linear codes are a linear map
    twice = model.transform(2 * X - X.mean(axis=0), linear=True)
    zero = model.transform(X.mean(axis=0, keepdims=True), linear=True)
    np.testing.assert_allclose(twice - zero, 2 * (estimates - zero), atol=1e-9)


def test_a_rotation_of_the_columns_changes_no_code():
    turn = special_ortho_group.rvs(8, random_state=1)
    one = PolynomialManifold(2, **PRECISE).fit(X)
    other = PolynomialManifold(2, **PRECISE).fit(X @ turn)
    np.testing.assert_allclose(
        np.abs(one.transform(X)), np.abs(other.transform(X @ turn)), atol=1e-5
    )
    np.testing.assert_allclose(left(one, X), left(other, X @ turn), rtol=1e-6)


def test_units_and_origin_change_no_code():
    one = PolynomialManifold(2, **PRECISE).fit(X)
    other = PolynomialManifold(2, **PRECISE).fit(1000 * X - 50)
    np.testing.assert_allclose(one.transform(X), other.transform(1000 * X - 50), atol=1e-5)
    np.testing.assert_allclose(1000 * one.components_, other.components_, rtol=1e-5, atol=1e-4)


def test_a_constant_column_does_not_change_the_codes():
    wider = np.insert(X, 3, 7.0, axis=1)
    one = PolynomialManifold(2, **PRECISE).fit(X)
    other = PolynomialManifold(2, **PRECISE).fit(wider)
    np.testing.assert_allclose(one.transform(X), other.transform(wider), atol=1e-5)
    np.testing.assert_allclose(other.inverse_transform(other.transform(wider))[:, 3], 7.0)


def test_integer_weights_equal_repeated_rows():
    few = X[:200]
    weights = np.random.default_rng(0).integers(0, 4, len(few))
    one = PolynomialManifold(2).fit(few, sample_weight=weights)
    other = PolynomialManifold(2).fit(np.repeat(few, weights, axis=0))
    np.testing.assert_allclose(one.transform(few), other.transform(few), atol=1e-6)
    np.testing.assert_allclose(one.total_residual_variance_, other.total_residual_variance_)
    assert one.score(few, sample_weight=weights) == pytest.approx(
        other.score(np.repeat(few, weights, axis=0))
    )


def test_codes_do_not_change_if_rows_are_embedded_in_more_columns():
    rng = np.random.default_rng(0)
    wide = X[:60] @ np.linalg.qr(rng.standard_normal((300, 8)))[0].T
    one = PolynomialManifold(2, **PRECISE).fit(X[:60])
    other = PolynomialManifold(2, **PRECISE).fit(wide)
    np.testing.assert_allclose(
        np.abs(one.transform(X[:60])), np.abs(other.transform(wide)), atol=1e-5
    )
    np.testing.assert_allclose(other.mean_, wide.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(left(one, X[:60]), left(other, wide), rtol=1e-6)


def test_held_out_rows_choose_degree_penalty_and_rounds():
    train, test = paraboloid(600), paraboloid(600, seed=2)
    model = PolynomialManifold(2, degree="auto", alpha="auto", n_rounds="auto").fit(train)
    assert model.family_.degree >= 2
    shares = model.validation_total_residual_variance_
    assert shares[0] == model.total_residual_variance_[0]
    assert shares.min() < 0.1 * shares[0]
    assert left(model, test) < 1.3 * 6 * 0.05**2


def test_held_out_rows_prefer_a_plane_where_the_data_are_flat():
    rng = np.random.default_rng(0)
    flat = rng.standard_normal((24, 3)) @ rng.standard_normal((3, 6))
    flat += 0.1 * rng.standard_normal((24, 6))
    model = PolynomialManifold(3, degree="auto", alpha=0.0, n_rounds=3).fit(flat)
    assert model.family_ == Multilinear(1)
    assert model.n_functions_ == 4


def test_a_given_degree_is_kept_whatever_the_held_out_rows():
    rng = np.random.default_rng(0)
    noise = rng.standard_normal((80, 5))
    model = PolynomialManifold(2, degree=3, alpha="auto").fit(noise)
    assert model.family_ == Polynomial(3)


@pytest.mark.parametrize("n_components", [1, 2, 3])
def test_new_rows_are_at_least_as_close_as_to_gfr(n_components):
    train, test = paraboloid(400), paraboloid(400, seed=3)
    gfr = GFR(n_components, family="polynomial", alpha=0).fit(train)
    model = PolynomialManifold(n_components, alpha=0.001).fit(train)
    assert model.score(test) >= gfr.score(test)


def test_repeated_fits_are_identical():
    one, other = (PolynomialManifold(2, degree=3).fit(X) for _ in range(2))
    np.testing.assert_array_equal(one.transform(X), other.transform(X))


def test_data_of_fewer_dimensions_than_requested_give_fewer_codes():
    rng = np.random.default_rng(0)
    line = rng.standard_normal((50, 1)) @ rng.standard_normal((1, 4))
    model = PolynomialManifold(3).fit(line)
    assert model.n_components_ == 1
    assert model.transform(line).shape == (50, 1)
    assert model.score(line) > 1 - 1e-9


def test_mistakes_get_clear_errors():
    with pytest.raises(ValueError, match=r"n_components=9.*n_features=8"):
        PolynomialManifold(9).fit(X)
    with pytest.raises(ValueError, match="constant"):
        PolynomialManifold(1).fit(np.ones((5, 3)))
    for family in (Custom([(np.abs, 1)]), Indicator(1)):
        with pytest.raises(ValueError, match="derivatives"):
            PolynomialManifold(1, family=family).fit(X)
    model = PolynomialManifold(2).fit(X)
    with pytest.raises(ValueError, match="infinity"):
        model.transform(np.full((1, 8), np.inf))
    with pytest.raises(ValueError, match="3 columns"):
        model.inverse_transform(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="validation_fraction"):
        PolynomialManifold(1, degree="auto", validation_fraction=0.9).fit(X[:5])
    with pytest.warns(OverfittingWarning, match="6 functions were fitted to 8 samples"):
        PolynomialManifold(2).fit(X[:8])


def test_far_away_rows_have_finite_codes():
    model = PolynomialManifold(2, degree=3).fit(X)
    far = X.mean(axis=0) + 10.0 ** np.arange(1, 9)[:, np.newaxis] * np.ones(8)
    codes = model.transform(far)
    assert np.isfinite(codes).all()
    sizes = np.sum((far - model.mean_) ** 2, axis=1)
    assert (model.reconstruction_error(far) < 1.01 * sizes).all()


def test_a_union_of_families_is_a_family():
    model = PolynomialManifold(1, family=Multilinear(1) + Fourier(1)).fit(X)
    assert model.score(X) > PolynomialManifold(1, degree=1).fit(X).score(X)


def test_verbose_prints_a_line_for_each_round(capsys):
    PolynomialManifold(1, n_rounds=2).fit(X)
    assert not capsys.readouterr().err
    model = PolynomialManifold(1, n_rounds=2, verbose=1).fit(X)
    lines = capsys.readouterr().err.splitlines()
    left = model.total_residual_variance_ / model.total_residual_variance_[0]
    assert len(lines) == 2
    assert lines[1].endswith(f"Polynomial(2), alpha=0.03: {percent(left[-1])} left")


# Flat surfaces


@pytest.mark.parametrize("seed", [5, 6, 7])
def test_a_flat_surface_is_taken_unless_held_out_rows_are_sure_of_a_curve(seed):
    table = np.random.default_rng(seed).uniform(-1, 1, (200, 80))  # noise in a wide table
    train, test = table[:50], table[50:]
    surface = PolynomialManifold(3, degree="auto", alpha="auto", n_rounds="auto").fit(train)
    pca = PCA(3).fit(train)
    by_surface = test - surface.inverse_transform(surface.transform(test))
    by_pca = test - pca.inverse_transform(pca.transform(test))
    assert np.sum(by_surface**2) < 1.0001 * np.sum(by_pca**2)


def test_one_row_alone_does_not_make_a_surface_curved():
    held_out = HeldOutRows(np.eye(10), np.full(10, 0.1), 0.0)
    flat = np.ones(10)
    assert not held_out.surely_less(flat - 0.5 * (np.arange(10) == 0), flat)
    assert held_out.surely_less(np.linspace(0.7, 0.9, 10), flat)
    assert not held_out.surely_less(flat, flat)
    assert not held_out.surely_less(np.full(10, 1e-28), np.full(10, 2e-28))


@pytest.mark.parametrize("degree", [2, "auto"])
def test_samples_that_span_too_few_dimensions_are_refused(degree):
    table = np.random.default_rng(0).standard_normal((2, 5))
    with pytest.raises(ValueError, match="n_components=2 is more than the 1 dimensions"):
        PolynomialManifold(2, degree=degree).fit(table)
