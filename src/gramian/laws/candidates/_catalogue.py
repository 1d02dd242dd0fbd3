"""Candidate laws y = a f + b, where f is a catalogued function of one or two other columns.

Published tables often contain logarithms, squares, ratios and products of their own columns,
rounded to a few digits. Each column is compared with every such function of the other columns. A
function whose correlation with the column is almost 1 becomes a candidate law; the judge then
decides whether all rows agree with the law up to the rounding of the numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from heapq import nsmallest
from itertools import chain
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from gramian._support.types import Array
from gramian.laws._law_tolerances import SCREENED_SHARE
from gramian.laws.candidates._null_space import without_common_factor
from gramian.laws.candidates._search_context import Candidate, SearchContext
from gramian.laws.columns import Traits
from gramian.laws.forms import ONE, Law, Monomial, Values, Variable, multiplied
from gramian.laws.judge import LEAST_SHARE

FITTED_FUNCTIONS = 8
"""For each column, at most this many functions are fitted: those with the highest correlation."""
FEWEST_LEVELS = 4
"""Squares, logarithms, exponentials are tried for columns with at least so many distinct values."""
LARGEST_EXP_ARGUMENT = 50.0
"""The exponential of a column is tried only if all its absolute values are below this limit."""
WORK = 2e10
"""About the largest number of multiplications to compare functions of two columns with columns.

The number of rows in the comparison is chosen accordingly, within the limits `ROWS`.
"""
ROWS = (200, 2_000)
"""Least and largest number of rows in which functions of two columns are compared with columns."""
CANCELS = 1e-6
"""Equal terms cancel if |sum of coefficients| is at most this share of the sum of |coefficient|."""
SHARPEST = 1e-2
"""Row weights are at most 1 / SHARPEST; a last digit of median width has the weight 1."""
NO_VARIATION = 1e-13
"""A column is constant if its norm after centring is at most this share of its largest value."""


NO_DENOMINATOR = ((1.0, ONE),)
"""The denominator of a function that is not a ratio: the constant 1."""


class CatalogueFunction(NamedTuple):
    """A function of columns: a sum of monomials with fixed coefficients, or a ratio of two sums."""

    parts: tuple[tuple[float, Monomial], ...]
    """The terms of the numerator, as (coefficient, monomial) pairs."""
    below: tuple[tuple[float, Monomial], ...] = NO_DENOMINATOR
    """The terms of the denominator; the constant 1 if the function is not a ratio."""

    def values(self, values: Values) -> Array:
        """Return the value of the function in each row."""
        above = _added(self.parts, values)
        return above if self.below == NO_DENOMINATOR else above / _added(self.below, values)

    def law(self, target: Variable, factor: float, constant: float) -> Law:
        """Return the law target = factor · function + constant, with all terms as monomials.

        If the function is a ratio, the law is multiplied by its denominator.
        """
        terms = [(-c, multiplied(((target, 1),), each)) for c, each in self.below]
        terms += [(factor * c, each) for c, each in self.parts]
        if constant:
            terms += [(constant * c, each) for c, each in self.below]
        merged: dict[Monomial, float] = {}
        sizes: dict[Monomial, float] = {}
        for coefficient, monomial in terms:
            merged[monomial] = merged.get(monomial, 0.0) + coefficient
            sizes[monomial] = sizes.get(monomial, 0.0) + abs(coefficient)
        # In y = 1 − x / (x + z), terms cancel up to the rounding of the numbers.
        merged = {each: c for each, c in merged.items() if abs(c) > CANCELS * sizes[each]}
        return without_common_factor(Law(np.array(list(merged.values())), tuple(merged)))

    @property
    def has_logs(self) -> bool:
        """True if the numerator of the function contains a logarithm."""
        return any(atom == "log" for _, monomial in self.parts for (_, atom), _ in monomial)

    @property
    def is_column(self) -> bool:
        """True if the function is a column itself."""
        return (
            self.below == NO_DENOMINATOR
            and len(self.parts) == 1
            and ([(atom, power) for (_, atom), power in self.parts[0][1]] == [("x", 1)])
        )

    @property
    def columns(self) -> set[int]:
        """Indices of the columns in the numerator of the function."""
        return {i for _, monomial in self.parts for (i, _), _ in monomial}

    @property
    def columns_of_both(self) -> set[int]:
        """Indices of the columns in the numerator and in the denominator of the function."""
        sides = (*self.parts, *self.below)
        return {i for _, monomial in sides for (i, _), _ in monomial}


def functions_of_one_column(context: SearchContext) -> Iterator[Candidate]:
    """Yield laws y = a f(x) + b and exp(y) = a x + b that almost hold between two columns.

    The target of each candidate is the column y.
    """
    values, columns = context.train, context.distinct
    traits, n_tried = values.traits, 10.0 * len(columns) ** 2
    functions = [each for i in columns for each in unary(i, traits[i])]
    targets: list[Variable] = [(i, "x") for i in columns if traits[i].n_levels != 2]
    yield from _laws(values, values, targets, [functions], n_tried)
    plain = [function_of(((i, "x"), 1)) for i in columns if _many(traits[i])]
    exponentials: list[Variable] = [
        (i, "exp")
        for i in columns
        if _many(traits[i]) and np.abs(values.x[:, i]).max() < LARGEST_EXP_ARGUMENT
    ]
    yield from _laws(values, values, exponentials, [plain], n_tried)


def products_of_two_columns(context: SearchContext) -> Iterator[Candidate]:
    """Yield laws y = a f + b that almost hold; f is x · z, x / z, or the share x / (x + z)."""
    return _of_two_columns(context, logs=False)


def logarithms_of_two_columns(context: SearchContext) -> Iterator[Candidate]:
    """Yield laws y = a f + b that almost hold; f is log x ± log z, or a flag times log x."""
    return _of_two_columns(context, logs=True)


def _of_two_columns(context: SearchContext, *, logs: bool) -> Iterator[Candidate]:
    """Yield laws y = a f(x, z) + b that almost hold for three columns x, y and z.

    `logs` selects the functions f: True for functions with logarithms, False for all others.
    """
    values, columns = context.train, context.distinct
    n = len(columns)
    rows = int(np.clip(WORK / max(4 * n**3, 1), *ROWS))
    few = values.take(np.linspace(0, values.n_rows - 1, min(rows, values.n_rows)).astype(np.intp))
    targets: list[Variable] = [(i, "x") for i in columns]
    blocks = (
        [each for each in binary(i, columns[k:], values.traits) if each.has_logs == logs]
        for k, i in enumerate(columns)
    )
    yield from _laws(values, few, targets, blocks, 5.0 * n**3)


def table_of(functions: Sequence[CatalogueFunction], values: Values) -> Array:
    """Return the values of functions in all rows, of shape (n_rows, n_functions).

    Many functions share few monomials, and each monomial is computed once.
    """
    table = _sums([each.parts for each in functions], values)
    ratios = [k for k, each in enumerate(functions) if each.below != NO_DENOMINATOR]
    table[:, ratios] /= _sums([functions[k].below for k in ratios], values)
    return table


def _sums(sums: Sequence[tuple[tuple[float, Monomial], ...]], values: Values) -> Array:
    """Return the values of sums of terms in all rows, of shape (n_rows, n_sums)."""
    places: dict[Monomial, int] = {}
    which = [places.setdefault(each, len(places)) for _, each in chain.from_iterable(sums)]
    coefficients = np.array([each for each, _ in chain.from_iterable(sums)])
    ends = np.cumsum([0, *map(len, sums)])
    weights = csr_array((coefficients, which, ends), shape=(len(sums), len(places)))
    monomials = [values.product(each) for each in places]
    found: Array = (weights @ np.array(monomials).reshape(-1, values.n_rows)).T
    return found


def _added(terms: Sequence[tuple[float, Monomial]], values: Values) -> Array:
    """Return the sum of terms, each a coefficient with its monomial, in each row."""
    found = np.zeros(values.n_rows)
    for coefficient, monomial in terms:
        found += coefficient * values.product(monomial)
    return found


def function_of(*factors: tuple[Variable, int | Fraction]) -> CatalogueFunction:
    return CatalogueFunction(((1.0, tuple(sorted(factors))),))


def _many(traits: Traits) -> bool:
    return traits.n_levels is None or traits.n_levels >= FEWEST_LEVELS


def percent(x: Array) -> float:
    """Return 0.01 if most values are from 0 to 100 and repeated, 1 if they are from 0 to 1, else 0.

    These are percentages, and shares of a whole. Flags (0 and 1) are no shares.

    Parameters
    ----------
    x : array of shape (n_rows,)
        The values of a column.
    """
    if 2 * len(np.unique(x)) > len(x):
        return 0.0
    if np.mean((x >= 0) & (x <= 1)) >= LEAST_SHARE and len(np.unique(x)) > 2:
        return 1.0
    return 0.01 if np.mean((x >= 0) & (x <= 100)) >= LEAST_SHARE else 0.0


def unary(i: int, traits: Traits) -> list[CatalogueFunction]:
    """Return the functions of column i with which other columns are compared.

    They are x, x², x³, log x, √x, x·log x, 1/x and 1/x², as far as they suit the values: only x if
    there are few distinct values.
    """
    x, log = (i, "x"), (i, "log")
    found = [function_of((x, 1))]
    if not _many(traits):
        return found
    found += [function_of((x, 2)), function_of((x, 3))]
    if traits.positive:
        found += [
            function_of((log, 1)),
            function_of((x, Fraction(1, 2))),
            function_of((log, 1), (x, 1)),
        ]
    if traits.never_zero:
        found += [function_of((x, -1)), function_of((x, -2))]
    return found


def binary(i: int, others: Sequence[int], traits: Sequence[Traits]) -> list[CatalogueFunction]:
    """Return functions of column i and one of `others`, with which other columns are compared.

    They are products, ratios, shares x / (x + z), sums and differences of logarithms, and flags
    times logarithms, as far as they suit the values.
    """
    scale = [each.scale for each in traits]
    found = []
    for j in others:
        if i == j:
            continue
        found.append(function_of(((i, "x"), 1), ((j, "x"), 1)))
        for top, bottom in ((i, j), (j, i)):
            if traits[bottom].never_zero and traits[bottom].n_levels != 2:
                found.append(function_of(((top, "x"), 1), ((bottom, "x"), -1)))
            if traits[top].n_levels == 2 and traits[bottom].positive and _many(traits[bottom]):
                found.append(function_of(((top, "x"), 1), ((bottom, "log"), 1)))
        if all(traits[k].positive and _many(traits[k]) for k in (i, j)):
            one, other = (((i, "log"), 1),), (((j, "log"), 1),)
            found.append(CatalogueFunction(((1.0, one), (1.0, other))))
            found.append(CatalogueFunction(((1.0, one), (-1.0, other))))
            x, z = (((i, "x"), 1),), (((j, "x"), 1),)
            # `Values` divides columns by their scales; x + z must be added in the original units.
            found.append(CatalogueFunction(((scale[i], x),), ((scale[i], x), (scale[j], z))))
    return found


def _laws(
    values: Values,
    few: Values,
    targets: Sequence[Variable],
    blocks: Iterable[list[CatalogueFunction]],
    n_tried: float,
) -> Iterator[Candidate]:
    """Yield laws of each target with the functions that correlate most with it.

    Parameters
    ----------
    values, few : Values
        Laws are fitted to the rows of `values`; correlations are computed in the rows of `few`.
    targets : sequence of Variable
        The columns, or functions of a column, that a law shall give.
    blocks : iterable of lists
        Lists of functions.
    n_tried : float
        The number of laws that are tried; it reduces the evidence.
    """
    if not targets:
        return
    units = _units(np.column_stack([few.of(each) for each in targets]))
    owners = np.array([i for i, _ in targets])
    best: list[list[tuple[float, int, CatalogueFunction]]] = [[] for _ in targets]
    count = 0
    for functions in blocks:
        if not functions:
            continue
        related = _units(np.column_stack([each.values(few) for each in functions])).T @ units
        left = 1 - related**2
        for f, t in zip(*np.nonzero(left < SCREENED_SHARE), strict=True):
            if owners[t] not in functions[f].columns:
                count += 1
                best[t].append((float(left[f, t]), count, functions[f]))
        best = [nsmallest(FITTED_FUNCTIONS, each) for each in best]
    for target, candidates in zip(targets, best, strict=True):
        for _, _, function in candidates:
            for law in _fits(values, target, function):
                yield Candidate(law, n_tried, target[0])


def _units(matrix: Array) -> Array:
    """Centre the columns and scale them to norm 1; constant or infinite columns become zero."""
    centred = matrix - matrix.mean(axis=0)
    norms = np.linalg.norm(centred, axis=0)
    fine = np.isfinite(norms) & (norms > NO_VARIATION * np.abs(matrix).max(axis=0))
    found: Array = np.where(fine, centred, 0.0) / np.where(fine, norms, 1.0)
    return found


def _fits(values: Values, target: Variable, function: CatalogueFunction) -> Iterator[Law]:
    """Yield the laws target = a f and target = a f + b, fitted with the weights of `_weights`.

    `target` is a column, or a function of a column; f is `function`.
    """
    y, u = values.of(target), function.values(values)
    if not (np.isfinite(u).all() and np.isfinite(y).all()):
        return
    weights = _weights(values, target)
    for constant in (False, True):
        design = np.column_stack([u, np.ones(len(u))] if constant else [u])
        found = np.linalg.lstsq(design * weights[:, np.newaxis], y * weights, rcond=None)[0]
        if found.all():
            yield function.law(target, found[0], found[1] if constant else 0.0)


def _weights(values: Values, target: Variable) -> Array:
    """Return the weight of each row: the inverse of the unit of the target's last digit.

    The unit is 0.01 for 3.14. The median unit has the weight 1. All weights are 1 if the target is
    not rounded.
    """
    column, atom = target
    x = values.x[:, column]
    width = values.half_unit(column)
    if not width.any():
        return np.ones(len(x))
    if atom == "exp":
        width = width * np.exp(x)
    typical = float(np.median(width[width > 0]))
    found: Array = 1 / np.maximum(width / typical, SHARPEST)
    return found
