"""Gram blocks of monomials from a table in which every distinct moment is computed once.

E[s t] of two monomials depends on their product alone, and many pairs share a product. Written as a
sorted tuple of variables, a product has one split into a first half A and a second half B, and then
max(A) ≤ min(B). With the halves A sorted by their largest variable and the halves B by their
smallest, the A that go with a B are a prefix. So the distinct moments are plain matrix products of
a prefix of rows with a tile of columns, and a Gram block is gathered from them.

Variables are numbered from 1. Tuples are filled up with zeros in front: 0 stands for the constant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas

from gramian._types import Array, IntArray

Tuples = NDArray[np.uint8]
MAX_VARIABLES = 254
"""Variables are numbered in one byte."""
TILE = 256
"""Columns of a tile, at least: narrower matrix products are slow, wider ones waste rows."""
CHUNK = 2**16
"""Gram entries that are gathered at once: what fits in a core's cache."""


class Halves:
    """All sorted tuples of up to `size` symbols, ordered by their last symbol, then the one before.

    Parameters
    ----------
    n_symbols : int
        Symbols are 0, 1, ..., in the order that tuples are sorted by.
    constant : int
        The symbol that stands for the constant.
    size : int
        The largest length of a tuple.
    max_exponent : int or None
        How often any other symbol can occur in a tuple.
    """

    def __init__(self, n_symbols: int, constant: int, size: int, max_exponent: int | None) -> None:
        self._n_symbols = n_symbols
        self.tuples: list[Tuples] = [np.empty((1, 0), dtype=np.uint8)]
        self.ends: list[IntArray] = [np.ones(n_symbols, dtype=np.intp)]
        """For each length and symbol, how many tuples have no symbol after this one."""
        self._parents: list[list[int]] = []
        for length in range(1, size + 1):
            shorter, ends = self.tuples[-1], self.ends[-1]
            parts, parents = [], []
            for symbol in range(n_symbols):
                prefix = shorter[: ends[symbol]]
                if max_exponent is not None and symbol != constant and length > max_exponent:
                    # Those that have the symbol too often already are the last of the prefix.
                    full = (prefix[:, -max_exponent:] == symbol).all(axis=1)
                    prefix = prefix[: len(prefix) - np.count_nonzero(full)]
                last = np.full((len(prefix), 1), symbol, dtype=np.uint8)
                parts.append(np.hstack([prefix, last]))
                parents.append(len(prefix))
            self.tuples.append(np.vstack(parts))
            self.ends.append(np.cumsum(parents))
            self._parents.append(parents)

    def evaluate(self, symbols: Array) -> list[Array]:
        """Evaluate all products, a matrix for each length; a row of `symbols` is a symbol."""
        values = [np.ones((1, symbols.shape[1]))]
        for parents, tuples in zip(self._parents, self.tuples[1:], strict=True):
            longer = np.empty((len(tuples), symbols.shape[1]))
            start = 0
            for symbol, n in zip(symbols, parents, strict=True):
                np.multiply(values[-1][:n], symbol, out=longer[start : start + n])
                start += n
            values.append(longer)
        return values

    def rank_tables(self, length: int) -> NDArray[np.int32]:
        """Return for each position and symbol what it adds to the rank of a tuple."""
        return np.array(
            [
                [comb(symbol + position, position + 1) for symbol in range(self._n_symbols)]
                for position in range(length)
            ],
            dtype=np.int32,
        ).reshape(length, self._n_symbols)

    def rows_by_rank(self, length: int) -> NDArray[np.int32]:
        """Return the row of each tuple by its rank among all sorted tuples."""
        tuples = self.tuples[length]
        ranks = np.zeros(len(tuples), dtype=np.int32)
        for table, symbols in zip(self.rank_tables(length), tuples.T, strict=True):
            ranks += table[symbols]
        rows = np.full(comb(self._n_symbols - 1 + length, length), -1, dtype=np.int32)
        rows[ranks] = np.arange(len(tuples))
        return rows


@dataclass(frozen=True)
class _Tile:
    columns: slice
    prefix: int
    start: int


class MomentTable:
    """All moments E[m z^power] of monomials m of up to `degree` in some variables.

    Parameters
    ----------
    first, second : Halves
        Halves in the order of variables and in the reverse order.
    degree : int
        The largest degree of m.
    power : int
        The power of the new variable z.
    """

    def __init__(self, first: Halves, second: Halves, degree: int, power: int) -> None:
        self.power = power
        self._sizes = degree // 2, degree - degree // 2
        a, b = self._sizes
        n_symbols = len(first.ends[0])
        # The A that go with a B whose smallest variable is c, by the order of B's columns.
        prefixes = first.ends[a][::-1]
        groups = np.diff(second.ends[b], prepend=0)
        self._tiles: list[_Tile] = []
        base = np.empty(len(second.tuples[b]), dtype=np.int64)
        size = column = symbol = 0
        while symbol < n_symbols:
            prefix, width = int(prefixes[symbol]), 0
            while symbol < n_symbols and width < TILE:
                width += int(groups[symbol])
                symbol += 1
            columns = slice(column, column + width)
            base[columns] = size + prefix * np.arange(width)
            self._tiles.append(_Tile(columns, prefix, size))
            size += prefix * width
            column += width
        self.moments = np.zeros(size)

        self._rank_first = first.rank_tables(a)
        self._row_first = first.rows_by_rank(a)
        # B's tuples, read backwards, are sorted in the reverse order of variables.
        self._rank_second = second.rank_tables(b)[:, ::-1]
        self._base_second = base[second.rows_by_rank(b)]

    def add(self, first: Sequence[Array], second: Sequence[Array], factor: Array) -> None:
        """Add some rows' share; `factor` is the new variable's power times the rows' weights."""
        a, b = (values[size] for values, size in zip((first, second), self._sizes, strict=True))
        weighted = a * factor
        for tile in self._tiles:
            part = b[tile.columns]
            table = self.moments[tile.start : tile.start + tile.prefix * len(part)]
            blas.dgemm(
                1.0,
                weighted[: tile.prefix].T,
                part.T,
                beta=1.0,
                c=table.reshape(len(part), tile.prefix).T,
                trans_a=1,
                overwrite_c=1,
            )

    def gather(self, rows: Tuples, columns: Tuples) -> Array:
        """Return the moments of the products of two lists of monomials."""
        a, b = self._sizes
        out = np.empty((len(rows), len(columns)))
        step = max(1, CHUNK // max(1, len(columns)))
        for start in range(0, len(rows), step):
            merged = _merge(rows[start : start + step].T[:, :, np.newaxis], columns.T[:, np.newaxis])
            merged = merged[len(merged) - a - b :]
            shape = np.broadcast_shapes(*(symbols.shape for symbols in merged))
            row = np.zeros(shape, dtype=np.int32)
            for table, symbols in zip(self._rank_first, merged[:a], strict=True):
                row += table[symbols]
            rank = np.zeros(shape, dtype=np.int32)
            for table, symbols in zip(self._rank_second, merged[a:][::-1], strict=True):
                rank += table[symbols]
            address = self._base_second[rank]
            address += self._row_first[row]
            np.take(self.moments, address, out=out[start : start + step], mode="clip")
        return out


def _merge(first: Sequence[Tuples], second: Sequence[Tuples]) -> list[Tuples]:
    """Merge sorted tuples, given position by position, into sorted ones."""
    merged = list(first)
    for symbol in second:
        for position, other in enumerate(merged):
            merged[position] = np.minimum(other, symbol)
            symbol = np.maximum(other, symbol)
        merged.append(symbol)
    return merged
