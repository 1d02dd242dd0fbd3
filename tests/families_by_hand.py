"""The function families written out by hand, to check the library's against.

Each factory returns ``new_functions``: ``new_functions(j)``, j = 1, 2, ..., lists the functions
that use z_j and otherwise only z_1, ..., z_{j-1}, with z_j itself first. A function takes the list
Z of j arrays of shape (N,) and returns an array (N,); only `indicator`, whose number of functions
depends on the data, returns blocks (k, N). ``np.vstack([f(Z) for f in new_functions(j)])`` holds
them all, one a row. Variables are indexed from 0 here: z_j is ``Z[j - 1]``.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.special import eval_hermitenorm, eval_legendre

Array = NDArray[np.float64]
Function = Callable[[list[Array]], Array]
NewFunctions = Callable[[int], list[Function]]
Atom = Callable[[Array], Array]

LEVEL_TOLERANCE = 1e-9


def the_variable(j: int) -> Function:
    """Return the function z_j."""
    return lambda Z: Z[j - 1]


def product_of(atoms: dict[int, Atom]) -> Function:
    """Return the product over variables i of ``atoms[i](z_i)``."""
    return lambda Z: np.prod([atom(Z[i]) for i, atom in atoms.items()], axis=0)


def subsets(j: int, most: float) -> Iterator[tuple[int, ...]]:
    """Yield the sets of at most `most` variables that hold z_j, by size."""
    for size in range(1, int(min(most, j)) + 1):
        for others in itertools.combinations(range(j - 1), size - 1):
            yield (*others, j - 1)


def exponents(j: int, degree: int, max_variables: int | None) -> Iterator[dict[int, int]]:
    """Yield {variable: exponent >= 1} holding z_j, by total degree, up to `degree`."""
    for total in range(1, degree + 1):
        for rest in itertools.combinations_with_replacement(range(j), total - 1):
            powers = Counter((*rest, j - 1))
            if max_variables is None or len(powers) <= max_variables:
                yield dict(powers)


def smallest(*limits: int | None) -> float:
    """Return the smallest limit; None means no limit."""
    return min((limit for limit in limits if limit is not None), default=math.inf)


def multilinear(degree: int | None = None, max_variables: int | None = None) -> NewFunctions:
    """All products of 1 to `degree` distinct variables."""

    def new_functions(j: int) -> list[Function]:
        return [
            product_of({i: lambda z: z for i in S})
            for S in subsets(j, smallest(degree, max_variables))
        ]

    return new_functions


def _products(atom: Callable[[int], Atom], degree: int, max_variables: int | None) -> NewFunctions:
    """All products over variables of ``atom(a)(z)``, the sum of the a at most `degree`."""

    def new_functions(j: int) -> list[Function]:
        return [
            product_of({i: atom(a) for i, a in powers.items()})
            for powers in exponents(j, degree, max_variables)
        ]

    return new_functions


def polynomial(degree: int, max_variables: int | None = None) -> NewFunctions:
    """All monomials of total degree at most `degree`."""
    return _products(lambda a: lambda z: z**a, degree, max_variables)


def hermite(degree: int, max_variables: int | None = None) -> NewFunctions:
    """All products of He_a(z) / sqrt(a!), orthonormal for independent normal variables."""
    return _products(
        lambda a: lambda z: eval_hermitenorm(a, z) / math.sqrt(math.factorial(a)),
        degree,
        max_variables,
    )


def legendre(degree: int, max_variables: int | None = None) -> NewFunctions:
    """All products of sqrt(2a + 1) P_a(z / sqrt(3)), orthonormal for uniform variables."""
    return _products(
        lambda a: lambda z: math.sqrt(2 * a + 1) * eval_legendre(a, z / math.sqrt(3)),
        degree,
        max_variables,
    )


def fourier(degree: int, max_variables: int | None = None) -> NewFunctions:
    """z_j, and all products of sin(kz) or cos(kz), one a variable, the sum of the k <= `degree`."""

    def wave(sin_or_cos: Callable[[Array], Array], k: int) -> Atom:
        return lambda z: sin_or_cos(k * z)

    def new_functions(j: int) -> list[Function]:
        functions = [the_variable(j)]
        for frequencies in exponents(j, degree, max_variables):
            for waves in itertools.product((np.sin, np.cos), repeat=len(frequencies)):
                atoms = zip(frequencies.items(), waves, strict=True)
                functions.append(product_of({i: wave(s, k) for (i, k), s in atoms}))
        return functions

    return new_functions


def levels(z: Array) -> list[float]:
    """Return the distinct values of z in increasing order; values closer than 1e-9 are one."""
    found: list[float] = []
    for value in sorted(z.tolist()):
        if not found or value > found[-1] + LEVEL_TOLERANCE:
            found.append(value)
    return found


def indicator(degree: int | None = None, max_variables: int | None = None) -> NewFunctions:
    """z_j, and all products over at most `degree` variables of 1[z = a], a not the smallest level.

    One block of functions for each set of variables.
    """

    def block(S: tuple[int, ...]) -> Function:
        def indicators(Z: list[Array]) -> Array:
            rows = []
            for chosen in itertools.product(*(levels(Z[i])[1:] for i in S)):
                row = np.ones(len(Z[0]))
                for i, a in zip(S, chosen, strict=True):
                    row = row * ((a <= Z[i]) & (Z[i] <= a + LEVEL_TOLERANCE))
                rows.append(row)
            return np.array(rows).reshape(-1, len(Z[0]))

        return indicators

    def new_functions(j: int) -> list[Function]:
        most = smallest(degree, max_variables)
        return [the_variable(j), *(block(S) for S in subsets(j, most))]

    return new_functions


def custom(functions: list[tuple[Callable[..., Array], int]]) -> NewFunctions:
    """z_j, and each (function, arity k) at every set of k variables that holds z_j.

    The function is called with k arrays, in the order of the variables.
    """

    def applied(function: Callable[..., Array], S: tuple[int, ...]) -> Function:
        return lambda Z: function(*(Z[i] for i in S))

    def new_functions(j: int) -> list[Function]:
        return [
            the_variable(j),
            *(
                applied(function, (*others, j - 1))
                for function, arity in functions
                for others in itertools.combinations(range(j - 1), arity - 1)
            ),
        ]

    return new_functions


def union(*families: NewFunctions) -> NewFunctions:
    """z_j, and then all other functions of each family; repeated functions may remain."""

    def new_functions(j: int) -> list[Function]:
        others = (f for family in families for f in family(j)[1:])
        return [the_variable(j), *others]

    return new_functions
