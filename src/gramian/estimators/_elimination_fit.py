"""Elimination for GFA and GCA: begin with all candidates, and drop those that others explain.

Candidates are columns (GFA) or directions of a basis (GCA).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from gramian._support.scikit_learn import StrOptions
from gramian.core.elimination import (
    EXACT_SHARE,
    MAX_FUNCTIONS,
    Preferences,
    Selection,
    forward_order,
    select,
)
from gramian.core.rows import Ledger, RecordedRows, Rows
from gramian.estimators._pursuit_estimator import PursuitEstimator
from gramian.fitting import EliminationSearch, FittedModel, Problem, RedundancySearch, Request

SHARE = 1e-3
"""Residual share of variance below which `threshold="auto"` calls a candidate redundant:
R² ≥ 0.999."""
PUBLISHED = 1e-4
"""Residual variance below which the published algorithms call a candidate redundant by default."""
Threshold = float | Literal["auto"] | None
CONSTRAINTS: dict[str, list[Any]] = {
    "threshold": [*PursuitEstimator._parameter_constraints["threshold"], StrOptions({"auto"})],
    "relative": ["boolean", None],
    "backward": ["boolean"],
    "prove": ["boolean"],
}
"""Constraints of the parameters that GFA and GCA share."""


def threshold_of(
    threshold: Threshold, relative: bool | None, *, backward: bool, share: float = SHARE
) -> tuple[float | None, bool]:
    """Return the threshold as a number, and True if it is a share of each variance.

    Parameters
    ----------
    threshold, relative, backward
        The parameters of GFA and GCA.
    share : float
        The share that "auto" stands for.
    """
    relative = backward if relative is None else relative
    if threshold == "auto":
        return share if relative else PUBLISHED, relative
    return EXACT_SHARE if threshold is None and backward else threshold, relative


def check_elimination(share: float | None, relative: bool | None) -> None:
    """Raise an error if the threshold is not a share of a variance.

    Parameters
    ----------
    share : float
        The threshold.
    relative : bool or None
        The parameter `relative` of GFA and GCA.
    """
    if relative is False:
        raise ValueError(
            "With backward=True the threshold is always a share of each variance, so that "
            "units do not matter: relative=False is not possible. Leave relative out, or use "
            "backward=False."
        )
    assert share is not None
    if not 0 < share < 1:
        raise ValueError(
            "threshold is the share of a variance that an explanation may leave, between 0 and "
            f"1; got {share}. Use for example 0.001, or backward=False for a variance."
        )


def check_published(*, prove: bool) -> None:
    """Raise an error for `prove`, which only the search with ``backward=True`` has."""
    if prove:
        raise ValueError(
            "prove=True needs backward=True: only that search can prove that no smaller set exists."
        )


@dataclass(frozen=True)
class EliminationCandidates:
    """Candidates to keep or drop: columns or directions, scaled to variance 1."""

    problem: Problem
    rows: Rows
    """Rows in the coordinates of the candidates."""
    varies: NDArray[np.bool_]
    """Mask of the candidates that take part; the others are dropped."""
    preferences: Preferences
    prove: bool
    """True if all smaller sets are searched."""


def drop_redundant(
    candidates: EliminationCandidates, request: Request, fit: Callable[[Request], FittedModel]
) -> FittedModel:
    """Drop candidates that functions of the others explain, and fit functions of the kept ones.

    Candidates are columns (GFA) or directions of a basis (GCA).

    Parameters
    ----------
    candidates : EliminationCandidates
        The candidates to keep or drop.
    request : Request
        The parameters of the fit. If it prescribes candidates, they are kept without a search.
    fit : callable
        Function from a request that prescribes candidates to a fitted model.
    """
    rows = candidates.rows
    kept: Sequence[int] | None = request.prescribed
    alpha, found = request.alphas[0], None
    if kept is None:
        found = _select(candidates, request)
        alpha = found.alpha
        ranks = [candidates.preferences.order_of(j) for j in found.kept]
        kept = [found.kept[i] for i in forward_order(rows.covariance(), found.kept, ranks)]
    most = request.limits.n_steps
    n_steps = len(kept) if most is None else min(most, len(kept))
    folder = request.checkpoint
    for penalty in (alpha, np.inf):  # linear functions if the family spans all rows
        if folder is not None and penalty != alpha:
            folder = Path(folder) / "linear"
        again = replace(
            request,
            checkpoint=folder,
            limits=replace(request.limits, n_steps=n_steps),
            threshold=None,
            alphas=(penalty,),
            prescribed=list(kept),
            solver="auto" if request.solver == "qr" and penalty > 0 else request.solver,
        )
        model = fit(again)
        if model.record.stop_reason != "saturated":
            break
    dropped = np.setdiff1d(np.arange(rows.n_columns), kept)
    record = model.record
    if len(model.kept.chosen) == len(kept):
        record = replace(record, stop_reason="threshold")
    search = RedundancySearch(dropped) if found is None else EliminationSearch(dropped, found)
    return replace(model, record=record, search=search)


def _select(candidates: EliminationCandidates, request: Request) -> Selection:
    """Search for the candidates to keep: columns (GFA) or directions of a basis (GCA)."""
    rows = candidates.rows
    if request.checkpoint is not None:
        folder = Path(request.checkpoint) / "elimination"
        rows = RecordedRows(rows, Ledger(folder, request.describe(candidates.problem, rows)))
    assert request.threshold is not None
    return select(
        rows,
        request.family,
        varies=np.flatnonzero(candidates.varies).tolist(),
        threshold=request.threshold,
        alpha=request.alphas[0] if len(request.alphas) == 1 else "auto",
        preferences=candidates.preferences,
        prove=candidates.prove,
        max_functions=request.limits.max_functions or MAX_FUNCTIONS,
    )
