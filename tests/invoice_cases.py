"""Invoices with laws of every kind, for tests of checks."""

import numpy as np
import pandas as pd

N = 600
CITIES = {"Z1": "Zurich", "Z2": "Zurich", "B1": "Bern", "L1": "Basel"}


def invoices(seed: int, n: int = N) -> pd.DataFrame:
    """Return invoices with laws of every kind."""
    rng = np.random.default_rng(seed)
    price, quantity = rng.uniform(1, 99, n).round(2), rng.integers(1, 20, n)
    net = (price * quantity).round(2)
    vat = (0.19 * net).round(2)
    day = np.datetime64("2024-01-01") + rng.integers(0, 300, n)
    code = rng.choice([*CITIES], n)
    product, weight = rng.choice(["egg", "ham", "tea"], n), rng.uniform(1, 30, n).round(1)
    size = rng.uniform(1, 30, n).round(1)
    slope = pd.Series(product).map({"egg": 1.5, "ham": 4, "tea": 2}).to_numpy()
    return pd.DataFrame(
        {
            "price": price,
            "quantity": quantity,
            "net": net,
            "vat": vat,
            "gross": (net + vat).round(2),
            "code": code,
            "city": pd.Series(code).map(CITIES),
            "day": day,
            "due": day + np.timedelta64(30, "D"),
            "product": product,
            "weight": weight,
            "cost": (slope * weight).round(2),
            "size": size,
            "charged": np.maximum(size, weight),
        }
    )
