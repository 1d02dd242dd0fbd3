"""Families whose functions are products of functions of one variable each (atoms)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from functools import partial
from numbers import Real

import numpy as np

from gramian._support.types import Array
from gramian.exceptions import TooManyLevelsError
from gramian.families._expansion import AtomBasis, LevelsOf, Products
from gramian.families._family import Family, check_count

Z = ("z",)
"""Key of the atom z (the variable itself), which is the first atom of every basis."""
CANCELLATION = 1e-14
"""A difference is set to zero if it is at most this share of its terms, because it is only rounding
error."""


def _slope_of_z() -> Array:
    return np.array([[1.0, 0.0]])


@dataclass(frozen=True)
class _Functions:
    """Basis of atoms (functions of one variable), defined by their keys, degrees and values."""

    keys: tuple[Hashable, ...]
    degrees: tuple[int, ...]
    evaluate: Callable[[Array], Array]
    differentiate: Callable[[], Array] | None = field(default=None, compare=False)
    """Function that returns the matrix `derivative`; None if the atoms have no derivatives. The
    matrix is computed only on request, because it has about n_atoms² entries."""

    @property
    def derivative(self) -> Array | None:
        """The matrix D with ``atoms' = D @ [1, *atoms]``; None if there are no derivatives.

        Atoms are functions of one variable.
        """
        return None if self.differentiate is None else self.differentiate()


class ProductFamily(Family):
    """Base class of families of products, up to a total degree and a number of variables.

    The factors of the products are functions of one variable each.
    """

    degree: int | None
    max_variables: int | None

    @abstractmethod
    def _basis(self) -> AtomBasis: ...

    def rules(self) -> tuple[Products, ...]:
        """Check the parameters, and return the rule that produces the products of the family."""
        check_count(self, "degree")
        check_count(self, "max_variables", none="any number of variables in a product")
        basis = self._basis()
        return (Products(lambda _: basis, self.degree, self.max_variables),)


class Multilinear(Family):
    """Products of up to `degree` distinct variables, each to the first power.

    The experiments of the paper use this family. With degree 1, its functions are linear, and GFR
    equals PCA.

    Parameters
    ----------
    degree : int or None, default=2
        The largest number of variables in a product; None for all ``2**m`` products of m
        variables.

    Examples
    --------
    >>> from gramian.families import Multilinear
    >>> Multilinear(3).count(10)
    175
    """

    def __init__(self, degree: int | None = 2) -> None:
        self.degree = degree

    def rules(self) -> tuple[Products, ...]:
        """Check the parameters, and return the rule that produces the products of the family."""
        check_count(self, "degree", none="all products")
        linear = _Functions((Z,), (1,), np.atleast_2d, _slope_of_z)
        return (Products(lambda _: linear, self.degree, highest_power=1),)


class _Polynomials(ProductFamily):
    """Base class of families of products of polynomials, of total degree at most `degree`."""

    def __init__(self, degree: int = 2, *, max_variables: int | None = None) -> None:
        self.degree = degree
        self.max_variables = max_variables

    def _basis(self) -> AtomBasis:
        assert self.degree is not None
        degrees = tuple(range(1, self.degree + 1))
        keys = (Z, *((type(self).__name__, degree) for degree in degrees[1:]))
        return _Functions(keys, degrees, self._evaluate, self._derivative)

    def _evaluate(self, z: Array) -> Array:
        """Return the values of the polynomials of degree 1 to `degree`, one row per polynomial."""
        assert self.degree is not None
        values = np.empty((self.degree, len(z)))
        values[0] = z
        before = np.ones_like(z)
        for n in range(1, self.degree):
            a, b = self._recurrence(n)
            np.multiply(a * z, values[n - 1], out=values[n])
            if b:
                least = CANCELLATION * np.abs(values[n])
                values[n] -= b * before
                values[n][np.abs(values[n]) <= least] = 0.0  # rounding error, not a function
            before = values[n - 1]
        return values

    def _derivative(self) -> Array:
        """Return the matrix that maps (p_0, p_1, ...) to the derivatives (p_1', p_2', ...)."""
        assert self.degree is not None
        d = self.degree
        times_z = np.zeros((d + 1, d + 1))  # z p_n as a combination of p_0, p_1, ...
        times_z[0, 1] = 1.0
        for n in range(1, d):
            a, b = self._recurrence(n)
            times_z[n, n + 1], times_z[n, n - 1] = 1 / a, b / a
        slopes = np.zeros((d + 1, d + 1))
        slopes[1, 0] = 1.0
        for n in range(1, d):
            # p_{n+1}' = a p_n + a z p_n' - b p_{n-1}'
            a, b = self._recurrence(n)
            slopes[n + 1] = a * slopes[n] @ times_z - b * slopes[n - 1]
            slopes[n + 1, n] += a
        return slopes[1:]

    @abstractmethod
    def _recurrence(self, n: int) -> tuple[float, float]:
        """Return a, b of ``p_{n+1} = a z p_n - b p_{n-1}``, with ``p_0 = 1`` and ``p_1 = z``."""


class Polynomial(_Polynomials):
    """All monomials of total degree up to `degree`.

    Parameters
    ----------
    degree : int, default=2
        The largest total degree of a product.
    max_variables : int or None, default=None
        The largest number of distinct variables in a product: 1 for an additive family, None for
        any number.

    See Also
    --------
    Hermite, Legendre : Families with equal spans, more accurate numerically from degree 3 on.

    Examples
    --------
    >>> from gramian.families import Polynomial
    >>> Polynomial(2).count(3), Polynomial(2, max_variables=1).count(3)
    (9, 6)
    """

    def rules(self) -> tuple[Products, ...]:
        """Check the parameters, and return the rule that produces the products of the family."""
        (rule,) = super().rules()
        return (replace(rule, highest_power=self.degree),)

    def _recurrence(self, n: int) -> tuple[float, float]:
        return 1.0, 0.0


class Hermite(_Polynomials):
    """Polynomials up to total degree `degree` as products of Hermite polynomials.

    The functions are orthonormal if the variables are independent and standard normal.

    Parameters
    ----------
    degree : int, default=2
        The largest total degree of a product.
    max_variables : int or None, default=None
        The largest number of distinct variables in a product: 1 for an additive family, None for
        any number.

    Examples
    --------
    >>> from gramian.families import Hermite
    >>> Hermite(3).count(2)
    9
    """

    def _recurrence(self, n: int) -> tuple[float, float]:
        # He_{n+1} = z He_n - n He_{n-1}, each divided by the square root of its factorial
        return (n + 1) ** -0.5, (n / (n + 1)) ** 0.5


class Legendre(_Polynomials):
    """Polynomials up to total degree `degree` as products of Legendre polynomials.

    The functions are orthonormal if the variables are independent and uniformly distributed with
    variance 1, on the interval from -√3 to √3. Outside this interval, they grow like other
    polynomials.

    Parameters
    ----------
    degree : int, default=2
        The largest total degree of a product.
    max_variables : int or None, default=None
        The largest number of distinct variables in a product: 1 for an additive family, None for
        any number.

    Examples
    --------
    >>> from gramian.families import Legendre
    >>> Legendre(3).count(2)
    9
    """

    def _recurrence(self, n: int) -> tuple[float, float]:
        # (n+1) P_{n+1} = (2n+1) x P_n - n P_{n-1}, x = z/√3, each times √(2n+1)
        grow = ((2 * n + 3) / (2 * n + 1)) ** 0.5
        a = grow * (2 * n + 1) / (n + 1) / 3**0.5
        b = ((2 * n + 3) / (2 * n - 1)) ** 0.5 * n / (n + 1)
        return a, b


class Fourier(ProductFamily):
    """Trigonometric polynomials: products of sines and cosines, and the variables themselves.

    The factors of products are ``sin(k w z)`` and ``cos(k w z)`` for k = 1, 2, ...; the frequencies
    k of a product add up to at most `degree`. The variable z itself belongs to the family, but is
    not a factor of products.

    Parameters
    ----------
    degree : int, default=1
        The largest total frequency of a product.
    max_variables : int or None, default=None
        The largest number of distinct variables in a product: 1 for an additive family, None for
        any number.
    frequency : float, default=1.0
        The base frequency w, for variables of variance 1.

    Examples
    --------
    >>> from gramian.families import Fourier
    >>> Fourier(2).count(2)
    14
    """

    def __init__(
        self, degree: int = 1, *, max_variables: int | None = None, frequency: float = 1.0
    ) -> None:
        self.degree = degree
        self.max_variables = max_variables
        self.frequency = frequency

    def rules(self) -> tuple[Products, ...]:
        """Check the parameters, and return the rule that produces the products of the family."""
        if not isinstance(self.frequency, Real) or not 0 < self.frequency < np.inf:
            raise ValueError(
                f"frequency of Fourier must be a positive number; got {self.frequency!r}."
            )
        (rule,) = super().rules()
        return (replace(rule, z_stands_alone=True),)

    def _basis(self) -> AtomBasis:
        assert self.degree is not None
        k = range(1, self.degree + 1)
        keys = [(trig, n * self.frequency) for n in k for trig in ("sin", "cos")]
        degrees = [n for n in k for _ in range(2)]
        return _Functions((Z, *keys), (1, *degrees), self._evaluate, self._derivative)

    def _evaluate(self, z: Array) -> Array:
        assert self.degree is not None
        angles = np.multiply.outer(self.frequency * np.arange(1, self.degree + 1), z)
        values = np.empty((2 * self.degree + 1, len(z)))
        values[0] = z
        np.sin(angles, out=values[1::2])
        np.cos(angles, out=values[2::2])
        return values

    def _derivative(self) -> Array:
        """Return the matrix that maps (1, z, sin, cos, ...) to the derivatives of (z, sin, ...)."""
        assert self.degree is not None
        slopes = np.zeros((2 * self.degree + 1, 2 * self.degree + 2))
        slopes[0, 0] = 1.0
        for k in range(1, self.degree + 1):
            sine, cosine = 2 * k - 1, 2 * k
            slopes[sine, 1 + cosine] = k * self.frequency
            slopes[cosine, 1 + sine] = -k * self.frequency
        return slopes


class Indicator(Family):
    """Indicators of the values of discrete variables, and products of these indicators.

    This family is for categorical or discrete columns; with ``degree=None``, it contains all
    functions of the selected variables. Use it with GFS and GFA. It does not suit GFR, whose
    variables are linear combinations of columns and rarely have few distinct values.

    Parameters
    ----------
    degree : int or None, default=2
        The largest number of distinct variables in a product; None for any number.
    max_levels : int, default=32
        The largest number of distinct values of a variable; if a variable has more, an error is
        raised.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian import GFA
    >>> from gramian.families import Indicator
    >>> rng = np.random.default_rng(0)
    >>> a, b = rng.integers(0, 4, (2, 500))
    >>> X = np.column_stack([3 * a, 2 * b, (a + b) % 4])
    >>> GFA(family=Indicator(2), laws=False).fit(X).redundant_features_
    array([2])
    """

    def __init__(self, degree: int | None = 2, *, max_levels: int = 32) -> None:
        self.degree = degree
        self.max_levels = max_levels

    def rules(self) -> tuple[Products, ...]:
        """Check the parameters, and return the rule that produces the products of the family."""
        check_count(self, "degree", none="any number of variables")
        check_count(self, "max_levels")
        return (Products(self._basis, max_variables=self.degree, z_stands_alone=True),)

    def _basis(self, levels_of: LevelsOf) -> AtomBasis:
        levels = levels_of(self.max_levels)
        if len(levels) > self.max_levels:
            raise TooManyLevelsError(self.max_levels)
        middles = (levels[1:] + levels[:-1]) / 2
        keys = (Z, *(("level", level) for level in levels[1:]))
        return _Functions(keys, (1,) * len(keys), partial(_indicate, middles))


def _indicate(middles: Array, z: Array) -> Array:
    """Return the values of z, then of the indicators of all distinct values except the first.

    `middles` are the midpoints between neighbouring distinct values.
    """
    cell = np.searchsorted(middles, z)
    # The indicator of the first level is the constant 1 minus the other indicators: redundant.
    indicators = cell == np.arange(1, len(middles) + 1)[:, np.newaxis]
    return np.vstack([z, indicators])


BY_NAME: dict[str, Callable[..., Family]] = {
    "multilinear": Multilinear,
    "polynomial": Polynomial,
    "hermite": Hermite,
    "legendre": Legendre,
    "fourier": Fourier,
    "indicator": Indicator,
}
"""Families that estimators accept by name; each is created with one argument, the degree."""


def by_name(name: str, degree: int | None) -> Family:
    """Return the family that has the given name and degree.

    Parameters
    ----------
    name : str
        One of the keys of `BY_NAME`: "multilinear", "polynomial", "hermite", "legendre", "fourier"
        or "indicator".
    degree : int or None
        The parameter `degree` of the family. None, for any number of variables in a product, is
        allowed for "multilinear" and "indicator".

    Returns
    -------
    family : Family
        The family.

    Examples
    --------
    >>> from gramian.families import by_name
    >>> by_name("fourier", 2)
    Fourier(2)
    """
    return BY_NAME[name](degree)
