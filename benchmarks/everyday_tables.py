"""Tables as offices keep them, with wrong cells, and tables whose rows depend on each other.

Values are printed to cents or tenths. Each table comes with its planted laws: the computed column
and the columns from which it was computed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd

Array = np.ndarray
Planted = list[tuple[str, list[str]]]
N_ROWS = 1_500


def printed(values: Array, digits: int = 2) -> Array:
    """Round as a spreadsheet does: halves away from zero."""
    return np.round(values + 1e-9, digits)


def sales(r: np.random.Generator, n: int) -> tuple[dict[str, Array], Planted]:
    quantity = r.integers(1, 40, n)
    price = printed(r.lognormal(3, 0.8, n))
    off = r.choice([0, 0, 0, 5, 10, 20], n)
    net = printed(price * quantity * (1 - off / 100))
    country = r.choice(["DE", "AT", "CH", "FR"], n)
    rate = np.array([{"DE": 19.0, "AT": 20.0, "CH": 8.1, "FR": 20.0}[each] for each in country])
    vat = printed(net * rate / 100)
    gross = printed(net + vat)
    cost = printed(net * r.uniform(0.3, 0.9, n))
    margin = printed(net - cost)
    columns = {
        "order": np.arange(n) + 70_001,
        "country": country,
        "quantity": quantity,
        "unit_price": price,
        "discount_pct": off,
        "net": net,
        "vat_pct": rate,
        "vat": vat,
        "gross": gross,
        "cost": cost,
        "margin": margin,
        "margin_pct": printed(100 * margin / net, 1),
        "usd": printed(gross * 1.0837),
        "large": (gross > 1000).astype(int),
        "weight": printed(r.gamma(2, 3, n), 1),
    }
    return columns, [
        ("net", ["unit_price", "quantity", "discount_pct"]),
        ("vat_pct", ["country"]),
        ("vat", ["net", "vat_pct"]),
        ("gross", ["net", "vat"]),
        ("margin", ["net", "cost"]),
        ("margin_pct", ["margin", "net"]),
        ("usd", ["gross"]),
        ("large", ["gross"]),
    ]


def payroll(r: np.random.Generator, n: int) -> tuple[dict[str, Array], Planted]:
    hours, wage = printed(r.uniform(60, 180, n), 1), printed(r.uniform(13, 45, n))
    more = printed(r.choice([0, 0, 0, 2.5, 4, 7.5, 12], n), 1)
    base, overtime = printed(hours * wage), printed(more * wage * 1.5)
    bonus = r.choice([0.0, 0.0, 100.0, 250.0], n)
    gross = printed(base + overtime + bonus)
    tax = printed(gross * r.choice([0.14, 0.2, 0.25], n))
    pension, health = printed(gross * 0.093), printed(gross * 0.0815)
    net = printed(gross - tax - pension - health)
    columns = {
        "person": r.permutation(n) + 300,
        "grade": r.choice([*"ABC"], n),
        "hours": hours,
        "wage": wage,
        "overtime_hours": more,
        "base_pay": base,
        "overtime_pay": overtime,
        "bonus": bonus,
        "gross_pay": gross,
        "tax": tax,
        "pension": pension,
        "health": health,
        "net_pay": net,
        "net_year": printed(net * 12),
        "net_pct": printed(100 * net / gross, 1),
    }
    return columns, [
        ("base_pay", ["hours", "wage"]),
        ("overtime_pay", ["overtime_hours", "wage"]),
        ("gross_pay", ["base_pay", "overtime_pay", "bonus"]),
        ("pension", ["gross_pay"]),
        ("health", ["gross_pay"]),
        ("net_pay", ["gross_pay", "tax", "pension", "health"]),
        ("net_year", ["net_pay"]),
        ("net_pct", ["net_pay", "gross_pay"]),
    ]


def clinic(r: np.random.Generator, n: int) -> tuple[dict[str, Array], Planted]:
    weight, height = printed(r.normal(75, 14, n), 1), r.integers(150, 200, n)
    bmi = printed(weight / (height / 100) ** 2, 1)
    high, low = r.integers(95, 180, n), r.integers(55, 110, n)
    celsius = printed(r.normal(37, 0.7, n), 1)
    hdl, ldl, fats = r.integers(30, 90, n), r.integers(60, 190, n), r.integers(50, 300, n)
    cholesterol = printed(hdl + ldl + fats / 5, 1)
    columns = {
        "patient": r.permutation(n) + 1,
        "sex": r.choice(["f", "m"], n),
        "weight": weight,
        "height": height,
        "bmi": bmi,
        "obese": (bmi >= 30).astype(int),
        "systolic": high,
        "diastolic": low,
        "pulse_pressure": high - low,
        "mean_pressure": printed(low + (high - low) / 3, 1),
        "celsius": celsius,
        "fahrenheit": printed(1.8 * celsius + 32, 1),
        "dose_mg": printed(weight * 0.15, 1),
        "hdl": hdl,
        "ldl": ldl,
        "triglycerides": fats,
        "cholesterol": cholesterol,
        "ratio": printed(cholesterol / hdl),
    }
    return columns, [
        ("bmi", ["weight", "height"]),
        ("obese", ["bmi"]),
        ("pulse_pressure", ["systolic", "diastolic"]),
        ("mean_pressure", ["systolic", "diastolic"]),
        ("fahrenheit", ["celsius"]),
        ("dose_mg", ["weight"]),
        ("cholesterol", ["hdl", "ldl", "triglycerides"]),
        ("ratio", ["cholesterol", "hdl"]),
    ]


def energy(r: np.random.Generator, n: int) -> tuple[dict[str, Array], Planted]:
    old, used = r.integers(1_000, 90_000, n), r.integers(50, 5_000, n)
    tariff = r.choice(["day", "night", "green"], n)
    cents = np.array([{"day": 31.2, "night": 24.5, "green": 33.9}[each] for each in tariff])
    base = r.choice([8.9, 12.5], n)
    cost, levy = printed(used * cents / 100), printed(used * 0.0205)
    subtotal = printed(cost + levy + base)
    vat = printed(subtotal * 0.19)
    total = printed(subtotal + vat)
    prepaid = r.choice([50.0, 100.0, 200.0, 400.0], n)
    volts, amperes = printed(r.normal(230, 4, n), 1), printed(r.uniform(0.5, 16, n))
    factor = printed(r.uniform(0.7, 1, n))
    columns = {
        "meter": r.permutation(n) + 88_000,
        "tariff": tariff,
        "reading_old": old,
        "reading_new": old + used,
        "kwh": used,
        "ct_per_kwh": cents,
        "energy_cost": cost,
        "base_fee": base,
        "levy": levy,
        "subtotal": subtotal,
        "vat": vat,
        "total": total,
        "prepaid": prepaid,
        "balance": printed(total - prepaid),
        "voltage": volts,
        "current": amperes,
        "power_factor": factor,
        "watts": printed(volts * amperes * factor, 1),
        "co2_kg": printed(used * 0.38, 1),
    }
    return columns, [
        ("kwh", ["reading_new", "reading_old"]),
        ("ct_per_kwh", ["tariff"]),
        ("energy_cost", ["kwh", "ct_per_kwh"]),
        ("levy", ["kwh"]),
        ("subtotal", ["energy_cost", "levy", "base_fee"]),
        ("vat", ["subtotal"]),
        ("total", ["subtotal", "vat"]),
        ("balance", ["total", "prepaid"]),
        ("watts", ["voltage", "current", "power_factor"]),
        ("co2_kg", ["kwh"]),
    ]


def sport(r: np.random.Generator, n: int) -> tuple[dict[str, Array], Planted]:
    games, goals = r.integers(20, 83, n), r.integers(40, 700, n)
    tried = goals + r.integers(20, 800, n)
    threes = (goals * r.uniform(0, 0.5, n)).astype(int)
    free = r.integers(5, 400, n)
    points = 2 * goals + threes + free
    front, back = r.integers(5, 200, n), r.integers(20, 600, n)
    minutes = r.integers(200, 3_000, n)
    won = (games * r.uniform(0.1, 0.9, n)).astype(int)
    columns = {
        "player": r.permutation(n),
        "position": r.choice([*"GFC"], n),
        "games": games,
        "goals": goals,
        "tried": tried,
        "goal_share": printed(goals / tried, 3),
        "threes": threes,
        "free_throws": free,
        "points": points,
        "front": front,
        "back": back,
        "rebounds": front + back,
        "minutes": minutes,
        "points_a_game": printed(points / games, 1),
        "minutes_a_game": printed(minutes / games, 1),
        "won": won,
        "lost": games - won,
        "balance": printed((won - (games - won)) / games, 3),
        "best": np.maximum(front, threes),
        "least": np.minimum(goals, back),
    }
    return columns, [
        ("goal_share", ["goals", "tried"]),
        ("points", ["goals", "threes", "free_throws"]),
        ("rebounds", ["front", "back"]),
        ("points_a_game", ["points", "games"]),
        ("minutes_a_game", ["minutes", "games"]),
        ("lost", ["games", "won"]),
        ("balance", ["won", "lost"]),
        ("best", ["front", "threes"]),
        ("least", ["goals", "back"]),
    ]


def budget(r: np.random.Generator, n: int) -> tuple[dict[str, Array], Planted]:
    sizes = {"rent": 400, "food": 150, "travel": 60, "power": 40}
    sizes |= {"phone": 15, "school": 30, "gifts": 20, "other": 50}
    parts = {name: printed(r.gamma(2, size, n)) for name, size in sizes.items()}
    spent = printed(np.sum([*parts.values()], axis=0))
    income = printed(spent * r.uniform(0.9, 1.6, n))
    km = r.integers(200, 3_000, n)
    litres = printed(km * r.uniform(4.5, 9, n) / 100, 1)
    inch = printed(r.uniform(5, 90, n), 1)
    columns = {
        "house": r.permutation(n) + 1,
        "city": r.choice(["Ulm", "Bonn", "Kiel"], n),
        **parts,
        "spent": spent,
        "income": income,
        "saved": printed(income - spent),
        "rent_pct": printed(100 * parts["rent"] / income, 1),
        "km": km,
        "litres": litres,
        "litres_a_100_km": printed(100 * litres / km, 1),
        "inch": inch,
        "cm": printed(inch * 2.54, 1),
    }
    return columns, [
        ("spent", [*parts]),
        ("saved", ["income", "spent"]),
        ("rent_pct", ["rent", "income"]),
        ("litres_a_100_km", ["litres", "km"]),
        ("cm", ["inch"]),
    ]


KINDS: dict[str, Callable[[np.random.Generator, int], tuple[dict[str, Array], Planted]]] = {
    "sales": sales,
    "payroll": payroll,
    "clinic": clinic,
    "energy": energy,
    "sport": sport,
    "budget": budget,
}


class Everyday(NamedTuple):
    """A table with wrong cells, the table without them, and what is known about both."""

    frame: pd.DataFrame
    clean: pd.DataFrame
    planted: Planted
    wrong: set[tuple[int, str]]
    """Row and column of each wrong cell."""


def table(kind: str, seed: int, damage: float, n_rows: int = N_ROWS) -> Everyday:
    """Return a table in which a share `damage` of the cells of each computed column is wrong.

    A wrong cell has the value of another row, ten times its value, the other sign, or a difference
    of 1, 10 or 100.
    """
    rng = np.random.default_rng([seed, *map(ord, kind)])
    columns, planted = KINDS[kind](rng, n_rows)
    clean = pd.DataFrame(columns)
    frame, wrong = clean.copy(), set()
    for name, _ in planted:
        values = frame[name].to_numpy(float).copy()
        for i in rng.choice(n_rows, round(damage * n_rows), replace=False).tolist():
            old, other = values[i], values[rng.integers(n_rows)]
            step = float(rng.choice([-1, 1])) * 10.0 ** int(rng.integers(3))
            values[i] = np.round([other, 10 * old, -old, old + step][rng.integers(4)], 4)
            if values[i] != old:
                wrong.add((i, name))
        frame[name] = values if damage else clean[name]
    order = rng.permutation(frame.shape[1])
    return Everyday(frame.iloc[:, order], clean.iloc[:, order], planted, wrong)


def dependent_rows(seed: int, n_rows: int = 1_000) -> dict[str, pd.DataFrame]:
    """Return tables of independent columns whose rows depend on each other: none has a law."""
    rng = np.random.default_rng(seed)
    time = np.linspace(0, 1, n_rows)
    region = rng.integers(0, 30, n_rows)
    patient = np.repeat(np.arange(n_rows // 10), 10)
    waves = np.fft.rfft(rng.standard_normal((n_rows, 6)), axis=0)
    waves[8:] = 0
    made = {
        "regions of persons": np.column_stack(
            [rng.lognormal(0, 0.5, (30, 8))[region], rng.standard_normal((n_rows, 3))]
        ),
        "visits of patients": np.column_stack(
            [rng.standard_normal((n_rows // 10, 8))[patient], rng.standard_normal((n_rows, 2))]
        ),
        "each row twenty times": np.repeat(rng.standard_normal((n_rows // 20, 10)), 20, axis=0),
        "random walks": np.cumsum(rng.standard_normal((n_rows, 6)), axis=0),
        "growth": np.exp(np.cumsum(0.01 + 0.02 * rng.standard_normal((n_rows, 6)), axis=0)),
        "trends": np.outer(time, rng.uniform(0.5, 2, 6))
        + np.outer(time**2, rng.uniform(-1, 1, 6))
        + 0.01 * rng.standard_normal((n_rows, 6)),
        "smooth sensors": np.fft.irfft(waves, n_rows, axis=0)
        + 1e-4 * rng.standard_normal((n_rows, 6)),
    }
    return {
        name: pd.DataFrame(x, columns=[f"c{j}" for j in range(x.shape[1])])
        for name, x in made.items()
    }
