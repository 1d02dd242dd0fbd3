"""Random laws of every kind, and tables in which rows break them, for tests of exports."""

from __future__ import annotations

import datetime
import itertools
import sqlite3
from contextlib import closing
from fractions import Fraction
from typing import Any

import numpy as np

from gramian.explanations import Formula, Term
from gramian.laws import (
    Balance,
    Checks,
    ColumnFacts,
    ComposedDate,
    Extreme,
    Guarded,
    Key,
    LawCheck,
    Lookup,
    Slopes,
    Solution,
)
from gramian.laws.columns import UNROUNDED, Rounding
from gramian.laws.exports import law_queries
from gramian.laws.forms._law import COMPARISONS
from gramian.laws.forms._law_terms import plain_function
from gramian.models import Clock

HOSTILE = (
    'a "quoted" name', "it's", "two\nlines", "select", "größe €", "=1+1", '"; DROP TABLE t; --',
    "back\\slash", "{{ jinja }}", "{% raw %}", "{# comment #}", "100 %s %", "back`tick", "[x]",
    "$1", ":p", "?", "a.b",
    "${table}", "{batch}", "'''", '"""', "#", " ", "tab\t", "-- x", "/* x */", "\u2028", "%(x)s",
    "{0}", "lambda", "row", "law_value", "\\n", "`", "|", ": yes", "- item", "null", "\x07",
)  # fmt: skip
"""Names of columns and texts that break exports which do not quote them."""
N_ROWS = 24
KINDS = (
    "sum", "ratio", "root", "exp", "log", "function", "comparison", "lookup", "numbers", "interval",
    "part", "dates", "month", "slopes", "extreme", "day", "time", "balance", "dates apart",
    "guarded", "guarded by text",
)  # fmt: skip


class LawMaker:
    """Makes a random law of a kind, and the columns of a table in which it mostly holds."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.names = iter(self.rng.permutation(np.array(HOSTILE, dtype=object)).tolist())
        self.table: dict[str, np.ndarray] = {}
        self.facts: dict[str, ColumnFacts] = {}

    def add(self, values, kind="number") -> str:
        """Add a column with a hostile name; return the name."""
        name = next(self.names)
        self.table[name] = values
        self.facts[name] = ColumnFacts(name, kind)
        return name

    def column(self, decimals: int = 2) -> str:
        low = self.rng.choice([-9, 0.5])
        return self.add(self.rng.uniform(low, 9, N_ROWS).round(decimals))

    def texts(self, n: int = 3) -> tuple[str, list[str]]:
        labels = [str(each) for each in self.rng.choice(HOSTILE, n, replace=False)]
        return self.add(np.array(self.rng.choice(labels, N_ROWS), dtype=object), "text"), labels

    def days(self) -> tuple[str, Clock]:
        days = np.datetime64("2023-12-20") + self.rng.integers(0, 40, N_ROWS)
        return self.add(days.astype("datetime64[D]"), "date"), Clock("2023-12-01", "days")

    def times(self) -> tuple[str, Clock]:
        passed = self.rng.integers(0, 10**7, N_ROWS) * np.timedelta64(1, "s")
        times = np.datetime64("2023-12-20T10:00:00", "us") + passed
        return self.add(times.astype("datetime64[us]"), "date"), Clock("2023-12-20", "seconds")

    def law(self, kind: str):
        return getattr(self, f"_{kind.replace(' ', '_')}")()

    def _new(self) -> str:
        return next(self.names)

    def _sum(self):
        a, b = self.column(), self.column()
        terms = (Term(1.0, {a: 1}), Term(-0.19, {b: 1}), Term(3.25, {}))
        return Solution(self._new(), Formula(terms, (a, b)), ONE, rounding=Rounding(2))

    def _ratio(self):
        a, b = self.column(), self.column(0)
        return Solution(
            self._new(), Formula((Term(2.0, {a: 2}),), (a,)), Formula((Term(1.0, {b: 1}),), (b,))
        )

    def _root(self):
        a, b = self.column(), self.column()
        terms = (Term(1.5, {a: 1, b: 1}), Term(1.0, {a: 3}))
        root = [2, 3, Fraction(1, 2), Fraction(2, 3), Fraction(3, 2), -1][self.rng.integers(6)]
        negative = bool(self.rng.integers(2))
        return Solution(self._new(), Formula(terms, (a, b)), ONE, root=root, negative=negative)

    def _exp(self):
        a = self.column()
        factor = float(self.rng.choice([0.3, 200.0]))
        return Solution(self._new(), Formula((Term(factor, {a: 1}),), (a,)), ONE, exponential=True)

    def _log(self):
        a, b = self.column(), self.column()
        above, below = Formula((Term(1.0, {a: 1}),), (a,)), Formula((Term(1.0, {b: 1}),), (b,))
        return Solution(self._new(), above, below, logarithm=True)

    def _function(self):
        a, b = self.column(), self.column()
        atoms = [(("log", 1),), (("exp", -1),), (("sin", 2),), (("cos", 1), ("log", 1))]
        chosen = plain_function(atoms[self.rng.integers(4)])
        power = [-1, -2, Fraction(1, 2), Fraction(-3, 2), 5, -6][self.rng.integers(6)]
        terms = (Term(2.0, {(a,): chosen}), Term(0.5, {b: power}))
        return Solution(self._new(), Formula(terms, (a, b)), ONE)

    def _comparison(self):
        a, b = self.column(0), self.column()
        atoms = [f"{sign} 3.0" for sign in COMPARISONS]
        chosen = plain_function(((atoms[self.rng.integers(len(atoms))], 1),))
        terms = (Term(2.0, {(a,): chosen, b: 1}), Term(1.0, {b: 1}))
        return Solution(self._new(), Formula(terms, (a, b)), ONE)

    def _lookup(self):
        (a, levels), (b, others) = self.texts(), self.texts(2)
        both = list(itertools.product(levels, others))[:-1]
        values = tuple(self.rng.choice(HOSTILE, len(both)).tolist())
        return Lookup(self._new(), (Key(a), Key(b)), tuple(both), values)

    def _numbers(self):
        levels = [0.0, 1.0, 2.5, 1 / 3, -7.125, 1e-5, 123456789.125, 1e12]
        cells = self.rng.choice([*levels, 4.0, 1 / 3 + 1e-12, 1 / 3 + 1e-9, 1 + 1e-11], N_ROWS)
        values = tuple(self.rng.uniform(0, 9, len(levels)).round(2).tolist())
        return Lookup(self._new(), (Key(self.add(cells)),), tuple((x,) for x in levels), values)

    def _interval(self):
        ends = bool(self.rng.integers(2))
        key = Key(self.column(0), thresholds=(2.0, 5.0), from_below=ends)
        return Lookup(self._new(), (key,), ((0.0,), (1.0,), (2.0,)), ("low", "it's", "high"))

    def _part(self):
        a, clock = self.times()
        parts = ("year", "quarter", "month", "year and month", "day", "weekday", "date", "hour",
                 "minute", "second")  # fmt: skip
        part = parts[self.rng.integers(len(parts))]
        key = Key(a, part=part, clock=clock)
        if self.rng.integers(2):
            cells = sorted({each for each in key.cells(self.table[a]) if each is not None})
            levels = tuple((x,) for x in cells)
            return Lookup(
                self._new(), (key,), levels, tuple(float(i % 3) for i in range(len(cells)))
            )
        clock = Clock("1970-01-01", "days") if part == "date" and self.rng.integers(2) else None
        return Lookup(self._new(), (key,), ((1.0,), (2.0,)), (1.0, 2.0), clock)

    def _dates(self):
        a, levels = self.texts()
        clock = [Clock("2023-12-01", "days"), Clock("2023-12-01T01:30:00", "seconds")]
        values = tuple(float(x) for x in self.rng.integers(0, 10**5, len(levels)))
        chosen = clock[self.rng.integers(2)]
        return Lookup(self._new(), (Key(a),), tuple((x,) for x in levels), values, chosen)

    def _month(self):
        a, clock = self.days()
        levels = tuple((float(x),) for x in range(19, 50))
        values = tuple(self.rng.choice(["x", "y"], len(levels)).tolist())
        return Lookup(self._new(), (Key(a, clock=clock),), levels, values)

    def _slopes(self):
        (a, levels), b, c = self.texts(), self.column(), self.column()
        known = tuple(levels[:-1])
        rows = tuple(tuple(self.rng.uniform(-2, 2, 3).round(3).tolist()) for _ in known)
        rounding = Rounding(1, half_up=bool(self.rng.integers(2)))
        return Slopes(self._new(), Key(a), (b, c), known, rows, rounding)

    def _extreme(self):
        a, b = self.column(), self.column()
        second = (4.5, None) if self.rng.integers(2) else (0.5, b)
        added = float(self.rng.choice([0.0, -1.5]))
        rounding = [UNROUNDED, Rounding(0), Rounding(1, half_up=True)][self.rng.integers(3)]
        return Extreme(self._new(), bool(self.rng.integers(2)), ((1.0, a), second), rounding, added)

    def _day(self):
        y = self.add(self.rng.choice([2023.0, 2024.0, 1.0, 9998.0, 0.0, 2024.5], N_ROWS))
        m = self.add(self.rng.choice([1.0, 2.0, 12.0, 13.0], N_ROWS))
        d = self.add(self.rng.choice([1.0, 28.0, 29.0, 31.0], N_ROWS))
        return ComposedDate(self._new(), "days", (y, m, d))

    def _time(self):
        parts = [self.add(self.rng.integers(0, n, N_ROWS).astype(float)) for n in (14, 25, 61)]
        return ComposedDate(self._new(), "seconds", (2024, parts[0], 28, parts[1], parts[2], 5))

    def _dates_apart(self):
        a, clock = self.days()
        b = self.column(0)
        made = self._new()
        formula = Formula((Term(1.0, {a: 1}), Term(1.0, {b: 1})), (a, b))
        return Solution(made, formula, ONE, clocks={a: clock, made: clock})

    def _guarded(self):
        guard = self.add(self.rng.choice([0.0, 1.0, 2.5], N_ROWS))
        return Guarded(guard, float(self.rng.choice([0.0, 2.5])), self._ratio())

    def _guarded_by_text(self):
        guard, labels = self.texts()
        return Guarded(guard, labels[0], self._sum())

    def _balance(self):
        a = self.column()
        b, c = self.add(self.table[a] * 2), self.column()
        terms = (Term(2.0, {a: 1, c: 1}), Term(-1.0, {b: 1, c: 1}), Term(1.0, {a: Fraction(1, 2)}),
                 Term(-1.0, {a: Fraction(1, 2)}))  # fmt: skip
        return Balance(terms if self.rng.integers(2) else terms[:2])


ONE = Formula((Term(1.0, {}),), ())


def random_case(seed: int, kinds=KINDS, n_laws: int = 2) -> tuple[Checks, dict[str, np.ndarray]]:
    """Return random laws and a table with wrong, missing and infinite cells."""
    maker = LawMaker(seed)
    rng = maker.rng
    checks = []
    for i in range(n_laws):
        kind = kinds[(seed + 7 * i) % len(kinds)]
        law = maker.law(kind)
        with np.errstate(all="ignore"):
            made = law(maker.table)
        exact = made.dtype.kind in "OM"
        tolerance, relative = rng.choice([0.0, 0.005, 0.3]), rng.choice([0.0, 1e-12, 1e-2])
        if kind in ("exp", "log", "root", "function"):
            relative = max(relative, 1e-12)  # libraries compute them with other last digits
        if isinstance(law, Balance):
            tolerance, relative = 0.0, 1e-9
        else:
            add_result(maker, law, made)
            if exact:
                tolerance = relative = 0.0
        text = f"law {i} of {law.columns[0]}"
        checks.append(LawCheck(law, text, float(tolerance), float(relative)))
    for name, column in maker.table.items():
        damage(rng, column, maker.facts[name].type)
    order = {name: maker.table[name] for name in sorted(maker.table)}
    return Checks(tuple(checks), tuple(maker.facts[n] for n in order), N_ROWS), order


def many_levels():
    """Yield lookups with more levels than are compared one after the other, and their tables."""
    rng = np.random.default_rng(0)
    texts = [f"{name}{i}" for name in HOSTILE for i in range(4)]
    numbers = rng.uniform(-9, 9, 150).round(3).tolist() + [float(i) for i in range(20)]
    numbers += [1 / 3, 1e-7 / 3]
    for kinds in (("text",), ("number",), ("text", "number"), ("number", "text")):
        columns, known = {}, []
        for i, kind in enumerate(kinds):
            levels = texts if kind == "text" else numbers
            chosen = rng.choice(len(levels), 60, replace=False)
            known.append([levels[j] for j in chosen])
            cells = [known[i][j] for j in rng.integers(0, 60, 300)]
            noise = rng.choice([0.0, 1e-13, -1e-12, 1e-9], 300)
            columns[f"key {i}"] = (
                np.array(cells, dtype=object) if kind == "text" else np.array(cells) * (1 + noise)
            )
        some = list(itertools.product(*known))
        keep = rng.permutation(len(some))[: 2000 if len(kinds) > 1 else 55]
        levels = tuple(some[j] for j in keep)
        law = Lookup("made", tuple(map(Key, columns)), levels, tuple(float(j % 5) for j in keep))
        made = law(columns)
        columns["made"] = np.where(np.isnan(made), 1.0, made) + rng.choice([0, 0, 0, 1], 300)
        facts = [ColumnFacts(f"key {i}", kind) for i, kind in enumerate(kinds)]
        yield Checks((LawCheck(law, "made"),), (*facts, ColumnFacts("made", "number"))), columns


def add_result(maker: LawMaker, law, made) -> None:
    """Add the column of a law; some cells differ by little or by much."""
    rng, name = maker.rng, law.column
    kind = {"O": "text", "M": "date"}.get(made.dtype.kind, "number")
    made = np.array(np.broadcast_to(made, N_ROWS))
    if name in getattr(law, "clocks", {}):
        made, kind = law.clocks[name].dates(made), "date"
    if kind == "number":
        made = np.where(np.isnan(made), 1.0, made) + rng.choice([0, 0, 0.004, 0.006, 1], N_ROWS)
    elif kind == "date":
        made[np.isnat(made)] = np.datetime64("2024-02-03")
        made = made + np.where(
            rng.random(N_ROWS) < 0.2, made.dtype.type(1, "D") - made.dtype.type(0, "D"), 0
        )
    else:
        made = np.array(
            [("other" if x is None or rng.random() < 0.2 else x) for x in made], dtype=object
        )
    maker.table[name], maker.facts[name] = made, ColumnFacts(name, kind)


def damage(rng, column, kind) -> None:
    """Remove some cells of a column, and make some infinite, in place."""
    some = rng.random(len(column)) < 0.08
    column[some] = {"number": np.nan, "text": None, "date": np.datetime64("NaT", "D")}[kind]
    if kind == "number" and rng.random() < 0.5:
        column[rng.random(len(column)) < 0.06] = rng.choice([np.inf, -np.inf])


def broken_rows(checks: Checks, table) -> list[set[int]]:
    """Return the rows that break each law, as `Checks.check` finds them."""
    return [{*each.rows.tolist()} for each in checks.check(table).laws]


def plain_rows(table) -> list[dict]:
    """Return a table as dictionaries of numbers, texts and dates; None is missing."""
    columns = {name: plain_cells(column) for name, column in table.items()}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def plain_cells(column) -> list:
    """Return a column as a list; None is missing."""
    found = (
        column.astype("datetime64[us]").tolist() if column.dtype.kind == "M" else column.tolist()
    )
    return [None if each is None or each != each else each for each in found]


def text_date(cell):
    """Return a date as SQLite has it: a text."""
    if not isinstance(cell, datetime.date):
        return cell
    return str(cell)


def module_of(source: str) -> dict[str, Any]:
    """Return the names that a module defines."""
    names: dict[str, Any] = {"__name__": "exported"}
    exec(compile(source, "exported.py", "exec"), names)
    return names


def sqlite_table(con, name: str, table) -> None:
    """Make a table in SQLite; dates are texts."""
    columns = {key: plain_cells(np.asarray(table[key])) for key in table}
    quoted = ", ".join('"' + key.replace('"', '""') + '"' for key in columns)
    con.execute(f'CREATE TABLE "{name}" ({quoted})')
    rows = [tuple(map(text_date, row)) for row in zip(*columns.values(), strict=True)]
    con.executemany(f'INSERT INTO "{name}" VALUES ({", ".join("?" * len(columns))})', rows)


def sqlite_rows(checks: Checks, table) -> list[set[int]]:
    """Return the rows that break each law in SQLite."""
    n_rows = len(next(iter(table.values())))
    queries = law_queries(checks.laws, checks.facts, "sqlite", "a table")
    assert all(each.sql is not None for each in queries), [each.reason for each in queries]
    with closing(sqlite3.connect(":memory:")) as con:
        sqlite_table(con, "a table", {"row number": np.arange(n_rows), **table})
        return [{row[0] for row in con.execute(each.sql)} for each in queries]
