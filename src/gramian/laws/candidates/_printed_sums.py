"""Candidate laws: a sum of columns, or of their squares, up to the rounding of printed digits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gramian._support.types import Array
from gramian.laws._law_tolerances import EXACT_ERROR, SCREENED_SHARE
from gramian.laws.candidates._search_context import Candidate, SearchContext, given_away
from gramian.laws.forms import ONE, Law, Monomial, Values

ROWS_PER_COLUMN = 2
"""A sum of all columns is fitted only if there are at least this many rows per column."""
SIGNIFICANT = 4.0
"""Terms whose coefficients are at most this many standard errors are removed, all at once."""
SUM_HALF_UNITS = 3.0
"""A row may miss a sum by this many half units of the last digits of its numbers in the table."""
LONGEST = 40
"""Largest number of terms of a sum, after terms that are not significant were removed."""
SHARPEST = 1e-2
"""Row weights are at most 1 / SHARPEST times the weight of a last digit of median width."""
CORRELATION_RIDGE = 1e-12
"""Ridge added to the correlation matrix, so that it can be inverted even if a sum is exact."""


def printed_sums(context: SearchContext) -> Iterator[Candidate]:
    """Yield laws in which a column is a sum of multiples of other columns, up to rounding.

    The numbers in the table are rounded to a few digits. Columns that exact sums already compute
    are left out.
    """
    taken = given_away(law for law in context.laws if law.is_linear)
    columns = [i for i in context.varying if i not in taken]
    return _of_power(context, columns, 1)


def printed_sums_of_squares(context: SearchContext) -> Iterator[Candidate]:
    """Yield laws in which the square of the target is a sum of squares, up to printed digits.

    Columns that known laws compute are left out, and so are columns with few distinct values.
    """
    columns = [i for i in context.free if context.traits[i].n_levels is None]
    return _of_power(context, columns, 2)


def _of_power(context: SearchContext, columns: Sequence[int], power: int) -> Iterator[Candidate]:
    n_tried = float(len(context.distinct)) ** 3
    for law, target in _printed_sums(context.train, columns, power):
        yield Candidate(law, n_tried, target)


def _printed_sums(values: Values, columns: Sequence[int], power: int) -> Iterator[tuple[Law, int]]:
    """Yield (law, column) pairs: a sum of powers of columns, as short as printed digits allow.

    Parameters
    ----------
    values : Values
        The rows in which sums are fitted.
    columns : sequence of int
        Indices of the columns, among which no exact sum holds.
    power : int
        The power of the columns in the sum: 1 or 2.
    """
    if values.n_rows < ROWS_PER_COLUMN * len(columns) or len(columns) < 2:
        return
    monomials: list[Monomial] = [*((((i, "x"), power),) for i in columns), ONE]
    matrix = values.matrix(monomials)
    widths = np.zeros(matrix.shape)
    for place, i in enumerate(columns):
        x = np.abs(values.x[:, i])
        half = values.half_unit(i)
        widths[:, place] = ((x + half) ** power - x**power) / values.scale[i] ** power
    for k in _followers(matrix[:, :-1]):
        # The last digit of a small number changes its square less: rows have different weights.
        width = widths[:, [k]]
        weights = 1.0 if power == 1 else 1 / np.maximum(width, SHARPEST * np.median(width) or 1.0)
        found = _Sums(weights * matrix, weights * widths, k).shortest()
        if found is not None:
            terms = (monomials[k], *(monomials[j] for j in found.chosen))
            yield Law(np.append(-1.0, found.coefficients), terms), columns[k]


def _followers(matrix: Array) -> list[int]:
    """Return indices of the columns that other columns explain almost completely, best first.

    `matrix` has the values of the columns.
    """
    centred = matrix - matrix.mean(axis=0)
    unit = centred / np.linalg.norm(centred, axis=0)
    inverse = np.linalg.inv(unit.T @ unit + CORRELATION_RIDGE * np.eye(unit.shape[1]))
    left = 1 / np.maximum(np.diag(inverse), 1.0)
    return [int(k) for k in np.argsort(left, kind="stable") if left[k] < SCREENED_SHARE]


class _Sum(NamedTuple):
    """A sum of functions that equals the target in all rows, up to the rounding of the numbers."""

    chosen: list[int]
    """Indices of the functions in the sum."""
    coefficients: Array
    ratios: Array
    """Absolute coefficients divided by their standard errors."""


@dataclass(frozen=True)
class _Sums:
    """Fits sums of functions to one function, the target; all are columns of a matrix."""

    matrix: Array
    """Values of the functions, one column for each function."""
    widths: Array
    """Half a unit of the last digit of each value in `matrix`; 0 for the constant."""
    target: int
    """Index of the function that the sums approximate."""

    def shortest(self) -> _Sum | None:
        """Return a short sum that equals the target up to rounding; None if there is none."""
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
        """Fit a sum of the chosen functions; None if a row misses it by more than rounding."""
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
