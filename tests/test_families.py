"""Function families: their functions, and the values of these."""

import itertools
import math

import families_by_hand as by_hand
import numpy as np
import pytest
from numpy.polynomial.hermite_e import hermegauss
from numpy.polynomial.legendre import leggauss
from scipy.spatial.distance import cdist

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


def difference(u, v):
    """Return u - 2v², which changes if its arguments are swapped."""
    return u - 2 * v**2


def evaluate(family, z, root=None):
    """Return, for every variable z_j, the values of the functions that come with it."""
    expansion = family.expand()
    store = np.ones((1, len(z[0]))) if root is None else root[np.newaxis]
    blocks = []
    for j in range(len(z)):
        block = expansion.grow(lambda limit, j=j: np.unique(z[j]))
        values = block.evaluate(store, z[: j + 1])
        assert len(values) == block.n_functions
        store = np.vstack([store, values[block.stored]])
        blocks.append(values)
    return blocks


def assert_same_functions(values, expected):
    """Check that the rows are equal in any order, and that no row occurs twice."""
    assert values.shape == expected.shape
    distance = cdist(values, expected, "chebyshev")
    partner = distance.argmin(axis=1)
    assert sorted(partner) == list(range(len(expected)))
    scale = np.abs(expected).max()
    np.testing.assert_allclose(values, expected[partner], rtol=1e-12, atol=1e-12 * scale)


CONTINUOUS = np.random.default_rng(0).standard_normal((4, 60))
DISCRETE = np.array(list(itertools.product([-2.0, -1.0, 0.5, 3.0], repeat=4))).T
PAIRS = [
    (Multilinear(1), by_hand.multilinear(1)),
    (Multilinear(2), by_hand.multilinear(2)),
    (Multilinear(3), by_hand.multilinear(3)),
    (Multilinear(None), by_hand.multilinear(None)),
    (Polynomial(1), by_hand.polynomial(1)),
    (Polynomial(3), by_hand.polynomial(3)),
    (Polynomial(4, max_variables=2), by_hand.polynomial(4, 2)),
    (Polynomial(4, max_variables=1), by_hand.polynomial(4, 1)),
    (Hermite(4), by_hand.hermite(4)),
    (Hermite(5, max_variables=2), by_hand.hermite(5, 2)),
    (Legendre(4), by_hand.legendre(4)),
    (Legendre(5, max_variables=1), by_hand.legendre(5, 1)),
    (Fourier(1), by_hand.fourier(1)),
    (Fourier(3), by_hand.fourier(3)),
    (Fourier(3, max_variables=2), by_hand.fourier(3, 2)),
    (
        Custom([(np.abs, 1), (np.hypot, 2), (np.arctan2, 2)]),
        by_hand.custom([(np.abs, 1), (np.hypot, 2), (np.arctan2, 2)]),
    ),
    (Multilinear(3) + Fourier(2), by_hand.union(by_hand.multilinear(3), by_hand.fourier(2))),
    (
        Multilinear(2) + Custom([(np.abs, 1)]) + Fourier(1, max_variables=1),
        by_hand.union(by_hand.multilinear(2), by_hand.custom([(np.abs, 1)]), by_hand.fourier(1, 1)),
    ),
]


# Values


@pytest.mark.parametrize(("family", "new_functions"), PAIRS, ids=[repr(pair[0]) for pair in PAIRS])
def test_functions_equal_those_written_by_hand(family, new_functions):
    for j, values in enumerate(evaluate(family, list(CONTINUOUS)), start=1):
        expected = np.vstack([f(list(CONTINUOUS[:j])) for f in new_functions(j)])
        assert_same_functions(values, expected)


@pytest.mark.parametrize("degree", [1, 2, 3, None])
def test_indicators_equal_those_written_by_hand(degree):
    blocks = evaluate(Indicator(degree), list(DISCRETE))
    for j, values in enumerate(blocks, start=1):
        functions = by_hand.indicator(degree)(j)
        expected = np.vstack([f(list(DISCRETE[:j])) for f in functions])
        assert_same_functions(values, expected)


def test_indicators_of_one_variable():
    (values,) = evaluate(Indicator(2), [np.array([5.0, 2.0, 2.0, 9.0])])
    # z itself, then one row a level, the lowest left out: with the constant it would be redundant
    np.testing.assert_array_equal(values, [[5, 2, 2, 9], [1, 0, 0, 0], [0, 0, 0, 1]])


def test_indicators_span_all_functions_of_discrete_variables():
    z = [DISCRETE[0], DISCRETE[1]]
    blocks = evaluate(Indicator(None), z)
    functions = np.vstack([np.ones((1, len(z[0]))), *blocks])
    anything = np.sin(7 * z[0] + z[1] ** 3) + (z[0] > z[1])
    left = np.linalg.lstsq(functions.T, anything, rcond=None)[0] @ functions - anything
    assert np.abs(left).max() < 1e-12


def test_a_variable_with_one_level_has_no_indicators():
    first, second = evaluate(Indicator(2), [np.zeros(5), np.arange(5.0)])
    assert len(first) == 1
    assert len(second) == 1 + 4


@pytest.mark.parametrize("family", [pair[0] for pair in PAIRS], ids=repr)
def test_first_function_of_every_block_is_the_variable_itself(family):
    for z, values in zip(CONTINUOUS, evaluate(family, list(CONTINUOUS)), strict=True):
        np.testing.assert_array_equal(values[0], z)


@pytest.mark.parametrize(
    "family",
    [Indicator(2), Indicator(1) + Fourier(1), Fourier(1) + Indicator(2) + Custom([(np.abs, 1)])],
    ids=repr,
)
def test_the_first_function_of_indicators_is_the_variable_itself(family):
    for z, values in zip(DISCRETE, evaluate(family, list(DISCRETE)), strict=True):
        np.testing.assert_array_equal(values[0], z)


@pytest.mark.parametrize("family", [pair[0] for pair in PAIRS], ids=repr)
def test_roots_of_weights_multiply_every_function(family):
    root = np.random.default_rng(2).uniform(0, 1, 60)
    weighted = evaluate(family, list(CONTINUOUS), root)
    for values, plain in zip(weighted, evaluate(family, list(CONTINUOUS)), strict=True):
        np.testing.assert_allclose(values, root * plain, rtol=1e-13, atol=1e-13)


def test_fourier_takes_a_base_frequency():
    (values,) = evaluate(Fourier(2, frequency=0.5), [CONTINUOUS[0]])
    z = CONTINUOUS[0]
    np.testing.assert_allclose(
        values, [z, np.sin(z / 2), np.cos(z / 2), np.sin(z), np.cos(z)], atol=1e-14
    )


def test_custom_functions_get_arguments_in_the_order_of_the_variables():
    z = list(CONTINUOUS[:3])
    third = evaluate(Custom([(difference, 2)]), z)[2]
    np.testing.assert_array_equal(third, [z[2], difference(z[0], z[2]), difference(z[1], z[2])])


def test_custom_in_any_order_permutes_the_arguments():
    z = list(CONTINUOUS[:3])

    def weighted(u, v, w):
        return u + 2 * v + 3 * w

    family = Custom([(difference, 2), (weighted, 3)], any_order=True)
    third = evaluate(family, z)[2]
    expected = [
        z[2],
        *(difference(*pair) for i in (0, 1) for pair in [(z[i], z[2]), (z[2], z[i])]),
        *(weighted(*three) for three in itertools.permutations(z)),
    ]
    assert_same_functions(third, np.array(expected))


def quadrature(points, weights, n_variables):
    """Return nodes and weights of a product quadrature rule."""
    nodes = np.array(list(itertools.product(points, repeat=n_variables))).T
    weight = np.prod(list(itertools.product(weights, repeat=n_variables)), axis=1)
    return list(nodes), weight / weight.sum()


@pytest.mark.parametrize("n_variables", [1, 2, 3])
@pytest.mark.parametrize(
    ("family", "rule", "unit"),
    [(Hermite(6), hermegauss, 1.0), (Legendre(6), leggauss, math.sqrt(3))],
    ids=["hermite, normal variables", "legendre, uniform variables"],
)
def test_polynomials_are_orthonormal_for_their_distribution(family, rule, unit, n_variables):
    points, weights = rule(7)  # exact to degree 13
    z, weight = quadrature(unit * points, weights, n_variables)
    functions = np.vstack([np.ones((1, len(weight))), *evaluate(family, z)])
    gram = (functions * weight) @ functions.T
    np.testing.assert_allclose(gram, np.eye(len(functions)), atol=1e-11)


@pytest.mark.parametrize("family", [Hermite, Legendre])
def test_orthogonal_polynomials_span_all_polynomials(family):
    z = list(CONTINUOUS[:3])
    one = np.ones((1, 60))
    theirs = np.vstack([one, *evaluate(family(3), z)])
    monomials = np.vstack([one, *evaluate(Polynomial(3), z)])
    coefficients = np.linalg.lstsq(theirs.T, monomials.T, rcond=None)[0]
    np.testing.assert_allclose(theirs.T @ coefficients, monomials.T, atol=1e-10)


# Counts


@pytest.mark.parametrize("m", [0, 1, 2, 5, 8])
@pytest.mark.parametrize("p", [1, 2, 3, 5])
def test_numbers_of_functions_are_binomial_sums(p, m):
    comb = math.comb
    assert Multilinear(p).count(m) == sum(comb(m, k) for k in range(1, p + 1))
    assert Multilinear(None).count(m) == 2**m - 1
    for polynomials in (Polynomial, Hermite, Legendre):
        assert polynomials(p).count(m) == comb(m + p, p) - 1
        # k variables have exponents of at least 1, of sum at most p, in C(p, k) ways.
        for most in (1, 2):
            expected = sum(comb(m, k) * comb(p, k) for k in range(1, most + 1))
            assert polynomials(p, max_variables=most).count(m) == expected
    waves = sum(comb(m, k) * comb(p, k) * 2**k for k in range(1, p + 1))
    assert Fourier(p).count(m) == m + waves
    assert Fourier(p, max_variables=1).count(m) == m + 2 * p * m
    assert Custom([(np.abs, 1), (np.hypot, 2)]).count(m) == m + m + comb(m, 2)
    assert Custom([(np.hypot, 2)], any_order=True).count(m) == m + m * (m - 1)


def test_indicators_cannot_be_counted_before_the_fit():
    with pytest.raises(ValueError, match="depends on the data"):
        Indicator(2).count(3)


@pytest.mark.parametrize("degree", [1, 2, 3, None])
def test_number_of_indicators_follows_from_the_levels(degree):
    levels = [2, 3, 4]
    z = np.array(list(itertools.product(*map(range, levels))), dtype=float).T
    most = len(levels) if degree is None else degree
    expected = len(levels) + sum(
        math.prod(level - 1 for level in chosen)
        for k in range(1, most + 1)
        for chosen in itertools.combinations(levels, k)
    )
    assert sum(map(len, evaluate(Indicator(degree), list(z)))) == expected


# Unions


@pytest.mark.parametrize(
    ("union", "same_as"),
    [
        # Those products of distinct variables that have degree 2 or 3 are monomials.
        (Multilinear(2) + Polynomial(3), Polynomial(3)),
        (Polynomial(3) + Multilinear(2), Polynomial(3)),
        (Multilinear(1) + Polynomial(2), Polynomial(2)),
        (Multilinear(2) + Multilinear(3) + Multilinear(1), Multilinear(3)),
        (Polynomial(2) + Polynomial(4), Polynomial(4)),
        (Fourier(1) + Fourier(2), Fourier(2)),
        (Fourier(2) + Fourier(2, max_variables=1), Fourier(2)),
        (Custom([(np.abs, 1)]) + Custom([(np.abs, 1)]), Custom([(np.abs, 1)])),
    ],
    ids=repr,
)
def test_a_union_has_no_repeated_function(union, same_as):
    assert union.count(5) == same_as.count(5)
    for values, expected in zip(
        evaluate(union, list(CONTINUOUS)), evaluate(same_as, list(CONTINUOUS)), strict=True
    ):
        assert_same_functions(values, expected)


def test_a_union_of_partly_shared_functions_counts_them_once():
    m = 5
    shared = math.comb(m, 1) + math.comb(m, 2)  # z_i and z_i z_k
    expected = Multilinear(4).count(m) + Polynomial(2).count(m) - shared
    assert (Multilinear(4) + Polynomial(2)).count(m) == expected


def test_waves_of_equal_frequency_are_the_same_function():
    together = Fourier(2, max_variables=1) + Fourier(1, max_variables=1, frequency=2.0)
    assert together.count(3) == Fourier(2, max_variables=1).count(3)


@pytest.mark.parametrize(
    "union",
    [
        Multilinear(2) + Fourier(1),
        Fourier(1) + Custom([(np.cbrt, 1)]),
        Custom([(np.abs, 1)]) + Custom([(np.cbrt, 1)]),
        Indicator(2) + Multilinear(3),
        Hermite(2) + Legendre(3) + Polynomial(2),
    ],
    ids=repr,
)
def test_a_union_has_each_variable_once(union):
    for z, values in zip(DISCRETE, evaluate(union, list(DISCRETE)), strict=True):
        np.testing.assert_array_equal(values[0], z)
        assert not (values[1:] == z).all(axis=1).any()


def test_a_sum_of_unions_is_one_flat_union():
    one, two, three = Multilinear(2), Fourier(1), Custom([(np.abs, 1)])
    flat = Union([one, two, three])
    assert (one + two) + three == flat
    assert one + (two + three) == flat
    assert flat.members == [one, two, three]


def test_addition_does_not_change_the_summands():
    pair = Multilinear(2) + Fourier(1)
    _ = pair + Hermite(2)
    assert pair == Union([Multilinear(2), Fourier(1)])


def test_a_family_cannot_be_added_to_another_type():
    with pytest.raises(TypeError, match="unsupported operand"):
        Multilinear(2) + 3
    with pytest.raises(TypeError, match="unsupported operand"):
        None + Multilinear(2)
