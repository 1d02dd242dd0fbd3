"""Search context: the rows and the known laws that a generator of candidates sees.

A generator is a function from a `SearchContext` to candidate laws. `_stages` lists all generators.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from gramian.laws.columns import Traits
from gramian.laws.forms import Law, Values

SMALL_TABLE = 12
"""Largest number of columns for functions of all columns at once."""
WIDEST = 800
"""Largest number of columns for products of all pairs of columns."""


class Candidate(NamedTuple):
    """A law that may hold; the judge decides."""

    law: Law
    n_tried: float
    """The number of candidates among which the law was found."""
    target: int | None = None
    """The column that may have been computed from the others and rounded; None for any column."""


class SearchContext:
    """The rows to search, and the laws that are known so far.

    Parameters
    ----------
    train : Values
        Rows in which laws are found and fitted.
    few : Values
        Some rows of `train`, enough to choose among short laws.
    every : Values
        The rows of `train` and the held-out rows.
    known : sequence of Law
        Laws of these columns that were found in more rows.
    settled : sequence of set of int
        Sets of columns whose laws are all known.
    check_time : callable
        Raises OutOfTimeError when the time is over.
    """

    def __init__(
        self,
        train: Values,
        few: Values,
        every: Values,
        known: Sequence[Law] = (),
        settled: Sequence[set[int]] = (),
        check_time: Callable[[], None] = lambda: None,
    ) -> None:
        self.train = train
        self.few = few
        self.every = every
        self.settled = settled
        self.check_time = check_time
        self.laws = [*known]
        self.varying = [i for i, each in enumerate(train.traits) if not each.constant]
        """Columns that are not constant."""
        self.columns = self.varying
        """Varying columns, without columns that another column gives by an invertible law."""
        self.distinct = self.varying
        """Varying columns at the start of the stage, without linear copies of others."""
        self._copies: set[int] = set()

    @property
    def traits(self) -> Sequence[Traits]:
        """The traits of all columns."""
        return self.train.traits

    @property
    def free(self) -> list[int]:
        """The columns that remain if each known law gives one of its columns away."""
        taken = given_away(self.laws)
        return [i for i in self.columns if i not in taken]

    def start_stage(self) -> None:
        """Fix `distinct` until the next stage."""
        self.distinct = [i for i in self.varying if i not in self._copies]

    def add(self, law: Law) -> None:
        """Add a believed law to the known laws."""
        self.laws.append(law)
        if len(law.columns) == 2 and _is_invertible(law):
            # Each of the two columns stands for the other: later laws need only one of them.
            flags = {i for i in law.columns if self.is_flag(i)}
            twin = _given_column(law, flags if len(flags) == 1 else set())
            self.columns = [i for i in self.columns if i != twin]
            if twin is not None and law.is_linear:
                self._copies.add(twin)

    def is_flag(self, column: int) -> bool:
        """Return True if all values of a column are 0 or 1."""
        return bool(np.isin(self.train.x[:, column], (0.0, 1.0)).all())


Generator = Callable[[SearchContext], Iterator[Candidate]]
"""The signature of all generators of candidate laws among numbers."""


def given_away(laws: Iterable[Law]) -> set[int]:
    """Return one column of each law that the other columns of the law give."""
    taken: set[int] = set()
    for law in laws:
        giving = _given_column(law, taken)
        if giving is not None:
            taken.add(giving)
    return taken


def _given_column(law: Law, taken: set[int]) -> int | None:
    """Return the column that a law gives away: the column that enters most simply.

    Parameters
    ----------
    law : Law
        The law.
    taken : set of int
        Columns that other laws give away; they are not returned.
    """

    def rank(column: int) -> tuple[int, int, int]:
        powers = {
            (atom, power) for each in law.monomials for (i, atom), power in each if i == column
        }
        n_terms = sum(any(i == column for (i, _), _ in each) for each in law.monomials)
        simple = 0 if powers == {("x", 1)} else 1 if len(powers) == 1 else 2
        return simple, n_terms, -column

    return min((i for i in law.columns if i not in taken), key=rank, default=None)


def _is_invertible(law: Law) -> bool:
    """Return True if a law of two columns gives each column by the other."""
    factors = {factor for each in law.monomials for factor in each}
    return len(factors) == len(law.columns) and all(
        atom in ("x", "log", "exp") for (_, atom), _ in factors
    )
