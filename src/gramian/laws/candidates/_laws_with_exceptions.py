"""Candidate laws of tables with wrong cells: medians and absolute deviations find them.

Least squares follow a single wrong cell. Here a law y = a f or y = a f + b is fitted by medians of
ratios and of slopes, which few wrong cells do not change, and a sum of many columns by least
absolute deviations. The rows that hold then fit the coefficients again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from gramian._support.time_limit import check_time
from gramian._support.types import Array, IntArray
from gramian.laws.candidates._catalogue import CatalogueFunction, table_of
from gramian.laws.candidates._long_catalogue import catalogue_functions
from gramian.laws.candidates._search_context import Candidate, SearchContext
from gramian.laws.forms import ONE, Law, Monomial, Values

MOST_COLUMNS = 40
"""Laws with exceptions are searched in tables of at most this many columns."""
FIRST_ROWS = 15
"""Number of rows in which every function is tried."""
SCREENED_ROWS = 120
"""Number of rows in which the promising functions are tried again."""
MOST_SQUARES = 12
"""Sums of squares are searched among at most this many columns."""
SUM_ROWS = 500
"""Number of rows to which sums of many columns are fitted first."""
FIRST_SHARE = 0.45
"""Share of the first rows in which a promising function holds, up to errors of its coefficients."""
LOOSE = 4.0
"""Widths of the last printed digit that a row may miss a law whose coefficients are not final."""
TIGHT = 1.5
"""Widths of the last printed digit that a row may miss the fit to the rows that hold."""
MOST_PER_COLUMN = 12
"""Number of functions that become candidates for each column."""
ROUNDS = 4
"""Number of fits to the rows that hold."""
REWEIGHTINGS = 25
"""Number of weighted least squares that approximate least absolute deviations."""
FIRST_STEPS = 6
"""Number of reweightings after which a fit is given up if most rows miss it by far."""
USUAL = 0.3
"""Share of the rows whose error is the usual error of a fit."""
HOPELESS = 0.5
"""A fit is given up if its usual error is above this share of that of a constant."""
GRAM_RANK = 1e-13
"""Relative size of the eigenvalues of normal equations that count as zero."""
LEVERAGE = 6.0
"""A row loses weight if a column is more than this many times its median absolute value."""
FEWEST_LEVELS = 5
"""A column with fewer distinct values is not computed by a law of this kind."""
SMALLEST_RATIO = 1e-12


def laws_with_exceptions(context: SearchContext) -> Iterator[Candidate]:
    """Yield laws for columns that no known law gives, simple laws first, then sums of columns."""
    columns, values = context.distinct, context.train
    if not 2 <= len(columns) <= MOST_COLUMNS or values.n_rows < FIRST_ROWS:
        return
    rng = np.random.default_rng(0)
    order = rng.permutation(values.n_rows)
    first, some = values.take(order[:FIRST_ROWS]), values.take(order[:SCREENED_ROWS])
    functions = catalogue_functions(values, columns)
    table = table_of(functions, first)
    tied = {i for law in context.laws for i in law.columns}
    taken = tied - {*context.free}
    # A law of tied columns only says what is known already, in other words.
    used = np.zeros((len(functions), values.x.shape[1]), dtype=np.bool_)
    for k, each in enumerate(functions):
        used[k, [*each.columns_of_both]] = True
    new = used[:, [i for i in columns if i not in tied]].any(axis=1)
    targets = [i for i in columns if _many(values.x[:, i])]
    n_tried = float(len(functions) * max(len(targets), 1))
    for target in targets:
        check_time()
        own = used[:, target] | ~new if target in taken else used[:, target]
        for k, constant in _promising(first, table, some, functions, own, target):
            law = refined(values, target, functions[k], constant)
            if law is not None:
                yield Candidate(law, n_tried, target)
        known = context.tied_to(target) if target in taken else {target}
        others = [i for i in columns if i not in known]
        for power in (1, 2) if len(others) <= MOST_SQUARES else (1,):
            law = _sum(values, order[:SUM_ROWS], target, others, power)
            if law is not None:
                yield Candidate(law, n_tried * 2.0 ** len(law.monomials), target)


def _many(x: Array) -> bool:
    return len(np.unique(x)) >= FEWEST_LEVELS


def _promising(
    first: Values,
    table: Array,
    some: Values,
    functions: Sequence[CatalogueFunction],
    own: NDArray[np.bool_],
    target: int,
) -> list[tuple[int, bool]]:
    """Return the numbers of functions that give a column in many rows, and if b is needed.

    Parameters
    ----------
    first : Values
        A few rows, in which all functions are tried.
    table : array of shape (n_rows, n_functions)
        The functions in these rows.
    some : Values
        More rows, in which the promising functions are tried.
    functions : sequence of CatalogueFunction
        The functions.
    own : array of bool
        True for functions of the column itself.
    target : int
        The column.
    """
    which = np.flatnonzero(~own)
    found: dict[tuple[int, bool], float] = {}
    shares = _shares(first, table[:, which], target)
    for constant in (False, True):
        good = which[shares[constant] >= FIRST_SHARE]
        if len(good):
            more = table_of([functions[k] for k in good], some)
            again = _shares(some, more, target)[constant]
            for k, share in zip(good.tolist(), again.tolist(), strict=True):
                if share >= FIRST_SHARE:
                    found[k, constant] = share
    # Functions come in the order of simplicity; small differences of shares do not matter.
    ranked = sorted(found, key=lambda each: (each[1], -round(found[each], 1), each[0]))
    return ranked[:MOST_PER_COLUMN]


def _shares(rows: Values, functions: Array, target: int) -> tuple[Array, Array]:
    """Return the shares of rows in which y = a f holds, and y = a f + b, for each function f."""
    y = rows.of((target, "x"))[:, np.newaxis]
    width = printed_widths(rows, target)[:, np.newaxis]
    with np.errstate(all="ignore"):
        usable = np.isfinite(functions)
        ratios = np.where(usable & (np.abs(functions) > SMALLEST_RATIO), y / functions, np.nan)
        factor = _median(ratios)
        # The median ratio of a few rows is as wrong as the last digit of its row.
        slack = np.where(functions != 0, width / np.abs(functions), np.inf).min(axis=0)
        allowed = LOOSE * (width + slack * np.abs(functions))
        without = np.mean(np.abs(y - factor * functions) <= allowed, axis=0)
        ahead = np.roll(np.arange(len(y)), 1)
        slopes = (y - y[ahead]) / (functions - functions[ahead])
        slope = _median(np.where(np.isfinite(slopes), slopes, np.nan))
        constant = _median(y - slope * functions)
        spread = np.abs(functions - _median(functions))
        error = _median(width / np.maximum(spread, SMALLEST_RATIO))
        allowed = LOOSE * (width + error * spread)
        with_constant = np.mean(np.abs(y - slope * functions - constant) <= allowed, axis=0)
    return without, with_constant


def _median(values: Array) -> Array:
    """Return the median of each column; NaN counts as large, which is faster than to leave it out.

    A function with many values that are NaN is of no use.
    """
    ordered = np.sort(values, axis=0)
    middle = (np.isfinite(values).sum(axis=0) - 1) // 2
    return np.asarray(ordered[np.maximum(middle, 0), np.arange(values.shape[1])])


def printed_widths(rows: Values, target: int) -> Array:
    """Return half a unit of the last printed digit of a scaled column."""
    x, scale = rows.x[:, target], rows.scale[target]
    half = rows.half_unit(target) / scale
    return np.asarray(half + 1e-12 * np.abs(x) / scale)


def refined(values: Values, target: int, function: CatalogueFunction, constant: bool) -> Law | None:
    """Return the law y = a f or y = a f + b, fitted to the rows that hold."""
    y, f = values.of((target, "x")), function.values(values)
    usable = np.isfinite(f) & np.isfinite(y)
    if usable.sum() < FIRST_ROWS:
        return None
    design = np.column_stack([f, np.ones(len(f))] if constant else [f])
    design = np.where(usable[:, np.newaxis], design, 0.0)
    found = _fit_to_holding(design, np.where(usable, y, 0.0), printed_widths(values, target))
    if found is None or not found.all():
        return None
    return function.law((target, "x"), found[0], found[1] if constant else 0.0)


def _fit_to_holding(design: Array, y: Array, width: Array) -> Array | None:
    """Return coefficients by least absolute deviations, fitted again to the rows that hold.

    Return None if most rows miss the fit by far.
    """
    found = least_absolute(design, y)
    if found is None:
        return None
    holds = np.abs(y - design @ found) <= LOOSE * width
    if holds.sum() < 2 * design.shape[1]:  # the coefficients are not precise enough
        missed = np.abs(y - design @ found)
        holds = missed <= np.quantile(missed, FIRST_SHARE)
    for _ in range(ROUNDS):
        if holds.sum() < 2 * design.shape[1]:
            return None
        found = np.asarray(np.linalg.lstsq(design[holds], y[holds], rcond=None)[0], np.float64)
        holds = np.abs(y - design @ found) <= TIGHT * width
    return found


def least_absolute(design: Array, y: Array) -> Array | None:
    """Return coefficients with about the smallest sum of absolute deviations.

    Rows with a value far from the others have less weight: it may be a wrong cell. Return None if
    the terms say little about y in most rows.

    Parameters
    ----------
    design : array of shape (n_rows, n_terms)
        The terms.
    y : array of shape (n_rows,)
        The values to fit.
    """
    unit = np.median(np.abs(design), axis=0)
    unit = np.where(unit > 0, unit, np.maximum(np.abs(design).max(axis=0), SMALLEST_RATIO))
    scaled = design / unit
    own = 1 / np.maximum(1.0, np.abs(scaled).max(axis=1) / LEVERAGE)
    weights, least = own, SMALLEST_RATIO * max(float(np.abs(y).max()), SMALLEST_RATIO)
    found = np.zeros(design.shape[1])
    place = int(USUAL * (len(y) - 1))
    most = HOPELESS * float(np.partition(np.abs(y - np.median(y)), place)[place])
    for step in range(REWEIGHTINGS):
        # Normal equations: the rows that hold fit the coefficients again, with all digits.
        weighted = scaled.T * weights
        found = np.linalg.lstsq(weighted @ scaled, weighted @ y, rcond=GRAM_RANK)[0]
        missed = np.abs(y - scaled @ found)
        usual = float(np.partition(missed, place)[place])
        if step == FIRST_STEPS and usual > most:
            return None
        weights = own / np.maximum(missed, max(0.5 * usual, least))
    return np.asarray(found / unit)


def _sum(
    values: Values, rows: IntArray, target: int, others: Sequence[int], power: int
) -> Law | None:
    """Return a sum of at least two columns, and perhaps a constant, that gives a column.

    With `power` 2, squares of the columns add up to the square of the column.
    """
    some = values.take(rows)
    y, width = _powered(some, target, power)
    design = _with_constant(some, others, power)
    found = _fit_to_holding(design, y, width)
    if found is None:
        return None
    holds = np.abs(y - design @ found) <= TIGHT * width
    which = _needed(design[holds], y[holds], width[holds], found)
    if sum(k < len(others) for k in which) < 2:
        return None
    every = _with_constant(values, others, power)
    found = _fit_to_holding(every[:, which], *_powered(values, target, power))
    if found is None or not found.all():
        return None
    variables: list[Monomial] = [
        (((others[k], "x"), power),) if k < len(others) else ONE for k in which
    ]
    return Law(np.append(-1.0, found), ((((target, "x"), power),), *variables))


def _powered(values: Values, target: int, power: int) -> tuple[Array, Array]:
    """Return a power of a scaled column, and the width of its last printed digit."""
    y = values.of((target, "x"))
    return y**power, printed_widths(values, target) * power * np.abs(y) ** (power - 1)


def _with_constant(values: Values, columns: Sequence[int], power: int) -> Array:
    """Return a power of the scaled columns, followed by a column of ones."""
    powers = (values.of((i, "x")) ** power for i in columns)
    return np.column_stack([*powers, np.ones(values.n_rows)])


def _needed(design: Array, y: Array, width: Array, found: Array) -> list[int]:
    """Return the terms that a sum needs: without one of them, rows would miss the sum."""
    which = [*range(design.shape[1])]
    shorter = True
    while shorter and len(which) > 1:
        shorter = False
        sizes = np.abs(found) * np.std(design[:, which], axis=0)
        for k in np.argsort(sizes).tolist():
            fewer = [*which[:k], *which[k + 1 :]]
            again = np.asarray(np.linalg.lstsq(design[:, fewer], y, rcond=None)[0], np.float64)
            if np.mean(np.abs(y - design[:, fewer] @ again) <= TIGHT * width) > 0.99:
                which, found, shorter = fewer, again, True
                break
    return which
