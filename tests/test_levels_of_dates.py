"""Dates, times and truth values among levels: what gives them, and that they come back as such."""

from __future__ import annotations

import numpy as np
import pytest

import gramian

pd = pytest.importorskip("pandas")


def test_a_part_of_a_date_gives_another_date_only_if_it_is_its_day():
    stamps = pd.date_range("2024-03-01", periods=744, freq="h")
    day = stamps.normalize()
    other = day + pd.to_timedelta(stamps.day % 3, unit="D")
    noise = np.random.default_rng(0).normal(size=744)
    table = pd.DataFrame({"stamp": stamps, "day": day, "other": other, "noise": noise})
    found = [law for law in gramian.relations(table) if law.kind == "lookup"]
    assert "day follows from the date of stamp (31 levels)" in map(str, found)
    given = {law.lookup.column: law.lookup.causes for law in found}
    assert given["day"] == ("date of stamp",)
    assert all("stamp" not in cause for cause in given.get("other", ()))
