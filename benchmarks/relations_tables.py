"""Tables with known laws, and tables without laws."""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp

FUNCTIONS = {each: getattr(np, each) for each in ("exp", "sqrt", "sin", "cos", "tanh", "arcsin")}
FUNCTIONS |= {"ln": np.log, "pi": np.pi}
ANGLES = ("I.26.2", "I.30.5")
"""Equations whose outputs are angles."""
Setting = tuple[np.ndarray, np.ndarray]
"""Units and order of the columns."""
KINDS = ("uniform", "normal", "log-normal", "integer", "heavy-tailed")
AXES = [0.387, 0.723, 1, 1.524, 5.203, 9.537, 19.191, 30.069]
YEARS = [0.241, 0.615, 1, 1.881, 11.862, 29.457, 84.011, 164.79]


def equation(
    row: dict[str, str],
    n: int,
    rng: np.random.Generator,
    setting: Setting | None = None,
    *,
    noise: float = 0.0,
) -> tuple[np.ndarray, list[str], Setting]:
    """Make a table of the inputs and the output of an equation, in random units, shuffled."""
    columns = {}
    for variable in row["variables"].split():
        name, _, bounds = variable.partition("=")
        low, high = map(float, bounds.split(".."))
        columns[name] = rng.uniform(low, high, n)
    output = eval(row["formula"], {"__builtins__": {}}, {**FUNCTIONS, **columns})
    output = output + noise * output.std() * rng.standard_normal(n)
    names = [*columns, row["output"]]
    x = np.column_stack([*columns.values(), output])
    if setting is None:
        units = 10.0 ** rng.uniform(-3, 3, len(names))
        turning = [each.startswith("theta") or each == "delta" for each in names]
        turning[-1] = row["name"] in ANGLES  # and theta of II.11.28 is none
        units[turning] = 1.0
        setting = units, rng.permutation(len(names))
    units, order = setting
    return (x * units)[:, order], [names[i] for i in order], setting


def independent(rng: np.random.Generator, i: int) -> tuple[np.ndarray, str]:
    """Make a table of 5 to 50 independent columns and 50 to 2,000 rows, in random units."""
    shape = int(rng.choice([50, 100, 200, 500, 1000, 2000])), int(rng.integers(5, 51))
    kind = KINDS[i % len(KINDS)]
    if kind == "uniform":
        x = rng.uniform(rng.uniform(-3, 1), rng.uniform(1, 9), shape)
    elif kind == "integer":
        x = rng.integers(0, int(rng.integers(2, 60)), shape).astype(float)
    elif kind == "heavy-tailed":
        x = rng.standard_t(1.2, shape)
    else:
        x = rng.standard_normal(shape)
        x = np.exp(x) if kind == "log-normal" else x
    return x * 10.0 ** rng.uniform(-3, 3, shape[1]), kind


def wide(rng: np.random.Generator) -> tuple[np.ndarray, dict[frozenset[str], str]]:
    """Make 2,000 rows of 500 columns, 100 of which follow from one to three of the others."""
    n, n_free, n_laws = 2_000, 400, 100
    kinds = rng.integers(0, 4, n_free)
    draw = [
        lambda: rng.uniform(1, 5, n),
        lambda: np.exp(0.7 * rng.standard_normal(n)),
        lambda: 2 * rng.standard_normal(n) + 1,
        lambda: rng.gamma(3.0, 1.0, n),
    ]
    columns = [draw[kind]() for kind in kinds]
    positive, every = np.flatnonzero(kinds != 2), np.arange(n_free)
    laws = {
        "a b": (2, every, lambda k, a, b: k * a * b),
        "a / b": (2, positive, lambda k, a, b: k * a / b),
        "k a + b": (2, every, lambda k, a, b: k * a + b),
        "a + b - 2 c": (3, every, lambda k, a, b, c: a + b - 2 * c),
        "power": (1, positive, lambda k, a: k * a ** rng.choice([2, 3, 0.5, 1.5, -1, -2])),
        "root of a² + b²": (2, every, lambda k, a, b: k * np.hypot(a, b)),
        "root of a b": (2, positive, lambda k, a, b: k * np.sqrt(a * b)),
        "a b / c": (3, positive, lambda k, a, b, c: k * a * b / c),
        "a b + k c": (3, every, lambda k, a, b, c: a * b + k * c),
        "a b c": (3, every, lambda k, a, b, c: k * a * b * c),
    }
    members = []
    for i in range(n_laws):
        kind = list(laws)[i % len(laws)]
        size, where, make = laws[kind]
        chosen = rng.choice(where, size, replace=False)
        columns.append(make(10.0 ** rng.uniform(-2, 2), *(columns[j] for j in chosen)))
        members.append((kind, [*chosen.tolist(), n_free + i]))
    x = np.column_stack(columns)
    x *= 10.0 ** rng.uniform(-3, 3, x.shape[1])
    order = rng.permutation(x.shape[1])
    place = np.argsort(order)
    return x[:, order], {
        frozenset(f"x{place[j]}" for j in chosen): kind for kind, chosen in members
    }


def surfaces(rng: np.random.Generator) -> dict[str, dict[str, np.ndarray]]:
    """Make rows of curves and surfaces on which no column is a function of the others."""
    n = 300
    s, t = rng.uniform(0, 2 * np.pi, (2, n))
    ball = rng.standard_normal((n, 3))
    ball /= np.linalg.norm(ball, axis=1, keepdims=True)
    turn = rng.uniform(-np.pi / 4, np.pi / 4, n)
    leaf = np.sqrt(2 * np.cos(2 * turn)) * rng.choice([-1, 1], n)
    wheel = 2 + 0.5 * np.cos(s)
    swing = solve_ivp(
        lambda _, y: [y[1], -9.81 * np.sin(y[0])],
        (0, 20),
        [2.0, 0.0],
        t_eval=np.linspace(0, 20, 1000),
        rtol=1e-12,
        atol=1e-12,
    ).y
    p, v, m = rng.uniform(1, 5, (3, n))
    return {
        "circle": {"x": np.cos(t), "y": np.sin(t)},
        "sphere of radius 2": dict(zip("xyz", 2 * ball.T, strict=True)),
        "ellipse": {"x": 2 * np.cos(t), "y": 3 * np.sin(t)},
        "lemniscate": {"x": leaf * np.cos(turn), "y": leaf * np.sin(turn)},
        "torus": {"x": wheel * np.cos(t), "y": wheel * np.sin(t), "z": 0.5 * np.sin(s)},
        "energy of a pendulum, simulated": {"theta": swing[0], "omega": swing[1]},
        "ideal gas": {"p": p, "V": v, "n": m, "T": p * v / (8.314 * m)},
        "Kepler's third law, 8 planets": {"a": np.array(AXES), "T": np.array(YEARS)},
    }
