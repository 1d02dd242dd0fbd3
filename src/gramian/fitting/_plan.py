"""A fit as a function: from a problem and what is asked for to a fitted model."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar

import numpy as np

from gramian._support.types import Array
from gramian.core.orthogonalize import QR, Gram, Orthogonalizer
from gramian.core.pursuit import Chooser, HeldOut, Limits, Trace, pursue
from gramian.core.rows import Ledger, MemoryRows, RecordedRows, Rows
from gramian.families import Family
from gramian.fitting._fitted_model import FittedModel
from gramian.fitting._left_out import FEW, needs_no_shrinkage
from gramian.fitting._preparation import CheckedData, HoldOut, Preparation, Problem
from gramian.fitting._progress_bar import report_for
from gramian.fitting._record import Record

QR_ROWS = 5000
"""The largest number of rows for which `solver="auto"` is `"qr"`."""
Solver = Literal["auto", "qr", "gram", "moments"]
C = TypeVar("C", bound=Chooser)


@dataclass(frozen=True)
class Request:
    """What a fit is asked for, all choices among families made."""

    algorithm: str
    family: Family
    limits: Limits
    threshold: float | None
    relative: bool = False
    alphas: tuple[float, ...] = (0.0,)
    """The penalties among which held-out rows choose."""
    prescribed: list[int] | None = None
    """The candidates to choose, one after the other, in place of a choice of its own."""
    solver: Solver = "auto"
    checkpoint: str | os.PathLike[str] | None = None
    """The folder for the sums of this fit."""
    last_checkpoint: str | os.PathLike[str] | None = None
    """The folder for the sums of the fit to all rows that may follow."""
    verbose: int = 0
    parameters: Mapping[str, str] = field(default_factory=dict)
    """The parameters on which sums depend, as the user gave them."""

    def without_shrinkage(self) -> Request:
        """Ask for least squares in place of a choice among penalties."""
        folder = None if self.checkpoint is None else Path(self.checkpoint) / "no-shrinkage"
        return replace(self, alphas=(0.0,), checkpoint=folder)

    def describe(self, problem: Problem, rows: Rows) -> dict[str, Any]:
        """Describe the fit for its checkpoint: all that the sums depend on."""
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
            # in units of the scale, so that what is zero up to rounding errors stays so
            "mean": (centring.mean / centring.scale).tolist(),
            "scale": centring.scale.tolist(),
            # comes last: if anything else differs too, that tells more
            "the checksum of the rows": centring.checksum,
        }


def prefers_qr(solver: Solver, alphas: Sequence[float], n_rows: int) -> bool:
    """Return whether rows in memory are orthogonalized by "qr"."""
    plain = tuple(alphas) == (0.0,)
    if solver == "qr" and not plain:
        raise ValueError("solver='qr' cannot shrink, and needs alpha=0. Use solver='auto'.")
    return plain and (solver == "qr" or (solver == "auto" and n_rows <= QR_ROWS))


@dataclass(frozen=True)
class Pursued(Generic[C]):
    """A finished pursuit."""

    chooser: C
    trace: Trace
    orthogonalizer: Orthogonalizer
    held_out: HeldOut | None
    effective_n_rows: float

    def record(self, n_rows: int) -> Record:
        """Return what is kept of how it went."""
        trace, total = self.trace, np.array(self.trace.total)
        freedom = np.array(trace.degrees_of_freedom) / self.effective_n_rows
        gcv = np.full(len(total), np.inf)
        np.divide(total, (1 - freedom) ** 2, out=gcv, where=freedom < 1)
        if trace.stop_reason == "saturated":  # whatever rounding makes of the number of functions
            gcv[-1] = np.inf
        factors, use = self.orthogonalizer.factors, self.orthogonalizer.use
        return replace(
            record_of(trace, n_rows, [self.orthogonalizer]),
            alpha=trace.alpha[-1] if trace.alpha else factors[use].alpha,
            alpha_path=np.array(trace.alpha),
            gcv_total=gcv,
            validation_largest=None if self.held_out is None else np.array(self.held_out.largest),
            validation_total=None if self.held_out is None else np.array(self.held_out.total),
        )


def record_of(trace: Trace, n_rows: int, orthogonalizers: Sequence[Orthogonalizer]) -> Record:
    """Return what a pursuit without penalties records, or several in a row."""
    return Record(
        largest=np.array(trace.largest),
        total=np.array(trace.total),
        degrees_of_freedom=np.array(trace.degrees_of_freedom),
        n_kept=np.array(trace.n_kept, dtype=np.intp),
        n_dropped=np.array(trace.n_dropped, dtype=np.intp),
        stop_reason=trace.stop_reason,
        solver=orthogonalizers[0].name,
        orthogonality_loss=max(each.orthogonality_loss for each in orthogonalizers),
        n_rows=n_rows,
    )


def run(
    problem: Problem,
    request: Request,
    rows: Rows,
    make_chooser: Callable[[int], C],
    make_held_out: Callable[[int], HeldOut | None] = lambda n_penalties: None,
) -> Pursued[C]:
    """Run the pursuit with the solver asked for, or the one that suits the data.

    Parameters
    ----------
    problem : Problem
        The data.
    request : Request
        What is asked for.
    rows : Rows
        The rows of the problem, perhaps in other coordinates.
    make_chooser, make_held_out : callables
        Make a chooser, and what follows the fit on other rows, for a number of penalties.
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
        if folder is not None:
            rows = RecordedRows(rows, Ledger(folder, request.describe(problem, rows)))
        moments = None if request.solver == "auto" else request.solver == "moments"
        orthogonalizer = Gram(rows, family, alphas=alphas, moments=moments)
    chooser, held_out = make_chooser(len(alphas)), make_held_out(len(alphas))
    with report_for(request.verbose, request.algorithm, family, request.limits) as report:
        trace = pursue(chooser, orthogonalizer, request.limits, held_out, report)
    return Pursued(chooser, trace, orthogonalizer, held_out, rows.effective_n_rows)


Algorithm = Callable[[Problem, Request], FittedModel]


@dataclass(frozen=True)
class Plan:
    """How an estimator fits: an algorithm, the requests to compare, and rows that decide."""

    algorithm: Algorithm
    requests: tuple[Request, ...]
    """One for each family among which held-out rows choose."""
    preparation: Preparation
    hold_out: HoldOut | None
    decides: bool
    """Whether held-out rows decide on the family or the penalty, and then take part themselves."""
    prescribes: bool
    """Whether the fit to all rows makes the same choices, or as many new ones."""
    plain: Plan | None = None
    """The same without shrinkage, which is fitted first; it is enough if it predicts rows that are
    left out about as well as the others."""
    is_hopeless: Callable[[Problem, Request], bool] | None = None
    """A cheap test, before that fit, whether a fit without shrinkage will be insufficient."""

    @property
    def families(self) -> list[Family]:
        """The families to compare."""
        return [request.family for request in self.requests]

    def compare(self, data: CheckedData) -> list[FittedModel]:
        """Fit all families to the same rows."""
        problem = data.problem(self.preparation, self.hold_out)
        return [self.algorithm(problem, request) for request in self.requests]

    def fit(self, data: CheckedData) -> FittedModel:
        """Fit, and fit again to all rows where held-out ones had something to decide."""
        if self.plain is not None:
            model = self.plain.fit_if_enough(data)
            if model is not None:
                return model
        models = self.compare(data)
        best = best_of(models) if len(models) > 1 else 0
        if not self.decides or data.validation is not None:
            return models[best]
        request = again(self.requests[best], models[best], prescribe=self.prescribes)
        model = self.algorithm(data.problem(self.preparation, None), request)
        return with_decisions(model, models[best])

    def fit_if_enough(self, data: CheckedData) -> FittedModel | None:
        """Fit, unless functions are many or rows that are left out are predicted badly."""
        problem = data.problem(self.preparation, self.hold_out)
        (request,) = self.requests
        most = int(FEW * problem.rows.effective_n_rows)
        limits = request.limits
        if limits.max_functions is None or limits.max_functions > most:
            limited = replace(request, limits=replace(limits, max_functions=most))
            if self.is_hopeless is not None and self.is_hopeless(problem, limited):
                return None
            model = self.algorithm(problem, limited)
            if model.record.stop_reason == "max_functions":
                return None
        else:
            model = self.algorithm(problem, request)
        return model if needs_no_shrinkage(model, problem) else None


def again(request: Request, model: FittedModel, *, prescribe: bool) -> Request:
    """Ask for the fit to all rows that follows a fit by which held-out rows decided.

    Parameters
    ----------
    request : Request
        What was asked for.
    model : FittedModel
        What held-out rows decided on: the family, the penalty, and how many choices to make.
    prescribe : bool
        Whether the same candidates are chosen again, or as many are chosen anew.
    """
    # With more rows, more may be left of a candidate than the threshold: then it is chosen, too.
    goes_on = prescribe and model.record.stop_reason == "threshold"
    return replace(
        request,
        family=model.family,
        alphas=(model.record.alpha,),
        limits=request.limits if goes_on else Limits(n_steps=len(model.chosen)),
        threshold=request.threshold if prescribe else None,
        prescribed=model.chosen.tolist() if prescribe else None,
        checkpoint=request.last_checkpoint,
    )


def with_decisions(model: FittedModel, decided: FittedModel) -> FittedModel:
    """Return a fit to all rows, with what is known from the one by which rows decided."""
    from_held_out = decided.record
    record = replace(
        model.record,
        validation_largest=from_held_out.validation_largest,
        validation_total=from_held_out.validation_total,
        alpha_path=from_held_out.alpha_path,
        stop_reason=from_held_out.stop_reason,
    )
    model = replace(model, record=record, best_sets=decided.best_sets)
    if decided.elimination is None:
        return model
    return replace(model, elimination=decided.elimination, redundant=decided.redundant)


def shares_left(record: Record) -> Array:
    """Return the share of variance left on held-out rows, by the number of features."""
    left = record.validation_total
    assert left is not None
    return left / (left[0] or 1.0)


def best_of(models: Sequence[FittedModel], n_features: int | None = None) -> int:
    """Return which fit leaves least on held-out rows, at equal numbers of features.

    Parameters
    ----------
    models : sequence of FittedModel
        Fits to the same rows, with the same rows held out.
    n_features : int, optional
        The number of features at which to compare; by default the fewest with which a fit reaches
        its goal. In ties the first fit wins.
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
