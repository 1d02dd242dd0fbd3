"""How PolynomialManifold is fitted to centred rows: where it begins, and which rounds it makes."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.linalg import eigh

from gramian._choosers import TopEigenvector
from gramian._covariance import MatrixCovariance
from gramian._pursuit import Limits, pursue
from gramian._types import Array
from gramian._words import percent
from gramian.families import Family, Fourier, by_name
from gramian.manifold import (
    LINEAR,
    AngleStart,
    Choices,
    Coding,
    Exploration,
    Fit,
    LinearStart,
    Round,
    Search,
    Terms,
    best_start,
    explore,
    fit_rounds,
    linear_start,
)
from gramian.orthogonalize import Gram
from gramian.rows import RowBlock, Rows

VARIES = 1e-12
"""A direction with less than this share of the largest variance is not worth a code."""
MIN_ALPHA = 0.01
"""The least penalty with which directions to begin with are looked for."""
EXPLORED_ALPHAS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
"""Among these chooses `alpha="auto"`."""
WORTH = 0.003
"""A share of the held-out error that is worth another round."""
DEGREES = (2, 3, 4, 5)
"""Among these, and a flat surface, chooses `degree="auto"`, as far as there are rows for them."""
MAX_FUNCTIONS = 5000
"""No degree with more functions is tried by `degree="auto"`."""
MAX_ROUNDS = 20
"""With each degree, where `n_rounds="auto"`."""


@dataclass(frozen=True)
class Plan:
    """What is asked for."""

    n_codes: int
    families: Sequence[Family]
    """Each begins where the one before ends."""
    alphas: Sequence[float]
    max_rounds: int
    search: Search
    degree_is_free: bool
    """Whether held-out rows choose among the families."""
    verbose: bool

    def rounds(self) -> list[Round]:
        """Return all rounds, where there is nothing to choose."""
        (alpha,) = self.alphas
        return [Round(family, alpha) for family in self.families for _ in range(self.max_rounds)]

    def report(self, name: str) -> Any:
        """Return what is called after every round, if anything is."""
        if not self.verbose:
            return None
        return lambda choice, left: print(
            f"[PolynomialManifold] {name}: {choice.family}, alpha={choice.alpha:g}: "
            f"{percent(left)} left"
        )


def make_plan(
    n_codes: int,
    family: str | Family,
    degree: int | Literal["auto"],
    alpha: float | Literal["auto"],
    n_rounds: int | Literal["auto"],
    n_rows: int,
    search: Search,
    *,
    verbose: bool,
) -> Plan:
    """Return what parameters ask for; of degrees no more than there are rows for."""
    free = False
    if isinstance(family, Family):
        families = leading_to(deepcopy(family))
        Terms(families[-1], 1)  # complains of functions without derivatives
    elif degree == "auto":
        free = True
        most = min(MAX_FUNCTIONS, n_rows // 2)
        each = (by_name(family, degree) for degree in DEGREES)
        families = [one for one in each if one.count(n_codes) <= most] or [LINEAR]
    else:
        families = leading_to(by_name(family, degree))
    return Plan(
        n_codes,
        families,
        EXPLORED_ALPHAS if alpha == "auto" else (float(alpha),),
        MAX_ROUNDS if n_rounds == "auto" else int(n_rounds),
        search,
        free,
        verbose,
    )


def leading_to(family: Family) -> list[Family]:
    """Return the same family with lower degrees from 2 on, and itself: each leads to the next.

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
    """Return whether the variables themselves are the only functions."""
    return family.count(2) == 2


def run(rows: Rows, plan: Plan, rounds: Sequence[Round]) -> Fit:
    """Make these rounds, from the best start.

    Parameters
    ----------
    rows : Rows
        Centred rows.
    plan : Plan
        What is asked for.
    rounds : sequence of Round
        The rounds to make.
    """
    coding, n_codes = begin(rows, plan, rounds[0])
    return fit_rounds(rows, n_codes, coding, rounds, plan.report("fit"))


def decide(rows: Rows, held_out: RowBlock, plan: Plan) -> tuple[Exploration, int]:
    """Let held-out rows decide, and return all rounds that were tried and how many to make.

    Parameters
    ----------
    rows : Rows
        Centred rows.
    held_out : RowBlock
        Rows that take no part in the sums.
    plan : Plan
        What is asked for.
    """
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
        if linear.errors[0] <= found.errors.min():
            found = linear
    return found, found.best + 1


def begin(rows: Rows, plan: Plan, first: Round) -> tuple[Coding, int]:
    """Return the codes to begin with, and their number.

    GFR's directions and principal ones are tried, and for closed curves the angles in the planes
    of principal directions.
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
        plane = linear_start(principal[: 2 * n_codes], covariance)
        starts.append(
            AngleStart(
                LinearStart(plane.matrix[:, ::2], plane.offset[::2]),
                LinearStart(plane.matrix[:, 1::2], plane.offset[1::2]),
                first.family.frequency,
            )
        )
    codings = [Coding(plan.search, start) for start in starts]
    return best_start(rows, n_codes, codings, first), n_codes


def _directions(rows: Rows, lower: Array, principal: Array, first: Round, n_codes: int) -> Array:
    """Return GFR's directions, completed by principal ones if these are too few."""
    chooser = TopEigenvector(MatrixCovariance(lower), unit=1.0, threshold=None)
    penalty = max(first.alpha, MIN_ALPHA)
    pursue(chooser, Gram(rows, first.family, alphas=(penalty,)), Limits(n_steps=n_codes))
    found = np.reshape(chooser.directions, (-1, rows.n_columns))
    # Gram-Schmidt by Householder: what principal directions add to those found
    together = np.vstack([found, principal[:n_codes]])
    complete = np.linalg.qr(together.T)[0].T[:n_codes]
    complete[: len(found)] = found
    return complete
