"""Laws of tables with rounded numbers or missing values."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import gramian
from gramian.laws.columns import precision_of

PRINTS = {
    "5 decimals": lambda x: np.round(x, 5),
    "6 decimals": lambda x: np.round(x, 6),
    "7 digits": lambda x: np.array([float(f"{each:.7g}") for each in x]),
    "single": lambda x: x.astype(np.float32).astype(float),
}


def wages(print_, n=400, seed=0):
    """Return columns of a table of wages, and the laws among them."""
    rng = np.random.default_rng(seed)
    wage = np.round(rng.lognormal(2, 0.5, n), 2)
    hours = rng.integers(5, 60, n).astype(float)
    exper = rng.integers(0, 40, n).astype(float)
    female = (rng.random(n) < 0.5).astype(float)
    columns = {
        "wage": wage,
        "hours": hours,
        "exper": exper,
        "female": female,
        "lwage": print_(np.log(wage)),
        "expersq": exper**2,
        "ratio": print_(wage / hours),
        "femexper": female * exper,
        "femlwage": female * print_(np.log(wage)),
        "lhours1": print_(np.log(hours + 1)),
        "midcareer": ((exper > 10) & (exper <= 25)).astype(float),
    }
    laws = {
        "lwage = log(wage)",
        "expersq = exper²",
        "ratio = wage / hours",
        "femexper = exper · female",
        "femlwage = female · lwage",
        "lhours1 = log(hours + 1)",
        "midcareer = [exper > 10] · [exper ≤ 25]",
    }
    return columns, laws


def found_in(columns, **options):
    return gramian.relations(
        np.column_stack(list(columns.values())), list(columns), tolerance=0, **options
    )


@pytest.mark.parametrize("print_", PRINTS.values(), ids=PRINTS)
def test_laws_of_rounded_columns_are_found_as_planted(print_):
    columns, laws = wages(print_)
    found = found_in(columns)
    assert {str(each) for each in found} == laws
    assert all(each.exact for each in found)
    for name, solution in found.redundant().items():
        assert solution.column == name
        # A number printed with 7 digits is known to half a unit of the last digit.
        np.testing.assert_allclose(solution(columns), columns[name], rtol=2e-7, atol=6e-5)


@given(st.lists(st.integers(-(10**9), 10**9), min_size=30, max_size=60, unique=True))
def test_the_detected_decimals_are_those_written(thousandths):
    values = [each / 1000 for each in thousandths]
    x = np.array(values)
    written = [Decimal(repr(each)).normalize() for each in values]
    decimals = max(max(-each.as_tuple().exponent, 0) for each in written)
    precision = precision_of(x)
    if precision.decimals is not None:
        assert precision.decimals == decimals
        assert (precision.half_unit(x) >= 0.5 * 10.0**-decimals).all()


def test_a_row_that_is_off_by_more_than_its_last_digit_refutes_a_law():
    columns, _ = wages(PRINTS["6 decimals"])
    assert "lwage = log(wage)" in map(str, found_in(columns))
    columns["lwage"][7] += 0.1
    assert not any({"lwage", "wage"} == set(each.columns) for each in found_in(columns))


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 4))
@example(65536, 0)  # most rows of some terms are zeros
def test_independent_rounded_columns_have_no_law(seed, decimals):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(30, 300))
    columns = [
        np.round(rng.lognormal(1, 1, n), decimals),
        np.round(rng.normal(100, 1, n), decimals),
        np.round(rng.uniform(0, 1, n), decimals + 1),
        rng.integers(0, 50, n),
        rng.integers(1990, 2000, n),
        rng.random(n) < 0.3,
        rng.random(n) < 0.05,
    ]
    x = np.column_stack(columns).astype(float)
    x = x[:, np.ptp(x, axis=0) > 0]
    assert list(gramian.relations(x, tolerance=0)) == []


def test_each_law_is_judged_by_the_rows_without_gaps_in_its_columns():
    columns, laws = wages(PRINTS["6 decimals"])
    off = np.random.default_rng(1).random((2, len(columns["wage"]))) < 0.4
    for name in ("wage", "lwage", "ratio", "femlwage"):
        columns[name] = np.where(off[0], np.nan, columns[name])
    for name in ("hours", "ratio", "lhours1"):
        columns[name] = np.where(off[1], np.nan, columns[name])
    found = found_in(columns)
    assert {str(each) for each in found} == laws
    for each in found:
        there = ~np.isnan([columns[name] for name in each.columns]).any(axis=0)
        assert each.n_rows == there.sum()


def test_a_column_with_values_where_its_source_has_gaps_is_not_dropped():
    columns, _ = wages(PRINTS["6 decimals"])
    columns["exper"] = np.where(np.arange(400) % 3 == 0, np.nan, columns["exper"])
    found = found_in(columns)
    assert "expersq = exper²" in map(str, found)
    # expersq has values where exper has gaps: only exper can be computed from the other.
    assert str(found.redundant()["exper"]) == "exper = √expersq"
    with pytest.raises(ValueError, match="no single solution"):
        next(each for each in found if str(each) == "expersq = exper²").solve_for("expersq")


def test_a_product_with_a_flag_gives_one_law_only():
    rng = np.random.default_rng(0)
    flag, x = (rng.random(300) < 0.4).astype(float), rng.integers(1, 60, 300).astype(float)
    found = found_in({"flag": flag, "x": x, "both": flag * x})
    assert [str(each) for each in found] == ["both = flag · x"]


def test_a_grouped_column_is_a_sum_of_steps():
    age = np.random.default_rng(0).integers(18, 80, 300).astype(float)
    group = 1.0 + (age > 30) + (age > 50) + 2 * (age > 65)
    (law,) = found_in({"age": age, "group": group})
    assert str(law) == "group = [age > 30] + [age > 50] + 2 · [age > 65] + 1"
    np.testing.assert_array_equal(law.solve_for("group")({"age": [20, 31, 65, 66]}), [1, 2, 3, 5])


def test_computable_columns_come_in_an_order_that_works():
    columns, _ = wages(PRINTS["6 decimals"])
    found = found_in(columns)
    table = {name: columns[name] for name in ("wage", "exper", "female")}
    computable = found.computable(list(table))
    assert set(computable) == {"lwage", "expersq", "femexper", "femlwage", "midcareer"}
    for name, solution in computable.items():
        table[name] = solution(table)
        np.testing.assert_allclose(table[name], columns[name], atol=1e-6)
    with pytest.raises(ValueError, match="no column of the table"):
        found.computable(["salary"])


def test_a_step_of_row_numbers_is_a_law_only_at_a_round_number():
    number = np.arange(1.0, 301.0)
    columns = {
        "number": number,
        "site": (number > 137).astype(float),
        "top10": (number <= 10).astype(float),
    }
    assert [str(each) for each in found_in(columns)] == ["top10 = [number ≤ 10]"]


def test_shares_of_a_total_and_the_total_are_all_redundant():
    rng = np.random.default_rng(0)
    parts = rng.integers(1, 60_000, (4, 300)).astype(float) ** np.array(
        [[1.0], [0.8], [0.5], [0.3]]
    )
    parts = np.round(parts)
    total = parts.sum(axis=0)
    shares = [[float(f"{each:.9g}") for each in 100 * part / total] for part in parts]
    columns = {f"n{i}": part for i, part in enumerate(parts)} | {"total": total}
    columns |= {f"share{i}": np.array(share) for i, share in enumerate(shares)}
    assert len(found_in(columns).redundant()) == 5


def test_each_dummy_column_follows_from_its_own_categorical_column():
    rng = np.random.default_rng(0)
    kind, place = rng.integers(1, 6, 400).astype(float), rng.integers(1, 4, 400).astype(float)
    columns = {"kind": kind, "place": place, "other": rng.normal(size=400)}
    columns |= {f"kind{i}": (kind == i).astype(float) for i in range(1, 6)}
    columns |= {f"place{i}": (place == i).astype(float) for i in range(1, 4)}
    found = found_in(columns)
    assert set(found.redundant()) == {name for name in columns if name[-1].isdigit()}
