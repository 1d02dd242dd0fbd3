"""Columns of single precision: float32 numbers, in whatever decimal digits they are written."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest

import gramian
from gramian.laws.columns import Printed, precision_of
from gramian.laws.forms import Extreme, Solution

SPELLINGS = {
    17: lambda x: x,
    16: lambda x: np.array([float(f"{each:.15e}") for each in x]),
    15: lambda x: np.array([float(f"{each:.14e}") for each in x]),
    9: lambda x: np.array([float(f"{each:.8e}") for each in x]),
    0: lambda x: np.array([float(str(np.float32(each))) for each in x]),
}
"""Programs write the float32 number nearest to log(300) as 5.703782558441162, 5.70378255844116,
5.70378256 or 5.7037826."""


def single(x):
    return np.asarray(x, dtype=np.float32).astype(np.float64)


def prices(n=300):
    rng = np.random.default_rng(0)
    return {
        "price": rng.integers(30, 900, n).astype(float),
        "area": rng.integers(800, 4000, n).astype(float),
        "income": single(rng.lognormal(9, 1, n)),
        "people": single(rng.uniform(100, 900, n)),
    }


LAWS = {
    "y = log(price)": lambda t: np.log(t["price"]),
    "y = price / area": lambda t: t["price"] / t["area"],
    "y = log(income)": lambda t: np.log(t["income"]),
    "y = income / people": lambda t: t["income"] / t["people"],
    "y = people · income": lambda t: t["income"] * t["people"],
    "y = people + income": lambda t: t["income"] + t["people"],
}


@pytest.mark.parametrize(
    ("law", "spelling"),
    [*((law, 15) for law in LAWS), *(("y = log(price)", spelling) for spelling in (17, 16, 9, 0))],
)
def test_a_law_is_exact_if_its_column_is_the_nearest_float32_number(law, spelling):
    table = prices()
    table["y"] = single(LAWS[law](table))
    names = [name for name in table if name in re.findall(r"\w+", law)]
    table = pd.DataFrame({name: SPELLINGS[spelling](table[name]) for name in names})
    (found,) = gramian.relations(table)
    assert found.exact
    assert {*str(found).split()} == {*law.split()}
    selection = gramian.select(table)
    assert [*selection.dropped] == ["y"]
    back = selection.reconstruct(selection.transform(table))["y"]
    # Fewer digits than 17 move a few computed numbers across the middle of two float32 numbers.
    assert np.mean(back == table["y"]) >= (1 if spelling == 17 else 0.98)
    assert (np.abs(back - table["y"]) <= 1.01 * np.spacing(table["y"].astype(np.float32))).all()


def test_a_law_computed_in_float32_comes_back_up_to_the_last_bit():
    table = prices()
    logs = np.log(table["price"].astype(np.float32)).astype(float)
    table = pd.DataFrame({"price": table["price"], "lprice": logs})
    selection = gramian.select(table)
    assert [*selection.dropped] == ["lprice"]
    back = selection.reconstruct(selection.transform(table))["lprice"].astype(np.float32)
    assert (np.abs(back - logs) <= np.spacing(np.float32(logs))).all()


def test_arrays_of_float32_have_their_laws():
    table = prices()
    y = single(table["income"] / table["people"])
    found = gramian.relations(
        np.column_stack([table["income"], table["people"], y]).astype(np.float32), list("abc")
    )
    assert [str(law) for law in found if law.exact] == ["c = a / b"]


def test_decimals_of_float32_come_back_as_they_are():
    rng = np.random.default_rng(1)
    net, tax = np.round(rng.uniform(1, 90, (2, 300)), 2)
    table = pd.DataFrame({"net": single(net), "tax": single(tax), "total": single(net + tax)})
    selection = gramian.select(table)
    (name,) = selection.dropped
    back = selection.reconstruct(selection.transform(table))
    np.testing.assert_array_equal(back[name], table[name])


@pytest.mark.parametrize(
    "numbers",
    [
        np.arange(4_000_001, 4_000_300.0),
        np.arange(300) + 0.5,
        np.arange(1, 300) / 64,
        3 + np.arange(1, 300) / 1024,
        np.round(np.linspace(3, 9, 300), 2),
        np.round(np.linspace(10, 90, 300) ** 1.01, 6),
        np.log(np.arange(2.0, 300)),
    ],
)
def test_other_numbers_are_not_single_precision(numbers):
    assert not precision_of(numbers).relative
    assert Printed.of(numbers).spelling is None


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_single_precision_is_seen_beside_whole_numbers_and_gaps(spelling):
    logs = SPELLINGS[spelling](single(np.log(np.arange(2.0, 90))))
    cells = np.concatenate([[0.0, 1.0, np.nan], logs])
    assert precision_of(cells[np.isfinite(cells)]).relative == 2.0**-24
    assert Printed.of(cells) == Printed(None, spelling)
    assert Printed.of(logs).joined(cells) == Printed(None, spelling)
    assert Printed.of(logs).joined(np.array([0.1 + 0.2])) == Printed(None)


def test_single_precision_may_be_written_with_15_or_16_digits():
    rng = np.random.default_rng(0)
    x = single(rng.lognormal(9, 1, 200))
    y = single(np.log(x))
    some = rng.random(200) < 0.5
    table = {name: np.where(some, SPELLINGS[15](v), v) for name, v in {"x": x, "y": y}.items()}
    (law,) = gramian.relations(table)
    assert law.exact
    assert str(law) == "y = log(x)"


def test_numbers_too_large_for_float32_are_no_single_precision():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not precision_of(np.geomspace(0.1, 1e300, 50)).relative


def test_laws_of_single_precision_are_stored():
    table = prices()
    table = pd.DataFrame({"price": table["price"], "y": SPELLINGS[15](single(1 / table["price"]))})
    (law,) = gramian.relations(table)
    solution = law.solve_for("y").rounded_to(Printed.of(table["y"].to_numpy()).rounding)
    again = Solution.from_json(solution.to_json())
    assert again == solution
    np.testing.assert_array_equal(again(table), table["y"])
    for wrong in ({"spelling": 8, "decimals": None}, {"spelling": 15}, -1, "2", True):
        with pytest.raises(ValueError, match="decimals of a stored law"):
            Solution.from_json({**solution.to_json(), "decimals": wrong})
    extreme = Extreme("y", True, ((1.0, "a"), (2.0, None)), solution.rounding)
    assert Extreme.from_json(extreme.to_json()) == extreme
