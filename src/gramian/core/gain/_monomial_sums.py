"""Sums over rows of the moments E[xᵃm] of candidates x with monomials m in members of a set."""

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
        """The powers of x in products of two functions."""
        return range(1, 2 * self.highest + 1)

    def of(self, power: int) -> Tuples:
        """Return the monomials m of products xᵃm."""
        return self.products.tuples[2 * self.degree - power]

    def n_ending(self, power: int, variable: int) -> int:
        """Return the number of monomials m of products xᵃm that end with a variable."""
        length = 2 * self.degree - power
        if not length:
            return int(variable == 0)
        return self.products.parents[length - 1][variable]

    @property
    def n_bytes(self) -> int:
        """Memory of one candidate's moments in bytes."""
        return 8 * sum(len(self.of(a)) for a in self.all)

    def find(self, power: int, first: Tuples, second: Tuples) -> IntArray:
        """Return the places of all products of two lists of monomials among the moments of xᵃ."""
        merged = merge_tuples(list(first.T[:, :, np.newaxis]), list(second.T[:, np.newaxis]))
        shape = (len(first), len(second))
        length = 2 * self.degree - power
        tuples = np.empty((*shape, length), dtype=first.dtype)
        for place, symbols in enumerate(merged[len(merged) - length :]):
            tuples[..., place] = symbols
        return self.products.find(tuples.reshape(shape[0] * shape[1], length)).reshape(shape)


@dataclass(frozen=True)
class Known:
    """Moments of a candidate with the monomials of some members."""

    members: tuple[Member, ...]
    moments: list[Array]
    """E[xᵃm] for a = 1, 2, ... and all m that `Powers` lists for these members."""

    @cached_property
    def n_bytes(self) -> int:
        """Memory in bytes."""
        return sum(each.nbytes for each in self.moments)

    def without_others(self, members: Sequence[Member], stay: Stay) -> Known:
        """Return the moments with the monomials of fewer members.

        Parameters
        ----------
        members : sequence of Member
            The members that stay.
        stay : Stay
            The moments that stay, see `staying`.
        """
        pairs = zip(self.moments, stay, strict=True)
        return Known(tuple(members), [each[those] for each, those in pairs])

    def extended(self, new: Known) -> Known:
        """Return these moments, followed by new moments."""
        pairs = zip(self.moments, new.moments, strict=True)
        return Known(new.members, [np.concatenate(pair) for pair in pairs])


Stay = list[NDArray[np.bool_]]
"""For each power, True for moments that stay when members leave."""


def staying(powers: Powers, members: Sequence[Member], beginning: Sequence[Member]) -> Stay:
    """Return masks of the moments that stay if only the members in `beginning` stay."""
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
    """Read the table once, and return missing moments of candidates and products with X.

    Parameters
    ----------
    rows : Rows
        The table. Columns have mean 0 and variance 1.
    powers : Powers
        The monomials for the size of the set.
    members : sequence of Member
        The set.
    waiting : sequence of pairs of int
        For each candidate, the number of first members whose moments are stored (-1 if not even
        the candidate's own moments are), and its column; sorted by these numbers.
    functions : sequence of MonomialFactors
        The functions whose products with all columns are missing.

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
    """Sum products of candidates with monomials, and of functions with X."""

    powers: Powers
    members: tuple[int, ...]
    waiting: tuple[tuple[int, int], ...]
    functions: tuple[MonomialFactors, ...]
    n_columns: int

    def worker(self, add_product: AddProduct) -> _MonomialWorker:
        """Return a worker that begins at zero."""
        return _MonomialWorker(self, add_product)

    @cached_property
    def batches(self) -> list[IntArray]:
        """Pairs of a variable and a candidate whose products are missing, in batches.

        Products of candidates with the constant only come first, in a batch of their own.
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
        """Degree of the longest monomials that are evaluated."""
        is_thin = sum(map(len, self.batches)) <= THIN
        return 2 * self.powers.degree - 2 - is_thin

    @cached_property
    def places(self) -> dict[int, int]:
        """Places of columns among the variables: the constant, then members, then others."""
        others = {c for each in self.functions for c in each}.union(c for _, c in self.waiting)
        columns = [*self.members, *sorted(others.difference(self.members))]
        return {column: place for place, column in enumerate(columns, start=1)}

    @cached_property
    def candidates(self) -> IntArray:
        """Places of the candidates among the variables."""
        return np.array([self.places[column] for _, column in self.waiting], dtype=np.intp)

    @cached_property
    def factors(self) -> list[tuple[slice, list[list[int]]]]:
        """Groups of functions of one degree, with the places of first, second, ... factors."""
        found, start = [], 0
        for _, group in groupby(self.functions, key=len):
            several = list(group)
            stop = start + len(several)
            places = [[self.places[c] for c in each] for each in zip(*several, strict=True)]
            found.append((slice(start, stop), places))
            start = stop
        return found


class _MonomialWorker:
    """Adds row blocks to moments; the buffer for values of monomials is used again."""

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
        """Add a row block, given with its number."""
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
        """Add the products of candidates with monomials."""
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
        """Return sums of the longest monomials, from shorter monomials and weighted symbols."""
        parents = self._work.powers.products.parents[self._work.longest]
        products = np.zeros((len(last), len(shorter)))
        self._add_product(products, last, shorter.T)
        return np.concatenate([row[:n] for row, n in zip(products, parents, strict=True)])
