"""Generator of synthetic tables, in which some columns are products of other columns."""

from __future__ import annotations

import itertools
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from sklearn.utils import check_random_state

from gramian._support.scikit_learn import Interval, StrOptions, validate_parameter_constraints
from gramian._support.types import Array
from gramian.datasets._truth import Product, Truth, draw_factors, place

NOISELESS_THRESHOLD = 1e-4
"""Threshold of the paper without noise: a column with less residual variance is redundant."""

HIGHEST_DEGREE = 3
"""Highest degree of the polynomials that the paper fits to these data."""

CONSTRAINTS: dict[str, list[Any]] = {
    "n_samples": [Interval(Integral, 2, None, closed="left")],
    "n_features": [Interval(Integral, 2, None, closed="left")],
    "n_informative": [Interval(Integral, 1, None, closed="left")],
    "degree": [Interval(Integral, 1, None, closed="left")],
    "family_degree": [Interval(Integral, 1, None, closed="left"), None],
    "noise": [Interval(Real, 0, None, closed="left")],
    "variances": [StrOptions({"uniform", "integers"}), tuple],
    "ratio": [Interval(Real, 0, None, closed="neither")],
    "distinct": ["boolean"],
    "rotate": ["boolean"],
    "shuffle": ["boolean"],
    "random_state": ["random_state"],
}
"""Allowed values of each parameter of `make_planted_redundancy`."""


def make_planted_redundancy(
    n_samples: int = 1000,
    n_features: int = 30,
    n_informative: int = 15,
    *,
    degree: int = 2,
    family_degree: int | None = None,
    noise: float = 0.0,
    variances: Literal["uniform", "integers"] | tuple[float, float] = "uniform",
    ratio: float = 0.85,
    distinct: bool = True,
    rotate: bool = False,
    shuffle: bool = True,
    random_state: int | np.random.RandomState | None = None,
) -> tuple[Array, Truth]:
    """Draw independent normal columns, and redundant columns that are products of them.

    These are the data of the paper's experiments with GFA and, with ``rotate=True``, with GCA. The
    informative columns are independent and normal with mean 0. Each redundant column is k times a
    product of `degree` informative columns, plus noise if `noise` is positive. The factor k is such
    that the variance of the product in the sample is `ratio` times the smallest variance of its
    factors. So a redundant column has less variance than its factors: the published algorithms GFA
    and GCA take columns by decreasing variance, and must see the factors first.

    Parameters
    ----------
    n_samples : int, default=1000
        The number of rows.
    n_features : int, default=30
        The number of columns (d in the paper).
    n_informative : int, default=15
        The number of independent columns (n in the paper).
    degree : int, default=2
        The number of distinct columns in each product.
    family_degree : int or None, default=None
        The degree of the multilinear polynomials that you will fit; None means the smaller of
        `degree` and 3, as in the paper. It affects ``truth.degree`` and ``truth.threshold``, not
        the data.
    noise : float, default=0.0
        The variance of the normal noise in each redundant column; 0.1 in the paper.
    variances : {"uniform", "integers"} or tuple (low, high), default="uniform"
        The variances of the informative columns: "uniform" between 0 and `n_informative`, as in
        the text of the paper; "integers" `n_informative`, ..., 2, 1, as in the authors' scripts;
        or uniform between two numbers.
    ratio : float, default=0.85
        Variance of a redundant column without noise, divided by the smallest variance of its
        factors.
    distinct : bool, default=True
        True if no two products may have the same factors, so that all columns are uncorrelated, as
        principal components are. If False, each product is drawn independently, as in the scripts
        of the paper's authors.
    rotate : bool, default=False
        True to rotate the table: X then mixes all columns, and the informative and redundant
        columns are the components of X along random orthonormal directions, ``truth.rotation``.
    shuffle : bool, default=True
        True to put the columns in random order; with False the informative columns come first.
    random_state : int, RandomState instance or None, default=None
        The seed of the random numbers. With an integer, every call returns the same data.

    Returns
    -------
    X : array of shape (n_samples, n_features)
        The generated table.
    truth : Truth
        The informative columns, the formulas of the redundant columns, and the threshold that the
        paper recommends. The threshold is 1e-4 without noise (Corollary 1). With noise it is the
        largest empirical variance of the noise in any column (Corollary 2). If `family_degree` is
        less than `degree`, it is the largest mean squared residual of a redundant column after a
        fit by multilinear polynomials of its factors (Corollary 3).

    Notes
    -----
    With `noise`, a redundant column has less variance than its factors only if the variances of
    the factors are above ``noise / (1 - ratio)``. An informative column whose variance is below the
    variance of the noise is below the threshold, and so counts as redundant. With
    ``variances="integers"`` both problems are rare; with "uniform" they occur for some seeds.

    A product of normal columns is uncorrelated with all multilinear polynomials of lower degree. If
    `family_degree` is below `degree`, the threshold is therefore about as large as the largest
    variance of a redundant column. All informative columns with less variance then count as
    redundant, too, unless `variances` is a narrow interval.

    GCA by default uses the principal directions of the sample, which differ a little from the
    principal directions of the distribution. The scripts of the paper's authors pass the true
    directions to GCA: ``GCA(basis=truth.rotation)``. These scripts also centre the columns before
    they multiply them, use the threshold 1e-5, and stop after `n_informative` steps.

    Examples
    --------
    >>> from gramian import GCA, GFA
    >>> from gramian.datasets import make_planted_redundancy
    >>> X, truth = make_planted_redundancy(500, random_state=0)
    >>> gfa = GFA(threshold=truth.threshold, degree=truth.degree, laws=False).fit(X)
    >>> bool((gfa.get_support(indices=True) == truth.informative).all())
    True
    >>> X, truth = make_planted_redundancy(500, rotate=True, random_state=0)
    >>> gca = GCA(threshold=truth.threshold, degree=truth.degree, basis=truth.rotation).fit(X)
    >>> sorted(gca.component_indices_.tolist()) == truth.informative.tolist()
    True
    """
    validate_parameter_constraints(CONSTRAINTS, locals(), caller_name="make_planted_redundancy")
    if n_informative >= n_features:
        raise ValueError(
            f"n_informative must be less than n_features, so that there is a redundant column; got "
            f"n_informative={n_informative} and n_features={n_features}."
        )
    rng = check_random_state(random_state)
    spread = _variances(variances, n_informative, rng)
    independent = rng.standard_normal((n_samples, n_informative)) * np.sqrt(spread)
    sets = draw_factors(
        rng, n_informative, degree, n_features - n_informative, distinct=bool(distinct)
    )
    columns, products = [independent], []
    for i, factors in enumerate(sets, start=n_informative):
        product = independent[:, list(factors)].prod(axis=1)
        # Use variances in the sample, not in the distribution: otherwise a redundant column would
        # often have more variance than one of its factors, and GFA would take it first.
        smallest = independent[:, list(factors)].var(axis=0).min()
        k = float(np.sqrt(ratio * smallest / product.var()))
        products.append(Product(i, k, factors))
        columns.append(k * product[:, np.newaxis])
    Z = np.hstack(columns)
    added = None
    if noise:
        added = np.sqrt(noise) * rng.standard_normal((n_samples, len(products)))
        Z[:, n_informative:] += added

    fitted_degree = min(degree, HIGHEST_DEGREE) if family_degree is None else family_degree
    threshold = NOISELESS_THRESHOLD
    if fitted_degree < degree:
        errors = (
            projection_error(Z[:, each.column], Z[:, list(each.factors)], fitted_degree)
            for each in products
        )
        threshold = max(threshold, *errors)
    elif added is not None:
        threshold = max(threshold, float(added.var(axis=0).max()))
    truth = Truth(
        informative=np.arange(n_informative),
        variances=spread,
        products=tuple(products),
        degree=fitted_degree,
        threshold=threshold,
        noise=added,
    )
    if shuffle:
        Z, truth = place(Z, truth, rng.permutation(n_features))
    if not rotate:
        return Z, truth
    rotation = np.linalg.qr(rng.standard_normal((n_features, n_features)))[0]
    return Z @ rotation, replace(truth, rotation=rotation)


def _variances(
    variances: Literal["uniform", "integers"] | tuple[float, float],
    n: int,
    rng: np.random.RandomState,
) -> Array:
    """Return the variances of the n informative columns, which may be drawn at random."""
    if variances == "integers":
        return np.arange(n, 0.0, -1.0)
    low, high = (0.0, float(n)) if variances == "uniform" else check_interval(variances)
    spread: Array = rng.uniform(low, high, n)
    return spread


def check_interval(variances: tuple[float, float]) -> tuple[float, float]:
    """Return the parameter `variances` if it is an interval (low, high); else raise ValueError."""
    if len(variances) == 2 and 0 <= variances[0] <= variances[1] < np.inf and variances[1] > 0:
        return variances
    raise ValueError(
        f"variances must be a tuple (low, high) with 0 <= low <= high and high > 0; got "
        f"{variances!r}."
    )


def projection_error(target: Array, factors: Array, degree: int) -> float:
    """Fit `target` by multilinear polynomials of `factors`; return the mean squared residual."""
    scaled = (factors - factors.mean(axis=0)) / factors.std(axis=0)
    functions = [
        scaled[:, list(which)].prod(axis=1)
        for size in range(degree + 1)
        for which in itertools.combinations(range(factors.shape[1]), size)
    ]
    design = np.column_stack(functions)
    left = target - design @ np.linalg.lstsq(design, target, rcond=None)[0]
    return float(np.mean(left**2))
