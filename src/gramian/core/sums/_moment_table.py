"""Table of the distinct moments of monomials, from which the entries of Gram matrices are copied.

The moment E[s t] of two monomials depends on their product only, and many pairs of monomials have
the same product. A product, written as a sorted tuple of variables, has one split into a first half
A and a second half B, with max(A) ≤ min(B). Sort the halves A by their largest variable, and the
halves B by their smallest variable. Then the halves A that fit to a given B are the first ones, a
prefix. So all distinct moments are matrix products of a prefix of rows (A) with a tile of columns
(B), and each entry of a Gram matrix is copied from them.

Tuples have the form that `MonomialTuples` defines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

from gramian._support.threads import AddProduct
from gramian._support.types import Array, IntArray
from gramian.core.sums._monomial_tuples import Tuples, merge_tuples

MIN_TILE, MAX_TILE = 128, 256
"""Smallest and largest number of columns in a tile: products of narrower matrices are slow, and
wider matrices waste time on unused rows and exceed the cache."""
GATHERED_AT_ONCE = 2**16
"""Number of Gram matrix entries that are copied in one step; their addresses fit in a core's
cache."""


class Halves:
    """All sorted tuples of up to `size` symbols, listed in the order of their last symbol.

    Tuples with equal last symbols are listed in the order of the symbol before it, and so on. A
    symbol stands for a variable or the constant; a tuple stands for the product of its symbols.

    Parameters
    ----------
    n_symbols : int
        The number of symbols. Symbols are the numbers 0, 1, ...; tuples are sorted by them.
    constant : int
        The symbol that stands for the constant.
    size : int
        The largest length of a tuple.
    max_exponent : int or None
        The largest number of times that a symbol other than the constant occurs in a tuple; None
        for no limit.
    """

    def __init__(self, n_symbols: int, constant: int, size: int, max_exponent: int | None) -> None:
        self.n_symbols = n_symbols
        self.tuples: list[Tuples] = [np.empty((1, 0), dtype=np.uint8)]
        self.ends: list[IntArray] = [np.ones(n_symbols, dtype=np.intp)]
        """For each length and symbol s: the number of tuples that have no symbol larger than s."""
        self.parents: list[list[int]] = []
        """For each length and last symbol s: the number of tuples, one symbol shorter, to which s
        is appended; these are the first ones in their order."""
        for length in range(1, size + 1):
            shorter, ends = self.tuples[-1], self.ends[-1]
            parts, parents = [], []
            for symbol in range(n_symbols):
                prefix = shorter[: ends[symbol]]
                if max_exponent is not None and symbol != constant and length > max_exponent:
                    # Tuples with `max_exponent` copies of the symbol are at the end of the prefix.
                    full = (prefix[:, -max_exponent:] == symbol).all(axis=1)
                    prefix = prefix[: len(prefix) - np.count_nonzero(full)]
                last = np.full((len(prefix), 1), symbol, dtype=np.uint8)
                parts.append(np.hstack([prefix, last]))
                parents.append(len(prefix))
            self.tuples.append(np.vstack(parts))
            self.ends.append(np.cumsum(parents))
            self.parents.append(parents)

    def evaluate(self, symbols: Array, size: int, out: list[Array]) -> list[Array]:
        """Return the values of all products, as one matrix for each length up to `size`.

        Row i of `symbols` has the values of symbol i. `out` is the result of an earlier call, which
        is overwritten to save memory, or an empty list.
        """
        n_rows = symbols.shape[1]
        if not out or out[0].shape[1] != n_rows:
            out = [np.empty((len(tuples), n_rows)) for tuples in self.tuples[: size + 1]]
            out[0][:] = 1.0
        if size:
            out[1] = symbols
        for shorter, longer, parents in zip(out[1:], out[2:], self.parents[1:], strict=False):
            start = 0
            for symbol, n in zip(symbols, parents, strict=True):
                np.multiply(shorter[:n], symbol, out=longer[start : start + n])
                start += n
        return out

    def rank_tables(self, length: int) -> NDArray[np.int32]:
        """Return a matrix (position, symbol), with which the rank of a tuple is computed.

        The rank is the sum of the entries for the symbols of the tuple: its position among all
        sorted tuples of this length.
        """
        return np.array(
            [
                [comb(symbol + position, position + 1) for symbol in range(self.n_symbols)]
                for position in range(length)
            ],
            dtype=np.int32,
        ).reshape(length, self.n_symbols)

    def rows_by_rank(self, length: int) -> NDArray[np.int32]:
        """Return for each rank of a tuple its row in `tuples[length]`; -1 if it is not there.

        The rank is the position of a tuple among all sorted tuples of its length.
        """
        rows = np.full(comb(self.n_symbols - 1 + length, length), -1, dtype=np.int32)
        rows[self._ranks(self.tuples[length])] = np.arange(len(self.tuples[length]))
        return rows

    def find(self, tuples: Tuples) -> IntArray:
        """Return the row numbers of the given tuples in `self.tuples`, which lists all tuples.

        A tuple stands for the product of its symbols; all given tuples have the same length.
        """
        return self.rows_by_rank(tuples.shape[1])[self._ranks(tuples)].astype(np.intp)

    def _ranks(self, tuples: Tuples) -> NDArray[np.int32]:
        ranks = np.zeros(len(tuples), dtype=np.int32)
        for table, symbols in zip(self.rank_tables(tuples.shape[1]), tuples.T, strict=True):
            ranks += table[symbols]
        return ranks


@dataclass(frozen=True)
class _Tile:
    """Some consecutive columns of a moment table, and the number of rows to multiply with.

    Moments are products of a row (first half of a monomial) with a column (second half), summed
    over the rows of the data.
    """

    prefix: int
    """Number of rows that the columns are multiplied with: as many as the first column needs."""
    width: int
    """Number of columns."""
    start: int
    """Place of the tile's first moment in the vector of all moments."""
    parts: list[tuple[int, slice, slice]]
    """Triples (last symbol, slice of the shorter tuples to which it is appended, slice of the
    columns of the tile that result)."""


class MomentTable:
    """Moments E[m w] of all monomials m up to a degree in some variables, for one row weight w.

    Parameters
    ----------
    first, second : Halves
        First halves A, with symbols in the order of the variables, and second halves B, with
        symbols in the reverse order.
    degree : int
        The largest degree of m.
    """

    def __init__(self, first: Halves, second: Halves, degree: int) -> None:
        self._sizes = degree // 2, degree - degree // 2
        a, b = self._sizes
        # Number of halves A that fit to a B with smallest variable c, in the order of B's columns.
        prefixes = first.ends[a][::-1].tolist()
        self._tiles = _tiles(second.parents[b - 1], prefixes) if b else []
        # The moments are stored column after column; without second halves there is one moment.
        lengths = [np.full(tile.width, tile.prefix) for tile in self._tiles]
        steps = np.concatenate(lengths or [np.ones(1, dtype=np.intp)])
        self.size = int(steps.sum())
        base = np.cumsum(steps) - steps
        self.moments = np.empty(0)

        self._rank_first = first.rank_tables(a)
        self._row_first = first.rows_by_rank(a)
        # The tuples of B are sorted in the reverse order of the variables.
        self._rank_second = second.rank_tables(b)[:, ::-1]
        self._base_second = base[second.rows_by_rank(b)]

    def add(
        self,
        moments: Array,
        first: Sequence[Array],
        second: Sequence[Array],
        symbols: Array,
        factor: Array,
        add_product: AddProduct,
    ) -> None:
        """Add some rows of the data to the vector `moments`, in place.

        `first` and `second` are the values of the halves, `symbols` of the symbols of `second`.
        `factor` is the weight of each row times a power of the new variable. The longest second
        halves are products of shorter ones and symbols; they are computed one tile at a time, so
        that they are in the processor's cache when they are used.
        """
        a, b = self._sizes
        weighted = first[a] * factor
        if not self._tiles:
            moments += weighted.sum()
            return
        workspace = np.empty((MAX_TILE, len(factor)))
        column = 0
        for tile in self._tiles:
            if b < len(second):
                columns = second[b][column : column + tile.width]
                column += tile.width
            else:
                columns = workspace[: tile.width]
                for symbol, parents, those in tile.parts:
                    np.multiply(second[-1][parents], symbols[symbol], out=columns[those])
            table = moments[tile.start : tile.start + tile.prefix * tile.width]
            table = table.reshape(tile.width, tile.prefix)
            add_product(table, columns, weighted[: tile.prefix].T)

    @property
    def cost(self) -> float:
        """Cost of `add` for each row, in multiplications; products of narrow matrices cost more."""
        return float(sum((tile.prefix + 32) * (tile.width + 16) for tile in self._tiles))

    def gather(self, rows: Tuples, columns: Tuples, out: Array) -> None:
        """Write E[s t w] to `out` for all monomials s in `rows` and t in `columns`.

        The monomials are tuples of variables (see `MonomialTuples`); w is the weight of a row.
        """
        a, b = self._sizes
        step = max(1, GATHERED_AT_ONCE // max(1, len(columns)))
        for start in range(0, len(rows), step):
            part = rows[start : start + step]
            merged = merge_tuples(list(part.T[:, :, np.newaxis]), list(columns.T[:, np.newaxis]))
            merged = merged[len(merged) - a - b :]
            shape = (len(part), len(columns))
            first, second = np.zeros(shape, dtype=np.int32), np.zeros(shape, dtype=np.int32)
            for table, symbols in zip(self._rank_first, merged[:a], strict=True):
                first += table[symbols]
            for table, symbols in zip(self._rank_second, merged[a:][::-1], strict=True):
                second += table[symbols]
            address = self._base_second[second]
            address += self._row_first[first]
            out[start : start + step] = self.moments[address]


def _tiles(groups: Sequence[int], prefixes: Sequence[int]) -> list[_Tile]:
    """Cut the columns of a moment table into tiles, which are computed one at a time.

    Parameters
    ----------
    groups : sequence of int
        For each last symbol, the number of columns (tuples) that end with it.
    prefixes : sequence of int
        For each last symbol, the number of rows that its columns are multiplied with.
    """
    tiles: list[_Tile] = []
    parts: list[tuple[int, slice, slice]] = []
    start = width = prefix = 0
    last = max(symbol for symbol, n in enumerate(groups) if n)
    for symbol, n in enumerate(groups):
        done = 0
        while done < n:
            if not parts:
                prefix = prefixes[symbol]
            taken = min(n - done, MAX_TILE - width)
            parts.append((symbol, slice(done, done + taken), slice(width, width + taken)))
            done += taken
            width += taken
            if width == MAX_TILE or (done == n and (width >= MIN_TILE or symbol == last)):
                tiles.append(_Tile(prefix, width, start, parts))
                start += prefix * width
                parts, width = [], 0
    return tiles
