"""Tables with planted laws and wrong cells, which the tests of the page about a table share."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
from report_cases import HOSTILE

from gramian import report

WRONG = (17, 23, 155)
"""Rows in which 10 was added to the gross price."""
LATE = 40
"""The row with another due date."""
NAMES = {"P1": "Bolt", "P2": "Nut", "P3": "Washer", "P4": "Rivet"}
PRICES = {"P1": 1.25, "P2": 0.85, "P3": 0.15, "P4": 0.35}


def invoices(n: int = 300) -> pd.DataFrame:
    """Return orders with laws of arithmetic, levels and dates, and the wrong cells of above."""
    rng = np.random.default_rng(5)
    product = rng.choice([*NAMES], n)
    quantity = rng.integers(1, 200, n)
    date = pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 700, n), "D")
    price = np.array([PRICES[each] for each in product])
    net = np.round(quantity * price + 1e-9, 2)
    vat = np.round(0.19 * net + 1e-9, 2)
    table = pd.DataFrame(
        {
            "date": date.strftime("%Y-%m-%d"),
            "due": (date + pd.Timedelta(days=14)).strftime("%Y-%m-%d"),
            "weekday": date.day_name(),
            "product": product,
            "name": [NAMES[each] for each in product],
            "quantity": quantity,
            "price": price,
            "net": net,
            "vat": vat,
            "gross": np.round(net + vat, 2),
            "customer": rng.integers(100, 180, n).astype(float),
        }
    )
    for row in [row for row in WRONG if row < n]:
        table.loc[row, "gross"] = round(table.loc[row, "gross"] + 10, 2)
    if n > LATE:
        table.loc[LATE, "due"] = "2024-01-01"
    if n > 77:
        table.loc[77, "customer"] = np.nan
    return table


def without_laws(n: int = 200) -> pd.DataFrame:
    """Return columns of noise, of which none follows from the others."""
    values = np.random.default_rng(0).normal(size=(n, 5)).round(3)
    return pd.DataFrame(values, columns=[*"abcde"])


def measured(n: int = 300) -> pd.DataFrame:
    """Return a table with one law with noise."""
    rng = np.random.default_rng(1)
    voltage, current, heat, power = rng.uniform(1, 9, (4, n))
    power = voltage * current * (1 + 0.005 * rng.standard_normal(n))
    return pd.DataFrame({"voltage": voltage, "current": current, "heat": heat, "power": power})


def hostile(n: int = 300) -> pd.DataFrame:
    """Return a table with laws whose names and cells look like HTML, Markdown or templates."""
    rng = np.random.default_rng(0)
    a, b, c = rng.integers(1, 99, (3, n))
    words = {
        "<script>alert(2)</script>": "<i>one</i>",
        "{{ 7 * 7 }}": "`two`",
        "| x | y |": "[four](javascript:alert(4))",
    }
    cells = rng.choice([*words], n)
    first, second, third, fourth, fifth, sixth = HOSTILE
    table = pd.DataFrame(
        {
            first: a,
            second: b,
            third: a + b,
            fourth: c,
            fifth: a * c,
            sixth: cells,
            "line\nend": [words[each] for each in cells],
        }
    )
    table.loc[5, third] += 7
    table.loc[9, "line\nend"] = "<b>five</b>"
    return table


def many_columns(d: int, n: int = 400) -> pd.DataFrame:
    """Return a table of which half of the columns are sums of two others, some cells wrong."""
    rng = np.random.default_rng(1)
    half = d // 2
    base = rng.normal(10, 2, (n, half)).round(2)
    table = {f"measure_{i}": base[:, i] for i in range(half)}
    for i in range(d - half):
        derived = (base[:, i % half] + base[:, (7 * i + 3) % half]).round(2)
        derived[rng.integers(0, n, 3)] += 7
        table[f"derived_{i}"] = derived
    return pd.DataFrame(table)


def facts_of(tmp_path, table, **options):
    """Return the JSON page about a table."""
    path = report(table, path=tmp_path / "page.json", **options)
    return json.loads(path.read_text(encoding="utf-8"))
