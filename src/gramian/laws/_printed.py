"""Sums of several columns that hold up to printed digits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gramian._support.types import Array
from gramian.laws._law import ONE, Law, Monomial, Values

NEARLY = 1e-3
"""If all others leave a larger share of a column's variance, it is no candidate."""
SIGNIFICANT = 4.0
"""Terms of at most this many standard errors are left out, all of them at once."""
WIDE = 3.0
"""A row may miss a sum by this many halves of the last digits of its columns."""
LONGEST = 40
RIDGE = 1e-12
"""What is added to correlations, so that they can be inverted where sums are exact."""


def printed_sums(values: Values, columns: Sequence[int]) -> Iterator[tuple[Law, int]]:
    """Yield sums that give a column, as short as printed digits allow, and which column it is.

    Parameters
    ----------
    values : Values
        Rows.
    columns : sequence of int
        The columns; no exact sums tie them.
    """
    if values.n_rows < 2 * len(columns) or len(columns) < 2:
        return
    monomials: list[Monomial] = [*((((i, "x"), 1),) for i in columns), ONE]
    matrix = values.matrix(monomials)
    widths = np.zeros(matrix.shape)
    for place, i in enumerate(columns):
        half = values.traits[i].precision.half_unit(values.x[:, i])
        widths[:, place] = half / values.scale[i]
    for k in _followers(matrix[:, :-1]):
        found = _Sums(matrix, widths, k).shortest()
        if found is not None:
            terms = (monomials[k], *(monomials[j] for j in found.chosen))
            yield Law(np.append(-1.0, found.coefficients), terms), columns[k]


def _followers(matrix: Array) -> list[int]:
    """Return the columns that the others explain almost completely."""
    centred = matrix - matrix.mean(axis=0)
    unit = centred / np.linalg.norm(centred, axis=0)
    inverse = np.linalg.inv(unit.T @ unit + RIDGE * np.eye(unit.shape[1]))
    left = 1 / np.maximum(np.diag(inverse), 1.0)
    return [int(k) for k in np.argsort(left, kind="stable") if left[k] < NEARLY]


class _Sum(NamedTuple):
    """A sum that no row misses by too much."""

    chosen: list[int]
    coefficients: Array
    ratios: Array
    """How many standard errors the coefficients are."""


@dataclass(frozen=True)
class _Sums:
    """The sums of functions that give one of them."""

    matrix: Array
    widths: Array
    """Half units of their last digits."""
    target: int

    def shortest(self) -> _Sum | None:
        """Leave out functions, the least important first, as long as no row misses too much."""
        best = self._of([j for j in range(self.matrix.shape[1]) if j != self.target])
        if best is None:
            return None
        kept = [j for j, t in zip(best.chosen, best.ratios, strict=True) if t > SIGNIFICANT]
        if kept and len(kept) < len(best.chosen):
            best = self._of(kept) or best
        if len(best.chosen) > LONGEST:
            return None
        while (shorter := self._shorter(best)) is not None:
            best = shorter
        return best

    def _shorter(self, found: _Sum) -> _Sum | None:
        chosen = found.chosen
        for place in np.argsort(found.ratios, kind="stable")[:3] if len(chosen) > 1 else ():
            fewer = self._of([*chosen[:place], *chosen[place + 1 :]])
            if fewer is not None:
                return fewer
        return None

    def _of(self, chosen: list[int]) -> _Sum | None:
        """Fit a sum of some functions; none if a row misses it by more than digits leave open."""
        design, y = self.matrix[:, chosen], self.matrix[:, self.target]
        scale = np.linalg.norm(design, axis=0)
        basis, upper = np.linalg.qr(design / scale)
        inverse = np.linalg.pinv(upper)
        scaled = inverse @ (basis.T @ y)
        rest = y - (design / scale) @ scaled
        sigma = np.linalg.norm(rest) / np.sqrt(max(len(y) - len(chosen), 1))
        coefficients, errors = scaled / scale, sigma * np.linalg.norm(inverse, axis=1) / scale
        missed = np.abs(y - design @ coefficients)
        width = self.widths[:, self.target] + self.widths[:, chosen] @ np.abs(coefficients)
        if not (missed <= WIDE * width + 1e-11 * np.abs(y).max()).all():
            return None
        return _Sum(chosen, coefficients, np.abs(coefficients) / np.maximum(errors, 1e-300))
