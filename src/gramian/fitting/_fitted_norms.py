"""Fitted model of UFFS: one immutable value."""

from __future__ import annotations

from dataclasses import dataclass

from gramian._support.types import Array
from gramian.families import Multilinear
from gramian.fitting._any_model import SteppedModel
from gramian.fitting._cautions import (
    FEWER_FUNCTIONS,
    Caution,
    Remedy,
    of_dependence,
    of_functions,
)
from gramian.fitting._kept_variables import KeptColumns


@dataclass(frozen=True, eq=False)
class FittedNorms(SteppedModel):
    """Result of UFFS: the Fourier norms, and the features that they select.

    The selected features are sorted by decreasing Fourier norm. The record has one step for each
    feature, in the given order.
    """

    kept: KeptColumns
    norms: Array
    """Fourier norm of each feature."""
    family: Multilinear
    explains = False

    @property
    def cautions(self) -> list[Caution]:
        """Doubts about the fit that the user should know."""
        steps = self.record
        n_steps = len(steps.n_kept) if steps.stop_reason == "saturated" else None
        return [
            *of_functions(self.freedom, steps.n_rows - steps.n_copies, n_steps, self.remedies),
            *of_dependence(steps.orthogonality_loss),
        ]

    @property
    def remedies(self) -> tuple[Remedy, ...]:
        """Changes of parameters that help if there are too many functions, the best first."""
        return FEWER_FUNCTIONS
