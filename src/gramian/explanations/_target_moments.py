"""The moments that formulas are made from: those of the fit, or those of given rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gramian._support.types import Array, IntArray
from gramian.core.pursuit import BLOCK_BYTES, MAX_MOMENTS
from gramian.fitting import FittedModel

UNCERTAIN = 1e-13
"""A difference of two moments that is a smaller share of them is a rounding error."""
N_FOLDS = 5
"""The number of parts that rows are divided into; each part is held out once."""
N_FOLDS_OF_MANY = 2
"""The same if there are many functions, to save memory."""


@dataclass(frozen=True)
class Moments:
    """Expectations over some rows."""

    gram: Array
    """E[ffᵀ] for the functions of the basis, the constant first."""
    with_targets: Array
    """E[fyᵀ] for the centred columns or directions y to be explained."""
    squares: Array
    """E[y²]."""
    with_variables: Array
    """E[fzᵀ] for the chosen variables, centred."""
    size: float
    """The number of rows, or the sum of their weights."""

    def left_by(self, combination: Array, target: int) -> float:
        """Return the mean square that a combination of the functions leaves of a target."""
        with_functions = self.gram @ combination - 2 * self.with_targets[:, target]
        return max(float(self.squares[target] + combination @ with_functions), 0.0)

    @property
    def variances(self) -> Array:
        """The variances of the targets."""
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
    """Return what belongs to the targets, given the same of all columns.

    Parameters
    ----------
    columns : array of shape (n, n_features)
        Centred rows, or anything else that is linear in them.
    axes : array of shape (n_directions, n_features) or None
        The directions that are to be explained, None for the columns themselves.
    targets : array
        The indices of those to explain.
    """
    return columns[:, targets] if axes is None else columns @ axes[targets].T


def of_fit(model: FittedModel, axes: Array | None, targets: IntArray) -> Moments | None:
    """Return the moments that a fit has kept, if it has.

    Parameters
    ----------
    model : FittedModel
        The fit.
    axes : array of shape (n_directions, n_features) or None
        The directions that are to be explained, None for the columns themselves.
    targets : array
        The indices of those to explain.
    """
    if model.decoder.moments is None:
        return None
    gram, with_x = model.decoder.moments
    with_targets = of_targets(with_x, axes, targets)
    with_variables = model.encoder(with_x)  # linear, so that it works on expectations, too
    squares = model.variances[targets]
    return Moments(gram, with_targets, squares, with_variables, float(model.record.n_rows))


def of_rows(
    model: FittedModel,
    table: Array,
    weights: Array | None,
    axes: Array | None,
    targets: IntArray,
) -> list[Moments]:
    """Return the moments of parts of a table, rows dealt out at random."""
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
        z = model.encoder(x)
        y = of_targets(x, axes, targets)
        functions = decoder.evaluate(z)
        weighted = functions if weights is None else functions * weights[part]
        gram += weighted @ functions.T
        with_targets += weighted @ y
        with_variables += weighted @ z
        squares += weighted[0] @ y**2  # the constant function is 1
    size = gram[0, 0]
    return Moments(
        gram / size, with_targets / size, squares / size, with_variables / size, float(size)
    )
