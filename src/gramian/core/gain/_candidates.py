"""Moments of the functions that candidates would bring to a set."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gramian._support.types import Array
from gramian.core.gain._frame import Frame, Frames, Newcomer
from gramian.core.rows import Rows

KEPT_BYTES = 2**29
"""Approximate limit in bytes of the stored moments of candidates."""


@dataclass(frozen=True)
class ScaledMoments:
    """Covariances of functions with each other and with X, each function scaled to norm one.

    As in the pursuit, the norm is the root of E[f²], before the mean is subtracted.
    """

    mean: Array
    """E[f] of the functions before scaling."""
    norm: Array
    gram: Array
    with_x: Array


@dataclass(frozen=True)
class Candidate:
    """The functions of a candidate: their moments, and covariances with functions of a set."""

    column: int
    newcomer: Newcomer
    frame: Frame
    """The set."""
    moments: ScaledMoments
    cross: Array
    """An array of shape (n_candidate_functions, n_set_functions)."""

    @property
    def n_bytes(self) -> int:
        """Memory in bytes."""
        moments = self.moments
        return self.cross.nbytes + moments.gram.nbytes + moments.with_x.nbytes


class Candidates(ABC):
    """Store of the moments of candidates; only missing moments are summed over rows.

    When a column joins the set, products with this column are summed, and all other products stay.
    When a column leaves the set, products with this column are removed.

    Parameters
    ----------
    rows : Rows
        The table.
    frames : Frames
        Makes the functions of sets and candidates.
    covariance : array of shape (n_columns, n_columns)
        E[XXᵀ] of the scaled columns: enough if the functions are the columns themselves.
    """

    def __init__(self, rows: Rows, frames: Frames, covariance: Array) -> None:
        self._rows = rows
        self._frames = frames
        self._covariance = covariance

    def of(self, columns: Sequence[int], frame: Frame, moments: ScaledMoments) -> list[Candidate]:
        """Return the moments of candidates outside a set.

        Parameters
        ----------
        columns : sequence of int
            The candidates.
        frame : Frame
            The set.
        moments : ScaledMoments
            The moments of the set's functions.
        """
        newcomers = dict(zip(columns, self._frames.newcomers(frame, columns), strict=True))
        alone = frame.n_functions == len(frame.members)
        if alone and all(len(each.involves) == 1 for each in newcomers.values()):
            return [self._linear(c, newcomers[c], frame) for c in columns]
        return self._of(newcomers, frame, moments)

    def _linear(self, column: int, newcomer: Newcomer, frame: Frame) -> Candidate:
        """Return a candidate that brings only itself, to a set of columns without functions."""
        with_x = self._covariance[[column]]
        moments = ScaledMoments(np.zeros(1), np.ones(1), with_x[:, [column]], with_x)
        return Candidate(column, newcomer, frame, moments, with_x[:, frame.columns])

    @abstractmethod
    def _of(
        self, newcomers: dict[int, Newcomer], frame: Frame, moments: ScaledMoments
    ) -> list[Candidate]:
        """Return the moments of candidates with functions of any kind."""
