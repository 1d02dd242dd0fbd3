"""Which penalty leaves least of rows that take no part in the expectations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from gramian._types import Array
from gramian._validation import least
from gramian.gain._explained import Explained
from gramian.rows import RowBlock


@dataclass
class Decision:
    """What held-out rows say of sets of each size.

    Parameters
    ----------
    rows : RowBlock or None
        The rows, centred and scaled as those of the fit are.
    units : array of shape (n_columns,)
        The deviation that is 1 in the scaled columns, in the units in which variances count.
    """

    rows: RowBlock | None
    units: Array
    total: list[float] = field(default_factory=list)
    """What is left of these rows before the first column, and with sets of each size."""

    def __post_init__(self) -> None:
        if self.rows is not None:
            self.total.append(float(np.sum((self.rows.x * self.units) ** 2)))

    def choose(self, fits: Sequence[Explained]) -> Explained:
        """Return the fit, of several with different penalties, that leaves least.

        Parameters
        ----------
        fits : sequence of Explained
            The same set, one column larger than the last one, with different penalties.
        """
        if self.rows is None:
            return fits[0]
        values, _, _ = fits[0].frame.evaluate(self.rows)
        moments = fits[0].moments
        functions = values[1:] - np.multiply.outer(moments.mean, self.rows.root)
        functions /= moments.norm[:, np.newaxis]
        left = []
        with np.errstate(over="ignore", invalid="ignore"):  # far from the rows of the fit
            for fit in fits:
                residual = self.rows.x * self.units - functions.T @ fit.coefficients
                left.append(float(np.einsum("ij,ij->", residual, residual)))
        totals = np.where(np.isfinite(left), left, np.inf)
        best = least(totals, self.total[0])
        self.total.append(float(totals[best]))
        return fits[best]

    def stalled(self, patience: int | None, tolerance: float) -> bool:
        """Return whether the last sizes brought no improvement."""
        if self.rows is None or not patience or len(self.total) <= patience:
            return False
        before = min(self.total[:-patience])
        return min(self.total[-patience:]) >= before - tolerance * self.total[0]
