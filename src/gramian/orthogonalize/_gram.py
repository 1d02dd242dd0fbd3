"""Orthogonalization by the Gram matrix of the functions: needs only sums over row blocks."""

from __future__ import annotations

import itertools

import numpy as np

from gramian._blas import solve_lower, threads_for
from gramian._threads import AddProduct, n_workers_for, product_for, share_out
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
from gramian.orthogonalize._moments import GATHERING, MAX_VARIABLES, MomentSums, monomials
from gramian.orthogonalize._sums import PlainSums, Step, Sums, Variables, plain_cost
from gramian.rows import Rows

TOLERANCE = 1e-7
"""A function is dropped when orthogonalization leaves less than this share of its second moment.

As for `qr`, this must exceed the rounding errors of what is kept, which the Gram matrix squares.
"""
CACHE_BYTES = 2**30
"""Values of functions are kept between steps up to this size, and computed anew beyond it."""
MERGE_BELOW = 64
"""Blocks of the factor with fewer rows are merged with the next, for fewer, larger products."""
EPSILON = float(np.finfo(np.float64).eps)


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
    moments : bool, optional
        Whether to gather the Gram matrix from tables of moments, which takes a family of
        monomials of bounded degree. By default, where this is cheaper.
    """

    def __init__(
        self,
        rows: Rows,
        family: Family,
        *,
        max_loss: float = np.inf,
        moments: bool | None = None,
    ) -> None:
        self._rows = rows
        self._expansion = family.expand()
        variables = Variables(rows, CACHE_BYTES)
        self._plain = PlainSums(rows, variables, CACHE_BYTES)
        shape = None if moments is False else monomials(family)
        self._moments = None if shape is None else MomentSums(rows, variables, *shape)
        if moments and self._moments is None:
            raise ValueError(
                "solver='moments' needs a family of monomials of bounded degree, Multilinear or "
                f"Polynomial; got {family!r}. Use solver='gram'."
            )
        self._always_moments = bool(moments)
        self.name = "moments" if moments else "gram"
        self._steps: list[Step] = []
        self._factor = _BlockTriangular()
        # The constant function: norm one, and every centred column is orthogonal to it.
        self._norms = np.ones(1)
        self._order = np.zeros(1, dtype=np.intp)
        """The functions of the basis in the order in which they were factored."""
        self._coefficients = GrowingRows(np.zeros(rows.n_columns))
        self._max_loss = max_loss
        self._direction: Direction | None = None
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

    def work(self, block: Block) -> float:
        """Estimate the multiplications that orthogonalizing the block takes."""
        width = self.n_functions + block.n_functions + self._rows.n_columns
        return float(block.n_functions * self._rows.n_rows * width)

    def orthogonalize(self, block: Block) -> Added:
        """Orthogonalize the functions of the block just returned by `substitute`."""
        direction = self._direction
        assert direction is not None, "substitute comes before orthogonalize"
        with np.errstate(over="ignore", invalid="ignore"):  # checked by what follows
            sums = self._sum(direction, block)
        # BLAS's own threads would go on spinning while the next step's rows are shared out.
        n_workers = n_workers_for(self.n_functions**2 * block.n_functions)
        with threads_for(0):
            kept, coefficients = self._factorize(sums, n_workers)
        self._steps.append(Step(direction, block, kept))
        return Added(coefficients, block.n_functions - len(kept))

    def _factorize(self, sums: Sums, n_workers: int) -> tuple[IntArray, Array]:
        """Extend the Cholesky factor, and return the functions it takes in and their E[Xf̂]."""
        n = self.n_functions
        squares = sums.gram[:, n:].diagonal().copy()
        check_finite(squares)
        norms = np.sqrt(np.where(squares > 0, squares, 1.0))
        gram = sums.gram
        gram /= norms[:, np.newaxis]
        gram /= np.concatenate([self._norms, norms])

        w, coefficients = self._project(gram, sums.with_x / norms[:, np.newaxis], n_workers)
        left = gram[:, n:]
        _subtract_second_moments(left, w, n_workers)
        factor, pivots, rest = pivoted_cholesky(left, TOLERANCE)
        room = self._rows.n_rows - n
        if len(pivots) < room:
            # What is dropped though more than rounding errors are left of it is out of reach.
            out_of_reach = rest[rest > 1e3 * EPSILON * self.inflation]
            shares = np.append(factor.diagonal() ** 2, out_of_reach)
            self.inflation = max(self.inflation, 1 / float(shares.min(initial=1.0)))
        if self.orthogonality_loss > self._max_loss:
            raise IllConditionedError(
                f"The functions may be off orthonormal by {self.orthogonality_loss:.0e}, more "
                f"than {self._max_loss:.0e}; orthogonalize their values instead."
            )
        factor, pivots = factor[:room, :room], pivots[:room]

        coefficients = coefficients[pivots]
        solve_lower(factor, coefficients)
        self._factor.append(w[pivots], factor)
        self._coefficients.append(coefficients)
        kept = np.sort(pivots)
        self._order = np.append(self._order, n + np.searchsorted(kept, pivots))
        self._norms = np.append(self._norms, norms[kept])
        return kept, coefficients

    def _project(self, gram: Array, with_x: Array, n_workers: int) -> tuple[Array, Array]:
        """Return E[g f̂ᵀ] for the orthonormal functions f̂ of the basis, and E[(g - its part) Xᵀ].

        The part of a new function g that is subtracted is its projection on the basis.
        """
        w = np.empty((len(gram), self.n_functions))
        multiply = product_for(n_workers)

        def project(new: slice) -> None:
            part = np.ascontiguousarray(gram[new].T[self._order])
            self._factor.solve(part, multiply)
            w[new] = part.T
            multiply(with_x[new], w[new], self._coefficients.view, -1.0)

        share_out(_split(len(gram), n_workers), [project] * n_workers)
        return w, with_x

    def _sum(self, direction: Direction, block: Block) -> Sums:
        """Compute the sums over rows in the way that is expected to be faster."""
        n, new = self.n_functions, block.n_functions
        n_variables = len(self._steps)
        if self._moments is not None and n_variables <= MAX_VARIABLES:
            plan = self._moments.plan(n_variables, block)
            cost = plan.cost + GATHERING * new * (n + new) / self._rows.n_rows
            if self._always_moments or cost < plain_cost(n, new):
                self.name = "moments"
                return self._moments.sum(self._steps, direction, block, plan)
        return self._plain.sum(self._steps, direction, block)


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

    def solve(self, b: Array, add_product: AddProduct) -> None:
        """Solve ``L @ y == b``; y overwrites b."""
        for left, diagonal in self._blocks:
            start = left.shape[1]
            rows = b[start : start + len(diagonal)]
            add_product(rows, left, b[:start], -1.0)
            solve_lower(diagonal, rows)


def _split(length: int, n_parts: int) -> list[slice]:
    edges = np.linspace(0, length, n_parts + 1).astype(int).tolist()
    return [slice(start, stop) for start, stop in itertools.pairwise(edges)]


def _subtract_second_moments(lower: Array, w: Array, n_workers: int) -> None:
    """Subtract ``w @ w.T`` from a lower triangle."""
    multiply = product_for(n_workers)

    def subtract(pair: tuple[slice, slice]) -> None:
        rows, columns = pair
        part = np.zeros((rows.stop - rows.start, columns.stop - columns.start))
        multiply(part, w[rows], w[columns].T)
        lower[rows, columns] -= part

    parts = _split(len(w), n_workers)
    share_out(itertools.combinations_with_replacement(reversed(parts), 2), [subtract] * n_workers)
