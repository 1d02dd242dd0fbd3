"""As few columns as possible from which laws give all others."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import chain

import numpy as np

from gramian.laws._solution import Solution
from gramian.lookups import LevelLaw
from gramian.lookups._cover import following

Solved = Solution | LevelLaw

MAX_ORDERS = 50
"""The number of orders that are tried if no order drops one column per law."""


def computable(solutions: Sequence[Solved], known: Collection[str]) -> dict[str, Solved]:
    """Return the columns that solutions give, one after the other, from those that are known."""
    return following(known, [(each.columns, each.column, each) for each in solutions])


def fewest(
    laws: Sequence[Sequence[Solved]],
    keep: Collection[str],
    rank: Callable[[str], int],
    error: Callable[[Solved], float] = lambda _: 0.0,
) -> dict[str, Solved]:
    """Return the columns to drop, with solutions that give them one after the other.

    Columns go one by one, as long as those that stay give all that are gone. So none that stays is
    given by the others. How many go depends on which goes first, and at most one per law can: until
    as many do, other orders are tried.

    Parameters
    ----------
    laws : sequence of sequences of Solution, Lookup or Slopes
        The solutions of each law, those first whose columns should rather go.
    keep : collection of str
        Columns that stay.
    rank : callable
        Columns of a higher rank stay rather than others.
    error : callable
        Of several solutions that give a column, the one with the smallest error is taken.
    """
    gone: set[str] = set()
    for part in _connected([[*law] for law in laws if law]):
        gone |= max(_attempts(part, keep, rank), key=len)
    solutions = sorted(chain.from_iterable(laws), key=error)
    return computable(solutions, _columns(solutions) - gone)


def exchangeable(
    solutions: Sequence[Solved], gone: Collection[str], keep: Collection[str]
) -> dict[str, tuple[str, ...]]:
    """Return for each column that is gone those that could go in its place.

    Parameters
    ----------
    solutions : sequence of Solution or Lookup
        All solutions of the laws.
    gone : collection of str
        Columns that the others give.
    keep : collection of str
        Columns that stay in any case.
    """
    found: dict[str, tuple[str, ...]] = {}
    for part in _connected([[each] for each in solutions]):
        rules = [*chain.from_iterable(part)]
        stay = _columns(rules).difference(gone)
        given = [*dict.fromkeys(each.column for each in rules)]
        for column in given:
            if column in gone:
                found[column] = tuple(
                    other
                    for other in given
                    if other in stay.difference(keep)
                    and other in computable(rules, {*stay, column} - {other})
                )
    return found


def _attempts(
    laws: Sequence[Sequence[Solved]], keep: Collection[str], rank: Callable[[str], int]
) -> Iterator[set[str]]:
    """Yield sets of columns that can go together, until one has a column for each law."""
    solutions = [*chain.from_iterable(laws)]
    everything = _columns(solutions)
    for order in _orders(laws):
        gone: set[str] = set()
        for column in sorted(order, key=rank):
            if column in keep:
                continue
            more = gone | {column}
            if more <= computable(solutions, everything - more).keys():
                gone = more
        yield gone
        if len(gone) == len(laws):
            return


def _orders(laws: Sequence[Sequence[Solved]]) -> Iterator[list[str]]:
    """Yield orders of the columns that laws give: as they are written, then at random."""
    # A law that gives one column only may need it before others that give several.
    for some in (laws, sorted(laws, key=len)):
        first = [law[0].column for law in some]
        yield [*dict.fromkeys([*first, *(each.column for law in some for each in law)])]
    columns = [*dict.fromkeys(each.column for law in laws for each in law)]
    random = np.random.default_rng(0)
    for _ in range(MAX_ORDERS):
        yield [columns[i] for i in random.permutation(len(columns))]


def _connected(laws: Sequence[list[Solved]]) -> list[list[list[Solved]]]:
    """Divide laws into those that share columns, over others as well."""
    parts: list[tuple[set[str], list[list[Solved]]]] = []
    for law in laws:
        columns = _columns(law)
        touched = [part for part in parts if part[0] & columns]
        parts = [part for part in parts if not part[0] & columns]
        together = [each for _, some in touched for each in some]
        parts.append((columns.union(*(names for names, _ in touched)), [*together, law]))
    return [some for _, some in parts]


def _columns(solutions: Iterable[Solved]) -> set[str]:
    return {name for each in solutions for name in (each.column, *each.columns)}
