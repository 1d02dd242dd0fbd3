"""Laws of a table that were found before, so that the same columns are not searched twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from gramian.laws._relation_collection import Relations


class KnownLaws:
    """Results of searches for laws in all rows of one table."""

    def __init__(self) -> None:
        self._found: list[Relations] = []

    def add(self, found: Relations) -> None:
        """Add the result of a search."""
        self._found.append(found)

    def among(self, names: Sequence[str], search: Callable[[], Relations]) -> Relations:
        """Return the laws among the numbers of some columns; search only if they are not known.

        Parameters
        ----------
        names : sequence of str
            The columns.
        search : callable
            Finds the laws.
        """
        for found in self._found:
            if {*names} <= {*found.feature_names}:
                return found.of_numbers(names)
        self.add(found := search())
        return found


_KNOWN: ContextVar[KnownLaws | None] = ContextVar("known_laws", default=None)


@contextmanager
def knowing(known: KnownLaws) -> Iterator[None]:
    """Use known laws of a table in a block in which estimators are fitted to its rows.

    Parameters
    ----------
    known : KnownLaws
        The laws. The laws that the fits find are added.
    """
    token = _KNOWN.set(known)
    try:
        yield
    finally:
        _KNOWN.reset(token)


def known_or_found(names: Sequence[str], search: Callable[[], Relations]) -> Relations:
    """Return the laws among columns of the table of a `knowing` block; without one, search them.

    Parameters
    ----------
    names : sequence of str
        The columns.
    search : callable
        Finds the laws.
    """
    known = _KNOWN.get()
    return search() if known is None else known.among(names, search)
