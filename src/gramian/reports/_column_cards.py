"""The data at a glance: what each column is like."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gramian._support.types import Array
from gramian.reports._report_rows import ReportRows

CONSTANT = 1e-12
"""If the deviation of a column is a smaller share of its size, it is rounding errors only."""
SAME = 0.99
"""A column is nearly constant if this share of its values is the same."""
HEAVY = 10.0
"""Above this excess kurtosis, a few rows decide the products of a column."""


@dataclass(frozen=True)
class Column:
    """A column in numbers, in the units of the user."""

    name: str
    mean: float
    deviation: float
    minimum: float
    maximum: float
    skewness: float
    kurtosis: float
    """The excess kurtosis: 0 for a normal distribution."""
    same: float
    """The share of rows with the median value, the most frequent one if it is near 1."""
    missing: int

    @property
    def constant(self) -> bool:
        """Whether it does not vary."""
        return self.deviation <= CONSTANT * max(abs(self.minimum), abs(self.maximum))

    @property
    def nearly_constant(self) -> bool:
        """Whether it hardly varies."""
        return not self.constant and self.same >= SAME

    @property
    def heavy(self) -> bool:
        """Whether a few rows are far from all others."""
        return not self.constant and not self.nearly_constant and self.kurtosis > HEAVY

    @property
    def remark(self) -> str:
        """What is unusual about it."""
        if self.constant:
            return "constant"
        if self.nearly_constant:
            return "nearly constant"
        return "heavy tails" if self.heavy else ""


def describe_columns(data: ReportRows) -> list[Column]:
    """Describe all columns.

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
        # Scaled first, so that fourth powers neither overflow nor vanish.
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
