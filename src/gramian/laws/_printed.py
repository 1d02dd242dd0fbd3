"""Sums of several columns that hold up to printed digits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from gramian._types import Array
from gramian.laws._columns import Traits
from gramian.laws._law import ONE, Law, Monomial, Values

NEARLY = 1e-3
"""Columns of which all others leave a larger share of the variance are no candidates."""
SIGNIFICANT = 4.0
"""Terms that are no more than so many standard errors are left out, all of them at once."""
WIDE = 3.0
"""A row may miss a sum by so many halves of the last digits of its columns."""
LONGEST = 40
RIDGE = 1e-12
"""What is added to correlations, so that they can be inverted where sums are exact."""


def printed_sums(
    values: Values, traits: Sequence[Traits], columns: Sequence[int]
) -> Iterator[tuple[Law, int]]:
    """Yield sums that give a column, as short as printed digits allow, and which column it is.

    Parameters
    ----------
    values : Values
        Rows.
    traits : sequence of Traits
        What is known of the columns.
    columns : sequence of int
        The columns; no exact sums tie them.
    """
    if values.n_rows < 2 * len(columns) or len(columns) < 2:
        return
    monomials: list[Monomial] = [(((i, "x"), 1),) for i in columns]
    matrix = values.matrix(monomials)
    widths = np.column_stack(
        [traits[i].precision.half_unit(values.x[:, i]) / values.scale[i] for i in columns]
    )
    matrix, monomials = np.column_stack([matrix, np.ones(values.n_rows)]), [*monomials, ONE]
    widths = np.column_stack([widths, np.zeros(values.n_rows)])
    for k in _followers(matrix[:, :-1]):
        found = _Sum(matrix, widths, k).shortest()
        if found is not None:
            chosen, coefficients = found
            terms = (monomials[k], *(monomials[j] for j in chosen))
            yield Law(np.append(-1.0, coefficients), terms), columns[k]


def _followers(matrix: Array) -> list[int]:
    """Return the columns of which the others leave little."""
    centred = matrix - matrix.mean(axis=0)
    unit = centred / np.linalg.norm(centred, axis=0)
    inverse = np.linalg.inv(unit.T @ unit + RIDGE * np.eye(unit.shape[1]))
    left = 1 / np.maximum(np.diag(inverse), 1.0)
    return [int(k) for k in np.argsort(left, kind="stable") if left[k] < NEARLY]


@dataclass(frozen=True)
class _Sum:
    """The sums of functions that give one of them."""

    matrix: Array
    widths: Array
    """Half units of their last digits."""
    target: int

    def shortest(self) -> tuple[list[int], Array] | None:
        """Leave out functions, the least important first, as long as no row misses too much."""
        chosen = [j for j in range(self.matrix.shape[1]) if j != self.target]
        coefficients, errors = self._fit(chosen)
        if not self._holds(chosen, coefficients):
            return None
        kept = [
            j for j, t in zip(chosen, _ratios(coefficients, errors), strict=True) if t > SIGNIFICANT
        ]
        if kept and len(kept) < len(chosen):
            fewer, fewer_errors = self._fit(kept)
            if self._holds(kept, fewer):
                chosen, coefficients, errors = kept, fewer, fewer_errors
        if len(chosen) > LONGEST:
            return None
        shorter = True
        while shorter and len(chosen) > 1:
            shorter = False
            for place in np.argsort(_ratios(coefficients, errors), kind="stable")[:3]:
                kept = [*chosen[:place], *chosen[place + 1 :]]
                fewer, fewer_errors = self._fit(kept)
                if self._holds(kept, fewer):
                    chosen, coefficients, errors, shorter = kept, fewer, fewer_errors, True
                    break
        return chosen, coefficients

    def _fit(self, chosen: list[int]) -> tuple[Array, Array]:
        """Return coefficients and their standard errors."""
        design, y = self.matrix[:, chosen], self.matrix[:, self.target]
        scale = np.linalg.norm(design, axis=0)
        basis, upper = np.linalg.qr(design / scale)
        inverse = np.linalg.pinv(upper)
        found: Array = inverse @ (basis.T @ y)
        rest = y - (design / scale) @ found
        sigma = np.linalg.norm(rest) / np.sqrt(max(len(y) - len(chosen), 1))
        errors: Array = sigma * np.linalg.norm(inverse, axis=1)
        return found / scale, errors / scale

    def _holds(self, chosen: list[int], coefficients: Array) -> bool:
        y = self.matrix[:, self.target]
        missed = np.abs(y - self.matrix[:, chosen] @ coefficients)
        width = self.widths[:, self.target] + self.widths[:, chosen] @ np.abs(coefficients)
        return bool((missed <= WIDE * width + 1e-11 * np.abs(y).max()).all())


def _ratios(coefficients: Array, errors: Array) -> Array:
    found: Array = np.abs(coefficients) / np.maximum(errors, 1e-300)
    return found
