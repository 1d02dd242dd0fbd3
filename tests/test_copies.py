"""Copies of a row are one row of larger weight, wherever rows that are left out decide."""

import functools

import dask.array as da
import numpy as np
import pandas as pd
import pytest
from copied_cases import random_table
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.base import clone

import gramian
from gramian import GCA, GFA, GFR, GFS, PolynomialManifold
from gramian.core.rows import _gathered, distinct_rows, first_of_equal
from gramian.core.rows._observations import RowSample

pytestmark = pytest.mark.filterwarnings("ignore::gramian.exceptions.OverfittingWarning")


@given(st.lists(st.lists(st.sampled_from([0.0, -0.0, 1.0, 2.0, np.nan]), min_size=3, max_size=3)))
@settings(deadline=None)
def test_distinct_rows_are_those_of_a_dictionary(cells):
    table = np.array(cells, dtype=float).reshape(len(cells), 3)
    if not len(table):
        return
    expected = {}
    for i, row in enumerate(table):
        key = tuple("nan" if np.isnan(each) else each + 0.0 for each in row)
        expected.setdefault(key, []).append(i)
    first, group = first_of_equal(table)
    assert first.tolist() == [places[0] for places in expected.values()]
    assert all(len({*group[places].tolist()}) == 1 for places in expected.values())
    found = distinct_rows(table, None)
    np.testing.assert_array_equal(found.table, table[first])
    assert found.copies.tolist() == [len(places) for places in expected.values()]


def test_distinct_rows_of_a_sparse_matrix_are_those_of_the_array():
    rng = np.random.default_rng(0)
    table = rng.integers(0, 3, (500, 5)) * (rng.random((500, 5)) < 0.4).astype(float)
    weights = rng.integers(0, 4, 500).astype(float)
    dense, sparse = distinct_rows(table, weights), distinct_rows(csr_array(table), weights)
    np.testing.assert_array_equal(sparse.table.toarray(), dense.table)
    np.testing.assert_array_equal(sparse.weights, dense.weights)
    assert np.frexp(weights.sum() / dense.weights.sum())[0] == 0.5  # a power of two


@pytest.mark.parametrize("seed", range(8))
def test_no_independent_column_is_dropped_because_rows_are_repeated(seed):
    rows = np.random.default_rng(seed).standard_normal((25, 8))
    copied = GFA().fit(np.repeat(rows, 20, axis=0))
    weighted = GFA().fit(rows, sample_weight=np.full(25, 20.0))
    assert copied.redundant_features_.tolist() == weighted.redundant_features_.tolist() == []


@pytest.mark.parametrize(
    "estimator",
    [
        GFR(4, family="polynomial", degree=3),
        GFR(4, degree="auto", family="polynomial"),
        GFS(4, family="polynomial", degree=2),
        GFS(4, criterion="variance", alpha="auto"),
        GCA(threshold=0.1),
        GFA(threshold=0.05, laws=False),
        GFA(),
        PolynomialManifold(2),
    ],
    ids=repr,
)
def test_weights_are_copies_where_left_out_rows_decide(estimator):
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((90, 3)) @ rng.standard_normal((3, 7))
    rows = np.column_stack([rows + 0.2 * rng.standard_normal((90, 7)), rows[:, 0] * rows[:, 1]])
    times = rng.integers(1, 5, 90)
    copied = estimator.fit(np.repeat(rows, times, axis=0))
    by_copies = copied.transform(rows), copied.score(rows), copied.n_samples_
    weighted = estimator.fit(rows, sample_weight=times.astype(float))
    np.testing.assert_allclose(weighted.transform(rows), by_copies[0], rtol=1e-8, atol=1e-8)
    assert weighted.score(rows) == pytest.approx(by_copies[1])
    assert by_copies[2] == times.sum()


@pytest.mark.parametrize("kind", ["stream", "dask"])
def test_rows_read_in_blocks_are_merged_too(kind, monkeypatch):
    rng = np.random.default_rng(1)
    rows = rng.standard_normal((60, 9))
    copied = rng.permutation(np.repeat(rows, 50, axis=0))
    if kind == "stream":
        # Blocks as large as half of the least budget do not fit in memory.
        table, options = (lambda: iter(np.array_split(copied, 7))), {"memory_budget": 2**20}
    else:
        table, options = da.from_array(copied, chunks=(500, -1)), {}
    fit = GFA(laws=False, **options).fit(table)
    assert fit.redundant_features_.tolist() == []
    assert fit.n_samples_ == 3000
    shrunk = GFR(4, family="polynomial", degree=2, **options).fit(table)
    assert shrunk.alpha_ > 0
    fresh = rng.standard_normal((500, 9))
    plain = GFR(4, family="polynomial", degree=2, alpha=0, **options).fit(table)
    assert shrunk.score(fresh) > plain.score(fresh)


def test_a_row_that_fills_half_of_the_table_does_not_hide_the_evidence_of_others():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((300, 3))
    x = np.column_stack([x, x[:, 0] * x[:, 1]])
    table = np.concatenate([x, np.zeros((300, 4))])
    assert GFA(laws=False).fit(table).redundant_features_.size == 1


def test_relations_of_copied_rows_are_those_of_the_rows():
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(rng.standard_normal((25, 8)).round(6))
    assert not len(gramian.relations(pd.concat([rows] * 20)))
    rows["text"] = rng.choice(["a", "b"], 25)
    assert not len(gramian.relations(pd.concat([rows] * 20)))
    a, b = rng.uniform(1, 9, (2, 40)).round(2)
    law = pd.DataFrame({"a": a, "b": b, "sum": (a + b).round(2)})
    once, often = gramian.relations(law), gramian.relations(pd.concat([law] * 30))
    assert [str(each) for each in often] == [str(each) for each in once] == ["sum = a + b"]
    assert often[0].evidence == pytest.approx(once[0].evidence)


def test_categories_that_are_equal_by_chance_keep_their_lookups():
    rng = np.random.default_rng(0)
    city = rng.integers(0, 12, 600)
    table = pd.DataFrame({"city": city, "country": np.arange(12)[city] // 3})
    table = table.astype(str).add("x")
    once = [str(each) for each in gramian.relations(table)]
    assert once == [str(each) for each in gramian.relations(pd.concat([table] * 20))]
    assert len(once) == 1


def test_the_sample_of_rows_read_in_pieces_is_the_sample_of_the_table():
    rng = np.random.default_rng(3)
    table = rng.integers(0, 9, (9_000, 5)).astype(float)
    weights = rng.uniform(0.5, 2.0, len(table))
    whole = RowSample.of(table, weights)
    pieces = [RowSample.of(table[part], weights[part]) for part in np.split(np.arange(9_000), 9)]
    joined = functools.reduce(RowSample.merge, pieces)
    counts = pd.DataFrame(table).value_counts().to_numpy()
    assert len(whole.hashes) == 4_096 < len(counts)
    np.testing.assert_array_equal(joined.hashes, whole.hashes)
    np.testing.assert_array_equal(joined.cells, whole.cells)
    np.testing.assert_array_equal(joined.copies, whole.copies)
    np.testing.assert_allclose(joined.weights, whole.weights, rtol=1e-12)
    assert whole.copies.mean() == pytest.approx(counts.mean(), rel=0.02)
    everything = RowSample.of(table, np.ones(9_000))
    kish = counts.sum() ** 2 / np.sum(counts**2)
    assert everything.effective_n_rows == pytest.approx(kish, rel=0.05)


@pytest.mark.parametrize("seed", range(4))
def test_equal_rows_of_counts_are_observations_in_every_kind_of_table(seed):
    rng = np.random.default_rng(seed)
    x = rng.poisson(rng.exponential(0.3, 6), (3_000, 6)) * rng.uniform(0.5, 2, 6)
    table, apart = np.column_stack([x, x[:, 0] * x[:, 1]])[600:], x[:600]
    apart = np.column_stack([apart, apart[:, 0] * apart[:, 1]])
    estimator = GFR(3, family="polynomial", degree=3, scale=True, memory_budget=2**20)
    forms = [table, lambda: iter(np.array_split(table, 7)), da.from_array(table, chunks=(500, -1))]
    in_memory, *others = (clone(estimator).fit(each, validation_data=apart) for each in forms)
    for other in others:
        np.testing.assert_array_equal(other.alpha_path_, in_memory.alpha_path_)
        np.testing.assert_allclose(other.components_, in_memory.components_, atol=1e-8)


@pytest.mark.parametrize("seed", [0, 10, 20, 30])
def test_rows_twenty_times_give_the_answer_of_the_rows(seed):
    table = random_table(seed)
    if seed % 20:  # some rows are equal, and the table is larger than the sample of the search
        table = table.sample(420, replace=True, random_state=seed).reset_index(drop=True)
    numbers = random_table(seed, text=False)
    often = pd.concat([table] * 20, ignore_index=True)
    in_place = table.loc[table.index.repeat(20)].reset_index(drop=True)
    once = gramian.relations(table)
    for other in (often, in_place):
        found = gramian.relations(other)
        assert [str(each) for each in found] == [str(each) for each in once]
        assert [each.evidence for each in found] == [each.evidence for each in once]
        assert found.n_rows == 20 * once.n_rows
        assert gramian.select(other).kept == gramian.select(table).kept
    expected = GFA().fit(numbers).redundant_features_.tolist()
    assert GFA().fit(pd.concat([numbers] * 20)).redundant_features_.tolist() == expected


def test_a_noisy_law_of_a_table_too_long_to_search_is_that_of_its_rows():
    table = random_table(67)  # its held-out rows have far smaller errors than the others
    laws = [str(each) for each in gramian.relations(table)]
    assert len(laws) == 5
    for times in (20, 60):
        assert [str(each) for each in gramian.relations(pd.concat([table] * times))] == laws


@pytest.mark.parametrize(
    "estimator",
    [
        *(GFR(3, family="polynomial"), GFR(2, alpha=0, validation_fraction=0.2)),
        *(GFR(3, degree="auto"), GFS(3, family="polynomial"), GFS(2, validation_fraction=0.2)),
        *(GFS(3, criterion="variance", alpha="auto"), GCA(threshold=0.1)),
        *(GCA(validation_fraction=0.2), GFA(threshold=0.05, laws=False), GFA()),
        GFA(validation_fraction=0.2, laws=False),
    ],
    ids=repr,
)
@pytest.mark.parametrize("n_levels", [4, 30])
def test_weights_are_copies_in_tables_of_few_values(estimator, n_levels):
    rng = np.random.default_rng(n_levels)
    rows = rng.integers(0, n_levels, (70, 4)).astype(float)
    rows = np.column_stack([rows, rows[:, 0] * rows[:, 1]])
    for times in (rng.integers(0, 5, 70), np.full(70, 3)):
        copied = estimator.fit(np.repeat(rows, times, axis=0))
        by_copies = copied.transform(rows), copied.score(rows), copied.alpha_
        weighted = estimator.fit(rows, sample_weight=times)
        np.testing.assert_allclose(weighted.transform(rows), by_copies[0], rtol=1e-6, atol=1e-6)
        assert weighted.score(rows) == pytest.approx(by_copies[1])
        assert weighted.alpha_ == by_copies[2]


@pytest.mark.parametrize("most", [2**20, 600], ids=["all rows", "a sample"])
@pytest.mark.parametrize("source", ["stream", "dask"])
def test_streams_leave_out_equal_combinations_as_arrays_do(monkeypatch, source, most):
    monkeypatch.setattr(_gathered, "MOST_CELLS", most)
    for seed in (8, 15, 19, 23, 25):
        rng = np.random.default_rng(seed)
        regions = rng.integers(0, 4, (8, 4)).astype(float)
        X = np.column_stack([regions[rng.integers(0, 8, 200)], rng.standard_normal((200, 2))])
        whole = GFA(laws=False, degree=2, alpha=0.0).fit(X)
        if source == "dask":
            table = pytest.importorskip("dask.array").from_array(X, chunks=(60, 6))
        else:
            table = lambda X=X: iter([X[:90], X[90:]])  # noqa: E731
        pieces = GFA(laws=False, degree=2, alpha=0.0).fit(table)
        assert pieces.selected_features_.tolist() == whole.selected_features_.tolist()
