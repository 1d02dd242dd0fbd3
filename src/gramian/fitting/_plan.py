"""Plan of a fit: the algorithm, the parameters to compare, and the rows that decide among them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar

import numpy as np

from gramian._support.types import Array
from gramian.core.orthogonalize import QR, Gram, Orthogonalizer
from gramian.core.pursuit import Chooser, HeldOut, Limits, Trace, pursue
from gramian.core.rows import Ledger, MemoryRows, RecordedRows, Rows
from gramian.families import Family
from gramian.fitting._algorithm import Algorithm
from gramian.fitting._any_model import Record, Steps
from gramian.fitting._checked_data import CheckedData, Preparation, Problem
from gramian.fitting._fitted_model import FittedModel
from gramian.fitting._gaps import Gaps
from gramian.fitting._held_out_rows import HoldOut
from gramian.fitting._left_out import FEW, needs_no_shrinkage
from gramian.fitting._progress_bar import report_for
from gramian.fitting._reach_of_fit import with_reach

QR_ROWS = 5000
"""Largest number of rows for which `solver="auto"` is `"qr"`."""
Solver = Literal["auto", "qr", "gram", "moments"]
C = TypeVar("C", bound=Chooser)


@dataclass(frozen=True)
class Request:
    """Parameters of one fit: one family, one rule to stop, one set of penalties."""

    algorithm: str
    family: Family
    limits: Limits
    threshold: float | None
    relative: bool = False
    alphas: tuple[float, ...] = (0.0,)
    """Penalties among which held-out rows choose."""
    prescribed: list[int] | None = None
    """Candidates to choose one after the other; None if the algorithm chooses."""
    solver: Solver = "auto"
    checkpoint: str | os.PathLike[str] | None = None
    """Folder for the sums of this fit."""
    last_checkpoint: str | os.PathLike[str] | None = None
    """Folder for the sums of the last fit to all rows."""
    verbose: int = 0
    parameters: Mapping[str, str] = field(default_factory=dict)
    """Parameters of the estimator on which sums depend, for the checkpoint."""

    def recorded(self, problem: Problem, rows: Rows, part: str = "") -> Rows:
        """Return rows whose sums are stored in a subfolder of the checkpoint folder.

        Without a checkpoint, return `rows`. `part` is the name of the subfolder.
        """
        if self.checkpoint is None:
            return rows
        return RecordedRows(
            rows, Ledger(Path(self.checkpoint) / part, self.describe(problem, rows))
        )

    def describe(self, problem: Problem, rows: Rows) -> dict[str, Any]:
        """Return a description of everything that sums depend on, for the checkpoint."""
        centring = problem.centring
        return {
            "estimator": self.algorithm,
            "parameters": dict(self.parameters),
            "resolved": {
                "functions": repr(self.family),
                "penalties": repr(self.alphas),
                "prescribed choices": self.prescribed,
            },
            "n_rows": rows.n_rows,
            "n_columns": rows.n_columns,
            # Means in units of the scale: a mean that is 0 up to rounding errors stays comparable.
            "mean": (centring.mean / centring.scale).tolist(),
            "scale": centring.scale.tolist(),
            # The checksum comes last: any other difference tells the user more.
            "the checksum of the rows": centring.checksum,
        }


def prefers_qr(solver: Solver, alphas: Sequence[float], n_rows: int) -> bool:
    """Return True if rows in memory are orthogonalized by `QR`, False if by `Gram`.

    Parameters
    ----------
    solver : str
        The user's choice; "auto" to decide by the other parameters.
    alphas : sequence of float
        The penalties.
    n_rows : int
        The number of rows.
    """
    plain = tuple(alphas) == (0.0,)
    if solver == "qr" and not plain:
        raise ValueError("solver='qr' cannot shrink, and needs alpha=0. Use solver='auto'.")
    return plain and (solver == "qr" or (solver == "auto" and n_rows <= QR_ROWS))


@dataclass(frozen=True)
class Pursued(Generic[C]):
    """Finished pursuit: the chosen directions, residual variances of each step, the functions."""

    chooser: C
    trace: Trace
    orthogonalizer: Orthogonalizer
    held_out: HeldOut | None
    effective_n_rows: float

    def record(self, problem: Problem) -> Record:
        """Return the numbers about each step of the pursuit, in reported units."""
        trace, total = self.trace, np.array(self.trace.total)
        freedom = np.array(trace.degrees_of_freedom) / self.effective_n_rows
        gcv = np.full(len(total), np.inf)
        np.divide(total, (1 - freedom) ** 2, out=gcv, where=freedom < 1)
        if trace.stop_reason == "saturated":  # functions = rows, although rounding may hide it
            gcv[-1] = np.inf
        factors, use = self.orthogonalizer.factors, self.orthogonalizer.use
        return Record(
            **vars(steps_of(trace, problem, [self.orthogonalizer])),
            alpha=trace.alpha[-1] if trace.alpha else factors[use].alpha,
            alpha_path=np.array(trace.alpha),
            gcv_total=gcv,
            validation_largest=None if self.held_out is None else np.array(self.held_out.largest),
            validation_total=None if self.held_out is None else np.array(self.held_out.total),
        )


def steps_of(trace: Trace, problem: Problem, orthogonalizers: Sequence[Orthogonalizer]) -> Steps:
    """Return the numbers about each step of a pursuit, or of several pursuits joined.

    Parameters
    ----------
    trace : Trace
        The residual variances of all steps.
    problem : Problem
        The input of the fit.
    orthogonalizers : sequence of Orthogonalizer
        The functions of each pursuit.
    """
    return Steps(
        largest=np.array(trace.largest),
        total=np.array(trace.total),
        degrees_of_freedom=np.array(trace.degrees_of_freedom),
        n_kept=np.array(trace.n_kept, dtype=np.intp),
        n_dropped=np.array(trace.n_dropped, dtype=np.intp),
        stop_reason=trace.stop_reason,
        solver=orthogonalizers[0].name,
        orthogonality_loss=max(each.orthogonality_loss for each in orthogonalizers),
        n_rows=problem.n_samples,
        n_copies=problem.n_samples - problem.rows.n_rows,
    )


def run(
    problem: Problem,
    request: Request,
    rows: Rows,
    chooser: C,
    held_out: HeldOut | None,
) -> Pursued[C]:
    """Run the pursuit with the requested solver; "auto" takes the solver that suits the data.

    Parameters
    ----------
    problem : Problem
        The prepared data.
    request : Request
        The parameters of the fit.
    rows : Rows
        The rows of the problem, in the coordinates of the candidates.
    chooser : Chooser
        The candidates, with residuals for each penalty of the request.
    held_out : HeldOut or None
        The evaluation on held-out rows, for each penalty of the request.
    """
    alphas, family, folder = request.alphas, request.family, request.checkpoint
    wants_qr = folder is None and prefers_qr(request.solver, alphas, rows.n_rows)
    orthogonalizer: Orthogonalizer
    if wants_qr and isinstance(rows, MemoryRows):
        orthogonalizer = QR(rows, family)
    elif request.solver == "qr":
        raise ValueError(
            "solver='qr' needs all rows in memory, and no checkpoint. Use solver='gram'."
        )
    else:
        rows = request.recorded(problem, rows)
        moments = None if request.solver == "auto" else request.solver == "moments"
        orthogonalizer = Gram(rows, family, alphas=alphas, moments=moments)
    limits = request.limits
    if request.verbose:
        with report_for(request.verbose, request.algorithm, family, limits) as report:
            trace = pursue(chooser, orthogonalizer, limits, held_out, report)
    else:
        trace = pursue(chooser, orthogonalizer, limits, held_out)
    return Pursued(chooser, trace, orthogonalizer, held_out, rows.effective_n_rows)


@dataclass(frozen=True)
class Plan:
    """Steps of a fit: least squares, a comparison on held-out rows, a last fit to all rows.

    Steps that are not needed are not made.
    """

    algorithm: Algorithm
    requests: tuple[Request, ...]
    """One request for each family to compare."""
    preparation: Preparation
    hold_out: HoldOut | None
    """Rows to hold out in the comparison."""
    decides: bool
    """True if held-out rows decide on the family or the penalty, and then join the last fit."""
    plain: Request | None = None
    """Request without shrinkage, which is fitted first. Its fit is the result if least squares
    predict left-out rows about as well as fitted rows."""
    watched: HoldOut | None = None
    """Rows to hold out of the fit without shrinkage, only to measure residuals on them."""

    def without_gaps(self, data: CheckedData) -> tuple[CheckedData, Gaps | None]:
        """Return data without missing values, and how missing values were treated.

        The second value is None if no value is missing.
        """
        families = [request.family for request in self.requests]
        hold_out = self.hold_out if self.plain is None else self.watched
        return data.without_gaps(self.preparation, hold_out, families)

    def fit_any(self, data: CheckedData) -> FittedModel:
        """Fill gaps or leave rows with gaps out, fit, and return the fitted model."""
        complete, gaps = self.without_gaps(data)
        return replace(self.fit(complete), gaps=gaps)

    def fit(self, data: CheckedData) -> FittedModel:
        """Fit to data without missing values, and return the fitted model."""
        model = None if self.plain is None else self._fit_plain(data, self.plain)
        if model is not None:
            return model
        problem = data.problem(self.preparation, self.hold_out)
        models = [self.algorithm.fit(problem, request) for request in self.requests]
        best = best_of(models) if len(models) > 1 else 0
        if not self.decides or data.validation is not None:
            return within_reach(models[best], problem, self.requests[best])
        request = again(self.requests[best], models[best], prescribe=self.algorithm.repeats)
        problem = data.problem(self.preparation, None)
        model = self.algorithm.fit(problem, request)
        return within_reach(with_decisions(model, models[best]), problem, request)

    def compare(self, data: CheckedData) -> list[FittedModel]:
        """Return one fitted model for each request, all fitted to the same rows."""
        problem = data.problem(self.preparation, self.hold_out)
        return [
            within_reach(self.algorithm.fit(problem, each), problem, each) for each in self.requests
        ]

    def _fit_plain(self, data: CheckedData, request: Request) -> FittedModel | None:
        """Fit without a penalty; return None if left-out rows are predicted badly.

        The fit ends early if it has more than `FEW` functions per row: it would be rejected anyway.
        """
        problem = data.problem(self.preparation, self.watched)
        most, limits = int(FEW * problem.rows.effective_n_rows), request.limits
        limited = limits.max_functions is None or limits.max_functions > most
        if limited:
            request = replace(request, limits=replace(limits, max_functions=most))
            needs_shrinkage = self.algorithm.needs_shrinkage
            if needs_shrinkage is not None and needs_shrinkage(problem, request):
                return None
        model = self.algorithm.fit(problem, request)
        if limited and model.record.stop_reason == "max_functions":
            return None
        if not needs_no_shrinkage(model, problem):
            return None
        return within_reach(model, problem, request)


def again(request: Request, model: FittedModel, *, prescribe: bool) -> Request:
    """Return the parameters of the last fit, to all rows, after held-out rows have decided.

    Parameters
    ----------
    request : Request
        The parameters of the earlier fit, in which held-out rows decided.
    model : FittedModel
        The earlier fit: it gives the family, the penalty, and the number of choices.
    prescribe : bool
        True to choose the candidates of the earlier fit again; False to choose an equal number
        anew.
    """
    # With more rows, the residual of a further candidate may exceed the threshold: choose it, too.
    goes_on = prescribe and model.record.stop_reason == "threshold"
    return replace(
        request,
        family=model.family,
        alphas=(model.record.alpha,),
        limits=request.limits if goes_on else Limits(n_steps=len(model.kept.chosen)),
        threshold=request.threshold if prescribe else None,
        prescribed=model.kept.chosen.tolist() if prescribe else None,
        checkpoint=request.last_checkpoint,
    )


def within_reach(model: FittedModel, problem: Problem, request: Request) -> FittedModel:
    """Return a fit whose decoder has the ranges of its functions over the rows of the fit."""
    rows = request.recorded(problem, problem.rows, "ranges")
    return with_reach(model, rows, problem.centring.scale)


def with_decisions(model: FittedModel, decided: FittedModel) -> FittedModel:
    """Return the fit `model` to all rows, with the held-out residuals of the fit `decided`.

    Parameters
    ----------
    model : FittedModel
        The last fit, to all rows.
    decided : FittedModel
        The fit before it, in which held-out rows decided.
    """
    from_held_out = decided.record
    record = replace(
        model.record,
        validation_largest=from_held_out.validation_largest,
        validation_total=from_held_out.validation_total,
        alpha_path=from_held_out.alpha_path,
        stop_reason=from_held_out.stop_reason,
    )
    search = decided.search if decided.search.precedes_pursuit else model.search
    return replace(model, record=record, search=search)


def shares_left(record: Record) -> Array:
    """Return the share of variance of held-out rows that is not explained after each step."""
    left = record.validation_total
    assert left is not None
    return left / (left[0] or 1.0)


def best_of(models: Sequence[FittedModel], n_features: int | None = None) -> int:
    """Return the index of the fit with the least residual on held-out rows.

    Parameters
    ----------
    models : sequence of FittedModel
        Fits to the same rows, with the same rows held out.
    n_features : int, optional
        The number of features at which fits are compared; by default the smallest number with
        which a fit reaches its goal. In ties the first fit wins.
    """
    records = [model.record for model in models]
    complete = [each.stop_reason != "max_functions" for each in records]
    if n_features is None:
        counts = [len(each.n_kept) for each in records]
        ended = [count for count, whole in zip(counts, complete, strict=True) if whole]
        n_features = min(ended or counts)
    left = []
    for record, whole in zip(records, complete, strict=True):
        shares = shares_left(record)
        reached = whole or len(shares) > n_features
        left.append(shares[min(n_features, len(shares) - 1)] if reached else np.inf)
    return int(np.argmin(left))
