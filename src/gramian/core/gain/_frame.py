"""Functions of a set of columns, and functions that one more column brings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array
from gramian.core.elimination import Layout, lay_out
from gramian.core.rows import RowBlock, Rows
from gramian.core.sums import Direction, scaled
from gramian.families import Block, Call, Family, no_levels


@dataclass(frozen=True)
class Member:
    """A column of the selected set. A column that leaves and returns is a new member."""

    column: int
    number: int
    """Members come in the order of their numbers."""


@dataclass(frozen=True)
class Newcomer:
    """The functions that a column would add to a selected set; each involves the column."""

    block: Block
    involves: NDArray[np.bool_]
    """True if a function involves a member: of shape (n_functions, n_members)."""


@dataclass(frozen=True)
class Frame:
    """The selected columns (members) and their functions, in this order, without the constant."""

    members: tuple[Member, ...]
    layout: Layout

    @property
    def columns(self) -> list[int]:
        """The column numbers of the selected columns."""
        return [member.column for member in self.members]

    @cached_property
    def n_functions(self) -> int:
        """Number of functions of the selected columns."""
        return self.layout.n_functions

    @property
    def involves(self) -> NDArray[np.bool_]:
        """Mask of shape (n_functions, n_members): True if the function involves the column."""
        return self.layout.involves

    @property
    def numbers(self) -> list[int]:
        """The attribute `number` of each selected column."""
        return [member.number for member in self.members]

    def evaluate(self, rows: RowBlock) -> tuple[Array, Array, list[Array]]:
        """Evaluate the functions of the selected columns on some rows.

        Return the constant and all functions, the functions that may be factors of functions of a
        further variable, and the columns.
        """
        return self.layout.evaluate(rows, self.n_functions)


class Frames:
    """Makes a `Frame`, the functions of a set of columns, for any set.

    Parameters
    ----------
    rows : Rows
        The table, read only if functions depend on the values of a column (indicators).
    family : Family
        The functions.
    """

    def __init__(self, rows: Rows, family: Family) -> None:
        self._rows = rows
        self._family = family
        self.alike = _are_alike(family)
        """True if the functions of a column do not depend on its values."""
        self._of_size: dict[int, Layout] = {}
        """Cache from a number of columns to the layout of their functions; used if `alike` is True,
        because all sets of one size then have the same layout."""
        self._scales: dict[tuple[int, ...], float] = {}
        """Scales of the user's functions, by function and columns."""

    def of(self, members: Sequence[Member]) -> Frame:
        """Return the functions of the set of columns `members`."""
        return Frame(tuple(members), self._lay_out([member.column for member in members]))

    def newcomers(self, frame: Frame, columns: Sequence[int]) -> list[Newcomer]:
        """Return for each of `columns` the functions that it would add to the set of `frame`."""
        if not columns:
            return []
        first = self._newcomer(frame, columns[0])
        if self.alike and not first.block.calls:
            return [first] * len(columns)
        return [first, *(self._newcomer(frame, column) for column in columns[1:])]

    def _newcomer(self, frame: Frame, column: int) -> Newcomer:
        layout = self._lay_out([*frame.columns, column])
        n = int(layout.singles[-1])
        return Newcomer(layout.blocks[-1], layout.involves[n:, :-1])

    def _lay_out(self, columns: Sequence[int]) -> Layout:
        if not self.alike:
            return lay_out(self._rows, self._family, columns)
        if len(columns) not in self._of_size:
            self._of_size[len(columns)] = lay_out(self._rows, self._family, columns)
        layout = replace(self._of_size[len(columns)], columns=tuple(columns))
        if not any(block.calls for block in layout.blocks):
            return layout
        return replace(layout, blocks=self._scaled(layout))

    def _scaled(self, layout: Layout) -> tuple[Block, ...]:
        """Return the functions of a layout, with a scale for each of the user's functions.

        The scale keeps squares within float64. It depends on the function and on its columns.
        """

        def key(call: Call) -> tuple[int, ...]:
            return id(call.function), *(layout.columns[i] for i in call.variables)

        calls = {key(call): call for block in layout.blocks for call in block.calls}
        new = [call for each, call in calls.items() if each not in self._scales]
        directions = [Direction(column, 1.0) for column in layout.columns]
        for call in scaled(self._rows, directions, new):
            self._scales[key(call)] = call.scale
        return tuple(
            replace(
                block,
                calls=tuple(replace(each, scale=self._scales[key(each)]) for each in block.calls),
            )
            for block in layout.blocks
        )


def _are_alike(family: Family) -> bool:
    """Return True if the functions of a column do not depend on its values."""
    try:
        family.expand().grow(no_levels)
    except ValueError:
        return False
    return True
