"""Covariances of all functions of some columns (a layout): the sums that elimination works on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gramian._support.blas import threads_for
from gramian._support.threads import AddProduct
from gramian._support.types import Array, IntArray
from gramian.core.elimination._layout import Layout
from gramian.core.elimination._layout_moments import SharedMoments
from gramian.core.rows import BlockWork, RowBlock, Rows
from gramian.core.sums import check_finite, pieces

TILE = 4096
"""Rows of the Gram matrix that one pass sums: they bound the memory of workers."""
MANY_MULTIPLICATIONS = 1e10
"""Number of multiplications from which shared moments are worth considering."""
CONSTANT_FUNCTION = 1e-13
"""Share of its second moment below which the variance of a function is rounding error."""


@dataclass(frozen=True)
class FunctionSums:
    """Covariances of functions, each scaled to variance 1; constant functions are left out.

    `collect` computes them from the rows of a table.
    """

    gram: Array
    """G = E[ffᵀ] of the centred functions f, of shape (n_functions, n_functions)."""
    involves: NDArray[np.bool_]
    """True if a function involves a variable: of shape (n_functions, n_variables)."""
    singles: IntArray
    """For each variable, the index of the function that is the variable itself."""
    n_rows: float
    """Number of rows; with weights, the effective number."""

    @property
    def n_variables(self) -> int:
        """The number of variables."""
        return len(self.singles)


def collect(rows: Rows, layout: Layout, *, tile: int = TILE) -> FunctionSums:
    """Return the covariances of the functions of some columns, summed over the rows of a table.

    Parameters
    ----------
    rows : Rows
        The table. Columns have mean 0 and variance 1.
    layout : Layout
        The functions.
    tile : int, optional
        The largest number of rows of the Gram matrix that one pass over the table sums.
    """
    gram, mean, _ = moments(rows, layout, tile=tile)
    squares = gram.diagonal() + mean**2
    check_finite(squares)
    varies = gram.diagonal() > CONSTANT_FUNCTION * squares
    involves, singles = layout.involves, layout.singles
    if not varies.all():
        gram = gram[np.ix_(varies, varies)]
        involves = involves[varies]
        singles = np.cumsum(varies)[singles] - 1
    deviations = np.sqrt(gram.diagonal())
    for part in _tiles(len(gram), tile):
        gram[part] /= deviations[part, np.newaxis]
        gram[part] /= deviations
    np.fill_diagonal(gram, 1.0)
    return FunctionSums(gram, involves, singles, rows.effective_n_rows)


def moments(
    rows: Rows, layout: Layout, *, with_x: bool = False, tile: int = TILE
) -> tuple[Array, Array, Array]:
    """Return the covariances of the functions of a layout, and their means.

    Parameters
    ----------
    rows : Rows
        The table.
    layout : Layout
        The functions.
    with_x : bool, default=False
        True to return as third value the covariances with all columns; otherwise it is empty.
    tile : int, optional
        The largest number of rows of the Gram matrix that one pass over the table sums.
    """
    n = layout.n_functions
    gram = np.empty((n, n))
    mean = np.empty(n)
    cross = np.empty((n, rows.n_columns if with_x else 0))
    with np.errstate(over="ignore", invalid="ignore"):  # the callers check the sums
        shared = None if with_x else _shared(rows, layout)
        for part in _tiles(n, tile):
            if shared is None:
                with threads_for(float(rows.n_rows) * (part.stop - part.start) * part.stop):
                    found, cross[part] = rows.sum(TileWork(layout, part, cross.shape[1]))
            else:
                found = np.empty((part.stop - part.start, 1 + part.stop))
                shared.gather(part, found)
            mean[part] = found[:, 0]
            gram[part, : part.stop] = found[:, 1:]
            gram[part, : part.stop] -= np.multiply.outer(mean[part], mean[: part.stop])
            gram[: part.start, part] = gram[part, : part.start].T
    return gram, mean, cross


def _shared(rows: Rows, layout: Layout) -> SharedMoments | None:
    """Return the moments E[st] of all pairs of monomials s and t, summed over the rows.

    Return None if products of all functions cost less, or if the functions are no monomials.
    """
    if (
        layout.monomials is None
        or rows.n_rows * float(layout.n_functions) ** 2 < MANY_MULTIPLICATIONS
    ):
        return None
    shared = SharedMoments(layout.monomials, layout.columns)
    if not shared.pays(rows.n_rows):
        return None
    shared.sum(rows)
    return shared


def _tiles(n: int, size: int) -> list[slice]:
    return [slice(start, min(start + size, n)) for start in range(0, n, size)]


@dataclass(frozen=True)
class TileWork(BlockWork):
    """Work that sums products of some functions with the constant and all functions before them."""

    layout: Layout
    part: slice
    n_columns: int
    """Number of columns whose products with the functions are summed: all or none."""

    def zeros(self) -> list[Array]:
        """Return the sums before any row is added: zeros."""
        size = self.part.stop - self.part.start
        return [np.zeros((size, 1 + self.part.stop)), np.zeros((size, self.n_columns))]

    def add(self, sums: list[Array], rows: RowBlock, add_product: AddProduct) -> None:
        """Add the products on the row block `rows` to the arrays `sums`, in place."""
        gram, with_x = sums
        for piece in pieces(rows):
            values, _, _ = self.layout.evaluate(piece, self.part.stop)
            new = values[1 + self.part.start :]
            add_product(gram, new, values.T)
            if self.n_columns:
                add_product(with_x, new, piece.x)
