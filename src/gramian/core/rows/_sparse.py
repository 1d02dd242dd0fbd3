"""Table in a sparse matrix, centred and scaled without storing its zeros."""

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
from gramian.core.rows._equal_rows import effective_count
from gramian.core.rows._implicit import ImplicitResiduals
from gramian.core.rows._protocol import BLOCK_ROWS, MemoryRows, RowBlock
from gramian.core.rows._transform import SecondMoments

MATRIX_COLUMNS = 2000
"""Largest number of columns for which the residual covariance is a dense matrix (32 MB); with more
columns, only its products with vectors are computed."""
MOST_COLUMNS = 20_000
"""Largest number of columns for which `covariance` computes a matrix (3.2 GB); with more columns,
it raises an error."""
AT_ONCE = 32
"""Number of functions in one product with the sparse rows; it limits the memory of the result."""
DENSE_BYTES = 2**26
"""Largest size, in bytes, of a dense copy of some sparse rows."""


class SparseBlock(RowBlock):
    """Row block x = s - root·centreᵀ, where s is a sparse matrix.

    Parameters
    ----------
    values : sparse array of shape (n_rows, n_columns)
        Scaled rows s, each multiplied by the square root of its weight, in CSR format.
    centre : array of shape (n_columns,)
        The centre of each column, subtracted from s. It is zero for columns without zeros: the
        entries of such columns in `values` are centred, so that a mean far from zero costs no
        accuracy.
    root : array of shape (n_rows,)
        The square roots of the row weights.
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
        """The weighted rows as a dense array, computed at each access."""
        x: Array = self._values.toarray()
        x -= np.multiply.outer(self.root, self._centre)
        return x

    def part(self, rows: slice) -> SparseBlock:
        """Return the rows in the slice `rows` as a block, without a copy if the step is 1."""
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

    def take(self, rows: IntArray) -> SparseBlock:
        """Return the rows with the indices `rows` as a block."""
        return SparseBlock(self._values[rows], self._centre, self.root[rows])

    def along(self, axis: Array | int, *, one_thread: bool = False) -> Array:
        """Return one value per row: column number `axis`, or the rows times the vector `axis`."""
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
        """Write several columns, or the rows times several vectors, to `out`, in one thread."""
        if axes.ndim == 1:
            for row, axis in zip(out, axes.tolist(), strict=True):
                row[:] = self.along(axis)
            return
        out[:] = (self._values @ axes.T).T
        out -= np.multiply.outer(axes @ self._centre, self.root)

    def products(self, functions: Array) -> Array:
        """Return Σ f·x over the rows, for each function f and column x.

        `functions` has the shape (n_rows,) or (n_functions, n_rows); the result has the shape
        (n_columns,) or (n_functions, n_columns).
        """
        if functions.ndim == 1:
            found: Array = self._values.T @ functions
            found -= (functions @ self.root) * self._centre
            return found
        found = np.zeros((len(functions), self.n_columns))
        self._add(found, functions)
        return found

    def add_products(self, out: Array, functions: Array, add_product: AddProduct) -> None:
        """Add Σ f·x over the rows to `out`, for each function f and column x.

        `functions` has the shape (n_functions, n_rows), `out` (n_functions, n_columns).
        """
        self._add(out, functions)

    def _add(self, out: Array, functions: Array) -> None:
        for start in range(0, len(functions), AT_ONCE):
            some = functions[start : start + AT_ONCE]
            found = self._values.T @ some.T
            found -= np.multiply.outer(self._centre, some @ self.root)
            out[start : start + AT_ONCE] += found.T

    def residuals(self, scale: Array | float) -> ImplicitResiduals:
        """Return the columns times `scale` as residuals of a fit without functions.

        Their method `subtract` removes fitted functions.
        """
        return ImplicitResiduals(self, scale, self.squares())

    def squares(self) -> Array:
        """Return the sum of squares of each column, computed without cancellation."""
        values, n = self._values, self.n_columns
        row_of = np.repeat(np.arange(len(self.root)), np.diff(values.indptr))
        centres = self._centre[values.indices] * self.root[row_of]
        weight = self.root**2
        stored = np.bincount(values.indices, weight[row_of], n)
        squares: Array = np.bincount(values.indices, (values.data - centres) ** 2, n).astype(float)
        squares += np.maximum(weight.sum() - stored, 0.0) * self._centre**2
        return squares


class SparseRows(MemoryRows):
    """Table in memory whose rows are a sparse matrix.

    Parameters
    ----------
    whole : SparseBlock
        All rows of the table.
    variances : array of shape (n_columns,)
        The variances of the scaled columns.
    """

    def __init__(self, whole: SparseBlock, variances: Array) -> None:
        self._whole = whole
        self._variances = variances
        self.root = whole.root
        self.n_columns = whole.n_columns
        self.effective_n_rows = effective_count(whole.root**2)
        self.cache_bytes = CACHE_BYTES
        """Largest size, in bytes, of each cache of function or variable values between two
        passes."""

    @property
    def whole(self) -> SparseBlock:
        """All rows of the table, as one `RowBlock`."""
        return self._whole

    @cached_property
    def _parts(self) -> list[RowBlock]:
        return list(super().blocks())

    def blocks(self) -> Iterator[RowBlock]:
        """Yield the rows in blocks of nearly equal size, which are created only once."""
        return iter(self._parts)

    def rotate(self, basis: Array) -> tuple[ArrayRows, Array]:
        """Return the rows in coordinates along `basis`, and their standard deviations.

        See `Rows.rotate`.
        """
        coordinates = np.empty((len(basis), self.n_rows))
        self._whole.along_all(basis, out=coordinates)
        x = np.ascontiguousarray(coordinates.T)
        deviations = standardize(x)
        return ArrayRows(x, self.root, self.groups), deviations

    def covariance(self) -> Array:
        """Return the lower triangle of E[XXᵀ] of the scaled columns, in Fortran order."""
        n = self.n_columns
        if n > MOST_COLUMNS:
            raise ValueError(
                f"The covariance of {n:,} columns, needed here, would take {data_size(8 * n**2)}. "
                "GFR, GFS(criterion='variance') and GFA(backward=False) do not need it. Or take "
                "fewer columns."
            )
        return np.asfortranarray(np.tril(self.sum(SecondMoments(self.n_columns))[0]))

    def residual_covariance(self) -> ResidualCovariance:
        """Return E[XXᵀ] of the scaled columns: a matrix if it is small, else an operator."""
        if self.n_columns <= MATRIX_COLUMNS:
            return MatrixCovariance(self.covariance())
        return OperatorCovariance(
            lambda vector: self._whole.products(self._whole.along(vector)), self._variances
        )

    def dense(self) -> ArrayRows:
        """Return the rows as a dense array in memory."""
        return ArrayRows(self._whole.x, self.root, self.groups)


def centre_sparse(
    X: Any,
    weights: Array | None,
    scale: Literal["column", "table"],
    *,
    checksum: bool = False,
) -> tuple[SparseRows, Centring]:
    """Centre and scale the columns of a sparse matrix without storing its zeros.

    Parameters
    ----------
    X : sparse array or matrix of shape (n_rows, n_columns)
        Finite values.
    weights, scale, checksum
        As in `centre`, which also describes the two results.
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
    """Return new rows, sparse or dense, centred and scaled with the mean and scale of a fit."""
    if not issparse(X):
        return centring.apply(X, weights)
    X, root = roots_of(canonical(X), weights)
    full, columns = _full(X), X.indices
    data = (X.data - np.where(full, centring.mean, 0.0)[columns]) / centring.scale[columns]
    data *= np.repeat(root, np.diff(X.indptr))
    values = csr_array((data, X.indices, X.indptr), shape=X.shape)
    return SparseBlock(values, np.where(full, 0.0, centring.mean / centring.scale), root)


def canonical(X: Any) -> Any:
    """Return a CSR copy or view of a sparse matrix without duplicate entries; X stays unchanged."""
    X = csr_array(X)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def dense_parts(X: Any, n_rows: int) -> Iterator[tuple[slice, Array]]:
    """Yield (slice, dense rows of that slice), with up to `n_rows` rows or fewer to save memory."""
    sparse = issparse(X)
    if sparse:
        n_rows = min(n_rows, max(1, DENSE_BYTES // (8 * X.shape[1])))
    for start in range(0, X.shape[0], n_rows):
        rows = slice(start, min(X.shape[0], start + n_rows))
        yield rows, X[rows].toarray() if sparse else X[rows]


def written_out(X: Any) -> Any:
    """Return a sparse matrix as a dense array, and any other table unchanged."""
    sparse: bool = issparse(X)
    return X.toarray() if sparse else X


def _full(X: Any) -> Any:
    """Return a mask of the columns: True if the column has a stored entry in every row."""
    counts: IntArray = np.bincount(X.indices, minlength=X.shape[1])
    return counts == X.shape[0]


def _checksum(X: Any, weights: Array | None) -> int:
    """Return the checksum of sparse rows, equal to the checksum of the dense table."""
    return MASK & sum(
        checksum_of(part, None if weights is None else weights[rows])
        for rows, part in dense_parts(X, BLOCK_ROWS)
    )
