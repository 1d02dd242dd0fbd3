"""Moments of the functions of candidates, which are columns outside the selected set."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gramian._support.types import Array
from gramian.core._tolerances import TIE
from gramian.core.gain._frame import Frame, Frames, Newcomer
from gramian.core.rows import Rows

KEPT_BYTES = 2**29
"""Approximate limit in bytes of the stored moments of candidates."""


@dataclass(frozen=True)
class ScaledMoments:
    """Covariances of functions with each other and with X, each function scaled to norm one.

    The norm is the root of E[f²], before the mean is subtracted.
    """

    mean: Array
    """E[f] of the functions before scaling."""
    norm: Array
    gram: Array
    with_x: Array


@dataclass(frozen=True)
class Candidate:
    """A column outside the selected set, with the covariances of the functions that it brings.

    They are covariances with each other, with X and with the functions of the selected set.
    """

    column: int
    newcomer: Newcomer
    frame: Frame
    """The set."""
    moments: ScaledMoments
    cross: Array
    """An array of shape (n_candidate_functions, n_set_functions)."""

    @property
    def n_bytes(self) -> int:
        """Memory in bytes that the stored covariances take."""
        moments = self.moments
        return self.cross.nbytes + moments.gram.nbytes + moments.with_x.nbytes


class Candidates(ABC):
    """Store of the moments of candidates, which are columns outside the selected set.

    A candidate brings functions. Its moments are the covariances of these functions with each
    other, with the functions of the set and with X. Stored moments are used again, and only missing
    ones are summed over rows: when a column joins the set, products with this column are summed;
    when a column leaves the set, products with it are removed.

    Parameters
    ----------
    rows : Rows
        The table.
    frames : Frames
        Makes the functions of sets and candidates.
    covariance : array of shape (n_columns, n_columns)
        E[XXᵀ] of the scaled columns. It gives all moments if the functions are the columns
        themselves.
    """

    def __init__(self, rows: Rows, frames: Frames, covariance: Array) -> None:
        self._rows = rows
        self._frames = frames
        self._covariance = covariance

    def of(self, columns: Sequence[int], frame: Frame, moments: ScaledMoments) -> list[Candidate]:
        """Return the moments of candidates, summed over rows if they are not stored.

        Parameters
        ----------
        columns : sequence of int
            The candidates: columns outside the selected set.
        frame : Frame
            The functions of the selected set.
        moments : ScaledMoments
            The covariances of the functions of the selected set.
        """
        newcomers = dict(zip(columns, self._frames.newcomers(frame, columns), strict=True))
        alone = frame.n_functions == len(frame.members)
        if alone and all(len(each.involves) == 1 for each in newcomers.values()):
            return [self._linear(c, newcomers[c], frame) for c in columns]
        return self._of(newcomers, frame, moments)

    def _linear(self, column: int, newcomer: Newcomer, frame: Frame) -> Candidate:
        """Return the covariances of a column outside the set if all functions are columns.

        These covariances are stored already; nothing is summed.
        """
        with_x = self._covariance[[column]]
        moments = ScaledMoments(np.zeros(1), np.ones(1), with_x[:, [column]], with_x)
        return Candidate(column, newcomer, frame, moments, with_x[:, frame.columns])

    @abstractmethod
    def _of(
        self, newcomers: dict[int, Newcomer], frame: Frame, moments: ScaledMoments
    ) -> list[Candidate]:
        """Return the moments of candidates whose functions are not only the columns themselves.

        Parameters
        ----------
        newcomers : dict
            The functions that each candidate brings, by the number of its column.
        frame : Frame
            The functions of the selected set.
        moments : ScaledMoments
            The covariances of the functions of the selected set.
        """


def largest_gains(gains: Array, n: int) -> list[int]:
    """Return the columns of the n largest gains above zero; in ties, the first columns."""
    rounded = gains * (1 + TIE * np.arange(len(gains), 0, -1) / len(gains))
    return [int(c) for c in np.argsort(-rounded, kind="stable")[:n] if gains[c] > 0]


def best_first(values: Mapping[int, float], tie: float) -> list[int]:
    """Return the keys of the values, the largest value first; in ties, the smallest key.

    Values that differ from the largest of the remaining ones by at most `tie` are equal.
    """
    order, rest = list[int](), dict(values)
    while rest:
        best = max(rest.values())
        order.append(min(key for key, value in rest.items() if value >= best - tie))
        del rest[order[-1]]
    return order
