"""Laws of the table of a fit, which are searched once for all parts of the fit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from gramian._support.types import IntArray
from gramian.laws import KnownLaws, Relations, knowing, laws_of_mixed
from gramian.tables import Clock, SomeColumns


class LawsOfTable:
    """The laws of a table, searched when they are first needed.

    Parameters
    ----------
    groups : array of shape (n_rows,) or None
        The number of the group of each row, if the user gave groups.
    share : float
        The largest share of rows that may break a lookup.
    of_numbers : bool
        False to search only laws of levels, which concern text, dates and distinct values.
    as_written : bool
        True if the fit gets the numbers and gaps of the table unchanged.
    """

    def __init__(
        self, groups: IntArray | None, share: float, *, of_numbers: bool, as_written: bool
    ) -> None:
        self._groups = groups
        self._share = share
        self._of_numbers = of_numbers
        self._as_written = as_written
        self._known = KnownLaws()
        self._found: dict[tuple[str, ...], tuple[Relations, dict[str, Clock]]] = {}

    def among(self, columns: SomeColumns) -> tuple[Relations, dict[str, Clock]]:
        """Return the laws of some columns, and the clocks that turn dates into numbers.

        Parameters
        ----------
        columns : SomeColumns
            The columns of the table.
        """
        names = tuple(columns.names)
        if names not in self._found:
            found, clocks = laws_of_mixed(
                columns, self._groups, self._share, of_numbers=self._of_numbers
            )
            self._found[names] = found, clocks
            if self._of_numbers and self._as_written:
                self._known.add(found)
        return self._found[names]

    @contextmanager
    def known(self) -> Iterator[None]:
        """Let fits in a block use the laws among numbers, and learn the laws that they find."""
        with knowing(self._known):
            yield
