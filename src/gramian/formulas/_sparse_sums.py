"""Sparse sums: approximations of a target by sums of few functions.

`growing` adds functions one by one, and `shrinking` removes them one by one. Functions and target
are vectors: values in rows, or coordinates along orthonormal functions. Only their inner products
matter. The search for formulas and the search for laws both use these sums, and both decide for
themselves how many terms a sum should have.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.linalg import qr, solve_triangular

from gramian._support.types import Array, IntArray

WIDTH = 30
"""Default width of the beam search: number of sums with k terms that get a further term."""
FITTED_SUMS = 5
"""Number of the best sums with k terms that are fitted again by accurate least squares."""
RIDGE = 1e-13
"""Number added to the diagonal of Gram matrices of functions of norm 1, to invert them."""
NEW = 1e-10
"""A function is not added to a sum if the sum's functions explain all of it but this share."""
RANK = 1e-9
"""Rank tolerance of the pivoted QR decomposition, relative to the first pivot."""
ONE_BY_ONE = 40
"""`shrinking` removes functions one by one; if more than this remain, a quarter at once."""


def growing(gram: Array, cross: Array, max_terms: int, width: int = WIDTH) -> Iterator[IntArray]:
    """Yield the best sums of one function, then of two functions, and so on: a beam search.

    Parameters
    ----------
    gram : array of shape (n_functions, n_functions)
        Inner products of the functions, which have norm 1.
    cross : array of shape (n_functions,)
        Inner products of the functions with the target.
    max_terms : int
        The largest number of functions in a sum.
    width : int, default=30
        The number of sums with k terms that get a further term.

    Yields
    ------
    beam : array of shape (n_sums, n_terms)
        The indices of the functions of each sum; the sums with the smallest residuals come first.
    """
    beam = np.empty((1, 0), dtype=np.intp)
    for _ in range(min(max_terms, len(cross))):
        beam = _grown(gram, cross, beam, width)
        if not len(beam):
            return
        yield beam


def _grown(gram: Array, cross: Array, beam: IntArray, width: int) -> IntArray:
    """Add every function to every sum; return the best `width` new sums, smallest residual first.

    Let A be the Gram matrix of the functions of a sum, and c their inner products with the target.
    A new function f has the inner products a with them, and c_f with the target. It reduces the
    squared residual by (c_f − aᵀA⁻¹c)² / (1 − aᵀA⁻¹a).
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
    """Yield sets of functions (as indices): first all, then without the least useful ones.

    Parameters
    ----------
    functions : array of shape (n_products, n_functions)
        The functions as vectors of norm 1.
    target : array of shape (n_products,)
        The target vector.
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
        # Without function i, the squared residual grows by c_i² / (A⁻¹)_ii; A is the Gram matrix.
        missed = coefficients**2 / np.einsum("ij,ij->i", inverse, inverse)
        n_out = 1 if rank <= ONE_BY_ONE else rank // 4
        chosen = chosen[np.sort(np.argsort(missed, kind="stable")[n_out:])]
