"""Rows of a sparse matrix, centred without writing the zeros out."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, Literal

import numpy as np
from scipy.sparse import csr_array, issparse

from gramian._support.threads import AddProduct
from gramian._support.types import Array, IntArray
from gramian._support.words import data_size
from gramian.core.rows._array import (
    CACHE_BYTES,
    ArrayRows,
    Centring,
    roots_of,
    scales_of,
    spread_of,
    standardize,
)
from gramian.core.rows._checksum import MASK, checksum_of
from gramian.core.rows._covariance import MatrixCovariance, OperatorCovariance, ResidualCovariance
from gramian.core.rows._implicit import ImplicitResiduals
from gramian.core.rows._protocol import BLOCK_ROWS, MemoryRows, RowBlock
from gramian.core.rows._transform import SecondMoments

MATRIX_COLUMNS = 2000
"""Largest number of columns whose covariance is written out: 32 MB."""
MOST_COLUMNS = 20_000
"""Largest number of columns whose covariance is computed on request: 3.2 GB."""
AT_ONCE = 32
"""Number of functions that are multiplied with sparse rows at once."""
DENSE_BYTES = 2**26
"""Bytes of sparse rows that are written out at once."""


class SparseBlock(RowBlock):
    """Rows x = s - root·centreᵀ, of which s is sparse.

    Parameters
    ----------
    values : sparse array of shape (n_rows, n_columns)
        Scaled rows s, each times the root of its weight; by rows.
    centre : array of shape (n_columns,)
        The centre of each column, subtracted from s. It is zero for columns without zeros: their
        entries are centred, so that a mean far from zero costs no accuracy.
    root : array of shape (n_rows,)
        The roots of the rows' weights.
    """

    def __init__(self, values: Any, centre: Array, root: Array) -> None:
        self._values = values
        self._centre = centre
        self.root = root
        self.n_columns = len(centre)

    @cached_property
    def _by_columns(self) -> Any:
        return self._values.tocsc()

    @property
    def x(self) -> Array:
        """All values, written out at each access."""
        x: Array = self._values.toarray()
        x -= np.multiply.outer(self.root, self._centre)
        return x

    def part(self, rows: slice) -> SparseBlock:
        """Return some of the rows, without a copy if the rows are consecutive."""
        start, stop, step = rows.indices(len(self.root))
        values = self._values
        if step != 1:
            return SparseBlock(values[rows], self._centre, self.root[rows])
        first, last = values.indptr[start], values.indptr[stop]
        part = csr_array(
            (
                values.data[first:last],
                values.indices[first:last],
                values.indptr[start : stop + 1] - first,
            ),
            shape=(stop - start, self.n_columns),
        )
        return SparseBlock(part, self._centre, self.root[rows])

    def along(self, axis: Array | int, *, one_thread: bool = False) -> Array:
        """Return a column, or the coordinates along a vector."""
        if isinstance(axis, int):
            column: Array = -self.root * self._centre[axis]
            values = self._by_columns
            stored = slice(values.indptr[axis], values.indptr[axis + 1])
            column[values.indices[stored]] += values.data[stored]
            return column
        found: Array = self._values @ axis
        found -= self.root * (self._centre @ axis)
        return found

    def along_all(self, axes: Array, out: Array) -> None:
        """Compute several columns, or coordinates along several vectors, by one thread."""
        if axes.ndim == 1:
            for row, axis in zip(out, axes.tolist(), strict=True):
                row[:] = self.along(axis)
            return
        out[:] = (self._values @ axes.T).T
        out -= np.multiply.outer(axes @ self._centre, self.root)

    def products(self, functions: Array) -> Array:
        """Return the sums over rows of functions, one or several by rows, times all columns."""
        if functions.ndim == 1:
            found: Array = self._values.T @ functions
            found -= (functions @ self.root) * self._centre
            return found
        found = np.zeros((len(functions), self.n_columns))
        self._add(found, functions)
        return found

    def add_products(self, out: Array, functions: Array, add_product: AddProduct) -> None:
        """Add the sums over rows of functions, given by rows, times all columns."""
        self._add(out, functions)

    def _add(self, out: Array, functions: Array) -> None:
        for start in range(0, len(functions), AT_ONCE):
            some = functions[start : start + AT_ONCE]
            found = self._values.T @ some.T
            found -= np.multiply.outer(self._centre, some @ self.root)
            out[start : start + AT_ONCE] += found.T

    def residuals(self, scale: Array | float) -> ImplicitResiduals:
        """Return the columns in other units, as residuals from which fits are subtracted."""
        return ImplicitResiduals(self, scale, self.squares())

    def squares(self) -> Array:
        """Return the sums of squares by column, as sums of positive numbers."""
        values, n = self._values, self.n_columns
        row_of = np.repeat(np.arange(len(self.root)), np.diff(values.indptr))
        centres = self._centre[values.indices] * self.root[row_of]
        weight = self.root**2
        stored = np.bincount(values.indices, weight[row_of], n)
        squares: Array = np.bincount(values.indices, (values.data - centres) ** 2, n).astype(float)
        squares += np.maximum(weight.sum() - stored, 0.0) * self._centre**2
        return squares


class SparseRows(MemoryRows):
    """The rows of a sparse matrix.

    Parameters
    ----------
    whole : SparseBlock
        All rows.
    variances : array of shape (n_columns,)
        The variances of the scaled columns.
    """

    def __init__(self, whole: SparseBlock, variances: Array) -> None:
        self._whole = whole
        self._variances = variances
        self.root = whole.root
        self.n_columns = whole.n_columns
        self.effective_n_rows = float(1 / np.sum(whole.root**4))
        """Effective number of rows (Kish): as many rows of equal weight would tell as much."""
        self.cache_bytes = CACHE_BYTES
        """Bytes that values of rows may take from one sum to the next."""

    @property
    def whole(self) -> SparseBlock:
        """All rows in one block."""
        return self._whole

    @cached_property
    def _parts(self) -> list[RowBlock]:
        return list(super().blocks())

    def blocks(self) -> Iterator[RowBlock]:
        """Read the table once."""
        return iter(self._parts)

    def rotate(self, basis: Array) -> tuple[ArrayRows, Array]:
        """Express the rows in other coordinates, each scaled to variance 1."""
        coordinates = np.empty((len(basis), self.n_rows))
        self._whole.along_all(basis, out=coordinates)
        x = np.ascontiguousarray(coordinates.T)
        deviations = standardize(x)
        return ArrayRows(x, self.root), deviations

    def covariance(self) -> Array:
        """Return the lower triangle of E[XXᵀ] of the scaled columns, in Fortran's order."""
        n = self.n_columns
        if n > MOST_COLUMNS:
            raise ValueError(
                f"The covariance of {n:,} columns, needed here, would take {data_size(8 * n**2)}. "
                "GFR, GFS(criterion='variance') and GFA(backward=False) do not need it. Or take "
                "fewer columns."
            )
        return np.asfortranarray(np.tril(self.sum(SecondMoments(self.n_columns))[0]))

    def residual_covariance(self) -> ResidualCovariance:
        """Return E[XXᵀ] of the scaled columns, as a matrix if there are few columns."""
        if self.n_columns <= MATRIX_COLUMNS:
            return MatrixCovariance(self.covariance())
        return OperatorCovariance(
            lambda vector: self._whole.products(self._whole.along(vector)), self._variances
        )

    def dense(self) -> ArrayRows:
        """Return the rows, written out."""
        return ArrayRows(self._whole.x, self.root)


def centre_sparse(
    X: Any,
    weights: Array | None,
    scale: Literal["column", "table"],
    *,
    checksum: bool = False,
) -> tuple[SparseRows, Centring]:
    """Centre and scale the columns of a sparse matrix, without writing its zeros out.

    Parameters
    ----------
    X : sparse array or matrix of shape (n_rows, n_columns)
        Finite values, by rows.
    weights, scale, checksum
        As in `centre`.
    """
    X = canonical(X)
    found = _checksum(X, weights) if checksum else None
    X, root = roots_of(X, weights)
    n_rows, n_columns = X.shape
    lowest = X.min(axis=0).toarray().ravel()
    spread = spread_of(lowest, X.max(axis=0).toarray().ravel(), scaled=True)
    unit = np.where(spread > 0, spread, 1.0)
    columns = X.indices
    full = _full(X)
    low = np.where(full, lowest, 0.0)
    weight = np.repeat(root**2, np.diff(X.indptr))
    data = (X.data - low[columns]) / unit[columns]
    shift = np.bincount(columns, weight * data, n_columns)
    centred = data - shift[columns]
    squares = np.bincount(columns, weight * centred**2, n_columns)
    stored = np.where(full, 1.0, np.bincount(columns, weight, n_columns))
    squares += np.maximum(1 - stored, 0.0) * shift**2
    deviation = np.sqrt(squares)
    factor, scales = scales_of(unit, deviation, scale)
    data = np.where(full[columns], centred, data)
    data *= factor[columns]
    data *= np.repeat(root, np.diff(X.indptr))
    values = csr_array((data, X.indices, X.indptr), shape=(n_rows, n_columns))
    block = SparseBlock(values, np.where(full, 0.0, shift * factor), root)
    centring = Centring(low + unit * shift, scales, deviation > 0, found)
    return SparseRows(block, squares * factor**2), centring


def apply_centring(centring: Centring, X: Any, weights: Array | None) -> RowBlock:
    """Centre and scale other rows, sparse or not, as the rows of a fit."""
    if not issparse(X):
        return centring.apply(X, weights)
    X, root = roots_of(canonical(X), weights)
    full, columns = _full(X), X.indices
    data = (X.data - np.where(full, centring.mean, 0.0)[columns]) / centring.scale[columns]
    data *= np.repeat(root, np.diff(X.indptr))
    values = csr_array((data, X.indices, X.indptr), shape=X.shape)
    return SparseBlock(values, np.where(full, 0.0, centring.mean / centring.scale), root)


def canonical(X: Any) -> Any:
    """Return a sparse matrix by rows without duplicate entries; the argument is not changed."""
    X = csr_array(X)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def dense_parts(X: Any, n_rows: int) -> Iterator[tuple[slice, Array]]:
    """Yield up to `n_rows` rows at a time; sparse rows are written out, fewer at a time."""
    sparse = issparse(X)
    if sparse:
        n_rows = min(n_rows, max(1, DENSE_BYTES // (8 * X.shape[1])))
    for start in range(0, X.shape[0], n_rows):
        rows = slice(start, min(X.shape[0], start + n_rows))
        yield rows, X[rows].toarray() if sparse else X[rows]


def written_out(X: Any) -> Any:
    """Return a sparse matrix as an array, and any other table as it is."""
    sparse: bool = issparse(X)
    return X.toarray() if sparse else X


def _full(X: Any) -> Any:
    """Return True for columns that have an entry in every row."""
    counts: IntArray = np.bincount(X.indices, minlength=X.shape[1])
    return counts == X.shape[0]


def _checksum(X: Any, weights: Array | None) -> int:
    """Return the checksum of sparse rows, equal to that of the dense table."""
    return MASK & sum(
        checksum_of(part, None if weights is None else weights[rows])
        for rows, part in dense_parts(X, BLOCK_ROWS)
    )
