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


def test_a_row_that_is_off_by_more_than_its_last_digit_is_an_exception():
    columns, _ = wages(PRINTS["6 decimals"])
    assert "lwage = log(wage)" in map(str, found_in(columns))
    columns["lwage"][7] += 0.1
    (law,) = (each for each in found_in(columns) if {"lwage", "wage"} == set(each.columns))
    assert str(law) == "lwage = log(wage)"
    assert law.n_exceptions == 1
    assert not law.exact


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 4))
@example(65536, 0)  # most rows of some terms are zeros
@example(4210, 2)  # all terms of a threshold are zero in the rows that obey it
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


def sensors(n=1_000, n_others=32):
    """Return printed columns of a machine with a power and a vibration, and other columns."""
    rng = np.random.default_rng(0)
    volts, amps = np.round(rng.normal(230, 3, n), 1), np.round(rng.gamma(3, 4, n) + 0.1, 2)
    amps[rng.random(n) < 0.1] = 0.0  # the machine is switched off
    factor = np.round(rng.uniform(0.7, 1, n), 3)
    axes = np.round(rng.normal(0, 1.5, (3, n)), 3)
    others = rng.normal(size=(n, 6)) @ rng.normal(size=(6, n_others)) + rng.normal(
        size=(n, n_others)
    )
    return {
        "u": volts,
        "i": amps,
        "pf": factor,
        "p": np.round(volts * amps * factor / 1000, 3),
        **dict(zip("xyz", axes, strict=True)),
        "rms": np.round(np.sqrt((axes**2).sum(axis=0)), 3),
        **{f"s{k}": column for k, column in enumerate(np.round(others.T, 2))},
    }


def test_printed_products_and_roots_of_squares_are_found_among_40_columns():
    found = found_in(sensors())
    assert {*map(str, found)} == {"p = 0.001 · u · i · pf", "rms = √(x² + y² + z²)"}


def test_a_note_names_the_laws_that_were_not_searched_in_a_wide_table():
    wide, narrow = found_in(sensors(200)), found_in(sensors(200, 0))
    assert any("not searched among the 38 columns" in note for note in wide.notes)
    assert not narrow.notes


@pytest.mark.parametrize("decimals", [2, 15])
def test_exact_sums_are_found_if_columns_are_more_than_rows(decimals):
    x = np.random.default_rng(0).normal(10, 3, (100, 150)).round(decimals)
    columns = dict(zip((f"c{i}" for i in range(150)), x.T, strict=True))
    columns["three"] = np.round(x[:, 0] + x[:, 1] - x[:, 2], decimals)
    columns["four"] = np.round(x[:, 3] + x[:, 4] + x[:, 5] + x[:, 6], decimals)
    found = {*map(str, found_in(columns))}
    assert found == {"three = c0 + c1 \N{MINUS SIGN} c2", "four = c3 + c4 + c5 + c6"}


def test_the_evidence_of_a_constant_is_that_of_its_rows():
    x = np.column_stack([np.full(12, 7.0), np.random.default_rng(0).normal(size=12)])
    law = gramian.relations(x, ["c", "x"])[0]
    assert str(law) == "c = 7"
    assert law.evidence == pytest.approx(11 * np.log10(2))


def test_copies_of_rows_are_no_evidence_for_a_law():
    rng = np.random.default_rng(0)
    x = rng.uniform(1, 5, (60, 2))
    table = np.column_stack([x, x[:, 0] * x[:, 1] * rng.normal(1, 0.01, 60)])
    copied = np.vstack([table, table[:50]])
    other = np.column_stack([copied, rng.normal(size=110)])
    once = gramian.relations(table, [*"abc"])[0]
    twice = gramian.relations(other, [*"abcd"])[0]
    assert once.columns == twice.columns == ("a", "b", "c")
    assert twice.evidence < 1.4 * once.evidence
