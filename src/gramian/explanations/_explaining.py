"""The public function `explain`: finds formulas for the columns that a fit did not keep."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import issparse
from sklearn.utils.validation import check_is_fitted

from gramian._support.blas import threads_for
from gramian._support.time_limit import time_is_over, time_limited
from gramian._support.types import Array
from gramian.core.pursuit import MAX_MOMENTS
from gramian.core.rows import is_dask
from gramian.estimators import PursuitEstimator
from gramian.explanations._by_law import by_laws
from gramian.explanations._coordinates import Coordinates
from gramian.explanations._dictionary import Dictionary
from gramian.explanations._explanation import Explanation
from gramian.explanations._finder import FormulaFinder
from gramian.explanations._redundancies import KeptFeature, Redundancy
from gramian.explanations._subject import Subject, subject_of
from gramian.explanations._target_moments import Moments, mix, of_fit, of_rows
from gramian.families import Call, Z
from gramian.fitting import (
    FittedModel,
    KeptDirections,
    check_rows,
    check_weights,
    only_complete,
    source_of,
)

MAX_TERMS = 5
"""Default of `max_terms`: the largest number of terms of a formula, without the constant."""
MIN_GAIN = 0.2
"""Default of `min_gain`: a term is added only if it explains this share of the residual or more."""


class RowsNeededError(ValueError):
    """Error that is raised if a fit has stored no moments and no rows are given to explain it.

    Parameters
    ----------
    n_functions : int
        The number of functions of the fit.
    """

    def __init__(self, n_functions: int) -> None:
        super().__init__(
            f"This fit has {n_functions} functions, and moments of no more than {MAX_MOMENTS} are "
            "stored. Give X, the rows of the fit or others like them."
        )
        self.n_functions = n_functions


def explain(
    estimator: Any,
    X: ArrayLike | None = None,
    *,
    max_terms: int | None = MAX_TERMS,
    min_gain: float = MIN_GAIN,
    features: Iterable[str | int] | None = None,
    sample_weight: ArrayLike | None = None,
    time_limit: float | None = None,
) -> Explanation:
    """Find formulas for the columns that a fit did not keep.

    For every column that the fit did not keep, a short formula in the kept columns is found by
    adding and removing terms. Formulas are in the raw columns and their units. They are computed
    from the moments that the fit has stored; rows are not needed. If X is given, exact laws are
    searched in its rows for columns without an exact formula, because a logarithm, ratio or
    threshold may not be among the functions of the fit.

    Parameters
    ----------
    estimator : GFS, GFA, GCA or GFR
        A fitted estimator. GFS and GFA explain columns that were not selected. GCA explains the
        directions of its basis that were not kept, named ``pc`` (or ``basis``) and their index.
        GFR explains all columns. The variables in formulas of GCA and GFR are the outputs of
        `transform`, with their names there.
    X : array-like of shape (n_samples, n_features), optional
        Rows to test formulas on: the rows of the fit, or similar rows. They are divided into five
        parts. Each part is held out once, while terms and coefficients are found in the other four
        parts. The error in the held-out parts determines the number of terms and `validation_r2`.
        Without X, the error in the rows of the fit determines the number of terms. Fits with more
        than 999 functions store no moments and need X. Rows with missing values are ignored.
    max_terms : int or None, default=5
        The largest number of terms in a formula, without the constant. With None, the formula has
        all functions of the fit, and equals the result of `inverse_transform`.
    min_gain : float, default=0.2
        A term is added only if it explains at least this share of the remaining residual. A
        constant counts as one term, and a nonlinear formula counts as one more term.
    features : iterable of str or int, optional
        The columns or directions to explain, by name or index; by default all that were not kept.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows of X.
    time_limit : float, optional
        Seconds after which no more formulas are searched: the columns that are left have none.

    Returns
    -------
    explanation : Explanation
        A sequence of `Redundancy` objects, in the order of the columns. Its attribute `kept` has
        the kept columns, and `graph` shows which kept columns determine which other columns.

    Notes
    -----
    The map from the centred and scaled functions of the fit to the monomials of the raw columns is
    known exactly, and so are the moments of the monomials. Terms are added by a beam search on
    these moments. With up to 200 candidates, a second search starts with all candidates and removes
    terms one by one. The best formula has the smallest sum of the logarithm of the residual and a
    penalty for each term. The penalty is -log(1 - `min_gain`); without X it is at least
    (log N + 2 log M) / N for N rows and M candidates, as in the extended BIC.

    A product looks like a sum if the noise is larger than the curvature. If the means are m times
    as large as the standard deviations, only a share of about 1/m² of a product's variance is not
    linear. Without noise, products are found up to m of about 10⁴.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from gramian import GFA, explain
    >>> rng = np.random.default_rng(0)
    >>> X = pd.DataFrame(rng.uniform([100, 1], [400, 60], (500, 2)), columns=["voltage", "current"])
    >>> X["power"] = 0.0001 * X.voltage * X.current
    >>> explanation = explain(GFA(threshold=1e-3, laws=False).fit(X), X)
    >>> print(explanation)
    power = 0.0001 · voltage · current (R² 1, held out 1)
    >>> explanation["power"]({"voltage": [200.0, 300.0], "current": [10.0, 20.0]}).round(6)
    array([0.2, 0.6])
    """
    _check(estimator, max_terms, min_gain)
    table = weights = None
    if X is not None:
        if is_dask(X) or source_of(X) is not None:
            raise TypeError(
                "explain tests formulas on rows in memory: give some of the rows as an array or a "
                "data frame, or no X to use the moments of the fit alone."
            )
        if issparse(X):
            raise TypeError("explain takes dense rows: give X.toarray(), of some rows or of all.")
        table = check_rows(estimator, X, gaps=True)
        if sample_weight is not None:
            weights = check_weights(sample_weight, table)
        table, weights = only_complete(table, weights, "X")
    chosen: dict[str, Any] = {"max_terms": max_terms, "min_gain": min_gain, "features": features}
    with time_limited(time_limit):
        return explain_checked(estimator.model_, table, weights, **chosen)


def explain_checked(
    model: FittedModel,
    table: Array | None,
    weights: Array | None = None,
    *,
    max_terms: int | None = MAX_TERMS,
    min_gain: float = MIN_GAIN,
    features: Iterable[str | int] | None = None,
) -> Explanation:
    """Explain a fitted model as `explain` does; rows in `table` must be checked before."""
    subject = subject_of(model, features)
    stored = of_fit(model, subject.axes, subject.targets)
    folds: Sequence[Moments] = []
    if table is not None:
        folds = of_rows(model, table, weights, subject.axes, subject.targets)
    elif stored is None:
        raise RowsNeededError(model.record.n_functions)
    try:
        dictionary = Dictionary(model.decoder, subject.variable_means)
        coordinates = Coordinates(stored or mix(folds), dictionary, subject.target_means)
        if not coordinates.finite:
            raise OverflowError
        finder = FormulaFinder(model, subject, dictionary, coordinates, folds, max_terms, min_gain)
        by_law = {law.column for law in model.laws}
        named = enumerate(subject.target_names)
        with threads_for(0):  # one thread: for thousands of tiny matrices, more are slower
            found = [_found(finder, i, name in by_law) for i, name in named]
            redundancies = by_laws(found, model, subject, table)
        return Explanation(redundancies, _kept(model, subject, dictionary, coordinates))
    except (OverflowError, np.linalg.LinAlgError) as error:
        raise ValueError(
            "This fit cannot be explained: products of its numbers exceed the range of float64, or "
            "its moments contradict each other."
        ) from error


def _found(finder: FormulaFinder, target: int, by_law: bool) -> Redundancy:
    """Return the formula of a column, unless a law gives the column or the time is over."""
    if by_law or time_is_over():
        return finder.without_formula(target)
    return finder.redundancy(target)


def _check(estimator: Any, max_terms: int | None, min_gain: float) -> None:
    if not isinstance(estimator, PursuitEstimator):
        raise TypeError(
            "explain takes a fitted GFS, GFA, GCA or GFR, which can compute columns from those "
            f"they keep; got {type(estimator).__name__}."
        )
    check_is_fitted(estimator)
    if max_terms is not None and (not isinstance(max_terms, Integral) or max_terms < 1):
        raise ValueError(f"max_terms must be a positive integer or None; got {max_terms!r}.")
    if not isinstance(min_gain, Real) or not 0 <= min_gain < 1:
        raise ValueError(f"min_gain must be at least 0 and less than 1; got {min_gain!r}.")


def _kept(
    model: FittedModel, subject: Subject, dictionary: Dictionary, coordinates: Coordinates
) -> list[KeptFeature]:
    """Return for each kept variable the variance that it explains of the columns not kept.

    Each coordinate belongs to one function, orthogonalized against all earlier functions of the
    fit. So the sum of squared coordinates of some functions is the variance that they add.
    """
    functions = [dictionary.functions[i] for i in coordinates.functions]
    newest = np.array(
        [max(each.variables if isinstance(each, Call) else each, default=-1) for each in functions]
    )
    explained = np.divide(
        coordinates.targets**2,
        coordinates.variances,
        out=np.zeros_like(coordinates.targets),
        where=coordinates.variances > 0,
    )
    kept = []
    for j, name in enumerate(subject.names):
        own = coordinates.variables[:, j] ** 2
        linear = np.array([each == {j: Z} for each in functions])
        nonlinear = (newest == j) & ~linear
        shares = zip(
            subject.target_names,
            explained[linear].sum(axis=0).tolist(),
            explained[nonlinear].sum(axis=0).tolist(),
            strict=True,
        )
        kept.append(
            KeptFeature(
                feature=name,
                index=int(subject.indices[j]),
                order=j,
                variance=float(own[1:].sum()),
                residual_variance=float(own[newest >= j].sum()),
                explains={other: (first, second) for other, first, second in shares},
                loadings=dict(zip(subject.columns, model.kept.directions[j].tolist(), strict=True))
                if isinstance(model.kept, KeptDirections)
                else None,
            )
        )
    return kept
