"""Candidate laws φ(y) = a ψ(x) + b of two columns; φ and ψ are simple functions of one column."""

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
"""Functions of a column that are tried as φ and ψ, with their powers; simple functions first."""
MIN_CORRELATION = 0.999
"""Two functions become a candidate law only if their absolute correlation exceeds this."""
BETTER = 0.5
"""A complex law replaces a simple law only if it reduces the residual below this share."""
RESIDUAL_FLOOR = 1e-12
"""Lower limit of residuals of vectors of norm 1: smaller residuals are rounding errors."""
NO_SHIFT = 1e-12
"""The constant b counts as zero if it is at most this share of the largest value of φ(y)."""
PAIRED_COLUMNS = 600
"""Pairs of columns are compared only if there are at most this many columns."""


def exact_pairs(context: SearchContext) -> Iterator[Candidate]:
    """Yield laws of two columns, found and fitted in all rows of `context.train`."""
    n_tried = 25.0 * len(context.columns) ** 2
    for law in _pairs(context.train, context.columns):
        yield Candidate(law, n_tried)


def noisy_pairs(context: SearchContext) -> Iterator[Candidate]:
    """Yield noisy laws of two columns, found in `context.few` and fitted to `context.train`.

    Columns that accepted laws compute are left out.
    """
    free = context.free
    for law in _pairs(context.few, free):
        yield Candidate(refit_law(law, context.train), 25.0 * len(free) ** 2)


def _pairs(values: Values, columns: Sequence[int]) -> Iterator[Law]:
    """Yield for each pair of columns the best law φ(y) = a ψ(x) + b, if one almost holds.

    Parameters
    ----------
    values : Values
        The rows in which laws are found and fitted.
    columns : sequence of int
        Indices of the columns that form the pairs.
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
    related[np.ix_(logs, logs)] = 0.0  # `power_laws` finds laws between two logarithms
    best: dict[tuple[int, int], tuple[float, int, int]] = {}
    # Simple functions come first: a later function replaces them only if it is clearly better.
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
        elif _same_power(*monomials) and slope > 0:
            # y³ = a x³ is y = ∛a x.
            power = monomials[0][0][1]
            coefficients = [-1.0, slope ** (1 / float(power))]
            monomials = [((each[0][0], 1),) for each in monomials]
        yield without_common_factor(Law(np.array(coefficients), tuple(monomials)))


def _same_power(one: Monomial, other: Monomial) -> bool:
    """Return True if both functions are the same power of a column."""
    return one[0][1] == other[0][1] and one[0][0][1] == other[0][0][1] == "x"


def _shifted(matrix: Array, i: int, j: int) -> bool:
    """Return True if a · (column j) + b fits column i clearly better than a · (column j)."""
    y, x = matrix[:, i], matrix[:, j]
    plain = y - x * (x @ y) / (x @ x)
    design = np.column_stack([np.ones(len(x)), x])
    rest = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
    return bool(np.linalg.norm(rest) < 0.9 * np.linalg.norm(plain))


def _left(one: Array, other: Array) -> float:
    """Return the norm of `one` minus its projection on `other`; both vectors have norm 1.

    The formula √(1 − (one · other)²) would lose digits by cancellation.
    """
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
