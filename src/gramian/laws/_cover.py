"""Cover of a table: few columns that determine all others, few laws that imply all others.

`fewest` chooses the columns, and `minimal` chooses the laws. Both use `following`, which applies
rules until they give no new column.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Protocol, TypeVar

import numpy as np

from gramian.laws.forms import ColumnLaw

MAX_ORDERS = 50
"""Number of random orders in which columns are dropped, to find how to drop the most."""

Implication = tuple[frozenset[int], int]
"""Indices of keys (causes), and the index of a key that they determine together (effect)."""


class Implying(Protocol):
    """Protocol of a law that lists its implications: which column follows from which columns."""

    @property
    def dependencies(self) -> list[Implication]:
        """The implications of the law: pairs (columns, column that follows from them)."""
        ...


T = TypeVar("T")
L = TypeVar("L", bound=Implying)
K = TypeVar("K", bound=Hashable)


def following(known: Collection[K], rules: Sequence[tuple[Collection[K], K, T]]) -> dict[K, T]:
    """Apply rules until nothing new follows; return each new effect with the rule that it uses.

    Parameters
    ----------
    known : collection
        The columns (or keys) that are known at the start.
    rules : sequence of triples
        Causes, effect, and the rule itself: the effect becomes known if all causes are known. If
        several rules have the same effect, the first rule whose causes are known is returned.
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
    """Return the keys in `start`, and all keys that they determine.

    Parameters
    ----------
    start : collection of int
        The indices of the first keys (columns, or parts of dates).
    dependencies : iterable of Implication
        Pairs (keys, key that follows from them).
    """
    rules = [(causes, effect, None) for causes, effect in dependencies]
    return {*start, *following(start, rules)}


def follows(law: Implying, known: Sequence[Implication]) -> bool:
    """Return True if all implications of a law are consequences of the implications `known`."""
    return all(effect in closure(causes, known) for causes, effect in law.dependencies)


def minimal(found: Sequence[L], known: Sequence[Implication]) -> list[L]:
    """Drop laws that are consequences of the other laws, and return the rest.

    Parameters
    ----------
    found : sequence of laws
        The laws, sorted by preference: the last laws are dropped first.
    known : sequence of Implication
        Implications of further laws, which are never dropped.
    """
    kept = list(found)
    for each in reversed(found):
        others = [one for one in kept if one is not each]
        if follows(each, [*known, *(rule for one in others for rule in one.dependencies)]):
            kept = others
    return kept


def computable(solutions: Sequence[ColumnLaw], known: Collection[str]) -> dict[str, ColumnLaw]:
    """Return the columns that laws compute from the columns `known`, directly or in turn.

    The result maps each computed column to its law, in the order of computation.
    """
    return following(known, [(each.columns, each.column, each) for each in solutions])


def fewest(
    laws: Sequence[Sequence[ColumnLaw]],
    keep: Collection[str],
    rank: Callable[[str], int],
    error: Callable[[ColumnLaw], float] = lambda _: 0.0,
) -> dict[str, ColumnLaw]:
    """Choose the columns to drop; return each of them with the law that computes it.

    Columns are dropped one by one, as long as laws compute all dropped columns from kept columns.
    So no kept column can be computed from the other kept columns. At most one column per law can be
    dropped. The number depends on the order of dropping, so several orders are tried.

    Parameters
    ----------
    laws : sequence of sequences of ColumnLaw
        For each law, its solutions: the law solved for each possible column. The solution for the
        column that should be dropped first comes first.
    keep : collection of str
        Columns that must not be dropped.
    rank : callable
        Returns the rank of a column; columns with a higher rank are dropped later.
    error : callable
        Returns the error of a solution. If several solutions compute a column, the solution with
        the smallest error is returned.
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
        All solutions of all laws.
    gone : collection of str
        The dropped columns.
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
    """Yield sets of columns that can be dropped together.

    Stop after a set with one column for each law, because no set can be larger. Parameters are
    those of `fewest`.
    """
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
    """Yield orders in which columns may be dropped: the order of the laws, then random orders.

    The columns that laws give come first, then columns that are sums of products, then the others;
    the last name of the alphabet first.
    """
    sums = {each.column for law in laws for each in law if not each.divides}
    # In the second order, laws with few solutions come first: they have less choice.
    for some in (laws, sorted(laws, key=len)):
        first = [law[0].column for law in some]
        columns = {each.column for law in some for each in law}
        others = sorted(columns, key=lambda name: (name in sums, name), reverse=True)
        yield [*dict.fromkeys([*first, *others])]
    every = [*dict.fromkeys(each.column for law in laws for each in law)]
    random = np.random.default_rng(0)
    for _ in range(MAX_ORDERS):
        yield [every[i] for i in random.permutation(len(every))]


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
