"""Long catalogue: functions of one, two and three columns, for searches that try each of them.

Laws with exceptions and other ways to write laws are searched among these functions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, permutations

import numpy as np

from gramian._support.types import Array
from gramian.laws.candidates._catalogue import (
    CatalogueFunction,
    binary,
    function_of,
    percent,
    unary,
)
from gramian.laws.columns import Traits
from gramian.laws.forms import Monomial, Values
from gramian.laws.judge import LEAST_SHARE

TRIPLE_COLUMNS = 24
"""Products of three columns are tried in tables of at most this many columns."""
FEWEST_LEVELS = 5
"""Squares and roots of a column with fewer distinct values are not tried."""
HALF = Fraction(1, 2)


def catalogue_functions(values: Values, columns: Sequence[int]) -> list[CatalogueFunction]:
    """Return functions of one, two and three columns that suit most values, simple ones first."""
    traits = [*map(_mostly, values.traits, values.x.T)]
    percentages = {i: unit for i in columns if (unit := percent(values.x[:, i]))}
    return [*_functions(columns, traits, percentages)]


def _mostly(traits: Traits, x: Array) -> Traits:
    """Return traits that hold in most rows: a wrong cell may be zero or negative."""
    return replace(
        traits,
        positive=bool(np.mean(x > 0) >= LEAST_SHARE),
        never_zero=bool(np.mean(x != 0) >= LEAST_SHARE),
    )


def _functions(
    columns: Sequence[int], traits: Sequence[Traits], percentages: Mapping[int, float]
) -> Iterator[CatalogueFunction]:
    """Yield functions of one, two and three columns, simple functions first.

    Parameters
    ----------
    columns : sequence of int
        Indices of the columns.
    traits : sequence of Traits
        The traits of all columns.
    percentages : mapping from int to float
        The columns that may be percentages, by their indices: 0.01, or 1 for shares of a whole.
    """
    scale = [each.scale for each in traits]
    for i in columns:
        yield from unary(i, traits[i])
    for k, i in enumerate(columns):
        yield from (each for each in binary(i, columns[k:], traits) if not each.has_logs)
    for i, j in combinations(columns, 2):
        x, z = (scale[i], (((i, "x"), 1),)), (scale[j], (((j, "x"), 1),))
        both: Monomial = (((i, "x"), 1), ((j, "x"), 1))
        product = scale[i] * scale[j]
        minus = ((-z[0], z[1]), (-x[0], x[1]))
        yield CatalogueFunction((x, z))
        yield CatalogueFunction((x, minus[0]))
        yield CatalogueFunction((x, minus[0]), (x, z))
        yield from _with_a_square(i, j, traits)
        yield from _with_a_square(j, i, traits)
        if all(traits[k].positive and _many_levels(traits[k]) for k in (i, j)):
            for powers in ((HALF, HALF), (HALF, -HALF), (-HALF, HALF)):
                yield function_of(((i, "x"), powers[0]), ((j, "x"), powers[1]))
        if traits[i].never_zero:
            yield CatalogueFunction((x, minus[0]), (x,))
        if traits[j].never_zero:
            yield CatalogueFunction((z, minus[1]), (z,))
        for sign in (1.0, -1.0):  # a percentage more or less
            for own, other in ((x, j), (z, i)):
                size = sign * percentages.get(other, 0.01) * product
                yield CatalogueFunction((own, (size, both)))
        for k, unit in percentages.items():
            if k not in (i, j):
                three = tuple(sorted((*both, ((k, "x"), 1))))
                for sign in (1.0, -1.0):
                    yield CatalogueFunction(((1.0, both), (sign * unit * scale[k], three)))
    if len(columns) <= TRIPLE_COLUMNS:
        signed = {
            (sign, i, w, power): (
                sign * scale[i],
                tuple(sorted((((i, "x"), 1), ((w, "x"), power)))),
            )
            for i, w in permutations(columns, 2)
            for sign in (1.0, -1.0)
            for power in ((1, -1) if traits[w].never_zero else (1,))
        }
        for triple in combinations(columns, 3):
            yield function_of(*(((i, "x"), 1) for i in triple))
            yield from _sums_times_a_column(triple, traits, signed)


def _with_a_square(i: int, j: int, traits: Sequence[Traits]) -> Iterator[CatalogueFunction]:
    """Yield x · z² and x / z² for two columns, as in the index weight / height²."""
    if _many_levels(traits[j]):
        yield function_of(((i, "x"), 1), ((j, "x"), 2))
        if traits[j].never_zero:
            yield function_of(((i, "x"), 1), ((j, "x"), -2))


def _many_levels(traits: Traits) -> bool:
    return traits.n_levels is None or traits.n_levels >= FEWEST_LEVELS


def _sums_times_a_column(
    triple: Sequence[int],
    traits: Sequence[Traits],
    signed: Mapping[tuple[float, int, int, int], tuple[float, Monomial]],
) -> Iterator[CatalogueFunction]:
    """Yield (x ± z) · w and (x ± z) / w for three columns, each of them as w.

    `signed` has the terms ±x · w and ±x / w, by sign, x, w and the power of w.
    """
    for w in triple:
        x, z = (i for i in triple if i != w)
        for sign in (1.0, -1.0):
            for power in (1, -1) if traits[w].never_zero else (1,):
                yield CatalogueFunction((signed[1.0, x, w, power], signed[sign, z, w, power]))
