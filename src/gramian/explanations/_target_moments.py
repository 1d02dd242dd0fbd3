"""Moments (expected products) of functions and of columns to explain, from a fit or from rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gramian._support.types import Array, IntArray
from gramian.core.pursuit import BLOCK_BYTES, MAX_MOMENTS
from gramian.fitting import FittedModel

UNCERTAIN = 1e-13
"""A difference of two moments below this share of the moments is a rounding error."""
N_FOLDS = 5
"""Number of folds (parts) of the rows for cross-validation; each fold is held out once."""
N_FOLDS_OF_MANY = 2
"""Number of folds if the fit has more than `MAX_MOMENTS` functions, to save memory."""


@dataclass(frozen=True)
class Moments:
    """Expectations of products of functions, kept variables and columns to explain."""

    gram: Array
    """E[ffᵀ] for the functions f of the basis; the first function is the constant."""
    with_targets: Array
    """E[fyᵀ] for the functions f and the targets y: centred columns or directions to explain."""
    squares: Array
    """E[y²] for each target y."""
    with_variables: Array
    """E[fzᵀ] for the functions f and the kept variables z, centred."""
    size: float
    """The number of rows, or the sum of their weights."""

    def left_by(self, combination: Array, target: int) -> float:
        """Return the mean square residual of a column that is predicted by functions.

        Parameters
        ----------
        combination : array of shape (n_functions,)
            The coefficients of the functions.
        target : int
            The index of the column among the columns to explain.
        """
        with_functions = self.gram @ combination - 2 * self.with_targets[:, target]
        return max(float(self.squares[target] + combination @ with_functions), 0.0)

    @property
    def variances(self) -> Array:
        """The variances of the columns to explain."""
        variances = self.squares - self.with_targets[0] ** 2
        return np.where(variances > UNCERTAIN * self.squares, variances, 0.0)


def mix(parts: Sequence[Moments]) -> Moments:
    """Return the moments of several sets of rows together."""
    size = sum(part.size for part in parts)

    def mean(name: str) -> Array:
        parts_of_it = [part.size / size * getattr(part, name) for part in parts]
        total: Array = np.sum(parts_of_it, axis=0)
        return total

    return Moments(
        mean("gram"), mean("with_targets"), mean("squares"), mean("with_variables"), size
    )


def of_targets(columns: Array, axes: Array | None, targets: IntArray) -> Array:
    """Return the columns of a matrix that belong to the targets, of shape (n, n_targets).

    Parameters
    ----------
    columns : array of shape (n, n_features)
        Centred rows of the table, or any matrix whose columns belong to columns of the table.
    axes : array of shape (n_directions, n_features) or None
        The directions that can be explained; None if columns are explained.
    targets : array
        The indices of the columns or directions to explain.
    """
    return columns[:, targets] if axes is None else columns @ axes[targets].T


def of_fit(model: FittedModel, axes: Array | None, targets: IntArray) -> Moments | None:
    """Return the moments that a fit has stored; None if the fit has no stored moments.

    Parameters
    ----------
    model : FittedModel
        The fit.
    axes : array of shape (n_directions, n_features) or None
        The directions that can be explained; None if columns are explained.
    targets : array
        The indices of the columns or directions to explain.
    """
    if model.decoder.moments is None:
        return None
    gram, with_x = model.decoder.moments
    with_targets = of_targets(with_x, axes, targets)
    with_variables = model.kept.encode(with_x)  # linear, so it maps expectations, too
    squares = model.variances[targets]
    return Moments(gram, with_targets, squares, with_variables, float(model.record.n_rows))


def of_rows(
    model: FittedModel,
    table: Array,
    weights: Array | None,
    axes: Array | None,
    targets: IntArray,
) -> list[Moments]:
    """Divide the rows of a table at random into parts; return the moments of each part.

    Parameters
    ----------
    model : FittedModel
        The fit, which has the functions.
    table : array of shape (n_rows, n_columns)
        The rows.
    weights : array of shape (n_rows,), or None
        The weights of the rows.
    axes, targets
        The parameters of `of_targets`.
    """
    n_folds = N_FOLDS if model.record.n_functions <= MAX_MOMENTS else N_FOLDS_OF_MANY
    if weights is not None:
        table, weights = table[weights > 0], weights[weights > 0]
    if len(table) < 2 * n_folds:
        raise ValueError(
            f"X has {len(table)} rows, too few to hold some out: give at least {2 * n_folds}, or "
            "no X to use the moments of the fit alone."
        )
    order = np.random.default_rng(0).permutation(len(table))
    return [
        _of_part(model, table[part], None if weights is None else weights[part], axes, targets)
        for part in np.array_split(order, n_folds)
    ]


def _of_part(
    model: FittedModel,
    table: Array,
    weights: Array | None,
    axes: Array | None,
    targets: IntArray,
) -> Moments:
    decoder = model.decoder
    n = len(decoder.coefficients)
    gram = np.zeros((n, n))
    with_targets = np.zeros((n, len(targets)))
    with_variables = np.zeros((n, len(decoder.units)))
    squares = np.zeros(len(targets))
    step = max(1, BLOCK_BYTES // (8 * n))
    for start in range(0, len(table), step):
        part = slice(start, start + step)
        x = model.centre(table[part])
        z = model.kept.encode(x)
        y = of_targets(x, axes, targets)
        functions = decoder.evaluate(z)
        weighted = functions if weights is None else functions * weights[part]
        gram += weighted @ functions.T
        with_targets += weighted @ y
        with_variables += weighted @ z
        squares += weighted[0] @ y**2  # the first function is the constant 1
    size = gram[0, 0]
    return Moments(
        gram / size, with_targets / size, squares / size, with_variables / size, float(size)
    )
