"""Notes that are printed with laws are those that a printed law needs."""

import numpy as np
import pandas as pd

import gramian

RNG = np.random.default_rng(0)
DATES = pd.Timestamp("2024-01-01") + pd.to_timedelta(RNG.integers(0, 500, 300), "D")


def test_no_note_follows_if_no_law_was_found():
    noise = RNG.normal(size=(300, 3)).round(3)
    noise[::7, 1] = np.nan
    found = gramian.relations(pd.DataFrame(noise, columns=[*"abc"]).assign(date=DATES))
    assert len(found.notes) == 2
    assert str(found) == "No law was found among 4 columns."


def test_units_of_dates_are_told_if_a_law_computes_with_them():
    table = pd.DataFrame({"date": DATES, "paid": "2025-03-31", "month": DATES.month})
    table["paid"] = pd.to_datetime(table.paid)
    (note,) = gramian.relations(table).notes
    assert "since" in note
    assert note not in str(gramian.relations(table))
    late = table.assign(due=DATES + pd.to_timedelta(RNG.integers(1, 40, 300), "D"))
    late["delay"] = (late.due - late.date).dt.days
    assert "since" in str(gramian.relations(late))


def test_gaps_are_told_if_a_law_has_them():
    a, b, c = RNG.uniform(1, 9, (3, 300)).round(2)
    table = pd.DataFrame({"a": a, "b": b, "sum": (a + b).round(2), "c": c})
    assert "missing" not in str(gramian.relations(table))
    table.loc[::9, "a"] = np.nan
    assert str(gramian.relations(table)).endswith("rows that have all its columns.")


def test_columns_that_a_noisy_law_computes_are_not_among_those_without_a_law():
    columns = RNG.normal(size=(400, 16))
    columns[:, 3] = 2 * columns[:, 4] + 0.01 * RNG.normal(size=400)
    found = gramian.relations(columns.round(5))
    assert len(found) == 1
    (note,) = found.notes
    assert "not searched among the 15 columns that no law computes" in note
    assert "choose at most 12 columns: by --columns in the command" in note
