"""Dates computed from columns of their parts, and parts computed from dates."""

from __future__ import annotations

import datetime
import json

import numpy as np
import pytest
from cli_cases import read_csv, succeed

import gramian
from gramian.laws import ComposedDate
from gramian.models import read
from gramian.tables._clock import composed

pd = pytest.importorskip("pandas")

PARTS = ("year", "month", "day", "hour", "minute", "second")


def visits(n=500, freq="31h", parts=PARTS[:3]):
    """Return dates, their parts, and an independent number."""
    times = pd.Series(pd.date_range("2022-01-05", periods=n, freq=freq))
    times = times if "hour" in parts else times.dt.normalize()
    table = {name: getattr(times.dt, name) for name in parts}
    return pd.DataFrame({"when": times, **table, "x": np.random.default_rng(0).normal(size=n)})


def laws_of_dates(table):
    return [law for law in gramian.relations(table) if law.columns[-1] == "when"]


def test_composed_dates_equal_those_of_datetime():
    rng = np.random.default_rng(0)
    parts = rng.integers([1, 0, 0, -1, -1, -1], [9999, 14, 33, 25, 61, 61], (2000, 6))
    found = composed(dict(zip(PARTS, parts.T.astype(float), strict=True)))
    for row, when in zip(parts.tolist(), found.tolist(), strict=True):
        try:
            expected = datetime.datetime(*row)
        except ValueError:
            expected = None
        assert when == expected


@pytest.mark.parametrize("gap", [np.nan, 1.5, np.inf])
def test_parts_that_are_not_integers_give_no_date(gap):
    date = ComposedDate("when", "days", ("year", "month", 1))
    assert np.isnat(date({"year": [2024.0, gap], "month": [1.0, 1.0]})).tolist() == [False, True]


@pytest.mark.parametrize(
    ("freq", "parts"), [("31h", PARTS[:3]), ("7h", PARTS[:4]), ("397s", PARTS)]
)
def test_a_date_follows_from_its_parts(freq, parts):
    table = visits(900, freq, parts)
    (law,) = laws_of_dates(table)
    assert law.exact
    np.testing.assert_array_equal(law(table), table["when"])
    assert (law.imbalance(table) == 0).all()
    assert law.solve_for("when") is law.lookup


def test_the_law_of_a_date_names_the_column_of_each_part():
    table = visits(300, "7h", PARTS[:4]).rename(columns={"month": "m"})
    table = table[table["year"] == 2022].drop(columns="year")
    (law,) = laws_of_dates(table)
    assert str(law) == "when follows from m (month), day and hour, with the year 2022"
    np.testing.assert_array_equal(law(table), table["when"])


def test_parts_follow_from_the_date_and_are_dropped_instead_of_the_date():
    table = visits().assign(weekday=lambda each: each["when"].dt.day_of_week)
    found = gramian.relations(table)
    assert {*found.redundant()} == {"year", "month", "day", "weekday"}
    assert {*found.redundant(keep=["year", "month", "day"])} == {"when", "weekday"}


def test_a_wrong_day_or_invalid_parts_give_no_law():
    table = visits()
    table.loc[7, "day"] += 1
    assert laws_of_dates(table) == []
    assert laws_of_dates(visits(20).assign(year=0, month=0, day=0)) == []


def test_a_law_with_missing_parts_does_not_give_the_date():
    table = visits()
    table.loc[::5, "day"] = np.nan
    (law,) = laws_of_dates(table)
    assert law.n_rows == table["day"].notna().sum()
    with pytest.raises(ValueError, match="does not give 'when'"):
        law.solve_for("when")


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_selection_reconstructs_dates(tmp_path, monkeypatch, ending):
    monkeypatch.chdir(tmp_path)
    table = visits(parts=PARTS[:4])
    (table.to_csv if ending == "csv" else table.to_parquet)(f"t.{ending}", index=False)
    keep = [part for name in PARTS[:4] for part in ("--keep", name)]
    done = succeed("select", f"t.{ending}", *keep, "-o", f"k.{ending}", "-m", "m.gram", "--json")
    assert json.loads(done.stdout)["dropped"] == ["when"]
    (law,) = read("m.gram").preprocessing.beside.lookups
    assert law == ComposedDate("when", "seconds", (*PARTS[:4], 0, 0))
    succeed("reconstruct", "m.gram", f"k.{ending}", "-o", f"a.{ending}")
    again = (
        read_csv("a.csv", parse_dates=["when"]) if ending == "csv" else pd.read_parquet("a.parquet")
    )
    pd.testing.assert_frame_equal(again, table, check_dtype=False)


def test_a_time_of_the_day_follows_from_hour_and_minute():
    pa = pytest.importorskip("pyarrow")
    hour, minute = np.random.default_rng(0).integers(0, [[24], [60]], (2, 300))
    clock = [datetime.time(h, m) for h, m in zip(hour.tolist(), minute.tolist(), strict=True)]
    table = pa.table({"hour": hour, "minute": minute, "clock": clock})
    assert str(gramian.relations(table)) == "clock = 3600 · hour + 60 · minute"


def test_laws_of_dates_are_written_as_text_latex_and_sympy():
    sympy = pytest.importorskip("sympy")
    (law,) = laws_of_dates(visits())
    assert (
        law.latex() == r"\mathrm{when} = f\left(\mathrm{year}, \mathrm{month}, \mathrm{day}\right)"
    )
    assert law.sympy().lhs == sympy.Symbol("when")


@pytest.mark.parametrize(
    "change",
    [
        {"more": 1},
        {"unit": "weeks"},
        {"unit": ["days"]},
        {"parts": ["year", "month"]},
        {"parts": [2024, 1, 1]},
        {"parts": ["year", 13, 1]},
        {"parts": ["year", True, 1]},
        {"parts": ["when", 1, 1]},
        {"date": 3},
    ],
)
def test_damaged_dates_are_refused(change):
    good = ComposedDate("when", "days", ("year", "month", "day")).to_json()
    assert ComposedDate.from_json(json.loads(json.dumps(good))).to_json() == good
    with pytest.raises(ValueError, match="stored date"):
        ComposedDate.from_json({**good, **change})
