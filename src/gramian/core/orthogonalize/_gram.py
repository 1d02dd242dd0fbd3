"""Algorithm 1 from the Gram matrix of the functions, which needs only sums over rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from gramian._support.blas import threads_for
from gramian._support.threads import n_workers_for
from gramian._support.types import Array
from gramian.core._tolerances import EPSILON, NOISE
from gramian.core.orthogonalize._admission import Admission
from gramian.core.orthogonalize._factor import Factor
from gramian.core.orthogonalize._orthogonalizer import Added
from gramian.core.rows import Rows
from gramian.core.sums import (
    GATHERING_COST,
    MAX_VARIABLES,
    CombinedWork,
    Direction,
    FunctionValues,
    FunctionWork,
    KnownLevels,
    Monomials,
    Step,
    StepMomentWork,
    Sums,
    VariableValues,
    check_finite,
    monomials,
    out_of_range,
    plain_cost,
    scaled,
)
from gramian.families import Block, Family

MIN_PIECE = 1024
"""Smallest number of functions in a piece: blocks with at most this number of functions are not
cut into pieces."""
MIN_SHRUNK = 1024
"""Number of functions that a factor with a penalty may always have, even if there are fewer
rows."""


class Gram:
    """Orthogonalizer that factors the Gram matrix E[ffᵀ] by block Cholesky, with pivots in a block.

    With E[ffᵀ] = LLᵀ, the orthonormal functions are f̂ = L⁻¹f, so E[Xf̂] = L⁻¹E[Xf]: the values
    of f̂ are not needed. The condition number of the Gram matrix is the square of the condition
    number of the functions. If this costs too many digits, and before a function is dropped, the
    rows are read again: see `Admission`. The same sums are used for all penalties.

    Parameters
    ----------
    rows : Rows
        The table.
    family : Family
        The functions.
    alphas : sequence of float, default=(0,)
        The penalties; see `Factor`.
    moments : bool, optional
        True to copy the Gram matrix from tables of moments, which needs a family of monomials of
        bounded degree; False to multiply function values. By default, tables of moments are used
        if this is faster.
    """

    def __init__(
        self,
        rows: Rows,
        family: Family,
        *,
        alphas: Sequence[float] = (0.0,),
        moments: bool | None = None,
    ) -> None:
        self._rows = rows
        self._expansion = family.expand()
        self._levels = KnownLevels(rows)
        self._variables = VariableValues(rows.n_rows, rows.cache_bytes)
        self._values = FunctionValues(rows.cache_bytes)
        shape = None if moments is False else monomials(family)
        self._monomials = None if shape is None else Monomials(*shape)
        if moments and self._monomials is None:
            raise ValueError(
                "solver='moments' needs a family of monomials of bounded degree, Multilinear or "
                f"Polynomial; got {family!r}. Use solver='gram'."
            )
        self._always_moments = bool(moments)
        self.name = "moments" if moments else "gram"
        self.steps: list[Step] = []
        self.factors = [Factor(rows.n_columns, alpha) for alpha in alphas]
        self.use = 0
        self.norms = np.ones(1)  # norm of the constant function
        self.variables: list[Array] = []
        self.work = 0.0
        self.n_more_passes = 0
        """Number of passes over the rows for accuracy, in addition to the one pass of each step."""
        self._direction: Direction | None = None

    @property
    def n_functions(self) -> int:
        """Number of functions in the basis, including the constant function."""
        return len(self.norms)

    @property
    def saturated(self) -> bool:
        """True if there are as many basis functions as rows, so that X has no residual."""
        return all(
            factor.alpha == 0 and len(factor) == self._rows.n_rows for factor in self.factors
        )

    @property
    def noise(self) -> float:
        """Residual variances below this share of the original variance are rounding errors."""
        return max(NOISE, self.factors[self.use].noise)

    @property
    def orthogonality_loss(self) -> float:
        """Upper bound of the errors of E[f̂ĝ] for orthonormal functions f̂ and ĝ."""
        return max(EPSILON, self.factors[self.use].loss)

    def substitute(self, direction: Direction) -> Block:
        """Add `direction` as a new variable, and return the block of functions that it adds."""
        self._direction = direction
        block = self._expansion.grow(partial(self._levels.of, direction))
        width = self.n_functions + block.n_functions + self._rows.n_columns
        self.work = float(block.n_functions * self._rows.n_rows * width)
        return block

    def orthogonalize(self, block: Block) -> Added:
        """Orthogonalize the block that `substitute` returned, and add it to the basis."""
        direction = self._direction
        assert direction is not None, "substitute comes before orthogonalize"
        n = self.n_functions
        norms = np.ones(block.n_functions)
        # BLAS's own threads would occupy the processor while threads sum the rows of the next step.
        n_workers = n_workers_for(n**2 * block.n_functions)
        admissions = [
            Admission(factor, n, block.n_functions, self._room(factor, block), n_workers)
            for factor in self.factors
        ]
        for piece in self._pieces(block):
            full = all(admission.full for admission in admissions)
            if full and piece.start > 0:
                break
            block, sums = self._sum_in_range(direction, block, piece)
            norms[piece] = self._normalize(sums, norms, piece)
            if piece.start == 0:
                self.variables.append(sums.with_x[0].copy())
            with threads_for(0):
                for admission in admissions:
                    admission.begin(sums.gram, sums.with_x, piece)
            self._go_on(admissions, direction, block, norms)
        extensions = tuple(admission.extension() for admission in admissions)
        kept = np.unique(np.concatenate([extension.pivots for extension in extensions]))
        for factor in self.factors:
            factor.settle(n, kept)
        self.norms = np.append(self.norms, norms[kept])
        self.steps.append(Step(direction, block, kept))
        return Added(norms, extensions, len(kept), block.n_functions - len(kept))

    def _sum_in_range(self, direction: Direction, block: Block, piece: slice) -> tuple[Block, Sums]:
        """Return the functions of a new variable, and the sums over the rows for some of them.

        If squares of the user's functions are too large or too small for float64, the returned
        functions are scaled, and the sums are computed a second time.

        Parameters
        ----------
        direction, block
            The new variable, and its functions.
        piece : slice
            The numbers of the functions to sum.
        """
        with np.errstate(over="ignore", invalid="ignore"):  # the sums are checked below
            sums = self._sum(direction, block, piece)
        places = piece.start + np.flatnonzero(out_of_range(self._squares(sums, piece)))
        numbers = (places - len(block.parents))[places >= len(block.parents)].tolist()
        if not numbers:
            return block, sums
        directions = [*(step.direction for step in self.steps), direction]
        calls = dict(enumerate(block.calls))
        new = scaled(self._rows, directions, [calls[i] for i in numbers])
        if new == [calls[i] for i in numbers]:  # the functions are zero on all rows
            return block, sums
        block = replace(block, calls=tuple((calls | dict(zip(numbers, new, strict=True))).values()))
        self._values = FunctionValues(self._rows.cache_bytes)
        return block, self._sum(direction, block, piece)

    def _squares(self, sums: Sums, piece: slice) -> Array:
        """Return E[g²] of the new functions g whose numbers in the block are `piece`."""
        return sums.gram[:, self.n_functions + piece.start :].diagonal().copy()

    def _go_on(
        self, admissions: Sequence[Admission], direction: Direction, block: Block, norms: Array
    ) -> None:
        """Read the rows again, until the residuals of all new functions are accurate enough.

        Parameters
        ----------
        admissions : sequence of Admission
            One for each factor (penalty), with the functions that need another pass over the rows.
        direction, block
            The new variable, and its functions.
        norms : array
            The norms of the functions of the block.
        """
        norms = np.concatenate([self.norms, norms])
        while unfinished := [each for each in admissions if len(each.waiting)]:
            self.n_more_passes += 1
            work = CombinedWork(
                self.steps,
                direction,
                block,
                self._rows.n_columns,
                self._variables,
                self._values,
                self.n_functions,
                slice(0, block.n_functions),
                [each.combinations() / norms for each in unfinished],
            )
            found = iter(self._rows.sum(work))
            with threads_for(0):
                for admission in unfinished:
                    admission.go_on(next(found) / norms, next(found), next(found))

    def _pieces(self, block: Block) -> list[slice]:
        """Return slices that cut the functions of a block into pieces of limited size.

        Most of so many functions are redundant or shrunk, and the Gram matrix of all functions
        could exceed the memory. If the variable itself is the only function that enters, the only
        piece is this function.
        """
        if all(self._enters_alone(each, block) for each in self.factors):
            return [slice(0, 1)]
        n, step = block.n_functions, max(MIN_PIECE, self._rows.n_rows)
        return [slice(start, min(n, start + step)) for start in range(0, n, step)]

    def _normalize(self, sums: Sums, others: Array, piece: slice) -> Array:
        """Scale the sums to functions of norm one, in place; return the norms of the new functions.

        Parameters
        ----------
        sums : Sums
            Sums over the rows for some new functions.
        others : array
            The norms of new functions that were summed before, and 1 for all other new functions.
        piece : slice
            The numbers of the functions in `sums` among the new functions.
        """
        squares = self._squares(sums, piece)
        check_finite(squares)
        norms: Array = np.sqrt(np.where(squares > 0, squares, 1.0))
        sums.gram[:] /= norms[:, np.newaxis]
        sums.gram[:] /= np.concatenate(
            [self.norms, others[: piece.start], norms, others[piece.stop :]]
        )
        sums.with_x[:] /= norms[:, np.newaxis]
        return norms

    def _room(self, factor: Factor, block: Block) -> int:
        """Return how many functions of the block the triangular factor may still take."""
        if factor.alpha == 0:
            return self._rows.n_rows - len(factor)
        return 1 if self._enters_alone(factor, block) else block.n_functions

    def _enters_alone(self, factor: Factor, block: Block) -> bool:
        """Return True if, of the block, only the variable itself may be added to the factor.

        The variable has no penalty. It is added alone if the penalty of the other functions is
        infinite. With any other positive penalty, all functions are linearly independent, and their
        number has no natural limit; so the variable is also added alone if the factor would have
        more functions than the table has rows, to limit the memory.
        """
        fits = len(factor) + block.n_functions <= max(self._rows.n_rows, MIN_SHRUNK)
        return factor.alpha > 0 and (np.isinf(factor.alpha) or not fits)

    def _sum(self, direction: Direction, block: Block, piece: slice) -> Sums:
        """Return sums over the rows for some of the new functions.

        They are computed from function values, or from moments of monomials if these cost less.

        Parameters
        ----------
        direction, block
            The new variable, and its functions.
        piece : slice
            The numbers of the functions to sum.
        """
        n, new = self.n_functions, block.n_functions
        n_variables, n_columns = len(self.steps), self._rows.n_columns
        work: FunctionWork | StepMomentWork = FunctionWork(
            self.steps, direction, block, n_columns, self._variables, self._values, n, piece
        )
        whole = piece.stop - piece.start == new
        if self._monomials is not None and whole and n_variables <= MAX_VARIABLES:
            tables = self._monomials.tables(n_variables, block)
            cost = tables.cost + GATHERING_COST * new * (n + new) / self._rows.n_rows
            if self._always_moments or cost < plain_cost(n, new):
                self.name = "moments"
                work = self._monomials.work(
                    self.steps, direction, block, tables, n_columns, self._variables
                )
        return work.sums(self._rows.sum(work))
