"""Tables that are transformed block by block when they are read: streams and Dask collections."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from gramian._support.blas import symmetric
from gramian._support.threads import AddProduct
from gramian._support.types import Array
from gramian.core._tolerances import NOISE
from gramian.core.rows._array import Centring
from gramian.core.rows._covariance import MatrixCovariance
from gramian.core.rows._first_pass import Split
from gramian.core.rows._protocol import BlockWork, RowBlock, Work
from gramian.core.rows._statistics import Statistics, scaled_covariance

CONSTANT_BY_COVARIANCE = 1e-15
"""A direction is constant if its variance is at most this share of the largest variance. Used for
variances that are computed from a covariance matrix: their rounding errors are larger than those of
sums of squared values, for which `CONSTANT` is used."""


@dataclass(frozen=True)
class RowTransform:
    """Steps from the rows of a source to a `RowBlock`.

    Held-out rows are dropped; the others are centred, scaled, weighted and rotated.
    """

    centring: Centring
    weight: float
    """The total weight of the rows to fit (held-out rows excluded)."""
    split: Split | None = None
    axes: Array | None = None
    """Matrix that multiplies the scaled rows from the right to give coordinates; None if the scaled
    columns themselves are the coordinates."""

    def apply(self, x: Array, weights: Array | None, *, in_place: bool = False) -> RowBlock:
        """Return a block of rows, transformed; held-out rows and rows of weight zero are dropped.

        Parameters
        ----------
        x, weights : arrays
            The raw rows and their weights (None for equal weights).
        in_place : bool, default=False
            True if `x` may be overwritten, which saves the time to allocate memory.
        """
        taken = np.ones(len(x), dtype=bool)
        if weights is not None:
            taken &= weights > 0
        if self.split is not None:
            taken &= ~self.split.mask(x)
        if not taken.all():
            x, weights = x[taken], None if weights is None else weights[taken]
        unit = self.weight**-0.5
        x = np.subtract(x, self.centring.mean, out=x if in_place else None, order="C")
        x -= self.centring.mean_rest
        x *= unit / self.centring.scale
        root = np.full(len(x), unit)
        if weights is not None:
            factor = np.sqrt(weights)
            x *= factor[:, np.newaxis]
            root *= factor
        return RowBlock(x if self.axes is None else x @ self.axes, root)


@dataclass(frozen=True)
class SecondMoments(BlockWork):
    """Work that sums E[XXᵀ], the matrix of products of all pairs of columns."""

    n_columns: int

    def zeros(self) -> list[Array]:
        """Return the matrix of sums before any row is added: zeros."""
        return [np.zeros((self.n_columns, self.n_columns))]

    def add(self, sums: list[Array], rows: RowBlock, add_product: AddProduct) -> None:
        """Add the products of all pairs of columns, summed over the row block, to the sums."""
        x = rows.x
        add_product(sums[0], x.T, x)


@dataclass(frozen=True)
class TransformedRows(ABC):
    """Table whose rows are read, centred and scaled in every pass; a first pass gave statistics."""

    statistics: Statistics
    frame: RowTransform

    @property
    def n_rows(self) -> int:
        """The number of rows that have a positive weight."""
        return self.statistics.n_rows

    @property
    def n_columns(self) -> int:
        """The number of columns of the row blocks: columns of the table, or coordinates."""
        axes = self.frame.axes
        return len(self.statistics.mean) if axes is None else axes.shape[1]

    @property
    def effective_n_rows(self) -> float:
        """Effective number of rows (Kish): (Σw)² / Σw², where w are the weights of the rows."""
        return self.statistics.effective_n_rows

    @property
    def n_copies(self) -> float:
        """Typical number of copies of a row in this table; 1 if rows differ or were merged."""
        return self.statistics.n_copies

    @abstractmethod
    def sum(self, work: Work) -> list[Array]:
        """Read all rows once, and return the arrays that `work` sums over the rows."""

    def covariance(self) -> Array:
        """Return the lower triangle of E[XXᵀ] of the scaled columns, in Fortran order.

        If the first pass has summed the covariance, no other pass over the rows is needed.
        """
        if self.statistics.products.ndim == 2 and self.frame.axes is None:
            return scaled_covariance(self.statistics, self.frame.centring)
        return np.asfortranarray(np.tril(self.sum(SecondMoments(self.n_columns))[0]))

    def residual_covariance(self) -> MatrixCovariance:
        """Return E[XXᵀ] of the scaled columns as an object whose method `subtract` updates it.

        `subtract` removes the part that fitted functions explain.
        """
        return MatrixCovariance(self.covariance())

    def dense(self) -> Self:
        """Return these rows unchanged, because they are dense already."""
        return self

    def rotate(self, basis: Array) -> tuple[Self, Array]:
        """Return the rows in coordinates along `basis`, and their standard deviations.

        See `Rows.rotate`.
        """
        axes, deviations = _coordinates(basis, self.covariance())
        return replace(self, frame=replace(self.frame, axes=axes)), deviations


def _coordinates(basis: Array, lower: Array) -> tuple[Array, Array]:
    """Return the matrix that maps columns to coordinates of variance 1, and their deviations.

    The deviations are the standard deviations of the coordinates before scaling, 0 if constant.

    Parameters
    ----------
    basis : array of shape (n_coordinates, n_columns)
        The new axes, one per row.
    lower : array of shape (n_columns, n_columns)
        The lower triangle of the covariance.
    """
    covariance = symmetric(lower)
    variances = np.einsum("ij,ij->i", basis @ covariance, basis)
    # |Δbᵀ(Cov)b| ≤ NOISE · Σᵢⱼ |bᵢbⱼ| σᵢσⱼ, because products of columns add up with this error.
    rounding = NOISE * (np.abs(basis) @ np.sqrt(covariance.diagonal())) ** 2
    variances[variances <= np.maximum(rounding, CONSTANT_BY_COVARIANCE * variances.max())] = 0.0
    deviations = np.sqrt(variances)
    axes = basis.T / np.where(deviations > 0, deviations, 1.0)
    return np.ascontiguousarray(axes), deviations
