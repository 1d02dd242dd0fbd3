"""Sums over rows of moments E[xᵃm] of columns outside the selected set.

A candidate x is a column outside the set, and m is a monomial in the members of the set.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from gramian._support.threads import AddProduct
from gramian._support.types import Array, IntArray
from gramian.core.gain._frame import Member
from gramian.core.rows import RowBlock, Rows, Work
from gramian.core.sums import Halves, Tuples, merge_tuples, pieces

BATCH = 64
"""Approximate number of rows of a matrix product; products with fewer rows are slow."""
BYTES_AT_ONCE = 2**23
"""Memory in bytes, about, of the values of functions that are evaluated at once."""
FEWEST_ROWS, MOST_ROWS = 64, 2048
"""Limits of the number of rows on which monomials are evaluated at once."""
THIN = 8
"""Number of products up to which the longest monomials are not evaluated, to save time."""
MonomialFactors = tuple[int, ...]
"""A monomial in the columns of the table, as the sorted tuple of its factors."""


class Powers:
    """Monomials m for every power of a candidate x, for sets of one size.

    Monomials of each degree are sorted by their last variable, then by the variable before it: so
    monomials in the first members come first, and monomials with a new member last.

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
        # Products with the constant, in place of a second function of x, are included.
        self.products = Halves(n_members + 1, 0, 2 * degree - 1, max_exponent)

    @property
    def all(self) -> range:
        """The powers a of a column x outside the set in products of two functions."""
        return range(1, 2 * self.highest + 1)

    def of(self, power: int) -> Tuples:
        """Return all monomials m that occur in products xᵃm, where a is `power`.

        x is a column outside the selected set; the factors of m are columns of the set.
        """
        return self.products.tuples[2 * self.degree - power]

    def n_ending(self, power: int, variable: int) -> int:
        """Return the number of the monomials `of(power)` whose last factor is `variable`."""
        length = 2 * self.degree - power
        if not length:
            return int(variable == 0)
        return self.products.parents[length - 1][variable]

    @property
    def n_bytes(self) -> int:
        """Memory in bytes of all moments E[xᵃm] of one column x outside the set."""
        return 8 * sum(len(self.of(a)) for a in self.all)

    def find(self, power: int, first: Tuples, second: Tuples) -> IntArray:
        """Return the index of each product of two monomials in the list of monomials `of(power)`.

        Parameters
        ----------
        power : int
            The power a of the candidate x in xᵃm.
        first, second : arrays
            Two lists of monomials. Each monomial of the first is multiplied by each of the second.
        """
        merged = merge_tuples(list(first.T[:, :, np.newaxis]), list(second.T[:, np.newaxis]))
        shape = (len(first), len(second))
        length = 2 * self.degree - power
        tuples = np.empty((*shape, length), dtype=first.dtype)
        for place, symbols in enumerate(merged[len(merged) - length :]):
            tuples[..., place] = symbols
        return self.products.find(tuples.reshape(shape[0] * shape[1], length)).reshape(shape)


@dataclass(frozen=True)
class Known:
    """Stored moments E[xᵃm] of a column x outside the set; factors of m are `members`."""

    members: tuple[Member, ...]
    moments: list[Array]
    """E[xᵃm] for a = 1, 2, ... and all m that `Powers` lists for these members."""

    @cached_property
    def n_bytes(self) -> int:
        """Memory in bytes that the moments take."""
        return sum(each.nbytes for each in self.moments)

    def without_others(self, members: Sequence[Member], stay: Stay) -> Known:
        """Return the moments whose monomials have only factors in `members`.

        Parameters
        ----------
        members : sequence of Member
            The members that stay in the set.
        stay : Stay
            Masks of the moments that stay, from `staying`.
        """
        pairs = zip(self.moments, stay, strict=True)
        return Known(tuple(members), [each[those] for each, those in pairs])

    def extended(self, new: Known) -> Known:
        """Return these moments, followed by the moments `new` with further selected columns."""
        pairs = zip(self.moments, new.moments, strict=True)
        return Known(new.members, [np.concatenate(pair) for pair in pairs])


Stay = list[NDArray[np.bool_]]
"""For each power, True for moments that stay when members leave."""


def staying(powers: Powers, members: Sequence[Member], beginning: Sequence[Member]) -> Stay:
    """Return a mask of moments for each power: True if all factors are members in `beginning`."""
    numbers = {member.number for member in beginning}
    stay = np.array([True, *(member.number in numbers for member in members)])
    return [np.logical_and.reduce(stay[powers.of(a)], axis=1) for a in powers.all]


def sum_monomials(
    rows: Rows,
    powers: Powers,
    members: Sequence[Member],
    waiting: Sequence[tuple[int, int]],
    functions: Sequence[MonomialFactors],
) -> tuple[list[Known], Array]:
    """Read the table once, and return the moments that are not stored, and products with X.

    Parameters
    ----------
    rows : Rows
        The table. Columns have mean 0 and variance 1.
    powers : Powers
        The monomials for the size of the set.
    members : sequence of Member
        The selected columns.
    waiting : sequence of pairs of int
        For each candidate (a column that is not selected), the number of first members whose
        moments are stored (-1 if not even the candidate's own moments are), and its column; sorted
        by these numbers.
    functions : sequence of MonomialFactors
        The functions whose products with all columns are not stored.

    Returns
    -------
    moments : list of Known
        The new moments of each candidate.
    with_x : array of shape (n_functions, n_columns)
        E[fX] of the functions.
    """
    columns = tuple(member.column for member in members)
    work = MonomialWork(powers, columns, tuple(waiting), tuple(functions), rows.n_columns)
    with np.errstate(over="ignore", invalid="ignore"):  # the callers check the sums
        *sums, with_x = rows.sum(work)
    parts: list[list[list[Array]]] = [[[] for _ in powers.all] for _ in waiting]
    each_sum = iter(sums)
    for batch in work.batches:
        for a in powers.all:
            values = next(each_sum)
            for row, (variable, i) in zip(values, batch.tolist(), strict=True):
                parts[i][a - 1].append(row[: powers.n_ending(a, variable)])
    found = [Known(tuple(members), [np.concatenate(each) for each in mine]) for mine in parts]
    return found, with_x


@dataclass(frozen=True)
class MonomialWork(Work):
    """Work that sums moments of candidates with monomials, and products of functions with X.

    See `sum_monomials`, whose parameters it holds.
    """

    powers: Powers
    members: tuple[int, ...]
    waiting: tuple[tuple[int, int], ...]
    functions: tuple[MonomialFactors, ...]
    n_columns: int

    def worker(self, add_product: AddProduct) -> _MonomialWorker:
        """Return a worker whose sums are zero; it multiplies matrices by calling `add_product`."""
        return _MonomialWorker(self, add_product)

    @cached_property
    def batches(self) -> list[IntArray]:
        """Pairs (variable, index of a column outside the set) whose products are not stored.

        The pairs are in batches. Products with the constant only come first, in a batch of their
        own.
        """
        pairs = [
            (variable, i)
            for i, (n, _) in enumerate(self.waiting)
            for variable in range(n + 1, 1 + len(self.members))
        ]
        pairs.sort()
        n_alone = bisect_left(pairs, (1, 0))
        found = [np.array(pairs[:n_alone])] if n_alone else []
        if n := len(pairs) - n_alone:
            found += np.array_split(pairs[n_alone:], -(-n // BATCH))
        return found

    @cached_property
    def longest(self) -> int:
        """Highest degree of the monomials that are evaluated on the rows."""
        is_thin = sum(map(len, self.batches)) <= THIN
        return 2 * self.powers.degree - 2 - is_thin

    @cached_property
    def places(self) -> dict[int, int]:
        """Number of each column as a variable: first columns of the set, then other columns.

        Number 0 is the constant.
        """
        others = {c for each in self.functions for c in each}.union(c for _, c in self.waiting)
        columns = [*self.members, *sorted(others.difference(self.members))]
        return {column: place for place, column in enumerate(columns, start=1)}

    @cached_property
    def candidates(self) -> IntArray:
        """Numbers in `places` of the columns outside the set whose moments are summed."""
        return np.array([self.places[column] for _, column in self.waiting], dtype=np.intp)

    @cached_property
    def factors(self) -> list[tuple[slice, list[list[int]]]]:
        """For each degree, the slice of its functions, and their first, second, ... factors.

        Factors are the numbers in `places`.
        """
        found, start = [], 0
        for _, group in groupby(self.functions, key=len):
            several = list(group)
            stop = start + len(several)
            places = [[self.places[c] for c in each] for each in zip(*several, strict=True)]
            found.append((slice(start, stop), places))
            start = stop
        return found


class _MonomialWorker:
    """Worker that adds the products of each row block to its sums, which are moments in the end.

    The arrays for the values of monomials are reused for the next rows.
    """

    def __init__(self, work: MonomialWork, add_product: AddProduct) -> None:
        self._work = work
        self._add_product = add_product
        self._values: list[Array] = []
        powers = work.powers
        self.sums = [
            np.zeros((len(batch), powers.n_ending(a, batch[-1, 0])))
            for batch in work.batches
            for a in powers.all
        ]
        self.sums.append(np.zeros((len(work.functions), work.n_columns)))

    def __call__(self, item: tuple[int, RowBlock]) -> None:
        """Add one row block, passed as (number of the block, block), to the sums."""
        _, rows = item
        size = 8 * len(self._work.powers.products.tuples[self._work.longest])
        step = min(max(BYTES_AT_ONCE // size, FEWEST_ROWS), MOST_ROWS)
        for piece in pieces(rows, step):
            self._add(piece)

    def _add(self, rows: RowBlock) -> None:
        # np.take releases the lock of the interpreter, indexing does not.
        work = self._work
        z = np.ones((1 + len(work.places), len(rows.root)))
        np.divide(np.take(rows.x, [*work.places], axis=1).T, rows.root, out=z[1:])
        for those, (first, *others) in work.factors:
            functions = np.take(z, first, axis=0)
            functions *= rows.root
            for places in others:
                functions *= np.take(z, places, axis=0)
            self._add_product(self.sums[-1][those], functions, rows.x)
        if work.batches:
            self._add_moments(z, rows.root**2)

    def _add_moments(self, z: Array, weights: Array) -> None:
        """Add the products of candidates with monomials on some rows to the sums.

        Parameters
        ----------
        z : array of shape (n_variables, n_rows)
            The values of the variables, in the order of `MonomialWork.places`.
        weights : array of shape (n_rows,)
            The weights of the rows.
        """
        work, powers = self._work, self._work.powers
        symbols = z[: 1 + len(work.members)]
        values = powers.products.evaluate(symbols, work.longest, self._values)
        self._values = values
        sums = iter(self.sums)
        for batch in work.batches:
            variables, waiting = batch.T
            candidates = np.take(z, work.candidates[waiting], axis=0)
            left = np.take(z, variables, axis=0)
            left *= weights
            for a in powers.all:
                left *= candidates
                moments = next(sums)
                # Monomials that end with a variable are this variable times shorter monomials.
                length, n = max(0, 2 * powers.degree - a - 1), moments.shape[1]
                if length < len(values):
                    self._add_product(moments, left, values[length][:n].T)
                else:
                    for mine, each in zip(moments, left, strict=True):
                        mine += self._put_together(symbols * each, values[-1])[:n]

    def _put_together(self, last: Array, shorter: Array) -> Array:
        """Return sums over rows of the longest monomials, which are not evaluated themselves.

        Parameters
        ----------
        last : array of shape (n_variables, n_rows)
            The last factor of the monomials, times the candidate and the weights.
        shorter : array of shape (n_monomials, n_rows)
            The values of the monomials without the last factor.
        """
        parents = self._work.powers.products.parents[self._work.longest]
        products = np.zeros((len(last), len(shorter)))
        self._add_product(products, last, shorter.T)
        return np.concatenate([row[:n] for row, n in zip(products, parents, strict=True)])
