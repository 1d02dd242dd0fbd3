"""Explanations of all four estimators: formulas of columns, reasons to keep, and the graph."""

import numpy as np
import pandas as pd
import pytest
from explain_cases import assert_formula, explained_by, measurements
from oracle_cases import FAMILIES, INDICATORS, discrete, planted, weights
from reconstruction_cases import wide_table
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from support import STEPWISE, make, orthonormal, unlike_variables

from gramian import GCA, GFA, GFR, GFS, UFFS
from gramian.core.pursuit import _decoder
from gramian.explanations import explain

X = planted()
every_estimator = pytest.mark.parametrize("estimator", STEPWISE)


def decoded(fitted, table):
    """Return the decoder's values of all columns or directions that can be explained."""
    back = fitted.inverse_transform(fitted.transform(table), extrapolate=True)
    return (back - fitted.mean_) @ fitted.basis_.T if isinstance(fitted, GCA) else back


def kept_mask(fitted):
    if isinstance(fitted, GFR):
        return np.zeros(fitted.n_features_in_, dtype=bool)
    if isinstance(fitted, GCA):
        return np.isin(np.arange(len(fitted.basis_)), fitted.component_indices_)
    return fitted.support_


# The full formula is the decoder


def assert_reproduces_the_decoder(fitted, table, tolerance=1e-9):
    explanation = explain(fitted, max_terms=None)
    expected = decoded(fitted, table)
    kept = fitted.transform(table)
    assert [each.index for each in explanation] == np.flatnonzero(~kept_mask(fitted)).tolist()
    for each in explanation:
        size = abs(expected[:, each.index]).max() if each.r2 > 1e-9 else abs(expected).max()
        np.testing.assert_allclose(
            each(kept), expected[:, each.index], rtol=0, atol=tolerance * size
        )
        assert each.r2 == pytest.approx(each.full_r2)


@pytest.mark.parametrize("name", FAMILIES)
@every_estimator
def test_the_whole_formula_reproduces_the_decoder(estimator, name):
    family, _ = FAMILIES[name]
    fitted = make(estimator, 3, family=family).fit(X[:200])
    assert_reproduces_the_decoder(fitted, X[200:])


@pytest.mark.parametrize("name", INDICATORS)
@pytest.mark.parametrize("estimator", [GFS, GFA])
def test_the_whole_formula_of_discrete_columns_reproduces_the_decoder(estimator, name):
    family, _ = INDICATORS[name]
    assert_reproduces_the_decoder(make(estimator, 3, family=family).fit(discrete()), discrete())


@pytest.mark.parametrize("alpha", [1e-3, 0.3, np.inf])
@every_estimator
def test_the_whole_formula_with_shrinkage_reproduces_the_decoder(estimator, alpha):
    fitted = make(estimator, 3, degree=3, alpha=alpha).fit(X[:200], sample_weight=weights()[:200])
    assert_reproduces_the_decoder(fitted, X[200:])
    for rows in [None, X]:  # a short formula exists as well
        assert len(explain(fitted, rows)) == np.count_nonzero(~kept_mask(fitted))


@pytest.mark.parametrize("alpha", [0.0, 0.1])
def test_held_out_r2_of_the_whole_formula_equals_that_of_fits_without_the_rows(alpha):
    fitted = GFR(2, alpha=alpha).fit(X)
    found = explain(fitted, X, max_terms=None)[0]
    left = 0.0
    for part in np.array_split(np.random.default_rng(0).permutation(len(X)), 5):
        others = np.setdiff1d(np.arange(len(X)), part)
        functions = fitted.model_.decoder.evaluate((X - fitted.mean_) @ fitted.components_.T).T
        norms = np.sqrt(np.mean(functions[others] ** 2, axis=0))
        f = functions / norms
        penalty = alpha * len(others) * np.diag([0.0, 0.0, 0.0, 1.0])
        coefficients = np.linalg.solve(
            f[others].T @ f[others] + penalty, f[others].T @ (X[others, 0] - fitted.mean_[0])
        )
        left += np.sum((X[part, 0] - fitted.mean_[0] - f[part] @ coefficients) ** 2)
    expected = 1 - left / len(X) / X[:, 0].var()
    assert found.validation_r2 == pytest.approx(expected)


# Directions


def test_gfr_explains_every_column_by_its_directions():
    rng = np.random.default_rng(0)
    a, b, _ = unlike_variables(rng, 300)
    table = pd.DataFrame({"first": 3 * a + 7, "second": 2 * b, "third": 0.1 * a * b - 1})
    fitted = GFR(2, alpha=0).fit(table)
    explanation = explain(fitted)
    assert [each.feature for each in explanation] == list(table)
    assert [kept.feature for kept in explanation.kept] == ["gfr0", "gfr1"]
    kept = fitted.set_output(transform="pandas").transform(table)
    for each in explanation:
        assert each.r2 > 0.99
        assert each.score(kept, table[each.feature]) == pytest.approx(each.r2)
        assert set(each.sources) <= {"gfr0", "gfr1"}
    for j, each in enumerate(explanation.kept):
        loadings = np.array([each.loadings[name] for name in table])
        np.testing.assert_array_equal(loadings, fitted.components_[j])


@pytest.mark.parametrize("basis", ["pca", "given"])
def test_gca_explains_directions_that_it_did_not_keep(basis):
    rng = np.random.default_rng(0)
    signs = rng.choice([-1.0, 1.0], (2, 1000)) * rng.uniform(1, 2, (2, 1000))
    a, b = signs - signs.mean(axis=1, keepdims=True)
    rotation = orthonormal(rng, 3)
    table = np.column_stack([3 * a, 2 * b, 0.1 * a * b]) @ rotation
    fitted = GCA(
        threshold=0.01, basis="pca" if basis == "pca" else rotation, backward=False, alpha=0
    ).fit(table)
    (found,) = explain(fitted, table)
    name = "pc2" if basis == "pca" else "basis2"
    assert found.feature == name
    assert found.index == 2
    if basis == "given":
        assert_formula(found, {"gca0 gca1": 0.1 / 6, "": -0.1 * np.mean(a * b)})
    assert found.r2 > 0.99
    assert found.score(fitted.transform(table), table @ fitted.basis_[2]) == pytest.approx(
        found.r2, abs=1e-3
    )


def test_directions_without_variance_are_constant():
    table = np.column_stack([X[:, :2], X[:, 0] + X[:, 1]])
    (found,) = explain(GCA(threshold=1e-3, backward=False, alpha=0).fit(table))
    assert found.kind == "constant"
    assert str(found) == "pc2 = 0 (constant)"


# Why a column was kept


@every_estimator
def test_the_residual_variance_of_a_kept_column_is_that_before_its_choice(estimator):
    fitted = make(estimator, 4, degree=2, threshold=None).fit(X)
    for j, kept in enumerate(explain(fitted).kept):
        before = clone(fitted).set_params(**{fitted._count_name: j}) if j else None
        z = fitted.model_.kept.encode(X - fitted.mean_)[:, j]
        assert kept.order == j
        assert kept.variance == pytest.approx(z.var())
        if before is None:
            assert kept.residual_variance == pytest.approx(z.var())
        else:
            functions = before.fit(X).model_.decoder.evaluate(
                before.model_.kept.encode(X - before.mean_)
            )
            left = z - functions.T @ np.linalg.lstsq(functions.T, z, rcond=None)[0]
            assert kept.residual_variance == pytest.approx(left.var())
    if estimator in (GFR, GFS):
        left = [kept.residual_variance for kept in explain(fitted).kept]
        np.testing.assert_allclose(left, fitted.residual_variance_[:-1])


@every_estimator
def test_the_shares_that_kept_columns_explain_add_up_to_the_full_r2(estimator):
    fitted = make(estimator, 3, degree=3, threshold=None).fit(X)
    explanation = explain(fitted)
    for each in explanation:
        parts = [sum(kept.explains[each.feature]) for kept in explanation.kept]
        assert sum(parts) == pytest.approx(each.full_r2)


def test_the_share_that_a_column_explains_has_a_linear_and_a_nonlinear_part():
    base = measurements()
    centred = base - base.mean()
    others = pd.DataFrame({"line": 5 * base.c, "product": 1e-2 * centred.a * centred.b})
    fitted, _, _ = explained_by(base, others)
    kept = {each.feature: each for each in explain(fitted).kept}
    assert kept["c"].explains["line"] == pytest.approx((1, 0), abs=0.05)
    assert kept["a"].explains["product"] == pytest.approx((0, 1), abs=0.05)
    assert kept["a"].nonlinear == pytest.approx(0.5, abs=0.05)
    assert kept["c"].linear == pytest.approx(0.5, abs=0.05)


# The graph


def test_the_graph_shows_which_columns_determine_which():
    base = measurements()
    others = pd.DataFrame({"ab": base.a * base.b, "mostly c": 5 * base.c + 500 * base.a})
    fitted, _, _ = explained_by(base, others)
    graph = explain(fitted).graph
    assert {node.name for node in graph.nodes if node.kept} == {"a", "b", "c"}
    kinds = {node.name: node.kind for node in graph.nodes}
    assert kinds["ab"] == "nonlinear"
    assert kinds["mostly c"] == "linear"
    edges = {(edge.source, edge.target): edge for edge in graph.edges}
    assert edges.keys() == {("a", "ab"), ("b", "ab"), ("c", "mostly c"), ("a", "mostly c")}
    assert edges["a", "ab"].weight == pytest.approx(1.0)
    assert not edges["a", "ab"].linear
    assert edges["c", "mostly c"].linear
    assert edges["c", "mostly c"].weight > 0.9 > 0.1 > edges["a", "mostly c"].weight > 0


# Options and errors


@every_estimator
def test_only_the_requested_columns_are_explained(estimator):
    fitted = make(estimator, 3, threshold=None).fit(X)
    every = explain(fitted)
    chosen = explain(fitted, features=[every[1].feature, every[0].index])
    assert [each.formula for each in chosen] == [every[1].formula, every[0].formula]
    with pytest.raises(ValueError, match="got 'nothing'"):
        explain(fitted, features=["nothing"])
    if estimator is not GFR:
        with pytest.raises(ValueError, match="columns that were not kept"):
            explain(fitted, features=[int(np.flatnonzero(kept_mask(fitted))[0])])


@every_estimator
def test_explain_asks_for_rows_if_a_fit_has_too_many_functions(estimator, monkeypatch):
    fitted = make(estimator, 4, degree=2, threshold=None)
    few = explain(fitted.fit(X), X)
    monkeypatch.setattr(_decoder, "MAX_MOMENTS", 5)
    fitted.fit(X)
    assert fitted.model_.decoder.moments is None
    with pytest.raises(ValueError, match="Give X, the rows of the fit"):
        explain(fitted)
    many = explain(fitted, X)
    assert [each.formula for each in many] == [each.formula for each in few]
    np.testing.assert_allclose([each.r2 for each in many], [each.r2 for each in few], atol=1e-12)


@every_estimator
def test_explain_with_the_rows_of_the_fit_adds_only_held_out_r2(estimator):
    """R² is equal from stored moments and from rows; the rows add held-out R²."""
    fitted = make(estimator, 3, degree=2, threshold=None).fit(X)
    for one, other in zip(explain(fitted), explain(fitted, X), strict=True):
        assert one.full_r2 == other.full_r2
        assert one.validation_r2 is None
        assert other.validation_r2 is not None
        assert other.validation_r2 < other.full_r2


def test_rows_on_which_a_column_is_constant_have_no_r2():
    table = np.column_stack([X[:, :2], 1e-3 * X[:, 0] * X[:, 1]])
    rows = table[:50].copy()
    rows[:, 2] = 1.0
    (found,) = explain(GFS(2, alpha=0, criterion="variance").fit(table), rows)
    assert found.feature == "x2"
    assert found.validation_r2 is None


@every_estimator
def test_a_fit_that_keeps_nothing_explains_columns_by_their_mean(estimator):
    fitted = make(estimator, None, threshold=1e9).fit(X)
    explanation = explain(fitted, X)
    assert explanation.kept == ()
    for each in explanation:
        assert each.kind == "partial"
        assert each.r2 == pytest.approx(0.0, abs=1e-12)
        assert each.sources == {}


def test_unfitted_estimators_and_wrong_arguments_are_refused():
    with pytest.raises(TypeError, match="got UFFS"):
        explain(UFFS(2).fit(X))
    with pytest.raises(NotFittedError):
        explain(GFS(2, alpha=0, criterion="variance"))
    fitted = GFS(2, alpha=0, criterion="variance").fit(X)
    for wrong in [0, -1, 1.5, "all"]:
        with pytest.raises(ValueError, match="max_terms must be"):
            explain(fitted, max_terms=wrong)
    for wrong in [-0.1, 1.0, "no"]:
        with pytest.raises(ValueError, match="min_gain must be"):
            explain(fitted, min_gain=wrong)
    with pytest.raises(ValueError, match="too few to hold some out"):
        explain(fitted, X[:7])
    with pytest.raises(ValueError, match="features"):
        explain(fitted, X[:, :2])


def test_rows_that_are_not_in_memory_are_refused(tmp_path):
    np.save(tmp_path / "rows.npy", X)
    with pytest.raises(TypeError, match="rows in memory"):
        explain(GFS(2, alpha=0, criterion="variance").fit(X), tmp_path / "rows.npy")


@every_estimator
def test_the_method_explain_equals_the_function(estimator):
    fitted = make(estimator, 3, threshold=None).fit(X)
    assert str(fitted.explain(X, max_terms=2)) == str(explain(fitted, X, max_terms=2))


def test_tables_with_more_columns_than_rows_are_explained():
    train, _ = wide_table()
    for estimator in STEPWISE:
        fitted = make(estimator, 4, degree=1, threshold=None).fit(train)
        expected = fitted.inverse_transform(fitted.transform(train))
        explanation = explain(fitted, max_terms=4)
        if estimator is not GCA:
            r2 = 1 - np.var(train - expected, axis=0) / train.var(axis=0)
            np.testing.assert_allclose(
                [each.full_r2 for each in explanation], r2[[each.index for each in explanation]]
            )


def test_explain_does_not_change_the_estimator():
    fitted = GFS(2, alpha=0, criterion="variance").fit(X)
    moments = [each.copy() for each in fitted.model_.decoder.moments]
    explain(fitted, X)
    explain(fitted, max_terms=None)
    for before, after in zip(moments, fitted.model_.decoder.moments, strict=True):
        np.testing.assert_array_equal(before, after)
