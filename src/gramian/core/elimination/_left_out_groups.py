"""Groups of rows that are left out of a fit together: squares of their residuals without them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from gramian._support.types import Array, IntArray
from gramian.core.elimination._verification import ColumnFit
from gramian.core.rows import MemoryRows


def leave_groups_out(
    rows: MemoryRows, fit: ColumnFit, groups: Sequence[IntArray], *, small: bool = False
) -> Array:
    """Return the residual share of each fitted column if each group of rows is left out.

    Parameters
    ----------
    rows : MemoryRows
        The table of the fit.
    fit : ColumnFit
        The fit to all rows.
    groups : sequence of arrays of int
        The numbers of the rows of each group; each row is in one group.
    small : bool, default=False
        True to save time if a group has fewer rows than there are functions.
    """
    whole, n = rows.whole, len(fit.use) + 1
    found = np.zeros(len(fit.targets))
    for group in groups:
        pieces = (
            (np.vstack([root, orthonormal]), residual)  # the constant is the first function
            for root, orthonormal, residual in fit.evaluate(whole.take(group))
        )
        if small and len(group) < n:
            found += squares_of_few(pieces)
        else:
            found += squares_without(pieces, n, len(found))
    return found


def squares_of_few(pieces: Iterable[tuple[Array, Array]]) -> Array:
    """Return what `squares_without` returns, for a group with fewer rows than functions.

    The eigenvalues of UᵀU, which has a row for each row of the group, take less time.
    """
    parts = list(pieces)
    functions = np.concatenate([each for each, _ in parts], axis=1)
    residual = np.concatenate([each for _, each in parts])
    values, vectors = np.linalg.eigh(functions.T @ functions)
    along = (vectors.T @ residual) ** 2
    spread = np.maximum(1 - values, 0.0)[:, np.newaxis]
    with np.errstate(divide="ignore", invalid="ignore"):
        total: Array = np.where(along > 0, along / spread**2, 0.0).sum(axis=0)
    return total


def squares_without(
    pieces: Iterable[tuple[Array, Array]], n_functions: int, n_targets: int
) -> Array:
    """Return the sums of squared residuals of a group of rows in the fit without this group.

    With the orthonormal functions U of the rows of a group, one row of U for each function, the
    residuals r of the fit to all rows become (I - UᵀU)⁻¹r in the fit without the group. This is r +
    Uᵀ(I - UUᵀ)⁻¹Ur: sums over the rows of the group give its sum of squares. A sum is infinite if
    the other rows do not determine the fit.

    Parameters
    ----------
    pieces : iterable of pairs of arrays
        For some rows of the group at a time: the functions, of shape (n_functions, n_rows), and
        the residuals of the fit to all rows, of shape (n_rows, n_targets).
    n_functions : int
        The number of functions.
    n_targets : int
        The number of columns of the residuals.
    """
    n, squares = n_functions, np.zeros(n_targets)
    inner, right = np.zeros((n, n)), np.zeros((n, n_targets))
    for functions, residual in pieces:
        inner += functions @ functions.T
        right += functions @ residual
        squares += np.einsum("ij,ij->j", residual, residual)
    values, vectors = np.linalg.eigh(inner)
    spread = np.maximum(1 - values, 0.0)[:, np.newaxis]
    along = (vectors.T @ right) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        # 2/s + v/s² with s = 1 - v, for each direction of the functions in this group
        extra = np.where(along > 0, along * (2 / spread + values[:, np.newaxis] / spread**2), 0)
    total: Array = squares + extra.sum(axis=0)
    return total
