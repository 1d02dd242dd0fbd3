"""What is known of the functions that candidates would bring."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gramian._support.types import Array
from gramian.core.gain._frame import Frame, Frames, Newcomer
from gramian.core.rows import Rows

KEPT_BYTES = 2**29
"""What is known of candidates takes at most about this much memory."""


@dataclass(frozen=True)
class ScaledMoments:
    """Functions of a set: covariances among them and with X, each scaled to norm one.

    As in the pursuit, the norm is the root of E[f²], before the mean is subtracted.
    """

    mean: Array
    """E[f], of functions that are not scaled."""
    norm: Array
    gram: Array
    with_x: Array


@dataclass(frozen=True)
class Candidate:
    """The functions of a candidate: `ScaledMoments`, and their covariances with those of a set."""

    column: int
    newcomer: Newcomer
    frame: Frame
    """The set."""
    moments: ScaledMoments
    cross: Array
    """An array of shape (n_candidate_functions, n_set_functions)."""

    @property
    def n_bytes(self) -> int:
        """The memory taken."""
        moments = self.moments
        return self.cross.nbytes + moments.gram.nbytes + moments.with_x.nbytes


class Candidates(ABC):
    """What is known of candidates; sums over rows are taken only for what is not known yet.

    When a column joins the set, products with it are new, and all others stay. When one leaves,
    products with it are forgotten.

    Parameters
    ----------
    rows : Rows
        The table.
    frames : Frames
        Says which functions there are.
    covariance : array of shape (n_columns, n_columns)
        E[XXᵀ] of the scaled columns: all that is needed where functions are the columns themselves.
    """

    def __init__(self, rows: Rows, frames: Frames, covariance: Array) -> None:
        self._rows = rows
        self._frames = frames
        self._covariance = covariance

    def of(self, columns: Sequence[int], frame: Frame, moments: ScaledMoments) -> list[Candidate]:
        """Return what is known of candidates outside a set.

        Parameters
        ----------
        columns : sequence of int
            The candidates.
        frame : Frame
            The set.
        moments : ScaledMoments
            Those of the set's functions.
        """
        newcomers = dict(zip(columns, self._frames.newcomers(frame, columns), strict=True))
        alone = frame.n_functions == len(frame.members)
        if alone and all(len(each.involves) == 1 for each in newcomers.values()):
            return [self._linear(c, newcomers[c], frame) for c in columns]
        return self._of(newcomers, frame, moments)

    def _linear(self, column: int, newcomer: Newcomer, frame: Frame) -> Candidate:
        """Return a candidate that brings nothing but itself to a set of which the same holds."""
        with_x = self._covariance[[column]]
        moments = ScaledMoments(np.zeros(1), np.ones(1), with_x[:, [column]], with_x)
        return Candidate(column, newcomer, frame, moments, with_x[:, frame.columns])

    @abstractmethod
    def _of(
        self, newcomers: dict[int, Newcomer], frame: Frame, moments: ScaledMoments
    ) -> list[Candidate]:
        """Return what is known of candidates with functions of any kind."""
