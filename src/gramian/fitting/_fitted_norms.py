"""Fitted model of UFFS: one immutable value."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array, IntArray
from gramian.families import Multilinear
from gramian.fitting._any_model import AnyModel, Asked, Steps, ending_of
from gramian.fitting._cautions import (
    FEWER_FUNCTIONS,
    Caution,
    Remedy,
    of_dependence,
    of_functions,
)
from gramian.fitting._gaps import Gaps


@dataclass(frozen=True, eq=False)
class FittedNorms(AnyModel):
    """Result of UFFS: the Fourier norms, and the features that they select."""

    chosen: IntArray
    """Indices of the selected features, by decreasing Fourier norm."""
    norms: Array
    """Fourier norm of each feature."""
    family: Multilinear
    record: Steps
    """Residual variances, one step per feature in the given order."""
    asked: Asked
    gaps: Gaps | None = None
    """Treatment of missing values; None if no value was missing. Model files do not hold it."""

    selects = True
    explains = False
    thing = "column"

    @property
    def support(self) -> NDArray[np.bool_]:
        """The mask of the selected features."""
        support = np.zeros(self.n_columns, dtype=bool)
        support[self.chosen] = True
        return support

    @property
    def kept_names(self) -> list[str]:
        """The names of the selected features, by decreasing Fourier norm."""
        return [self.column_names[i] for i in self.chosen]

    @property
    def n_rows(self) -> int:
        """The number of rows of the fit."""
        return self.record.n_rows

    @property
    def n_functions(self) -> int:
        """The number of functions, including the constant."""
        return self.record.n_functions

    @property
    def freedom(self) -> float:
        """The largest number of functions of any step, including the constant."""
        return float(self.record.degrees_of_freedom.max())

    @property
    def left(self) -> Array:
        """The residual share of variance before each feature's turn and after the last."""
        return self.record.total / (self.record.total[0] or 1.0)

    @property
    def ending(self) -> str:
        """The sentence that says why the fit ended."""
        return ending_of(self.record.stop_reason)

    @property
    def cautions(self) -> list[Caution]:
        """Doubts about the fit that the user should know."""
        steps = self.record
        n_steps = len(steps.n_kept) if steps.stop_reason == "saturated" else None
        return [
            *of_functions(self.freedom, steps.n_rows, n_steps, self.remedies),
            *of_dependence(steps.orthogonality_loss),
        ]

    @property
    def remedies(self) -> tuple[Remedy, ...]:
        """Changes that help against too many functions, the best first."""
        return FEWER_FUNCTIONS
