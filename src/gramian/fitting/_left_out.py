"""Leave-one-out test: decide whether least squares predict new rows well without a penalty."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cholesky, solve_triangular

from gramian._support.threads import AddProduct
from gramian._support.types import Array
from gramian.core.elimination import EXACT_SHARE, squares_of_few, squares_without
from gramian.core.rows import BlockWork, MemoryRows, RowBlock
from gramian.fitting._checked_data import Problem
from gramian.fitting._fitted_model import FittedModel

MOST = 1.2
"""Largest ratio of leave-one-out error to training error at which least squares are kept."""
FEW = 1 - MOST**-0.5
"""Largest ratio of functions to rows at which least squares can be kept: generalized
cross-validation divides the training error by (1 - functions/rows)²."""
RIDGE = 1e-9
"""Ridge of the Gram matrix of functions of norm 1, so that its Cholesky factor exists."""
N_SAMPLE = 10_000
"""Approximate number of rows to leave out; in a longer table every second, third, ... row."""
LEAST_GROUPS = 100
"""Number of groups of rows to leave out, or all if there are fewer, also in a longer table."""
PIECE = 1024
"""Number of rows that are evaluated at once."""
PIECE_BYTES = 2**26
"""Largest size of the rows that are evaluated at once."""


def needs_no_shrinkage(model: FittedModel, problem: Problem) -> bool:
    """Return True if least squares predict left-out rows about as well as fitted rows.

    The residual of row i, divided by 1 - h with its leverage h, is the residual of a fit without
    row i. A few outlying rows can have a leverage near 1 even if functions are few. With more than
    1,000 functions, whose moments are not kept, only the number of functions decides. If the user
    gave groups of rows, they are left out together, and nothing is decided with more functions.

    Parameters
    ----------
    model : FittedModel
        A fit without shrinkage.
    problem : Problem
        The rows of the fit.
    """
    record, rows = model.record, problem.rows
    groups = rows.groups if isinstance(rows, MemoryRows) else None
    if record.n_functions > FEW * rows.effective_n_rows:
        return False
    if model.decoder.moments is None or record.n_functions == 1:
        return groups is None or record.n_functions == 1
    gram = model.decoder.moments[0]
    norms = np.sqrt(gram.diagonal())
    gram = gram / np.multiply.outer(norms, norms)
    gram[np.diag_indices_from(gram)] += RIDGE
    factor = cholesky(gram, lower=True, overwrite_a=True, check_finite=False)
    every = max(1, rows.n_rows // N_SAMPLE)
    work = LeftOut(model, problem.centring.scale, norms, factor, every, rows.n_copies)
    if isinstance(rows, MemoryRows) and groups is not None:
        some = groups[:: min(every, max(1, len(groups) // LEAST_GROUPS))]
        sums = np.array([work.of_group(rows.whole.take(each)) for each in some])
        left, predicted, size = sums.sum(axis=0)
    else:
        ((left, predicted, size),) = rows.sum(work)
    return bool(predicted <= MOST * left + EXACT_SHARE * size)


@dataclass(frozen=True)
class LeftOut(BlockWork):
    """Work that sums the squares of residuals, of leave-one-out residuals, and of X."""

    model: FittedModel
    scale: Array
    norms: Array
    factor: Array
    every: int
    n_copies: float = 1.0
    """Number of rows that are left out together: the leverage of equal rows adds up."""

    def zeros(self) -> list[Array]:
        """Return the sums before any row is added: three zeros."""
        return [np.zeros(3)]

    def add(self, sums: list[Array], rows: RowBlock, add_product: AddProduct) -> None:
        """Add some rows of a block, one of every `every` rows, to the three sums."""
        step = self.every * min(PIECE, max(1, PIECE_BYTES // (8 * rows.n_columns)))
        for start in range(0, len(rows.root), step):
            sums[0] += self._squares(rows.part(slice(start, start + step, self.every)))

    def of_group(self, rows: RowBlock) -> Array:
        """Return the three sums for a group of rows, which are left out together.

        Parameters
        ----------
        rows : RowBlock
            The rows of the group.
        """
        step = min(PIECE, max(1, PIECE_BYTES // (8 * rows.n_columns)))
        n_functions, sums = len(self.norms), np.zeros(2)

        def pieces() -> Iterator[tuple[Array, Array]]:
            for start in range(0, len(rows.root), step):
                left, orthonormal, size = self._evaluated(rows.part(slice(start, start + step)))
                for i, each in enumerate((left, size)):
                    sums[i] += np.einsum("ij,ij->", each, each)
                yield orthonormal, left

        if len(rows.root) < n_functions:
            predicted = squares_of_few(pieces())
        else:
            predicted = squares_without(pieces(), n_functions, rows.n_columns)
        return np.array([sums[0], predicted.sum(), sums[1]])

    def _evaluated(self, rows: RowBlock) -> tuple[Array, Array, Array]:
        """Return weighted residuals, weighted orthonormal functions, and weighted rows of X.

        The functions have the shape (n_functions, n_rows), the others (n_rows, n_columns).
        """
        model, decoder = self.model, self.model.decoder
        root = rows.root[:, np.newaxis]
        centred = rows.x / root * self.scale
        functions = decoder.evaluate(model.kept.encode(centred))
        left = root * model.scaled(centred - functions.T @ decoder.coefficients)
        functions /= self.norms[:, np.newaxis]
        orthonormal = solve_triangular(
            self.factor, functions, lower=True, overwrite_b=True, check_finite=False
        )
        return left, orthonormal * rows.root, root * model.scaled(centred)

    def _squares(self, rows: RowBlock) -> Array:
        """Return the sums of squares of residuals, of leave-one-out residuals, and of X."""
        left, orthonormal, size = self._evaluated(rows)
        leverage = self.n_copies * np.einsum("ij,ij->j", orthonormal, orthonormal)
        squares = np.einsum("ij,ij->i", left, left)
        with np.errstate(divide="ignore", invalid="ignore"):
            predicted = np.where(squares > 0, squares / np.maximum(1 - leverage, 0.0) ** 2, 0.0)
        return np.array([squares.sum(), predicted.sum(), np.einsum("ij,ij->", size, size)])
