"""Search context, the input of generators of candidates: the rows, and the laws accepted so far.

A generator is a function from a `SearchContext` to candidate laws. `_stages` lists all generators.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, repeat
from typing import NamedTuple

import numpy as np

from gramian.laws.columns import Traits
from gramian.laws.forms import Law, Values

SMALL_TABLE = 12
"""Functions of all columns at once are searched only if there are at most this many columns."""
WIDEST = 800
"""Products of all pairs of columns are searched only if there are at most this many columns."""


class Candidate(NamedTuple):
    """A law that may hold; the judge decides whether it is accepted."""

    law: Law
    n_tried: float
    """Number of candidates that were tried to find the law; it reduces the evidence."""
    target: int | None = None
    """Index of the column that was perhaps computed from the others and then rounded.

    None if all columns of the law may be rounded.
    """


class SearchContext:
    """Input of generators: the rows to search, and the laws that were accepted so far.

    Parameters
    ----------
    train : Values
        Rows in which laws are found and fitted.
    few : Values
        A part of the rows of `train`, enough to choose among short laws.
    every : Values
        All rows, the held-out rows among them.
    known : sequence of Law
        Laws among these columns that an earlier search found in more rows.
    settled : sequence of set of int
        Sets of columns that an earlier search has finished; no new laws are searched in a set.
    tolerance : float, default=0.0
        The largest error of a law with noise, as a share of the deviation of its column.
    """

    def __init__(
        self,
        train: Values,
        few: Values,
        every: Values,
        known: Sequence[Law] = (),
        settled: Sequence[set[int]] = (),
        tolerance: float = 0.0,
    ) -> None:
        self.train = train
        self.few = few
        self.every = every
        self.settled = settled
        self.tolerance = tolerance
        self.known = known
        self.laws = [*known]
        self._targets: list[int | None] = [None] * len(known)
        self.varying = [i for i, each in enumerate(train.traits) if not each.constant]
        """Indices of the columns that are not constant."""
        self.columns = self.varying
        """Varying columns; of two columns that determine each other, only one."""
        self.distinct = self.varying
        """Varying columns at the start of the stage, without linear functions of another column."""
        self.n_unsearched = 0
        """Number of columns that were too many for a search of functions of all columns at once."""
        self._copies: set[int] = set()

    @property
    def traits(self) -> Sequence[Traits]:
        """The traits (scale, sign, number of distinct values and so on) of all columns."""
        return self.train.traits

    @property
    def free(self) -> list[int]:
        """The columns that no accepted law computes; each law computes one of its columns."""
        taken = given_away(self.laws, self._targets)
        return [i for i in self.columns if i not in taken]

    def tied_to(self, column: int) -> set[int]:
        """Return the columns that laws tie to a column, directly or by way of other columns."""
        found, before = {column}, 0
        while len(found) > before:
            before = len(found)
            for law in self.laws:
                if found.intersection(law.columns):
                    found.update(law.columns)
        return found

    def start_stage(self) -> None:
        """Update `distinct` (varying columns without copies) at the start of a stage."""
        self.distinct = [i for i in self.varying if i not in self._copies]

    def start_over(self) -> None:
        """Forget all laws except those of an earlier search."""
        self.laws = [*self.known]
        self._targets = [None] * len(self.laws)
        self.columns, self._copies = self.varying, set()

    def add(self, law: Law, target: int | None = None) -> None:
        """Add an accepted law to `laws`.

        If two columns now determine each other, one of the two is removed from `columns`.

        Parameters
        ----------
        law : Law
            The law.
        target : int, optional
            The column that was computed and rounded.
        """
        self.laws.append(law)
        self._targets.append(target)
        if len(law.columns) == 2 and _is_invertible(law):
            # The two columns determine each other: later laws need only one of them.
            flags = {i for i in law.columns if self.is_flag(i)}
            twin = _given_column(law, flags if len(flags) == 1 else set())
            self.columns = [i for i in self.columns if i != twin]
            if twin is not None and law.is_linear:
                self._copies.add(twin)

    def is_flag(self, column: int) -> bool:
        """Return True if all values of a column are 0 or 1."""
        return bool(np.isin(self.train.x[:, column], (0.0, 1.0)).all())


Generator = Callable[[SearchContext], Iterator[Candidate]]
"""Type of every generator of laws among numbers: a function from the context to candidates."""


def given_away(laws: Iterable[Law], targets: Iterable[int | None] = ()) -> set[int]:
    """Choose for each law one of its columns, which the law computes; return these columns.

    Parameters
    ----------
    laws : iterable of Law
        The laws.
    targets : iterable of int or None
        The columns that are known to be computed by the laws, if they are known.
    """
    taken: set[int] = set()
    for law, target in zip(laws, chain(targets, repeat(None)), strict=False):
        known = target is not None and target not in taken
        giving = target if known else _given_column(law, taken)
        if giving is not None:
            taken.add(giving)
    return taken


def _given_column(law: Law, taken: set[int]) -> int | None:
    """Return the column that a law computes best: the column with the simplest terms.

    Return None if all columns of the law are taken.

    Parameters
    ----------
    law : Law
        The law that is solved for one of its columns.
    taken : set of int
        Columns that other laws compute; these columns are not returned.
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
    """Return True if a law of two columns computes each of them from the other."""
    factors = {factor for each in law.monomials for factor in each}
    return len(factors) == len(law.columns) and all(
        atom in ("x", "log", "exp") for (_, atom), _ in factors
    )
