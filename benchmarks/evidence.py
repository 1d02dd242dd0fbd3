"""Laws of tables with wrong cells and of dependent rows: what is found, and what is claimed.

``python benchmarks/evidence.py [EQUATIONS.csv]`` writes docs/evidence.md and its figures in JSON.
Without the equations, the part with Feynman's equations stays as it was. Times are those of the
processor, of one thread.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import time
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import everyday_checks
import everyday_tables as everyday
import exported_tables
import numpy as np
import order_free_tables as planted_tables
import pandas as pd
import relations_tables

import gramian
from gramian.exceptions import TrimmedRowsWarning
from gramian.laws import ColumnLaw

DAMAGES = (0.0, 0.01, 0.05, 0.1)
HOLDS = 0.985
"""Share of clean rows that a true law gives; rounding twice costs a few last digits."""
EXACT = 1e-9
DOCS = Path(__file__).parents[1] / "docs"
HEAD = """\
<!-- Made by benchmarks/evidence.py; not edited. -->

# Wrong cells and dependent rows, measured

Six kinds of everyday tables ({n_rows:,} rows, 15 to 21 columns, printed to cents or tenths: sales,
pay, patients, energy, players, households), with {n_laws} planted laws in all, such as
`net = unit_price · quantity · (1 - discount_pct / 100)`. A share of the cells of each computed
column is wrong: the value of another row, ten times the value, the other sign, or off by 1, 10 or
100. A planted law counts as found if the laws give its column from the columns that it was computed
from. A claim is false if it does not give its column in the table without wrong cells. Settings
were chosen on other seeds of these kinds, and on tables of other kinds.

| wrong cells | laws found | false claims | wrong rows pointed at | right flags | median time |
|---|---|---|---|---|---|
{damages}

Not found: {missed}. False: {false}.
"""
FEYNMAN = """
## Feynman's equations

The 100 equations of the [page on laws](relations.md), with wrong cells in the output.

| wrong cells | exact laws | median time |
|---|---|---|
{equations}
"""
CHECKS = """
## Checks of another day

The laws of a table without wrong cells are tested on another table of the same kind
(`Relations.check`). Of {n_clean} tables without wrong cells, {n_quiet} have no row that breaks a
law. With wrong cells:

| wrong cells | wrong rows found | right flags | column named | of these right | if determined |
|---|---|---|---|---|---|
{damages}

In the other rows the laws leave two or more columns as likely. The last column is the share of
determined rows in which the right column is named: one cell is wrong, and no value of another
column makes the row obey all laws; {n_determined:,} of {n_tried:,} rows are determined.
{n_rows:,} rows and {n_columns} columns are checked against {n_laws} laws in {seconds:.1f} s;
{n_broken:,} rows break one.
"""
EXPORTED = """
## Exported laws

The laws of {n_tables} random tables of {n_kinds} kinds of laws, with names that are hard to quote,
missing, infinite and wrong cells, are tested on other tables in each program.

| program | laws tested | rows named | laws left out | tables in which `check` names other rows |
|---|---|---|---|---|
{programs}

Left out are laws that compute from earlier rows, such as running means: these programs test each
row alone.
"""
OTHERS = """
## Redundant columns

{n_sets} tables of six independent and four derived columns in random units, 500 rows, with 1 % of
the cells of the derived columns wrong. `GFA(exceptions=0.05)` keeps six columns in {with_laws}
tables, and in {functions} tables without laws.

## Dependent rows

Tables of independent columns: attributes of regions joined to persons, visits of patients, each row
twenty times, random walks, growth, trends, smooth sensors. None has a law. Laws claimed in
{n_tables} tables: {n_claimed}. Columns dropped by `GFA()`: {n_dropped}.
"""


def solutions(law: Any) -> list[ColumnLaw]:
    """Return a law solved for each column that it gives."""
    found = []
    for name in law.columns:
        try:
            found.append(law.solve_for(name))
        except ValueError:
            continue
    return found


def given(law: ColumnLaw, frame: pd.DataFrame) -> np.ndarray:
    """Return a mask of the rows in which a law gives its column, up to one last digit."""
    cells = frame[law.column]
    if cells.dtype.kind not in "fiub":
        return np.asarray(law(frame), dtype=object) == cells.to_numpy(object)
    x, made = cells.to_numpy(float), np.asarray(law(frame), dtype=float)
    decimals = next(d for d in range(8) if np.allclose(np.round(x, d), x, atol=1e-9, rtol=0))
    unit = 10.0**-decimals
    return np.abs(np.round(made, decimals) - x) <= 1.01 * unit + 1e-9 * np.abs(x)


def closure(columns: Iterable[str], laws: list[ColumnLaw]) -> set[str]:
    """Return the columns that laws give from some columns, directly or in turn."""
    known, before = {*columns}, 0
    while len(known) > before:
        before = len(known)
        known |= {law.column for law in laws if known.issuperset(law.columns)}
    return known


def everyday_table(kind: str, seed: int, damage: float) -> dict[str, Any]:
    """Search one table, and compare the laws with those that were planted."""
    made = everyday.table(kind, seed, damage)
    start = time.process_time()
    found = gramian.relations(made.frame)
    seconds = time.process_time() - start
    true, false, flagged = [], [], set[int]()
    for law in found:
        solved = solutions(law)
        if max((given(each, made.clean).mean() for each in solved), default=0.0) < HOLDS:
            false.append(str(law))
        else:
            true += solved
        if law.n_exceptions and solved:
            own = next((each for each in solved if each.column == law.gives), solved[-1])
            flagged |= {*np.flatnonzero(~given(own, made.frame)).tolist()}
    wrong = {i for i, _ in made.wrong}
    missed = [name for name, causes in made.planted if name not in closure(causes, true)]
    return {
        "kind": kind,
        "damage": damage,
        "n_planted": len(made.planted),
        "missed": missed,
        "n_claims": len(found),
        "false": false,
        "n_wrong": len(wrong),
        "n_flagged": len(flagged),
        "n_right": len(flagged & wrong),
        "seconds": seconds,
    }


def damaged(y: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """Return a column in which some cells are those of other rows, or have other sizes or signs."""
    y = y.copy()
    wrong = rng.choice(len(y), int(share * len(y)), replace=False)
    how = rng.integers(0, 4, len(wrong))
    other, more = rng.permutation(y)[wrong], y.std() * rng.standard_normal(len(wrong))
    y[wrong] = np.select(
        [how == 0, how == 1, how == 2], [other, 10 * y[wrong], -y[wrong]], y[wrong] + more
    )
    return y


def feynman(path: Path, share: float) -> dict[str, Any]:
    """Count Feynman's equations that are found exactly with a share of wrong output cells."""
    right, seconds = [], []
    with path.open(encoding="utf-8") as file:
        rows = [*csv.DictReader(file)]
    for k, row in enumerate(rows):
        rng = np.random.default_rng(90_000 + k)
        x, names, setting = relations_tables.equation(row, 2_000, rng)
        new, _, _ = relations_tables.equation(row, 1_000, rng, setting)
        place = names.index(row["output"])
        if share:
            x[:, place] = damaged(x[:, place], share, rng)
        start = time.process_time()
        found = [*gramian.relations(x, names)]
        seconds.append(time.process_time() - start)
        ties_all = len(found) == 1 and {*found[0].columns} == {*names}
        if ties_all and float(np.sqrt(np.mean(found[0].imbalance(new) ** 2))) < EXACT:
            right.append(row["name"])
    return {
        "share": share,
        "right": len(right),
        "of": len(rows),
        "seconds": float(np.median(seconds)),
    }


def planted(seed: int) -> dict[str, Any]:
    """Fit GFA to a table with six independent and four derived columns, 1 % of these wrong."""
    X, derived = planted_tables.planted(seed, 6, 4, 500, 0.0)
    rng = np.random.default_rng(seed)
    for j in derived:
        X[:, j] = damaged(X[:, j], 0.01, rng)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrimmedRowsWarning)
        sizes = [
            int(gramian.GFA(exceptions=0.05, laws=laws).fit(X).support_.sum())
            for laws in (True, False)
        ]
    return {"with laws": sizes[0] == 6, "functions only": sizes[1] == 6}


def dependent(seed: int) -> list[dict[str, Any]]:
    """Search tables of dependent rows for laws and redundant columns."""
    found = []
    for kind, frame in everyday.dependent_rows(seed).items():
        laws = [str(each) for each in gramian.relations(frame)]
        dropped = int((~gramian.GFA().fit(frame).support_).sum())
        found.append({"kind": kind, "seed": seed, "laws": laws, "dropped": dropped})
    return found


def page(content: dict[str, Any]) -> str:
    """Write the page from the measured numbers."""
    tables = content["everyday"]
    text = HEAD.format(
        n_rows=everyday.N_ROWS,
        n_laws=sum(each["n_planted"] for each in tables if each["damage"] == 0),
        damages="\n".join(_damage_row(tables, damage) for damage in DAMAGES),
        missed=_listed(tables, "missed"),
        false=_listed(tables, "false"),
    )
    if content.get("feynman"):
        rows = [
            f"| {100 * each['share']:g} % | {each['right']} of {each['of']} "
            f"| {each['seconds']:.2f} s |"
            for each in content["feynman"]
        ]
        text += FEYNMAN.format(equations="\n".join(rows))
    if content.get("checks"):
        text += _checks(content["checks"], content["large"])
    if content.get("exported"):
        text += _exported(content["exported"])
    sets, others = content["planted"], content["dependent"]
    return text + OTHERS.format(
        n_sets=len(sets),
        with_laws=sum(each["with laws"] for each in sets),
        functions=sum(each["functions only"] for each in sets),
        n_tables=len(others),
        n_claimed=sum(len(each["laws"]) for each in others),
        n_dropped=sum(each["dropped"] for each in others),
    )


def _damage_row(tables: list[dict[str, Any]], damage: float) -> str:
    """Return the row of the table for one share of wrong cells."""
    own = [each for each in tables if each["damage"] == damage]
    keys = ("n_planted", "n_claims", "n_wrong", "n_flagged", "n_right")
    total = {key: sum(each[key] for each in own) for key in keys}
    n_missed, n_false = (sum(len(each[key]) for each in own) for key in ("missed", "false"))
    cells = [
        f"{100 * damage:g} %",
        f"{100 * (1 - n_missed / total['n_planted']):.0f} %",
        f"{n_false} of {total['n_claims']}",
        f"{100 * total['n_right'] / total['n_wrong']:.0f} %" if damage else "",
        f"{100 * total['n_right'] / total['n_flagged']:.1f} %" if damage else "",
        f"{np.median([each['seconds'] for each in own]):.1f} s",
    ]
    return "| " + " | ".join(cells) + " |"


def _checks(tables: list[dict[str, Any]], large: dict[str, Any]) -> str:
    """Return the section about checks of other tables."""
    rows = []
    for damage in DAMAGES[1:]:
        own = [each for each in tables if each["damage"] == damage]
        total = {key: sum(each[key] for each in own) for key in own[0] if key.startswith("n_")}
        shares = (
            total["n_right"] / total["n_wrong"],
            total["n_right"] / total["n_flagged"],
            total["n_named"] / total["n_flagged"],
            total["n_named_right"] / total["n_named"],
            total["n_determined_right"] / total["n_determined"],
        )
        cells = [f"{100 * damage:g} %", *(f"{100 * each:.1f} %" for each in shares)]
        rows.append("| " + " | ".join(cells) + " |")
    clean = [each for each in tables if not each["damage"]]
    quiet = sum(each["ok"] for each in clean)
    return CHECKS.format(
        n_clean=len(clean),
        n_quiet=quiet,
        damages="\n".join(rows),
        n_tried=sum(each["n_tried"] for each in tables),
        n_determined=sum(each["n_determined"] for each in tables),
        **large,
    )


def _exported(found: dict[str, Any]) -> str:
    """Return the section about exported laws."""
    rows = [
        f"| {name} | {own['n_laws']} | {own['n_rows']:,} | {sum(own['left out'].values())} "
        f"| {len(own['tables that differ'])} |"
        for name, own in found["programs"].items()
    ]
    n_kinds = len(exported_tables.KINDS)
    return EXPORTED.format(n_tables=found["n_tables"], n_kinds=n_kinds, programs="\n".join(rows))


def _listed(tables: list[dict[str, Any]], key: str) -> str:
    """Return the columns or laws of a list, with their tables, as text."""
    found = [
        f"`{name}` ({each['kind']}, {100 * each['damage']:g} %)"
        for each in tables
        for name in each[key]
    ]
    return ", ".join(found) or "none"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("equations", nargs="?", type=Path)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--parts", default="everyday,checks,large,planted,dependent")
    arguments = parser.parse_args()
    path, first = DOCS / "evidence.json", 100
    content: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    parts = arguments.parts.split(",")
    if "everyday" in parts:
        content["everyday"] = [
            everyday_table(kind, first + seed, damage)
            for damage in DAMAGES
            for kind in everyday.KINDS
            for seed in range(arguments.seeds)
        ]
    if "checks" in parts:
        # Tables without wrong cells are many: a false alarm should be rare.
        seeds = {damage: arguments.seeds if damage else 18 * arguments.seeds for damage in DAMAGES}
        content["checks"] = [
            everyday_checks.checked(kind, first + seed, damage)
            for damage in DAMAGES
            for kind in everyday.KINDS
            for seed in range(seeds[damage])
        ]
    if "large" in parts:
        content["large"] = everyday_checks.large()
    if "exported" in parts:
        import exported_checks  # which needs the extra "exports"

        content["exported"] = exported_checks.measured(100 * arguments.seeds)
    if "planted" in parts:
        content["planted"] = [planted(first + seed) for seed in range(25 * arguments.seeds)]
    if "dependent" in parts:
        content["dependent"] = [
            one for seed in range(2 * arguments.seeds) for one in dependent(first + seed)
        ]
    if arguments.equations is not None:
        content["feynman"] = [feynman(arguments.equations, share) for share in (0.0, 0.01, 0.05)]
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    path.with_suffix(".md").write_text(page(content), encoding="utf-8")


if __name__ == "__main__":
    main()
