"""Of many dependencies, a few from which all others follow."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Sequence
from typing import Protocol, TypeVar

Implication = tuple[frozenset[int], int]
"""Causes, and what follows from them."""


class Implying(Protocol):
    """A law from which something follows."""

    @property
    def dependencies(self) -> list[Implication]:
        """What follows from what."""
        ...


T = TypeVar("T")
L = TypeVar("L", bound=Implying)
K = TypeVar("K", bound=Hashable)


def following(known: Collection[K], rules: Sequence[tuple[Collection[K], K, T]]) -> dict[K, T]:
    """Return what follows from some things, one after the other, and by which rule.

    Parameters
    ----------
    known : collection
        What is known.
    rules : sequence of triples
        Causes, what follows from them, and the rule itself; of several that give the same, the
        first that can be used counts.
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
    """Return all that follows from some things, these included.

    Parameters
    ----------
    start : collection of int
        What is known.
    dependencies : iterable of Implication
        What follows from what.
    """
    rules = [(causes, effect, None) for causes, effect in dependencies]
    return {*start, *following(start, rules)}


def follows(law: Implying, known: Sequence[Implication]) -> bool:
    """Return whether all that a law says follows from what is known."""
    return all(effect in closure(causes, known) for causes, effect in law.dependencies)


def minimal(found: Sequence[L], known: Sequence[Implication]) -> list[L]:
    """Leave out, from the last to the first, laws that follow from the others and what is known.

    Parameters
    ----------
    found : sequence of laws
        Those that are wanted most first.
    known : sequence of Implication
        What follows by other laws.
    """
    kept = list(found)
    for each in reversed(found):
        others = [one for one in kept if one is not each]
        if follows(each, [*known, *(rule for one in others for rule in one.dependencies)]):
            kept = others
    return kept
