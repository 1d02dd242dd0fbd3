"""Dates, times and booleans as levels: their laws, and their types after reconstruction."""

from __future__ import annotations

import json

import numpy as np
import pytest
from cli_cases import succeed

import gramian
from gramian.laws import Key, Lookup
from gramian.models import Beside
from gramian.tables._clock import Clock

pd = pytest.importorskip("pandas")


def test_the_day_of_a_date_gives_only_the_column_of_that_day():
    stamps = pd.date_range("2024-03-01", periods=744, freq="h")
    day = stamps.normalize()
    other = day + pd.to_timedelta(stamps.day % 3, unit="D")
    noise = np.random.default_rng(0).normal(size=744)
    table = pd.DataFrame({"stamp": stamps, "day": day, "other": other, "noise": noise})
    found = [law for law in gramian.relations(table) if law.kind == "lookup"]
    assert "day = the date of stamp" in map(str, found)
    given = {law.lookup.column: law.lookup.causes for law in found}
    assert given["day"] == ("date of stamp",)
    assert all("stamp" not in cause for cause in given.get("other", ()))


def events(n=300):
    """Return events with day, stamp, time and a boolean, and a rate that follows from the day."""
    rng = np.random.default_rng(1)
    event, day = rng.integers(0, 3, n), rng.integers(0, 12, n)
    stamps = pd.to_datetime(["2024-01-05 08:30:00", "2024-03-01 12:00:01", "1969-12-24 23:15:00"])
    days = pd.date_range("2024-02-20", periods=12)
    return pd.DataFrame(
        {
            "event": np.array(["x", "y", "z"])[event],
            "when": stamps[event].date,
            "stamp": stamps[event],
            "at": stamps[event].time,
            "open": np.array([True, False, True])[event],
            "day": days[day].date,
            "rate": (rng.permutation(100)[:12] / 8)[day],
            "year": days[day].year,
            "noise": rng.normal(size=n),
        }
    )


def write(table, name):
    (table.to_csv if name.endswith("csv") else table.to_parquet)(name, index=False)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_dates_times_and_booleans_are_reconstructed_unchanged(tmp_path, monkeypatch, ending):
    monkeypatch.chdir(tmp_path)
    write(events(), f"a.{ending}")
    files = ["-o", f"k.{ending}", "-m", "m.gram"]
    done = json.loads(succeed("select", f"a.{ending}", *files, "--json").stdout)
    assert {"when", "stamp", "at", "open", "rate"} <= {*done["dropped"]}
    succeed("reconstruct", "m.gram", f"k.{ending}", "-o", f"r.{ending}")
    read = pd.read_csv if ending == "csv" else pd.read_parquet
    pd.testing.assert_frame_equal(read(f"r.{ending}"), read(f"a.{ending}"), check_dtype=False)
    lines = succeed("explain", "m.gram", f"a.{ending}", "--json").stdout
    assert {(each["n_rows"], each["n_holds"]) for each in json.loads(lines)["levels"]} == {
        (300, 300)
    }


def test_laws_of_dates_give_dates_in_python():
    table = events().astype({"when": "datetime64[us]", "day": "datetime64[us]"})
    laws = [law for law in gramian.relations(table.drop(columns="at")) if law.kind == "lookup"]
    solved = {law.lookup.column: law.lookup for law in laws}
    assert {"when", "stamp"} <= {*solved}
    for name, lookup in solved.items():
        assert (lookup(table) == table[name].to_numpy()).all()
        again = Lookup.from_json(json.loads(json.dumps(lookup.to_json())))
        assert again == lookup
    assert all((law.imbalance(table) == 0).all() for law in laws)
    assert ("z", "1969-12-24 23:15:00") in [*solved["stamp"].entries()]


def test_labels_of_intervals_of_dates_are_reconstructed():
    days = pd.date_range("2021-03-01", periods=400)
    era = np.where(days <= "2021-10-12", "old", "new")
    (law,) = gramian.relations(pd.DataFrame({"day": days, "era": era}))
    assert str(law) == "era follows from day (steps at 2021-10-12)"
    assert law({"day": np.array(["2020-01-01", "2030-01-01"], "M8[D]")}).tolist() == ["old", "new"]


def test_parts_of_unseen_dates_are_computed_and_unseen_levels_are_counted(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    days = pd.to_datetime("2019-01-01") + pd.to_timedelta(rng.integers(0, 1826, 600), unit="D")
    shop = rng.integers(0, 3, 600)
    city = np.array(["Bern", "Basel", "Chur"])[shop]
    table = pd.DataFrame({"day": days, "year": days.year, "shop": shop.astype(str), "city": city})
    table["shop"] = "s" + table["shop"]
    table["canton"] = table["city"].str[:2] + "."
    table["noise"] = rng.normal(size=600)
    table.to_parquet("a.parquet")
    succeed("select", "a.parquet", "--keep", "shop", "-m", "m.gram", "-q")
    table["day"] += pd.Timedelta(days=3000)
    table["year"] = table["day"].dt.year
    new = [*range(7)]
    table.loc[new, ["shop", "city", "canton"]] = "?"
    table.loc[[8, 9], "shop"] = None
    table.to_parquet("b.parquet")
    kept = table.drop(columns=["year", "city", "canton"])
    kept.to_parquet("k.parquet")
    done = succeed("reconstruct", "m.gram", "k.parquet", "-o", "r.parquet")
    assert "14 cells stay empty, as no row of the fit had the level" in done.stderr
    found = pd.read_parquet("r.parquet")
    assert (found["year"] == table["year"]).all()
    assert found["city"].isna().to_numpy().nonzero()[0].tolist() == [*new, 8, 9]
    assert "stay empty" not in succeed("reconstruct", "m.gram", "a.parquet", "-o", "r.csv").stderr


@pytest.mark.parametrize(
    ("types", "match"),
    [
        ({"at": "list<int64>"}, "is unknown"),
        ({"at": ["bool"]}, "is unknown"),
        ({"at": "timestamp[s]"}, "must give the column 'at' as timestamp"),
        ({"noise": "bool"}, "must give the column 'noise' as bool"),
    ],
)
def test_damaged_types_are_refused(types, match):
    lookup = Lookup("at", (Key("event"),), (("x",), ("y",)), (3.0, 4.0))
    beside = Beside(("event", "at", "noise"), ("event",), (lookup,), {"at": "time32[s]"})
    document = beside.to_json()
    assert Beside.from_json(document) == beside
    with pytest.raises(ValueError, match=match):
        Beside.from_json(document | {"types": types}).check(["noise"])


@pytest.mark.parametrize("clock", [None, {}, {"origin": "x", "unit": "days"}, {"origin": 1}])
def test_damaged_clocks_are_refused(clock):
    lookup = Lookup("at", (Key("event"),), (("x",), ("y",)), (3.0, 4.0), Clock("2024", "days"))
    assert Lookup.from_json(lookup.to_json()) == lookup
    with pytest.raises(ValueError, match=r"clock|is no date"):
        Lookup.from_json(lookup.to_json() | {"clock": clock})


def test_dates_and_times_survive_although_numbers_nearly_determine_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    seconds = np.random.default_rng(0).integers(0, 700 * 86_400, 300)
    stamps = pd.Series(pd.Timestamp("2020-01-01") + pd.to_timedelta(seconds, unit="s"))
    made = {"stamp": "%Y-%m-%d %H:%M:%S", "day": "%Y-%m-%d", "clock": "%H:%M:%S"}
    pd.DataFrame({name: stamps.dt.strftime(form) for name, form in made.items()}).assign(
        hour=stamps.dt.hour
    ).to_csv("t.csv", index=False)
    succeed("select", "t.csv", "-o", "k.csv", "-m", "m.gram")
    succeed("reconstruct", "m.gram", "k.csv", "-o", "r.csv")
    assert (tmp_path / "r.csv").read_text(encoding="utf-8") == (tmp_path / "t.csv").read_text(
        encoding="utf-8"
    )


def orders(n=300):
    """Return orders with a date, dates 30 days and some days later, and a time of that date."""
    rng = np.random.default_rng(3)
    date = pd.Timestamp("2024-03-05") + pd.to_timedelta(rng.integers(0, 365, n), unit="D")
    delay, second = rng.integers(11, 40, n), rng.integers(0, 86_400, n)
    return pd.DataFrame(
        {
            "date": date,
            "due": date + pd.Timedelta(days=30),
            "delay": delay,
            "shipped": date + pd.to_timedelta(delay, unit="D"),
            "second": second,
            "paid": date + pd.to_timedelta(second, unit="s"),
            "opened": pd.Timestamp("2024-03-02"),
            "noise": rng.normal(size=n),
        }
    )


@pytest.mark.parametrize("ending", ["", "csv", "parquet"])
def test_laws_among_dates_count_from_one_origin(tmp_path, ending):
    table = orders()
    if ending:
        write(table, str(tmp_path / f"a.{ending}"))
    found = gramian.relations(tmp_path / f"a.{ending}" if ending else table)
    assert {"due = date + 30", "shipped = date + delay", "opened = 2024-03-02"} <= {
        *map(str, found)
    }
    assert "paid = 86400 · date + second" in map(str, found)
    assert "date, due, opened and shipped count days since 2024-03-02." in found.notes
    assert "paid counts seconds since 2024-03-02." in found.notes


def test_a_column_of_no_dates_does_not_move_the_origin():
    table = orders().assign(none=pd.Series([pd.NaT] * 300))
    assert "2024-03-02" in gramian.relations(table[["date", "delay", "none", "opened"]]).notes[0]


def test_selected_columns_give_dates_and_their_differences_back(tmp_path):
    table = orders()
    selected = gramian.select(table)
    assert selected.dropped["delay"].law == "delay = shipped \N{MINUS SIGN} date"
    assert selected.dropped["opened"].law == "opened = 2024-03-02"
    selected.save(tmp_path / "a.gramian")
    stored = gramian.tabular.load(tmp_path / "a.gramian")
    for each in (selected, stored):
        pd.testing.assert_frame_equal(each.reconstruct(each.transform(table)), table)


def test_how_two_clocks_differ_is_not_listed_level_by_level():
    rng = np.random.default_rng(0)
    local = pd.Timestamp("2023-01-01 05:00") + pd.to_timedelta(rng.integers(0, 365, 4000), "D")
    local = pd.DatetimeIndex(local + pd.to_timedelta(rng.integers(0, 19, 4000), "h"))
    parts = {"month": local.month, "day": local.day, "hour": local.hour}
    table = pd.DataFrame({**parts, "utc": local + pd.Timedelta(hours=4)})
    found = [*map(str, gramian.relations(table))]
    assert "month = the month of utc" in found
    assert "hour follows from the hour of utc (19 levels)" in found
    assert not any(each.startswith("day") for each in found)
