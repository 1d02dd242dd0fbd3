"""Wrong cells that the coarse digits of other columns could hide."""

import numpy as np
import pandas as pd
import pytest

import gramian


@pytest.mark.parametrize("by", [0.1, 0.3, 0.5])
@pytest.mark.parametrize("n_wrong", [1, 6, 30, 60])
def test_coarse_columns_do_not_hide_wrong_cells(n_wrong, by):
    # x and y have one decimal: an area that is wrong by 0.3 is still near x · y.
    rng = np.random.default_rng(n_wrong)
    x, y = rng.uniform(1, 9, (2, 600)).round(1)
    area = (x * y).round(2)
    area[:n_wrong] = (area[:n_wrong] + by).round(2)
    (law,) = gramian.relations(pd.DataFrame({"x": x, "y": y, "area": area}))
    assert str(law) in ("area = x · y", "area = y · x")
    assert (law.n_exceptions, law.exact) == (n_wrong, False)


def test_a_selection_says_why_it_keeps_a_column_with_wrong_cells():
    rng = np.random.default_rng(0)
    hours, rate = rng.uniform(20, 45, 600).round(1), rng.integers(20, 90, 600) / 2
    pay = (hours * rate).round(2)
    pay[:30] += 3
    selection = gramian.select(pd.DataFrame({"hours": hours, "rate": rate, "pay": pay.round(2)}))
    assert not selection.dropped
    assert [each.facts["n_exceptions"] for each in selection.cautions] == [30]


@pytest.mark.parametrize("n_wrong", [1, 6, 30])
@pytest.mark.parametrize("seed", range(3))
def test_sums_of_squares_are_found_in_spite_of_wrong_cells(seed, n_wrong):
    rng = np.random.default_rng(seed)
    a, b = rng.uniform(1, 9, (2, 600)).round(1)
    wind = np.hypot(a, b).round(2)
    wind[rng.choice(600, n_wrong, replace=False)] += 3.1
    (law,) = gramian.relations(pd.DataFrame({"a": a, "b": b, "wind": wind.round(2)}))
    assert str(law) in ("wind = √(a² + b²)", "wind = √(b² + a²)")
    assert law.n_exceptions == n_wrong


@pytest.mark.parametrize("seed", range(6))
def test_a_rounded_mean_is_solved_for_the_mean(seed):
    rng = np.random.default_rng(seed)
    math, reading, science = rng.normal(63, 10, (3, 800)).round(1)
    mean = ((math + reading + science) / 3).round(1)
    table = {"math": math, "reading": reading, "science": science, "average": mean}
    (law,) = gramian.relations(pd.DataFrame(table))
    assert law.solved.column == "average"
    with pytest.raises(ValueError, match="no single solution"):
        law.solve_for("reading")


def test_two_columns_of_one_name_are_refused():
    table = pd.DataFrame(np.random.default_rng(0).random((300, 3)), columns=["a", "a", "s"])
    with pytest.raises(ValueError, match="two columns named 'a': rename one of them"):
        gramian.relations(table)


def test_huge_and_tiny_columns_are_searched():
    a, b = np.random.default_rng(0).uniform(1, 9, (2, 300)).round(2)
    table = pd.DataFrame({"a": a, "b": b, "f": 1e300 * a, "g": 1e-300 * b})
    assert {str(each) for each in gramian.relations(table)} == {"f = 10³⁰⁰ · a", "g = 10⁻³⁰⁰ · b"}
