"""Guarded laws: formulas that hold where a column has one of its values, and not elsewhere."""

import numpy as np
import pandas as pd
import pytest

import gramian
from gramian.laws import Guarded
from gramian.laws.forms import law_from_json


def sales(seed=0, n=400):
    rng = np.random.default_rng(seed)
    net, tax = rng.uniform(1, 100, n).round(2), rng.uniform(1, 9, n).round(2)
    kind = rng.choice(["home", "export", "gift"], n)
    paid = np.select([kind == "home", kind == "export"], [net + tax, net], rng.uniform(1, 90, n))
    return pd.DataFrame({"kind": kind, "net": net, "tax": tax, "paid": paid.round(2)})


def test_a_time_that_is_another_one_without_an_event_is_told_so():
    rng = np.random.default_rng(0)
    recurred, overall = rng.integers(0, 2, 300), rng.integers(50, 3000, 300)
    free = np.where(recurred, rng.integers(1, 3000, 300), overall)
    table = pd.DataFrame({"Recurrence": recurred, "OS": overall, "RFS": free})
    (law,) = gramian.relations(table)
    assert str(law) == "where Recurrence is 0: RFS = OS"
    assert (law.kind, law.exact, law.n_rows) == ("guarded", True, int((recurred == 0).sum()))
    assert law.latex() == (
        r"\mathrm{RFS} = \mathrm{OS} \quad \text{where } \mathrm{Recurrence} = 0"
    )


def test_sums_of_some_rows_are_found_and_drop_no_column():
    table = sales()
    found = gramian.relations(table)
    assert {str(each) for each in found} == {
        "where kind is home: paid = net + tax",
        "where kind is export: paid = net",
    }
    assert not found.redundant()
    assert not gramian.select(table).dropped
    with pytest.raises(ValueError, match="does not give 'paid'"):
        found[0].solve_for("paid")


def test_a_guarded_law_computes_its_rows_and_is_stored():
    law = next(each for each in gramian.relations(sales()) if "tax" in each.columns)
    again = law_from_json(law.form.to_json())
    assert isinstance(again, Guarded)
    assert str(again) == str(law)
    some = {"kind": ["home", "gift"], "net": [2.0, 2.0], "tax": [1.0, 1.0]}
    np.testing.assert_array_equal(again(some), [3.0, np.nan])
    assert law.imbalance({**some, "paid": [3.0, 9.0]})[0] == 0


@pytest.mark.parametrize(
    "change",
    [{"guard": 1}, {"level": None}, {"level": float("inf")}, {"law": {}}, {"guard": "paid"}],
)
def test_damaged_guarded_laws_are_refused(change):
    law = next(each for each in gramian.relations(sales()) if "tax" in each.columns)
    with pytest.raises(ValueError, match=r"\w"):
        law_from_json({**law.form.to_json(), **change})


@pytest.mark.parametrize("seed", range(4))
def test_independent_columns_have_no_guarded_law(seed):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.integers(0, 15, (300, 5)), columns=[*"abcde"])
    table["kind"] = rng.choice([*"xyz"], 300)
    assert not gramian.relations(table)


def test_a_law_of_all_rows_is_not_guarded():
    table = sales()
    table["paid"] = (table.net + table.tax).round(2)
    assert [str(each) for each in gramian.relations(table)] == ["paid = net + tax"]
