"""Of many dependencies, a few from which all others follow."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TypeVar

Implication = tuple[frozenset[int], int]
"""Causes, and what follows from them."""
T = TypeVar("T")


def closure(start: Collection[int], dependencies: Iterable[Implication]) -> set[int]:
    """Return all that follows from some things, these included.

    Parameters
    ----------
    start : collection of int
        What is known.
    dependencies : iterable of Implication
        What follows from what.
    """
    known, waiting = set(start), list(dependencies)
    grown = True
    while grown:
        grown = False
        for causes, effect in waiting:
            if effect not in known and causes <= known:
                known.add(effect)
                grown = True
    return known


def minimal(
    found: Sequence[tuple[Implication, T]], known: Sequence[Implication]
) -> list[tuple[Implication, T]]:
    """Leave out, from the last to the first, what follows from the others and from what is known.

    Parameters
    ----------
    found : sequence of pairs
        Dependencies with anything beside them, those that are wanted most first.
    known : sequence of Implication
        Dependencies that stay.
    """
    kept = list(found)
    for each in reversed(found):
        (causes, effect), _ = each
        others = [other for other, _ in kept if other != each[0]]
        if effect in closure(causes, [*known, *others]):
            kept.remove(each)
    return kept
