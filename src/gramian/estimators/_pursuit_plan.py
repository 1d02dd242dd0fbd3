"""Plan of a fit from the parameters of an estimator: what is fitted, compared and held out."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import issparse

from gramian.core.pursuit import Limits
from gramian.estimators._path import DEGREES, MAX_FUNCTIONS
from gramian.families import BY_NAME, Family, by_name
from gramian.fitting import (
    FEW,
    Algorithm,
    CheckedData,
    Cost,
    HoldOut,
    Plan,
    Preparation,
    Request,
    Solver,
    estimate,
    prefers_qr,
    shape_of,
)

if TYPE_CHECKING:
    from gramian.estimators._pursuit_estimator import PursuitEstimator

DEFAULT_EXPLAINED = 0.95
"""Share of variance that GFR and GFS explain if neither a count nor a threshold is given."""
DEFAULT_VALIDATION = 0.1
"""Share of rows to hold out if held-out rows decide on a parameter and no share is given."""
LEAST_VALIDATION = 10
"""Number of rows to hold out of a small table if held-out rows decide and no share is given."""
AUTO_ALPHAS = (0.0, 0.001, 0.01, 0.03, 0.1, 0.3, 1.0, np.inf)
"""Penalties among which `alpha="auto"` chooses."""


def check_count(estimator: PursuitEstimator, data: CheckedData) -> None:
    """Raise an error if the number of steps exceeds the number of columns."""
    name = estimator._count_name
    count = getattr(estimator, name)
    if isinstance(count, Integral) and int(count) > data.n_columns:
        raise ValueError(
            f"{name}={count} is more than the {data.n_columns} features of X; give at most "
            f"{data.n_columns}."
        )


def plan_of(estimator: PursuitEstimator, algorithm: Algorithm) -> Plan:
    """Return the plan of a fit: the parameters to compare, and the rows to hold out.

    Parameters
    ----------
    estimator : PursuitEstimator
        The parameters.
    algorithm : Algorithm
        The function that fits, and facts about it.
    """
    degree, solver = estimator.degree, estimator.solver
    if degree == "auto" or estimator._functions == "auto":
        families = families_of(estimator, None, DEGREES if degree == "auto" else (degree,))
        return comparison_of(estimator, algorithm, families, estimator.random_state)
    share = estimator.validation_fraction
    if share is None and estimator.early_stopping:
        share = DEFAULT_VALIDATION
    watched = None if share is None else HoldOut(share, estimator.random_state)
    request = request_of(estimator, family_of(estimator))
    preparation = preparation_of(estimator, algorithm)
    if estimator.alpha != "auto":
        return Plan(algorithm, (request,), preparation, watched, decides=False)
    shrunk = replace(request, solver="auto" if solver == "qr" else solver)
    if algorithm.leaves_rows_out:
        return Plan(algorithm, (shrunk,), preparation, watched, decides=False)
    folder = request.checkpoint
    return Plan(
        algorithm,
        (shrunk,),
        preparation,
        held_out(share, estimator.random_state),
        decides=True,
        plain=replace(request, alphas=(0.0,), checkpoint=folder and Path(folder, "no-shrinkage")),
        watched=watched,
    )


def held_out(share: float | None, random_state: Any) -> HoldOut:
    """Return the share of rows to hold out; by default a tenth, but at least ten rows.

    Parameters
    ----------
    share : float or None
        The share that the user asks for; None for the default.
    random_state : int, RandomState or None
        Chooses the rows.
    """
    if share is not None:
        return HoldOut(share, random_state)
    return HoldOut(DEFAULT_VALIDATION, random_state, at_least=LEAST_VALIDATION)


def comparison_of(
    estimator: PursuitEstimator,
    algorithm: Algorithm,
    families: Sequence[Family],
    random_state: Any,
) -> Plan:
    """Return the plan of fits of several families, of which held-out rows choose one.

    Parameters
    ----------
    estimator, algorithm
        As in `plan_of`.
    families : sequence of Family
        The families to compare.
    random_state : int, RandomState or None
        The seed that chooses the rows to hold out.
    """
    requests = [
        request_of(estimator, family, f"family-{number}", estimator.max_functions or MAX_FUNCTIONS)
        for number, family in enumerate(families)
    ]
    hold_out = held_out(estimator.validation_fraction, random_state)
    preparation = replace(preparation_of(estimator, algorithm), distinct=True)
    return Plan(algorithm, tuple(requests), preparation, hold_out, decides=True)


def preparation_of(estimator: PursuitEstimator, algorithm: Algorithm) -> Preparation:
    """Return the scaling of the columns, and the sums that the first pass computes."""
    chosen = (estimator.alpha, estimator.degree, estimator._functions)
    watched = estimator.early_stopping or estimator.validation_fraction is not None
    return Preparation(
        "column" if estimator._scales_columns or estimator.scale else "table",
        counts=estimator.scale,
        covariance=algorithm.covariance,
        checksum=estimator.checkpoint is not None,
        distinct=watched or algorithm.leaves_rows_out or any(each == "auto" for each in chosen),
    )


def request_of(
    estimator: PursuitEstimator, family: Family, part: str = "", max_functions: int | None = None
) -> Request:
    """Return the parameters of the fit of one family.

    Parameters
    ----------
    estimator : PursuitEstimator
        The parameters.
    family : Family
        The family.
    part : str, default=""
        The folder of this fit within the folder of the checkpoint.
    max_functions : int, optional
        The largest number of functions; by default the parameter of the estimator.
    """
    family.rules()  # raises if a parameter is wrong
    folder, parameters = None, {}
    if estimator.checkpoint is not None:
        folder = Path(estimator.checkpoint)
        parameters = {
            name: repr(value)
            for name, value in estimator.get_params(deep=False).items()
            if name not in ("verbose", "checkpoint", "memory_budget")
        }
    threshold, relative = estimator._threshold
    limits = limits_of(estimator)
    return Request(
        type(estimator).__name__,
        family,
        limits if max_functions is None else replace(limits, max_functions=max_functions),
        threshold,
        relative,
        alphas_of(estimator),
        solver=estimator.solver,
        checkpoint=folder and folder / part,
        last_checkpoint=folder and folder / "all-rows",
        verbose=int(estimator.verbose),
        parameters=parameters,
    )


def limits_of(estimator: PursuitEstimator) -> Limits:
    """Return the rules that end the pursuit."""
    count: float | None = getattr(estimator, estimator._count_name)
    if count is None and estimator._default_explained and estimator.threshold is None:
        count = DEFAULT_EXPLAINED
    is_number = isinstance(count, Integral)
    return Limits(
        n_steps=int(count) if count is not None and is_number else None,
        count_name=estimator._count_name,
        explained=float(count) if count is not None and not is_number else None,
        max_functions=estimator.max_functions,
        patience=estimator.n_iter_no_change if estimator.early_stopping else None,
        tolerance=estimator.tol,
    )


def alphas_of(estimator: PursuitEstimator) -> tuple[float, ...]:
    """Return the penalties of a fit; if there are several, held-out rows choose one."""
    return AUTO_ALPHAS if estimator.alpha == "auto" else (float(estimator.alpha),)


def family_of(estimator: PursuitEstimator) -> Family:
    """Return the family; raise an error if it is "auto", so that only a fit decides."""
    family = estimator._functions
    if isinstance(family, Family):
        return deepcopy(family)  # its parameters can change after the fit
    if estimator.degree == "auto" or family == "auto":
        raise ValueError(
            "family='auto' and degree='auto' are decided only during a fit. Give family and degree."
        )
    return by_name(family, estimator.degree)


def families_of(
    estimator: PursuitEstimator,
    families: Sequence[str | Family] | None,
    degrees: Sequence[int | None],
) -> list[Family]:
    """Return the families to compare.

    Parameters
    ----------
    estimator : PursuitEstimator
        The parameters.
    families : sequence of str or Family, or None
        The families by name, or as instances; None for the families of the estimator.
    degrees : sequence of int or None
        The degrees of families given by name.
    """
    if families is None:
        asked = estimator._functions
        families = ["multilinear", "polynomial"] if asked == "auto" else [asked]
    for family in families:
        if not isinstance(family, Family) and family not in BY_NAME:
            raise ValueError(
                f"families must be instances of Family or names among {sorted(BY_NAME)}; got "
                f"{family!r}."
            )
    if not len(families) or not len(degrees):
        raise ValueError("A path needs at least one family and one degree.")
    fixed = [deepcopy(family) for family in families if isinstance(family, Family)]
    names = [family for family in families if isinstance(family, str)]
    return fixed + [by_name(name, degree) for degree in degrees for name in names]


def cost_of(estimator: PursuitEstimator, X: Any, n_steps: int | None) -> Cost:
    """Estimate the cost of a fit; see `PursuitEstimator.estimate_cost`."""
    n_rows, n_columns = shape_of(X)
    count = getattr(estimator, estimator._count_name) if n_steps is None else n_steps
    if not isinstance(count, Integral):
        raise ValueError(
            "The number of steps of a fit is not known in advance unless "
            f"{estimator._count_name} is an integer: give n_steps, for example the largest number "
            "you would accept."
        )
    sparse = issparse(X)
    family, alphas = family_of(estimator), alphas_of(estimator)
    if estimator.alpha == "auto" and family.count(int(count)) <= FEW * n_rows:
        alphas = (0.0,)  # few functions are fitted without shrinkage
    asked = estimator.solver
    solver: Solver = "auto" if len(alphas) > 1 and asked == "qr" else asked
    return estimate(
        family,
        n_rows,
        min(n_rows, n_columns) if estimator._in_row_space and not sparse else n_columns,
        int(count),
        solver="qr" if prefers_qr(solver, alphas, n_rows) else solver,
        n_penalties=len(alphas),
        n_stored=int(X.nnz) if sparse else None,
        **estimator._search_cost,
    )
