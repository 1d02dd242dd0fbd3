"""Judge of laws with exceptions: most rows obey the law, and by chance few rows would."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array
from gramian.laws._law_tolerances import STANDARD_ERRORS
from gramian.laws.forms import Law, Values, comparison
from gramian.laws.judge._control import SPARE_ROWS, Control, Verdict
from gramian.laws.judge._printed_digits import is_truncated, rows_that_hold, widths_missed

LEAST_SHARE = 0.8
"""Smallest share of the rows that obey a believed law."""
ODD_COEFFICIENT = 1.5
"""Columns that a law may have more if a coefficient with many digits becomes a round number."""
EXCEPTION = 15.0
"""Columns that a law may have more if all rows obey it and not no row."""
COUNTED = 2.0
"""Columns that a law may have more if it computes a decimal number, and not a count."""
FAR = 4.0
"""Smallest median error of the rows that break a law, in largest errors of rounding."""
LEAST_MEAN_RANK = 0.15
"""Smallest mean rank of the distances from a threshold, of rows that break it by a wrong cell."""
LEAST_STEP = 0.88
"""Smallest share of the rows that obey a threshold."""
FEWEST_PLACES = 8
"""Rows that break a threshold, from which on their places tell wrong cells from a tendency."""
NEARLY_ALL = 0.97
"""Share of the rows that obey a threshold, from which on fewer rows may break it."""
FEWER_COPIES = 3.0
"""Rows that obey a law have this many times the copies of rows with a wrong cell."""
EXACTLY = 0.9
"""Share of rows above which rows may miss by little a law that the others obey without rounding."""
FEW_EXCEPTIONS = 0.99
"""Share of rows above which the other rows may miss a law by little."""
BEYOND_CHANCE = 0.6
"""Smallest share of the rows that obey a law, of those that do not obey it by chance.

By chance means: after one of the columns of the law is shuffled. The number is Cohen's kappa.
"""
USUAL = 0.5
"""A value that more than this share of the rows has is the usual one."""
FEWEST_TOLD = 8
"""Fewest rows that break a law from which on another column may tell them."""
TOLD = 0.75
"""Share of the rows that break a law or have no usual value of another column, that do both."""
OF_LEVELS = 0.8
"""The same if all columns have few distinct values: columns that go together are often equal."""


def judge_mostly(control: Control, law: Law, n_tried: float, target: int | None) -> Verdict | None:
    """Return the verdict on a law that most rows obey, else None.

    The rows that obey the law are judged as a table of their own. In addition, many more rows must
    obey the law than after one of its columns is shuffled.

    Parameters
    ----------
    control : Control
        The judge of all rows.
    law : Law
        The candidate, fitted to the rows that obey it.
    n_tried : float
        Number of candidates that were tried to find the law; it reduces the evidence.
    target : int or None
        Index of the column that was computed and rounded; None if all columns may be rounded.
    """
    tables = [each for each in (control.train, control.test) if each is not None]
    masks = [rows_that_hold(law, each, target) for each in tables]
    share = float(np.mean(np.concatenate(masks)))
    if share < LEAST_SHARE or masks[0].sum() < len(law.monomials) + SPARE_ROWS:
        return None
    if share < 1 and is_truncated(law, control.train, target):
        return None  # the rows that it misses are those near a whole number
    if not _breaks_in_few_copies(control, law, target, share):
        return None
    chance = max(_share_by_chance(law, tables[0], i, target) for i in law.columns)
    few = all(tables[0].traits[i].n_levels is not None for i in law.columns)
    if share - chance < (OF_LEVELS if few else BEYOND_CHANCE) * (1 - chance):
        return None
    if not _holds_beside_usual(law, tables[0], masks[0]):
        return None
    if _is_told_by_another(law, tables[0], masks[0]):
        return None
    rows = [table.take(mask) for table, mask in zip(tables, masks, strict=True)]
    test = rows[1] if len(rows) > 1 else None
    inner = control if all(mask.all() for mask in masks) else Control(rows[0], test, control.seed)
    verdict = inner.judge(law, n_tried)
    steps = any(comparison(atom) for each in law.monomials for (_, atom), _ in each)
    if verdict is None or share < EXACTLY or steps:
        if inner is not control and not _are_wrong_cells(law, tables[0], masks[0], target):
            return None
        verdict = verdict or inner.judge_printed(law, n_tried, target)
    if verdict is None or inner is control:
        return verdict
    return replace(verdict, share=share, rows=(rows[0], test), target=target)


def _holds_beside_usual(law: Law, values: Values, holds: NDArray[np.bool_]) -> bool:
    """Return True if most rows obey a law where a column does not have its most frequent value.

    Two columns that have one value in most rows are equal in most rows.
    """
    for i in law.columns:
        levels, counts = np.unique(values.x[:, i], return_counts=True)
        if counts.max() > USUAL * len(holds):
            other = values.x[:, i] != levels[counts.argmax()]
            if other.any() and holds[other].mean() < LEAST_SHARE:
                return False
    return True


def _is_told_by_another(law: Law, values: Values, holds: NDArray[np.bool_]) -> bool:
    """Return True if another column tells the rows that break a law: it has no usual value there.

    pay = rate · hours breaks where overtime is not 0: these rows obey another law.
    """
    broken = ~holds
    if broken.sum() < FEWEST_TOLD:
        return False
    for i in {*range(values.x.shape[1])} - {*law.columns}:
        levels, counts = np.unique(values.x[:, i], return_counts=True)
        if counts.max() > USUAL * len(holds):
            other = values.x[:, i] != levels[counts.argmax()]
            if (broken & other).sum() >= TOLD * (broken | other).sum():
                return True
    return False


def _breaks_in_few_copies(control: Control, law: Law, target: int | None, share: float) -> bool:
    """Return False if rows that break a law are repeated as often as rows that obey it.

    If columns have few values, the rows that obey a law have many copies, and a row with a wrong
    cell has none. A combination of values that is repeated is no wrong cell: then the share of
    different combinations that obey the law must be large, too.
    """
    distinct = control.without_copies(law.columns)
    if distinct is control:
        return True
    every = distinct.all_rows
    holds = rows_that_hold(law, every, target)
    if holds.mean() >= LEAST_SHARE:
        return True
    n_rows = sum(each.n_rows for each in (control.train, control.test) if each is not None)
    copies = [
        part * n_rows / max(n, 1) for part, n in ((share, holds.sum()), (1 - share, (~holds).sum()))
    ]
    return bool(copies[0] >= FEWER_COPIES * copies[1])


def _are_wrong_cells(
    law: Law, values: Values, holds: NDArray[np.bool_], target: int | None
) -> bool:
    """Return True if the rows that break a law look like rows with a wrong cell.

    A wrong cell misses the law by far. The rows that break an approximation miss it by little more
    than rounding, and those that break a threshold lie near the threshold.
    """
    steps = [(i, comparison(atom)) for each in law.monomials for (i, atom), _ in each]
    for i, step in steps:
        if step is not None:
            x = values.x[:, i]
            lower = x < step[1] if step[0] in ("lt", "ge") else x <= step[1]
            below = np.argsort(np.argsort(x, kind="stable")) - np.sum(lower) + 0.5
            places = np.argsort(np.argsort(np.abs(below), kind="stable")) / len(below)
            # On both sides, and in the rows of both values, most rows obey a true threshold.
            given = values.x[:, [k for k in law.columns if k != i]].T
            sides = [lower, ~lower]
            sides += [y == level for y in given for level in _two_values(y)]
            enough = [holds[each].mean() >= LEAST_SHARE for each in sides if each.any()]
            told_apart = (~holds).sum() >= FEWEST_PLACES or holds.mean() >= NEARLY_ALL
            return bool(
                told_apart
                and holds.mean() >= LEAST_STEP
                and all(enough)
                and are_anywhere(places[~holds])
            )
    if holds.mean() >= FEW_EXCEPTIONS:
        return True
    missed = widths_missed(law, values, target)[~holds]
    missed = missed[~np.isnan(missed)]
    return not len(missed) or bool(np.median(missed) >= FAR)


def _two_values(y: Array) -> list[float]:
    """Return the two most frequent values of a column."""
    levels, counts = np.unique(y, return_counts=True)
    return list(levels[np.argsort(-counts, kind="stable")[:2]].tolist())


def are_anywhere(places: Array) -> bool:
    """Return True if rows that break a threshold may lie anywhere, and not only near it.

    Parameters
    ----------
    places : array
        The ranks of their distances from the threshold, from 0 (nearest) to 1. For wrong cells, the
        mean of n ranks is 1/2, with the deviation 1 / √(12 n).
    """
    if not len(places):
        return True
    least = 0.5 - STANDARD_ERRORS / math.sqrt(12 * len(places))
    return bool(places.mean() >= max(least, LEAST_MEAN_RANK))


def _share_by_chance(law: Law, values: Values, column: int, target: int | None) -> float:
    """Return the share of rows that obey a law after a column is shuffled."""
    order = np.random.default_rng(column).permutation(values.n_rows)
    return float(rows_that_hold(law, values.shuffled(column, order), target).mean())


def oddness(verdict: Verdict, values: Values) -> float:
    """Return how unlike a law of a person a law is: the law with the smallest number is preferred.

    Columns, coefficients that are not round, and exceptions count. A whole number is rarely
    computed from decimals.

    Parameters
    ----------
    verdict : Verdict
        The law and the share of rows that obey it.
    values : Values
        The rows of the search.
    """
    law = verdict.law
    whole = [values.traits[i].whole for i in law.columns]
    target = verdict.target
    counted = target is not None and values.traits[target].whole and not all(whole)
    return (
        len(law.columns)
        + ODD_COEFFICIENT * _n_odd_numbers(law, values)
        + EXCEPTION * (1 - verdict.share)
        + COUNTED * counted
    )


def has_odd_number(verdict: Verdict, values: Values) -> bool:
    """Return True if a coefficient of a law has more than three digits."""
    return _n_odd_numbers(verdict.law, values) > 0


def _n_odd_numbers(law: Law, values: Values) -> int:
    """Return how many coefficients, as shares of the first one, have more than three digits."""
    raw = law.raw_coefficients(values.scale)
    digits = (f"{abs(value / raw[0]):.5e}".split("e")[0].rstrip("0") for value in raw)
    return sum(len(each.replace(".", "")) > 3 for each in digits)
