"""The page that shows what the benchmark of laws has measured."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

FUNCTIONS = re.compile("exp|sin|cos|tan|log|ln")
"""What there is in equations beside products, ratios, powers and roots."""
EXACT_LEFT, GOOD_LEFT = 1e-9, 1e-3
"""The share of the variance that peers may leave in new rows."""
HEAD = """\
<!-- Made by benchmarks/relations.py; not edited. -->

# Laws among columns, measured

What `gramian.relations` finds when nobody tells it which column is the target. Times are those of
the processor, one thread. The search was made with tables of other seeds, but two of its rules (how
many terms a law with noise may have, and that it does not repeat a better law of more columns) were
changed after a first run on the noise-free tables of Feynman's equations that are listed below.

{summary}

Systems for symbolic regression are told more: which column is the target, and the units in which
the equations are written (their constants are then simple numbers, or none). They get one thread
and the time that is stated, for each noise-free table. Time of the wall clock was taken on a
machine with other work, which left them about half of a core. What they find counts if R² is
within 1e-9 of 1 on new rows, which allows a larger error than is allowed to a law. Published rates
with hours for each table, of formulas that are the same as the equation, are 61 % for PySR, 17 %
for Operon and 16 % for gplearn.
"""
SURFACES = """
## Curves, surfaces and physics

{surfaces}
"""
EQUATIONS = """
## Feynman's equations

Each of the 100 equations is a table: inputs and output are columns, in random units (10 to a power
from -3 to 3; angles in radians), shuffled, 2,000 rows. A law counts if it is the only one, ties all
columns, and holds on 1,000 new rows to a relative error below 1e-9. With noise (1 % of the output's
deviation, normal) it counts if it is the only one, ties all columns, and is exact on noise-free
rows once its coefficients are fitted to them: if the form is right. Laws that do not count are
approximations in the range of the data, with an error that the result states.

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
        ("noise", "all of them with 1 % noise, right columns and form"),
    ):
        if part in content:
            times = [row["seconds"] for row in content[part]]
            right = sum(row["right"] for row in content[part])
            rows.append([label, f"{right} of {len(times)}", *_times(times)])
        if part == "exact" and part in content:
            plain = [row for row in content[part] if not FUNCTIONS.search(row["formula"])]
            right = sum(row["right"] for row in plain)
            times = [row["seconds"] for row in plain]
            label = "of these, products, ratios, powers and roots only"
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
        f"{wide['found']} of {wide['planted']} are found as they were planted, in "
        f"{_seconds(wide['seconds'])} and {wide['gigabytes']:.1f} GiB. Missed: {missed}. Laws "
        f"of other columns that were printed, most of them planted ones rewritten: {others}."
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
