"""Orthogonalization by the Gram matrix of the functions: needs only sums over row blocks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular

from gramian._types import Array, IntArray
from gramian.exceptions import IllConditionedError
from gramian.families._base import Family
from gramian.families._expansion import Block
from gramian.orthogonalize._common import (
    NOISE,
    Added,
    Direction,
    GrowingRows,
    check_finite,
    distinct_levels,
    pivoted_cholesky,
)
from gramian.rows import RowBlock, Rows

TOLERANCE = 1e-10
"""A function is dropped when orthogonalization leaves less than this share of its second moment."""
CACHE_BYTES = 2**30
"""Values of functions are kept between steps up to this size, and computed anew beyond it."""
MERGE_BELOW = 64
"""Blocks of the factor with fewer rows are merged with the next, for fewer, larger products."""
EPSILON = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class _Step:
    """One variable, its functions, and which of them are in the basis."""

    direction: Direction
    block: Block
    kept: IntArray


class Gram:
    """Block Cholesky of the Gram matrix E[ffᵀ], pivoted inside the block.

    With E[ffᵀ] = LLᵀ, the orthonormal functions are f̂ = L⁻¹f, so E[Xf̂] = L⁻¹E[Xf]: the values
    of f̂ are never formed. The Gram matrix squares the condition of the functions. Its error is
    watched by the largest *inflation*, the second moment of a function over what is left of it
    after the others are subtracted.

    Parameters
    ----------
    rows : Rows
        The table.
    family : Family
        The functions.
    max_loss : float, default=inf
        Raise an IllConditionedError when the loss of orthogonality exceeds this.
    """

    name = "gram"

    def __init__(self, rows: Rows, family: Family, max_loss: float = np.inf) -> None:
        self._rows = rows
        self._expansion = family.expand()
        self._steps: list[_Step] = []
        self._factor = _BlockTriangular()
        # The constant function: norm one, and every centred column is orthogonal to it.
        self._norms = np.ones(1)
        self._coefficients = GrowingRows(np.zeros(rows.n_columns))
        self._max_loss = max_loss
        self._direction: Direction | None = None
        self._cache: list[_Values] | None = []
        self.inflation = 1.0

    @property
    def n_functions(self) -> int:
        """The number of orthonormal functions so far, the constant among them."""
        return len(self._norms)

    @property
    def saturated(self) -> bool:
        """Whether the functions span all samples, so that nothing is left of X."""
        return self.n_functions == self._rows.n_rows

    @property
    def noise(self) -> float:
        """The share of a variance below which a residual variance is rounding error."""
        return max(NOISE, self.orthogonality_loss)

    @property
    def orthogonality_loss(self) -> float:
        """How far the functions may be from orthonormal: rounding error times condition."""
        return EPSILON * self.inflation

    def substitute(self, direction: Direction) -> Block:
        """Let a new variable in and return the functions that come with it."""
        self._direction = direction

        def levels_of(limit: int) -> Array:
            parts = (direction.of(rows.x, rows.root) for rows in self._rows.blocks())
            return distinct_levels(parts, limit)

        return self._expansion.grow(levels_of)

    def orthogonalize(self, block: Block) -> Added:
        """Orthogonalize the functions of the block just returned by `substitute`."""
        direction = self._direction
        assert direction is not None, "substitute comes before orthogonalize"
        n, new = self.n_functions, block.n_functions
        old_new = np.zeros((n, new))  # E[f gᵀ], f in the basis and g new
        new_new = np.zeros((new, new))  # E[g gᵀ]
        new_x = np.zeros((new, self._rows.n_columns))  # E[g Xᵀ]
        fresh = []
        for rows, values in self._read():
            g = values.extend(rows, direction, block)
            old_new += values.basis.view @ g.T
            new_new += g @ g.T
            new_x += g @ rows.x
            if self._cache is not None:
                fresh.append((values, g))
        check_finite(new_new.diagonal())

        second_moments = new_new.diagonal().copy()
        norms = np.sqrt(np.where(second_moments > 0, second_moments, 1.0))
        w = self._factor.solve(old_new / np.multiply.outer(self._norms, norms))
        left = new_new / np.multiply.outer(norms, norms) - w.T @ w
        factor, kept = pivoted_cholesky(left, TOLERANCE)
        room = self._rows.n_rows - n
        factor, kept = factor[:room, :room], kept[:room]
        if len(kept):
            self.inflation = max(self.inflation, 1 / float(np.min(factor.diagonal())) ** 2)
            if self.orthogonality_loss > self._max_loss:
                raise IllConditionedError(
                    f"The functions may be off orthonormal by {self.orthogonality_loss:.0e}, more "
                    f"than {self._max_loss:.0e}; orthogonalize their values instead."
                )

        w = w[:, kept].T
        rest = new_x[kept] / norms[kept, np.newaxis] - w @ self._coefficients.view
        coefficients = solve_triangular(factor, rest, lower=True) if len(kept) else rest
        self._factor.append(w, factor)
        self._norms = np.append(self._norms, norms[kept])
        self._coefficients.append(coefficients)
        self._steps.append(_Step(direction, block, kept))
        for values, g in fresh:
            values.basis.append(g[kept])
        return Added(coefficients, new - len(kept))

    def _read(self) -> Iterator[tuple[RowBlock, _Values]]:
        """Read the table once, with the values of the functions so far on every block."""
        functions = self.n_functions + self._expansion.n_store
        if self._cache and functions * self._rows.n_rows * 8 > CACHE_BYTES:
            self._cache = None
        for i, rows in enumerate(self._rows.blocks()):
            if self._cache is not None and i < len(self._cache):
                yield rows, self._cache[i]
                continue
            values = _Values(rows)
            for step in self._steps:
                values.basis.append(values.extend(rows, step.direction, step.block)[step.kept])
            if self._cache is not None:
                self._cache.append(values)
            yield rows, values


class _Values:
    """Values on one row block: the variables, the possible parents, the functions in the basis."""

    def __init__(self, rows: RowBlock) -> None:
        self.z: list[Array] = []
        self.store = GrowingRows(rows.root)
        self.basis = GrowingRows(rows.root)

    def extend(self, rows: RowBlock, direction: Direction, block: Block) -> Array:
        """Let a variable in and return the values of its functions."""
        self.z.append(direction.of(rows.x, rows.root))
        values = block.evaluate(self.store.view, self.z)
        self.store.append(values[block.stored])
        return values


class _BlockTriangular:
    """A lower triangular matrix that grows by blocks of rows, the upper half never stored."""

    def __init__(self) -> None:
        self._blocks: list[tuple[Array, Array]] = [(np.empty((1, 0)), np.ones((1, 1)))]

    def append(self, left: Array, diagonal: Array) -> None:
        """Add rows: a rectangle, and to its right a triangle."""
        if not len(diagonal):
            return
        last_left, last_diagonal = self._blocks[-1]
        before = last_left.shape[1]
        if len(last_diagonal) < MERGE_BELOW:
            upper = np.zeros((len(last_diagonal), len(diagonal)))
            diagonal = np.block([[last_diagonal, upper], [left[:, before:], diagonal]])
            left = np.vstack([last_left, left[:, :before]])
            self._blocks.pop()
        self._blocks.append((left, diagonal))

    def solve(self, b: Array) -> Array:
        """Solve for y in ``L @ y == b``."""
        y = np.empty_like(b)
        for left, diagonal in self._blocks:
            start = left.shape[1]
            stop = start + len(diagonal)
            y[start:stop] = solve_triangular(
                diagonal, b[start:stop] - left @ y[:start], lower=True, check_finite=False
            )
        return y
