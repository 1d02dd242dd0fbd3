"""Redundant columns that are found in any units and order.

``python benchmarks/order_free.py`` writes docs/order_free.md and its figures in JSON: tables with
planted redundancies, the Feynman equations, independent columns, five real tables in other units
and orders, and the cost. Peers that are not installed are left out. ``--tables`` and ``--variants``
set the number of tables of each kind.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from jobs import peak_megabytes
from order_free_tables import (
    UNITS,
    Array,
    equations,
    feynman,
    is_angle,
    names_of,
    planted,
    real_tables,
    wide,
)

from gramian import GFA
from gramian._support.blas import n_threads
from gramian.core.elimination import Preferences, Selection, collect, eliminate, lay_out, select
from gramian.core.elimination._remaining import Remaining
from gramian.core.rows import RowBlock, centre
from gramian.exceptions import OverfittingWarning
from gramian.families import Family, Legendre, Polynomial

Method = Callable[[Array], set[int]]
THRESHOLD = 1e-3
PACKAGES = ("gramian", "numpy", "scipy", "scikit-learn", "feature-engine")

PAGE = """\
<!-- Made by benchmarks/order_free.py; not edited. -->

# Redundancy in any units and order

Measurements of `GFA(backward=True)`. A column is redundant if functions of the kept columns explain
at least 99.9 % of its variance on rows left out of the fit (R² ≥ 0.999). Columns are in random
units (10 to a power between -3 and 3) and in random order; the derived columns are not marked.

## Planted redundancies

A derived column is a product of two independent columns plus a multiple of one of them, with noise.
The numbers count the tables in which exactly the derived columns are dropped.

{planted}

## The Feynman equations

A table has the inputs of an equation, uniform in their ranges, and its output: 2,000 rows. The
numbers count the tables in which exactly one column is dropped; *confirmed* counts those in which
2,000 new rows agree that this column follows from the others. *With 20,000 rows* counts the tables
in which polynomials of this degree can explain a column to R² ≥ 0.999. *With laws* (`laws=True`) a
column may also follow by an exact law that is not a polynomial, such as a ratio or a root.

{feynman}

Plain backward elimination, which decides by the rows of the fit, finds 42 and about 62 tables at
degree 3 and 4. The difference is due to columns like ω = g·q·B/(2·m), of which polynomials of
degree 4 leave 0.093 % on the 2,000 rows of the fit, and 0.11 % on new rows: such a column does not
follow to 99.9 %, and is kept. Three columns that are as close were dropped, and new rows do not
confirm them. A penalty does not help, since functions are missing, not rows. At degree 3 one table
is missed (I.9.18): its output has heavy tails, so that the leave-one-out estimate of the residual,
0.11 %, is larger than the true residual, 0.08 %.

## Independent columns

{independent}

## Other units, other orders, other names

{invariance}

## Cost

{cost}

*Of these for pruning* is the time of the elimination after the sums over rows. The matrix of 20,300
functions takes 3.3 GB (`--large`).

- Order-free selection starts from all functions of all columns, polynomials of degree 2 unless said
  otherwise. *GFA as published* goes through columns in the order of their variance and never
  revises a choice. The *correlation filter* drops every column whose correlation with an earlier
  column is above 0.9995, that is R² ≥ 0.999. *SmartCorrelatedSelection* is feature-engine's filter
  with this limit; it keeps the column of largest variance of each group.
- Measured {date} with {versions}, {threads} thread(s), in seconds of processor time.
"""


def order_free(X: Array, family: Family | None = None, **options: Any) -> Selection:
    """Return the order-free selection of columns."""
    rows, centring = centre(X, None, "column")
    varies = np.flatnonzero(centring.varies).tolist()
    return select(rows, family or Polynomial(2), varies=varies, threshold=THRESHOLD, **options)


def published(X: Array, degree: int = 2) -> set[int]:
    """Return the columns that the published GFA finds redundant."""
    model = GFA(
        threshold=THRESHOLD,
        relative=True,
        backward=False,
        alpha=0,
        family="polynomial",
        degree=degree,
    )
    return set(model.fit(X).redundant_features_.tolist())


def standardized(X: Array, degree: int = 2) -> set[int]:
    """Return the columns that the published GFA finds redundant after standardization."""
    return published((X - X.mean(axis=0)) / X.std(axis=0), degree)


def correlation_filter(X: Array) -> set[int]:
    """Return the columns that correlate with an earlier column above the limit."""
    correlation = np.abs(np.corrcoef(X.T))
    above = np.triu(correlation, 1) ** 2 >= 1 - THRESHOLD
    return set(np.flatnonzero(above.any(axis=0)).tolist())


def smart_correlated(X: Array) -> set[int]:
    """Return the columns that feature-engine's SmartCorrelatedSelection drops."""
    import pandas as pd
    from feature_engine.selection import SmartCorrelatedSelection

    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])])
    limit = float(np.sqrt(1 - THRESHOLD))
    model = SmartCorrelatedSelection(threshold=limit, selection_method="variance").fit(frame)
    return {int(name[1:]) for name in model.features_to_drop_}


METHODS: dict[str, Method] = {
    "**order-free**": lambda X: set(order_free(X).dropped),
    "GFA as published": published,
    "the same on standardized columns": standardized,
    "correlation filter": correlation_filter,
}
if find_spec("feature_engine") is not None:
    METHODS["SmartCorrelatedSelection"] = smart_correlated


PLANTED = {
    "6 + 4 columns, 1,000 rows, noise 0.1 %": (6, 4, 1000, 1e-3),
    "6 + 4 columns, 1,000 rows, noise 1 %": (6, 4, 1000, 1e-2),
}
WIDE = {"20 + 20 columns, 5,000 rows, noise 0.1 %": (20, 20, 5000, 1e-3)}


def measure_planted(
    n_tables: int, shapes: dict[str, tuple[int, int, int, float]]
) -> list[dict[str, Any]]:
    """Count the tables in which exactly the derived columns are dropped."""
    results = []
    for name, shape in shapes.items():
        row: dict[str, Any] = {"tables": name, "of": n_tables}
        data = [planted(seed, *shape) for seed in range(n_tables)]
        for method, run in METHODS.items():
            row[method] = sum(run(X) == derived for X, derived in data)
        results.append(row)
        say(row)
    return results


def measure_feynman(path: Path, n_tables: int) -> list[dict[str, Any]]:
    """Count the tables in which one column is dropped, and follows from the others."""
    results = []
    for degree in (2, 3, 4):
        row: dict[str, Any] = {"degree": degree, "of": 0, "**order-free**": 0, "confirmed": 0}
        row |= {"more than one dropped": 0, "with 20,000 rows": 0}
        row |= {"GFA as published": 0}
        if degree == 2:
            row["order-free, with laws"] = 0
        for number, equation in enumerate(equations(path)):
            if number >= n_tables:
                break
            rng = np.random.default_rng(number)
            names = names_of(equation)
            units = 10 ** rng.uniform(-UNITS, UNITS, len(names))
            units[[is_angle(equation, name) for name in names]] = 1.0
            order = rng.permutation(len(names))
            X = (feynman(equation, rng, 2000) * units)[:, order]
            new = (feynman(equation, rng, 2000) * units)[:, order]
            found = order_free(X, Legendre(degree))
            row["of"] += 1
            row["**order-free**"] += len(found.dropped) == 1
            row["more than one dropped"] += len(found.dropped) > 1
            if len(found.dropped) == 1:
                row["confirmed"] += confirmed(X, new, found, Legendre(degree))
            row["with 20,000 rows"] += attainable(feynman(equation, rng, 20_000), degree)
            if degree == 2:  # with laws, a higher degree adds little
                row["order-free, with laws"] += found_with_laws(X, new, degree)
            row["GFA as published"] += len(published(X, degree)) == 1
        results.append(row)
        say(row)
    return results


def confirmed(X: Array, new: Array, found: Selection, family: Family) -> bool:
    """Return True if the dropped column follows from the others on new rows."""
    (target,) = found.dropped
    rows, centring = centre(X, None, "column")
    layout = lay_out(rows, family, found.kept)
    block = RowBlock(rows.x, rows.root)
    other = centring.apply(new, None)
    functions = layout.evaluate(block, layout.n_functions)
    scale = np.linalg.norm(functions, axis=1, keepdims=True)
    fit = np.linalg.lstsq((functions / scale).T, rows.x[:, target], rcond=1e-10)[0]
    y = other.x[:, target]
    left = y - (layout.evaluate(other, layout.n_functions) / scale).T @ fit
    return bool(left @ left <= THRESHOLD * (y @ y))


def attainable(X: Array, degree: int) -> bool:
    """Return True if functions of the others explain some column, judged by many rows."""
    rows, _ = centre(X, None, "column")
    layout = lay_out(rows, Legendre(degree), range(X.shape[1]))
    inflation = (len(X) / (len(X) - layout.n_functions - 1)) ** 2
    remaining = Remaining(collect(rows, layout))
    return min(map(remaining.share, range(X.shape[1]))) * inflation <= THRESHOLD


def found_with_laws(X: Array, new: Array, degree: int) -> bool:
    """Return True if laws or functions drop one column, and new rows confirm it."""
    model = GFA(threshold=THRESHOLD, laws=True, family="legendre", degree=degree).fit(X)
    if len(model.redundant_features_) != 1:
        return False
    (target,) = model.redundant_features_
    y = new[:, target]
    left = y - model.inverse_transform(model.transform(new))[:, target]
    return bool(left @ left <= THRESHOLD * len(y) * np.var(y))


def measure_independent(n_tables: int) -> list[dict[str, Any]]:
    """Count columns dropped from tables of independent columns."""
    draws: dict[str, Callable[[np.random.Generator, tuple[int, int]], Array]] = {
        "uniform": lambda rng, shape: rng.uniform(1, 2, shape),
        "normal": lambda rng, shape: rng.standard_normal(shape),
        "log-normal": lambda rng, shape: rng.lognormal(size=shape),
        "integers 0 to 4": lambda rng, shape: rng.integers(0, 5, shape).astype(float),
    }
    results = []
    for name, draw in draws.items():
        dropped = 0
        for seed in range(n_tables // len(draws)):
            rng = np.random.default_rng(seed)
            shape = (int(rng.integers(50, 1000)), int(rng.integers(3, 30)))
            dropped += len(order_free(draw(rng, shape)).dropped)
        results.append({"columns": name, "tables": n_tables // len(draws), "dropped": dropped})
        say(results[-1])
    X = np.random.default_rng(0).standard_normal((1000, 124))
    results.append(
        {
            "columns": "124 normal ones, 1,000 rows",
            "tables": 1,
            "dropped": len(order_free(X).dropped),
        }
    )
    say(results[-1])
    return results


def measure_invariance(n_variants: int) -> list[dict[str, Any]]:
    """Count how often other units, orders and names change the kept set."""
    results = []
    for table, (names, X) in real_tables().items():
        reference = {names[j] for j in order_free(X).kept}
        rng = np.random.default_rng(0)
        others = 0
        for _ in range(n_variants):
            order = rng.permutation(len(names))
            scale = 10 ** rng.uniform(-UNITS, UNITS, len(names))
            Y = X[:, order] * scale + rng.uniform(-1, 1, len(names)) * scale * X[:, order].std(
                axis=0
            )
            ranks = rng.permutation(len(names)).tolist()  # what other names would decide by
            found = order_free(Y, preferences=Preferences(order=ranks))
            others += {names[order[j]] for j in found.kept} != reference
        results.append(
            {"table": table, "kept": f"{len(reference)} of {len(names)}", "variants": n_variants}
        )
        results[-1]["other sets"] = others
        say(results[-1])
    return results


def measure_cost(shapes: list[tuple[int, int, int]]) -> list[dict[str, Any]]:
    """Measure time and memory, with the smallest table first."""
    results = []
    for n_independent, n_derived, n_rows in shapes:
        X, derived = wide(0, n_independent, n_derived, n_rows)
        start, clock = time.process_time(), time.perf_counter()
        found = order_free(X)
        seconds, clock = time.process_time() - start, time.perf_counter() - clock
        row: dict[str, Any] = {
            "columns": f"{n_independent} + {n_derived}",
            "rows": n_rows,
            "functions": found.n_functions,
            "found": len(set(found.dropped) & derived),
            "others": len(set(found.dropped) - derived),
            "seconds": round(seconds, 1),
            "by the clock": round(clock, 1),
            "threads": n_threads(),
            "GB": round(peak_megabytes() * 2**20 / 1e9, 2),
        }
        if not n_derived:
            row["of these for pruning"] = round(pruning(X), 1)
            start = time.process_time()
            forward = GFA(threshold=THRESHOLD, relative=True, backward=False, alpha=0)
            forward.set_params(family="polynomial", solver="gram").fit(X)
            row["GFA as published, seconds"] = round(time.process_time() - start, 1)
        results.append(row)
        say(row)
    return results


def pruning(X: Array) -> float:
    """Return the seconds of the elimination after the sums over rows."""
    rows, _ = centre(X, None, "column")
    sums = collect(rows, lay_out(rows, Polynomial(2), range(X.shape[1])))
    start = time.process_time()
    eliminate(sums, THRESHOLD)
    return time.process_time() - start


def say(row: dict[str, Any]) -> None:
    print("  " + ", ".join(f"{key}: {value}" for key, value in row.items()), file=sys.stderr)


def table(rows: list[dict[str, Any]]) -> str:
    """Return a Markdown table."""
    keys = list(dict.fromkeys(key for row in rows for key in row))
    lines = ["| " + " | ".join(keys) + " |", "|---|" + "--:|" * (len(keys) - 1)]
    lines += ["| " + " | ".join(str(row.get(key, "")) for key in keys) + " |" for row in rows]
    return "\n".join(lines)


def page(content: dict[str, Any]) -> str:
    """Return the page."""
    parts = ("planted", "feynman", "independent", "invariance", "cost")
    content = {**content, "planted": content.get("planted", []) + content.get("planted, wide", [])}
    return PAGE.format(
        **{part: table(content[part]) if content.get(part) else "Not measured." for part in parts},
        date=content["date"],
        versions=", ".join(f"{name} {number}" for name, number in content["versions"].items()),
        threads=content["threads"],
    )


def versions() -> dict[str, str]:
    """Return the versions of the installed packages."""
    found = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=Path("docs/order_free.json"))
    parser.add_argument("--feynman", type=Path, help="the file equations.csv")
    parser.add_argument("--tables", type=int, default=100, help="planted and other tables")
    parser.add_argument("--variants", type=int, default=1000, help="of each real table")
    parser.add_argument("--only", nargs="+", help="parts to measure again; other parts are kept")
    parser.add_argument(
        "--large", action="store_true", help="also measure the table of 200 columns"
    )
    parser.add_argument("--page", action="store_true", help="only write the page again")
    options = parser.parse_args()
    path: Path = options.output
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    shapes = [(60, 0, 5000), (20, 20, 5000), (50, 50, 12_500), (70, 70, 25_000)]
    if options.large:
        shapes.append((100, 100, 50_000))
    parts: dict[str, Callable[[], list[dict[str, Any]]]] = {
        "planted": lambda: measure_planted(options.tables, PLANTED),
        "planted, wide": lambda: measure_planted(options.tables, WIDE),
        "independent": lambda: measure_independent(options.tables),
        "invariance": lambda: measure_invariance(options.variants),
        "cost": lambda: measure_cost(shapes),
    }
    if options.feynman is not None:
        parts["feynman"] = lambda: measure_feynman(options.feynman, options.tables)
    if not options.page:
        warnings.simplefilter("ignore", OverfittingWarning)  # the published GFA saturates
        content |= {"date": time.strftime("%Y-%m-%d"), "versions": versions()}
        content["threads"] = n_threads()
        for part, measure in parts.items():
            if options.only is None or part in options.only:
                content[part] = measure()
                path.write_text(
                    json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
                )
    path.with_suffix(".md").write_text(page(content), encoding="utf-8")


if __name__ == "__main__":
    main()
