"""Decoder: the functions of the chosen variables that reconstruct all columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import attrgetter

import numpy as np
from scipy.linalg import lstsq

from gramian._support.types import Array, IntArray
from gramian.core._tolerances import NOISE
from gramian.core.orthogonalize import Orthogonalizer
from gramian.core.pursuit._reach import Reach
from gramian.core.sums import GrowingRows, Step
from gramian.families import Block

MAX_MOMENTS = 1000
"""Largest number of functions, including the constant, whose moments are kept: 8 MB."""
SMALLEST = 1e-145
"""Smallest norm of a function whose moments float64 can hold."""
EXPLAINED = 0.01
"""Largest share of the residual variance of linear regression that functions leave of a column that
they explain almost completely."""
BLOCK_BYTES = 2**26
"""Memory for the values of functions that are evaluated at once."""


@dataclass(frozen=True)
class Decoder:
    """Prediction Bᵀf(z) of all columns by functions f of the chosen variables z, all centred."""

    blocks: tuple[Block, ...]
    kept: tuple[IntArray, ...]
    """Indices of the functions of each block that are in the basis."""
    coefficients: Array
    """B: one row for each function of the basis, the constant first."""
    linear: Array
    """Coefficients of the variables in the linear least-squares fit."""
    units: Array
    """Standard deviations of the variables: functions take variables scaled to variance 1."""
    moments: tuple[Array, Array] | None
    """E[ffᵀ] and E[fXᵀ] for the functions of the basis and centred X; None if the functions are
    more than `MAX_MOMENTS`, or too large or too small for float64."""
    explained: IntArray
    """Indices of the columns that functions explain almost completely, and linear regression does
    not."""
    reach: Reach | None = None
    """Ranges out of which functions decode only the columns in `explained`; None to use functions
    for all rows and columns."""

    def __call__(self, z: Array, *, linear: bool = False, extrapolate: bool = False) -> Array:
        """Return the predicted columns, centred, of shape (n_rows, n_columns).

        Parameters
        ----------
        z : array of shape (n_rows, n_variables)
            The centred variables.
        linear : bool, default=False
            True to predict by linear regression on the variables only.
        extrapolate : bool, default=False
            True to use the functions also in rows far from the rows of the fit. By default, such
            rows are predicted by linear regression.
        """
        if linear:
            return (z / self.units) @ self.linear
        reach = None if extrapolate else self.reach
        out = np.empty((len(z), self.coefficients.shape[1]))
        step = max(1, BLOCK_BYTES // (8 * len(self.coefficients)))
        for start in range(0, len(z), step):
            part = slice(start, start + step)
            if reach is None:
                out[part] = self.evaluate(z[part]).T @ self.coefficients
            else:
                out[part] = self._decode_within(reach, z[part])
        return out

    def _decode_within(self, reach: Reach, z: Array) -> Array:
        """Predict columns by functions, and by linear regression in rows outside `reach`."""
        with np.errstate(all="ignore"):  # functions of far rows
            functions = self.evaluate(z, must_be_finite=False)
            out: Array = functions.T @ self.coefficients
            flat = self(z, linear=True)
            parts = (out[:, reach.columns] - flat[:, reach.columns]).T
            trust = reach.trust(functions[1:], parts, self._sizes)
            far = np.flatnonzero(trust < 1)
            weight, flat = trust[far, np.newaxis], flat[far]
            mixed = np.where(weight > 0, flat + weight * (out[far] - flat), flat)
        by_functions = out[np.ix_(far, self.explained)]
        finite = np.isfinite(by_functions)
        mixed[:, self.explained] = np.where(finite, by_functions, flat[:, self.explained])
        out[far] = mixed
        return out

    @cached_property
    def _sizes(self) -> Array:
        """For some columns, sums of absolute values of terms; rounding errors are relative to them.

        The columns are those of `watched_columns`; the terms are those of their nonlinear parts.
        """
        assert self.reach is not None
        largest = np.append(1.0, np.maximum(np.abs(self.reach.low), np.abs(self.reach.high)))
        sizes: Array = np.abs(self.coefficients[:, self.reach.columns]).T @ largest
        return sizes

    def evaluate(self, z: Array, *, must_be_finite: bool = True) -> Array:
        """Return the values of the functions, of shape (n_functions, n_rows).

        Parameters
        ----------
        z : array of shape (n_rows, n_variables)
            The centred variables.
        must_be_finite : bool, default=True
            False to return NaN and infinity of a user's functions; by default they are errors.
        """
        variables = np.ascontiguousarray((z / self.units).T)
        basis = np.ones((len(self.coefficients), len(z)))
        blocks = self._pruned[0] if must_be_finite else self._unbounded
        n_values = [each.n_functions + sum(len(f.keys) for f in each.bases) for each in blocks]
        step = max(1, BLOCK_BYTES // (8 * (max(n_values, default=1) + len(self.coefficients))))
        for start in range(0, len(z), step):
            part = slice(start, start + step)
            self._evaluate(blocks, variables[:, part], basis[1:, part])
        return basis

    def _evaluate(self, blocks: list[Block], variables: Array, out: Array) -> None:
        """Write the values of all functions except the constant to `out`, one row per function."""
        store = GrowingRows(np.ones(variables.shape[1]))
        done = 0
        for j, (block, kept) in enumerate(zip(blocks, self._pruned[1], strict=True), start=1):
            if block.n_functions:
                values = block.evaluate(store.view, variables[:j])
                store.append(values[block.stored])
                out[done : done + len(kept)] = values[kept]
                done += len(kept)

    @cached_property
    def _unbounded(self) -> list[Block]:
        """The blocks of `_pruned`, with user's functions that may return NaN and infinity."""
        return [block.unbounded() if block.calls else block for block in self._pruned[0]]

    @cached_property
    def _pruned(self) -> tuple[list[Block], list[IntArray]]:
        """The basis with the ancestors of its functions, and the indices of the basis among them.

        The parent of a function is the function of earlier variables that is its factor; its
        ancestors are its parent, the parent of its parent, and so on.
        """
        edges = np.cumsum([1, *(len(block.stored) for block in self.blocks)])
        in_use = np.zeros(edges[-1], dtype=bool)
        in_use[0] = True  # the constant
        needed: list[IntArray] = []
        for block, kept, start in reversed([*zip(self.blocks, self.kept, edges[:-1], strict=True)]):
            stored = block.stored[in_use[start : start + len(block.stored)]]
            functions = np.union1d(kept, stored).astype(np.intp)
            in_use[block.parents[functions[functions < len(block.parents)]]] = True
            needed.insert(0, functions)
        new_row = np.cumsum(in_use) - 1
        pruned = []
        for block, functions, start in zip(self.blocks, needed, edges[:-1], strict=True):
            n = len(block.parents)
            products, calls = functions[functions < n], functions[functions >= n] - n
            stored = block.stored[in_use[start : start + len(block.stored)]]
            pruned.append(
                replace(
                    block,
                    parents=new_row[block.parents[products]],
                    atoms=block.atoms[products],
                    calls=tuple(block.calls[i] for i in calls),
                    stored=np.searchsorted(functions, stored),
                )
            )
        places = [np.searchsorted(*pair) for pair in zip(needed, self.kept, strict=True)]
        return pruned, places


def make_decoder(
    orthogonalizer: Orthogonalizer,
    units: Sequence[float] | Array,
    to_columns: Array,
    variances: Array,
    n_rows: float,
) -> Decoder:
    """Make the decoder of a finished fit.

    Parameters
    ----------
    orthogonalizer : Orthogonalizer
        The functions.
    units : array of shape (n_variables,)
        The standard deviations of the variables.
    to_columns : array of shape (n_columns,) or (n_inner, n_columns)
        Factors, or a matrix, from the columns of the fit to the columns of the user.
    variances : array of shape (n_columns,)
        The variances of the columns of the user.
    n_rows : float
        The effective number of rows.
    """
    factor, steps = orthogonalizer.factors[orthogonalizer.use], orthogonalizer.steps
    blocks, norms = [step.block for step in steps], orthogonalizer.norms[:, np.newaxis]
    if any(block.calls for block in blocks):  # functions of the user are stored unscaled
        scales = [step.block.scales[step.kept] for step in steps]
        norms = norms / np.concatenate([np.ones(1), *scales])[:, np.newaxis]
        blocks = [block.unscaled() for block in blocks]
    coefficients = factor.fit(orthogonalizer.n_functions)
    coefficients /= norms
    with_x = np.reshape(orthogonalizer.variables, (-1, coefficients.shape[1]))
    linear = linear_fit(steps, with_x)

    def lift(rows: Array) -> Array:  # in place if possible: columns may be many
        if to_columns.ndim == 2:
            return rows @ to_columns
        rows *= to_columns
        return rows

    def left(a: Array, b: Array) -> Array:
        """Return the variance of each column minus the sum of products of `a` and `b`."""
        unit: Array | float = to_columns**2
        if to_columns.ndim == 2:
            a, b, unit = a @ to_columns, b @ to_columns, 1.0
        shares: Array = variances - np.einsum("ij,ij->j", a, b) * unit
        return shares

    by_functions, by_lines = left(factor.coefficients, factor.coefficients), left(linear, with_x)
    # As in generalized cross-validation: functions as many as rows leave nothing on these rows.
    bound = EXPLAINED * max(0.0, 1 - factor.degrees_of_freedom / n_rows) ** 2
    explained = np.maximum(by_functions, NOISE * variances) < bound * by_lines

    moments: tuple[Array, Array] | None = None
    # Moments do not depend on penalties, but factors of large penalties may leave functions out.
    whole = [each for each in orthogonalizer.factors if len(each) == orthogonalizer.n_functions]
    if whole and orthogonalizer.n_functions <= MAX_MOMENTS:
        smallest = min(whole, key=attrgetter("alpha"))
        gram, with_x = smallest.moments(orthogonalizer.n_functions)
        with np.errstate(over="ignore"):
            with_x *= norms
            moments = norms * gram * norms.T, lift(with_x)
        if norms.min() < SMALLEST or not all(np.isfinite(each).all() for each in moments):
            moments = None
    return Decoder(
        tuple(blocks),
        tuple(step.kept for step in steps),
        lift(coefficients),
        lift(linear),
        np.array(units, dtype=np.float64),
        moments,
        np.flatnonzero(explained),
    )


def linear_fit(steps: Sequence[Step], with_x: Array) -> Array:
    """Return the least-squares coefficients of the columns of X in the chosen variables z.

    Parameters
    ----------
    steps : sequence of Step
        The variables.
    with_x : array of shape (n_variables, n_columns)
        E[zXᵀ].
    """
    if not steps:
        return with_x
    products = [
        (with_x[:, axis] if isinstance(axis, int) else with_x @ axis) / step.direction.deviation
        for step in steps
        for axis in [step.direction.axis]
    ]
    fit: Array = lstsq(np.column_stack(products), with_x, check_finite=False)[0]
    return fit
