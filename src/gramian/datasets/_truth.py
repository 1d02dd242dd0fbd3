"""Truth about a synthetic table: its informative columns, and formulas of the others."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from gramian._support.types import Array, IntArray


@dataclass(frozen=True)
class Product:
    """One redundant column: a multiple of a product of informative columns.

    Attributes
    ----------
    column : int
        Index of the redundant column.
    coefficient : float
        Factor of the product (k_i in the paper).
    factors : tuple of int
        Indices of the columns that are multiplied. A column that occurs twice is squared.

    Examples
    --------
    >>> from gramian.datasets import make_planted_redundancy
    >>> _, truth = make_planted_redundancy(100, 6, 4, random_state=0)
    >>> product = truth.products[0]
    >>> all(factor in truth.informative for factor in product.factors)
    True
    """

    column: int
    coefficient: float
    factors: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Truth:
    """Truth about a synthetic table: its informative columns, and formulas of the others.

    Columns are the columns of X. If X was rotated, columns are the components of X along the
    directions in `rotation`, which :meth:`columns` returns.

    Attributes
    ----------
    informative : array of shape (n_informative,)
        Indices of the mutually independent columns, in increasing order.
    variances : array of shape (n_informative,)
        Variances of the distributions of the informative columns.
    products : tuple of Product
        Formulas of the redundant columns.
    degree : int
        The degree of the multilinear polynomials that the paper uses on such data.
    threshold : float or None
        Variance below which a column is redundant by the rule in the paper's text; None if the
        text has no rule.
    noise : array of shape (n_samples, n_products) or None
        Noise that was added to each product, in the order of `products`.
    rotation : array of shape (n_features, n_features) or None
        Orthonormal directions by rows (ρ_i in the paper), for the parameter `basis` of
        :class:`~gramian.GCA`.

    Examples
    --------
    >>> from gramian.datasets import make_planted_redundancy
    >>> X, truth = make_planted_redundancy(100, 4, 3, random_state=0)
    >>> truth.informative, truth.redundant
    (array([1, 2, 3]), array([0]))
    >>> truth.products[0].factors
    (2, 3)
    >>> bool(abs(X[:, [0]] - truth.recompute(X)).max() < 1e-12)
    True
    """

    informative: IntArray
    variances: Array
    products: tuple[Product, ...]
    degree: int
    threshold: float | None = None
    noise: Array | None = None
    rotation: Array | None = None

    @property
    def redundant(self) -> IntArray:
        """Indices of the redundant columns, in increasing order."""
        return np.sort(np.array([each.column for each in self.products], dtype=np.intp))

    def columns(self, X: ArrayLike) -> Array:
        """Undo the rotation of X; without a rotation, return X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The data as the generator returned them.

        Returns
        -------
        columns : array of shape (n_samples, n_features)
            The columns for which the formulas in `products` hold.
        """
        columns = np.asarray(X, dtype=np.float64)
        return columns if self.rotation is None else columns @ self.rotation.T

    def recompute(self, X: ArrayLike) -> Array:
        """Compute the redundant columns from the informative columns and the noise.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The data as the generator returned them.

        Returns
        -------
        redundant : array of shape (n_samples, n_products)
            A column for each product, in the order of `products`.
        """
        columns = self.columns(X)
        redundant = np.empty((len(columns), len(self.products)))
        for i, each in enumerate(self.products):
            redundant[:, i] = each.coefficient * columns[:, list(each.factors)].prod(axis=1)
        return redundant if self.noise is None else redundant + self.noise


def draw_factors(
    rng: np.random.RandomState, n: int, degree: int, count: int, *, distinct: bool
) -> list[tuple[int, ...]]:
    """Draw sets of `degree` numbers from 0 to n - 1; all sets are equally likely."""
    total = math.comb(n, degree)
    if total == 0:
        raise ValueError(
            f"products of {degree} distinct columns need at least {degree} informative columns; "
            f"got n_informative={n}."
        )
    if distinct and count > total:
        raise ValueError(
            f"there are only {total} distinct products of {n} informative columns for "
            f"{count} redundant columns; ask for fewer columns, or set distinct=False."
        )
    drawn: list[tuple[int, ...]] = []
    while len(drawn) < count:
        rng.random_sample()  # not used: keeps the tables of earlier versions for each seed
        factors = tuple(sorted(rng.choice(n, degree, replace=False).tolist()))
        if not distinct or factors not in drawn:
            drawn.append(factors)
    return drawn


def place(columns: Array, truth: Truth, order: IntArray) -> tuple[Array, Truth]:
    """Move column i to place order[i], in the data and in the truth."""
    moved = np.empty_like(columns)
    moved[:, order] = columns
    informative = order[truth.informative]
    rank = np.argsort(informative)
    products = tuple(
        Product(
            int(order[each.column]),
            each.coefficient,
            tuple(sorted(int(order[i]) for i in each.factors)),
        )
        for each in truth.products
    )
    return moved, replace(
        truth,
        informative=informative[rank],
        variances=truth.variances[rank],
        products=products,
    )
