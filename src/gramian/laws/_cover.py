"""The cover: few columns that give all others, and few laws from which all others follow.

`fewest` chooses columns, and `minimal` chooses laws. Both use `following`, which computes all
consequences of known things.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Protocol, TypeVar

import numpy as np

from gramian.laws.forms import ColumnLaw

MAX_ORDERS = 50
"""Number of random orders tried if no order drops one column for each law."""

Implication = tuple[frozenset[int], int]
"""Causes, and the effect that follows from them."""


class Implying(Protocol):
    """A law of levels that states implications."""

    @property
    def dependencies(self) -> list[Implication]:
        """The implications that the law states."""
        ...


T = TypeVar("T")
L = TypeVar("L", bound=Implying)
K = TypeVar("K", bound=Hashable)


def following(known: Collection[K], rules: Sequence[tuple[Collection[K], K, T]]) -> dict[K, T]:
    """Return everything that follows from known things, each with the rule that gives it.

    Parameters
    ----------
    known : collection
        The known things.
    rules : sequence of triples
        Causes, effect, and the rule itself. If several rules give one effect, the first rule whose
        causes are known counts.
    """
    there, found = set(known), dict[K, T]()
    grown = True
    while grown:
        grown = False
        for causes, effect, rule in rules:
            if effect not in there and there.issuperset(causes):
                found[effect] = rule
                there.add(effect)
                grown = True
    return found


def closure(start: Collection[int], dependencies: Iterable[Implication]) -> set[int]:
    """Return the start and everything that follows from it.

    Parameters
    ----------
    start : collection of int
        The known keys.
    dependencies : iterable of Implication
        The implications.
    """
    rules = [(causes, effect, None) for causes, effect in dependencies]
    return {*start, *following(start, rules)}


def follows(law: Implying, known: Sequence[Implication]) -> bool:
    """Return True if all implications of a law follow from known implications."""
    return all(effect in closure(causes, known) for causes, effect in law.dependencies)


def minimal(found: Sequence[L], known: Sequence[Implication]) -> list[L]:
    """Return laws that do not follow from the others; the last laws are dropped first.

    Parameters
    ----------
    found : sequence of laws
        The laws, the most wanted first.
    known : sequence of Implication
        Implications of other laws.
    """
    kept = list(found)
    for each in reversed(found):
        others = [one for one in kept if one is not each]
        if follows(each, [*known, *(rule for one in others for rule in one.dependencies)]):
            kept = others
    return kept


def computable(solutions: Sequence[ColumnLaw], known: Collection[str]) -> dict[str, ColumnLaw]:
    """Return the columns that solutions give, one after the other, from known columns."""
    return following(known, [(each.columns, each.column, each) for each in solutions])


def fewest(
    laws: Sequence[Sequence[ColumnLaw]],
    keep: Collection[str],
    rank: Callable[[str], int],
    error: Callable[[ColumnLaw], float] = lambda _: 0.0,
) -> dict[str, ColumnLaw]:
    """Return the columns to drop, each with the solution that gives it.

    Columns are dropped one by one, as long as the kept columns give all dropped columns. So no kept
    column is given by the other kept columns. The number of dropped columns depends on the order of
    dropping, and is at most one for each law: other orders are tried until that many are dropped.

    Parameters
    ----------
    laws : sequence of sequences of ColumnLaw
        The solutions of each law; solutions for columns that should rather be dropped come first.
    keep : collection of str
        Columns that must not be dropped.
    rank : callable
        Columns of a higher rank are dropped later.
    error : callable
        If several solutions give a column, the solution with the smallest error is returned.
    """
    gone: set[str] = set()
    for part in _connected([[*law] for law in laws if law]):
        gone |= max(_attempts(part, keep, rank), key=len)
    solutions = sorted(chain.from_iterable(laws), key=error)
    return computable(solutions, _columns(solutions) - gone)


def exchangeable(
    solutions: Sequence[ColumnLaw], gone: Collection[str], keep: Collection[str]
) -> dict[str, tuple[str, ...]]:
    """Return for each dropped column the kept columns that could be dropped in its place.

    Parameters
    ----------
    solutions : sequence of ColumnLaw
        All solutions of the laws.
    gone : collection of str
        Dropped columns.
    keep : collection of str
        Columns that must not be dropped.
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
    laws: Sequence[Sequence[ColumnLaw]], keep: Collection[str], rank: Callable[[str], int]
) -> Iterator[set[str]]:
    """Yield sets of columns that can be dropped together, until a set has a column for each law."""
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


def _orders(laws: Sequence[Sequence[ColumnLaw]]) -> Iterator[list[str]]:
    """Yield orders of the columns that laws give: as written first, then at random."""
    # A law that gives one column only may need to drop it before laws that give several columns.
    for some in (laws, sorted(laws, key=len)):
        first = [law[0].column for law in some]
        yield [*dict.fromkeys([*first, *(each.column for law in some for each in law)])]
    columns = [*dict.fromkeys(each.column for law in laws for each in law)]
    random = np.random.default_rng(0)
    for _ in range(MAX_ORDERS):
        yield [columns[i] for i in random.permutation(len(columns))]


def _connected(laws: Sequence[list[ColumnLaw]]) -> list[list[list[ColumnLaw]]]:
    """Divide laws into connected parts: laws of different parts share no column."""
    parts: list[tuple[set[str], list[list[ColumnLaw]]]] = []
    for law in laws:
        columns = _columns(law)
        touched = [part for part in parts if part[0] & columns]
        parts = [part for part in parts if not part[0] & columns]
        together = [each for _, some in touched for each in some]
        parts.append((columns.union(*(names for names, _ in touched)), [*together, law]))
    return [some for _, some in parts]


def _columns(solutions: Iterable[ColumnLaw]) -> set[str]:
    return {name for each in solutions for name in (each.column, *each.columns)}
