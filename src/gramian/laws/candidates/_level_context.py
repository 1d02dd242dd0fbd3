"""Level context: the levels and the known implications that a generator of level laws sees.

A generator is a function from a `LevelContext` to candidates. A candidate states implications, and
makes a tally, which goes through all rows and decides whether the law is believed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from gramian._support.types import Array
from gramian.laws._cover import Implication
from gramian.laws.columns import Cells, CodedTable
from gramian.laws.forms import LevelLaw


class Tally(Protocol):
    """A count over all rows of a table that decides whether a law is believed."""

    def add(self, rows: Array) -> None:
        """Count rows, in which labels are codes and NaN is missing."""
        ...

    def law(self) -> LevelLaw | None:
        """Return the law if the counted rows make it believed, else None."""
        ...


class LevelCandidate(Protocol):
    """A law of levels that may hold."""

    @property
    def dependencies(self) -> list[Implication]:
        """The implications that the law states."""
        ...

    def tally(self, context: LevelContext) -> Tally:
        """Return the tally of the law, without rows."""
        ...


@dataclass
class LevelContext:
    """The levels to search, and the implications that are known so far.

    Attributes
    ----------
    table : CodedTable
        The table.
    rows : array of shape (n_rows, n_columns)
        The rows to search; NaN is missing.
    cells : Cells
        The levels of these rows.
    tolerance : float
        The largest share of rows that may break a law; 0 for exact laws only.
    exact : sequence of Implication
        Implications of exact laws among numbers.
    known : list of Implication
        Implications of all laws that are known so far.
    check_time : callable
        Raises OutOfTimeError when the time is over.
    """

    table: CodedTable
    rows: Array
    cells: Cells
    tolerance: float
    exact: Sequence[Implication]
    known: list[Implication]
    check_time: Callable[[], None]

    def learn(self, found: Iterable[LevelCandidate]) -> None:
        """Add the implications of candidates to the known implications."""
        self.known += [one for each in found for one in each.dependencies]


LevelGenerator = Callable[[LevelContext], Iterator[LevelCandidate]]
"""The signature of all generators of candidate laws of levels."""
