"""Candidate laws: polynomial laws within each set of two, three or four columns."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import chain, combinations, islice

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array, IntArray
from gramian.laws.candidates._null_space import caps_of, dependencies, monomials_of
from gramian.laws.candidates._search_context import Candidate, SearchContext
from gramian.laws.forms import Law, Values

DEGREES = {2: 6, 3: 4, 4: 3}
"""Largest degree of polynomial laws, for each number of columns in a set."""
MAX_SETS = 30_000
"""Sets of a size are searched only if there are at most this many sets of this size."""
SET_ROWS = 150
"""About the number of rows in which sets are tested before laws are fitted."""
SUSPICIOUS = 1e-13
"""A set may have a law if an eigenvalue of its Gram matrix is below this share of the largest."""
BATCH = 500
"""Number of sets of columns whose Gram matrices are computed in one step."""


def small_sets(context: SearchContext) -> Iterator[Candidate]:
    """Yield polynomial laws of two to four columns among which no law was accepted before."""
    values, columns = context.train, context.columns
    tied = [set(law.columns) for law in context.laws]
    free = set(context.free)

    def skip(columns: Sequence[int]) -> bool:
        return (
            any(each.issubset(columns) for each in tied)
            or any(each.issuperset(columns) for each in context.settled)
            or (len(columns) > 2 and not free.issuperset(columns))
        )

    for size, degree in DEGREES.items():
        if math.comb(len(columns), size) > MAX_SETS:
            continue
        variables = [(i, "x") for i in range(size)]
        shape = [*chain.from_iterable(monomials_of(variables, degree, {}))]
        if values.n_rows < 2 * len(shape):
            continue
        powers = np.array([[dict(each).get(v, 0) for v in variables] for each in shape])
        n_tried = float(math.comb(len(columns), size) * len(shape))
        table = _standardized(values, degree)
        sets = (each for each in combinations(columns, size) if not skip(each))
        found: list[Law] = []
        while batch := list(islice(sets, BATCH)):
            flagged = _suspicious(table, np.array(batch), powers)
            for chosen in (each for each, flag in zip(batch, flagged, strict=True) if flag):
                own = [(i, "x") for i in chosen]
                functions = monomials_of(own, degree, caps_of(chosen, values.traits))
                found += dependencies(values, [*chain.from_iterable(functions)])
        for law in sorted(found, key=lambda each: len(each.monomials)):
            yield Candidate(law, n_tried)


def _standardized(values: Values, degree: int) -> Array:
    """Return powers of columns that are centred and scaled to absolute values of at most 1.

    The shape of the result is (degree + 1, n_columns, n_rows).
    """
    step = max(1, values.n_rows // SET_ROWS)
    x = values.x[::step][:SET_ROWS].T / values.scale[:, np.newaxis]
    x = x - x.mean(axis=1, keepdims=True)
    size = np.abs(x).max(axis=1, keepdims=True)
    x = x / np.where(size > 0, size, 1.0)
    return np.stack([x**power for power in range(degree + 1)])


def _suspicious(table: Array, sets: IntArray, powers: IntArray) -> NDArray[np.bool_]:
    """Return for each set True if its monomials seem linearly dependent, so that a law may exist.

    `table` comes from `_standardized`; `powers` has the exponents of each monomial in a row.
    """
    functions = np.ones((len(sets), len(powers), table.shape[2]))
    for place in range(sets.shape[1]):
        functions *= table[powers[:, place][np.newaxis, :], sets[:, place][:, np.newaxis]]
    norms = np.linalg.norm(functions, axis=2, keepdims=True)
    functions /= np.where(norms > 0, norms, 1.0)
    eigenvalues = np.linalg.eigvalsh(functions @ functions.transpose(0, 2, 1))
    flags: NDArray[np.bool_] = eigenvalues[:, 0] < SUSPICIOUS * eigenvalues[:, -1]
    return flags
