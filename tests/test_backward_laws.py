"""GFA(laws=True): columns that laws give are dropped, and reconstructed by the laws."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from gramian import GFA, certify, explain, load, relations
from gramian.exceptions import ModelFileError
from gramian.families import Multilinear
from gramian.models._stored_pursuits import laws_from


def wages(n=400, seed=0):
    """Return a table as in econometrics: squares, logarithms, dummies, interactions."""
    rng = np.random.default_rng(seed)
    educ, exper = rng.integers(6, 18, n), rng.integers(0, 50, n)
    wage = np.round(np.exp(0.5 + 0.08 * educ + 0.3 * rng.standard_normal(n)), 2)
    male = rng.integers(0, 2, n)
    return pd.DataFrame(
        {
            "wage": wage,
            "educ": educ,
            "exper": exper,
            "lwage": np.round(np.log(wage), 6),
            "expersq": exper**2,
            "male": male,
            "female": 1 - male,
            "hours": rng.integers(20, 50, n),
        },
        dtype=float,
    )


@pytest.fixture(scope="module")
def fitted():
    return GFA(laws=True, family="polynomial").fit(wages())


def test_each_law_drops_one_column(fitted):
    kept = {*fitted.get_feature_names_out()}
    assert len(kept) == 5
    assert {"educ", "hours"} <= kept
    for either in ({"wage", "lwage"}, {"exper", "expersq"}, {"male", "female"}):
        assert len(kept & either) == 1
    assert {law.column for law in fitted.model_.laws} == {*wages().columns} - kept


def test_a_law_that_can_be_solved_both_ways_gives_an_alternative(fitted, tmp_path):
    names = [*wages().columns]
    fitted.save(tmp_path / "m.gram")
    for model in (fitted, load(tmp_path / "m.gram")):
        found = {
            names[j]: {names[i] for i in others}
            for j, others in model.elimination_.alternatives.items()
        }
        assert found == {"lwage": {"wage"}, "expersq": {"exper"}, "male": {"female"}}
    protected = GFA(laws=True, family="polynomial", keep=["wage"]).fit(wages())
    assert protected.elimination_.alternatives[names.index("lwage")] == ()


def test_a_column_constant_within_units_is_not_dropped_for_the_unit_number():
    rng = np.random.default_rng(0)
    unit = np.repeat(np.arange(60), 7)
    panel = pd.DataFrame(
        {
            "unit": unit,
            "south": (rng.random(60) < 0.3)[unit],
            "area": rng.lognormal(4, 1, 60).round(1)[unit],
            "size": rng.lognormal(9, 1, 420).round(),
        },
        dtype=float,
    )
    assert {*map(str, relations(panel, tolerance=0))} >= {"south follows from unit (60 levels)"}
    assert len(GFA(laws=True, family="multilinear").fit(panel).get_feature_names_out()) == 4


def test_polynomials_alone_do_not_see_a_logarithm():
    assert "lwage" in GFA(family="polynomial", laws=False).fit(wages()).get_feature_names_out()


def test_reconstructions_come_from_the_laws(fitted):
    new = wages(seed=1)
    back = fitted.inverse_transform(fitted.transform(new))
    assert_allclose(back, new.to_numpy(), rtol=0, atol=1e-6)  # printed with six digits
    assert fitted.score(new) > 1 - 1e-9
    assert fitted.reconstruction_error(new).max() < 1e-9


def test_units_and_order_do_not_matter(fitted):
    table = wages()
    rng = np.random.default_rng(2)
    kept = {*fitted.get_feature_names_out()}
    for _ in range(3):
        names = rng.permutation(table.columns)
        changed = table[names]
        again = GFA(laws=True, family="polynomial").fit(changed)
        assert {*again.get_feature_names_out()} == kept


@pytest.mark.parametrize("seed", range(6))
def test_units_do_not_decide_which_of_many_linear_copies_of_a_column_is_kept(seed):
    rng = np.random.default_rng(0)
    z = rng.exponential(size=400)
    slopes, offsets = [6.4, 2.6, 0.3, 1.7], [-1.5, -3.4, 2.2, -3.0]
    table = pd.DataFrame({f"x{i}": slopes[i] * z + offsets[i] for i in range(4)})
    other = np.random.default_rng(seed)
    moved = (table * 10 ** other.uniform(-3, 3, 4)).iloc[:, other.permutation(4)]
    for each in (table, moved):
        assert [*GFA(laws=True).fit(each).get_feature_names_out()] == ["x0"]


@pytest.mark.parametrize("seed", range(4))
def test_units_do_not_decide_which_of_two_proportional_columns_is_dropped(seed):
    rng = np.random.default_rng(0)
    x, other = rng.normal(3, 1, (2, 400))
    table = pd.DataFrame({"first": 4 - 2 * x, "last": x, "other": other})
    units = 10 ** np.random.default_rng(seed).uniform(-3, 3, 3)
    for each in (table, table * units, (table * units)[["other", "last", "first"]]):
        assert {*GFA().fit(each).get_feature_names_out()} == {"first", "other"}


def test_keep_and_priority_decide_which_column_of_a_law_is_dropped():
    table = wages()
    for wanted in (["wage", "male"], ["female"]):
        kept = {
            *GFA(laws=True, keep=wanted, family="multilinear").fit(table).get_feature_names_out()
        }
        assert {*wanted} <= kept
        kept = {
            *GFA(laws=True, priority=wanted, family="multilinear")
            .fit(table)
            .get_feature_names_out()
        }
        assert {*wanted} <= kept


def test_columns_that_a_law_needs_are_kept():
    rng = np.random.default_rng(0)
    x = rng.uniform(1, 9, 500)
    table = pd.DataFrame({"x": x, "near": x + 1e-4 * rng.standard_normal(500), "log": np.log(x)})
    fitted = GFA(laws=True, family="multilinear").fit(table)
    for law in fitted.model_.laws:
        assert {*law.columns} <= {*fitted.get_feature_names_out()}
    assert fitted.score(table) > 0.9999


def test_arrays_blocks_and_dask_give_equal_results():
    array = pytest.importorskip("dask.array")
    X = wages().to_numpy()
    whole = GFA(laws=True, family="polynomial").fit(X)
    blocks = GFA(laws=True, family="polynomial", memory_budget=2**20)
    blocks.fit(lambda: iter([X[:150], X[150:]]))
    parts = GFA(laws=True, family="polynomial").fit(array.from_array(X, chunks=(200, 8)))
    for other in (blocks, parts):
        assert other.selected_features_.tolist() == whole.selected_features_.tolist()
        assert list(map(str, other.model_.laws)) == list(map(str, whole.model_.laws))


def test_independent_columns_are_kept():
    X = np.random.default_rng(0).uniform(1, 2, (300, 12))
    assert not len(GFA(laws=True, family="multilinear").fit(X).redundant_features_)


def test_a_model_file_holds_the_laws(fitted, tmp_path):
    fitted.save(tmp_path / "model.gram")
    again = load(tmp_path / "model.gram")
    new = wages(seed=3)
    assert list(map(str, again.model_.laws)) == list(map(str, fitted.model_.laws))
    kept = fitted.transform(new)
    np.testing.assert_array_equal(again.inverse_transform(kept), fitted.inverse_transform(kept))


def test_stored_laws_that_need_unknown_columns_are_refused(fitted):
    names, kept = fitted.model_.column_names, fitted.model_.kept_names
    stored = [law.to_json() for law in fitted.model_.laws]
    assert laws_from(stored, names, kept) == fitted.model_.laws
    for damaged in (None, {}, [1], [{}], stored + stored, [*stored, *stored] * 9):
        with pytest.raises(ModelFileError):
            laws_from(damaged, names, kept)
    with pytest.raises(ModelFileError, match="neither kept nor computed before"):
        laws_from(stored, names, kept[:1])


def test_explanations_are_the_laws(fitted):
    found = explain(fitted)
    assert {each.kind for each in found} == {"law"}
    new = wages(seed=4)
    tested = explain(fitted, new)
    for each in tested:
        assert each.validation_r2 > 1 - 1e-9
        assert_allclose(each(new), new[each.feature], atol=1e-6)
        assert_allclose(each(fitted.transform(new)), new[each.feature], atol=1e-6)
        assert str(each).startswith(f"{each.feature} = ")
        assert "=" in each.latex()
    assert certify(fitted, new).holds


@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize("n_rows", [2, 100])
def test_a_constant_column_is_reconstructed_and_changes_no_other_column(place, n_rows):
    a, b = np.random.default_rng(0).integers(1000, 9999, (2, 100)) / 1000
    X = np.insert(np.column_stack([a, b, a * b]), place, 3.0, axis=1)
    fitted = GFA(laws=True, family="multilinear").fit(X)
    rows = X[:n_rows]
    np.testing.assert_allclose(fitted.inverse_transform(fitted.transform(rows)), rows, atol=1e-9)
    assert fitted.score(rows) == pytest.approx(1)


def test_by_default_laws_and_polynomials_count():
    table = wages()
    default, named = GFA().fit(table), GFA(family="polynomial", laws=True).fit(table)
    assert default.model_.laws
    assert default.family_ == named.family_
    np.testing.assert_array_equal(default.redundant_features_, named.redundant_features_)
    published = GFA(backward=False, relative=True).fit(table)
    assert not published.model_.laws
    assert published.family_ == Multilinear(2)
    assert published.model_.asked.threshold == 1e-3


@pytest.mark.parametrize("n_rows", [3, 5])
def test_few_rows_have_no_laws_and_are_fitted_by_default(n_rows):
    X = np.random.default_rng(0).standard_normal((n_rows, 2))
    assert GFA().fit(X).model_.laws == ()
    assert GFA().fit(lambda: iter([X[:2], X[2:]])).model_.laws == ()


def test_large_sparse_matrices_are_not_written_out_for_laws(monkeypatch):
    x = np.random.default_rng(0).uniform(1, 2, (60, 2))
    X = sp.csr_array(np.column_stack([x, np.log(x[:, 0])]))
    assert len(GFA().fit(X).model_.laws) == 1
    monkeypatch.setattr("gramian.estimators._laws_of_columns.MOST_CELLS", 100)
    assert GFA().fit(X).model_.laws == ()


@pytest.mark.parametrize("seed", range(4))
def test_a_column_with_one_other_cell_is_not_dropped_by_a_law_that_vanishes_there(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.uniform(1, 5, (2, 3000))
    y = a + 2 * b
    y[rng.integers(3000)] += 3
    assert not len(GFA().fit(pd.DataFrame({"a": a, "b": b, "y": y})).redundant_features_)


@pytest.mark.parametrize("seed", range(6))
def test_a_column_that_a_law_misses_is_kept(seed):
    rng = np.random.default_rng(seed)
    t = np.arange(60)
    y = 0.05 * t**2 + 3 * t + 7 + 1.5 * rng.standard_normal(60)
    gfa = GFA().fit(pd.DataFrame({"t": t, "y": y}))
    assert not len(gfa.redundant_features_)


@pytest.mark.parametrize("seed", range(6))
def test_a_column_that_a_law_replaces_comes_back_to_its_printed_digits(seed):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "year": 1950 + np.arange(60),
            "gdp": np.cumsum(2 + 0.3 * rng.standard_normal(60)),
            "net": rng.uniform(10, 90, 60).round(2),
            "rate": rng.choice([7.0, 19.0], 60),
        }
    )
    table["vat"] = (table.net * table.rate / 100).round(2)
    gfa = GFA().fit(table)
    whole = gfa.inverse_transform(gfa.transform(table))
    for law in gfa.model_.laws:
        digits = 0 if law.column == "year" else 2
        back = whole[:, table.columns.get_loc(law.column)]
        np.testing.assert_array_equal(back.round(digits), table[law.column])
