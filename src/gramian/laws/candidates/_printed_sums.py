"""Candidates: sums of several columns that hold up to printed digits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gramian._support.types import Array
from gramian.laws._law_tolerances import EXACT_ERROR, SCREENED_SHARE
from gramian.laws.candidates._search_context import Candidate, SearchContext, given_away
from gramian.laws.forms import ONE, Law, Monomial, Values

SIGNIFICANT = 4.0
"""Terms of at most this many standard errors are left out, all of them at once."""
SUM_HALF_UNITS = 3.0
"""Half units of the last digits of its columns by which a row may miss a sum."""
LONGEST = 40
"""Largest number of terms of a sum."""
CORRELATION_RIDGE = 1e-12
"""Ridge added to correlations, so that they can be inverted if a sum is exact."""


def printed_sums(context: SearchContext) -> Iterator[Candidate]:
    """Yield sums of columns that no exact sum ties; the column that a sum gives is the target."""
    taken = given_away(law for law in context.laws if law.is_linear)
    columns = [i for i in context.varying if i not in taken]
    n_tried = float(len(context.distinct)) ** 3
    for law, target in _printed_sums(context.train, columns):
        yield Candidate(law, n_tried, target)


def _printed_sums(values: Values, columns: Sequence[int]) -> Iterator[tuple[Law, int]]:
    """Yield sums that give a column, as short as printed digits allow, and the column.

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
    """Return the columns that the other columns explain almost completely, best first."""
    centred = matrix - matrix.mean(axis=0)
    unit = centred / np.linalg.norm(centred, axis=0)
    inverse = np.linalg.inv(unit.T @ unit + CORRELATION_RIDGE * np.eye(unit.shape[1]))
    left = 1 / np.maximum(np.diag(inverse), 1.0)
    return [int(k) for k in np.argsort(left, kind="stable") if left[k] < SCREENED_SHARE]


class _Sum(NamedTuple):
    """A sum that no row misses by more than printed digits explain."""

    chosen: list[int]
    coefficients: Array
    ratios: Array
    """Coefficients divided by their standard errors."""


@dataclass(frozen=True)
class _Sums:
    """Sums of functions that give one of the functions."""

    matrix: Array
    widths: Array
    """Half units of the last digits of the functions."""
    target: int

    def shortest(self) -> _Sum | None:
        """Return the shortest sum that no row misses by too much, or None."""
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
        """Return a fitted sum; None if a row misses it by more than printed digits explain."""
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
        if not (missed <= SUM_HALF_UNITS * width + EXACT_ERROR * np.abs(y).max()).all():
            return None
        return _Sum(chosen, coefficients, np.abs(coefficients) / np.maximum(errors, 1e-300))
