"""Sparse sums: sums of few functions that give a target, by adding functions or leaving them out.

Functions and target are vectors: values in rows, or coordinates along orthonormal functions. Only
their products matter. The search for formulas and the search for laws both use these sums, and
each decides how much a term must gain.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.linalg import qr, solve_triangular

from gramian._support.types import Array, IntArray

WIDTH = 30
"""Largest number of sums of one length that the beam keeps."""
FITTED_SUMS = 5
"""Largest number of sums of one length that are fitted closely."""
RIDGE = 1e-13
"""Ridge added to Gram matrices of unit functions, so that they can be inverted."""
NEW = 1e-10
"""Least residual variance of a unit function that can be added to a sum."""
RANK = 1e-9
"""Rank tolerance of the pivoted QR."""
ONE_BY_ONE = 40
"""With more functions than this, a quarter of the functions is left out at once."""


def growing(gram: Array, cross: Array, max_terms: int, width: int = WIDTH) -> Iterator[IntArray]:
    """Yield the best sums of one function, of two, and so on: a beam search.

    Parameters
    ----------
    gram : array of shape (n_functions, n_functions)
        Products of functions of unit size.
    cross : array of shape (n_functions,)
        Products of the functions with the target.
    max_terms : int
        The largest number of functions in a sum.
    width : int, default=30
        The largest number of sums of one length that are kept.

    Yields
    ------
    beam : array of shape (n_sums, n_terms)
        Indices of functions, one sum a row; the sums with the smallest residuals come first.
    """
    beam = np.empty((1, 0), dtype=np.intp)
    for _ in range(min(max_terms, len(cross))):
        beam = _grown(gram, cross, beam, width)
        if not len(beam):
            return
        yield beam


def _grown(gram: Array, cross: Array, beam: IntArray, width: int) -> IntArray:
    """Add every function to every sum, and return the new sums, smallest residuals first.

    With A the Gram matrix of a sum's functions and c their products with the target, a function f
    gains (cf − aᵀA⁻¹c)² / (1 − aᵀA⁻¹a), where a are its products with them.
    """
    if not beam.shape[1]:
        order = np.argsort(-np.abs(cross), kind="stable")[:width]
        return order[np.abs(cross[order]) > 0][:, np.newaxis]
    inner = gram[beam[:, :, np.newaxis], beam[:, np.newaxis, :]]
    inner += RIDGE * np.eye(beam.shape[1])
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
    """Yield sets of functions: all functions first, then without the least useful functions.

    Parameters
    ----------
    functions : array of shape (n_products, n_functions)
        Functions of unit size.
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
        # The squared residual grows by c² / (A⁻¹)ii without function i; A is the Gram matrix.
        missed = coefficients**2 / np.einsum("ij,ij->i", inverse, inverse)
        n_out = 1 if rank <= ONE_BY_ONE else rank // 4
        chosen = chosen[np.sort(np.argsort(missed, kind="stable")[n_out:])]
