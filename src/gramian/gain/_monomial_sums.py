"""Moments E[xᵃm] of candidates x with monomials m in the members of a set."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

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

    def n_ending(self, power: int, variable: int) -> int:
        """Return how many monomials m of products xᵃm end with a variable."""
        length = 2 * self.degree - power
        if not length:
            return int(variable == 0)
        return self.products.parents[length - 1][variable]

    def n_parents_ending(self, power: int, variable: int) -> int:
        """Return how many monomials m of functions xᵃm end with a variable."""
        length = self.degree - power
        if not length:
            return int(variable == 0)
        return self.factors.parents[length - 1][variable]

    def parents_ending(
        self, power: int, variable: int, values: Sequence[Array], last: Array
    ) -> Array:
        """Evaluate the monomials m of functions xᵃm that end with a variable.

        Parameters
        ----------
        power, variable : int
            The power of x, and the variable.
        values : sequence of arrays
            The values of all monomials of products, by their length.
        last : array
            The values of the variable.
        """
        length = self.degree - power
        n = self.n_parents_ending(power, variable)
        if not length:
            return values[0][:n]
        shorter = values[length - 1]
        return shorter[self._shorter_parents[length - 1][:n]] * last

    @cached_property
    def _shorter_parents(self) -> list[IntArray]:
        """Where the monomials of functions are among those of products, for each length."""
        return [self.products.find(tuples) for tuples in self.factors.tuples]

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

    def without_others(self, members: Sequence[Member], stay: Stay) -> Known:
        """Forget all members but those that another set begins with.

        Parameters
        ----------
        members : sequence of Member
            Those that stay.
        stay : Stay
            What stays with them.
        """
        pairs = zip((*self.moments, *self.with_x), stay, strict=True)
        kept = [each[those] for each, those in pairs]
        n = len(self.moments)
        return Known(tuple(members), kept[:n], kept[n:])

    def extended(self, new: Known) -> Known:
        """Return this with what is new, which comes last."""
        return Known(
            new.members,
            [np.concatenate(pair) for pair in zip(self.moments, new.moments, strict=True)],
            [np.concatenate(pair) for pair in zip(self.with_x, new.with_x, strict=True)],
        )


Stay = list[NDArray[np.bool_]]
"""Which moments, and which products with X, stay when members leave; for each power."""


def staying(powers: Powers, members: Sequence[Member], beginning: Sequence[Member]) -> Stay:
    """Return what stays of a set if none but the members stay that another set begins with."""
    numbers = {member.number for member in beginning}
    stay = np.array([True, *(member.number in numbers for member in members)])
    tuples = [
        *(powers.of(a) for a in powers.all_powers),
        *(powers.parents(a) for a in powers.own_powers),
    ]
    return [stay[each].all(axis=1) for each in tuples]


def collect(
    rows: Rows, powers: Powers, members: Sequence[Member], waiting: Sequence[tuple[int, int]]
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
    waiting : sequence of pairs of int
        How many of the first members are known to each candidate, -1 if not even its own moments
        are; and the candidate's column. In the order of these numbers.
    """
    columns = tuple(member.column for member in members)
    work = MonomialWork(powers, columns, tuple(waiting), rows.n_columns)
    with np.errstate(over="ignore", invalid="ignore"):  # checked by those who use it
        sums = rows.sum(work)
    each_time = len(powers.all_powers) + len(powers.own_powers)
    found = []
    for i, (n_known, _) in enumerate(waiting):
        mine = sums[each_time * (n_known - waiting[0][0]) :]
        parts = [
            np.concatenate([each[i] for each in mine[k::each_time]]) for k in range(each_time)
        ]
        n = len(powers.all_powers)
        found.append(Known(tuple(members), parts[:n], parts[n:]))
    return found


@dataclass(frozen=True)
class MonomialWork(Work):
    """Sums products of candidates with monomials, and of candidates' functions with X."""

    powers: Powers
    members: tuple[int, ...]
    waiting: tuple[tuple[int, int], ...]
    n_columns: int

    def worker(self, add_product: AddProduct) -> _Worker:
        """Return one that begins at zero."""
        return _Worker(self, add_product)

    @cached_property
    def variables(self) -> range:
        """The variables with which products are new for some candidate; 0 is the constant."""
        return range(self.waiting[0][0] + 1, 1 + len(self.members))

    @cached_property
    def n_waiting(self) -> list[int]:
        """How many candidates wait for products with each of these."""
        n_known = [n for n, _ in self.waiting]
        return [bisect_left(n_known, variable) for variable in self.variables]


class _Worker:
    """Sums over some of the row blocks."""

    def __init__(self, work: MonomialWork, add_product: AddProduct) -> None:
        self._work = work
        self._add_product = add_product
        self._values: list[Array] = []
        powers = work.powers
        self.sums: list[Array] = []
        for variable, n in zip(work.variables, work.n_waiting, strict=True):
            ends = [powers.n_ending(a, variable) for a in powers.all_powers]
            self.sums += [np.zeros((n, size)) for size in ends]
            ends = [powers.n_parents_ending(a, variable) for a in powers.own_powers]
            self.sums += [np.zeros((n, size, work.n_columns)) for size in ends]

    def __call__(self, item: tuple[int, RowBlock]) -> None:
        """Add a row block, given with its number."""
        _, rows = item
        size = 8 * len(self._work.powers.of(2))
        step = min(max(CHUNK // size, FEWEST_ROWS), MOST_ROWS)
        for start in range(0, len(rows.root), step):
            piece = rows.part(slice(start, start + step))
            self._add(RowBlock(piece.x, piece.root))

    def _add(self, rows: RowBlock) -> None:
        work, powers = self._work, self._work.powers
        symbols = np.empty((1 + len(work.members), len(rows.root)))
        symbols[0] = 1.0
        np.divide(rows.x[:, list(work.members)].T, rows.root, out=symbols[1:])
        values = powers.products.evaluate(symbols, 2 * powers.degree - 2, self._values)
        self._values = values
        x = rows.x.T[[column for _, column in work.waiting]]
        z = x / rows.root
        raised = [x]
        while len(raised) < len(powers.all_powers):
            raised.append(raised[-1] * z)
        sums = iter(self.sums)
        for variable, n in zip(work.variables, work.n_waiting, strict=True):
            last = symbols[variable] * rows.root
            for a in powers.all_powers:
                size = powers.n_ending(a, variable)
                # The monomials that end with this variable: it times the first shorter ones.
                shorter = values[max(0, 2 * powers.degree - a - 1)][:size]
                self._add_product(next(sums), raised[a - 1][:n] * last, shorter.T)
            for a in powers.own_powers:
                parents = powers.parents_ending(a, variable, values, symbols[variable])
                self._add_with_x(next(sums), parents, raised[a - 1][:n], rows.x)

    def _add_with_x(self, sums: Array, parents: Array, x: Array, columns: Array) -> None:
        """Add products of functions, which are parents times a candidate, with all columns."""
        step = max(1, CHUNK // max(1, parents.nbytes))
        for start in range(0, len(x) if len(parents) else 0, step):
            functions = x[start : start + step, np.newaxis] * parents
            flat = functions.reshape(-1, len(columns))
            self._add_product(sums[start : start + step].reshape(len(flat), -1), flat, columns)
