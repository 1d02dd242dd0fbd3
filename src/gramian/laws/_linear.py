"""Sums and power laws: null spaces of columns, and of their logarithms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
from scipy.sparse.csgraph import connected_components

from gramian._support.types import Array
from gramian.laws._law import ONE, Law, Monomial, Values, Variable
from gramian.laws._nullspace import without_common_factor

NULL = 1e-11
"""Singular values below this, of centred columns of unit size, belong to the null space."""
PRESENT = 1e-6
"""Entries below this, of vectors whose largest entry is 1, are rounding errors."""
ITERATIONS = 40
MAX_DENOMINATOR = 12
"""Exponents are recognized as fractions with denominators up to this."""


def null_vectors(matrix: Array) -> Iterator[Array]:
    """Yield independent vectors v with as few entries as possible, (matrix − mean) v = 0.

    Parameters
    ----------
    matrix : array of shape (n_rows, n_functions)
        Functions. One that is constant in these rows is in no vector.
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
    """Return a basis of the same space, made of vectors with few entries."""
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
    """Return a vector of the space whose entry k is 1 and whose others are few (reweighted)."""
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
    # Once the support is known the vector follows from what must vanish.
    _, sizes, right = np.linalg.svd(basis[others], full_matrices=True)
    rank = int((sizes > PRESENT).sum())
    inside = right[rank:].T
    if inside.shape[1] != 1:
        return vector
    exact = basis @ inside[:, 0]
    return exact / exact[k] if abs(exact[k]) > PRESENT else vector


def sums(values: Values, columns: Sequence[int], power: int = 1) -> Iterator[Law]:
    """Yield the laws that are linear in some columns, or in a power of each of them."""
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
        if abs(constant) > 1e-12 * size:
            coefficients, terms = np.append(coefficients, constant), [*terms, ONE]
        law = Law(coefficients / np.abs(coefficients).max(), tuple(terms))
        yield without_common_factor(law)


def power_laws(values: Values, variables: Sequence[Variable]) -> Iterator[Law]:
    """Yield the laws of products of powers: variables are never zero, and x or sin or cos."""
    if len(variables) < 2:
        return
    matrix = np.log(np.abs(np.column_stack([values.of(each) for each in variables])))
    fine = np.flatnonzero(np.isfinite(matrix).all(axis=0))  # sines may be zero
    variables = [variables[i] for i in fine.tolist()]
    matrix = matrix[:, fine]
    if len(variables) < 2:
        return
    for vector in null_vectors(matrix):
        law = power_law(values, variables, vector)
        if law is not None:
            yield law


def power_law(
    values: Values, variables: Sequence[Variable], exponents: Array, tolerance: float = 1e-5
) -> Law | None:
    """Turn exponents into a law of two terms, the powers of one sign against those of the other."""
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
    """Return the smallest whole numbers in the same ratios, if they are small."""
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
