"""Rows that are not in memory as a whole: their statistics, and the transform of each block."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from gramian._support.blas import symmetric
from gramian._support.threads import AddProduct
from gramian._support.types import Array
from gramian.core.rows._array import Centring
from gramian.core.rows._covariance import MatrixCovariance
from gramian.core.rows._first_pass import Split
from gramian.core.rows._protocol import BlockWork, RowBlock, Work
from gramian.core.rows._statistics import Statistics, scaled_covariance

CONSTANT_BY_COVARIANCE = 1e-15
"""Share of the largest variance below which a direction is constant, if variances come from a
covariance: rounding errors of products are not squared."""


@dataclass(frozen=True)
class RowTransform:
    """Centring, scaling, weights, held-out rows and axes that turn raw rows into row blocks."""

    centring: Centring
    weight: float
    """The total weight of the rows that take part in the fit."""
    split: Split | None = None
    axes: Array | None = None
    """Matrix from scaled columns to coordinates; None if the coordinates are the columns."""

    def apply(
        self, number: int, x: Array, weights: Array | None, *, in_place: bool = False
    ) -> RowBlock:
        """Centre and scale a block, without held-out rows and rows of weight zero.

        Parameters
        ----------
        number : int
            The number of the block; it decides which rows are held out.
        x, weights : arrays
            The rows and their weights.
        in_place : bool, default=False
            True if `x` may be overwritten, which saves the time to allocate memory.
        """
        taken = np.ones(len(x), dtype=bool)
        if weights is not None:
            taken &= weights > 0
        if self.split is not None:
            taken &= ~self.split.mask(number, len(x))
        if not taken.all():
            x, weights = x[taken], None if weights is None else weights[taken]
        unit = self.weight**-0.5
        x = np.subtract(x, self.centring.mean, out=x if in_place else None, order="C")
        x *= unit / self.centring.scale
        root = np.full(len(x), unit)
        if weights is not None:
            factor = np.sqrt(weights)
            x *= factor[:, np.newaxis]
            root *= factor
        return RowBlock(x if self.axes is None else x @ self.axes, root)


@dataclass(frozen=True)
class SecondMoments(BlockWork):
    """Sum up E[XXᵀ]."""

    n_columns: int

    def zeros(self) -> list[Array]:
        """Return the moments of no rows."""
        return [np.zeros((self.n_columns, self.n_columns))]

    def add(self, sums: list[Array], rows: RowBlock, add_product: AddProduct) -> None:
        """Add the products of the columns of a row block."""
        x = rows.x
        add_product(sums[0], x.T, x)


@dataclass(frozen=True)
class TransformedRows(ABC):
    """Rows whose statistics are known, centred and scaled each time they are read."""

    statistics: Statistics
    frame: RowTransform

    @property
    def n_rows(self) -> int:
        """The number of rows that have a positive weight."""
        return self.statistics.n_rows

    @property
    def n_columns(self) -> int:
        """The number of columns, or coordinates."""
        axes = self.frame.axes
        return len(self.statistics.mean) if axes is None else axes.shape[1]

    @property
    def effective_n_rows(self) -> float:
        """Effective number of rows (Kish): as many rows of equal weight would tell as much."""
        return self.statistics.effective_n_rows

    @abstractmethod
    def sum(self, work: Work) -> list[Array]:
        """Read the table once, and return the sums."""

    def covariance(self) -> Array:
        """Return the lower triangle of E[XXᵀ] of the scaled columns, in Fortran's order.

        If the first pass summed it, no further pass is needed.
        """
        if self.statistics.products.ndim == 2 and self.frame.axes is None:
            return scaled_covariance(self.statistics, self.frame.centring)
        return np.asfortranarray(np.tril(self.sum(SecondMoments(self.n_columns))[0]))

    def residual_covariance(self) -> MatrixCovariance:
        """Return E[XXᵀ] of the scaled columns in a form that functions can be subtracted from."""
        return MatrixCovariance(self.covariance())

    def dense(self) -> Self:
        """Return the rows as they are."""
        return self

    def rotate(self, basis: Array) -> tuple[Self, Array]:
        """Express the rows in other coordinates, each scaled to variance 1."""
        axes, deviations = _coordinates(basis, self.covariance())
        return replace(self, frame=replace(self.frame, axes=axes)), deviations


def _coordinates(basis: Array, lower: Array) -> tuple[Array, Array]:
    """Return the matrix that takes columns to coordinates of variance 1, and their deviations.

    Parameters
    ----------
    basis : array of shape (n_coordinates, n_columns)
        The new axes by rows.
    lower : array of shape (n_columns, n_columns)
        The lower triangle of the covariance.
    """
    covariance = symmetric(lower)
    variances = np.einsum("ij,ij->i", basis @ covariance, basis)
    variances[variances <= CONSTANT_BY_COVARIANCE * variances.max()] = 0.0
    deviations = np.sqrt(variances)
    axes = basis.T / np.where(deviations > 0, deviations, 1.0)
    return np.ascontiguousarray(axes), deviations
