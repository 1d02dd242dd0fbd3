"""Candidate laws among columns that laws tie already: the same facts, written in other ways.

If gross = margin + cost + vat and net = margin + cost were found, gross = net + vat also holds, and
is what a person writes. The rows of the context obey all accepted laws, so that wrong cells do not
matter.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations, product

import numpy as np
from numpy.typing import NDArray

from gramian._support.time_limit import check_time
from gramian._support.types import Array, IntArray
from gramian.laws.candidates._catalogue import CatalogueFunction, table_of
from gramian.laws.candidates._laws_with_exceptions import printed_widths
from gramian.laws.candidates._long_catalogue import catalogue_functions
from gramian.laws.candidates._search_context import Candidate, SearchContext
from gramian.laws.candidates._step_functions import step_law
from gramian.laws.candidates._sums_and_powers import exact_sums
from gramian.laws.forms import ONE, Law, Monomial, Values, comparison
from gramian.laws.judge import simplest

MOST_COLUMNS = 40
"""Laws are written in other ways if they tie at most this many columns."""
FIRST_ROWS = 8
"""Number of rows in which every function is tried first."""
SCREENED_ROWS = 150
"""Number of rows in which functions are tried that hold in the first rows."""
LONGEST = 3
"""Largest number of columns in a sum of which all subsets are tried."""
FEWEST_LEVELS = 5
"""A column with fewer distinct values is not computed by a law of this kind."""
AGREEING = 0.87
"""Smallest share of rows that agree with a law; wrong cells may differ by little."""
WIDTHS = 3.0
"""Widths of the last printed digit that a row may miss a law whose coefficients are not final."""
LOOSE = 10.0
"""Factor of the allowed square error of a sum, for a few wrong cells."""
SINGULAR = 1e-10
"""Smallest share of a unit column that other columns of a sum leave."""
CANCELS = 1e-6
"""Two terms cancel if their sum is at most this share of their sizes."""
BATCH = 4_000
"""Number of sums that are fitted at once."""


def rewritings(context: SearchContext) -> Iterator[Candidate]:
    """Yield laws of one column and few others, among the columns that accepted laws tie."""
    tied = sorted({i for law in context.laws for i in law.columns})
    if not 2 <= len(tied) <= MOST_COLUMNS:
        return
    values = context.train
    targets = [i for i in tied if len(np.unique(values.x[:, i])) >= FEWEST_LEVELS]
    yield from _by_function(context, values, tied, targets)
    yield from _sums(context, values, tied, targets)
    # Rounded products that are parts of a sum nearly give it with fewer parts. Only the sum itself
    # holds without rounding, in rows without wrong cells.
    n_tried = float(len(tied)) ** 2
    yield from (Candidate(law, n_tried, None) for law in exact_sums(values, tied))
    yield from _steps(context, values, tied)


def _steps(context: SearchContext, values: Values, tied: Sequence[int]) -> Iterator[Candidate]:
    """Yield step functions of other columns: [gross > 1000] in place of [usd > 1084]."""
    for law in context.laws:
        sources = {i for each in law.monomials for (i, atom), _ in each if comparison(atom)}
        flags = {*law.columns} - sources
        n_steps = sum(bool(comparison(atom)) for each in law.monomials for (_, atom), _ in each)
        if len(sources) != 1 or len(flags) != 1 or n_steps > 1:
            continue
        (flag,) = flags
        for source in tied:
            if source not in (*sources, flag) and values.n_distinct(source) >= FEWEST_LEVELS:
                other = step_law(values, flag, source)
                if other is not None:
                    yield Candidate(other, float(len(tied)) ** 2, flag)


def _by_function(
    context: SearchContext, values: Values, tied: Sequence[int], targets: Sequence[int]
) -> Iterator[Candidate]:
    """Yield laws y = a f with a function f of the catalogue."""
    functions = catalogue_functions(values, tied)
    few, some = (values.take(_spread(values.n_rows, n)) for n in (FIRST_ROWS, SCREENED_ROWS))
    table = table_of(functions, few)
    members = np.array(
        [[i in columns for i in tied] for columns in (each.columns_of_both for each in functions)]
    )
    place = {column: k for k, column in enumerate(tied)}
    n_tried = float(len(functions) * len(targets))
    for target in targets:
        check_time()
        y, width = few.of((target, "x")), printed_widths(few, target)
        good = np.flatnonzero(~members[:, place[target]] & _proportional(table, y, width))
        for k in good.tolist():
            f = functions[k].values(some)
            y, width = some.of((target, "x")), printed_widths(some, target)
            if not _proportional(f[:, np.newaxis], y, width)[0]:
                continue
            factor = _factor(values, functions[k], target)
            if factor:
                law = functions[k].law((target, "x"), factor, 0.0)
                if target in law.columns:  # a tiny term may have cancelled
                    yield Candidate(simplest(law, values, target), n_tried, target)


def _proportional(functions: Array, y: Array, width: Array) -> NDArray[np.bool_]:
    """Return for each function f True if y = a f holds in nearly all rows, up to printed digits.

    Every row says that a lies in an interval. A number a must lie in nearly all intervals.
    """
    n_rows = len(y)
    with np.errstate(all="ignore"):
        ends = np.stack(
            [(y + side * WIDTHS * width)[:, np.newaxis] / functions for side in (-1.0, 1.0)]
        )
    zero, fits = functions == 0, (np.abs(y) <= WIDTHS * width)[:, np.newaxis]
    low = np.where(zero, np.where(fits, -np.inf, np.nan), ends.min(axis=0))
    high = np.where(zero, np.where(fits, np.inf, np.nan), ends.max(axis=0))
    # Sorted ends: an interval begins with +1 and ends with -1; NaN comes last and counts for none.
    every = np.concatenate([low, high])
    steps = np.where(np.isnan(every), 0, np.repeat([[1], [-1]], n_rows, axis=0))
    order = np.argsort(every, axis=0, kind="stable")
    most = np.take_along_axis(steps, order, axis=0).cumsum(axis=0).max(axis=0, initial=0)
    found: NDArray[np.bool_] = (most >= AGREEING * n_rows) & ~zero.all(axis=0)
    return found


def _factor(values: Values, function: CatalogueFunction, target: int) -> float:
    """Return a number a with y = a f: rows with many digits count most; 0 if there is none.

    If f is a column x, the middle of the numbers that give y from x and x from y is returned.
    """
    f, y, width = function.values(values), values.of((target, "x")), printed_widths(values, target)
    fine = np.isfinite(f)
    weights = np.where(fine, 1 / np.maximum(width, 1e-3 * float(np.median(width))), 0.0)
    weighted = np.where(fine, f, 0.0) * weights
    size = float(weighted @ weighted)
    factor = float(weighted @ (y * weights)) / size if size > 0 else 0.0
    if factor and function.is_column:
        (column,) = function.columns
        both = _given_both_ways(f, y, printed_widths(values, column), width, factor)
        return factor if both is None else both
    return factor


def _given_both_ways(
    x: Array, y: Array, width_x: Array, width_y: Array, factor: float
) -> float | None:
    """Return a number a with y = a x and x = y / a, up to printed digits; None if there is none.

    `factor` is a number near a.
    """
    allowed = np.minimum(width_y, abs(factor) * width_x)
    usable = x != 0
    ends = np.stack([(y + side * allowed)[usable] / x[usable] for side in (-1.0, 1.0)])
    low, high = float(ends.min(axis=0).max()), float(ends.max(axis=0).min())
    return (low + high) / 2 if low <= high else None


def _sums(
    context: SearchContext, values: Values, tied: Sequence[int], targets: Sequence[int]
) -> Iterator[Candidate]:
    """Yield all sums of two or three columns, with or without a constant, that give a column."""
    some = values.take(_spread(values.n_rows, SCREENED_ROWS))
    x = np.column_stack([some.of((i, "x")) for i in tied])
    every = np.column_stack([*(values.of((i, "x")) for i in tied), np.ones(values.n_rows)])
    place = {column: k for k, column in enumerate(tied)}
    n_tried = float(len(tied)) ** (LONGEST + 1)
    for target in targets:
        check_time()
        own = place[target]
        width = printed_widths(some, target)
        others = [k for k in range(len(tied)) if k != own]
        taken: list[set[int]] = []
        for n, constant in ((1, True), (2, False), (2, True), (3, False)):
            sets = np.array(list(combinations(others, n)), dtype=np.intp).reshape(-1, n)
            for members in _exact_sums(x, sets, own, width, constant=constant):
                if any(each <= {*members} for each in taken):
                    continue
                taken.append({*members})
                which = [*members, len(tied)] if constant else [*members]
                found = np.linalg.lstsq(every[:, which], every[:, own], rcond=None)[0]
                if found.all():
                    monomials: list[Monomial] = [
                        (((tied[k], "x"), 1),) if k < len(tied) else ONE for k in which
                    ]
                    law = Law(np.append(-1.0, found), ((((target, "x"), 1),), *monomials))
                    yield Candidate(simplest(law, values, target), n_tried, target)


def _exact_sums(
    x: Array, sets: IntArray, own: int, width: Array, *, constant: bool
) -> Iterator[tuple[int, ...]]:
    """Yield the sets of columns of which a sum gives a column in all rows, up to printed digits.

    Parameters
    ----------
    x : array of shape (n_rows, n_columns)
        The scaled columns.
    sets : array of shape (n_sets, n)
        Column indices of each set.
    own : int
        Index of the column that the sum gives.
    width : array of shape (n_rows,)
        Half a unit of its last printed digit.
    constant : bool
        True if a constant may be added.
    """
    if constant:
        x = x - x.mean(axis=0)
    norms = np.linalg.norm(x, axis=0)
    unit = x / np.where(norms > 0, norms, 1.0)
    gram = unit.T @ unit
    allowed = LOOSE * WIDTHS**2 * float(width @ width) / max(norms[own], 1e-300) ** 2 + 1e-13
    for start in range(0, len(sets), BATCH):
        part = sets[start : start + BATCH]
        inner = gram[part[:, :, np.newaxis], part[:, np.newaxis, :]]
        fine = np.linalg.det(inner) > SINGULAR
        part, inner = part[fine], inner[fine]
        right = gram[part, own]
        weights = np.linalg.solve(inner, right[:, :, np.newaxis])[:, :, 0]
        left = 1 - np.sum(weights * right, axis=1) if norms[own] > 0 else np.ones(len(part))
        for members, weight in zip(part[left < allowed], weights[left < allowed], strict=True):
            missed = np.abs(unit[:, own] - unit[:, members] @ weight) * norms[own]
            if np.mean(missed <= WIDTHS * width) >= AGREEING:
                yield tuple(members.tolist())


def combined_sums(context: SearchContext) -> Iterator[Candidate]:
    """Yield sums that follow from accepted laws, and have simpler coefficients."""
    yield from _sums_of_two_laws(context)
    tied = sorted({i for law in context.laws for i in law.columns})
    if len(tied) <= MOST_COLUMNS:
        for law in context.laws:
            if law.is_linear and len(law.columns) > 2:
                yield from _with_plain_terms(context.train, law, tied)


def _with_plain_terms(values: Values, law: Law, tied: Sequence[int]) -> Iterator[Candidate]:
    """Yield a sum in which two columns replace the only term that has an odd coefficient.

    Parameters
    ----------
    values : Values
        The rows.
    law : Law
        A sum.
    tied : sequence of int
        The columns that may replace a term.
    """
    raw = law.raw_coefficients(values.scale)
    size = float(np.median(np.abs(raw)))
    odd = [
        k
        for k, (value, each) in enumerate(zip(raw, law.monomials, strict=True))
        if each and abs(abs(value) / size - 1) > CANCELS
    ]
    if len(odd) != 1 or len(raw) < 3:
        return
    some = values.take(_spread(values.n_rows, SCREENED_ROWS))
    terms = law.terms(some)
    # A coefficient is `unit` if the column, in units of the table, has the typical coefficient.
    column = law.monomials[odd[0]][0][0][0]
    unit = size * law.coefficients[odd[0]] / (values.scale[column] * raw[odd[0]])
    wanted = terms[:, odd[0]] / unit
    others = [i for i in tied if i not in law.columns or i == column]
    width = max(float(np.median(printed_widths(some, i)) * some.scale[i]) for i in law.columns)
    for (i, j), (one, other) in product(combinations(others, 2), product((1.0, -1.0), repeat=2)):
        if (np.abs(one * some.x[:, i] + other * some.x[:, j] - wanted) <= WIDTHS * width).all():
            kept = [k for k in range(len(raw)) if k != odd[0]]
            added = ((one, i), (other, j))
            yield Candidate(
                Law(
                    np.append(
                        law.coefficients[kept], [sign * unit * values.scale[k] for sign, k in added]
                    ),
                    (*(law.monomials[k] for k in kept), *((((k, "x"), 1),) for _, k in added)),
                ),
                float(len(tied)) ** 2,
                None,
            )


def _sums_of_two_laws(context: SearchContext) -> Iterator[Candidate]:
    """Yield sums that two accepted sums give together, in which a coefficient is 0, 1 or -1."""
    linear = [law for law in context.laws if law.is_linear]
    scale = context.train.scale
    for one, other in permutations(linear, 2):
        for column in {*one.columns} & {*other.columns}:
            for wanted in (0.0, 1.0, -1.0):
                law = _combined(one, other, (((column, "x"), 1),), wanted, scale)
                if law is not None and len(law.columns) <= len(one.columns) + (wanted != 0):
                    yield Candidate(law, float(len(linear)) ** 2, None)


def _combined(one: Law, other: Law, own: Monomial, wanted: float, scale: Array) -> Law | None:
    """Return the first law plus a multiple of the second; None if fewer than two terms are left.

    Parameters
    ----------
    one, other : Law
        Two sums.
    own : Monomial
        A column of both.
    wanted : float
        Its coefficient in the result, as a multiple of the largest coefficient of `one`, where
        columns are not scaled.
    scale : array
        The scales of the columns.
    """
    first, second = (
        {
            each: c * _unit(each, scale)
            for each, c in zip(law.monomials, law.coefficients.tolist(), strict=True)
        }
        for law in (one, other)
    )
    typical = float(np.median(np.abs([c for each, c in first.items() if each])))
    factor = (first[own] - wanted * typical) / second[own]
    merged = {
        each: first.get(each, 0.0) - factor * second.get(each, 0.0) for each in first | second
    }
    sizes = {
        each: abs(first.get(each, 0.0)) + abs(factor * second.get(each, 0.0)) for each in merged
    }
    kept = {each: c for each, c in merged.items() if abs(c) > CANCELS * sizes[each]}
    if len(kept) < 2 or not factor:
        return None
    return Law(np.array([c / _unit(each, scale) for each, c in kept.items()]), tuple(kept))


def _unit(monomial: Monomial, scale: Array) -> float:
    """Return the factor from the coefficient of a scaled column to that of the column itself."""
    return 1 / float(scale[monomial[0][0][0]]) if monomial else 1.0


def _spread(n_rows: int, n: int) -> IntArray:
    """Return the indices of about n rows, evenly spread over the table."""
    return np.unique(np.linspace(0, n_rows - 1, min(n, n_rows)).astype(np.intp))
