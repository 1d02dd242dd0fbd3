"""Nearest points of a surface for many rows at once, by Levenberg-Marquardt steps for each row."""

from __future__ import annotations

import itertools
from contextlib import nullcontext
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gramian._support.blas import threads_for
from gramian._support.threads import n_workers, share_out
from gramian._support.types import Array, IntArray
from gramian.core.manifold._start import Start
from gramian.core.manifold._surface import Surface

Mask = NDArray[np.bool_]
BATCH_BYTES = 2**23
"""Size, in bytes, of the tangents of one batch of rows: small enough for the processor's cache."""
FIRST_DAMPING = 1e-2
"""Damping of the first Levenberg-Marquardt step of each row."""
EASE, TIGHTEN = 0.2, 6.0
"""Factors that multiply the damping of a row: `EASE` after a step that lowered the objective,
`TIGHTEN` after a step that did not."""
LEAST_DAMPING, MOST_DAMPING = 1e-9, 1e6
"""Smallest damping of a step, and the damping above which the search for a row stops."""
FLOOR = 1e-3
"""Share of the mean curvature that is added to the curvature of each variable before damping, so
that variables without curvature are damped too."""
MAX_STEPS = 10_000
"""Largest value that users may set for the number of steps of a search."""
FAR = 3.0
"""Largest norm of starting coordinates, divided by the square root of their number. If a start is
farther away, the search also tries the start moved to this distance, and the origin: polynomials
become very large far from the rows."""


@dataclass(frozen=True)
class NearestSearch:
    """Function that finds the nearest points of a surface.

    Its fields limit the number of steps, and say when a row has converged.
    """

    tether: float = 0.0
    """Factor of the penalty on the squared distance from the start, relative to the mean square of
    the surface; 0 for no penalty."""
    tol: float = 1e-6
    """The search for a row stops when a step lowers its objective by less than this share."""
    max_steps: int = 50

    def __call__(
        self, surface: Surface, start: Start, x: Array, present: Mask | None = None
    ) -> tuple[Array, Array]:
        """Find the nearest point of the surface for each row.

        Parameters
        ----------
        surface : Surface
            The surface.
        start : Start
            Estimates the coordinates at which the search starts.
        x : array of shape (n_rows, n_columns)
            Centred rows.
        present : array of bool, optional
            True for cells that count in distances; by default, all cells count. The values of the
            other cells are used only for the start. The surface must have ``compact=False``.

        Returns
        -------
        u : array of shape (n_rows, n_variables)
            The coordinates of the nearest points on the surface.
        errors : array of shape (n_rows,)
            The squared distances of the rows from their nearest points.
        """
        u = np.empty((len(x), surface.terms.n_variables), dtype=x.dtype)
        errors = np.empty(len(x), dtype=x.dtype)
        row_bytes = x.dtype.itemsize * surface.tangents.shape[1]
        step = max(16, BATCH_BYTES // max(1, row_bytes))
        edges = [*range(0, len(x), step), len(x)]

        def search(part: slice) -> None:
            seen = None if present is None else present[part].astype(x.dtype)
            u[part], errors[part] = _Batch(self, surface, start, x[part], seen).run()

        parts = [slice(*pair) for pair in itertools.pairwise(edges)]
        workers = n_workers(len(x))
        # The matrix products of a batch are too small for several threads.
        with threads_for(0) if workers == 1 else nullcontext():
            share_out(parts, [search] * workers)
        return u, errors


class _Batch:
    """Rows whose nearest points are searched at the same time; each row stops by itself."""

    def __init__(
        self, search: NearestSearch, surface: Surface, start: Start, x: Array, weights: Array | None
    ) -> None:
        self._weights = weights
        """Weight of each cell: 1 if it counts in distances, else 0. None if all cells count."""
        self._search = search
        self._terms = surface.terms
        kind = x.dtype
        self._b = surface.along_axes.astype(kind, copy=False)
        self._tangents = surface.tangents.astype(kind, copy=False)
        self._tether = kind.type(search.tether * surface.unit)
        with np.errstate(over="ignore"):
            whole = np.einsum("ij,ij->i", x, x)
        _check_finite(whole)
        self._x = x if surface.axes is None else x @ surface.axes.astype(kind, copy=False)
        # The part of a row that is orthogonal to the axes adds a constant to its squared distances.
        self._rest = whole - np.einsum("ij,ij->i", self._x, self._x)
        np.maximum(self._rest, 0, out=self._rest)
        self._home = start(x)
        self._begin(self._home)

    def _begin(self, u: Array) -> None:
        every = np.arange(len(u))
        state = self._at(u, every)
        size = np.linalg.norm(u, axis=1)
        limit = FAR * u.shape[1] ** 0.5
        far = np.flatnonzero(size > limit)
        self._u, self._values, self._miss, self._objective = u.copy(), *state
        if len(far):
            nearer = u[far] * (limit / size[far])[:, np.newaxis]
            for there in (nearer, np.zeros_like(nearer)):
                self._take(far, there, self._at(there, far))

    def _at(self, u: Array, rows: IntArray) -> tuple[Array, Array, Array]:
        """Return (values of functions, residuals, objective) of some rows at coordinates `u`."""
        # Values that overflow are allowed: such steps are rejected later.
        with np.errstate(over="ignore", invalid="ignore"):
            values = self._terms(u)
            miss = self._x[rows] - values.T @ self._b
            if self._weights is not None:
                miss *= self._weights[rows]
            objective = np.einsum("ij,ij->i", miss, miss)
            if self._tether:
                away = u - self._home[rows]
                objective += self._tether * np.einsum("ij,ij->i", away, away)
        return values[self._terms.lower], miss, objective

    def _take(self, rows: IntArray, u: Array, state: tuple[Array, Array, Array]) -> Array:
        """Move the rows to the coordinates `u` where this lowers the objective.

        Return the relative decrease of the objective of each row, or -1 for a rejected step.
        `state` is the result of `_at` at these coordinates.
        """
        values, miss, objective = state
        before = self._objective[rows]
        better = (objective < before) | (np.isfinite(objective) & ~np.isfinite(before))
        to = rows[better]
        self._u[to] = u[better]
        self._values[:, to] = values[:, better]
        self._miss[to], self._objective[to] = miss[better], objective[better]
        gain = np.full(len(rows), -1.0)
        whole = before[better] + self._rest[to]
        gain[better] = (before[better] - objective[better]) / np.where(whole > 0, whole, 1)
        return gain

    def run(self) -> tuple[Array, Array]:
        """Find the nearest points of all rows; return (their coordinates, squared distances)."""
        damping = np.full(len(self._u), FIRST_DAMPING, dtype=self._u.dtype)
        rows = np.arange(len(self._u))
        for _ in range(self._search.max_steps):
            u = self._u[rows] + self._step(rows, damping[rows])
            gain = self._take(rows, u, self._at(u, rows))
            good = gain >= 0
            # A step with damping μ gives about 1 / (1 + μ) of the possible decrease.
            spent = gain * (1 + damping[rows]) < self._search.tol
            damping[rows[good]] *= EASE
            damping[rows[~good]] *= TIGHTEN
            np.maximum(damping, LEAST_DAMPING, out=damping)
            done = np.where(good, spent, damping[rows] > MOST_DAMPING)
            rows = rows[~done]
            if not len(rows):
                break
        errors = self._rest + np.einsum("ij,ij->i", self._miss, self._miss)
        return self._u, errors

    def _step(self, rows: IntArray, damping: Array) -> Array:
        """Return the damped Gauss-Newton step of each row.

        It solves (JᵀJ + tether + damping) step = Jᵀ miss, where J has the tangents of the surface
        and `miss` is the row minus its point on the surface. The tether holds the coordinates near
        the start of the search.
        """
        k = self._u.shape[1]
        slopes = (self._values[:, rows].T @ self._tangents).reshape(len(rows), k, -1)
        if self._weights is not None:
            slopes *= self._weights[rows][:, np.newaxis]
        curvature = slopes @ slopes.transpose(0, 2, 1)
        pull = (slopes @ self._miss[rows][:, :, np.newaxis])[:, :, 0]
        diagonal = np.einsum("ijj->ij", curvature)
        if self._tether:
            diagonal += self._tether
            pull -= self._tether * (self._u[rows] - self._home[rows])
        mean = diagonal.mean(axis=1, keepdims=True)
        floor = np.where(mean > 0, FLOOR * mean, 1.0)
        diagonal += damping[:, np.newaxis] * (diagonal + floor)
        # A variable without effect on the surface must not make the matrix singular.
        diagonal += np.finfo(diagonal.dtype).eps * floor
        step = np.linalg.solve(curvature, pull[:, :, np.newaxis])[:, :, 0]
        return step.astype(self._u.dtype, copy=False)


def _check_finite(squares: Array) -> None:
    if not np.isfinite(squares).all():
        row = int(np.flatnonzero(~np.isfinite(squares))[0])
        raise ValueError(
            f"A row (number {row} of its block) is too far from the others: its squared distance "
            "from the mean exceeds the range of its type. Leave it out, or rescale the columns."
        )
