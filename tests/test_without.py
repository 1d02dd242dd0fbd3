"""A factor without some variables equals that of a fit without them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gramian.core.orthogonalize import Gram
from gramian.core.rows import centre
from gramian.core.sums import Direction, functions_of, variables_of
from gramian.families import (
    Custom,
    Fourier,
    Hermite,
    Indicator,
    Legendre,
    Multilinear,
    Polynomial,
    Union,
)

FAMILIES = [
    Multilinear(1),
    Multilinear(2),
    Multilinear(None),
    Polynomial(3),
    Hermite(2),
    Legendre(3, max_variables=1),
    Fourier(1),
    Custom([(np.tanh, 1), (np.arctan2, 2)]),
    Union([Multilinear(2), Custom([(np.abs, 1)])]),
]
ALPHAS = (0.0, 1e-3, 0.3, np.inf)


def independent(seed=0):
    return np.random.default_rng(seed).standard_normal((400, 5))


def redundant(seed=0):
    """Return dependent columns: removing a variable must restore dropped functions."""
    a, b, c = np.random.default_rng(seed).standard_normal((3, 400))
    return np.column_stack([a, b, a * b, a + b, c])


def fit(X, columns, family, alphas=ALPHAS, **options):
    rows, _ = centre(X, None, "column")
    gram = Gram(rows, family, alphas=alphas, **options)
    for column in columns:
        gram.orthogonalize(gram.substitute(Direction(column, 1.0)))
    return rows, gram


def predictions(rows, gram, factor):
    """Return the fitted values of X."""
    z, store, functions = [], [rows.root], [rows.root]
    for step in gram.steps:
        z.append(step.direction.of(rows.whole))
        values = step.block.evaluate(np.array(store), z)
        store += list(values[step.block.stored])
        functions += list(values[step.kept])
    b = factor.fit(gram.n_functions) / gram.norms[:, np.newaxis]
    return np.array(functions).T @ b


def left(rows, factor):
    return np.einsum("ij,ij->j", rows.x, rows.x) - np.sum(factor._coefficients.view**2, axis=0)


@pytest.mark.parametrize("table", [independent, redundant])
@pytest.mark.parametrize("family", FAMILIES, ids=repr)
def test_a_factor_without_a_variable_equals_that_of_a_fit_without_it(family, table):
    X = table()
    rows, gram = fit(X, range(5), family, keep_dropped=True)
    for gone in ([0], [1], [4], [0, 3]):
        others = [column for column in range(5) if column not in gone]
        _, smaller = fit(X, others, family)
        for factor, expected in zip(gram.factors, smaller.factors, strict=True):
            found = factor.without(functions_of(gram.steps, gone))
            assert len(found) == len(expected)
            np.testing.assert_allclose(left(rows, found), left(rows, expected), atol=1e-10)
            np.testing.assert_allclose(
                predictions(rows, gram, found), predictions(rows, smaller, expected), atol=1e-8
            )
            lower = found._triangle.dense()
            assert np.all(lower.diagonal() > 0)
            np.testing.assert_array_equal(np.triu(lower, 1), 0)


def test_variables_with_indicators_can_be_removed():
    X = np.random.default_rng(0).integers(0, 3, (500, 4)).astype(float)
    rows, gram = fit(X, range(4), Indicator(2), (0.0,), keep_dropped=True)
    _, smaller = fit(X, [0, 2, 3], Indicator(2), (0.0,))
    found = gram.factors[0].without(functions_of(gram.steps, [1]))
    np.testing.assert_allclose(left(rows, found), left(rows, smaller.factors[0]), atol=1e-12)


@given(
    order=st.permutations(range(5)),
    n=st.integers(1, 4),
    seed=st.integers(0, 100),
    alpha=st.sampled_from(ALPHAS),
)
@settings(max_examples=40, deadline=None)
def test_variables_can_be_removed_one_by_one_or_together(order, n, seed, alpha):
    rows, gram = fit(redundant(seed), range(5), Multilinear(2), (alpha,), keep_dropped=True)
    together = gram.factors[0].without(functions_of(gram.steps, order[:n]))
    single = gram.factors[0]
    for variable in order[:n]:
        single = single.without(functions_of(gram.steps, [variable]))
    assert len(single) == len(together)
    np.testing.assert_allclose(left(rows, single), left(rows, together), atol=1e-9)


@pytest.mark.parametrize("alpha", [0.0, 0.1])
def test_moments_cover_all_functions_if_dropped_ones_are_stored(alpha):
    rows, gram = fit(redundant(), range(4), Multilinear(2), (alpha,), keep_dropped=True)
    functions, with_x = gram.factors[0].moments(gram.n_functions)
    z = [rows.x[:, i] / rows.root for i in range(4)]
    products = [a * b for i, a in enumerate(z) for b in z[:i]]
    values = np.array([np.ones(len(rows.root)), z[0], z[1], products[0]])
    values = values * rows.root / gram.norms[:4, np.newaxis]
    np.testing.assert_allclose(functions[:4, :4], values @ values.T, atol=1e-12)
    np.testing.assert_allclose(with_x[:4], values @ rows.x, atol=1e-12)
    assert gram.n_functions == 1 + 4 + 6
    np.testing.assert_allclose(functions.diagonal(), 1, atol=1e-9)


def test_the_effective_number_of_functions_is_that_of_the_smaller_fit():
    _, gram = fit(independent(), range(5), Polynomial(2), (0.3,), keep_dropped=True)
    found = gram.factors[0].without(functions_of(gram.steps, [2]))
    _, smaller = fit(independent(), [0, 1, 3, 4], Polynomial(2), (0.3,))
    # Both estimate one trace, with different random vectors.
    assert found.degrees_of_freedom == pytest.approx(smaller.factors[0].degrees_of_freedom, rel=0.1)


@pytest.mark.parametrize("gap", [1.0, 1e-3])
def test_the_sensitivity_to_rounding_is_that_of_the_smaller_factor(gap):
    """The sensitivity estimates the largest row norm of the factor's inverse."""
    X = independent()
    X[:, 3] = X[:, 1] + gap * X[:, 3]
    _, gram = fit(X, range(5), Polynomial(2), (0.0,), keep_dropped=True)
    found = gram.factors[0].without(functions_of(gram.steps, [2]))
    inverse = np.linalg.inv(found._triangle.dense())
    assert found.sensitivity == pytest.approx(np.linalg.norm(inverse, axis=1).max(), rel=0.3)


def test_a_factor_that_lost_a_variable_can_gain_another():
    X = independent()
    rows, gram = fit(X, range(3), Multilinear(2), (0.0,))
    gram.factors[0] = gram.factors[0].without(functions_of(gram.steps, [1]))
    gram.orthogonalize(gram.substitute(Direction(3, 1.0)))
    # Functions of the second variable are removed, except products with the new one.
    z = X - X.mean(axis=0)
    z = [z[:, i] for i in range(4)]
    functions = [np.ones(400), z[0], z[2], z[0] * z[2], *(z[i] * z[3] for i in range(3)), z[3]]
    functions = np.column_stack(functions)
    x = rows.x * np.sqrt(400)
    expected = np.mean((x - functions @ np.linalg.lstsq(functions, x, rcond=None)[0]) ** 2, axis=0)
    np.testing.assert_allclose(left(rows, gram.factors[0]), expected, atol=1e-12)


def test_functions_know_their_variables():
    _, gram = fit(independent(), range(3), Multilinear(2), (0.0,))
    expected = [[], [0], [1], [0, 1], [2], [0, 2], [1, 2]]  # 1; z1; z2, z1 z2; z3, ...
    assert [np.flatnonzero(row).tolist() for row in variables_of(gram.steps)] == expected
    np.testing.assert_array_equal(functions_of(gram.steps, [1]), [2, 3, 6])


def test_functions_of_several_arguments_know_their_variables():
    family = Custom([(np.tanh, 1), (lambda a, b: a * b, 2)])
    _, gram = fit(independent(), range(3), family, (0.0,))
    found = [np.flatnonzero(row).tolist() for row in variables_of(gram.steps)]
    assert found == [[], [0], [0], [1], [1], [0, 1], [2], [2], [0, 2], [1, 2]]
