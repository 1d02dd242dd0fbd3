"""Candidate laws of tables with wrong cells: products and ratios of up to four factors.

The logarithm of a product is a sum of logarithms, which least absolute deviations find in spite of
wrong cells. One of the factors may be a percentage more or less: 1 + c/100 or 1 - c/100.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from gramian._support.time_limit import check_time
from gramian._support.types import Array
from gramian.laws.candidates._catalogue import NO_DENOMINATOR, CatalogueFunction, percent
from gramian.laws.candidates._laws_with_exceptions import least_absolute, refined
from gramian.laws.candidates._search_context import Candidate, SearchContext
from gramian.laws.forms import ONE, Law, Monomial, Values, multiplied
from gramian.laws.judge import LEAST_SHARE, rows_that_hold

MOST_COLUMNS = 16
"""Products are searched among at most this many columns."""
FIRST_ROWS = 240
"""Number of rows to which logarithms are fitted."""
FEWEST_ROWS = 30
"""Fewest rows without zeros that are enough for a fit."""
LEAST_SPREAD = 0.01
"""Smallest deviation of the logarithm of a factor: that of ids such as 9,000,001 is a constant."""
FACTORS = (2, 4)
"""Smallest and largest number of factors, a percentage more or less among them."""
LARGEST_EXPONENT = 3
"""Largest size of an exponent."""
WHOLE = 0.05
"""Largest difference between an exponent of the fit and a whole number."""
PROMISING = 0.15
"""Largest usual error of a promising fit to logarithms, as a share of the spread of the column."""
USUAL = 0.3
"""Share of the rows whose error is at most the usual error."""
CLEARLY_MORE = 0.05
"""Share of the rows by which more rows obey a law if another column is the computed one."""
FEWEST_LEVELS = 12
"""A column with fewer distinct values is not computed by a law of this kind."""


class Percentage(NamedTuple):
    """A factor 1 + c/100 or 1 - c/100; 1 + c or 1 - c for a share of a whole."""

    column: int
    share: float
    """0.01 or -0.01; 1 or -1 for a share of a whole."""

    def log(self, values: Values) -> Array:
        """Return the logarithm of the factor in each row."""
        return _log(1 + self.share * values.x[:, self.column])


def products_with_exceptions(context: SearchContext) -> Iterator[Candidate]:
    """Yield products of powers of columns that give a column in most rows."""
    columns, free = context.distinct, {*context.free}
    if not FACTORS[0] < len(columns) <= MOST_COLUMNS or context.train.n_rows < FEWEST_ROWS:
        return
    values = context.train
    order = np.random.default_rng(0).permutation(values.n_rows)[:FIRST_ROWS]
    some = values.take(order)
    percentages = [
        Percentage(i, sign * unit)
        for i in columns
        if (unit := percent(values.x[:, i]))
        for sign in (-1.0, 1.0)
    ]
    logs = {i: _log(some.x[:, i]) for i in columns}
    usable = [
        i
        for i in columns
        if np.mean(there := np.isfinite(logs[i])) >= LEAST_SHARE
        and np.std(logs[i][there]) >= LEAST_SPREAD
    ]
    n_tried = float((2 * LARGEST_EXPONENT + 1) * len(columns)) ** FACTORS[1]
    found: list[tuple[int, int, Law]] = []
    for target in usable:
        check_time()
        # Logarithms of columns that laws tie are no independent terms of a sum.
        others = [i for i in usable if i in free - context.tied_to(target)]
        if values.n_distinct(target) < FEWEST_LEVELS or len(others) < FACTORS[0]:
            continue
        near = [each for each in percentages if each.column in free - context.tied_to(target)]
        less = [each.log(some) for each in near if each.share < 0]
        if _fitted([*(logs[i] for i in others), *less], logs[target]) is None:
            continue
        for percentage in (None, *near):
            function = _product(some, logs, target, others, percentage)
            law = None if function is None else refined(values, target, function, constant=False)
            if function is not None and law is not None:
                divisors = sum(power < 0 for _, each in function.parts for _, power in each)
                divisors += function.below != NO_DENOMINATOR
                found.append((divisors, target, law))
    # Of two decimal columns, the one with fewer divisors was computed, unless more rows obey the
    # law that gives the other one.
    shares: dict[frozenset[int], tuple[int, float]] = {}
    for divisors, target, law in sorted(found, key=lambda each: each[0]):
        key, share = frozenset(law.columns), float(rows_that_hold(law, values, target).mean())
        fewest, most = shares.get(key, (divisors, 0.0))
        if divisors == fewest or share > most + CLEARLY_MORE:
            yield Candidate(law, n_tried, target)
            if not values.traits[target].whole:
                shares[key] = min(divisors, fewest), max(share, most)


def _log(x: Array) -> Array:
    """Return the logarithm of the size of numbers; -inf for zero."""
    with np.errstate(divide="ignore"):
        return np.log(np.abs(x))


def _fitted(terms: Sequence[Array], y: Array) -> Array | None:
    """Return the coefficients of a sum of terms and a constant, if most rows are near the sum."""
    design = np.column_stack([*terms, np.ones(len(y))])
    there = np.isfinite(design).all(axis=1) & np.isfinite(y)
    if there.sum() < max(FEWEST_ROWS, 2 * design.shape[1]):
        return None
    design, y = design[there], y[there]
    found = least_absolute(design, y)
    if found is None:
        return None
    usual = np.quantile(np.abs(y - design @ found), USUAL)
    spread = np.quantile(np.abs(y - np.median(y)), USUAL)
    return found if usual <= PROMISING * spread else None


def _product(
    some: Values,
    logs: dict[int, Array],
    target: int,
    others: Sequence[int],
    percentage: Percentage | None,
) -> CatalogueFunction | None:
    """Return the product of powers of columns that gives a column in most rows, or None.

    Parameters
    ----------
    some : Values
        The rows.
    logs : dict from int to array
        Logarithms of columns in these rows.
    target : int
        The column that the product gives.
    others : sequence of int
        The columns that may be factors.
    percentage : Percentage or None
        A further factor.
    """
    if percentage is not None:
        others = [i for i in others if i != percentage.column]
    terms = [logs[i] for i in others]
    found = _fitted(terms if percentage is None else [*terms, percentage.log(some)], logs[target])
    if found is None:
        return None
    whole = np.rint(found[:-1])
    powers = {i: int(p) for i, p in zip(others, whole[: len(others)], strict=True) if p}
    n_factors = np.count_nonzero(whole)
    if (
        np.abs(found[:-1] - whole).max() > WHOLE
        or np.abs(whole).max() > LARGEST_EXPONENT
        or not FACTORS[0] <= n_factors <= FACTORS[1]
    ):
        return None
    if percentage is None:
        return CatalogueFunction(((1.0, _monomial(powers)),))
    power = int(whole[-1])
    if abs(power) != 1:
        return None
    return _with_percentage(powers, percentage, some.scale, power)


def _monomial(powers: dict[int, int]) -> Monomial:
    return tuple(((i, "x"), power) for i, power in sorted(powers.items()))


def _with_percentage(
    powers: dict[int, int], percentage: Percentage, scale: Array, power: int
) -> CatalogueFunction:
    """Return a product that has a percentage more or less as a factor, or as its denominator."""
    column: Monomial = (((percentage.column, "x"), 1),)
    share = percentage.share * float(scale[percentage.column])
    product = _monomial(powers)
    if power == 1:
        return CatalogueFunction(((1.0, product), (share, multiplied(product, column))))
    return CatalogueFunction(((1.0, product),), ((1.0, ONE), (share, column)))
