"""Accuracy of sums over rows: equal to explicit orthonormal columns, even for close functions."""

import numpy as np
import pytest
from sklearn.base import clone

from gramian import GFA, GFS, UFFS
from gramian.core.orthogonalize import Gram
from gramian.core.rows import centre
from gramian.core.sums import Direction
from gramian.families import Custom, Multilinear, Polynomial

LONG = np.longdouble


def fit_steps(X, family, n_steps, **options):
    """Add columns one by one; return the rows, the solver and the residual variances of X."""
    rows, _ = centre(X, None, "column")
    gram = Gram(rows, family, **options)
    left = np.einsum("ij,ij->j", rows.x, rows.x)
    for column in range(n_steps):
        added = gram.orthogonalize(gram.substitute(Direction(column, 1.0)))
        left = left - np.sum(added.extensions[0].coefficients ** 2, axis=0)
    return rows, gram, left


def evaluate(rows, gram, *, kept):
    """Return the values of all functions, or of the kept functions only."""
    z, store, functions = [], [rows.root], [rows.root]
    for step in gram.steps:
        z.append(step.direction.of(rows.whole))
        values = step.block.evaluate(np.array(store), z)
        store += list(values[step.block.stored])
        functions += list(values[step.kept] if kept else values)
    return np.array(functions)


def true_loss(rows, gram, alpha_number=0):
    """Return the largest error of E[f̂f̂ᵀ], with f̂ = L⁻¹f in extended precision."""
    factor = gram.factors[alpha_number]
    functions = evaluate(rows, gram, kept=True) / gram.norms[:, np.newaxis]
    y = functions[factor._order].astype(LONG)
    lower = factor._triangle.dense().astype(LONG)
    for i in range(len(y)):
        y[i] = (y[i] - lower[i, :i] @ y[:i]) / lower[i, i]
    return float(np.abs(y @ y.T - np.eye(len(y))).max())


def orthogonalize_long(functions, x):
    """Run Gram-Schmidt twice in extended precision; return residuals of X, and the rank."""
    q = np.empty((0, len(x)), dtype=LONG)
    for g in functions.astype(LONG):
        for _ in range(2):
            g = g - q.T @ (q @ g)
        norm = np.sqrt(g @ g)
        if norm > 1e-8:
            q = np.vstack([q, g / norm])
    x = x.astype(LONG)
    for _ in range(2):
        x = x - q.T @ (q @ x)
    return np.sum(x * x, axis=0).astype(float), len(q)


def laeuchli(gap, n_columns=8, n_rows=6000):
    rng = np.random.default_rng(0)
    near = rng.standard_normal((n_rows, 1)) + gap * rng.standard_normal((n_rows, n_columns))
    difference = (near[:, 1] - near[:, 0]) / gap
    return np.column_stack([near, rng.standard_normal(n_rows), difference])


def of_condition(kappa, n=12, n_rows=6000):
    rng = np.random.default_rng(1)
    q = np.linalg.qr(rng.standard_normal((n_rows, n)))[0]
    v = np.linalg.qr(rng.standard_normal((n, n)))[0]
    return np.column_stack([q * np.geomspace(1, 1 / kappa, n) @ v, q @ rng.standard_normal((n, 4))])


UNIFORM = np.random.default_rng(2).uniform(0, 1, (6000, 1))
CURVES = np.column_stack([UNIFORM, np.sin(5 * UNIFORM), np.exp(UNIFORM)])
HEAVY = np.exp(2 * np.random.default_rng(3).standard_normal((6000, 4)))
BITS = np.random.default_rng(4).integers(0, 2, (6000, 5)).astype(float)
LEVELS = np.random.default_rng(5).integers(0, 3, (20_000, 4)).astype(float)
CASES = {
    **{f"gap {gap:.0e}": (laeuchli(gap), Multilinear(1), 8) for gap in (1e-2, 3e-4, 1e-5, 1e-7)},
    "gap 1e-2, products": (laeuchli(1e-2), Multilinear(2), 6),
    "gap 3e-4, products": (laeuchli(3e-4), Multilinear(2), 6),
    **{f"condition {k:.0e}": (of_condition(k), Multilinear(1), 12) for k in (1e2, 1e4, 1e6, 1e7)},
    **{f"powers to {k}": (CURVES, Polynomial(k, max_variables=1), 1) for k in (8, 12, 16)},
    "heavy tails": (HEAVY, Polynomial(3), 4),
    "bits": (BITS, Polynomial(3), 5),
    "three levels": (LEVELS, Multilinear(1), 4),
}


@pytest.mark.parametrize("case", CASES)
def test_residuals_from_sums_agree_with_extended_precision(case):
    rows, gram, left = fit_steps(*CASES[case])
    functions = evaluate(rows, gram, kept=False)
    functions /= np.linalg.norm(functions, axis=1, keepdims=True)
    expected, n_functions = orthogonalize_long(functions, rows.x)
    assert gram.n_functions == n_functions
    np.testing.assert_allclose(left, expected, rtol=0, atol=1e-10)
    assert np.abs(left - expected).max() <= gram.noise


@pytest.mark.parametrize("moments", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_the_reported_loss_of_orthogonality_is_a_tight_upper_bound(case, moments):
    rows, gram, _ = fit_steps(*CASES[case], moments=moments)
    loss = true_loss(rows, gram)
    assert loss <= gram.orthogonality_loss <= 1000 * loss + 1e-12


def test_well_conditioned_functions_take_one_pass():
    X = np.random.default_rng(0).standard_normal((6000, 6))
    _, gram, _ = fit_steps(X, Polynomial(3), 6)
    assert gram.n_more_passes == 0


def test_one_extra_pass_drops_exactly_redundant_functions():
    a, b = np.random.default_rng(0).standard_normal((2, 6000))
    _, gram, _ = fit_steps(np.column_stack([a, b, a + 2 * b]), Multilinear(1), 3)
    assert gram.n_functions == 3  # the constant, a and b
    assert gram.n_more_passes == 1


def test_a_step_without_new_functions_has_empty_extensions():
    a, b = np.random.default_rng(0).standard_normal((2, 500))
    rows, _ = centre(np.column_stack([a, 3 - 2 * a, b]), None, "column")
    gram = Gram(rows, Multilinear(1), alphas=(0.0, np.inf))
    for column in range(2):
        added = gram.orthogonalize(gram.substitute(Direction(column, 1.0)))
    assert added.n_kept == 0
    for extension in added.extensions:
        assert extension.pivots.shape == (0,)
        assert extension.left.shape == (0, 2)
        assert extension.diagonal.shape == (0, 0)
        assert extension.coefficients.shape == (0, 3)


def test_one_extra_pass_drops_a_copy_of_a_nearly_dependent_function():
    def near(z):
        return z + 1e-4 * z**2

    def near_too(z):
        return near(z) + 0.0

    family = Custom([(near, 1), (near_too, 1)])
    _, gram, _ = fit_steps(np.random.default_rng(0).standard_normal((500, 1)), family, 1)
    assert gram.n_functions == 3  # the constant, z, and one of the two
    assert gram.n_more_passes == 1


@pytest.mark.parametrize("n_rows", [5000, 5001])
def test_a_redundant_column_is_found_on_both_sides_of_the_switch_of_solvers(n_rows):
    rng = np.random.default_rng(0)
    x = rng.standard_normal(n_rows)
    a, b, c, d = 100 * (x + 0.003 * rng.standard_normal((4, n_rows)))
    y = (b - a) * (d - c)
    gfa = GFA(backward=False, alpha=0).fit(np.column_stack([a, b, c, d, y / y.std()]))
    np.testing.assert_array_equal(gfa.redundant_features_, [4])


@pytest.mark.parametrize("gap", [1e-2, 1e-3, 3e-4])
def test_near_copies_of_a_column_are_fitted_equally_by_gram_and_qr(gap):
    X = laeuchli(gap, n_columns=20)[:, :20]
    params = {"threshold": None, "degree": 1}
    by_qr = GFS(20, solver="qr", **params, criterion="variance").fit(X)
    by_gram = GFS(20, solver="gram", **params, criterion="variance").fit(X)
    np.testing.assert_array_equal(by_gram.selected_features_, by_qr.selected_features_)
    np.testing.assert_allclose(by_gram.residual_variance_, by_qr.residual_variance_, atol=1e-12)
    np.testing.assert_array_equal(by_gram.n_functions_, 1)


@pytest.mark.parametrize("size", [1e-4, 1e-6, 1e-7])
def test_a_small_difference_between_two_functions_is_found(size):
    a = np.random.default_rng(0).standard_normal(6000)
    table = np.column_stack([3 * a, np.abs(a)])  # only the function's small term explains |z|
    model = GFS(
        1, family=Custom([(lambda z: z + size * np.abs(z), 1)]), alpha=0, criterion="variance"
    )
    fitted = clone(model).fit(table)
    assert fitted.solver_ == "gram"
    np.testing.assert_array_equal(fitted.n_dropped_functions_, 0)
    assert fitted.residual_variance_[-1] < 1e-5
    accurate = model.set_params(solver="qr").fit(table)
    np.testing.assert_allclose(
        fitted.residual_variance_, accurate.residual_variance_, rtol=0, atol=1e-10
    )


@pytest.mark.parametrize("alphas", [(1e-9,), (0.0, 1e-12, 0.01, np.inf)])
def test_the_second_pass_is_accurate_with_penalties(alphas):
    """Reference: a penalty equals one additional row for each penalized function."""
    X = laeuchli(1e-5, n_columns=4, n_rows=800)
    rows, _ = centre(X, None, "column")
    gram = Gram(rows, Multilinear(2), alphas=alphas)
    left = np.tile(np.einsum("ij,ij->j", rows.x, rows.x), (len(alphas), 1))
    for column in range(3):
        added = gram.orthogonalize(gram.substitute(Direction(column, 1.0)))
        left -= [np.sum(each.coefficients**2, axis=0) for each in added.extensions]
    functions = evaluate(rows, gram, kept=False)
    functions /= np.linalg.norm(functions, axis=1, keepdims=True)
    free = np.zeros(len(functions), dtype=bool)
    free[[0, 1, 2, 4]] = True  # 1; z1; z2, z1 z2; z3, z1 z3, z2 z3
    for alpha, found in zip(alphas, left, strict=True):
        if np.isinf(alpha):
            augmented, more = functions[free], np.zeros((np.sum(free), 0))
        else:
            augmented, more = functions, np.diag(np.sqrt(alpha) * ~free)
        x = np.vstack([rows.x, np.zeros((more.shape[1], X.shape[1]))])
        expected, _ = orthogonalize_long(np.hstack([augmented, more]), x)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize("family", [Polynomial(3), Multilinear(None)], ids=repr)
def test_blocks_with_more_functions_than_rows_are_processed_in_pieces(monkeypatch, family):
    rng = np.random.default_rng(0)
    a, b, c = rng.standard_normal((3, 500))
    X = np.column_stack([a, b, a + b, c, a * b])
    options = {"alphas": (0.0, 0.1, np.inf)}
    rows, whole, expected = fit_steps(X, family, 5, **options)

    def cut(gram, block):
        return [slice(i, min(i + 3, block.n_functions)) for i in range(0, block.n_functions, 3)]

    monkeypatch.setattr(Gram, "_pieces", cut)
    _, pieces, left = fit_steps(X, family, 5, **options)
    np.testing.assert_allclose(left, expected, rtol=0, atol=1e-12)
    for one, other in zip(whole.factors, pieces.factors, strict=True):
        assert len(one) == len(other)
        squares = [np.sum(each._coefficients.view**2, axis=0) for each in (one, other)]
        np.testing.assert_allclose(*squares, rtol=0, atol=1e-12)
    assert true_loss(rows, pieces) < 1e-12


@pytest.mark.parametrize("seed", [2, 9, 24, 32, 37])
@pytest.mark.parametrize("solver", ["gram", "moments"])
def test_a_remainder_made_negative_by_rounding_drops_no_function(solver, seed):
    x, y, difference = np.random.default_rng(seed).standard_normal((3, 29))
    # The third column follows from the first two, up to the rounding of float32.
    X = np.column_stack([x, x + 4e-3 * difference, 1.5 * difference, y])
    X = X.astype(np.float32).astype(np.float64)
    exact = UFFS(degree=2, solver="qr").fit(X).residual_variance_
    found = UFFS(degree=2, solver=solver).fit(X).residual_variance_
    np.testing.assert_allclose(found, exact, atol=1e-6)
