"""The time limit of searches: one for all searches of a call; what was found is the result."""

import itertools

import numpy as np
import pytest

import gramian
from gramian import GFA
from gramian._support import time_limit
from gramian._support.time_limit import (
    OutOfTimeError,
    check_time,
    part_of_time,
    time_is_over,
    time_limited,
    time_was_over,
)
from gramian.laws import compare

pd = pytest.importorskip("pandas")


@pytest.fixture
def clock(monkeypatch):
    """Let each look at the clock take a second."""
    ticks = itertools.count()
    monkeypatch.setattr(time_limit.time, "monotonic", lambda: float(next(ticks)))


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


def checks_until_over():
    n = 0
    while not time_is_over():
        n += 1
    return n


def test_without_a_limit_the_time_is_never_over(clock):
    check_time()
    with time_limited(None) as limit, part_of_time(0.5):
        assert not any(time_is_over() for _ in range(1000))
    assert not limit.reached


def test_a_limit_begins_with_the_first_search(clock):
    with time_limited(5) as limit:
        for _ in range(20):
            time_limit.time.monotonic()
        assert not time_was_over()
        assert checks_until_over() == 5
        assert time_was_over()
        with pytest.raises(OutOfTimeError):
            check_time()
    assert limit.reached
    check_time()


def test_the_earlier_of_two_limits_holds_and_both_know(clock):
    with time_limited(5) as outer:
        with time_limited(100) as inner:
            assert checks_until_over() < 6
        assert inner.reached
        assert outer.reached
    with time_limited(100) as outer:
        with time_limited(5):
            assert checks_until_over() < 6
        assert outer.reached  # a search was stopped
        assert not time_is_over()  # but others may go on


def test_a_part_of_the_time_leaves_time_for_others(clock):
    with time_limited(100):
        with part_of_time(0.5):
            assert 40 < checks_until_over() < 60
        assert 30 < checks_until_over() < 60


@pytest.mark.parametrize("seconds", [0, -1, float("nan")])
def test_a_limit_is_positive(seconds):
    with pytest.raises(ValueError, match="time_limit must be a positive number of seconds"):
        gramian.relations(orders(), time_limit=seconds)
    with pytest.raises(ValueError, match="time_limit must be a positive number of seconds"):
        gramian.select(orders(), time_limit=seconds)


@pytest.mark.parametrize("seconds", [0.5, 2, 8, 20, 50, 200, 1000])
def test_laws_found_in_time_are_laws(clock, seconds):
    every = {str(each) for each in gramian.relations(orders())}
    found = gramian.relations(orders(), time_limit=seconds)
    assert {str(each) for each in found} <= every
    assert found.complete or "time limit" in str(found)
    assert not found.complete or {str(each) for each in found} == every


def test_a_limit_leaves_time_for_laws_of_numbers_and_of_levels(clock):
    found = gramian.relations(orders(), time_limit=60)
    assert not found.complete
    assert [str(each) for each in found[:2]] == [
        "total = units · price",
        "city follows from zip (9 levels)",
    ]


def test_a_limit_that_does_not_bind_changes_nothing():
    assert str(gramian.relations(orders(), time_limit=1e6)) == str(gramian.relations(orders()))
    limited = gramian.select(orders(), time_limit=1e6)
    assert str(limited) == str(gramian.select(orders()))
    assert limited.cautions == ()


def test_a_selection_uses_the_laws_found_in_time_and_says_that_there_may_be_more(clock):
    selection = gramian.select(orders(), time_limit=1)
    assert [each.kind for each in selection.cautions] == ["time limit"]
    assert "may be more. Give more time_limit" in str(selection.cautions[0])
    kept = selection.transform(orders())
    pd.testing.assert_frame_equal(
        selection.reconstruct(kept), orders(), check_dtype=False, atol=0.006
    )


def test_formulas_are_searched_until_the_time_is_over(clock):
    z = np.random.default_rng(0).uniform(1, 2, (300, 3))
    X = np.column_stack([3 * z, z[:, 0] * z[:, 1], z[:, 1] * z[:, 2]])
    fitted = GFA(laws=False).fit(X)
    every = fitted.explain()
    assert all(each.has_formula for each in every)
    some = fitted.explain(time_limit=0.5)
    assert [each.feature for each in some] == [each.feature for each in every]
    assert not any(each.has_formula for each in some)
    assert [each.full_r2 for each in some] == pytest.approx([each.full_r2 for each in every])
    assert [each.linear_r2 for each in some] == pytest.approx([each.linear_r2 for each in every])


def test_no_formula_is_searched_for_a_column_that_a_law_gives(monkeypatch):
    from gramian.explanations import _finder

    z = np.random.default_rng(0).uniform(1, 2, (300, 2))
    fitted = GFA().fit(np.column_stack([z, z[:, 0] * z[:, 1]]))
    monkeypatch.delattr(_finder.FormulaFinder, "redundancy")
    (found,) = fitted.explain()
    assert found.kind == "law"
    assert found.full_r2 == 1


def test_a_report_has_a_limit(clock, tmp_path):
    pytest.importorskip("jinja2")
    z = np.random.default_rng(0).uniform(1, 2, (300, 3))
    X = np.column_stack([3 * z, z[:, 0] * z[:, 1], z[:, 1] * z[:, 2]])
    fitted = GFA(laws=False).fit(X)
    whole = gramian.report(fitted, X, tmp_path / "page.html").read_text(encoding="utf-8")
    page = gramian.report(fitted, X, tmp_path / "page.html", time_limit=0.5)
    for formula in ("x0 · x1", "x1 · x2"):
        assert formula in whole
        assert formula not in page.read_text(encoding="utf-8")


def test_a_comparison_shares_the_time_between_both_tables(clock):
    table = orders()
    found = compare(table, table, time_limit=1000)
    assert "total = units · price" in str(found)
    assert found.ok
