"""The pursuit, the one loop behind GFR, GCA, GFS, GFA and UFFS.

choose a direction  →  substitute it into the next variable of F(z)
                    →  orthogonalize the new functions against the old ones
                    →  subtract X's projections on them  →  repeat
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from gramian._support.blas import threads_for
from gramian.core.orthogonalize import Orthogonalizer
from gramian.core.pursuit._choosers import Chooser
from gramian.core.pursuit._validation import HeldOut
from gramian.core.sums import Direction

StopReason = Literal[
    "n_components",
    "n_features_to_select",
    "threshold",
    "explained_variance",
    "early_stopping",
    "saturated",
    "exhausted",
    "max_functions",
]


@dataclass(frozen=True)
class Limits:
    """Rules that end a pursuit, besides the threshold of the chooser; None if there is no limit."""

    n_steps: int | None = None
    count_name: Literal["n_components", "n_features_to_select"] = "n_components"
    """Name of the parameter for the number of steps."""
    explained: float | None = None
    """Share of the total variance to explain."""
    max_functions: int | None = None
    """Largest number of functions, without the constant."""
    patience: int | None = None
    """Number of steps without improvement on held-out rows after which the pursuit ends."""
    tolerance: float = 0.0
    """Least share of the total variance of held-out rows that counts as an improvement."""


@dataclass
class Trace:
    """Numbers about each step of a pursuit: residual variances, functions added and dropped."""

    largest: list[float]
    """Largest residual variance before each step and after the last."""
    total: list[float]
    """Total residual variance before each step and after the last."""
    n_kept: list[int] = field(default_factory=list)
    """Number of functions that each step added."""
    n_dropped: list[int] = field(default_factory=list)
    """Number of functions that each step dropped as combinations of others."""
    degrees_of_freedom: list[float] = field(default_factory=lambda: [1.0])
    """Effective number of functions before each step and after the last."""
    alpha: list[float] = field(default_factory=list)
    """Penalty that was used after each step."""
    stop_reason: StopReason = "exhausted"

    @property
    def explained(self) -> float:
        """The share of the total variance that the functions explain."""
        return 1 - self.total[-1] / self.total[0] if self.total[0] > 0 else 1.0

    def stop(self, reason: StopReason) -> Trace:
        """Record the reason why the pursuit ends, and return the trace itself."""
        self.stop_reason = reason
        return self


def pursue(
    chooser: Chooser,
    orthogonalizer: Orthogonalizer,
    limits: Limits,
    held_out: HeldOut | None = None,
    callback: Callable[[Trace], None] | None = None,
) -> Trace:
    """Choose directions until a limit is reached, and return the trace.

    Parameters
    ----------
    chooser : Chooser
        The candidates; it keeps the directions that were chosen.
    orthogonalizer : Orthogonalizer
        The functions of the directions so far.
    limits : Limits
        The rules that end the pursuit.
    held_out : HeldOut, optional
        The evaluation on held-out rows, which chooses the penalty.
    callback : callable, optional
        Function that is called with the trace after each step.
    """
    trace = Trace([chooser.largest], [chooser.total])
    n_functions = 0
    while True:
        if limits.n_steps is not None and len(trace.n_kept) >= limits.n_steps:
            return trace.stop(limits.count_name)
        if limits.explained is not None and trace.explained >= limits.explained:
            return trace.stop("explained_variance")
        with threads_for(0):
            direction = chooser.choose(orthogonalizer.noise)
        if not isinstance(direction, Direction):
            return trace.stop(direction)
        block = orthogonalizer.substitute(direction)
        n_functions += block.n_functions
        if limits.max_functions is not None and n_functions > limits.max_functions:
            chooser.undo()
            return trace.stop("max_functions")
        with threads_for(orthogonalizer.work):
            added = orthogonalizer.orthogonalize(block)
        if held_out is not None:
            orthogonalizer.use = held_out.observe(orthogonalizer.steps[-1], added)
        factor = orthogonalizer.factors[orthogonalizer.use]
        if orthogonalizer.saturated:
            chooser.vanish()
        else:
            chooser.subtract([each.coefficients for each in added.extensions], orthogonalizer.use)
        trace.n_kept.append(added.n_kept)
        trace.n_dropped.append(added.n_dropped)
        trace.degrees_of_freedom.append(factor.degrees_of_freedom)
        trace.alpha.append(factor.alpha)
        trace.largest.append(chooser.largest)
        trace.total.append(chooser.total)
        if callback is not None:
            callback(trace)
        if orthogonalizer.saturated:
            return trace.stop("saturated")
        patience = limits.patience
        if held_out and patience and held_out.stalled(patience, limits.tolerance):
            return trace.stop("early_stopping")


def joined_traces(traces: Sequence[Trace]) -> Trace:
    """Join the traces of pursuits of several clusters of features, in the order of the clusters.

    In the steps of a cluster, earlier clusters have the residuals after their last step, and later
    clusters have the residuals before their first step.
    """
    if len(traces) == 1:
        return traces[0]
    whole = Trace([], [], stop_reason=traces[-1].stop_reason, degrees_of_freedom=[])
    for i, trace in enumerate(traces):
        if trace.stop_reason != "exhausted":
            whole.stop_reason = trace.stop_reason
        others = [(each.largest[-1], each.total[-1]) for each in traces[:i]]
        others += [(each.largest[0], each.total[0]) for each in traces[i + 1 :]]
        largest = max(other[0] for other in others)
        total = sum(other[1] for other in others)
        new = slice(1 if i else 0, None)
        whole.largest += [max(largest, value) for value in trace.largest[new]]
        whole.total += [total + value for value in trace.total[new]]
        whole.n_kept += trace.n_kept
        whole.n_dropped += trace.n_dropped
        whole.degrees_of_freedom += trace.degrees_of_freedom[new]
    return whole
