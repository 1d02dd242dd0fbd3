"""Decoders of directions that the user gives, against explicit regressions."""

from __future__ import annotations

import families_by_hand as hand
import numpy as np
import pytest
from elimination_cases import functions_of
from gain_cases import related
from sklearn.base import clone

from gramian import GFR
from gramian.models import load, save


def rest_of(X, directions, degree):
    """Return the residuals of all columns after least squares on functions of directions."""
    Y = X - X.mean(axis=0)
    Z = Y @ np.transpose(directions)
    F = functions_of(Z / Z.std(axis=0), range(len(directions)), hand.multilinear(degree))
    F = np.column_stack([np.ones(len(F)), F])
    return Y - F @ np.linalg.lstsq(F, Y, rcond=None)[0]


def left_by_directions(X, directions, degree):
    """Return the residual variance of all columns, given functions of directions."""
    return float(np.sum(rest_of(X, directions, degree) ** 2) / len(X))


@pytest.mark.parametrize("degree", [1, 2, 3])
def test_the_fit_is_the_regression_on_functions_of_the_directions(degree):
    X, rng = related(0), np.random.default_rng(0)
    given = rng.standard_normal((3, 9))  # neither orthogonal nor normalized
    fitted = GFR(3, given=given, degree=degree, alpha=0.0).fit(X)
    expected = left_by_directions(X, given, degree)
    assert fitted.total_residual_variance_[-1] == pytest.approx(expected, rel=1e-8)
    decoded = fitted.inverse_transform(fitted.transform(X))
    assert np.sum((X - decoded) ** 2) / len(X) == pytest.approx(expected, rel=1e-8)
    unit = given / np.linalg.norm(given, axis=1, keepdims=True)
    assert fitted.components_ == pytest.approx(unit)
    assert fitted.transform(X) == pytest.approx((X - X.mean(axis=0)) @ unit.T)


def test_directions_after_the_given_ones_have_the_largest_residual_variance():
    X = related(1)
    given = np.random.default_rng(1).standard_normal((2, 9))
    fitted = GFR(4, given=given, alpha=0.0).fit(X)
    components = fitted.components_
    for n in (2, 3):
        _, _, axes = np.linalg.svd(rest_of(X, components[:n], 2))
        assert abs(axes[0] @ components[n]) == pytest.approx(1.0, abs=1e-8)
    assert np.abs(components[2:] @ components.T - np.eye(4)[2:]).max() < 1e-10
    expected = left_by_directions(X, components, 2)
    assert fitted.total_residual_variance_[-1] == pytest.approx(expected, rel=1e-8)


def test_the_directions_of_a_fit_reproduce_the_fit():
    X = related(2)
    once = GFR(4, alpha=0.0).fit(X)
    again = GFR(4, given=once.components_[:2], alpha=0.0).fit(X)
    assert again.components_ == pytest.approx(once.components_, abs=1e-8)
    assert again.total_residual_variance_ == pytest.approx(once.total_residual_variance_)


def test_given_directions_do_not_change_with_more_columns_than_rows():
    X = np.random.default_rng(3).standard_normal((12, 30))
    given = np.eye(30)[[4, 7]]
    fitted = GFR(2, given=given, degree=1, alpha=0.0).fit(X)
    assert (fitted.components_ == given).all()
    assert fitted.transform(X) == pytest.approx((X - X.mean(axis=0))[:, [4, 7]])
    expected = left_by_directions(X, given, 1)
    assert fitted.total_residual_variance_[-1] == pytest.approx(expected, rel=1e-8)


def test_held_out_rows_choose_a_penalty_for_given_directions():
    X = related(4, n=60)
    given = np.eye(9)[:5]
    fitted = GFR(5, given=given, scale=True, degree=3).fit(X)
    assert fitted.alpha_ > 0
    assert fitted.components_ == pytest.approx(given)


def test_model_files_keep_given_directions(tmp_path):
    X = related(5)
    fitted = GFR(3, given=np.eye(9)[:2].tolist()).fit(X)
    save(fitted, tmp_path / "model.npz")
    found = load(tmp_path / "model.npz")
    assert (found.given == np.eye(9)[:2]).all()
    assert found.transform(X) == pytest.approx(fitted.transform(X))
    assert clone(found).fit(X).components_ == pytest.approx(fitted.components_)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (np.eye(4), "rows of 4 numbers, and X has 9"),
        (np.eye(9)[:4], "4 directions are given, and n_components=3 is less"),
        ([np.ones(9), np.arange(9.0), np.arange(9.0) + 1], "Direction 2 .* combination"),
        ([np.zeros(9)], "Direction 0 .* zero"),
        (np.eye(9)[[0, 8]], "does not vary along direction 1"),
        ([np.full(9, np.nan)], "NaN"),
    ],
)
def test_invalid_directions_are_refused(given, message):
    X = related(6)
    X[:, 8] = 3.0
    with pytest.raises(ValueError, match=message):
        GFR(3, given=given).fit(X)
