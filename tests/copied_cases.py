"""Shared by tests of copies: random tables of numbers, text, dates and gaps."""

import numpy as np
import pandas as pd


def random_table(seed, text=True):
    """Return a random table of diverse columns, some of which follow from others."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 260))
    columns = {}
    for i in range(int(rng.integers(1, 4))):
        columns[f"number{i}"] = rng.uniform(1, 9, n).round(int(rng.integers(0, 9)))
    for i in range(int(rng.integers(0, 3))):
        columns[f"whole{i}"] = rng.integers(0, int(rng.integers(2, 60)), n).astype(float)
    if text and rng.random() < 0.6:
        levels = int(rng.integers(2, 9))
        city = rng.integers(0, levels, n)
        columns["city"] = np.array([f"c{i}" for i in range(levels)], dtype=object)[city]
        if rng.random() < 0.6:
            columns["country"] = np.array(["u", "v", "w"], dtype=object)[city % 3]
        if rng.random() < 0.5:
            columns["rate"] = np.arange(levels)[city] * 0.5 + 1
    if text and rng.random() < 0.5:
        day = pd.to_datetime("2023-01-01") + pd.to_timedelta(rng.integers(0, 400, n), unit="D")
        columns["day"] = day
        if rng.random() < 0.5:
            columns["month"] = day.month.to_numpy().astype(float)
    names = [name for name in columns if name.startswith(("number", "whole"))]
    first, last = columns[names[0]], columns[names[-1]]
    if rng.random() < 0.5:
        columns["sum"] = (first + 2 * last).round(6)
    if rng.random() < 0.4:
        columns["product"] = first * last + 0.01 * rng.standard_normal(n) * (rng.random() < 0.5)
    if rng.random() < 0.3:
        columns["high"] = (first > np.median(first)).astype(float)
    table = pd.DataFrame(columns)
    if rng.random() < 0.35:
        for name in rng.choice(table.columns, 2):
            table.loc[rng.random(n) < 0.1, name] = None if table[name].dtype == object else np.nan
    return table
