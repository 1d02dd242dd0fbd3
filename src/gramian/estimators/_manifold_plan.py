"""Plan of a fit of PolynomialManifold: how it starts, and which refits of the surface follow."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from scipy.linalg import eigh

from gramian._support.types import Array
from gramian._support.words import percent
from gramian.core.manifold import (
    LINEAR,
    AngleStart,
    Choices,
    Coding,
    Exploration,
    HeldOutRows,
    LinearStart,
    NearestSearch,
    Round,
    Terms,
    best_start,
    explore,
    fit_rounds,
    linear_start,
)
from gramian.core.orthogonalize import Gram
from gramian.core.pursuit import Limits, TopEigenvector, pursue
from gramian.core.rows import MatrixCovariance, Rows
from gramian.estimators._gfr import row_space
from gramian.families import Family, Fourier, by_name
from gramian.fitting import FittedManifold, Problem

VARIES = 1e-12
"""Least share of the largest variance for which a direction gets a code."""
MIN_ALPHA = 0.01
"""Least penalty in the search for the first directions."""
EXPLORED_ALPHAS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
"""Penalties among which `alpha="auto"` chooses."""
WORTH = 0.003
"""Least share of the held-out error by which another round must improve."""
DEGREES = tuple(range(2, 11))
"""Degrees among which `degree="auto"` chooses, besides a flat surface, if rows are enough."""
MAX_FUNCTIONS = 5000
"""Largest number of functions of a degree that `degree="auto"` tries."""
MAX_ROUNDS = 20
"""Largest number of rounds with each degree, for `n_rounds="auto"`."""


@dataclass(frozen=True)
class ManifoldPlan:
    """Parameters of a surface fit: families, penalties and rounds (refits of the surface)."""

    algorithm: str
    """The name of the estimator."""
    n_codes: int
    families: Sequence[Family]
    """Families of growing degree; the fit of each begins with the result of the one before."""
    alphas: Sequence[float]
    max_rounds: int
    search: NearestSearch
    degree_is_free: bool
    """True if held-out rows choose among the families."""
    verbose: bool

    def rounds(self) -> list[Round]:
        """Return all rounds of a fit in which held-out rows choose nothing."""
        (alpha,) = self.alphas
        return [Round(family, alpha) for family in self.families for _ in range(self.max_rounds)]

    def report(self, name: str) -> Any:
        """Return the function that is called after every round; None if nothing is printed.

        `name` is the name of the stage of the fit, for the output.
        """
        if not self.verbose:
            return None
        return lambda choice, left: print(
            f"[{self.algorithm}] {name}: {choice.family}, alpha={choice.alpha:g}: "
            f"{percent(left)} left",
            file=sys.stderr,
        )


def make_plan(
    algorithm: str,
    n_codes: int,
    family: str | Family,
    degree: int | Literal["auto"],
    alpha: float | Literal["auto"],
    n_rounds: int | Literal["auto"],
    n_rows: int,
    search: NearestSearch,
    *,
    verbose: bool,
) -> ManifoldPlan:
    """Return the plan of a fit; the number of rows limits the degrees.

    Parameters
    ----------
    algorithm : str
        The name of the estimator.
    n_codes : int
        The number of codes (coordinates on the surface).
    family, degree, alpha, n_rounds
        The parameters of :class:`PolynomialManifold`.
    n_rows : int
        The number of rows.
    search : NearestSearch
        Finds nearest points.
    verbose : bool
        True to print each round.
    """
    free = False
    if isinstance(family, Family):
        families = leading_to(deepcopy(family))
        Terms.of(families[-1], 1)  # raises if functions have no derivatives
    elif degree == "auto":
        free = True
        families = growing_families(family, n_codes, min(MAX_FUNCTIONS, n_rows // 2))
    else:
        families = leading_to(by_name(family, degree))
    return ManifoldPlan(
        algorithm,
        n_codes,
        families,
        EXPLORED_ALPHAS if alpha == "auto" else (float(alpha),),
        MAX_ROUNDS if n_rounds == "auto" else int(n_rounds),
        search,
        free,
        verbose,
    )


def growing_families(name: str, n_codes: int, most: int) -> list[Family]:
    """Return families of growing degree, each of which includes the one before.

    If a degree has too many functions, only its functions of fewer variables are taken. For
    example, 40 codes have 861 functions of degree 2, and 2,460 of degree 3 in one or two variables.

    Parameters
    ----------
    name : str
        The name of the families, such as "polynomial".
    n_codes : int
        The number of codes, which are coordinates on the surface.
    most : int
        The largest number of functions.
    """
    found: list[Family] = []
    for degree in DEGREES:
        family = by_name(name, degree)
        complete = family.count(n_codes) <= most
        if not complete and "max_variables" in family.get_params():
            family.set_params(max_variables=degree - 1)
        n = family.count(n_codes)
        if n <= most and (not found or n > found[-1].count(n_codes)):
            found.append(family)
        if not complete:
            break
    return found or [LINEAR]


def leading_to(family: Family) -> list[Family]:
    """Return a family preceded by the same kind of family with lower degrees, from 2 on.

    Parameters
    ----------
    family : Family
        The family.
    """
    degree = family.get_params().get("degree")
    if degree is None:  # a union, or products of any number of variables
        return [family]
    return [deepcopy(family).set_params(degree=each) for each in range(2, degree)] + [family]


def is_linear(family: Family) -> bool:
    """Return True if the variables themselves are the only functions."""
    return family.count(2) == 2


def fit(plan: ManifoldPlan, problem: Problem, deciding: Problem | None) -> FittedManifold:
    """Fit to all rows, after held-out rows have chosen the rounds.

    Parameters
    ----------
    plan : ManifoldPlan
        The parameters of the fit.
    problem : Problem
        All rows.
    deciding : Problem or None
        The rows with some held out, which choose; None if there is no choice.
    """
    rounds: Sequence[Round]
    validation = None
    if deciding is None:
        rounds = plan.rounds()
    else:
        found = decide(deciding, plan)
        rounds, validation = found.rounds[: found.best + 1], np.append(1.0, found.errors)
    rows, basis = row_space(problem.rows)
    coding, n_codes = begin(rows, plan, rounds[0])
    made = fit_rounds(rows, n_codes, coding, rounds, plan.report("fit"))
    manifold = made.manifold if basis is None else made.manifold.lifted(basis)
    unit = float(problem.unit[0])
    whole = unit**2 * float(np.trace(rows.covariance()))
    return FittedManifold(
        algorithm=plan.algorithm,
        names=problem.names,
        mean=problem.centring.mean,
        scale=problem.scale,
        manifold=replace(manifold, unit=unit),
        family=made.rounds[-1].family,
        alpha=made.rounds[-1].alpha,
        total=np.append(whole, unit**2 * made.errors),
        n_samples=problem.n_samples,
        n_copies=problem.n_samples - problem.rows.n_rows,
        validation_total=None if validation is None else whole * validation,
    )


def decide(problem: Problem, plan: ManifoldPlan) -> Exploration:
    """Return the rounds that were tried, with their errors on held-out rows.

    Parameters
    ----------
    problem : Problem
        The rows, and the held-out rows.
    plan : ManifoldPlan
        The parameters of the fit.
    """
    rows, basis = row_space(problem.rows)
    assert problem.held_out is not None
    held_out = HeldOutRows.of(problem.held_out, basis)
    choices = Choices(
        plan.families, plan.alphas, plan.max_rounds, WORTH, last_only=not plan.degree_is_free
    )
    first = Round(plan.families[0], plan.alphas[(len(plan.alphas) - 1) // 2])
    coding, n_codes = begin(rows, plan, first)
    report = plan.report("held-out rows")
    found = explore(rows, held_out, n_codes, coding, choices, report)
    if plan.degree_is_free:
        coding, n_codes = begin(rows, plan, Round(LINEAR, 0.0))
        flat = Choices([LINEAR], [0.0], 1, WORTH)
        linear = explore(rows, held_out, n_codes, coding, flat, report)
        if not held_out.surely_less(found.distances[found.best], linear.distances[0]):
            return linear
    return found


def begin(rows: Rows, plan: ManifoldPlan, first: Round) -> tuple[Coding, int]:
    """Return the map of rows to their first codes (coordinates), and the number of codes.

    The directions of GFR and the principal directions are tried, and for closed curves the angles
    in the planes of principal directions. `first` is the first round of the fit.
    """
    lower = rows.covariance()
    covariance = np.tril(lower) + np.tril(lower, -1).T
    values, vectors = eigh(covariance)
    n_codes = min(plan.n_codes, int(np.sum(values > VARIES * values[-1])))
    if not n_codes:
        raise ValueError("All columns of X are constant: there is nothing to describe.")
    principal = vectors[:, ::-1].T
    starts: list[LinearStart | AngleStart] = [linear_start(principal[:n_codes], covariance)]
    if not is_linear(first.family):
        directions = _directions(rows, lower, principal, first, n_codes)
        starts.append(linear_start(directions, covariance))
    if isinstance(first.family, Fourier) and 2 * n_codes <= rows.n_columns:
        # principal directions come in pairs: a cosine, then its sine
        order = np.arange(2 * n_codes).reshape(n_codes, 2).T.ravel()
        plane = linear_start(principal[order], covariance)
        starts.append(AngleStart(plane, first.family.frequency))
    codings = [Coding(plan.search, start) for start in starts]
    return best_start(rows, n_codes, codings, first), n_codes


def _directions(rows: Rows, lower: Array, principal: Array, first: Round, n_codes: int) -> Array:
    """Return the directions of GFR, completed by principal directions if they are too few.

    Parameters
    ----------
    rows : Rows
        Centred rows.
    lower : array
        The lower triangle of their covariance, which is overwritten.
    principal : array
        The principal directions, one per row.
    first : Round
        The family and the penalty of GFR.
    n_codes : int
        The number of directions.
    """
    chooser = TopEigenvector(MatrixCovariance(lower), unit=1.0, threshold=None)
    penalty = max(first.alpha, MIN_ALPHA)
    pursue(chooser, Gram(rows, first.family, alphas=(penalty,)), Limits(n_steps=n_codes))
    found = np.reshape(chooser.directions, (-1, rows.n_columns))
    # Gram-Schmidt by Householder: parts of principal directions outside the span of GFR's
    together = np.vstack([found, principal[:n_codes]])
    complete = np.linalg.qr(together.T)[0].T[:n_codes]
    complete[: len(found)] = found
    return complete
