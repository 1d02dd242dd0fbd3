"""Reach of a fit: the ranges of functions, and of nonlinear parts of columns, over its rows."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gramian._support.threads import AddProduct
from gramian._support.types import Array, IntArray
from gramian.core.pursuit import Reach, watched_columns
from gramian.core.rows import BlockWork, RowBlock, Rows
from gramian.fitting._fitted_model import FittedModel

PIECE = 1024
"""Number of rows that are evaluated at once."""


def with_reach(model: FittedModel, rows: Rows, scale: Array) -> FittedModel:
    """Return a fit whose decoder has the ranges of its functions over the rows of the fit.

    One pass over the rows finds the ranges. A decoder without nonlinear functions needs none.

    Parameters
    ----------
    model : FittedModel
        The fit.
    rows : Rows
        The rows of the fit.
    scale : array of shape (n_columns,)
        The divisors of the columns of `rows`.
    """
    decoder = model.decoder
    if len(decoder.coefficients) == 1 + len(decoder.units):
        return model
    columns = watched_columns(model.n_columns)
    low, high, part_low, part_high = rows.sum(RangeWork(model, scale, columns))
    reach = Reach(-low, high, columns, -part_low, part_high)
    return replace(model, decoder=replace(decoder, reach=reach))


@dataclass(frozen=True)
class RangeWork(BlockWork):
    """Work that finds the largest values of f and -f, for functions f.

    It does so, too, for nonlinear parts of columns: predictions minus linear predictions.
    """

    model: FittedModel
    scale: Array
    columns: IntArray

    def zeros(self) -> list[Array]:
        """Return the largest values before any row is added: -infinity."""
        n, n_parts = len(self.model.decoder.coefficients) - 1, len(self.columns)
        return [np.full(size, -np.inf) for size in (n, n, n_parts, n_parts)]

    def add(self, sums: list[Array], rows: RowBlock, add_product: AddProduct) -> None:
        """Update the largest values in `sums` with the values on a row block."""
        decoder, columns = self.model.decoder, self.columns
        for start in range(0, len(rows.root), PIECE):
            z = self.model.kept.encode_block(rows.part(slice(start, start + PIECE)), self.scale)
            functions = decoder.evaluate(z)
            by_lines = decoder.linear[:, columns].T @ (z / decoder.units).T
            parts = decoder.coefficients[:, columns].T @ functions - by_lines
            found = (
                -functions[1:].min(axis=1),
                functions[1:].max(axis=1),
                -parts.min(axis=1),
                parts.max(axis=1),
            )
            self.merge(sums, list(found))

    def merge(self, sums: list[Array], others: list[Array]) -> list[Array]:
        """Update the largest values in `sums` with those of another worker; return `sums`."""
        for mine, other in zip(sums, others, strict=True):
            np.maximum(mine, other, out=mine)
        return sums
