"""Interface of the two ways to orthogonalize, and the factorization with pivots that both use."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from scipy.linalg import lapack

from gramian._support.blas import MAX_SIDE, threads_for
from gramian._support.types import Array, IntArray
from gramian.core._tolerances import NOISE
from gramian.core.sums import Direction, Step
from gramian.families import Block

if TYPE_CHECKING:
    from gramian.core.orthogonalize._factor import Factor

PREFERRED = 1.001
"""Factor that prefers the first function of a block, the variable itself, among pivots of about
equal size: the other functions may be multiples of the variable on these rows only."""
RANK_TOLERANCE = 1e-8
"""Rank tolerance: functions are dropped if orthogonalization leaves a smaller share of their norm.

The residual of a kept function has a relative rounding error of at most machine precision over this
share. The tolerance is the root of machine precision, so that such an error, at most 1e-8, is never
taken for a function later.
"""


@dataclass(frozen=True)
class Extension:
    """New rows of a factor: the newest orthonormal functions in terms of those before."""

    pivots: IntArray
    """Numbers of the functions of the block that enter, in the order of the pivots."""
    left: Array
    """E[g f̂ᵀ] of these functions g, scaled to norm one, with the earlier orthonormal functions."""
    diagonal: Array
    """A lower triangle: ``diagonal @ f̂_new == g - left @ f̂_old``."""
    coefficients: Array
    """E[f̂_new Xᵀ]."""


@dataclass(frozen=True)
class Added:
    """Result of one step of orthogonalization."""

    norms: Array
    """Norms of all functions of the block; 1 for a function that is zero."""
    extensions: tuple[Extension, ...]
    """One for each penalty."""
    n_kept: int
    """Number of new functions in the basis."""
    n_dropped: int
    """Number of new functions that are, within a tolerance, combinations of others."""


class Orthogonalizer(Protocol):
    """Algorithm 1 of the paper, step by step."""

    name: str
    steps: list[Step]
    factors: list[Factor]
    """One for each penalty."""
    use: int
    """Number of the penalty that counts; the pursuit may change it after every step."""
    norms: Array
    """The norms of the functions in the basis, the constant first."""
    variables: list[Array]
    """E[zXᵀ] for each variable z."""
    work: float
    """Approximate number of multiplications to orthogonalize the block substituted last."""

    @property
    def n_functions(self) -> int:
        """The number of orthonormal functions so far, the constant among them."""
        ...

    @property
    def saturated(self) -> bool:
        """True if the functions span all samples, so that X has no residual."""
        ...

    @property
    def noise(self) -> float:
        """Share of a variance below which a residual variance is rounding error."""
        ...

    @property
    def orthogonality_loss(self) -> float:
        """Loss of orthogonality: a bound of the errors of E[f̂ĝ], or their size by measurement."""
        ...

    def substitute(self, direction: Direction) -> Block:
        """Add a new variable and return its block of functions."""
        ...

    def orthogonalize(self, block: Block) -> Added:
        """Orthogonalize the functions of the block just returned by `substitute`."""
        ...


def cholesky_columns(a: Array, tolerance: float) -> tuple[Array, IntArray]:
    """Factor the largest well-conditioned part of a positive semidefinite matrix, with pivots.

    Only the lower triangle of the matrix is used.

    Returns
    -------
    lower : array of shape (n, rank)
        The factor. Its first `rank` rows are lower triangular, with squared diagonal entries above
        `tolerance`; ``lower @ lower.T`` is the part of ``a[order][:, order]`` that they explain.
    order : array of shape (n,)
        The order of rows and columns, the factored ones first.
    """
    if a.size == 0 or a.diagonal().max() <= tolerance:
        return np.empty((len(a), 0)), np.arange(len(a))
    scaled = np.array(a, order="F")
    scaled[:, 0] *= PREFERRED
    scaled[0, 0] *= PREFERRED
    # dpstrf multiplies triangles of any size, which is not safe with threads: see MAX_SIDE.
    with threads_for(0) if len(a) > MAX_SIDE else nullcontext():
        packed, order, rank, info = lapack.dpstrf(scaled, tol=tolerance, lower=1, overwrite_a=1)
    if info < 0:
        raise ValueError(f"LAPACK's dpstrf refused its argument {-info}.")
    lower, order = np.tril(packed[:, :rank]), order.astype(np.intp) - 1
    lower[order == 0] /= PREFERRED
    if rank and order[rank - 1] == 0 and lower[rank - 1, -1] ** 2 <= (1 + NOISE) * tolerance:
        lower = lower[:, :-1]  # the variable passed the tolerance by the preference only
    return lower, order
