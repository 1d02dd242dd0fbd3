"""Balance: terms that add up to zero in every row, for a law that is not solved for a column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gramian._support.types import Array
from gramian.formulas import Formula, Term
from gramian.laws.columns import numbers_of
from gramian.laws.forms._solution_document import (
    clocks_document,
    stored_clocks,
    stored_terms,
    terms_document,
)
from gramian.laws.forms._solved_causes import balancing
from gramian.tables import Clock


@dataclass(frozen=True)
class Balance:
    """Terms that add up to zero in every row.

    Attributes
    ----------
    terms : tuple of Term
        The terms, in the units of the table.
    clocks : mapping from str to Clock
        For each column of dates, the clock that converts its dates to numbers.

    Examples
    --------
    >>> from gramian.explanations import Term
    >>> from gramian.laws import Balance
    >>> circle = Balance((Term(1.0, {"x": 2}), Term(1.0, {"y": 2}), Term(-1.0, {})))
    >>> circle({"x": [0.6, 0.5], "y": [0.8, 0.5]}).round(3)
    array([ 0. , -0.5])
    """

    terms: tuple[Term, ...]
    clocks: Mapping[str, Clock] = field(default_factory=dict)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that occur in the terms."""
        return tuple(dict.fromkeys(name for each in self.terms for name in each.columns))

    def values(self, table: Mapping[str, Any]) -> list[Array]:
        """Return the values of each term in every row.

        Parameters
        ----------
        table : mapping or data frame
            The columns, by name.
        """
        known = self._numbers(table)
        n_rows = len(next(iter(known.values()))) if known else 1
        with np.errstate(all="ignore"):
            made = [Formula((each,), each.columns)(known) for each in self.terms]
        return [np.broadcast_to(each, n_rows) for each in made]

    def _numbers(self, table: Mapping[str, Any]) -> dict[str, Array]:
        return {
            name: np.atleast_1d(numbers_of(table[name], self.clocks.get(name)))
            for name in self.columns
        }

    def __call__(self, table: Mapping[str, Any]) -> Array:
        """Return the sum of the terms as a share of the largest term, in every row.

        Parameters
        ----------
        table : mapping or data frame
            The columns, by name.

        Returns
        -------
        missed : array of shape (n_samples,)
            0 where the terms add up to zero; NaN where a column is missing.
        """
        values = self.values(table)
        with np.errstate(all="ignore"):
            total = np.sum(values, axis=0)
            largest = np.max(np.abs(values), axis=0)
            found: Array = np.where(largest > 0, total / largest, total)
        return found

    def cause(self, name: str, table: Mapping[str, Any]) -> Array | None:
        """Return the values of a column with which the terms add up to zero.

        Parameters
        ----------
        name : str
            One of `columns`.
        table : mapping or data frame
            The columns, by name.

        Returns
        -------
        values : array of shape (n_samples,) or None
            The values; NaN where there is none. None if the column occurs in more than one way.
        """
        known = self._numbers(table)
        return balancing(self.terms, name, known, known[name])

    def to_json(self) -> dict[str, Any]:
        """Return the terms as a dictionary that can be stored as JSON."""
        return {"terms": terms_document(self.terms), **clocks_document(self.clocks)}

    @classmethod
    def from_json(cls, document: Any) -> Balance:
        """Read stored terms; nothing in the document is executed.

        Parameters
        ----------
        document : dict
            The result of `to_json`. Any other document raises a ValueError that says what is wrong.
        """
        if not isinstance(document, dict) or set(document) - {"clocks"} != {"terms"}:
            raise ValueError("A stored equation must have terms.")
        found = cls(stored_terms(document["terms"], "of an equation"), stored_clocks(document))
        if not found.columns:
            raise ValueError("A stored equation must have a column.")
        return found
