"""What the two ways to orthogonalize have in common."""

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
"""If functions depend on each other, the first of a block, the variable itself, is taken unless it
is shorter by more than this: the others may be multiples of it on these rows only."""
RANK_TOLERANCE = 1e-8
"""A function is dropped when orthogonalization leaves less than this share of its norm.

What is left of a function that is kept has a rounding error of machine precision over this share.
At its root, no smaller, that error cannot be mistaken for a function later.
"""


@dataclass(frozen=True)
class Extension:
    """How the newest orthonormal functions follow from those before: new rows of a factor."""

    pivots: IntArray
    """Which functions of the block are taken, in the order in which they are."""
    left: Array
    """E[g f̂ᵀ] of these functions g, scaled to norm one, with the orthonormal functions before."""
    diagonal: Array
    """A lower triangle: ``diagonal @ f̂_new == g - left @ f̂_old``."""
    coefficients: Array
    """E[f̂_new Xᵀ]."""


@dataclass(frozen=True)
class Added:
    """What one step of orthogonalization found."""

    norms: Array
    """The norms of all functions of the block; 1 where a function is zero."""
    extensions: tuple[Extension, ...]
    """One for each penalty."""
    n_kept: int
    """How many new functions are in the basis."""
    n_dropped: int
    """How many new functions were, within a tolerance, combinations of others."""


class Orthogonalizer(Protocol):
    """Algorithm 1 of the paper, step by step."""

    name: str
    steps: list[Step]
    factors: list[Factor]
    """One for each penalty."""
    use: int
    """Which of the penalties counts; the pursuit may change it after every step."""
    norms: Array
    """The norms of the functions in the basis, the constant first."""
    variables: list[Array]
    """E[zXᵀ] for each variable z."""
    work: float
    """About how many multiplications it takes to orthogonalize the block substituted last."""

    @property
    def n_functions(self) -> int:
        """The number of orthonormal functions so far, the constant among them."""
        ...

    @property
    def saturated(self) -> bool:
        """Whether the functions span all samples, so that nothing is left of X."""
        ...

    @property
    def noise(self) -> float:
        """The share of a variance below which a residual variance is rounding error."""
        ...

    @property
    def orthogonality_loss(self) -> float:
        """How far the functions may be from orthonormal: the largest error of E[f̂ĝ]."""
        ...

    def substitute(self, direction: Direction) -> Block:
        """Let a new variable in and return the functions that come with it."""
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
        Its first `rank` rows are lower triangular, with squared diagonal entries above
        `tolerance`; ``lower @ lower.T`` is what they explain of ``a[order][:, order]``.
    order : array of shape (n,)
        The rows and columns, those that were factored first.
    """
    if a.size == 0 or a.diagonal().max() <= tolerance:
        return np.empty((len(a), 0)), np.arange(len(a))
    scaled = np.array(a, order="F")
    scaled[:, 0] *= PREFERRED
    scaled[0, 0] *= PREFERRED
    # It multiplies triangles of any size, see MAX_SIDE.
    with threads_for(0) if len(a) > MAX_SIDE else nullcontext():
        packed, order, rank, info = lapack.dpstrf(scaled, tol=tolerance, lower=1, overwrite_a=1)
    if info < 0:
        raise ValueError(f"LAPACK's dpstrf refused its argument {-info}.")
    lower, order = np.tril(packed[:, :rank]), order.astype(np.intp) - 1
    lower[order == 0] /= PREFERRED
    if rank and order[rank - 1] == 0 and lower[rank - 1, -1] ** 2 <= (1 + NOISE) * tolerance:
        lower = lower[:, :-1]  # without the preference it would not have been taken
    return lower, order
