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

BATCH = 64
"""Rows of a matrix product, about: fewer are slow."""
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

    def __init__(self, n_members: int, degree: int, max_exponent: int | None, highest: int) -> None:
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

    def shorter_parents(self, power: int, values: Sequence[Array]) -> Array:
        """Return monomials that are functions xᵃm if m is one of them times a variable.

        Parameters
        ----------
        power : int
            The power of x.
        values : sequence of arrays
            The values of all monomials of products, by their length.
        """
        length = max(0, self.degree - power - 1)
        if self._parents[length] is None:
            return values[length]
        found: Array = values[length][self._parents[length]]
        return found

    @cached_property
    def _parents(self) -> list[IntArray | None]:
        """Where the monomials of functions are among those of products; None if they are all."""
        pairs = zip(self.factors.tuples, self.products.tuples, strict=False)
        return [None if len(a) == len(b) else self.products.find(a) for a, b in pairs]

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
    parts: list[list[list[Array]]] = [[[] for _ in range(each_time)] for _ in waiting]
    for number, (variables, n) in enumerate(work.batches):
        mine = sums[number * each_time : (number + 1) * each_time]
        for place, variable in enumerate(variables):
            sizes = [
                *(powers.n_ending(a, variable) for a in powers.all_powers),
                *(powers.n_parents_ending(a, variable) for a in powers.own_powers),
            ]
            for kind, (values, size) in enumerate(zip(mine, sizes, strict=True)):
                for i in range(n):
                    parts[i][kind].append(values[place, i, :size])
    found = [[np.concatenate(each) for each in mine] for mine in parts]
    n = len(powers.all_powers)
    return [Known(tuple(members), each[:n], each[n:]) for each in found]


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
    def batches(self) -> list[tuple[range, int]]:
        """Variables whose products are summed together, and how many candidates wait for them.

        Variable 0 is the constant. Products of functions of a candidate alone come first, by
        themselves.
        """
        n_known = [n for n, _ in self.waiting]
        n_variables = 1 + len(self.members)
        found, start = [], n_known[0] + 1
        while start < n_variables:
            n = bisect_left(n_known, start)
            end = n_variables if n == len(n_known) else 1 + n_known[n]
            stop = min(end, start + max(1, BATCH // n)) if start else 1
            found.append((range(start, stop), n))
            start = stop
        return found


class _Worker:
    """Sums over some of the row blocks."""

    def __init__(self, work: MonomialWork, add_product: AddProduct) -> None:
        self._work = work
        self._add_product = add_product
        self._values: list[Array] = []
        powers = work.powers
        self.sums: list[Array] = []
        for variables, n in work.batches:
            shape = (len(variables), n)
            most = [powers.n_ending(a, variables[-1]) for a in powers.all_powers]
            self.sums += [np.zeros((*shape, size)) for size in most]
            most = [powers.n_parents_ending(a, variables[-1]) for a in powers.own_powers]
            self.sums += [np.zeros((*shape, size, work.n_columns)) for size in most]

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
        for variables, n in work.batches:
            last = symbols[variables.start : variables.stop, np.newaxis]
            # The monomials that end with a variable: it times the first shorter ones.
            products = [each[:n] * last for each in raised]
            for a, product in zip(powers.all_powers, products, strict=True):
                moments = next(sums)
                shorter = values[max(0, 2 * powers.degree - a - 1)][: moments.shape[-1]]
                if shorter.size:
                    left = (product * rows.root).reshape(-1, len(rows.root))
                    self._add_product(moments.reshape(len(left), -1), left, shorter.T)
            for a, product in zip(powers.own_powers, products, strict=False):
                with_x = next(sums)
                parents = powers.shorter_parents(a, values)[: with_x.shape[2]]
                if parents.size:
                    functions = product[:, :, np.newaxis] * parents
                    flat = functions.reshape(-1, len(rows.root))
                    self._add_product(with_x.reshape(len(flat), -1), flat, rows.x)
