"""The place of an end between two intervals is a guess where no row of the search lies."""

import sqlite3
from contextlib import closing

import numpy as np
import pandas as pd
import pytest

import gramian


def marks(seed, n_rows=300):
    points = np.random.default_rng(seed).integers(0, 121, n_rows)
    names = np.array(["D", "C", "B", "A"])
    return pd.DataFrame({"points": points, "mark": names[np.digitize(points, [60, 80, 100])]})


@pytest.mark.parametrize("seed", range(8))
def test_right_rows_between_seen_values_break_no_law(seed):
    found = gramian.relations(marks(seed, 100))
    assert len(found) == 1
    other = marks(500 + seed)
    assert found.check(other).ok
    wrong = other.index[other["points"] > 110][:3]
    other.loc[wrong, "mark"] = "D"
    assert {*found.check(other).rows} == {*wrong}


def test_the_seen_ends_are_those_of_all_rows_with_the_law():
    table = pd.DataFrame({"points": [*range(50), *range(53, 103)], "mark": ["D"] * 50 + ["C"] * 50})
    (law,) = gramian.relations(table.sample(frac=1, random_state=0))
    test = pd.DataFrame(
        {"points": [49, 50, 51, 52, 53, -3], "mark": ["C", "C", "D", "D", "D", "C"]}
    )
    assert law.check.outcome(test).broken.tolist() == [True, False, False, False, True, True]
    assert law({"points": [51]})[0] in ("C", "D")  # a dropped column has a value all the same


def test_sql_names_the_rows_that_check_names():
    checks = gramian.relations(marks(0, 100)).checks
    other = marks(1)
    other.loc[::7, "mark"] = "A"
    with closing(sqlite3.connect(":memory:")) as database:
        other.to_sql("marks", database, index_label="place")
        query = checks.to_sql("sqlite", table="marks")
        named = pd.read_sql(query, database)["place"]
    assert named.tolist() == list(gramian.relations(marks(0, 100)).check(other).rows)
