"""Checks of everyday tables: laws of one table tested on another of the same kind.

The columns that may be wrong in a row are found by trying values, without the code of the library
that solves laws: values of the column, and values between which the error of a law changes sign.
"""

from __future__ import annotations

import time
from typing import Any

import everyday_tables as everyday
import numpy as np
import pandas as pd

import gramian
from gramian.laws import Checks, LawCheck

ANOTHER_DAY = 50
"""Added to the seed for the table that is checked."""
TRIED_ROWS = 60
"""Number of rows of a table of which all columns are tried."""
HALVINGS = 60


def checked(kind: str, seed: int, damage: float) -> dict[str, Any]:
    """Find the laws of a table without wrong cells, and check another with a share of them."""
    laws = gramian.relations(everyday.table(kind, seed, 0.0).frame)
    other = everyday.table(kind, seed + ANOTHER_DAY, damage)
    result = laws.check(other.frame)
    wrong: dict[int, list[str]] = {}
    for row, column in other.wrong:
        wrong.setdefault(row, []).append(column)
    named = [each for each in result.cells if each.column is not None]
    alone = [each for each in result.cells if len(wrong.get(each.row, ())) == 1][:TRIED_ROWS]
    determined = [
        each
        for each in alone
        if possible(laws.checks, other.frame, each.row, each.laws) == wrong[each.row]
    ]
    return {
        "kind": kind,
        "damage": damage,
        "ok": result.ok and not len(result.rows),
        "n_wrong": len(wrong),
        "n_flagged": len(result.rows),
        "n_right": len({*wrong} & {*result.rows.tolist()}),
        "n_named": len(named),
        "n_named_right": sum(each.column in wrong.get(each.row, []) for each in named),
        "n_tried": len(alone),
        "n_determined": len(determined),
        "n_determined_right": sum(each.column == wrong[each.row][0] for each in determined),
    }


def possible(checks: Checks, frame: pd.DataFrame, row: int, broken: tuple[str, ...]) -> list[str]:
    """Return the columns of a row of which some value makes the row obey all laws."""
    concerned = [{*each.columns} for each in checks if each.text in broken]
    return [name for name in frame if all(name in one for one in concerned)
            and _mends(checks, frame, row, name)]  # fmt: skip


def _mends(checks: Checks, frame: pd.DataFrame, row: int, name: str) -> bool:
    known = frame[name].to_numpy()
    values = np.unique(known)
    own = [each for each in checks if name in each.columns]
    if values.dtype.kind in "fiu":
        grid = np.unique(np.concatenate([values, -values, 10 * values, np.linspace(-9, 9, 19)]))
        roots = [_roots(each, frame, row, name, grid.astype(float)) for each in own]
        digits = next(d for d in range(8) if np.allclose(np.round(values, d), values, atol=1e-9))
        near = np.round(np.concatenate(roots), digits)
        unit = 10.0**-digits
        values = np.concatenate([values, near, near - unit, near + unit])
    table = _with_values(frame, row, name, values)
    wrong = np.zeros(len(values), dtype=bool)
    for each in own:
        wrong |= each.outcome(table).broken
    return bool((~wrong).any())


def _roots(check: LawCheck, frame: pd.DataFrame, row: int, name: str, grid: Any) -> np.ndarray:
    """Return values of a column between which the error of a law changes its sign."""

    def error(values: np.ndarray) -> np.ndarray:
        table = _with_values(frame, row, name, values)
        with np.errstate(all="ignore"):
            made = np.asarray(check.law(table))
            if check.column is not None and made.dtype.kind == "f":
                made = made - table[check.column]
        return made if made.dtype.kind == "f" else np.full(len(values), np.nan)

    signs = np.sign(error(grid))
    at = np.flatnonzero(signs[1:] * signs[:-1] < 0)
    low, high = grid[at], grid[at + 1]
    for _ in range(HALVINGS if len(at) else 0):
        middle = (low + high) / 2
        same = np.sign(error(middle)) == signs[at]
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    return np.concatenate([low, grid[signs == 0]])


def _with_values(
    frame: pd.DataFrame, row: int, name: str, values: np.ndarray
) -> dict[str, np.ndarray]:
    """Return a row many times, with values in one of its columns."""
    cells = frame.iloc[row]
    table = {
        key: np.full(len(values), cells[key], dtype=object if isinstance(cells[key], str) else None)
        for key in frame
    }
    return {**table, name: values}


def large(n_rows: int = 1_000_000) -> dict[str, Any]:
    """Time the check of many rows of sales, energy and pay in memory."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            f"{kind} {name}": each
            for kind in ("sales", "energy", "payroll")
            for name, each in everyday.KINDS[kind](rng, n_rows)[0].items()
        }
    )
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
