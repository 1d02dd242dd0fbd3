"""Statistics of each column, for the section "The data at a glance"."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gramian._support.types import Array
from gramian.reports._report_rows import ReportRows

CONSTANT = 1e-12
"""Largest ratio of the deviation of a constant column to its largest value: rounding errors."""
SAME = 0.99
"""Share of equal values from which a column is nearly constant."""
HEAVY = 10.0
"""Excess kurtosis above which a few rows decide the products of a column."""


@dataclass(frozen=True)
class Column:
    """Statistics of a column, in the units of the table."""

    name: str
    mean: float
    deviation: float
    minimum: float
    maximum: float
    skewness: float
    kurtosis: float
    """Excess kurtosis: 0 for a normal distribution."""
    same: float
    """Share of rows with the median value: near 1 if nearly all values are equal."""
    missing: int
    """Number of missing values."""

    @property
    def constant(self) -> bool:
        """True if the column does not vary, up to rounding errors."""
        return self.deviation <= CONSTANT * max(abs(self.minimum), abs(self.maximum))

    @property
    def nearly_constant(self) -> bool:
        """True if nearly all values are equal."""
        return not self.constant and self.same >= SAME

    @property
    def heavy(self) -> bool:
        """True if a few rows are far from all others."""
        return not self.constant and not self.nearly_constant and self.kurtosis > HEAVY

    @property
    def remark(self) -> str:
        """Remark in the table of columns; empty for a usual column."""
        if self.constant:
            return "constant"
        if self.nearly_constant:
            return "nearly constant"
        return "heavy tails" if self.heavy else ""


def describe_columns(data: ReportRows) -> list[Column]:
    """Return the statistics of all columns.

    Parameters
    ----------
    data : ReportRows
        The rows.
    """
    return [_describe(name, data.values(i), data.n_described) for i, name in enumerate(data.names)]


def _describe(name: str, values: Array, n_rows: int) -> Column:
    mean = float(values.mean())
    centred = values - mean
    squares = centred * centred
    variance = float(squares.mean())
    deviation = float(np.sqrt(variance))
    skewness = kurtosis = 0.0
    if deviation > CONSTANT * float(np.abs(values).max()):
        # Divided by the variance first, so that fourth powers neither overflow nor vanish.
        scaled = squares / variance
        skewness = float((scaled * (centred / deviation)).mean())
        kurtosis = float((scaled * scaled).mean()) - 3
    return Column(
        name,
        mean,
        deviation,
        float(values.min()),
        float(values.max()),
        skewness,
        kurtosis,
        float(np.mean(values == np.median(values))),
        n_rows - len(values),
    )
