"""Variables that a fit keeps, and the search that found them: what differs between algorithms.

An algorithm chooses among *candidates*: the columns, or the directions of a basis. An algorithm
that finds directions freely has no candidates.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array, IntArray
from gramian.core.rows import RowBlock

if TYPE_CHECKING:
    from gramian.core.elimination import Selection
    from gramian.core.gain import BestSets


@dataclass(frozen=True, eq=False)
class KeptVariables(ABC):
    """Variables that a fit keeps: columns of the table, or directions (combinations of columns)."""

    chosen: IntArray
    """Indices of the chosen candidates, in the order of choice."""
    selects: ClassVar[bool] = False
    """True if the kept variables are columns of the table."""
    thing: ClassVar[str] = "direction"
    """Word for a kept variable."""
    has_candidates: ClassVar[bool] = True
    """True if the algorithm chose among candidates; False if it found directions freely."""

    @property
    @abstractmethod
    def dropped(self) -> IntArray:
        """The indices of the candidates that were not chosen.

        Candidates are columns, or directions of a basis. Without candidates, these are all columns.
        """

    @abstractmethod
    def candidates(self, scale: Array | None) -> Array:
        """Return a matrix whose rows are the candidates, as directions of unscaled columns.

        Candidates are columns, or directions of columns that the fit divided by `scale`. If there
        are no candidates, columns take their place.
        """

    @abstractmethod
    def encode(self, x: Array) -> Array:
        """Return the kept variables of centred rows, one column each, in the order of choice."""

    @abstractmethod
    def encode_block(self, rows: RowBlock, scale: Array) -> Array:
        """Return the kept variables of rows that are centred, divided by `scale`, and weighted.

        A sparse block is not made dense.
        """

    def names(self, columns: Sequence[str], algorithm: str) -> list[str]:
        """Return the names of the kept variables.

        Parameters
        ----------
        columns : sequence of str
            The names of all columns of the table.
        algorithm : str
            The name of the estimator, from which names of directions are made.
        """
        return [f"{algorithm.lower()}{i}" for i in range(len(self.chosen))]

    def candidate_names(self, columns: Sequence[str]) -> Sequence[str]:
        """Return the names of the candidates (columns, or directions of a basis).

        Without candidates, these are the names of the columns.
        """
        return columns


@dataclass(frozen=True, eq=False)
class KeptColumns(KeptVariables):
    """Columns of the table, chosen among all columns: GFS, GFA and UFFS."""

    n_columns: int
    """Number of columns of the table."""
    selects = True
    thing = "column"

    @property
    def support(self) -> NDArray[np.bool_]:
        """The mask of the kept columns."""
        support = np.zeros(self.n_columns, dtype=bool)
        support[self.chosen] = True
        return support

    @property
    def dropped(self) -> IntArray:
        """The columns that were not chosen."""
        return np.flatnonzero(~self.support)

    def candidates(self, scale: Array | None) -> Array:
        """Return the identity matrix: every column is a candidate."""
        return in_table_units(np.eye(self.n_columns), scale)

    def encode(self, x: Array) -> Array:
        """Return the kept columns of centred rows, in the order of choice."""
        return x[:, self.chosen]

    def encode_block(self, rows: RowBlock, scale: Array) -> Array:
        """Return the kept columns of a row block, without weights and in the units of the table.

        The rows of the block are divided by `scale`, and weighted.
        """
        return _along(rows, self.chosen) * scale[self.chosen]

    def names(self, columns: Sequence[str], algorithm: str) -> list[str]:
        """Return the names of the kept columns."""
        return [columns[i] for i in self.chosen]


@dataclass(frozen=True, eq=False)
class KeptDirections(KeptVariables):
    """Directions that the algorithm found freely: GFR."""

    directions: Array
    """Kept directions by rows, orthonormal in the scaled columns."""
    axes: Array
    """Kept directions by rows, for centred columns in the units of the table."""
    has_candidates = False

    @property
    def dropped(self) -> IntArray:
        """The indices of all columns, because no column is kept."""
        return np.arange(self.directions.shape[1])

    def candidates(self, scale: Array | None) -> Array:
        """Return the identity matrix: columns take the place of candidates."""
        return in_table_units(np.eye(self.directions.shape[1]), scale)

    def encode(self, x: Array) -> Array:
        """Return the coordinates of centred rows along the directions."""
        return x @ self.axes.T

    def encode_block(self, rows: RowBlock, scale: Array) -> Array:
        """Return the coordinates of a row block along the directions, without weights.

        The rows of the block are divided by `scale`, and weighted.
        """
        return _along(rows, self.axes * scale)


@dataclass(frozen=True, eq=False)
class KeptComponents(KeptDirections):
    """Directions chosen among the directions of a basis: GCA."""

    basis: Array
    """All directions of the basis by rows, orthonormal in the columns that the fit worked with."""
    prefix: str
    """Text that the name of a direction of the basis begins with; its index follows."""
    has_candidates = True

    @property
    def dropped(self) -> IntArray:
        """The directions of the basis that were not chosen."""
        return np.setdiff1d(np.arange(len(self.basis)), self.chosen)

    def candidates(self, scale: Array | None) -> Array:
        """Return all directions of the basis as rows, for unscaled columns."""
        return in_table_units(self.basis, scale)

    def candidate_names(self, columns: Sequence[str]) -> Sequence[str]:
        """Return the names of all directions of the basis."""
        return [f"{self.prefix}{i}" for i in range(len(self.basis))]


def in_table_units(directions: Array, scale: Array | None) -> Array:
    """Convert directions of scaled columns to directions of unscaled columns.

    Each entry is divided by the scale of its column. If `scale` is None, return the directions
    unchanged.
    """
    return directions if scale is None else np.ascontiguousarray(directions / scale)


@dataclass(frozen=True, eq=False)
class Search:
    """Search that decides which variables a fit keeps, with facts that it found."""

    eliminates: ClassVar[bool] = False
    """True if left-out rows decided which candidates are dropped, in any order."""
    precedes_pursuit: ClassVar[bool] = False
    """True if the search ends before the pursuit begins. A last fit to all rows does not repeat
    such a search."""
    tells_redundant: ClassVar[bool] = False
    """True if the search calls candidates redundant; False if it only ranks them."""

    @property
    def alternatives(self) -> Mapping[int, tuple[int, ...]]:
        """For each dropped candidate, the kept candidates that could be dropped in its place.

        Candidates are columns, or directions of a basis, given by index.
        """
        return {}


@dataclass(frozen=True, eq=False)
class GreedySearch(Search):
    """Search in which each step keeps the variable of the largest residual variance."""


@dataclass(frozen=True, eq=False)
class SetSearch(Search):
    """Search for the set of columns of each size that explains most: GFS with criterion "gain"."""

    sets: BestSets
    precedes_pursuit = True


@dataclass(frozen=True, eq=False)
class RedundancySearch(Search):
    """Search that takes columns (or directions) by decreasing variance, unless redundant."""

    redundant: IntArray
    """Indices of the redundant candidates."""
    tells_redundant = True


@dataclass(frozen=True, eq=False)
class EliminationSearch(RedundancySearch):
    """Search that begins with all columns (or directions), and drops those that others explain."""

    selection: Selection
    """Order and evidence of the elimination."""
    eliminates = True
    precedes_pursuit = True

    @property
    def alternatives(self) -> Mapping[int, tuple[int, ...]]:
        """For each dropped candidate, the kept candidates that could be dropped in its place.

        Candidates are columns, or directions of a basis, given by index.
        """
        return self.selection.alternatives


def _along(rows: RowBlock, axes: Any) -> Array:
    """Return the values of columns, or coordinates along vectors, of a row block.

    The block's rows are multiplied by the roots of their weights; the result is not.
    """
    out = np.empty((len(axes), len(rows.root)))
    rows.along_all(axes, out)
    return (out / rows.root).T
