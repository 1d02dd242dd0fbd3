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

from gramian._threads import AddProduct, n_workers, product_for, share_out
from gramian._types import Array, IntArray
from gramian.families._expansion import Block
from gramian.orthogonalize._common import Direction
from gramian.orthogonalize._sums import EVALUATION, Step, Sums, Variables, sum_arrays
from gramian.rows import RowBlock, Rows

Tuples = NDArray[np.uint8]
MAX_VARIABLES = 254
"""Variables are numbered in one byte."""
MIN_TILE, MAX_TILE = 128, 256
"""Columns of a tile: narrower matrix products are slow, wider ones waste rows and cache."""
PIECE = 512
"""Rows that are evaluated at once."""
CHUNK = 2**16
"""Gram entries that are gathered at once: what fits in a core's cache."""


GATHERING = 1000.0
"""What gathering an entry costs, in multiplications of a matrix product."""


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
        self.parents: list[list[int]] = []
        """For each length and last symbol, how many shorter tuples it is appended to: the first."""
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
            self.parents.append(parents)

    def evaluate(self, symbols: Array, size: int, out: list[Array]) -> list[Array]:
        """Evaluate all products up to a length, a matrix for each; a row of `symbols` is a symbol.

        What an earlier call returned can be given as `out`, to be overwritten.
        """
        n_rows = symbols.shape[1]
        if not out or out[0].shape[1] != n_rows:
            out = [np.empty((len(tuples), n_rows)) for tuples in self.tuples[: size + 1]]
            out[0][:] = 1.0
        for shorter, longer, parents in zip(out, out[1:], self.parents, strict=False):
            start = 0
            for symbol, n in zip(symbols, parents, strict=True):
                np.multiply(shorter[:n], symbol, out=longer[start : start + n])
                start += n
        return out

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
        rows = np.full(comb(self._n_symbols - 1 + length, length), -1, dtype=np.int32)
        rows[self._ranks(self.tuples[length])] = np.arange(len(self.tuples[length]))
        return rows

    def find(self, tuples: Tuples) -> IntArray:
        """Return the rows of given tuples of one length."""
        return self.rows_by_rank(tuples.shape[1])[self._ranks(tuples)].astype(np.intp)

    def _ranks(self, tuples: Tuples) -> NDArray[np.int32]:
        ranks = np.zeros(len(tuples), dtype=np.int32)
        for table, symbols in zip(self.rank_tables(tuples.shape[1]), tuples.T, strict=True):
            ranks += table[symbols]
        return ranks


@dataclass(frozen=True)
class _Tile:
    """Some columns of a table, and the rows that go with the first of them."""

    prefix: int
    width: int
    start: int
    """Where its moments begin."""
    parts: list[tuple[int, slice, slice]]
    """The last symbols of the columns, the tuples they are appended to, and the columns."""


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
        # The A that go with a B whose smallest variable is c, by the order of B's columns.
        prefixes = first.ends[a][::-1].tolist()
        self._tiles = _tiles(second.parents[b - 1], prefixes) if b else []
        widths = [(tile.prefix, tile.width) for tile in self._tiles]
        self.size = sum(prefix * width for prefix, width in widths) if b else 1
        steps = np.concatenate([np.full(width, prefix) for prefix, width in widths] or [[1]])
        base = np.cumsum(steps) - steps
        self.moments = np.empty(0)

        self._rank_first = first.rank_tables(a)
        self._row_first = first.rows_by_rank(a)
        # B's tuples, read backwards, are sorted in the reverse order of variables.
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
        """Add some rows' share to moments.

        The second halves are given but for their last symbols, whose values follow: a tile at a
        time they are put together where the processor needs them. The factor is the new variable's
        power times the rows' weights.
        """
        a, b = self._sizes
        weighted = first[a] * factor
        if not self._tiles:
            moments += weighted.sum()
            return
        shorter = second[b - 1]
        columns = np.empty((MAX_TILE, len(factor)))
        for tile in self._tiles:
            for symbol, parents, those in tile.parts:
                np.multiply(shorter[parents], symbols[symbol], out=columns[those])
            table = moments[tile.start : tile.start + tile.prefix * tile.width]
            add_product(
                table.reshape(tile.width, tile.prefix),
                columns[: tile.width],
                weighted[: tile.prefix].T,
            )

    @property
    def cost(self) -> float:
        """Multiplications a row, narrow matrix products counting for more."""
        return float(sum((tile.prefix + 64) * (tile.width + 64) for tile in self._tiles))

    def gather(self, rows: Tuples, columns: Tuples, out: Array) -> None:
        """Write down the moments of the products of two lists of monomials."""
        a, b = self._sizes
        step = max(1, CHUNK // max(1, len(columns)))
        for start in range(0, len(rows), step):
            part = rows[start : start + step]
            merged = _merge(list(part.T[:, :, np.newaxis]), list(columns.T[:, np.newaxis]))
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
    """Cut the columns, given in groups of the same last symbol, into tiles."""
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


def _merge(first: Sequence[Tuples], second: Sequence[Tuples]) -> list[Tuples]:
    """Merge sorted tuples, given position by position, into sorted ones."""
    merged = list(first)
    for symbol in second:
        for position, other in enumerate(merged):
            merged[position] = np.minimum(other, symbol)
            symbol = np.maximum(other, symbol)
        merged.append(symbol)
    return merged


class MomentSums:
    """Sums for a family of monomials, gathered from tables of moments.

    Parameters
    ----------
    rows : Rows
        The table.
    variables : Variables
        Their values.
    degree : int
        The largest degree of a function.
    max_exponent : int or None
        The largest exponent of a variable in the product of two functions, if it is limited.
    """

    def __init__(
        self, rows: Rows, variables: Variables, degree: int, max_exponent: int | None
    ) -> None:
        self._rows = rows
        self._variables = variables
        self._degree = degree
        self._max_exponent = max_exponent
        self._n_steps = 0
        self._store: Tuples = np.zeros((1, degree), dtype=np.uint8)
        self._basis: Tuples = np.zeros((1, degree), dtype=np.uint8)

    def _catch_up(self, steps: Sequence[Step]) -> None:
        """Note the monomials of the steps not seen yet."""
        for variable, step in enumerate(steps[self._n_steps :], start=self._n_steps + 1):
            new = self._store[step.block.parents]
            for power, those in _by_power(step.block):
                new[those, :-power] = new[those, power:]
                new[those, -power:] = variable
            self._basis = np.vstack([self._basis, new[step.kept]])
            self._store = np.vstack([self._store, new[step.block.stored]])
        self._n_steps = len(steps)

    def plan(self, steps: Sequence[Step], block: Block) -> Plan:
        """Lay out the tables for a new variable, and count their cost."""
        n = len(steps)
        p = self._degree
        first = Halves(n + 1, 0, p - 1, self._max_exponent)
        second = Halves(n + 1, n, p, self._max_exponent)
        present = [power for power, _ in _by_power(block)]
        powers = sorted({*present, *(a + b for a in present for b in present)})
        tables = {power: MomentTable(first, second, 2 * p - power, power) for power in powers}
        return Plan(first, second, tables)

    def sum(self, steps: Sequence[Step], direction: Direction, block: Block, plan: Plan) -> Sums:
        """Read the table once and return the sums for a new variable."""
        self._catch_up(steps)
        groups = _by_power(block)
        parents = self._store[block.parents][:, 1:]
        found = [(power, those, plan.first.find(parents[those])) for power, those in groups]
        directions = [*(step.direction for step in steps), direction]
        n = n_workers(self._rows.n_rows)
        workers = [
            _Worker(self._variables, directions, plan, found, self._rows.n_columns, product_for(n))
            for _ in range(n)
        ]
        share_out(enumerate(self._rows.blocks()), workers)
        for power, table in plan.tables.items():
            table.moments = sum_arrays([worker.moments[power] for worker in workers])

        n_old = len(self._basis)
        gram = np.empty((block.n_functions, n_old + block.n_functions))
        for a, those in groups:
            plan.tables[a].gather(parents[those], self._basis, gram[those, :n_old])
            for b, others in groups:
                columns = slice(n_old + others.start, n_old + others.stop)
                plan.tables[a + b].gather(parents[those], parents[others], gram[those, columns])
        return Sums(gram, sum_arrays([worker.with_x for worker in workers]))


class _Worker:
    """Sums over some of the row blocks."""

    def __init__(
        self,
        variables: Variables,
        directions: Sequence[Direction],
        plan: Plan,
        found: Sequence[tuple[int, slice, IntArray]],
        n_columns: int,
        add_product: AddProduct,
    ) -> None:
        self._variables = variables
        self._directions = directions
        self._plan = plan
        self._found = found
        self._add_product = add_product
        self._first: list[Array] = []
        self._second: list[Array] = []
        self.moments = {power: np.zeros(table.size) for power, table in plan.tables.items()}
        self.with_x = np.zeros((found[-1][1].stop, n_columns))

    def __call__(self, item: tuple[int, RowBlock]) -> None:
        number, rows = item
        z = self._variables.on(number, rows, self._directions)
        # Pieces are small enough for the values of the halves to stay near the processor.
        for start in range(0, len(rows.root), PIECE):
            piece = slice(start, start + PIECE)
            self._add(rows.x[piece], rows.root[piece], z[:, piece])

    def _add(self, x: Array, root: Array, z: Array) -> None:
        symbols = np.vstack([np.ones(len(root)), z[:-1]])
        backwards = symbols[::-1]
        size = len(self._plan.first.tuples) - 1
        self._first = first = self._plan.first.evaluate(symbols, size, self._first)
        self._second = second = self._plan.second.evaluate(backwards, size, self._second)
        for power, table in self._plan.tables.items():
            factor = z[-1] ** power * root * root
            table.add(self.moments[power], first, second, backwards, factor, self._add_product)
        for power, those, half in self._found:
            values = first[-1][half]
            values *= z[-1] ** power * root
            self._add_product(self.with_x[those], values, x)


@dataclass(frozen=True)
class Plan:
    """Tables of moments for one step."""

    first: Halves
    second: Halves
    tables: dict[int, MomentTable]

    @property
    def cost(self) -> float:
        """Multiplications a row."""
        n_halves = len(self.first.tuples[-1]) + len(self.second.tuples[-1])
        return sum(table.cost for table in self.tables.values()) + EVALUATION * n_halves


def _by_power(block: Block) -> list[tuple[int, slice]]:
    """Return the functions of a block of monomials by the power of the new variable."""
    powers, starts = np.unique(block.atoms + 1, return_index=True)
    stops = [*starts[1:].tolist(), len(block.atoms)]
    return [
        (int(power), slice(int(start), stop))
        for power, start, stop in zip(powers, starts, stops, strict=True)
    ]
