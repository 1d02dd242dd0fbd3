"""LPP against the eigenproblem that defines it."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from gramian_paper.baselines import LPP


def graph_by_hand(X, n_neighbors, width=None):
    """Return W by its definition: row by row, symmetric, each row a neighbour of itself."""
    distances = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))
    W = np.zeros_like(distances)
    for i, row in enumerate(distances):
        nearest = np.argsort(row, kind="stable")[:n_neighbors]
        W[i, nearest] = 1 if width is None else np.exp(-(row[nearest] ** 2) / width**2)
    return np.maximum(W, W.T)


def matrices(X, n_neighbors=5, width=None):
    W = graph_by_hand(X, n_neighbors, width)
    D = np.diag(W.sum(axis=1))
    return X.T @ (D - W) @ X, X.T @ D @ X


@pytest.fixture(name="X")
def correlated_data():
    rng = np.random.default_rng(0)
    return rng.standard_normal((80, 5)) @ rng.standard_normal((5, 5)) + [1, 0, 0, 2, 0]


@pytest.mark.parametrize("width", [None, 2.0])
def test_directions_solve_the_generalized_eigenproblem(X, width):
    lpp = LPP(5, n_neighbors=6, width=width).fit(X)
    A, B = matrices(X, 6, width)
    for value, a in zip(lpp.eigenvalues_, lpp.components_, strict=True):
        np.testing.assert_allclose(A @ a, value * (B @ a), atol=1e-10 * np.abs(A @ a).max())
    np.testing.assert_allclose(lpp.components_ @ B @ lpp.components_.T, np.eye(5), atol=1e-10)
    assert (np.diff(lpp.eigenvalues_) >= 0).all()
    direct = np.sort(np.linalg.eigvals(np.linalg.solve(B, A)).real)
    np.testing.assert_allclose(lpp.eigenvalues_, direct, rtol=1e-8)


def test_no_direction_keeps_neighbours_closer_than_the_first(X):
    lpp = LPP(1).fit(X)
    A, B = matrices(X)
    noise = np.random.default_rng(1).standard_normal((2000, 5))
    size = np.abs(lpp.components_).max()
    for directions in [noise, lpp.components_ + 1e-2 * size * noise, lpp.components_]:
        objective = np.sum(directions @ A * directions, axis=1)
        objective /= np.sum(directions @ B * directions, axis=1)
        assert (objective >= lpp.eigenvalues_[0] * (1 - 1e-9)).all()
    assert objective == pytest.approx(lpp.eigenvalues_)


def test_points_in_pairs_are_projected_so_that_pairs_coincide():
    # Four pairs: the first coordinate separates pairs, the second the two points of a pair.
    place = np.array([-3.0, -1.0, 1.0, 3.0])
    X = np.column_stack([np.repeat(place, 2), np.tile([-0.1, 0.1], 4)])
    lpp = LPP(2, n_neighbors=2).fit(X)
    # W consists of blocks [[1, 1], [1, 1]], so that D = 2 I: λ = 0 along the first axis, with
    # aᵀXᵀDXa = 2 · 40 a² = 1, and along the second λ = 1, with 2 · 0.08 a² = 1.
    np.testing.assert_allclose(lpp.eigenvalues_, [0, 1], atol=1e-12)
    expected = np.diag([1 / np.sqrt(80), 1 / np.sqrt(0.16)])
    np.testing.assert_allclose(lpp.components_, expected, atol=1e-12)


def test_projection_is_linear(X):
    lpp = LPP(3).fit(X)
    np.testing.assert_allclose(lpp.transform(X), X @ lpp.components_.T, atol=1e-14)


def test_dependent_columns_change_no_coordinate(X):
    # Five columns rotated into seven: distances do not change, and XᵀDX is singular.
    basis = np.linalg.qr(np.random.default_rng(1).standard_normal((7, 5)))[0]
    few, many = LPP(5).fit(X), LPP(5).fit(X @ basis.T)
    assert (few.rank_, many.rank_) == (5, 5)
    np.testing.assert_allclose(few.eigenvalues_, many.eigenvalues_, rtol=1e-9)
    few_z, many_z = few.transform(X), many.transform(X @ basis.T)
    np.testing.assert_allclose(np.abs(few_z), np.abs(many_z), atol=1e-9)


def test_constant_zero_columns_get_no_weight(X):
    lpp = LPP(5).fit(np.column_stack([X[:, :2], np.zeros(len(X)), X[:, 2:]]))
    np.testing.assert_allclose(lpp.components_[:, 2], 0, atol=1e-12)
    np.testing.assert_allclose(lpp.eigenvalues_, LPP(5).fit(X).eigenvalues_, rtol=1e-9)


def test_fewer_rows_than_columns_are_solved_in_the_span_of_the_rows():
    X = np.random.default_rng(0).standard_normal((12, 30))
    lpp = LPP(4, n_neighbors=3).fit(X)
    assert lpp.rank_ == 12
    A, B = matrices(X, 3)
    np.testing.assert_allclose(lpp.components_ @ B @ lpp.components_.T, np.eye(4), atol=1e-9)
    values = np.diag(lpp.components_ @ A @ lpp.components_.T)
    np.testing.assert_allclose(values, lpp.eigenvalues_, atol=1e-9)
    # The directions are combinations of rows.
    coefficients = np.linalg.lstsq(X.T, lpp.components_.T, rcond=None)[0]
    np.testing.assert_allclose(X.T @ coefficients, lpp.components_.T, atol=1e-10)


def test_different_scales_of_columns_cost_no_accuracy(X):
    scales = np.array([1, 1e3, 1e-6, 1, 1e-3])
    lpp = LPP(5).fit(X * scales)
    W = graph_by_hand(X * scales, 5)
    D = np.diag(W.sum(axis=1))
    directions = lpp.components_ * scales  # equal coordinates from the columns of X
    left, right = directions @ X.T @ (D - W) @ X, directions @ X.T @ D @ X
    np.testing.assert_allclose(left, lpp.eigenvalues_[:, None] * right, atol=1e-9)
    np.testing.assert_allclose(right @ directions.T, np.eye(5), atol=1e-9)


def test_more_components_than_the_rank_are_refused_with_the_rank():
    X = np.outer(np.arange(1.0, 9), [1, 2, 3])
    with pytest.raises(ValueError, match="more than the 1 dimensions"):
        LPP(2).fit(X)


@parametrize_with_checks([LPP(1)])
def test_scikit_learn_contract(estimator, check):
    check(estimator)
