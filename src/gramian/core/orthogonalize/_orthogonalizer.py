"""Interface of the two orthogonalizers, `QR` and `Gram`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from gramian._support.types import Array, IntArray
from gramian.core.sums import Direction, Step
from gramian.families import Block

if TYPE_CHECKING:
    from gramian.core.orthogonalize._factor import Factor

RANK_TOLERANCE = 1e-8
"""Rank tolerance: a function of norm one is dropped if its residual norm is not larger than this.

The residual of a function that is kept has a relative rounding error of at most machine precision
divided by the tolerance. The tolerance is the square root of machine precision, so that this error,
at most 1e-8, is never mistaken for a new function later.
"""


@dataclass(frozen=True)
class Extension:
    """New rows of the triangular factor L, which define new orthonormal functions."""

    pivots: IntArray
    """Numbers of the functions g of the block that enter the basis, in the order of the pivots."""
    left: Array
    """E[g f̂ᵀ] of the functions g, scaled to norm one, and the earlier orthonormal functions f̂."""
    diagonal: Array
    """Lower triangular matrix with ``diagonal @ f̂_new == g - left @ f̂_old``."""
    coefficients: Array
    """E[f̂_new Xᵀ], of shape (n_new, n_columns)."""


@dataclass(frozen=True)
class Added:
    """Result of the orthogonalization of one block of functions, for each penalty."""

    norms: Array
    """Norms of all functions of the block; 1 for a function that is zero on all rows."""
    extensions: tuple[Extension, ...]
    """New rows of each factor; there is one factor for each penalty."""
    n_kept: int
    """Number of functions of the block that entered the basis."""
    n_dropped: int
    """Number of functions of the block that were dropped, because they are linear combinations of
    other functions within a tolerance."""


class Orthogonalizer(Protocol):
    """Interface of an orthogonalizer: it adds functions to an orthonormal basis, step by step.

    This is Algorithm 1 of the paper. Each step calls `substitute` and then `orthogonalize`.
    """

    name: str
    steps: list[Step]
    factors: list[Factor]
    """One triangular factor for each penalty."""
    use: int
    """Index in `factors` of the factor to use for results; it may change after every step."""
    norms: Array
    """The norms of the functions in the basis; the constant function is the first."""
    variables: list[Array]
    """E[zXᵀ] for each chosen variable z."""
    work: float
    """Approximate number of multiplications to orthogonalize the block that `substitute`
    returned."""

    @property
    def n_functions(self) -> int:
        """The number of functions in the basis, including the constant function."""
        ...

    @property
    def saturated(self) -> bool:
        """True if there are as many basis functions as rows, so that X has no residual."""
        ...

    @property
    def noise(self) -> float:
        """Residual variances below this share of the original variance are rounding errors."""
        ...

    @property
    def orthogonality_loss(self) -> float:
        """Size of the errors of E[f̂ĝ] for orthonormal f̂ and ĝ: an upper bound, or measured."""
        ...

    def substitute(self, direction: Direction) -> Block:
        """Add `direction` as a new variable, and return the block of functions that it adds."""
        ...

    def orthogonalize(self, block: Block) -> Added:
        """Orthogonalize the block that `substitute` returned, and add it to the basis."""
        ...
