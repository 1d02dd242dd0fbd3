"""Synthetic data of the paper: data with labels, and the example of its appendix."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from gramian.datasets import Product, Truth
from gramian_paper._sklearn import Interval, StrOptions, validate_parameter_constraints
from gramian_paper._types import Array, IntArray

LABELS = {"ltf": 1, "ptf": 3}
"""Numbers of linear factors in the paper's linear and polynomial threshold functions."""

CONSTRAINTS: dict[str, list[Any]] = {
    "n_samples": [Interval(Integral, 2, None, closed="left")],
    "n_features": [Interval(Integral, 2, None, closed="left")],
    "n_informative": [Interval(Integral, 1, None, closed="left")],
    "labels": [StrOptions(set(LABELS)), Interval(Integral, 1, None, closed="left")],
    "variances": [tuple],
    "shuffle": ["boolean"],
    "random_state": ["random_state"],
}


@dataclass(frozen=True, eq=False, kw_only=True)
class LabelledTruth(Truth):
    """Planted structure of synthetic data with labels.

    Attributes
    ----------
    label_weights : array of shape (n_label_factors, 1 + n_informative)
        The constant and the weights of the informative columns in each linear factor of the
        function whose sign is the label.
    mean, deviation : array of shape (n_features,) or None
        What standardization subtracted and divided by.

    Examples
    --------
    >>> from gramian_paper.datasets import make_labelled_products
    >>> truth = make_labelled_products(100, random_state=0)[2]
    >>> truth.label_weights.shape
    (3, 11)
    """

    label_weights: Array
    mean: Array | None = None
    deviation: Array | None = None

    def columns(self, X: ArrayLike) -> Array:
        """Undo standardization, if there was one.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The data as the generator returned them.

        Returns
        -------
        columns : array of shape (n_samples, n_features)
            The columns of which the formulas in `products` hold.
        """
        columns = super().columns(X)
        if self.mean is None or self.deviation is None:
            return columns
        return columns * self.deviation + self.mean


def make_labelled_products(
    n_samples: int = 1000,
    n_features: int = 20,
    n_informative: int = 10,
    *,
    labels: Literal["ltf", "ptf"] | int = "ptf",
    variances: tuple[float, float] = (0.0, 2.0),
    shuffle: bool = False,
    random_state: int | np.random.RandomState | None = None,
) -> tuple[Array, IntArray, LabelledTruth]:
    """Draw independent normal columns, products of two of them, and labels.

    The data of the paper's comparison of GFR with PCA: 10 independent columns and 10 products, or
    30 and 30. The labels depend on the independent columns alone.

    Parameters
    ----------
    n_samples : int, default=1000
        The number of rows.
    n_features : int, default=20
        The number of columns.
    n_informative : int, default=10
        The number of independent ones. Each of the others is the product of two distinct ones,
        drawn anew for each, so that products may recur.
    labels : {"ltf", "ptf"} or int, default="ptf"
        The label is the sign of a product of so many factors b_0 + Σ b_i X_i over the independent
        columns, with all weights uniform in (0, 1): 1 for a linear threshold function ("ltf"), 3
        for the paper's polynomial threshold function ("ptf").
    variances : tuple (low, high), default=(0, 2)
        The variances of the independent columns are uniform between these. The paper's text gives
        them for 20 columns; for 60, where it says nothing, take the same.
    shuffle : bool, default=False
        Whether the columns are in random order; else the independent ones come first.
    random_state : int, RandomState instance or None, default=None
        The seed. The same integer gives the same data.

    Returns
    -------
    X : array of shape (n_samples, n_features)
        The data.
    y : array of shape (n_samples,)
        The labels, -1 and 1.
    truth : LabelledTruth
        Which columns are independent, how the others were computed, and the labels' weights.

    Examples
    --------
    >>> from gramian_paper.datasets import make_labelled_products
    >>> X, y, truth = make_labelled_products(1000, labels="ltf", random_state=0)
    >>> X.shape, truth.informative
    ((1000, 20), array([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]))
    >>> weights = truth.label_weights[0]
    >>> bool((y == (weights[0] + X[:, :10] @ weights[1:] > 0) * 2 - 1).all())
    True
    """
    check_types("make_labelled_products", CONSTRAINTS, locals())
    rng = check_random_state(random_state)
    return _draw(n_samples, n_features, n_informative, [2], labels, variances, shuffle, rng)


def make_uffs_comparison(
    n_samples: int = 1000,
    n_features: int = 30,
    n_informative: int = 15,
    *,
    labels: Literal["ltf", "ptf"] | int = 2,
    variances: tuple[float, float] = (0.5, 1.0),
    shuffle: bool = True,
    standardize: bool = False,
    random_state: int | np.random.RandomState | None = None,
) -> tuple[Array, IntArray, LabelledTruth]:
    """Draw independent normal columns, products of two or three of them, and labels.

    The data of the paper's comparison of GFS with UFFS. The redundant columns are drawn from the
    products of two and of three distinct independent columns, all equally likely (so that with 15
    independent columns four of five are products of three), each for itself.

    Parameters
    ----------
    n_samples : int, default=1000
        The number of rows.
    n_features : int, default=30
        The number of columns.
    n_informative : int, default=15
        The number of independent ones.
    labels : {"ltf", "ptf"} or int, default=2
        The number of linear factors in the function whose sign is the label, as in
        :func:`make_labelled_products`: 2 is the paper's f_1, 3 its f_2.
    variances : tuple (low, high), default=(0.5, 1)
        The variances of the independent columns are uniform between these.
    shuffle : bool, default=True
        Whether the columns are in random order; else the independent ones come first. UFFS, which
        goes through the columns in their order, then finds exactly these.
    standardize : bool, default=False
        Whether every column is finally given mean 0 and variance 1. The labels do not change.
    random_state : int, RandomState instance or None, default=None
        The seed. The same integer gives the same data, standardized or not.

    Returns
    -------
    X : array of shape (n_samples, n_features)
        The data.
    y : array of shape (n_samples,)
        The labels, -1 and 1.
    truth : LabelledTruth
        Which columns are independent, how the others were computed, the labels' weights, and the
        paper's threshold, 0.01 (ε²).

    Examples
    --------
    >>> from gramian import UFFS
    >>> from gramian_paper.datasets import make_uffs_comparison
    >>> X, y, truth = make_uffs_comparison(2000, shuffle=False, random_state=0)
    >>> uffs = UFFS(threshold=truth.threshold, degree=truth.degree).fit(X)
    >>> uffs.get_support(indices=True)
    array([ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14])
    """
    check_types("make_uffs_comparison", CONSTRAINTS | {"standardize": ["boolean"]}, locals())
    rng = check_random_state(random_state)
    X, y, truth = _draw(
        n_samples, n_features, n_informative, [2, 3], labels, variances, shuffle, rng
    )
    truth = replace(truth, threshold=0.01)
    if not standardize:
        return X, y, truth
    mean, deviation = X.mean(axis=0), X.std(axis=0)
    return (X - mean) / deviation, y, replace(truth, mean=mean, deviation=deviation)


def make_appendix_example(
    n_samples: int = 10_000, *, random_state: int | np.random.RandomState | None = None
) -> tuple[Array, Truth]:
    """Draw the five columns of the example in the paper's appendix on kernel PCA.

    Three are independent and normal, with variances 0.9, 0.8 and 0.7; the others are X_1 X_3 and
    X_1 X_2².

    Parameters
    ----------
    n_samples : int, default=10_000
        The number of rows.
    random_state : int, RandomState instance or None, default=None
        The seed. The same integer gives the same data.

    Returns
    -------
    X : array of shape (n_samples, 5)
        The data.
    truth : Truth
        How the last two columns were computed. The degree is that of the paper's polynomials, 3,
        which here include squares and cubes: ``family="polynomial"``.

    Examples
    --------
    >>> from gramian import GFR
    >>> from gramian_paper.datasets import make_appendix_example
    >>> X, truth = make_appendix_example(random_state=0)
    >>> GFR(3, family="polynomial", degree=3).fit(X).components_.shape
    (3, 5)
    """
    parameters = {"n_samples": n_samples, "random_state": random_state}
    constraints = {name: CONSTRAINTS[name] for name in parameters}
    check_types("make_appendix_example", constraints, parameters)
    rng = check_random_state(random_state)
    variances = np.array([0.9, 0.8, 0.7])
    a, b, c = np.sqrt(variances)[:, np.newaxis] * rng.standard_normal((3, n_samples))
    products = (Product(3, 1.0, (0, 2)), Product(4, 1.0, (0, 1, 1)))
    truth = Truth(np.arange(3), variances, products, degree=3)
    return np.column_stack([a, b, c, a * c, a * b**2]), truth


def check_types(caller: str, constraints: dict[str, list[Any]], parameters: dict[str, Any]) -> None:
    """Check the arguments of a generator against a table."""
    given = {name: parameters[name] for name in constraints}
    validate_parameter_constraints(constraints, given, caller_name=caller)


def check_sizes(n_features: int, n_informative: int, largest_degree: int) -> None:
    """Raise an error if there is no redundant column, or if a product has too few columns."""
    if n_informative >= n_features:
        raise ValueError(
            f"n_informative must be less than n_features, so that there is a redundant column; got "
            f"n_informative={n_informative} and n_features={n_features}."
        )
    if n_informative < largest_degree:
        raise ValueError(
            f"products of {largest_degree} distinct columns need at least as many informative "
            f"ones; got n_informative={n_informative}."
        )


def check_interval(variances: tuple[float, float]) -> tuple[float, float]:
    """Return the ends of an interval of variances, or raise an error."""
    if len(variances) == 2 and 0 <= variances[0] <= variances[1] < np.inf and variances[1] > 0:
        return variances
    raise ValueError(
        f"variances must be a tuple (low, high) with 0 <= low <= high and high > 0; got "
        f"{variances!r}."
    )


def draw_factors(
    rng: np.random.RandomState, n: int, degrees: Sequence[int], count: int
) -> list[tuple[int, ...]]:
    """Draw subsets of 0, …, n - 1; all subsets of the given sizes are equally likely."""
    totals = np.array([math.comb(n, degree) for degree in degrees])
    drawn = []
    for _ in range(count):
        degree = int(rng.choice(degrees, p=totals / totals.sum()))
        drawn.append(tuple(sorted(rng.choice(n, degree, replace=False).tolist())))
    return drawn


def _draw(
    n_samples: int,
    n_features: int,
    n_informative: int,
    degrees: Sequence[int],
    labels: Literal["ltf", "ptf"] | int,
    variances: tuple[float, float],
    shuffle: bool,
    rng: np.random.RandomState,
) -> tuple[Array, IntArray, LabelledTruth]:
    check_sizes(n_features, n_informative, max(degrees))
    spread = rng.uniform(*check_interval(variances), n_informative)
    independent = rng.standard_normal((n_samples, n_informative)) * np.sqrt(spread)
    sets = draw_factors(rng, n_informative, degrees, n_features - n_informative)
    n_factors = LABELS[labels] if isinstance(labels, str) else labels
    weights = rng.uniform(size=(n_factors, 1 + n_informative))
    values: NDArray[np.float64] = weights[:, 0] + independent @ weights[:, 1:].T
    y = np.where(values.prod(axis=1) > 0, 1, -1).astype(np.intp)

    place = rng.permutation(n_features) if shuffle else np.arange(n_features)
    X = np.empty((n_samples, n_features))
    X[:, place[:n_informative]] = independent
    products = []
    for column, factors in zip(place[n_informative:].tolist(), sets, strict=True):
        X[:, column] = independent[:, list(factors)].prod(axis=1)
        products.append(Product(column, 1.0, tuple(sorted(place[list(factors)].tolist()))))
    rank = np.argsort(place[:n_informative])
    truth = LabelledTruth(
        informative=place[:n_informative][rank],
        variances=spread[rank],
        products=tuple(products),
        degree=max(degrees),
        label_weights=weights[:, np.r_[0, 1 + rank]],
    )
    return X, y, truth
