"""Rows of a group are left out together: `groups` of the estimators, `relations` and `select`."""

import datetime

import dask.array as da
import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from group_cases import patients
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.pipeline import make_pipeline

import gramian
from gramian import GCA, GFA, GFR, GFS, PolynomialManifold
from gramian._support.groups import group_numbers
from gramian.core.rows import first_of_equal
from gramian.core.rows._observations import observations
from gramian.fitting import _checked_data
from gramian.laws import _law_search

pytestmark = pytest.mark.filterwarnings("ignore::gramian.exceptions.OverfittingWarning")

DECIDING = [
    GFR(3, family="polynomial", degree=2),
    GFR(2, degree="auto"),
    GFR(2, alpha=0, validation_fraction=0.2),
    GFR(2, alpha=0, early_stopping=True),
    GFS(3, family="polynomial", degree=2),
    GFS(3, criterion="variance", validation_fraction=0.3),
    GCA(threshold=0.1),
    GFA(threshold=0.05, laws=False),
    GFA(validation_fraction=0.25),
    PolynomialManifold(2, degree="auto"),
]
"""Estimators that leave rows out or hold rows out."""


def numbers(estimator):
    """Return the numbers of a fit that must be equal: arrays of fitted attributes, by name."""
    names = (
        "components_",
        "selected_features_",
        "redundant_features_",
        "alpha_",
        "total_residual_variance_",
        "validation_total_residual_variance_",
    )
    found = {
        name: np.asarray(getattr(estimator, name)) for name in names if hasattr(estimator, name)
    }
    if hasattr(estimator, "elimination_"):
        found["share_left"] = estimator.elimination_.share_left
    return found


def assert_same(one, other):
    one, other = numbers(one), numbers(other)
    assert one.keys() == other.keys()
    for name, value in one.items():
        np.testing.assert_array_equal(value, other[name], err_msg=name)


@given(st.lists(st.integers(0, 5), min_size=2).filter(lambda found: len({*found}) > 1))
@settings(deadline=None)
def test_group_numbers_are_those_of_a_dictionary(labels):
    known = {}
    expected = [known.setdefault(label, len(known)) for label in labels]
    for given_labels in (
        labels,
        np.array(labels),
        [f"p{i}" for i in labels],
        pd.Series(labels, dtype="category"),
        pd.Series(labels, dtype="Int64"),
        pd.to_datetime("2020-01-01") + pd.to_timedelta(labels, unit="D"),
        [(i, "a") for i in labels],
        pl.Series(labels).cast(str),
    ):
        assert group_numbers(given_labels).tolist() == expected


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=12))
@settings(deadline=None)
def test_groups_that_share_a_copy_of_a_row_are_one_group(pairs):
    rows = np.array([[row + 0.1] for row, _ in pairs])
    # Twenty other rows of their own groups: equal rows are copies in such a table.
    table = np.concatenate([rows, np.arange(20)[:, np.newaxis] + 9.5])
    labels = np.array([group for _, group in pairs] + [*range(10, 30)])
    found = observations(table, None, labels)
    if found.groups is None:  # no two rows were in one group: copies are merged as without groups
        assert len({*labels}) == len(labels)
        return
    first, number = first_of_equal(table)
    joined = [{*labels[number == i].tolist()} for i in range(len(first))]
    for _ in joined:  # join sets that overlap, by hand
        joined = [set().union(*(other for other in joined if other & one)) for one in joined]
    merged = len(found.copies) < len(table)
    sets = joined if merged else [{label} for label in labels.tolist()]
    for i, one in enumerate(sets):
        for j, other in enumerate(sets):
            assert (found.groups[i] == found.groups[j]) == (one == other)


@pytest.mark.parametrize("estimator", DECIDING, ids=repr)
def test_labels_may_be_renamed_or_of_another_type(estimator):
    X, g = patients(0, n_columns=6)
    plain = estimator.fit(X, groups=g)
    expected = numbers(plain)
    shuffled = np.random.default_rng(5).permutation(g.max() + 1)[g]
    day = datetime.date(2024, 1, 1)
    for labels in (
        shuffled,
        [f"patient {i}" for i in g],
        pd.Categorical(shuffled),
        g + 0.5,
        [day + datetime.timedelta(int(i)) for i in g],
    ):
        found = numbers(estimator.fit(X, groups=labels))
        for name, value in expected.items():
            np.testing.assert_array_equal(found[name], value, err_msg=name)


@pytest.mark.parametrize("estimator", DECIDING, ids=repr)
def test_groups_of_one_row_each_change_nothing(estimator):
    X, _ = patients(1, n_columns=6)
    X = np.concatenate([X, X[:50]])  # copies, too
    expected = numbers(estimator.fit(X))
    found = numbers(estimator.fit(X, groups=np.random.default_rng(0).permutation(len(X))))
    for name, value in expected.items():
        np.testing.assert_array_equal(found[name], value, err_msg=name)


@pytest.mark.parametrize(
    "estimator",
    [
        *(GFR(2, alpha=0, validation_fraction=0.2), GFR(4, family="polynomial", degree=3)),
        *(GFS(3, degree="auto"), GCA(validation_fraction=0.3), GFA(validation_fraction=0.2)),
        PolynomialManifold(2, degree="auto"),
    ],
    ids=repr,
)
def test_no_group_is_divided_between_fitted_and_held_out_rows(estimator, monkeypatch):
    X, g = patients(2, n_columns=6)
    group_of = {row.tobytes(): group for row, group in zip(X, g.tolist(), strict=True)}
    seen, split = [], _checked_data.split_rows

    def recorded(rows, hold_out):
        fitted, held_out = split(rows, hold_out)
        seen.append((fitted.table, held_out[0]))
        return fitted, held_out

    monkeypatch.setattr(_checked_data, "split_rows", recorded)
    estimator.fit(X, groups=g)
    assert seen
    for tables in seen:
        fitted, held_out = ({group_of[row.tobytes()] for row in table} for table in tables)
        assert not fitted & held_out
        assert fitted | held_out == {*g.tolist()}
        assert sum(map(len, tables)) == len(X)


@pytest.mark.parametrize("sparse", [False, True])
def test_the_share_left_is_that_of_fits_without_each_group(sparse):
    X, g = patients(3, n_patients=40, n_columns=3)
    rng = np.random.default_rng(0)
    X = np.column_stack([X, X[:, 0] * X[:, 1] + 0.02 * rng.standard_normal(len(X))])
    fit = GFA(laws=False, threshold=0.05).fit(csr_array(X) if sparse else X, groups=g)
    assert fit.redundant_features_.tolist() == [3]
    a, b, c = ((X - X.mean(axis=0)) / X.std(axis=0)).T[:3]
    functions = np.column_stack(
        [np.ones(len(X)), a, b, c, a * a, b * b, c * c, a * b, a * c, b * c]
    )
    squares = 0.0
    for group in np.unique(g):
        out = g == group
        solved = np.linalg.lstsq(functions[~out], X[~out, 3], rcond=None)[0]
        squares += np.sum((X[out, 3] - functions[out] @ solved) ** 2)
    expected = squares / len(X) / X[:, 3].var()
    np.testing.assert_allclose(fit.elimination_.share_left, [expected], rtol=1e-5)


def test_the_penalty_of_a_fit_is_chosen_for_new_groups():
    better = 0
    for seed in range(5):
        X, g = patients(seed, n_columns=6)
        fresh, _ = patients(seed + 100, n_columns=6)
        plain = GFR(3, family="polynomial", degree=3).fit(X)
        grouped = GFR(3, family="polynomial", degree=3).fit(X, groups=g)
        assert grouped.alpha_ > plain.alpha_
        better += grouped.score(fresh) > plain.score(fresh)
    assert better == 5


@pytest.mark.parametrize("seed", range(4))
def test_no_column_is_dropped_that_follows_from_others_within_groups_only(seed):
    X, g = patients(seed, n_columns=10)
    assert len(GFA(laws=False).fit(X).redundant_features_)  # the fit cannot know
    for estimator in (GFA(laws=False), GFA(), GCA()):
        estimator.fit(X, groups=g)
        assert not len(estimator.elimination_.dropped)
    with_law = np.column_stack([X, X[:, 2] * X[:, 5]])
    assert GFA().fit(with_law, groups=g).redundant_features_.tolist() == [10]
    assert GFA(laws=False).fit(with_law, groups=g).redundant_features_.tolist() == [10]


def test_files_frames_and_arrays_give_the_same_fit(tmp_path):
    X, g = patients(4, n_columns=6)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    frame.insert(2, "patient", [f"p{i}" for i in g])
    path = tmp_path / "table.csv"
    frame.to_csv(path, index=False, float_format="%.17g")
    frame.to_parquet(tmp_path / "table.parquet")
    expected = GFR(3, family="polynomial", degree=2).fit(frame[list("abcdef")], groups=g)
    for table in (
        *(frame, pl.from_pandas(frame), frame.astype({"patient": "category"})),
        *(str(path), str(tmp_path / "table.parquet")),
    ):
        found = GFR(3, family="polynomial", degree=2).fit(table, groups="patient")
        assert found.feature_names_in_.tolist() == list("abcdef")
        assert_same(found, expected)
    together = GFR(2).fit_transform(frame, groups="patient")
    again = GFR(2).fit(frame, groups="patient").transform(frame[list("abcdef")])
    np.testing.assert_array_equal(together, again)
    weighted = frame.assign(w=1.0)
    found = GFR(3, family="polynomial", degree=2).fit(weighted, sample_weight="w", groups="patient")
    assert found.feature_names_in_.tolist() == list("abcdef")


@pytest.mark.parametrize(
    "estimator", [GFR(3), GFS(3), GCA(threshold=0.1), GFA(laws=False)], ids=repr
)
def test_a_weight_is_that_many_copies_of_a_row_of_its_group(estimator):
    X, g = patients(5, n_columns=6, n_rows=8)
    times = np.random.default_rng(0).integers(0, 4, len(X))
    weighted = estimator.fit(X, sample_weight=times, groups=g).transform(X)
    copied = estimator.fit(np.repeat(X, times, axis=0), groups=np.repeat(g, times)).transform(X)
    np.testing.assert_allclose(weighted, copied, rtol=1e-8, atol=1e-8)


def test_rows_that_gaps_leave_out_leave_their_groups():
    X, g = patients(6, n_columns=4)
    X[::7, 1] = np.nan
    there = ~np.isnan(X).any(axis=1)
    estimator = GFR(2, alpha=0, validation_fraction=0.2)
    found = numbers(estimator.fit(X, groups=g))
    expected = numbers(estimator.fit(X[there], groups=g[there]))
    for name, value in expected.items():
        np.testing.assert_array_equal(found[name], value)


def test_a_path_compares_families_on_whole_groups():
    X, g = patients(7, n_columns=5)
    fits = GFR(2, alpha=0).path(X, degrees=[1, 2], groups=g).estimators
    # Ten groups would be held out, but at most 30 % of them.
    alone = GFR(2, alpha=0, validation_fraction=0.3).fit(X, groups=g)
    for fit in fits:
        assert fit.validation_total_residual_variance_[0] == pytest.approx(
            alone.validation_total_residual_variance_[0]
        )


def test_groups_are_routed_through_pipelines():
    X, g = patients(8, n_columns=5)
    with sklearn.config_context(enable_metadata_routing=True):
        for kind in (GFR, GCA, GFS, GFA):
            estimator = kind(family="polynomial", degree=2).set_fit_request(groups=True)
            pipeline = make_pipeline(estimator).fit(X, groups=g)
            assert_same(pipeline[-1], kind(family="polynomial", degree=2).fit(X, groups=g))


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (lambda g: g[:-1], "has 599 labels, and X has 600 rows"),
        (lambda g: np.where(g == 3, np.nan, g), "has no label in 20 rows"),
        (lambda g: [None if i == 3 else i for i in g], "has no label in 20 rows"),
        (lambda g: pd.array([pd.NA if i == 3 else i for i in g]), "has no label in 20 rows"),
        (lambda g: np.zeros(len(g)), "All rows are in one group"),
        (lambda g: g[:, np.newaxis], "it has the shape"),
        (lambda g: "patient", "has no names; give the labels"),
        (lambda g: [[1]] * len(g), "can be compared"),
        (lambda g: 7, "or the name of a column"),
    ],
)
def test_wrong_groups_get_an_error_that_says_what_to_do(labels, message):
    X, g = patients(9, n_columns=4)
    with pytest.raises((TypeError, ValueError), match=message):
        GFR(2).fit(X, groups=labels(g))


def test_unknown_names_too_few_groups_and_large_data_are_refused():
    X, g = patients(9, n_columns=4)
    frame = pd.DataFrame(X, columns=list("abcd"))
    with pytest.raises(ValueError, match="no column 'patient' to take groups from"):
        GFR(2).fit(frame, groups="patient")
    with pytest.raises(ValueError, match="no column 'patient' to take groups from"):
        gramian.relations(frame, groups="patient")
    with pytest.raises(ValueError, match="of 3 groups leaves 0 to fit; give more groups"):
        GFR(2, alpha=0, validation_fraction=0.9).fit(X, groups=g % 3)
    with pytest.raises(TypeError, match=r"all rows in memory.* Give X.compute\(\)"):
        GFR(2).fit(da.from_array(X, chunks=(100, -1)), groups=g)
    with pytest.raises(ValueError, match=r"all rows in memory.* Give one table"):
        GFR(2).fit(lambda: iter([X]), groups=g)
    copies = np.concatenate([X[:20], X[:20]])
    with pytest.raises(ValueError, match="copies of the same row are one group"):
        GFR(2, validation_fraction=0.2).fit(copies[:40], groups=np.arange(40) // 3 % 2)


def test_a_large_file_is_refused_with_groups(tmp_path):
    X, _ = patients(9, n_rows=2000, n_columns=4)
    frame = pd.DataFrame(X, columns=list("abcd")).assign(patient="p")
    frame.to_parquet(tmp_path / "large.parquet")
    with pytest.raises(ValueError, match=r"is read in pieces. Raise memory_budget"):
        GFR(2, memory_budget=2**20).fit(str(tmp_path / "large.parquet"), groups="patient")


def test_laws_are_tested_on_groups_that_they_were_not_fitted_to(monkeypatch):
    X, g = patients(10, n_columns=4)
    group_of = {row.tobytes(): group for row, group in zip(X, g.tolist(), strict=True)}
    seen, search = [], _law_search.LawSearch

    class Recorded(search):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            seen.append((self.control.train.x, self.control.test.x))

    monkeypatch.setattr("gramian.laws._relation_maker.LawSearch", Recorded)
    gramian.relations(X, groups=g)
    ((train, test),) = seen
    fitted, held_out = (
        {group_of[np.ascontiguousarray(row).tobytes()] for row in rows} for rows in (train, test)
    )
    assert not fitted & held_out
    assert len(held_out) == 7  # a quarter of 30
    assert len(train) + len(test) == len(X)


def test_no_law_is_believed_that_holds_within_groups_only():
    rng = np.random.default_rng(0)
    g = rng.permutation(np.repeat(np.arange(12), 50))
    table = pd.DataFrame(
        {
            "age": rng.integers(20, 80, 12)[g],
            "ward": np.array([*"abcdefgh"])[rng.integers(0, 8, 12)][g],
            "doctor": np.array([*"klmnopqr"])[rng.integers(0, 8, 12)][g],
            "start": pd.to_datetime("2020-01-01")
            + pd.to_timedelta(rng.integers(0, 300, 12)[g], unit="D"),
            "dose": rng.uniform(1, 9, 600),
        }
    )
    table["patient"] = [f"p{i}" for i in g]
    assert len(gramian.relations(table))  # attributes of patients determine each other
    assert not len(gramian.relations(table, groups="patient"))
    table["cost"] = 3 * table.dose + 4
    for labels in ("patient", g, [*table.patient]):
        assert [str(law) for law in gramian.relations(table, groups=labels)] == [
            "cost = 3 · dose + 4"
        ]
        others = gramian.relations(table.drop(columns="patient"), groups=g)
        assert [str(law) for law in others] == ["cost = 3 · dose + 4"]


def test_lookups_that_many_groups_confirm_are_found():
    rng = np.random.default_rng(0)
    customer = rng.integers(0, 40, 800)
    product = rng.integers(0, 9, 800)
    table = pd.DataFrame({"product": [f"a{i}" for i in product]})
    table["price"] = np.array([3.5, 2.0, 9.9, 4.1, 5.0, 7.7, 1.0, 2.2, 8.4])[product]
    table["shop"] = np.array([*"uvw"])[product % 3]
    expected = [str(law) for law in gramian.relations(table)]
    found = gramian.relations(table, groups=customer)
    assert [str(law) for law in found] == expected
    assert expected
    assert all(law.n_rows == 800 for law in found)
    # A product that a single customer buys tells nothing about other customers.
    own = gramian.relations(table, groups=product)
    assert not len(own)


def test_slopes_that_many_groups_confirm_are_found():
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 5, 600)
    weight = rng.uniform(1, 9, 600)
    table = pd.DataFrame({"kind": [f"k{i}" for i in kind], "weight": weight})
    table["fee"] = np.array([1.5, 2.5, 4.0, 5.5, 7.0])[kind] * weight + kind
    expected = [str(law) for law in gramian.relations(table)]
    assert expected
    customer = rng.integers(0, 60, 600)
    assert [str(law) for law in gramian.relations(table, groups=customer)] == expected
    assert not len(gramian.relations(table, groups="kind"))


@pytest.mark.parametrize("n_groups", [2, 3, 10])
def test_a_held_out_group_is_evidence_for_a_law_with_more_terms_than_groups(n_groups):
    rng = np.random.default_rng(0)
    X = rng.uniform(1, 5, (300, 4))
    X = np.column_stack([X, X.sum(axis=1)])
    g = np.arange(300) % n_groups
    assert str(gramian.relations(X, groups=g)) == "x4 = x0 + x1 + x2 + x3"


def test_relations_do_not_depend_on_names_of_groups():
    X, g = patients(11, n_columns=4)
    X = np.column_stack([X, X[:, 0] / X[:, 1]])
    names = np.random.default_rng(0).permutation(30)
    one, other = gramian.relations(X, groups=g), gramian.relations(X, groups=names[g].astype(str))
    assert str(one) == str(other) == "x0 = x1 · x4"
    assert one[0].evidence == other[0].evidence
    alone = gramian.relations(X, groups=np.random.default_rng(0).permutation(600))
    without = gramian.relations(X)
    assert str(alone) == str(without)
    assert alone[0].evidence == without[0].evidence
    assert one[0].evidence < without[0].evidence


@pytest.mark.parametrize("kind", ["pandas", "polars", "file", "labels"])
def test_select_leaves_groups_out_together(kind, tmp_path):
    X, g = patients(12, n_columns=10)
    table = pd.DataFrame(X, columns=list("abcdefghij")).assign(patient=[f"p{i}" for i in g])
    table["ward"] = np.array([*"uvwxyz"])[np.random.default_rng(0).integers(0, 6, 30)][g]
    table["k"] = table.a * table.b
    assert len(gramian.select(table, exclude="patient").dropped) > 1
    given_table, labels = table, "patient"
    if kind == "polars":
        given_table = pl.from_pandas(table)
    elif kind == "file":
        given_table = tmp_path / "table.csv"
        table.to_csv(given_table, index=False, float_format="%.17g")
    elif kind == "labels":
        given_table, labels = table.drop(columns="patient"), g
    found = gramian.select(given_table, groups=labels)
    assert [*found.dropped] == ["k"]
    assert found.kept == [*"abcdefghij", "ward"]
    ids = [] if kind == "labels" else ["patient"]
    reduced = found.transform(given_table)
    columns = reduced.column_names if kind == "file" else reduced.columns
    assert [*columns] == [*ids, *"abcdefghij", "ward"]


def test_select_with_groups_drops_rows_and_refuses_wrong_groups():
    X, g = patients(13, n_columns=4)
    table = pd.DataFrame(X, columns=list("abcd")).assign(patient=g)
    table.loc[::9, "b"] = np.nan
    found = gramian.select(table, groups="patient", impute="drop-rows", validation=0.2)
    assert found.estimator.n_samples_ < len(table) * 0.8
    excluded = gramian.select(table, groups="patient", exclude="patient")
    assert "patient" not in excluded.transform(table).columns
    with pytest.raises(ValueError, match="matches no column"):
        gramian.select(table, groups="doctor")
    with pytest.raises(ValueError, match="has 3 labels, and X has 600 rows"):
        gramian.select(table, groups=[1, 2, 3])
    with pytest.raises(ValueError, match="All rows are in one group"):
        gramian.select(table.assign(patient="Ada"), groups="patient")
    with pytest.raises(ValueError, match="has 2 groups, and holding out a share"):
        gramian.select(table.assign(patient=g % 2), groups="patient", validation=0.7)
    with pytest.raises(ValueError, match="matches 2 columns"):
        gramian.select(table.assign(patience=1), groups="patien*")


def test_numbers_that_are_rounded_join_no_groups():
    rng = np.random.default_rng(0)
    bmi, who = rng.normal(25, 5, (1200, 1)).round(1), rng.integers(0, 200, 1200)
    for table in (bmi, np.vstack([bmi[4:], np.full((4, 1), 257.0)]), 0.3 + 2.2 * bmi):
        assert observations(table, None, who).groups.tolist() == who.tolist()
    assert GFA().fit(bmi, groups=who).redundant_features_.tolist() == []


def test_groups_are_trimmed_with_their_rows():
    rng = np.random.default_rng(0)
    who = rng.integers(0, 200, 1200)
    table = np.column_stack([rng.normal(25, 5, 1200).round(1), rng.standard_normal(1200)])
    table[:4, 0] = 257
    with pytest.warns(gramian.exceptions.TrimmedRowsWarning):
        trimmed = GFR(1).fit(table, groups=who)
    assert trimmed.trimmed_rows_.tolist() == [0, 1, 2, 3]
    left = GFR(1).fit(table[4:], groups=who[4:])
    np.testing.assert_array_equal(trimmed.components_, left.components_)
    frame = pd.DataFrame(table, columns=["bmi", "y"]).assign(who=who)
    assert [*gramian.select(frame, groups="who").dropped] == []
