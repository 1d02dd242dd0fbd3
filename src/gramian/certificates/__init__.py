"""Certificates: the paper's theorems, evaluated on a fit.

For GFR and GFS on discrete data, :class:`EntropyCertificate` compares the entropy that the kept
variables leave in the data with its bound. For GCA and GFA, :class:`RedundancyCertificate` checks
the conditions under which all redundancy is eliminated.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, overload

from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from gramian.certificates._entropy import EntropyCertificate, certify_entropy
from gramian.certificates._irredundance import (
    Component,
    Condition,
    RedundancyCertificate,
    certify_redundancy,
)
from gramian.certificates._nested import nested_fits as nested_fits
from gramian.estimators import GCA, GFA, GFR, GFS

Certificate = EntropyCertificate | RedundancyCertificate
"""Result of :func:`certify`."""

THEOREMS: dict[str, Callable[[Any, ArrayLike], Certificate]] = {
    "GFR": certify_entropy,
    "GFS": certify_entropy,
    "GCA": certify_redundancy,
    "GFA": certify_redundancy,
}

__all__ = [
    "Certificate",
    "Component",
    "Condition",
    "EntropyCertificate",
    "RedundancyCertificate",
    "certify",
]


@overload
def certify(estimator: GFR | GFS, X: ArrayLike) -> EntropyCertificate: ...
@overload
def certify(estimator: GCA | GFA, X: ArrayLike) -> RedundancyCertificate: ...
def certify(estimator: GFR | GFS | GCA | GFA, X: ArrayLike) -> Certificate:
    """Evaluate the theorem about an algorithm on a fit.

    Parameters
    ----------
    estimator : GFR, GFS, GCA or GFA
        The fitted estimator.
    X : array-like of shape (n_samples, n_features)
        The rows of the fit, or new rows on which to evaluate the theorem. All rows have equal
        weight; rows with missing values are left out.

    Returns
    -------
    certificate : EntropyCertificate or RedundancyCertificate
        The former for GFR and GFS, the latter for GCA and GFA. ``print(certificate)`` prints it in
        sentences.

    Examples
    --------
    The column `x2` determines both other columns: H(X) is two bits, and H(X|x2) is zero.

    >>> import numpy as np
    >>> from gramian import GFS
    >>> from gramian.certificates import certify
    >>> a, b = np.random.default_rng(0).integers(0, 2, (2, 500))
    >>> X = np.column_stack([a, b, a + 2 * b])
    >>> certificate = certify(GFS(threshold=0.01, family="indicator").fit(X), X)
    >>> print(certificate)
    GFS kept 1 of 3 columns. There are 500 rows, 4 of them distinct.
    H(X|Z) is 0 of H(X) = 1.99 bits: in these rows, the kept columns determine all columns.
    The bound of Theorem 4 is 0 bits, since every residual is zero: functions of the kept columns
    compute all columns exactly.
    """
    theorem = THEOREMS.get(type(estimator).__name__)
    if theorem is not None:
        check_is_fitted(estimator)
        return theorem(estimator, X)
    raise TypeError(
        f"There are theorems about GFR, GFS, GCA and GFA; got {type(estimator).__name__}. "
        "GFS generalizes UFFS."
    )
