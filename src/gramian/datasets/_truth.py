"""Truth about a synthetic table: its informative columns, and formulas of redundant columns."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from gramian._support.types import Array, IntArray


@dataclass(frozen=True)
class Product:
    """Formula of one redundant column: a coefficient times a product of informative columns.

    Attributes
    ----------
    column : int
        Index of the redundant column.
    coefficient : float
        Number by which the product is multiplied (k_i in the paper).
    factors : tuple of int
        Indices of the columns that are multiplied. An index that occurs twice stands for a square.

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
    """Truth about a synthetic table X: its informative columns, and formulas of redundant columns.

    All indices are indices of columns of X. If X was rotated, they are indices of columns of
    ``truth.columns(X)``, which undoes the rotation.

    Attributes
    ----------
    informative : array of shape (n_informative,)
        Indices of the mutually independent columns, in increasing order.
    variances : array of shape (n_informative,)
        Variances of the distributions from which the informative columns were drawn.
    products : tuple of Product
        Formulas of the redundant columns.
    degree : int
        The degree of the multilinear polynomials to fit to these data, as in the paper.
    threshold : float or None
        The threshold that the paper recommends: a column with less residual variance is redundant.
        None if the paper recommends none.
    noise : array of shape (n_samples, n_products) or None
        Noise that was added to each product, in the order of `products`; None without noise.
    rotation : array of shape (n_features, n_features) or None
        Orthonormal directions, one in each row (ρ_i in the paper), for the parameter `basis` of
        :class:`~gramian.GCA`; None if X was not rotated.

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
        """Return X with its rotation undone; return X itself if it was not rotated.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The table as the generator returned it.

        Returns
        -------
        columns : array of shape (n_samples, n_features)
            The columns to which the indices and formulas in `products` refer.
        """
        columns = np.asarray(X, dtype=np.float64)
        return columns if self.rotation is None else columns @ self.rotation.T

    def recompute(self, X: ArrayLike) -> Array:
        """Compute the redundant columns from the informative columns and the noise.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The table as the generator returned it.

        Returns
        -------
        redundant : array of shape (n_samples, n_products)
            The redundant columns, in the order of `products`.
        """
        columns = self.columns(X)
        redundant = np.empty((len(columns), len(self.products)))
        for i, each in enumerate(self.products):
            redundant[:, i] = each.coefficient * columns[:, list(each.factors)].prod(axis=1)
        return redundant if self.noise is None else redundant + self.noise


def draw_factors(
    rng: np.random.RandomState, n: int, degree: int, count: int, *, distinct: bool
) -> list[tuple[int, ...]]:
    """Draw `count` sets of factors: each set has `degree` different column indices below n.

    All sets are equally likely. If `distinct` is True, no set is drawn twice.
    """
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
        rng.random_sample()  # unused number: with it, each seed makes the table of earlier versions
        factors = tuple(sorted(rng.choice(n, degree, replace=False).tolist()))
        if not distinct or factors not in drawn:
            drawn.append(factors)
    return drawn


def place(columns: Array, truth: Truth, order: IntArray) -> tuple[Array, Truth]:
    """Move column i to position order[i]; return the moved columns, and the truth about them."""
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
