"""Sums of few functions that give a target: by adding functions, and by leaving them out.

Functions and target are vectors, of values in rows or of coordinates along orthonormal functions;
all that matters is their products. Formulas and laws are both found by this search. What a term
must gain is for them to say.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.linalg import qr, solve_triangular

from gramian._support.types import Array, IntArray

WIDTH = 30
"""At most this many sums of a length are kept."""
INDEPENDENT = 1e-13
NEW = 1e-10
"""A function adds nothing to a sum if the functions of that sum leave no more of it."""
RANK = 1e-9
"""A function is not told from a sum of the others if these leave less of it."""
ONE_BY_ONE = 40
"""With more functions than this, a quarter is left out at once."""


def growing(gram: Array, cross: Array, max_terms: int, width: int = WIDTH) -> Iterator[IntArray]:
    """Yield the best sums of one function, of two, and so on: a beam search.

    Parameters
    ----------
    gram : array of shape (n_functions, n_functions)
        Products of functions of size 1.
    cross : array of shape (n_functions,)
        Their products with the target.
    max_terms : int
        How many functions may be added up.
    width : int, default=30
        How many sums of a length are kept.

    Yields
    ------
    beam : array of shape (n_sums, n_terms)
        Functions that are added up, the sums that leave least first.
    """
    beam = np.empty((1, 0), dtype=np.intp)
    for _ in range(min(max_terms, len(cross))):
        beam = _grown(gram, cross, beam, width)
        if not len(beam):
            return
        yield beam


def _grown(gram: Array, cross: Array, beam: IntArray, width: int) -> IntArray:
    """Add every function to every sum, and return the new sums, those that leave least first.

    With A the Gram matrix of a sum's functions and c their products with the target, a function f
    gains (cf − aᵀA⁻¹c)² / (1 − aᵀA⁻¹a), where a are its products with them.
    """
    if not beam.shape[1]:
        order = np.argsort(-np.abs(cross), kind="stable")[:width]
        return order[np.abs(cross[order]) > 0][:, np.newaxis]
    inner = gram[beam[:, :, np.newaxis], beam[:, np.newaxis, :]]
    inner += INDEPENDENT * np.eye(beam.shape[1])
    outer = gram[beam]
    taken = np.linalg.solve(inner, outer)
    own = 1.0 - np.einsum("bkn,bkn->bn", outer, taken)
    known = cross[beam]
    rest = cross - np.einsum("bk,bkn->bn", known, taken)
    explained = np.einsum("bk,bk->b", known, np.linalg.solve(inner, known[..., np.newaxis])[..., 0])
    gain = np.where(own > NEW, rest**2 / np.maximum(own, NEW), 0.0)
    np.put_along_axis(gain, beam, 0.0, axis=1)
    total = explained[:, np.newaxis] + gain
    total[gain <= 0] = -np.inf
    best = np.argsort(-total, axis=None)[: 4 * width]
    best = best[np.isfinite(total.ravel()[best])]
    rows, columns = np.unravel_index(best, total.shape)
    sums = np.sort(np.column_stack([beam[rows], columns]), axis=1)
    _, first = np.unique(sums, axis=0, return_index=True)
    grown: IntArray = sums[np.sort(first)][:width]
    return grown


def shrinking(functions: Array, target: Array) -> Iterator[IntArray]:
    """Begin with all functions, leave out the least useful ones, and yield what remains each time.

    Parameters
    ----------
    functions : array of shape (n_products, n_functions)
        Functions of size 1.
    target : array of shape (n_products,)
        The target.
    """
    chosen = np.arange(functions.shape[1])
    while len(chosen):
        q, r, order = qr(functions[:, chosen], mode="economic", pivoting=True, check_finite=False)
        diagonal = np.abs(r.diagonal())
        rank = int(np.count_nonzero(diagonal > RANK * diagonal[0]))
        chosen = chosen[order[:rank]]
        inverse = solve_triangular(r[:rank, :rank], np.eye(rank), check_finite=False)
        coefficients = inverse @ (q[:, :rank].T @ target)
        yield np.sort(chosen)
        # What is left grows by c² / (A⁻¹)ii if a function goes, with A the Gram matrix.
        missed = coefficients**2 / np.einsum("ij,ij->i", inverse, inverse)
        n_out = 1 if rank <= ONE_BY_ONE else rank // 4
        chosen = chosen[np.sort(np.argsort(missed, kind="stable")[n_out:])]
