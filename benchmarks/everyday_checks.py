"""Checks of everyday tables: laws of one table tested on another of the same kind."""

from __future__ import annotations

import time
from typing import Any

import everyday_tables as everyday
import numpy as np
import pandas as pd

import gramian

ANOTHER_DAY = 50
"""Added to the seed for the table that is checked."""


def checked(kind: str, seed: int, damage: float) -> dict[str, Any]:
    """Find the laws of a table without wrong cells, and check another with a share of them."""
    laws = gramian.relations(everyday.table(kind, seed, 0.0).frame)
    other = everyday.table(kind, seed + ANOTHER_DAY, damage)
    result = laws.check(other.frame)
    wrong: dict[int, list[str]] = {}
    for row, column in other.wrong:
        wrong.setdefault(row, []).append(column)
    named = [each for each in result.cells if each.column is not None]
    return {
        "kind": kind,
        "damage": damage,
        "ok": result.ok and not len(result.rows),
        "n_wrong": len(wrong),
        "n_flagged": len(result.rows),
        "n_right": len({*wrong} & {*result.rows.tolist()}),
        "n_named": len(named),
        "n_named_right": sum(each.column in wrong.get(each.row, []) for each in named),
    }


def large(n_rows: int = 1_000_000) -> dict[str, Any]:
    """Time the check of many rows of sales and energy in memory."""
    rng = np.random.default_rng(0)
    columns, _ = everyday.KINDS["sales"](rng, n_rows)
    more, _ = everyday.KINDS["energy"](rng, n_rows)
    frame = pd.DataFrame({**columns, **{f"energy {name}": each for name, each in more.items()}})
    laws = gramian.relations(frame.iloc[:3_000])
    frame.iloc[::100, frame.columns.get_loc(laws[0].columns[-1])] += 100
    start = time.process_time()
    result = laws.check(frame)
    return {
        "n_rows": n_rows,
        "n_columns": frame.shape[1],
        "n_laws": len(laws),
        "n_broken": len(result.rows),
        "seconds": time.process_time() - start,
    }
