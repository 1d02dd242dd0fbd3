"""Page of the benchmark of laws."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

FUNCTIONS = re.compile("exp|sin|cos|tan|log|ln")
"""Functions in equations other than products, ratios, powers and roots."""
EXACT_LEFT, GOOD_LEFT = 1e-9, 1e-3
"""Largest residual share of new rows for exact and for good results of peers."""
HEAD = """\
<!-- Made by benchmarks/relations.py; not edited. -->

# Laws among columns, measured

The laws that `gramian.relations` finds without a target column. Times are processor times with one
thread. The search was developed with tables of other seeds, but two of its rules (the number of
terms of a law with noise, and that it does not repeat a better law of more columns) were changed
after a first run on the noise-free tables of Feynman's equations below.

{summary}

Systems for symbolic regression get more information: the target column, and the units of the
equations (so that constants are simple numbers, or absent). They get one thread and the stated time
for each noise-free table. Wall-clock time was measured on a machine with other work, which left
them about half of a core. Their result counts if R² is within 1e-9 of 1 on new rows, which allows a
larger error than for a law. Published rates of formulas that equal the equation, with hours for
each table, are 61 % for PySR, 17 % for Operon and 16 % for gplearn.
"""
SURFACES = """
## Curves, surfaces and physics

{surfaces}
"""
EQUATIONS = """
## Feynman's equations

Each of the 100 equations is a table: inputs and output are columns, in random units (10 to a power
from -3 to 3; angles in radians), shuffled, 2,000 rows. A law counts if it is the only one, contains
all columns, and holds on 1,000 new rows to a relative error below 1e-9. With noise (normal, 1 % of
the output's standard deviation) a law counts if it is the only one, contains all columns, and has
the right form: it is exact on noise-free rows after its coefficients are fitted to them. Laws that
do not count are approximations in the range of the data; the result states their error.

{equations}
"""
WIDE = """
## A wide table

2,000 rows, 500 columns, 100 of which follow from one to three others: {wide}
"""


def page(content: dict[str, Any]) -> str:
    """Write the page, with a section for each part that was measured."""
    heads = ["", "found", "median time", "longest"]
    text = HEAD.format(summary=_table(heads, _summary(content)))
    if "surfaces" in content:
        rows = [[row["name"], _laws(row), _seconds(row["seconds"])] for row in content["surfaces"]]
        text += SURFACES.format(surfaces=_table(["", "law as printed", "time"], rows))
    if "exact" in content:
        text += EQUATIONS.format(equations=_equations(content))
    if "wide" in content:
        text += WIDE.format(wide=_wide(content["wide"]))
    return text


def _equations(content: dict[str, Any]) -> str:
    noisy = {row["name"]: row for row in content.get("noise", ())}
    heads = ["", "equation", "law as printed", "exact", "time"]
    rows = []
    for row in content["exact"]:
        law, right = _laws(row), "yes" if row["right"] else "no"
        cells = [row["name"], f"`{row['formula']}`", law, right, _seconds(row["seconds"])]
        if noisy:
            other = noisy[row["name"]]
            cells += ["yes" if other["right"] else "no", _seconds(other["seconds"])]
        rows.append(cells)
    return _table([*heads, *(["with noise", "time"] if noisy else [])], rows)


def _summary(content: dict[str, Any]) -> list[list[str]]:
    rows = []
    for part, label in (
        ("exact", "Feynman's tables, exact laws"),
        ("noise", "Feynman's tables with 1 % noise, right columns and form"),
    ):
        if part in content:
            times = [row["seconds"] for row in content[part]]
            right = sum(row["right"] for row in content[part])
            rows.append([label, f"{right} of {len(times)}", *_times(times)])
        if part == "exact" and part in content:
            plain = [row for row in content[part] if not FUNCTIONS.search(row["formula"])]
            right = sum(row["right"] for row in plain)
            times = [row["seconds"] for row in plain]
            label = "exact laws of products, ratios, powers and roots only"
            rows.append([label, f"{right} of {len(plain)}", *_times(times)])
    for name, peer in sorted(content.get("peers", {}).items()):
        left = [row["unexplained"] for row in peer["rows"]]
        exact, good = (sum(each < limit for each in left) for limit in (EXACT_LEFT, GOOD_LEFT))
        limit = f"{peer['limit']:g} s of the {peer['clock']}"
        label = f"{name} {peer['version']}, target and units given, {limit} for each table"
        found = f"{exact} of {len(left)} ({good} with R² > {1 - GOOD_LEFT:g})"
        rows.append([label, found, *_times([row["seconds"] for row in peer["rows"]])])
    if "independent" in content:
        times = [row["seconds"] for row in content["independent"]]
        claimed = sum(bool(row["laws"]) for row in content["independent"])
        label = "tables of 5 to 50 independent columns in which a law is claimed"
        rows.append([label, f"{claimed} of {len(times)}", *_times(times)])
    if "wide" in content:
        wide = content["wide"]
        found = f"{wide['found']} of {wide['planted']}"
        label = "500 columns, planted laws found as written"
        rows.append([label, found, _seconds(wide["seconds"]), ""])
    return rows


def _wide(wide: dict[str, Any]) -> str:
    missed = ", ".join(wide["missed"]) or "none"
    others = len(wide["others"])
    return (
        f"{wide['found']} of {wide['planted']} are found in the planted form, in "
        f"{_seconds(wide['seconds'])} and {wide['gigabytes']:.1f} GiB. Missed: {missed}. Laws "
        f"of other columns that were printed, most of them planted laws in another form: {others}."
    )


def _laws(row: dict[str, Any]) -> str:
    return "<br>".join(f"`{law}`" for law in row["laws"]) or "no"


def _times(seconds: list[float]) -> list[str]:
    return [_seconds(float(np.median(seconds))), _seconds(max(seconds))]


def _seconds(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.0f} s"


def _table(heads: list[str], rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    lines += ["| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines)
