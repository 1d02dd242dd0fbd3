"""Signs of columns: a negative value is implausible where all values are positive."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian.laws.columns import TableRows

FEWEST = 10
"""Fewest numbers of a column that tell which signs it has."""


@dataclass
class Signs:
    """Counts of the signs of columns in the rows so far that obey all laws."""

    counts: Counter[tuple[str, int]] = field(default_factory=Counter)
    """Number of cells by column and sign: -1, 0 or 1."""

    def add(self, rows: TableRows, obeyed: NDArray[np.bool_], names: Sequence[str]) -> None:
        """Count the signs in a block of rows.

        Parameters
        ----------
        rows : TableRows
            The rows.
        obeyed : array of shape (n_rows,)
            True for the rows that obey all laws.
        names : sequence of str
            The columns of numbers.
        """
        for name in names:
            numbers = rows.numbers(name)[obeyed]
            self.counts[name, -1] += int((numbers < 0).sum())
            self.counts[name, 0] += int((numbers == 0).sum())
            self.counts[name, 1] += int((numbers > 0).sum())

    @property
    def absent(self) -> Mapping[str, int]:
        """The sign, -1 or 1, that no number of a column has, by column."""
        found = dict[str, int]()
        for name in {name for name, _ in self.counts}:
            below, zero, above = (self.counts[name, sign] for sign in (-1, 0, 1))
            if below + zero + above >= FEWEST and (below == 0) != (above == 0):
                found[name] = -1 if below == 0 else 1
        return found


def has_sign(value: Any, sign: int | None) -> bool:
    """Return True if a value is a number with a sign.

    Parameters
    ----------
    value : object
        A cell.
    sign : int or None
        1 or -1; None for a sign that no number has.
    """
    return sign is not None and isinstance(value, (int, float)) and value * sign > 0
