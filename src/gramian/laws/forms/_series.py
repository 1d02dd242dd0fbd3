"""Series: a column is computed from earlier rows of another column, such as a running mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from gramian._support.types import Array
from gramian._support.words import is_storable_text
from gramian.formulas import quote
from gramian.laws.columns import (
    ROUNDING_KEYS,
    UNROUNDED,
    Rounding,
    is_finite_number,
    stored_rounding,
)
from gramian.laws.forms._column_law import ColumnLaw

SeriesKind = Literal["lag", "difference", "mean", "sum", "total"]
LONGEST = 10_000
"""Largest number of rows that a stored law looks back."""


@dataclass(frozen=True)
class Series(ColumnLaw):
    """A law that computes a column from the rows before, in the order of the table.

    Attributes
    ----------
    column : str
        The name of the column that the law computes.
    kind : "lag", "difference", "mean", "sum" or "total"
        The value of the source some rows before; its change over some rows; its mean or sum over
        the last rows; or its sum over all rows up to this row.
    source : str
        The name of the other column.
    n_rows : int
        The number of rows that the law looks back; of rows in the mean or sum; 1 for "total".
    start : float
        The value that is added, for "total".
    rounding : Rounding
        How the result is rounded.

    Examples
    --------
    >>> import numpy as np
    >>> import gramian
    >>> sold = np.random.default_rng(0).integers(10, 99, 200)
    >>> table = {"sold": sold, "week": np.convolve(sold, np.ones(7))[:200]}
    >>> table["week"][:6] = np.nan
    >>> print(gramian.relations(table)[0])
    week = sum of the last 7 of sold
    """

    column: str
    kind: SeriesKind
    source: str
    n_rows: int = 1
    start: float = 0.0
    rounding: Rounding = UNROUNDED

    @property
    def columns(self) -> tuple[str, ...]:
        """The column from which the law computes `column`."""
        return (self.source,)

    def __call__(self, table: Mapping[str, Any]) -> Array:
        """Compute the values of the column.

        Parameters
        ----------
        table : mapping or data frame
            The other column, by name, with all rows in their order.

        Returns
        -------
        values : array of shape (n_samples,)
            The column; NaN in the first rows, and where an earlier value is missing.
        """
        x = np.atleast_1d(np.asarray(table[self.source], dtype=np.float64))
        found = computed_series(self.kind, x, self.n_rows) + self.start
        return self.rounding(found)

    @property
    def looks_back(self) -> bool:
        """True: a value depends on earlier rows."""
        return True

    def continued(self, table: Mapping[str, Any], before: Any = None) -> tuple[Array, Any]:
        """Compute the column in the next rows of a table that is read piece by piece.

        Parameters
        ----------
        table : mapping or data frame
            The other column in these rows, by name.
        before : object, optional
            The second result for the rows before; None for the first rows.

        Returns
        -------
        values : array of shape (n_samples,)
            The values of the column.
        after : array
            The last values of the other column; for "total", the sum so far.
        """
        x = np.atleast_1d(np.asarray(table[self.source], dtype=np.float64))
        if self.kind == "total":
            total = np.cumsum(x) + (0.0 if before is None else before)
            return self.rounding(total + self.start), total[-1:]
        earlier = np.empty(0) if before is None else before
        both = np.concatenate([earlier, x])
        made = computed_series(self.kind, both, self.n_rows)[len(earlier) :]
        return self.rounding(made + self.start), both[-self.n_rows :]

    def rounded_to(self, rounding: Rounding) -> Series:
        """Return the law with a result that is rounded in a given way.

        Parameters
        ----------
        rounding : Rounding
            The number of decimals, and the way in which the middle is rounded.
        """
        return replace(self, rounding=rounding)

    @property
    def text(self) -> str:
        """The right-hand side of the law, in words."""
        x, n = quote(self.source), self.n_rows
        before = "one row before" if n == 1 else f"{n} rows before"
        return {
            "lag": f"{x} {before}",
            "difference": f"{x} minus {x} {before}",
            "mean": f"mean of the last {n} of {x}",
            "sum": f"sum of the last {n} of {x}",
            "total": f"sum of {x} up to this row",
        }[self.kind]

    def __str__(self) -> str:
        return f"{quote(self.column)} = {self.text}"

    def to_json(self) -> dict[str, Any]:
        """Return the law as a dictionary that can be stored as JSON."""
        return {
            "series": self.column,
            "kind": self.kind,
            "source": self.source,
            "n_rows": self.n_rows,
            "start": self.start,
            **self.rounding.document(),
        }

    @classmethod
    def from_json(cls, document: Any) -> Series:
        """Read a stored law; nothing in the document is executed.

        Parameters
        ----------
        document : dict
            The result of `to_json`. Any other document raises a ValueError that says what is wrong.
        """
        keys = {"series", "kind", "source", "n_rows", "start"}
        if not isinstance(document, dict) or not keys <= {*document} <= keys | ROUNDING_KEYS:
            raise ValueError(f"A stored series must have {', '.join(sorted(keys))}.")
        column, source = document["series"], document["source"]
        if not is_storable_text(column) or not is_storable_text(source) or column == source:
            raise ValueError("A stored series must compute a column from another column.")
        if document["kind"] not in get_args(SeriesKind):
            raise ValueError("A stored series must be a lag, difference, mean, sum or total.")
        n_rows, start = document["n_rows"], document["start"]
        if type(n_rows) is not int or not 1 <= n_rows <= LONGEST:
            raise ValueError(f"n_rows of a stored series must be from 1 to {LONGEST}.")
        if not is_finite_number(start):
            raise ValueError("The start of a stored series must be a number.")
        rounding = stored_rounding(document)
        return cls(column, document["kind"], source, n_rows, float(start), rounding)


def computed_series(kind: SeriesKind, x: Array, n: int) -> Array:
    """Return a lag, difference, mean, sum or total of a column; NaN in the first rows.

    Parameters
    ----------
    kind : SeriesKind
        The kind of series.
    x : array of shape (n_rows,)
        The column.
    n : int
        The number of rows to look back, or in the mean or sum.
    """
    if kind == "total":
        return np.asarray(np.cumsum(x))
    found = np.full(len(x), np.nan)
    if n >= len(x) + (kind in ("mean", "sum")):
        return found
    if kind == "lag":
        found[n:] = x[:-n]
    elif kind == "difference":
        found[n:] = x[n:] - x[:-n]
    else:
        # Sums of the rows themselves: differences of cumulative sums lose digits.
        windows = np.lib.stride_tricks.sliding_window_view(x, n)
        found[n - 1 :] = windows.mean(axis=1) if kind == "mean" else windows.sum(axis=1)
    return found
