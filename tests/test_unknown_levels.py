"""Levels that a fit has not seen are named, and whole numbers come back as whole numbers."""

import warnings

import numpy as np
import pandas as pd
import pytest

import gramian
from gramian.exceptions import UnknownLevelsWarning

pytest.importorskip("pyarrow")
PRICES = {"Standard": 89.0, "Deluxe": 159.5, "Suite": 289.0}


def stays(n=300):
    rng = np.random.default_rng(0)
    arrival = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, n), "D")
    nights, room = rng.integers(1, 15, n), rng.choice([*PRICES], n)
    return pd.DataFrame(
        {
            "arrival": arrival.strftime("%Y-%m-%d"),
            "departure": (arrival + pd.to_timedelta(nights, "D")).strftime("%Y-%m-%d"),
            "nights": nights,
            "room": room,
            "price": [PRICES[each] for each in room],
            "adults": rng.integers(1, 5, n),
        }
    )


def test_a_warning_names_the_column_the_level_and_the_rows():
    selection = gramian.select(stays())
    new = stays(20)
    new.loc[[3, 7], "room"] = "Penthouse"
    new.loc[9, "room"] = "Attic"
    with pytest.warns(UnknownLevelsWarning) as caught:
        whole = selection.reconstruct(selection.transform(new))
    (warning,) = caught
    assert str(warning.message) == (
        "price is missing in 3 rows, as the fit has not seen room 'Penthouse' (2 rows) and room "
        "'Attic' (1 row)."
    )
    assert warning.filename == __file__
    assert np.flatnonzero(whole.price.isna()).tolist() == [3, 7, 9]


def test_known_and_missing_levels_are_no_reason_to_warn():
    selection = gramian.select(stays())
    new = stays(20)
    new.loc[4, "room"] = None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert selection.reconstruct(selection.transform(new)).price.isna().sum() == 1


def test_whole_numbers_of_a_file_come_back_as_whole_numbers(tmp_path):
    table = stays()
    table.to_csv(tmp_path / "stays.csv", index=False)
    selection = gramian.select(tmp_path / "stays.csv")
    assert "nights" in selection.dropped
    for kept in (selection.transform(table), selection.transform(tmp_path / "stays.csv")):
        whole = selection.reconstruct(kept)
        assert str(pd.Series(np.asarray(whole["nights"])).dtype) == "int64"
        assert np.asarray(whole["nights"]).tolist() == table.nights.tolist()
        assert np.asarray(whole["price"]).tolist() == table.price.tolist()


def test_fractions_after_many_whole_numbers_come_back(tmp_path):
    """A file that is read in pieces shows its first rows only, and the last have fractions."""
    n = 60_000
    group = np.sort(np.random.default_rng(0).choice([*"abcde"], n))
    table = pd.DataFrame({"group": group, "x": np.random.default_rng(1).normal(size=n).round(3)})
    price = table.group.map({"a": "1", "b": "2", "c": "3", "d": "4", "e": "9.5"})
    table.assign(price=price).to_csv(tmp_path / "in.csv", index=False)
    for budget in (2**20, 2**30):
        selection = gramian.select(tmp_path / "in.csv", memory_budget=budget, keep="group")
        whole = selection.reconstruct(tmp_path / "in.csv")
        np.testing.assert_array_equal(np.asarray(whole["price"]), price.astype(float))
