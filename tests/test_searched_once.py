"""Laws of a table are searched once for a selection of its columns."""

import numpy as np
import pytest

import gramian
from gramian import GFA
from gramian.laws import KnownLaws, _table_relations, knowing, relations

pd = pytest.importorskip("pandas")


@pytest.fixture
def searches(monkeypatch):
    """Return a list of the columns of each search for laws, which grows with each search."""
    found, search = [], _table_relations.laws_of_coded

    def counted(opened, *others):
        found.append(opened.names)
        return search(opened, *others)

    monkeypatch.setattr(_table_relations, "laws_of_coded", counted)
    return found


def orders(n=400):
    rng = np.random.default_rng(0)
    zips, units = rng.integers(0, 9, n), rng.integers(1, 20, n)
    price = rng.uniform(1, 90, n).round(2)
    return pd.DataFrame(
        {
            "zip": [f"z{i}" for i in zips],
            "city": np.array([*"aabbbccdd"])[zips],
            "units": units,
            "price": price,
            "total": (units * price).round(2),
        }
    )


def test_laws_of_text_and_of_numbers_are_found_in_one_search(searches):
    selection = gramian.select(orders())
    assert {*selection.dropped} == {"city", "total"}
    assert len(searches) == 1


def test_a_fit_that_is_repeated_for_changed_cells_does_not_search_again(searches):
    table = orders()
    table["double"] = 2.0 * table["units"]
    table.loc[::50, "double"] = np.nan  # the law would fill these cells
    selection = gramian.select(table)
    assert "double" not in selection.dropped
    assert len(searches) == 1


def test_columns_whose_numbers_change_before_the_fit_are_searched_for_the_fit(searches):
    table = orders()
    table.loc[::50, "price"] = np.nan
    gramian.select(table, impute="median")
    assert searches == [("zip", "city", "units", "price", "total"), ("units", "price", "total")]


def test_without_laws_no_law_among_numbers_is_searched(searches):
    assert "city" in gramian.select(orders(), laws=False).dropped
    gramian.select(orders(), n=1)
    assert searches == []


def test_rows_that_are_left_out_are_searched_once_however_many_columns_then_stay(searches):
    rng = np.random.default_rng(1)
    x, y = rng.uniform(1, 5, (2, 300))
    X = np.column_stack([x, y, x + y, rng.uniform(1, 5, 300)])
    X[5, 3] = 1e9
    X[7, 2] = 1e9
    GFA(scale=True).fit(X)
    assert len(searches) == 2  # of all rows, and of most rows


def test_known_laws_are_those_among_the_columns():
    rng = np.random.default_rng(0)
    x, y = rng.uniform(1, 5, (2, 200))
    table = {"x": x, "double": 2 * x, "y": y, "sum": x + y}
    known = KnownLaws()
    known.add(relations(table))

    def never():
        raise AssertionError

    found = known.among(["x", "double", "y"], never)
    assert [str(each) for each in found] == ["double = 2 · x"]
    assert found.feature_names == ("x", "double", "y")


def test_laws_that_a_fit_finds_are_known_to_the_next_fit(searches):
    rng = np.random.default_rng(0)
    x = rng.uniform(1, 5, (200, 2))
    X = pd.DataFrame({"x": x[:, 0], "y": x[:, 1], "product": x[:, 0] * x[:, 1]})
    with knowing(KnownLaws()):
        first = GFA(scale=True).fit(X)
        second = GFA(scale=True, keep=["product"]).fit(X)
    assert len(searches) == 1
    assert [law.column for law in first.model_.laws] == ["product"]
    assert [law.column for law in second.model_.laws] in (["x"], ["y"])
    GFA(scale=True).fit(X)
    assert len(searches) == 2
