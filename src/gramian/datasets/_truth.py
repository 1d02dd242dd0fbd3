"""What was planted in a synthetic table, and the drawing of it."""

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
        Where it is.
    coefficient : float
        What the product is multiplied by (k_i in the paper).
    factors : tuple of int
        The columns that are multiplied; one that occurs twice is squared.

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
    """What was planted in a synthetic data set.

    "Columns" are those of X, unless X was rotated: then they are the components along the
    directions in `rotation`, which :meth:`columns` returns.

    Attributes
    ----------
    informative : array of shape (n_informative,)
        The columns that are mutually independent, in increasing order.
    variances : array of shape (n_informative,)
        The variances of the distributions that they were drawn from.
    products : tuple of Product
        How each of the other columns was computed.
    degree : int
        The degree of the multilinear polynomials that the paper uses on such data.
    threshold : float or None
        The variance below which a column is redundant, by the rule in the paper's text, or None
        where the text has no rule.
    noise : array of shape (n_samples, n_products) or None
        What was added to each product, in the order of `products`.
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
        """The columns that are products of others, in increasing order."""
        return np.sort(np.array([each.column for each in self.products], dtype=np.intp))

    def columns(self, X: ArrayLike) -> Array:
        """Undo the rotation of the columns, if there was one.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The data as the generator returned them.

        Returns
        -------
        columns : array of shape (n_samples, n_features)
            The columns of which the formulas in `products` hold.
        """
        columns = np.asarray(X, dtype=np.float64)
        return columns if self.rotation is None else columns @ self.rotation.T

    def recompute(self, X: ArrayLike) -> Array:
        """Compute the redundant columns from the informative ones and the noise.

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
    """Draw sets of 0, …, n - 1, all sets of the given size being equally likely."""
    total = math.comb(n, degree)
    if total == 0:
        raise ValueError(
            f"products of {degree} distinct columns need at least as many informative ones; "
            f"got n_informative={n}."
        )
    if distinct and count > total:
        raise ValueError(
            f"there are only {total} distinct products of {n} informative columns for "
            f"{count} redundant ones; have fewer of them, or let products recur."
        )
    drawn: list[tuple[int, ...]] = []
    while len(drawn) < count:
        rng.random_sample()  # not used: a seed goes on giving the table that it always gave
        factors = tuple(sorted(rng.choice(n, degree, replace=False).tolist()))
        if not distinct or factors not in drawn:
            drawn.append(factors)
    return drawn


def place(columns: Array, truth: Truth, order: IntArray) -> tuple[Array, Truth]:
    """Move column i to place order[i], in the data and in what is known of them."""
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
