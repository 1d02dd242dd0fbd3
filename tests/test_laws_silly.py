"""Claims that a person would laugh at: order of rows, groups that overlap, measured keys."""

import numpy as np
import pandas as pd
import pytest

import gramian
from gramian.laws.candidates._thresholds import comparison_between
from gramian.laws.columns import traits_of
from gramian.laws.forms import Law, Values, has_common_factor, law_from_json
from gramian.laws.judge import Control


def lines_of(table):
    return [str(each) for each in gramian.relations(pd.DataFrame(table))]


def test_row_numbers_explain_nothing_and_the_order_is_noted():
    rng = np.random.default_rng(0)
    group = np.repeat(["a", "b", "c"], [53, 40, 47])
    arm = np.repeat([0.0, 1.0], [70, 70])
    table = {"rownames": np.arange(1, 141), "group": group, "arm": arm, "x": rng.normal(size=140)}
    found = gramian.relations(pd.DataFrame(table))
    assert not found.relations
    assert "Rows are ordered by column 'group'." in found.notes


def test_a_large_table_is_not_explained_by_its_row_numbers():
    n = 15_000
    rng = np.random.default_rng(0)
    year = np.where(np.arange(n) < 7605, 1992, 2004)
    region = np.repeat(["s", "m", "n", "w"], [4000, 5000, 3500, 2500])
    table = {"id": np.arange(n), "year": year, "region": region, "x": rng.normal(size=n)}
    assert lines_of(table) == []


def test_days_in_a_row_still_divide_a_table():
    days = pd.date_range("2021-03-01", periods=400)
    era = np.where(days <= "2021-10-12", "old", "new")
    found = gramian.relations(pd.DataFrame({"day": days, "era": era}))
    assert len(found) == 1


@pytest.mark.parametrize("seed", range(6))
def test_two_groups_that_overlap_are_no_threshold(seed):
    # 95 % of the rows are on the right side; the others are all near the threshold.
    rng = np.random.default_rng(seed)
    x = rng.normal(size=400).round(3)
    flag = x + 0.15 * rng.normal(size=400) > 0.4
    assert lines_of({"x": x, "flag": flag}) == []


@pytest.mark.parametrize("seed", range(6))
def test_a_rare_group_is_no_threshold(seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=300).round(3)
    flag = (x > 1.4) ^ (rng.uniform(size=300) < 0.05)
    assert lines_of({"x": x, "flag": flag}) == []


@pytest.mark.parametrize("seed", range(6))
def test_wrong_cells_anywhere_still_leave_a_threshold(seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=600).round(3)
    flag = (x > 0.2) ^ (rng.uniform(size=600) < 0.04)
    (line,) = lines_of({"x": x, "flag": flag})
    assert line.startswith(("flag = [x > 0.", "flag = [x ≥ 0."))


def test_a_measured_number_is_no_key_with_exceptions():
    rng = np.random.default_rng(0)
    income = rng.permutation(np.arange(8000, 30_000))[:300]
    state = rng.integers(0, 50, 300).astype("U2")
    key = rng.integers(0, 300, 6000)
    wrong = rng.uniform(size=6000) < 0.02
    named = np.where(wrong, "elsewhere", state[key])
    assert lines_of({"income": income[key], "state": named}) == []


def test_a_code_is_a_key_with_exceptions():
    rng = np.random.default_rng(0)
    state = rng.integers(0, 50, 300).astype("U2")
    key = rng.integers(0, 300, 6000)
    wrong = rng.uniform(size=6000) < 0.02
    (line,) = lines_of({"shop": key, "state": np.where(wrong, "elsewhere", state[key])})
    assert line == "state follows from shop (300 levels)"


def test_codes_that_are_mostly_equal_are_no_maximum():
    rng = np.random.default_rng(1)
    first = np.repeat(np.arange(1, 76), 30)
    moved = rng.uniform(size=len(first)) < 0.03
    then = np.where(moved, rng.integers(1, 76, len(first)), first)
    lines = lines_of({"school1": first, "school2": then})
    assert not [each for each in lines if "max" in each or "min" in each]


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda x: np.log10(x), "y = log10(x)"),
        (lambda x: (20 * np.log10(x)).round(3), "y = 20 · log10(x)"),
        (lambda x: 10 ** (x / 100), "y = 10^(0.01 · x)"),
        (lambda x: np.log(x), "y = log(x)"),
        (lambda x: 3 * np.log(x), "y = 3 · log(x)"),
    ],
)
def test_logarithms_and_powers_of_ten_are_written_as_such(make, expected):
    x = np.random.default_rng(0).uniform(1, 300, 300).round(2)
    assert lines_of({"x": x, "y": make(x)}) == [expected]


def test_a_constant_has_the_digits_that_the_column_needs():
    month = np.arange(1, 241)
    (line,) = lines_of({"month": month, "time": 1919 + 11 / 12 + month / 12})
    constant = float(line.rpartition(" + ")[2])
    assert abs(constant - (1919 + 11 / 12)) < 0.005


def test_shares_that_add_up_to_one_are_written_without_noise():
    # 25 rows do not determine coefficients such as 0.9968 and 1.0002.
    rng = np.random.default_rng(0)
    shares = rng.dirichlet([3, 4, 2, 5], 25)
    shares = shares + 2e-5 * rng.normal(size=shares.shape)
    (line,) = lines_of(dict(zip("abcd", shares.T, strict=True)))
    assert line == "a + b + c + d = 1"


def test_a_trend_in_the_order_of_the_rows_is_no_law():
    rng = np.random.default_rng(0)
    rows = np.arange(1, 61)
    assert lines_of({"rownames": rows, "y": 3 * rows + rng.normal(size=60)}) == []


def test_a_list_of_values_is_no_sum_of_steps():
    rng = np.random.default_rng(0)
    weight = np.sort(rng.uniform(50, 90, 12)).round(1)
    dose = (300 / weight).round(2)
    person = rng.integers(0, 12, 240)
    table = {"person": np.char.add("p", person.astype("U2")), "weight": weight[person]}
    lines = lines_of(table | {"dose": dose[person]})
    assert not [each for each in lines if "[" in each]
    assert any(each.startswith("dose") or "and dose" in each for each in lines)


def test_an_index_explains_nothing_in_any_order():
    rng = np.random.default_rng(0)
    index = rng.permutation(500) * 3 + 1000
    table = {"Unnamed: 0": index, "year": 2000 + (index > 1500), "x": rng.normal(size=500)}
    assert lines_of(table) == []


def test_equal_powers_on_both_sides_are_a_ratio():
    rng = np.random.default_rng(0)
    a = rng.uniform(100, 400, 12).round()
    (line,) = lines_of({"a": a, "b": (0.95 * a * (1 + 0.01 * rng.normal(size=12))).round()})
    assert line in ("b = 0.95 · a", "b = 0.94 · a", "b = 0.96 · a")


@pytest.mark.parametrize("seed", range(4))
def test_three_exceptions_do_not_tell_a_tendency_from_wrong_cells(seed):
    rng = np.random.default_rng(seed)
    time = rng.permutation(np.arange(1, 300, 7)) + 0.5
    dead = (time < 150).astype(float)
    wrong = rng.choice(43, 3, replace=False)
    dead[wrong] = 1 - dead[wrong]
    assert lines_of({"time": time, "dead": dead}) == []


def test_a_column_that_is_mostly_zero_is_no_minimum_of_a_flag_and_a_count():
    rng = np.random.default_rng(0)
    insured = rng.choice([0, 1], 4000, p=[0.8, 0.2])
    ill = np.where(rng.random(4000) < 0.4, rng.integers(1, 30, 4000), 0)
    away = np.where(rng.random(4000) < 0.06, np.minimum(ill, rng.integers(1, 15, 4000)), 0)
    assert lines_of({"insured": insured, "ill": ill, "away": away}) == []


@pytest.mark.parametrize("seed", range(4))
def test_as_many_coefficients_as_different_rows_are_no_evidence(seed):
    rng = np.random.default_rng(seed)
    products = ((0, 1, 2), (1, 2, 3), (1, 2), (0, 2, 3), (2, 3), (3, 4), (0, 3, 4))
    kinds = rng.choice([0, 0.2, 0.3, 0.5, 0.8], (6, 5))
    kinds[:, 0] = [1.5, 1.7, 1.8, 1.9, 2.1, 2.3]
    rows = np.zeros((1000, 5))
    # Discounts are mostly 0, so that all products are zero in nearly all rows.
    rows[:, 0] = rng.choice(kinds[:, 0], 1000)
    rows[:, 1] = rng.choice([0, 0.2, 0.5], 1000)
    rows[:120] = kinds[rng.integers(0, 6, 120)]
    rows = rng.permutation(rows)
    different = np.unique(rows, axis=0)
    matrix = np.column_stack([different[:, each].prod(axis=1) for each in products])
    vector = np.linalg.svd(matrix[matrix.any(axis=1)])[2][-1]
    assert np.abs(matrix @ vector).max() < 1e-12
    values = Values(rows, np.ones(5), [traits_of(column) for column in rows.T])
    law = Law(vector, tuple(tuple(((i, "x"), 1) for i in each) for each in products))
    assert Control(values, None, 0).evidence(law, 1e-14, 0.1, 1.0) <= 0
    more = np.concatenate([rows, rng.choice([0.1, 0.4, 0.6, 0.7], (50, 5))])
    assert (
        Control(Values(more, values.scale, values.traits), None, 0).evidence(law, 1e-14, 0.1, 1.0)
        > 100
    )


@pytest.mark.parametrize(
    ("low", "high", "above"),
    [
        (29.9, 30.0, "ge 30.0"),
        (29.8, 30.2, "gt 30.0"),
        (17, 18, "ge 18.0"),
        (18, 19, "gt 18.0"),
        (-0.02, 0.01, "gt 0.0"),
        (0.0, 0.01, "gt 0.0"),
        (-0.01, 0.0, "ge 0.0"),
        (1083.2, 1084.9, "gt 1084.0"),
        (123.456, 123.457, "gt 123.456"),
        (1e-320, 2e-320, "gt 1e-320"),
    ],
)
def test_the_roundest_number_that_separates_is_the_threshold(low, high, above):
    assert comparison_between(low, high, above=True) == above
    below = above.replace("gt", "le").replace("ge", "lt")
    assert comparison_between(low, high, above=False) == below


def test_a_threshold_that_is_a_value_of_the_table_is_included():
    rng = np.random.default_rng(0)
    bmi = np.r_[29.9, 30.0, rng.uniform(15, 45, 300).round(1)]
    (line,) = lines_of({"bmi": bmi, "obese": bmi >= 30})
    assert line == "obese = [bmi ≥ 30]"
    (law,) = gramian.relations(pd.DataFrame({"bmi": bmi, "obese": bmi >= 30}))
    assert law.latex() == r"\mathrm{obese} = \left[bmi \ge 30\right]".replace(
        "bmi", r"\mathrm{bmi}"
    )
    solved = law_from_json(law.form.to_json())
    np.testing.assert_array_equal(solved({"bmi": bmi}), bmi >= 30)


def test_a_column_that_is_nearly_always_zero_is_no_minimum_of_flags():
    rng = np.random.default_rng(0)
    level = rng.integers(1, 5, 900)
    visits = np.where(rng.uniform(size=900) < 0.91, 0, rng.integers(1, 30, 900))
    table = {"one": level == 1, "two": level == 2, "visits": visits}
    assert lines_of(table) == []


def test_flags_that_often_agree_are_not_equal_with_exceptions():
    rng = np.random.default_rng(0)
    owned = rng.uniform(size=3000) < 0.62
    mortgage = owned & (rng.uniform(size=3000) < 0.8)
    assert lines_of({"owned": owned, "mortgage": mortgage, "x": rng.normal(size=3000)}) == []


def test_rows_in_a_row_that_break_a_law_have_no_wrong_cells():
    episode = np.tile(np.arange(1, 11), 30)
    late = np.repeat(np.arange(30) % 4 == 0, 10)
    left = 13 - episode - late * (episode > 3)
    table = {"episode": episode, "left": left, "x": np.random.default_rng(0).normal(size=300)}
    assert lines_of(table) == []


def test_slopes_of_levels_with_few_rows_are_no_law():
    rng = np.random.default_rng(0)
    war = np.repeat(np.arange(9), 6)
    year = rng.uniform(1780, 2000, 54).round(1)
    people = (rng.uniform(20, 900, 9)[war] * (year - 1700) + rng.normal(size=54) * 150).round()
    table = {"war": np.array([*"abcdefghi"])[war], "year": year, "people": people}
    assert not any("where war" in line for line in lines_of(table))


def test_groups_that_differ_in_a_measured_number_are_no_steps_of_it():
    rng = np.random.default_rng(0)
    age = np.tile([3, 5, 10, 15, 20, 25], 14)
    height = np.array([4.5, 10.5, 28, 40, 52, 61])[np.searchsorted([4, 6, 11, 16, 21], age)]
    height = (height * rng.uniform(0.93, 1.07, 84)).round(2)
    assert lines_of({"age": age, "height": height}) == []
    label = np.array([f"{each} years" for each in age])
    assert lines_of({"age": label, "height": height}) == []


def test_steps_that_go_up_and_down_are_no_law():
    rng = np.random.default_rng(0)
    batch = rng.integers(0, 14, 300)
    boiling = np.sort(rng.permutation(np.arange(190, 320))[:14])[batch]
    pressure = np.repeat([8.6, 3.5, 6.1, 5.2, 4.0, 1.8, 2.2], 2)[batch]
    assert lines_of({"boiling": boiling, "pressure": pressure}) == [
        "pressure follows from boiling (14 levels)"
    ]


def test_few_codes_are_looked_up_and_not_compared():
    rng = np.random.default_rng(0)
    clinic = rng.integers(1, 5, 300)
    drug = np.isin(clinic, [2, 3])
    assert lines_of({"clinic": clinic, "drug": drug}) == ["drug follows from clinic (4 levels)"]


@pytest.mark.parametrize("seed", range(3))
def test_exceptions_near_a_threshold_are_no_wrong_cells_of_a_label(seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=600).round(3)
    label = np.where(x + 0.06 * rng.normal(size=600) > 0.4, "long", "short")
    assert lines_of({"x": x, "label": label}) == []


def test_labels_of_intervals_may_begin_with_their_threshold():
    bmi = np.r_[18.4, 18.5, 24.9, 25.0, np.random.default_rng(0).uniform(15, 45, 400).round(1)]
    label = np.array(["thin", "usual", "heavy"])[np.searchsorted([18.5, 25], bmi, side="right")]
    (law,) = gramian.relations(pd.DataFrame({"bmi": bmi, "label": label}))
    assert str(law) == "label follows from bmi (steps at 18.5, 25)"
    assert [level for level, _ in law.lookup.entries()] == ["< 18.5", "18.5 to 25", "≥ 25"]
    again = law_from_json(law.lookup.to_json())
    assert again == law.lookup
    assert again({"bmi": [18.5, 24.9, 25.0]}).tolist() == ["usual", "usual", "heavy"]


def test_of_a_column_and_the_number_of_its_row_the_number_is_dropped():
    time = np.arange(1960, 2010) + 0.25
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"rownames": np.arange(1, 51), "time": time, "x": rng.normal(size=50)})
    assert [*gramian.relations(table).redundant()] == ["rownames"]
    assert [*gramian.select(table).dropped] == ["rownames"]


def test_two_columns_with_one_usual_value_are_not_equal_with_exceptions():
    rng = np.random.default_rng(0)
    usual = rng.uniform(size=400) < 0.8
    table = {
        "margin": np.where(usual, 41, rng.integers(20, 60, 400)),
        "start": np.where(usual | (rng.uniform(size=400) < 0.3), 41, rng.integers(20, 60, 400)),
        "x": rng.normal(size=400),
    }
    assert lines_of(table) == []


def test_a_column_with_the_name_of_an_index_is_one_with_decimals_too():
    rng = np.random.default_rng(0)
    index = np.concatenate([np.arange(1, 73) + day / 10 for day in range(4)])
    table = {"rownames": index, "id": np.floor(index), "day": np.repeat([1, 2, 8, 15], 72)}
    assert not any("rownames" in line for line in lines_of({**table, "x": rng.normal(size=288)}))


def test_a_line_through_two_points_is_a_lookup():
    rng = np.random.default_rng(0)
    year = rng.choice([1985, 1995], 200)
    table = {"year": year, "cpi": np.where(year == 1985, 1.076, 1.524), "x": rng.normal(size=200)}
    (line,) = lines_of(table)
    assert line.endswith("follow from each other (2 levels)")


def test_a_law_times_a_factor_says_nothing_of_other_rows():
    x, y, f, g = (((i, "x"), 1) for i in range(4))
    factor = [(1.0, (f,)), (2.0, (g,)), (-1.0, ())]
    left = [(value, (y, *each)) for value, each in factor]
    right = [(-value, (x, *each)) for value, each in factor]
    assert has_common_factor([*left, *right])
    assert not has_common_factor([*left, *right[:2], (3.0, (x,))])
