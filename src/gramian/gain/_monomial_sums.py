"""Moments E[xᵃm] of candidates x with monomials m in the members of a set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gramian._threads import AddProduct
from gramian._types import Array, IntArray
from gramian.gain._frame import Member
from gramian.orthogonalize._moment_table import Halves, Tuples, merge
from gramian.rows import RowBlock, Rows, Work

CHUNK = 2**22
"""Values of functions that are evaluated at once take about so many bytes."""
FEWEST_ROWS, MOST_ROWS = 64, 1024
"""Rows that are evaluated at once."""


class Powers:
    """The monomials m for every power of a candidate x, for sets of one size.

    Monomials of each degree are sorted by their last variable, then the one before: those of the
    first members come first, and those of a new member last.

    Parameters
    ----------
    n_members : int
        The size of the set.
    degree : int
        The largest degree of a function.
    max_exponent : int or None
        The largest exponent of a variable in the product of two functions, if it is limited.
    highest : int
        The highest power of x in a function.
    """

    def __init__(
        self, n_members: int, degree: int, max_exponent: int | None, highest: int
    ) -> None:
        self.degree = degree
        self.highest = highest
        # In place of a function of x the constant may stand: its products are those functions.
        self.products = Halves(n_members + 1, 0, 2 * degree - 1, max_exponent)
        self.factors = Halves(
            n_members + 1, 0, degree - 1, None if max_exponent is None else max_exponent // 2
        )

    def of(self, power: int) -> Tuples:
        """Return the monomials m of products xᵃm."""
        return self.products.tuples[2 * self.degree - power]

    def parents(self, power: int) -> Tuples:
        """Return the monomials m of functions xᵃm."""
        return self.factors.tuples[self.degree - power]

    @property
    def all_powers(self) -> range:
        """The powers of x in products of two functions."""
        return range(1, 2 * self.highest + 1)

    @property
    def own_powers(self) -> range:
        """The powers of x in functions."""
        return range(1, self.highest + 1)

    def n_known(self, n_members: int) -> tuple[list[int], list[int]]:
        """Return how many moments, and products with X, need the first members only.

        Parameters
        ----------
        n_members : int
            The number of these members, -1 if not even moments of x alone are known.
        """
        if n_members < 0:
            return [0 for _ in self.all_powers], [0 for _ in self.own_powers]
        products, factors = self.products.ends, self.factors.ends
        return (
            [int(products[2 * self.degree - a][n_members]) for a in self.all_powers],
            [int(factors[self.degree - a][n_members]) for a in self.own_powers],
        )

    def n_bytes(self, n_columns: int) -> int:
        """Return the memory that one candidate takes."""
        moments = sum(len(self.of(a)) for a in self.all_powers)
        return 8 * (moments + n_columns * sum(len(self.parents(a)) for a in self.own_powers))

    def find(self, power: int, first: Tuples, second: Tuples) -> IntArray:
        """Return the places of all products of two lists of monomials among the moments of xᵃ."""
        merged = merge(list(first.T[:, :, np.newaxis]), list(second.T[:, np.newaxis]))
        shape = (len(first), len(second))
        length = 2 * self.degree - power
        tuples = np.empty((*shape, length), dtype=first.dtype)
        for place, symbols in enumerate(merged[len(merged) - length :]):
            tuples[..., place] = symbols
        return self.products.find(tuples.reshape(shape[0] * shape[1], length)).reshape(shape)

    @cached_property
    def parents_among_products(self) -> list[IntArray]:
        """Where the monomials of functions are among those of products of the same degree."""
        return [self.products.find(self.parents(a)) for a in self.own_powers]


@dataclass(frozen=True)
class Known:
    """What is known of a candidate: its moments, and products of its functions with X."""

    members: tuple[Member, ...]
    moments: list[Array]
    """E[xᵃm] for a = 1, 2, ... and all m that `Powers` lists for these members."""
    with_x: list[Array]
    """E[xᵃmX], for those xᵃm that are functions."""

    @property
    def n_bytes(self) -> int:
        """The memory taken."""
        return sum(each.nbytes for each in (*self.moments, *self.with_x))

    def without_others(self, members: Sequence[Member], powers: Powers) -> Known:
        """Forget all members but those that another set begins with.

        Parameters
        ----------
        members : sequence of Member
            The other set.
        powers : Powers
            Those of the size of this one.
        """
        mine, n = {*self.members}, 0
        while n < len(members) and members[n] in mine:
            n += 1
        stay = np.array([True, *(member in members[:n] for member in self.members)])
        if stay.all():
            return self
        return Known(
            tuple(members[:n]),
            [
                each[stay[powers.of(a)].all(axis=1)]
                for a, each in zip(powers.all_powers, self.moments, strict=True)
            ],
            [
                each[stay[powers.parents(a)].all(axis=1)]
                for a, each in zip(powers.own_powers, self.with_x, strict=True)
            ],
        )

    def extended(self, new: Known) -> Known:
        """Return this with what is new, which comes last."""
        return Known(
            new.members,
            [np.concatenate(pair) for pair in zip(self.moments, new.moments, strict=True)],
            [np.concatenate(pair) for pair in zip(self.with_x, new.with_x, strict=True)],
        )


def collect(
    rows: Rows,
    powers: Powers,
    members: Sequence[Member],
    n_known: int,
    candidates: Sequence[int],
) -> list[Known]:
    """Read the table once, and return what is not known yet of candidates.

    Parameters
    ----------
    rows : Rows
        The table. Columns have mean 0 and variance 1.
    powers : Powers
        Those of the size of the set.
    members : sequence of Member
        The set.
    n_known : int
        All that needs the first so many members only is known; -1 if nothing is.
    candidates : sequence of int
        The candidates' columns.
    """
    columns = tuple(member.column for member in members)
    work = MonomialWork(powers, columns, n_known, tuple(candidates), rows.n_columns)
    with np.errstate(over="ignore", invalid="ignore"):  # checked by those who use it
        sums = rows.sum(work)
    n = len(powers.all_powers)
    moments, with_x = [np.ascontiguousarray(each.T) for each in sums[:n]], sums[n:]
    return [
        Known(tuple(members), [each[i] for each in moments], [each[i] for each in with_x])
        for i in range(len(candidates))
    ]


@dataclass(frozen=True)
class MonomialWork(Work):
    """Sums products of candidates with monomials, and of candidates' functions with X."""

    powers: Powers
    members: tuple[int, ...]
    n_known: int
    candidates: tuple[int, ...]
    n_columns: int

    def worker(self, add_product: AddProduct) -> _Worker:
        """Return one that begins at zero."""
        return _Worker(self, add_product)


class _Worker:
    """Sums over some of the row blocks."""

    def __init__(self, work: MonomialWork, add_product: AddProduct) -> None:
        self._work = work
        self._add_product = add_product
        powers, n = work.powers, len(work.candidates)
        self._known, self._known_parents = powers.n_known(work.n_known)
        self._values: list[Array] = []
        self.sums = [
            np.zeros((len(powers.of(a)) - known, n))
            for a, known in zip(powers.all_powers, self._known, strict=True)
        ] + [
            np.zeros((n, len(powers.parents(a)) - known, work.n_columns))
            for a, known in zip(powers.own_powers, self._known_parents, strict=True)
        ]

    def __call__(self, item: tuple[int, RowBlock]) -> None:
        """Add a row block, given with its number."""
        _, rows = item
        size = 8 * len(self._work.powers.of(2))
        step = min(max(CHUNK // size, FEWEST_ROWS), MOST_ROWS)
        for start in range(0, len(rows.root), step):
            piece = rows.part(slice(start, start + step))
            self._add(RowBlock(piece.x, piece.root))

    def _add(self, rows: RowBlock) -> None:
        work = self._work
        powers, products = work.powers, work.powers.products
        symbols = np.empty((1 + len(work.members), len(rows.root)))
        symbols[0] = 1.0
        np.divide(rows.x[:, list(work.members)].T, rows.root, out=symbols[1:])
        longest = 2 * powers.degree - 2
        self._values = values = products.evaluate(symbols, longest, self._values)
        x = np.ascontiguousarray(rows.x[:, list(work.candidates)].T)
        z = x / rows.root
        power = x * rows.root
        moments = self.sums[: len(powers.all_powers)]
        self._add_longest(moments[0], values[longest], symbols, power.T)
        for a, known, sums in zip(powers.all_powers[1:], self._known[1:], moments[1:], strict=True):
            power = power * z
            self._add_product(sums, values[2 * powers.degree - a][known:], power.T)
        for a, known, sums, among in zip(
            powers.own_powers,
            self._known_parents,
            self.sums[len(moments) :],
            powers.parents_among_products,
            strict=True,
        ):
            parents = values[powers.degree - a][among[known:]]
            self._add_with_x(sums, parents, x, rows.x)
            x = x * z

    def _add_longest(self, sums: Array, shorter: Array, symbols: Array, x: Array) -> None:
        """Add products with the longest monomials, which are put together from shorter ones."""
        work = self._work
        n_parents = work.powers.products.parents[2 * work.powers.degree - 2]
        start = 0
        for symbol in range(work.n_known + 1, len(n_parents)):
            n = n_parents[symbol]
            self._add_product(sums[start : start + n], shorter[:n] * symbols[symbol], x)
            start += n

    def _add_with_x(self, sums: Array, parents: Array, x: Array, columns: Array) -> None:
        """Add products of functions, which are parents times a candidate, with all columns."""
        step = max(1, CHUNK // max(1, parents.nbytes))
        for start in range(0, len(x) if len(parents) else 0, step):
            part = x[start : start + step]
            functions = part[:, np.newaxis] * parents
            flat = functions.reshape(-1, len(columns))
            self._add_product(sums[start : start + step].reshape(len(flat), -1), flat, columns)
