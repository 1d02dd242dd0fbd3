"""Nearest points of curved surfaces: derivatives, the search, and its starting point."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import least_squares

from gramian.core.manifold import LinearStart, NearestSearch, Surface, Terms
from gramian.families import (
    Custom,
    Family,
    Fourier,
    Hermite,
    Indicator,
    Legendre,
    Multilinear,
    Polynomial,
)

FAMILIES: list[Family] = [
    Multilinear(3),
    Multilinear(None),
    Polynomial(4),
    Polynomial(3, max_variables=1),
    Hermite(5),
    Legendre(4),
    Fourier(2),
    Fourier(2, frequency=0.7, max_variables=2),
    Multilinear(3) + Fourier(1),
    Hermite(3) + Legendre(2),
]
ZERO = LinearStart(np.zeros((6, 2)), np.zeros(2))


def random_surface(family: Family, n_variables: int, n_columns: int, seed: int = 0) -> Surface:
    terms = Terms.of(family, n_variables)
    rng = np.random.default_rng(seed)
    sizes = 0.3 ** np.maximum(terms.degrees - 1.0, 0.0)
    return Surface(terms, sizes[:, np.newaxis] * rng.standard_normal((len(terms), n_columns)))


def tangents(surface: Surface, u: np.ndarray) -> np.ndarray:
    """Return derivatives of points by each variable: (n_rows, n_variables, n_columns)."""
    values = surface.terms(u)[surface.terms.lower]
    along = (values.T @ surface.tangents).reshape(len(u), u.shape[1], -1)
    return along if surface.axes is None else along @ surface.axes.T


@pytest.mark.parametrize("family", FAMILIES, ids=repr)
@pytest.mark.parametrize("n_columns", [5, 200])
def test_tangents_are_the_limits_of_difference_quotients(family, n_columns):
    surface = random_surface(family, 3, n_columns)
    u = np.random.default_rng(1).standard_normal((7, 3))
    exact = tangents(surface, u)
    step = 1e-6
    for j in range(3):
        away = np.zeros(3)
        away[j] = step
        quotient = (surface(u + away) - surface(u - away)) / (2 * step)
        np.testing.assert_allclose(exact[:, j], quotient, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("family", FAMILIES, ids=repr)
def test_terms_are_the_constant_and_the_functions_of_the_family(family):
    terms = Terms.of(family, 3)
    assert len(terms) == 1 + family.count(3)
    u = np.random.default_rng(2).standard_normal((4, 3))
    np.testing.assert_allclose(terms(u)[0], 1.0)
    np.testing.assert_allclose(terms(u)[terms.variables], u.T)
    assert (terms.degrees[terms.variables] == 1).all()
    assert len(set(terms.keys)) == len(terms)


@pytest.mark.parametrize(
    "family", [Custom([(np.abs, 1)]), Indicator(1), Multilinear(2) + Custom([(np.hypot, 2)])]
)
def test_functions_without_derivatives_get_a_clear_error(family):
    with pytest.raises(ValueError, match=r"derivatives.*'polynomial'"):
        Terms.of(family, 2)


def objective(surface: Surface, search: NearestSearch, x: np.ndarray, u: np.ndarray) -> np.ndarray:
    missed = np.sum((x - surface(u)) ** 2, axis=1)
    return missed + search.tether * surface.unit * np.sum(u**2, axis=1)


@pytest.mark.parametrize("tether", [0.0, 0.1])
@pytest.mark.parametrize("family", [Polynomial(2), Hermite(3), Fourier(1)], ids=repr)
def test_the_search_agrees_with_a_general_solver_from_the_same_start(family, tether):
    surface = random_surface(family, 2, 6)
    rng = np.random.default_rng(3)
    x = surface(0.5 * rng.standard_normal((20, 2))) + 0.05 * rng.standard_normal((20, 6))
    search = NearestSearch(tether=tether, tol=1e-12, max_steps=200)
    u, errors = search(surface, ZERO, x)
    np.testing.assert_allclose(errors, np.sum((x - surface(u)) ** 2, axis=1), rtol=1e-9)
    root = np.sqrt(tether * surface.unit)
    for row, found in zip(x, u, strict=True):

        def residual(v, row=row):
            return np.append(row - surface(v[np.newaxis])[0], root * v)

        best = least_squares(residual, np.zeros(2), xtol=1e-14, ftol=1e-14, gtol=1e-14)
        mine = objective(surface, search, row[np.newaxis], found[np.newaxis])[0]
        # Both are local minima; if they differ, ours is not much worse.
        assert mine <= 2 * best.cost * (1 + 1e-6) + 1e-12 or mine < 0.05


@pytest.mark.parametrize("tether", [0.0, 0.05])
def test_residuals_are_orthogonal_to_the_surface_except_for_the_tether(tether):
    surface = random_surface(Hermite(3), 2, 6)
    x = np.random.default_rng(4).standard_normal((50, 6))
    search = NearestSearch(tether=tether, tol=1e-15, max_steps=5000)
    u, _ = search(surface, ZERO, x)
    along = np.einsum("ijk,ik->ij", tangents(surface, u), x - surface(u))
    size = np.sqrt(np.sum(tangents(surface, u) ** 2, axis=(1, 2)))[:, np.newaxis]
    assert np.abs((along - tether * surface.unit * u) / (1 + size)).max() < 1e-6


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(FAMILIES), st.floats(-2, 4))
def test_no_row_ends_further_from_the_surface_than_it_began(seed, family, distance):
    surface = random_surface(family, 2, 6, seed)
    x = 10**distance * np.random.default_rng(seed).standard_normal((8, 6))
    before = np.sum((x - surface(np.zeros((8, 2)))) ** 2, axis=1)
    for max_steps in (1, 3, 30):
        u, errors = NearestSearch(max_steps=max_steps)(surface, ZERO, x)
        rounding = 1e-12 * (1 + np.sum(x**2, axis=1))
        assert (errors <= before * (1 + 1e-9) + rounding).all()
        np.testing.assert_allclose(
            errors, np.sum((x - surface(u)) ** 2, axis=1), rtol=1e-6, atol=1e-9
        )
        before = errors


def test_rows_do_not_depend_on_the_rows_beside_them():
    surface = random_surface(Polynomial(3), 2, 6)
    x = np.random.default_rng(5).standard_normal((300, 6))
    together = NearestSearch()(surface, ZERO, x)[0]
    alone = np.vstack([NearestSearch()(surface, ZERO, row[np.newaxis])[0] for row in x])
    np.testing.assert_allclose(together, alone, rtol=1e-6, atol=1e-8)


def test_the_search_for_float32_rows_runs_in_float32():
    surface = random_surface(Polynomial(2), 2, 6)
    x = np.random.default_rng(6).standard_normal((30, 6))
    u, errors = NearestSearch(tol=1e-4)(surface, ZERO, x.astype(np.float32))
    assert u.dtype == errors.dtype == np.float32
    np.testing.assert_allclose(errors, NearestSearch(tol=1e-4)(surface, ZERO, x)[1], rtol=1e-2)


def test_points_of_the_surface_are_their_own_nearest_points():
    surface = random_surface(Polynomial(2), 2, 6)
    u = 0.3 * np.random.default_rng(7).standard_normal((40, 2))
    found, errors = NearestSearch(tol=1e-12)(
        surface, LinearStart(np.zeros((6, 2)), u[0]), surface(u[:1])
    )
    np.testing.assert_allclose(found, u[:1])
    assert errors[0] < 1e-20


def test_a_row_with_huge_values_gets_a_clear_error():
    surface = random_surface(Polynomial(2), 2, 6)
    x = np.ones((3, 6))
    x[1] = 1e200
    with pytest.raises(ValueError, match=r"number 1 of its block.*too far"):
        NearestSearch()(surface, ZERO, x)


def test_a_variable_without_effect_keeps_its_starting_value():
    terms = Terms.of(Polynomial(2), 2)
    b = np.zeros((len(terms), 4))
    b[terms.variables[0]] = [1.0, 2.0, 0.0, 0.0]
    x = np.random.default_rng(8).standard_normal((10, 4))
    start = LinearStart(np.zeros((4, 2)), np.array([0.0, 0.5]))
    u, _ = NearestSearch(tol=1e-12)(Surface(terms, b), start, x)
    np.testing.assert_allclose(u[:, 1], 0.5)
    np.testing.assert_allclose(u[:, 0], (x[:, 0] + 2 * x[:, 1]) / 5, atol=1e-8)
