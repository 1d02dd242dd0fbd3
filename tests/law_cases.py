"""Tables with known laws, and a slow computation of a law's imbalance."""

from __future__ import annotations

import math

import numpy as np


def slow_imbalance(terms, row):
    """Return the sum of a law's terms in one row, divided by the largest term."""
    sizes = []
    for coefficient, factors in terms:
        value = coefficient
        for key, factor in factors.items():
            name = key if isinstance(key, str) else key[0]
            if isinstance(key, str):
                value *= row[name] ** float(factor)
            else:
                for atom, power in factor.parts:
                    value *= _slow_atom(atom, row[name]) ** power
        sizes.append(value)
    largest = max(abs(each) for each in sizes)
    return sum(sizes) / largest if largest else 0.0


def _slow_atom(atom, x):
    kind, _, value = atom.partition(" ")
    if value:
        signs = {"le": "<=", "lt": "<", "ge": ">=", "gt": ">", "eq": "==", "ne": "!="}
        return float(eval(f"x {signs[kind]} y", {"x": x, "y": float(value)}))
    return {"log": math.log, "sin": math.sin, "cos": math.cos}[atom](x)


def planted(seed, n=300):
    """Return tables by name: the columns of one law, and the law's text in plain units."""
    rng = np.random.default_rng(seed)
    a, b, c = rng.uniform(1, 5, (3, n))
    x, y = rng.standard_normal((2, n))
    t = rng.uniform(0, 2 * np.pi, n)
    u = rng.uniform(0, 2 * np.pi, n)
    whole = rng.integers(0, 40, n)
    return {
        "product": ({"U": a, "I": b, "P": 0.001 * a * b}, "P = 0.001 · U · I"),
        "ratio": ({"q": x, "C": a, "v": x / a}, "q = C · v"),
        "ratio of three": ({"a": a, "b": b, "c": c, "y": a * b / c}, None),
        "sum": ({"a": x, "b": y, "s": 2 * x + 3 * y}, "s = 2 · a + 3 · b"),
        "shifted": ({"celsius": x, "fahrenheit": 1.8 * x + 32}, "fahrenheit = 1.8 · celsius + 32"),
        "equal": ({"one": x, "other": x}, "other = one"),
        "square": ({"exper": whole, "expersq": whole**2}, "expersq = exper²"),
        "power": ({"a": a, "T": a**1.5}, "a³ = T²"),
        "root": ({"x": x, "y": y, "d": np.hypot(x, y)}, "d = √(x² + y²)"),
        "reciprocals": ({"a": a, "b": b, "r": 1 / (1 / a + 1 / b)}, None),
        "product and sum": ({"a": a, "b": x, "c": y, "z": a * x + 2 * y}, "z = a · b + 2 · c"),
        "difference of squares": ({"a": a, "b": b, "c": c, "z": c * (a**2 - b**2)}, None),
        "logarithm": ({"wage": a, "lwage": np.log(a)}, "lwage = log(wage)"),
        "exponential": ({"a": a, "b": b, "n": a * np.exp(-b)}, None),
        "sine": (
            {"r": a, "F": b, "theta": t, "tau": a * b * np.sin(t)},
            "tau = r · F · sin(theta)",
        ),
        "circle": ({"x": np.cos(t), "y": np.sin(t)}, "x² + y² = 1"),
        "sphere": (
            {"x": 2 * np.cos(t) * np.cos(u), "y": 2 * np.sin(t) * np.cos(u), "z": 2 * np.sin(u)},
            "x² + y² + z² = 4",
        ),
        "step": ({"rank": whole, "top10": (whole <= 10) * 1.0}, "top10 = [rank ≤ 10]"),
        "above": ({"income": 10 * a, "rich": (a > 3) * 1.0}, "rich = [income > 30]"),
        "level": ({"code": whole % 5, "third": (whole % 5 == 3) * 1.0}, "third = [code = 3]"),
        "dummies": (
            {"a": whole % 3 == 0, "b": whole % 3 == 1, "c": whole % 3 == 2},
            "a + b + c = 1",
        ),
        "interaction": ({"f": whole % 2, "e": a, "fe": a * (whole % 2)}, "fe = f · e"),
    }


NAMES = tuple(planted(0))


def table_of(columns):
    """Return the columns as an array and their names."""
    return np.column_stack([np.asarray(each, float) for each in columns.values()]), list(columns)
