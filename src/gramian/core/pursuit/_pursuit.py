"""The pursuit, the one loop behind GFR, GCA, GFS, GFA and UFFS.

choose a direction  →  substitute it into the next variable of F(z)
                    →  orthogonalize the new functions against the old ones
                    →  subtract X's projections on them  →  repeat
"""

from __future__ import annotations

from collections.abc import Callable
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
    """When to stop, besides the chooser's own threshold; None where there is no limit."""

    n_steps: int | None = None
    count_name: Literal["n_components", "n_features_to_select"] = "n_components"
    """What the user calls the number of steps."""
    explained: float | None = None
    """A share of the total variance."""
    max_functions: int | None = None
    """Counted without the constant."""
    patience: int | None = None
    """Steps without an improvement on held-out rows."""
    tolerance: float = 0.0
    """The share of the total variance on held-out rows that counts as an improvement."""


@dataclass
class Trace:
    """What the pursuit saw, step by step."""

    largest: list[float]
    """The largest residual variance before each step and after the last."""
    total: list[float]
    """The total residual variance, likewise."""
    n_kept: list[int] = field(default_factory=list)
    """Functions that each step added."""
    n_dropped: list[int] = field(default_factory=list)
    """Functions that each step dropped as combinations of others."""
    degrees_of_freedom: list[float] = field(default_factory=lambda: [1.0])
    """The effective number of functions before each step and after the last."""
    alpha: list[float] = field(default_factory=list)
    """The penalty that counted after each step."""
    stop_reason: StopReason = "exhausted"

    @property
    def explained(self) -> float:
        """The share of the total variance that the functions explain."""
        return 1 - self.total[-1] / self.total[0] if self.total[0] > 0 else 1.0

    def stop(self, reason: StopReason) -> Trace:
        """Note why the pursuit ends."""
        self.stop_reason = reason
        return self


def pursue(
    chooser: Chooser,
    orthogonalizer: Orthogonalizer,
    limits: Limits,
    held_out: HeldOut | None = None,
    callback: Callable[[Trace], None] | None = None,
) -> Trace:
    """Choose directions until a limit is reached, and return what was seen on the way.

    Parameters
    ----------
    chooser : Chooser
        The candidates; it keeps the directions that were chosen.
    orthogonalizer : Orthogonalizer
        The functions of the directions so far.
    limits : Limits
        When to stop.
    held_out : HeldOut, optional
        Rows that take no part in the expectations; they decide which penalty to use.
    callback : callable, optional
        Called after each step.
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
