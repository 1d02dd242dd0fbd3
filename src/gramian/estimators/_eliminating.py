"""Begin with everything, and drop what functions of the rest explain: GFA and GCA."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from gramian._support.scikit_learn import StrOptions
from gramian.core.elimination import MAX_FUNCTIONS, Preferences, Selection, forward_order, select
from gramian.core.rows import Ledger, RecordedRows, Rows
from gramian.estimators._pursuit_estimator import PursuitEstimator
from gramian.estimators._reconstruction import Reconstruction
from gramian.fitting import FittedModel, Plan, Problem, Request

SHARE = 1e-3
"""The share of a candidate that may be left of it, where no threshold is given: R² ≥ 0.999."""
PUBLISHED = 1e-4
"""The residual variance of the published algorithms, likewise."""
EXACT = 1e-9
"""The share that rounding errors can leave."""
Threshold = float | Literal["auto"] | None


class Eliminating(Reconstruction):
    """Drops redundant candidates, beginning with all of them, or in the published forward pass."""

    _prescribes = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **PursuitEstimator._parameter_constraints,
        "threshold": [*PursuitEstimator._parameter_constraints["threshold"], StrOptions({"auto"})],
        "relative": ["boolean", None],
        "backward": ["boolean"],
        "prove": ["boolean"],
    }

    backward: bool
    prove: bool

    @property
    def _share(self) -> float:
        """The share of a candidate that may be left of it, where no threshold is given."""
        return SHARE

    @property
    def _least(self) -> tuple[float | None, bool]:
        relative = self.backward if self.relative is None else self.relative
        if self.threshold == "auto":
            return self._share if relative else PUBLISHED, relative
        return EXACT if self.threshold is None and self.backward else self.threshold, relative

    def _plan(self) -> Plan:
        if not self.backward:
            if self.prove:
                raise ValueError(
                    "prove=True needs backward=True: only that search can prove that no smaller "
                    "set exists."
                )
            return super()._plan()
        if self.relative is False:
            raise ValueError(
                "With backward=True the threshold is always a share of each variance, so that "
                "units do not matter: relative=False is not possible. Leave relative out, or use "
                "backward=False."
            )
        share, _ = self._least
        assert share is not None
        if not 0 < share < 1:
            raise ValueError(
                "threshold is the share of a variance that an explanation may leave, between 0 and "
                f"1; got {share}. Use for example 0.001, or backward=False for a variance."
            )
        plan = super()._plan()
        if plan.plain is None:
            return plan
        # Rows are left out one by one to decide on the penalty.
        return replace(plan, hold_out=plan.plain.hold_out, decides=False, plain=None)

    @property
    def _search_cost(self) -> dict[str, Any]:
        return {"eliminates": True} if self.backward else {}

    def _attributes(self, model: FittedModel) -> dict[str, Any]:
        found = super()._attributes(model)
        if model.elimination is not None:
            found["elimination_"] = model.elimination
        return found


@dataclass(frozen=True)
class EliminationCandidates:
    """What is to be kept or dropped: columns, or directions, scaled to variance 1."""

    problem: Problem
    rows: Rows
    varies: NDArray[np.bool_]
    preferences: Preferences
    prove: bool


def drop_redundant(
    candidates: EliminationCandidates, request: Request, fit: Callable[[Request], FittedModel]
) -> FittedModel:
    """Find which candidates follow from the others, and fit functions of those that are kept.

    Parameters
    ----------
    candidates : EliminationCandidates
        What is to be kept or dropped.
    request : Request
        What is asked for; choices that it prescribes are kept.
    fit : callable
        Fits functions of prescribed candidates.
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
    for penalty in (alpha, np.inf):  # linear functions, if all of them span the rows
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
    if len(model.chosen) == len(kept):
        record = replace(record, stop_reason="threshold")
    return replace(model, redundant=dropped, record=record, elimination=found)


def _select(candidates: EliminationCandidates, request: Request) -> Selection:
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
