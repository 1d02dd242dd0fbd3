"""Candidate laws: exact sums of columns, and constant products of powers of columns.

The null space of the centred columns contains the sums. The null space of their logarithms contains
the products.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
from scipy.sparse.csgraph import connected_components

from gramian._support.types import Array
from gramian.formulas import MAX_DENOMINATOR
from gramian.laws.candidates._null_space import without_common_factor
from gramian.laws.candidates._search_context import SMALL_TABLE, Candidate, SearchContext
from gramian.laws.forms import ONE, Law, Monomial, Values, Variable

NULL = 1e-11
"""Singular values below this belong to the null space; columns are centred and have norm 1."""
PRESENT = 1e-6
"""Entries of a vector count as zero if they are at most this share of its largest entry."""
ITERATIONS = 40
"""Number of steps of reweighted least squares that make a vector sparse."""
NO_CONSTANT = 1e-12
"""The constant of a sum counts as zero if it is at most this share of the largest term."""
EXPONENT_ERROR = 1e-5
"""Default of `tolerance`: largest difference between an exponent and the nearest small fraction."""


def null_vectors(matrix: Array) -> Iterator[Array]:
    """Yield independent sparse vectors v with (matrix − column means) v = 0.

    Parameters
    ----------
    matrix : array of shape (n_rows, n_functions)
        Values of functions, one column for each. Constant functions have the entry 0 in v.
    """
    centred = matrix - matrix.mean(axis=0)
    norms = np.linalg.norm(centred, axis=0)
    norms[norms == 0] = 1.0
    if len(centred) <= centred.shape[1] + 1:
        return
    _, values, right = np.linalg.svd(centred / norms, full_matrices=False)
    basis = right[values < NULL * max(1.0, values[0])].T
    if not basis.shape[1]:
        return
    projector = np.abs(basis @ basis.T)
    _, labels = connected_components(projector > PRESENT, directed=False)
    for label in range(labels.max() + 1):
        members = np.flatnonzero(labels == label)
        part = basis[members]
        if len(members) < 2 or np.abs(part).max() < PRESENT:
            continue
        left, sizes, _ = np.linalg.svd(part, full_matrices=False)
        for vector in _sparsest(left[:, sizes > 0.5]):
            found = np.zeros(len(norms))
            found[members] = vector
            yield found / norms


def _sparsest(basis: Array) -> list[Array]:
    """Return sparse vectors that span the same space as the columns of `basis`."""
    candidates: dict[tuple[int, ...], Array] = {}
    for k in range(len(basis)):
        if np.linalg.norm(basis[k]) < PRESENT:
            continue
        vector = _through(basis, k)
        vector = np.where(np.abs(vector) > PRESENT * np.abs(vector).max(), vector, 0.0)
        candidates.setdefault(tuple(np.flatnonzero(vector)), vector)
    chosen: list[Array] = []
    for support in sorted(candidates, key=lambda each: (len(each), each)):
        trial = np.array([*chosen, candidates[support] / np.linalg.norm(candidates[support])])
        if np.linalg.svd(trial, compute_uv=False)[-1] > PRESENT:
            chosen = list(trial)
        if len(chosen) == basis.shape[1]:
            break
    return chosen


def _through(basis: Array, k: int) -> Array:
    """Return a sparse vector in the span of `basis` whose entry k is 1.

    Reweighted least squares finds the support; the vector is then computed exactly.
    """
    weights = np.ones(len(basis))
    vector = np.zeros(len(basis))
    for step in range(ITERATIONS):
        inner = (basis.T * weights) @ basis
        inner[np.diag_indices_from(inner)] += 1e-14 * np.trace(inner)
        direction = np.linalg.solve(inner, basis[k])
        vector = basis @ (direction / (basis[k] @ direction))
        floor = 10.0 ** -min(step / 4, 7)
        weights = 1 / (np.abs(vector) + floor) ** 1.5
    support = np.flatnonzero(np.abs(vector) > PRESENT * np.abs(vector).max())
    others = np.setdiff1d(np.arange(len(basis)), support)
    if not len(others):
        return vector
    # All entries outside the support must be zero; this determines the vector.
    _, sizes, right = np.linalg.svd(basis[others], full_matrices=True)
    rank = int((sizes > PRESENT).sum())
    inside = right[rank:].T
    if inside.shape[1] != 1:
        return vector
    exact = basis @ inside[:, 0]
    return exact / exact[k] if abs(exact[k]) > PRESENT else vector


def sums(context: SearchContext) -> Iterator[Candidate]:
    """Yield laws that are linear in columns, in their squares, or in their inverses."""
    traits = context.traits
    flags = {i for i in context.columns if context.is_flag(i)}
    for power in (1, 2, -1):
        columns = [
            i
            for i in context.columns
            if power == 1 or (traits[i].n_levels is None and (power > 0 or traits[i].never_zero))
        ]
        for law in exact_sums(context.train, columns, power):
            # A law of flags only was found among the flags: fewer candidates were tried.
            pool = flags if flags.issuperset(law.columns) else columns
            yield Candidate(law, float(math.comb(len(pool), len(law.columns))))


def exact_sums(values: Values, columns: Sequence[int], power: int = 1) -> Iterator[Law]:
    """Yield independent sparse sums of powers of columns that are zero or constant in all rows.

    Parameters
    ----------
    values : Values
        The rows.
    columns : sequence of int
        The columns that may be in a sum.
    power : int, default=1
        The power of all columns.
    """
    if len(columns) < 2:
        return
    monomials: list[Monomial] = [(((column, "x"), power),) for column in columns]
    matrix = values.matrix(monomials)
    for vector in null_vectors(matrix):
        support = np.flatnonzero(vector)
        coefficients = vector[support]
        constant = -float((matrix[:, support] @ coefficients).mean())
        size = np.abs(coefficients * np.abs(matrix[:, support]).max(axis=0)).max()
        terms = [monomials[i] for i in support]
        if abs(constant) > NO_CONSTANT * size:
            coefficients, terms = np.append(coefficients, constant), [*terms, ONE]
        law = Law(coefficients / np.abs(coefficients).max(), tuple(terms))
        yield without_common_factor(law)


def power_laws(context: SearchContext) -> Iterator[Candidate]:
    """Yield laws in which a product of powers of columns is constant.

    In small tables, the sine and cosine of one column may also be factors.
    """
    variables: list[Variable] = [
        (i, "x")
        for i in context.columns
        if context.traits[i].never_zero and np.ptp(np.abs(context.train.x[:, i])) > 0
    ]
    for law in _power_laws(context.train, variables):
        yield Candidate(law, float(len(variables) ** len(law.columns)))
    if len(variables) > SMALL_TABLE:
        return
    for j in context.columns:
        if context.traits[j].angle:
            others = [each for each in variables if each[0] != j]
            others += [(j, "sin"), (j, "cos")]
            for law in _power_laws(context.train, others):
                yield Candidate(law, float(len(others) ** len(law.columns)))


def _power_laws(values: Values, variables: Sequence[Variable]) -> Iterator[Law]:
    """Yield laws in which a product of powers of the variables is constant in all rows.

    A variable is a column or a function of a column.
    """
    if len(variables) < 2:
        return
    matrix = np.log(np.abs(np.column_stack([values.of(each) for each in variables])))
    fine = np.flatnonzero(np.isfinite(matrix).all(axis=0))  # a sine of zero has no logarithm
    variables = [variables[i] for i in fine.tolist()]
    matrix = matrix[:, fine]
    if len(variables) < 2:
        return
    for vector in null_vectors(matrix):
        law = power_law(values, variables, vector)
        if law is not None:
            yield law


def power_law(
    values: Values,
    variables: Sequence[Variable],
    exponents: Array,
    tolerance: float = EXPONENT_ERROR,
) -> Law | None:
    """Return the law that the product of powers of variables is constant, as an equation.

    Variables with positive exponents are on the left side, others on the right side. Return None if
    the ratios of exponents are not small fractions, up to the tolerance.

    Parameters
    ----------
    values : Values
        The rows, from which the constant is computed.
    variables : sequence of Variable
        Columns, or functions of a column.
    exponents : array
        The exponent of each variable, not yet rounded.
    tolerance : float
        The largest error of an exponent.
    """
    integers = whole(exponents, tolerance)
    if integers is None:
        return None
    ups = tuple(sorted((variables[i], p) for i, p in enumerate(integers) if p > 0))
    downs = tuple(sorted((variables[i], -p) for i, p in enumerate(integers) if p < 0))
    with np.errstate(all="ignore"):
        factor = float(np.median(values.product(ups) / values.product(downs)))
    if not np.isfinite(factor) or factor == 0:
        return None
    return Law(np.array([1.0, -factor]), (ups, downs))


def whole(exponents: Array, tolerance: float) -> list[int] | None:
    """Scale exponents to small whole numbers, the first one positive; None if impossible."""
    largest = exponents[np.argmax(np.abs(exponents))]
    ratios = exponents / largest
    multiple = 1
    for ratio in ratios:
        near = Fraction(float(ratio)).limit_denominator(MAX_DENOMINATOR)
        if abs(float(near) - ratio) > tolerance:
            return None
        multiple = int(np.lcm(multiple, near.denominator))
    if multiple > MAX_DENOMINATOR:
        return None
    found = [round(float(ratio) * multiple) for ratio in ratios]
    first = next(each for each in found if each)
    return [each if first > 0 else -each for each in found]
