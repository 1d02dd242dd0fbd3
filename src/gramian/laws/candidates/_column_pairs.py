"""Candidates of two columns: a function of one column is a line of a function of the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from gramian._support.types import Array
from gramian.laws.candidates._null_space import without_common_factor
from gramian.laws.candidates._search_context import Candidate, SearchContext
from gramian.laws.columns import Traits
from gramian.laws.forms import ONE, Law, Monomial, Values
from gramian.laws.judge import refit_law

SHAPES = (("x", 1), ("log", 1), ("x", 2), ("x", -1), ("x", 3), ("sin", 1), ("cos", 1))
"""Functions and powers, simple ones first."""
MIN_CORRELATION = 0.999
"""Least correlation of two functions that are a candidate."""
BETTER = 0.5
"""Factor by which a less simple law must reduce the residual."""
RESIDUAL_FLOOR = 1e-12
"""Smallest residual of unit vectors that is told apart from zero."""
NO_SHIFT = 1e-12
"""Largest shift that counts as zero, as a share of the largest value."""
PAIRED_COLUMNS = 600
"""Largest number of columns whose pairs are compared."""


def exact_pairs(context: SearchContext) -> Iterator[Candidate]:
    """Yield laws of two columns, fitted to all rows."""
    n_tried = 25.0 * len(context.columns) ** 2
    for law in _pairs(context.train, context.columns):
        yield Candidate(law, n_tried)


def noisy_pairs(context: SearchContext) -> Iterator[Candidate]:
    """Yield laws of two columns, found in a few rows and fitted to all rows."""
    free = context.free
    for law in _pairs(context.few, free):
        yield Candidate(refit_law(law, context.train), 25.0 * len(free) ** 2)


def _pairs(values: Values, columns: Sequence[int]) -> Iterator[Law]:
    """Yield the best law φ(y) = a ψ(x) + b of each two columns.

    Parameters
    ----------
    values : Values
        Rows.
    columns : sequence of int
        The columns.
    """
    if not 1 < len(columns) <= PAIRED_COLUMNS:
        return
    functions: list[Monomial] = [
        (((i, atom), power),)
        for atom, power in SHAPES
        for i in columns
        if _allowed(values.traits[i], atom, power)
    ]
    matrix = values.matrix(functions)
    centred = matrix - matrix.mean(axis=0)
    norms = np.linalg.norm(centred, axis=0)
    unit = centred / np.where(norms > 0, norms, np.inf)
    owner = np.array([each[0][0][0] for each in functions])
    related = np.abs(unit.T @ unit)
    related[owner[:, np.newaxis] == owner] = 0.0
    logs = np.array([each[0][0][1] == "log" for each in functions])
    related[np.ix_(logs, logs)] = 0.0  # `power_laws` finds these
    best: dict[tuple[int, int], tuple[float, int, int]] = {}
    # Simple functions come first: a later function must be clearly better.
    rows, others = np.nonzero(np.triu(related > MIN_CORRELATION))
    for i, j in sorted(zip(rows.tolist(), others.tolist(), strict=True), key=sum):
        left = max(_left(unit[:, i], unit[:, j]), RESIDUAL_FLOOR)
        pair = (min(owner[i], owner[j]), max(owner[i], owner[j]))
        if pair not in best or left < BETTER * best[pair][0]:
            best[pair] = (left, i, j)
    for _, i, j in sorted(best.values()):
        slope = float(centred[:, i] @ centred[:, j] / norms[j] ** 2)
        shift = float(matrix[:, i].mean() - slope * matrix[:, j].mean())
        coefficients, monomials = [-1.0, slope], [functions[i], functions[j]]
        if abs(shift) > NO_SHIFT * np.abs(matrix[:, i]).max() and _shifted(matrix, i, j):
            coefficients, monomials = [*coefficients, shift], [*monomials, ONE]
        yield without_common_factor(Law(np.array(coefficients), tuple(monomials)))


def _shifted(matrix: Array, i: int, j: int) -> bool:
    """Return True if a multiple without a shift is clearly worse."""
    y, x = matrix[:, i], matrix[:, j]
    plain = y - x * (x @ y) / (x @ x)
    design = np.column_stack([np.ones(len(x)), x])
    rest = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
    return bool(np.linalg.norm(rest) < 0.9 * np.linalg.norm(plain))


def _left(one: Array, other: Array) -> float:
    """Return the norm of the residual of a unit vector on another, without cancellation."""
    product = float(one @ other)
    return float(np.linalg.norm(one - product * other))


def _allowed(traits: Traits, atom: str, power: int) -> bool:
    if atom == "log":
        return traits.positive and traits.n_levels is None
    if atom in ("sin", "cos"):
        return traits.angle
    if power != 1 and traits.n_levels == 2:
        return False
    return power > 0 or traits.never_zero
