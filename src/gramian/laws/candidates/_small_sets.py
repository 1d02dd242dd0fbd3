"""Candidates: polynomial laws of all sets of two, three and four columns."""

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
"""Largest degree for each number of columns."""
MAX_SETS = 30_000
"""Largest number of sets of one size that are enumerated."""
SET_ROWS = 300
"""About the number of rows that show whether a set may hide a law."""
SUSPICIOUS = 1e-13
"""A set may hide a law if an eigenvalue of its Gram matrix is a smaller share of the largest."""
BATCH = 500
"""Number of sets whose Gram matrices are computed at once."""


def small_sets(context: SearchContext) -> Iterator[Candidate]:
    """Yield laws of few columns, except of sets that known laws tie."""
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
    """Return powers of standardized columns, shape (degree + 1, n_columns, n_rows)."""
    step = max(1, values.n_rows // SET_ROWS)
    x = values.x[::step][:SET_ROWS].T / values.scale[:, np.newaxis]
    x = x - x.mean(axis=1, keepdims=True)
    size = np.abs(x).max(axis=1, keepdims=True)
    x = x / np.where(size > 0, size, 1.0)
    return np.stack([x**power for power in range(degree + 1)])


def _suspicious(table: Array, sets: IntArray, powers: IntArray) -> NDArray[np.bool_]:
    """Return True for sets whose functions seem to be linearly dependent."""
    functions = np.ones((len(sets), len(powers), table.shape[2]))
    for place in range(sets.shape[1]):
        functions *= table[powers[:, place][np.newaxis, :], sets[:, place][:, np.newaxis]]
    norms = np.linalg.norm(functions, axis=2, keepdims=True)
    functions /= np.where(norms > 0, norms, 1.0)
    eigenvalues = np.linalg.eigvalsh(functions @ functions.transpose(0, 2, 1))
    flags: NDArray[np.bool_] = eigenvalues[:, 0] < SUSPICIOUS * eigenvalues[:, -1]
    return flags
