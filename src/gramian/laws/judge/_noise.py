"""Noise of a law: errors of the column that the law gives, constant or growing with its values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gramian._support.types import Array
from gramian.laws.forms import Law, Values

LEAST_SHARE_OF_MEDIAN = 0.01
"""Derivatives and values below this share of their median do not increase weights further."""


@dataclass(frozen=True)
class Noise:
    """The errors of a column that a law gives."""

    column: int
    """Index of the column."""
    relative: bool = False
    """True if errors grow with the values of the column, so that relative errors are alike."""

    def errors(self, law: Law, values: Values) -> Array:
        """Return the error of the column in each row, divided by its value if it is relative."""
        missed = law.missed(values, self.column)
        return missed / np.abs(values.of((self.column, "x"))) if self.relative else missed

    def weights(self, law: Law, values: Values) -> Array:
        """Return the weights of rows that turn sums of terms into `errors`, with a limit."""
        sizes = np.abs(law.slope(values, self.column))
        if self.relative:
            sizes = sizes * np.abs(values.of((self.column, "x")))
        found: Array = 1 / np.maximum(sizes, LEAST_SHARE_OF_MEDIAN * np.median(sizes))
        return found

    def leading_term(self, law: Law, values: Values) -> int:
        """Return the index of the largest term of a law that contains the column."""
        sizes = np.mean(np.square(law.terms(values)), axis=0)
        places = [
            k for k, each in enumerate(law.monomials) if any(i == self.column for (i, _), _ in each)
        ]
        return max(places, key=lambda k: float(sizes[k]))
