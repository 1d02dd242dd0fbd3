"""Statistics of each column, for the section "The data at a glance"."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gramian._support.types import Array
from gramian.reports.fit_page._report_rows import ReportRows

CONSTANT = 1e-12
"""A column is constant if its standard deviation is at most this share of its largest absolute
value: such a deviation can be a rounding error."""
SAME = 0.99
"""A column is nearly constant if at least this share of its values equals its median."""
HEAVY = 10.0
"""A column has heavy tails if its excess kurtosis is above this number: a few extreme rows then
dominate the products of the column with other columns."""


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
    """Share of the values that equal the median: near 1 if nearly all values are equal."""
    missing: int
    """Number of missing values."""

    @property
    def constant(self) -> bool:
        """True if the column does not vary, up to rounding errors."""
        return self.deviation <= CONSTANT * max(abs(self.minimum), abs(self.maximum))

    @property
    def nearly_constant(self) -> bool:
        """True if nearly all values of the column are equal, but not all."""
        return not self.constant and self.same >= SAME

    @property
    def heavy(self) -> bool:
        """True if the column has heavy tails: a few values are far from all others."""
        return not self.constant and not self.nearly_constant and self.kurtosis > HEAVY

    @property
    def remark(self) -> str:
        """Remark on the page: "constant", "nearly constant", "heavy tails", or empty."""
        if self.constant:
            return "constant"
        if self.nearly_constant:
            return "nearly constant"
        return "heavy tails" if self.heavy else ""


def describe_columns(data: ReportRows) -> list[Column]:
    """Return the statistics of each column, in the order of the table.

    Parameters
    ----------
    data : ReportRows
        The rows that the report is about.
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
        # Divide by the variance first, so that fourth powers neither overflow nor underflow.
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
