"""Level context: the input of generators of level laws, and the interface of their candidates.

In a law of levels, distinct values (levels) of some columns determine another column. A generator
is a function from a `LevelContext` to candidates. A candidate states implications (which column
follows from which columns). It also creates a tally, which reads all rows of the table and decides
whether the law is accepted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from gramian._support.types import Array, IntArray
from gramian.laws._cover import Implication
from gramian.laws.columns import Cells, CodedTable
from gramian.laws.forms import LevelLaw


class Tally(Protocol):
    """A counter that reads all rows of a table, and decides whether a law is accepted."""

    def add(self, rows: Array, groups: IntArray | None = None) -> None:
        """Count some rows of the table, in which text is replaced by codes, and NaN is missing.

        `groups` has the number of the group of each row, if the user gave groups.
        """
        ...

    def law(self) -> LevelLaw | None:
        """Return the law if the counted rows confirm it, else None."""
        ...


class LevelCandidate(Protocol):
    """A law that may hold: distinct values (levels) of some columns determine another column."""

    @property
    def dependencies(self) -> list[Implication]:
        """The implications of the law: pairs (columns, column that follows from them)."""
        ...

    def tally(self, context: LevelContext) -> Tally:
        """Return a counter that will test the law on all rows; no rows are counted yet."""
        ...


@dataclass
class LevelContext:
    """Input of generators of level laws: a table, its distinct values, implications found so far.

    Attributes
    ----------
    table : CodedTable
        The table, with text as codes.
    rows : array of shape (n_rows, n_columns)
        The rows in which laws are searched; NaN is missing.
    cells : Cells
        The codes of the levels in these rows.
    tolerance : float
        The largest share of rows that may break a law; 0 for exact laws only.
    exact : sequence of Implication
        Implications of exact laws among numbers.
    known : list of Implication
        Implications of all laws that are known so far.
    ordered : list of int
        Indices of labels by which the rows of the table are sorted.
    """

    table: CodedTable
    rows: Array
    cells: Cells
    tolerance: float
    exact: Sequence[Implication]
    known: list[Implication]
    ordered: list[int] = field(default_factory=list)

    def learn(self, found: Iterable[LevelCandidate]) -> None:
        """Add the implications of the found candidates to the list `known`."""
        self.known += [one for each in found for one in each.dependencies]
