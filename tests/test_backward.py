"""Backward GFA and GCA: the result does not depend on units, order or names of columns."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_breast_cancer, load_wine

from gramian import GCA, GFA, GFS, certify, explain, load


def planted(seed, n=1000, noise=1e-3):
    """Return six independent and four derived columns, in random units and order."""
    rng = np.random.default_rng(seed)
    base = rng.standard_normal((n, 6)) + rng.uniform(-2, 2, 6)
    derived = []
    for _ in range(4):
        a, b, c = rng.choice(6, 3, replace=False)
        column = base[:, a] * base[:, b] + rng.uniform(0.5, 2) * base[:, c]
        derived.append(column + noise * column.std() * rng.standard_normal(n))
    X = np.column_stack([base, *derived]) * 10 ** rng.uniform(-3, 3, 10)
    order = rng.permutation(10)
    return X[:, order], np.flatnonzero(order >= 6)


def backward(**params):
    return GFA(**{"family": "polynomial", "laws": False, **params})


@pytest.mark.parametrize("seed", range(12))
def test_planted_redundancy_is_found_in_any_units_and_order(seed):
    X, derived = planted(seed)
    fitted = backward().fit(X)
    assert_array_equal(fitted.redundant_features_, derived)
    assert fitted.stop_reason_ == "threshold"
    new, _ = planted(seed, n=3000)
    if np.array_equal(new[:1000], X):  # the table with more rows
        assert fitted.score(new) > 0.999


def test_the_published_algorithm_depends_on_units():
    found = [
        np.array_equal(
            GFA(threshold=1e-3, relative=True, family="polynomial", backward=False)
            .fit(X)
            .redundant_features_,
            derived,
        )
        for X, derived in map(planted, range(12))
    ]
    assert sum(found) < 3


@pytest.mark.parametrize("load_table", [load_wine, load_breast_cancer])
def test_units_order_and_shifts_do_not_matter(load_table):
    X = load_table().data[:, :14]
    X = np.random.default_rng(1).permutation(X)  # the files are sorted by kinds of wine, of cells
    names = np.array([f"column {i}" for i in range(X.shape[1])])
    asked = {"threshold": 0.3, "degree": 1}
    kept = {*backward(**asked).fit(pd.DataFrame(X, columns=names)).get_feature_names_out()}
    assert len(kept) < X.shape[1]
    rng = np.random.default_rng(0)
    for _ in range(8):
        order = rng.permutation(X.shape[1])
        changed = X[:, order] * 10 ** rng.uniform(-3, 3, X.shape[1]) + rng.uniform(-5, 5)
        again = backward(**asked).fit(pd.DataFrame(changed, columns=names[order]))
        assert {*again.get_feature_names_out()} == kept


def test_every_column_is_kept_or_explained_by_kept_columns():
    X, _ = planted(3)
    fitted = backward().fit(X[:500])
    together = np.sort([*fitted.selected_features_, *fitted.redundant_features_])
    assert_array_equal(together, np.arange(10))
    new = X[500:]
    left = new - fitted.inverse_transform(fitted.transform(new))
    assert (left.var(axis=0) <= 2e-3 * new.var(axis=0)).all()
    elimination = fitted.elimination_
    assert {*elimination.dropped} == {*fitted.redundant_features_.tolist()}
    assert (elimination.share_left <= 1e-3).all()
    assert all(each.r2 > 0.998 for each in explain(fitted))


def test_columns_that_differ_only_in_units_are_alternatives():
    celsius, x = np.random.default_rng(0).uniform(1, 30, (2, 300))
    table = pd.DataFrame({"F": 1.8 * celsius + 32, "x": x, "C": celsius})
    fitted = backward().fit(table)
    assert len(fitted.redundant_features_) == 1
    dropped, kept = fitted.redundant_features_[0], fitted.selected_features_.tolist()
    assert fitted.elimination_.alternatives[dropped] == tuple({0, 2} & {*kept})
    swapped = backward().fit(table[["C", "x", "F"]])
    assert {*swapped.get_feature_names_out()} == {*fitted.get_feature_names_out()}


@pytest.mark.parametrize("order", [[0, 1, 2, 3, 4, 5], [5, 1, 3, 0, 4, 2], [3, 5, 4, 2, 0, 1]])
def test_among_copies_the_first_name_is_kept_in_any_column_order(order):
    rng = np.random.default_rng(5)
    a, b = rng.standard_t(6, 800), rng.uniform(-1, 2, 800)
    c = a**2 - 0.3 * b
    table = np.column_stack([a, a + 0.5 * b, c, 3 - 2 * c, b, a * b])
    units = 10.0 ** np.arange(-3, 3)
    frame = pd.DataFrame(table * units, columns=list("abcdef"))
    kept = [
        sorted(
            backward(family="multilinear", degree=None, threshold=5e-3)
            .fit(each)
            .get_feature_names_out()
        )
        for each in (frame, frame.iloc[:, order])
    ]
    assert kept[0] == kept[1]


def test_nearly_constant_functions_do_not_disturb_the_elimination():
    # z takes two nearly opposite values, so cos z is almost constant, and a function of z.
    rng = np.random.default_rng(0)
    bits = np.array([rng.permutation(4001) < half for half in (2000, 2001, 1999)], dtype=float).T
    table = np.column_stack([bits, bits[:, 0] + 2 * bits[:, 1]])
    fitted = backward(family="fourier", degree=3).fit(table)
    assert_array_equal(fitted.redundant_features_, [0, 1])


@pytest.mark.filterwarnings("ignore::gramian.exceptions.OverfittingWarning")
def test_a_checkpoint_covers_the_linear_fallback_if_functions_span_all_rows(tmp_path):
    X = np.random.default_rng(0).standard_normal((13, 45))
    first, second = (backward(checkpoint=tmp_path).fit(X) for _ in range(2))
    assert first.alpha_ == np.inf
    assert_array_equal(first.residual_variance_, second.residual_variance_)
    np.testing.assert_allclose(first.residual_variance_, backward().fit(X).residual_variance_)


@pytest.mark.parametrize("shape", [(200, 12), (60, 25), (1000, 124)])
def test_independent_columns_are_kept_even_if_functions_span_all_rows(shape):
    X = np.random.default_rng(1).standard_normal(shape)
    fitted = backward().fit(X)
    assert not len(fitted.redundant_features_)
    assert len(fitted.selected_features_) == shape[1]


def test_constant_columns_are_redundant():
    X, derived = planted(1)
    table = np.column_stack([X, np.full(len(X), 3.0)])
    assert_array_equal(backward().fit(table).redundant_features_, [*derived, 10])


def test_streams_and_dask_give_the_result_of_arrays(tmp_path):
    array = pytest.importorskip("dask.array")
    X, derived = planted(5)
    blocks = backward(memory_budget=2**20).fit(lambda: iter([X[:300], X[300:]]))
    parts = backward().fit(array.from_array(X, chunks=(250, 10)))
    for fitted in (blocks, parts):
        assert_array_equal(fitted.redundant_features_, derived)


def test_backward_elimination_works_with_automatic_degree_and_held_out_rows():
    X, derived = planted(2)
    fitted = backward(degree="auto").fit(X)
    assert len(fitted.redundant_features_) == len(derived)
    assert fitted.family_.degree >= 2
    assert {*fitted.elimination_.dropped} == {*fitted.redundant_features_.tolist()}
    measured = backward(validation_fraction=0.2).fit(X)
    assert measured.validation_total_residual_variance_[-1] < 0.01


def same_elimination(one, other):
    for field in dataclasses.fields(one):
        mine, theirs = getattr(one, field.name), getattr(other, field.name)
        if isinstance(mine, np.ndarray):
            assert_array_equal(mine, theirs)
        else:
            assert mine == theirs, field.name


@pytest.mark.parametrize("estimator", [GFA, GCA])
def test_a_model_file_holds_the_elimination(estimator, tmp_path):
    X, _ = planted(4)
    X = np.column_stack([X, 3 * X[:, 0] + 1])
    fitted = estimator(family="polynomial", scale=True).fit(X)
    fitted.save(tmp_path / "model.gram")
    again = load(tmp_path / "model.gram")
    assert again.backward is True
    assert_array_equal(again.transform(X), fitted.transform(X))
    same_elimination(again.elimination_, fitted.elimination_)


def test_model_files_hold_keep_and_priority(tmp_path):
    X, _ = planted(4)
    table = pd.DataFrame(X, columns=[*"abcdefghij"])
    fitted = backward(keep=["a", "b"], priority=["j", "c"], prove=True).fit(table)
    fitted.save(tmp_path / "model.gram")
    again = load(tmp_path / "model.gram")
    assert (again.keep, again.priority, again.prove) == (["a", "b"], ["j", "c"], True)


def test_no_more_columns_are_kept_than_requested():
    X, derived = planted(0)
    whole = backward().fit(X)
    few = backward(n_features_to_select=3).fit(X)
    assert_array_equal(few.selected_features_, whole.selected_features_[:3])
    assert_array_equal(few.redundant_features_, derived)
    assert few.stop_reason_ == "n_features_to_select"
    most = backward(n_features_to_select=10).fit(X)
    assert_array_equal(most.selected_features_, whole.selected_features_)
    share = backward(n_features_to_select=0.5).fit(X)
    assert share.explained_variance_ratio_.sum() >= 0.5
    assert len(share.selected_features_) < 6
    stopped = backward(early_stopping=True, degree="auto", scale=True).fit(X)
    assert_array_equal(stopped.redundant_features_, derived)


def test_parameters_of_backward_elimination_are_refused_without_it():
    X, _ = planted(0)
    for params in ({"keep": [0]}, {"priority": [0]}, {"prove": True}):
        with pytest.raises(ValueError, match="backward=True"):
            GFA(backward=False, **params).fit(X)
    with pytest.raises(ValueError, match="relative=False"):
        GFA(relative=False, family="multilinear", laws=False).fit(X)
    with pytest.raises(ValueError, match="between 0 and 1; got 5"):
        GFA(threshold=5, family="multilinear", laws=False).fit(X)


def test_backward_is_the_default_and_backward_false_is_the_published_algorithm():
    X, _ = planted(0)
    for estimator in (GFA, GCA):
        assert hasattr(estimator().fit(X), "elimination_")
        published = estimator(backward=False, alpha=0).fit(X)
        assert not hasattr(published, "elimination_")
        assert published._threshold == (1e-4, False)
    assert GFS().backward is False


@pytest.mark.parametrize("estimator", [GFA, GCA])
@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e6])
def test_defaults_do_not_depend_on_the_unit_of_the_table(estimator, unit):
    X, _ = planted(1)
    n_kept = [
        estimator(family="polynomial").fit(factor * X).transform(X).shape[1]
        for factor in (1.0, unit)
    ]
    assert n_kept[0] == n_kept[1] > 0


def test_keep_and_priority_decide_among_equal_columns():
    rng = np.random.default_rng(0)
    celsius, x = rng.uniform(1, 30, (2, 300))
    table = pd.DataFrame({"F": 1.8 * celsius + 32, "x": x, "C": celsius, "K": celsius + 273.15})
    for wanted in ("F", "C", "K"):
        assert {
            *GFA(keep=[wanted], family="multilinear", laws=False).fit(table).get_feature_names_out()
        } == {wanted, "x"}
        assert {
            *GFA(priority=[wanted], family="multilinear", laws=False)
            .fit(table)
            .get_feature_names_out()
        } == {wanted, "x"}
    both = GFA(keep=["F", "C"], family="multilinear", laws=False).fit(table)
    assert {*both.get_feature_names_out()} == {"F", "C", "x"}
    assert {
        *GFA(priority=["K", "C"], family="multilinear", laws=False)
        .fit(table)
        .get_feature_names_out()
    } == {"K", "x"}
    by_index = GFA(keep=[-1], family="multilinear", laws=False).fit(table.to_numpy())
    assert by_index.get_support().tolist() == [False, True, False, True]


def test_functions_of_preferred_columns_take_part_if_rows_are_few():
    rng = np.random.default_rng(0)
    width, height, *others = rng.uniform(20, 120, (6, 48))
    sides = [width, height, width + height]
    table = pd.DataFrame(np.array([*sides, width * height, *others]).T, columns=[*"whpaqrst"])
    free = backward().fit(table)
    assert free.elimination_.start == "forward"
    for wanted in (["w", "h"], ["p", "h"], ["w", "p"]):
        for name in ("keep", "priority"):
            fitted = backward(**{name: wanted}).fit(table)
            assert {*fitted.get_feature_names_out()} == {*wanted, *"qrst"}


def test_wide_tables_keep_columns_without_evidence_of_redundancy():
    X = np.random.default_rng(0).standard_normal((30, 200))
    X[:, 7] = X[:, 3]
    fitted = GFA(family="multilinear", laws=False).fit(X)
    assert len(fitted.selected_features_) + len(fitted.redundant_features_) == 200
    assert {*fitted.redundant_features_.tolist()} <= {3, 7}


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (["celsius"], "no such column"),
        (["Fahrenheid"], "Did you mean 'Fahrenheit'"),
        ([7], "from 0 to 1; got 7"),
        ([0.5], "got 0.5"),
        ([0, "Fahrenheit"], "twice"),
    ],
)
def test_keep_and_priority_that_name_no_column_are_refused(columns, message):
    table = pd.DataFrame({"Fahrenheit": [1.0, 2, 4, 8], "x": [1.0, 3, 2, 5]})
    for name in ("keep", "priority"):
        with pytest.raises(ValueError, match=message):
            GFA(**{name: columns}).fit(table)
    with pytest.raises(ValueError, match="X has no names"):
        GFA(keep=["Fahrenheit"], family="multilinear", laws=False).fit(table.to_numpy())


def test_a_proof_finds_the_smallest_set():
    rng = np.random.default_rng(0)
    a, b, c = rng.standard_normal((3, 400))
    X = np.column_stack([a, b, c, a + b, b + c, a - c, a + b + c])
    fitted = GFA(degree=1, prove=True, family="multilinear", laws=False).fit(X)
    assert fitted.elimination_.minimal == "proved"
    assert len(fitted.selected_features_) == 3


def test_gca_finds_the_directions_that_are_functions_of_others():
    rng = np.random.default_rng(0)
    a, b = rng.choice([-1, 1], (2, 1000)) * rng.uniform(1, 2, (2, 1000))
    rotation = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    X = np.column_stack([3 * a, 2 * b, 0.1 * a * b]) @ rotation
    for unit in (1e-4, 1.0, 1e4):
        fitted = GCA().fit(unit * X)
        assert fitted.component_indices_.tolist() == [0, 1]
        assert fitted.redundant_indices_.tolist() == [2]
        assert fitted.score(unit * X) > 0.999999


def test_the_published_algorithm_keeps_the_same_columns_in_suitable_units():
    """Therefore the paper's theorem covers backward elimination: docs/theory/guarantees.md."""
    X, derived = planted(6)
    kept = backward().fit(X).selected_features_
    units = np.full(X.shape[1], 1e-3)
    units[kept] = 10.0 ** np.arange(len(kept), 0, -1)
    published = GFA(
        backward=False, relative=True, threshold=1e-3, family="polynomial", alpha=0
    ).fit(X / X.std(axis=0) * units)
    assert_array_equal(published.selected_features_, kept)
    assert_array_equal(published.redundant_features_, derived)
    assert certify(backward().fit(X), X).holds


def test_a_checkpoint_resumes_an_elimination(tmp_path):
    X, derived = planted(7)
    asked = {"checkpoint": tmp_path / "sums", "memory_budget": 2**20}
    first = backward(**asked).fit(lambda: iter([X[:300], X[300:]]))
    assert len(list((tmp_path / "sums" / "elimination").glob("*.npz"))) > 0
    again = backward(**asked).fit(lambda: iter([X[:300], X[300:]]))
    for fitted in (first, again):
        assert_array_equal(fitted.redundant_features_, derived)
    with pytest.raises(ValueError, match="of another fit"):
        backward(**asked).fit(lambda: iter([X[:300] + 1, X[300:]]))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n", [60, 300])
def test_published_gfa_with_shrinkage_keeps_or_drops_every_column(seed, n):
    X, _ = planted(seed)
    fitted = GFA(backward=False, relative=True, threshold=1e-2, family="polynomial").fit(X[:n])
    together = np.sort([*fitted.selected_features_, *fitted.redundant_features_])
    assert_array_equal(together, np.arange(10))
    assert fitted.stop_reason_ == "threshold"
