"""Random tables with laws of every kind, hostile names, gaps and wrong cells, for exported laws."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

Array = np.ndarray
Columns = dict[str, Array]
N_ROWS = 240
PARTS = (
    'a "quoted" name', "it's", "two\nlines", "select", "größe €", "=1+1", '"; DROP TABLE t; --',
    "back\\slash", "{{ jinja }}", "100 %s %", "back`tick", "[x]", "$1", "a.b", "${table}", "'''",
    '"""', "#", "tab\t", "-- x", "/* x */", "%(x)s", "{0}", "lambda", "\\n", "|", "null", "net",
    "Unit price", "vat_pct", "2024", "sum(x)", "-",
)  # fmt: skip
"""Names of columns, of which half break programs that do not quote them."""
Rng = np.random.Generator


def money(x: Array, digits: int = 2) -> Array:
    """Round as a spreadsheet does: halves away from zero."""
    return np.round(x + 1e-9, digits)


def _sum(r: Rng, n: int) -> Iterator[Array]:
    a, b, c = money(r.uniform(1, 900, (3, n)))
    yield from (a, b, c, money(a + b - c))


def _product(r: Rng, n: int) -> Iterator[Array]:
    price, quantity = money(r.lognormal(3, 1, n)), r.integers(1, 40, n).astype(float)
    yield from (price, quantity, money(price * quantity))


def _ratio(r: Rng, n: int) -> Iterator[Array]:
    a, b = money(r.uniform(10, 90, (2, n)), 1)
    yield from (a, b, money(a / b, 3))


def _percentage(r: Rng, n: int) -> Iterator[Array]:
    net, rate = money(r.uniform(1, 900, n)), r.choice([7.0, 19.0, 8.1], n)
    yield from (net, rate, money(net * rate / 100))


def _power(r: Rng, n: int) -> Iterator[Array]:
    weight, height = money(r.normal(75, 14, n), 1), r.integers(150, 200, n).astype(float)
    yield from (weight, height, money(weight / (height / 100) ** 2, 1))


def _root(r: Rng, n: int) -> Iterator[Array]:
    area = money(r.uniform(1, 400, n), 1)
    yield from (area, money(np.sqrt(area), 4))


def _log(r: Rng, n: int) -> Iterator[Array]:
    price = money(r.lognormal(6, 1, n))
    yield from (price, money(np.log(price), 4))


def _maximum(r: Rng, n: int) -> Iterator[Array]:
    a, b = money(r.gamma(2, 9, (2, n)), 1)
    yield from (a, b, np.maximum(a, b))


def _minimum(r: Rng, n: int) -> Iterator[Array]:
    a, b = money(r.gamma(2, 9, (2, n)), 1)
    yield from (a, b, np.minimum(a, b))


def _threshold(r: Rng, n: int) -> Iterator[Array]:
    points = r.integers(0, 101, n).astype(float)
    yield from (points, (points >= 60).astype(float))


def _lookup(r: Rng, n: int) -> Iterator[Array]:
    labels, code = np.array(PARTS, dtype=object), r.integers(0, 9, n)
    yield from (labels[code], labels[9 + code % 4])


def _steps(r: Rng, n: int) -> Iterator[Array]:
    age = r.integers(0, 90, n).astype(float)
    names = np.array(["child", "it's", "old"], dtype=object)
    yield from (age, names[np.searchsorted([18, 65], age, side="right")])


def _slopes(r: Rng, n: int) -> Iterator[Array]:
    zone, kg = r.integers(0, 3, n), money(r.gamma(2, 9, n), 1)
    per, fixed = np.array([0.9, 1.4, 3.35])[zone], np.array([4.5, 6.0, 2.5])[zone]
    yield from (np.array([*"ABC"], dtype=object)[zone], kg, money(per * kg + fixed))


def _dates(r: Rng, n: int) -> Iterator[Array]:
    day = np.datetime64("2024-01-15") + r.integers(0, 300, n)
    yield from (day, day + 30)


def _months(r: Rng, n: int) -> Iterator[Array]:
    day = np.datetime64("2022-01-15") + r.integers(0, 900, n)
    yield from (day, day.astype("datetime64[M]").astype(int) % 12 + 1.0)


def _lag(r: Rng, n: int) -> Iterator[Array]:
    sold = r.integers(10, 99, n).astype(float)
    yield from (sold, np.concatenate([[np.nan], sold[:-1]]))


def _running(r: Rng, n: int) -> Iterator[Array]:
    sold = r.integers(10, 99, n).astype(float)
    mean = np.convolve(sold, np.ones(7))[:n] / 7
    yield from (sold, np.where(np.arange(n) < 6, np.nan, money(mean)))


def _guarded(r: Rng, n: int) -> Iterator[Array]:
    recurred, overall = r.integers(0, 2, n).astype(float), r.integers(50, 3_000, n).astype(float)
    yield from (recurred, overall, np.where(recurred, r.integers(1, 3_000, n), overall))


def _noisy(r: Rng, n: int) -> Iterator[Array]:
    a, b = r.uniform(1, 5, (2, n))
    yield from (a, b, 3 * a * b + 0.05 * r.standard_normal(n))


def _exceptions(r: Rng, n: int) -> Iterator[Array]:
    a, b = money(r.uniform(1, 900, (2, n)))
    total = money(a + b)
    total[r.choice(n, n // 50, replace=False)] += 25
    yield from (a, b, total)


def _equation(r: Rng, n: int) -> Iterator[Array]:
    angle = r.uniform(0, 2 * np.pi, n)
    yield from (np.cos(angle), np.sin(angle))


KINDS: dict[str, Callable[[Rng, int], Iterator[Array]]] = {
    "sum": _sum, "product": _product, "ratio": _ratio, "percentage": _percentage,
    "power": _power, "root": _root, "log": _log, "maximum": _maximum, "minimum": _minimum,
    "threshold": _threshold,
    "lookup": _lookup, "steps": _steps, "slopes": _slopes, "dates": _dates, "months": _months,
    "lag": _lag, "running mean": _running, "guarded": _guarded, "noisy": _noisy,
    "exceptions": _exceptions, "equation": _equation,
}  # fmt: skip
"""Kind of law → function that yields its columns; the last one is computed from the others."""


def table(seed: int, n_kinds: int = 2) -> tuple[list[str], Columns, Columns]:
    """Return kinds of laws, a table in which they hold, and another day's with wrong cells.

    Both tables have missing cells; the second has infinite cells, too.
    """
    names = [*KINDS]
    rng = np.random.default_rng(seed)
    kinds = [names[(seed + 7 * i) % len(names)] for i in range(n_kinds)]
    made = [[*itertools.chain(*(KINDS[kind](rng, N_ROWS) for kind in kinds))] for _ in range(2)]
    called = rng.permutation(np.array(PARTS, dtype=object))[: len(made[0])].tolist()
    before, after = (dict(zip(called, columns, strict=True)) for columns in made)
    for name, column in after.items():
        after[name] = _damaged(column, rng)
    for columns in (before, after):
        for name in called[-1:] if seed % 2 else ():
            columns[name] = _with_gaps(columns[name], rng)
    return kinds, before, after


def _damaged(column: Array, rng: Rng) -> Array:
    """Return a column with some cells of other rows, or ten times as large, or infinite."""
    column = column.copy()
    some = rng.choice(len(column), 4, replace=False)
    column[some] = column[rng.permutation(some)]
    if column.dtype.kind == "f":
        column[some[0]] *= 10
        column[some[1]] += 0.01
        if rng.random() < 0.3:
            column[some[2]] = rng.choice([np.inf, -np.inf])
    return column


def _with_gaps(column: Array, rng: Rng) -> Array:
    """Return a column in which each twentieth cell is missing."""
    column = column.copy()
    missing: dict[str, Any] = {"f": np.nan, "O": None, "M": np.datetime64("NaT")}
    column[rng.random(len(column)) < 0.05] = missing[column.dtype.kind]
    return column
