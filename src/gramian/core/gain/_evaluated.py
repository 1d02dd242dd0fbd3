"""Candidates (columns outside the selected set) whose functions are evaluated on all rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array
from gramian.core.gain._candidate_sums import CandidateSums, Order, sum_candidates
from gramian.core.gain._candidates import KEPT_BYTES, Candidate, Candidates, ScaledMoments
from gramian.core.gain._frame import Frame, Frames, Newcomer
from gramian.core.rows import Rows
from gramian.core.sums import check_finite


class EvaluatedCandidates(Candidates):
    """Store of products of candidates' functions with the functions of the last selected set.

    A candidate is a column outside the set. Its functions are evaluated on the rows of the table.
    """

    def __init__(self, rows: Rows, frames: Frames, covariance: Array) -> None:
        super().__init__(rows, frames, covariance)
        self._known: dict[int, Candidate] = {}
        """The candidates in the order of their last use, the latest at the end."""

    def _of(
        self, newcomers: dict[int, Newcomer], frame: Frame, moments: ScaledMoments
    ) -> list[Candidate]:
        waiting = [c for c in newcomers if not self._is_known(c, frame)]
        # Neighbours that lack equal products are summed together.
        waiting.sort(key=lambda c: self._missing(c, frame))
        size = max((len(newcomers[c].involves) for c in waiting), default=1)
        width = frame.n_functions + self._rows.n_columns + size
        step = max(1, KEPT_BYTES // (32 * size * width))
        for start in range(0, len(waiting), step):
            part = waiting[start : start + step]
            orders = [self._order(c, newcomers[c], frame) for c in part]
            for order, found in zip(orders, sum_candidates(self._rows, frame, orders), strict=True):
                old = self._known.pop(order.column, None)
                self._known[order.column] = _update(old, order, found, frame, moments)
        asked = [self._known.pop(c) for c in newcomers]
        self._known.update(zip(newcomers, asked, strict=True))
        self._forget(len(newcomers))
        return asked

    def _is_known(self, column: int, frame: Frame) -> bool:
        found = self._known.get(column)
        return found is not None and found.frame.members == frame.members

    def _missing(self, column: int, frame: Frame) -> tuple[int, ...]:
        """Return `Member.number` of each selected column without stored products with `column`."""
        found = self._known.get(column)
        known = () if found is None else found.frame.numbers
        return tuple(number for number in frame.numbers if number not in known)

    def _order(self, column: int, newcomer: Newcomer, frame: Frame) -> Order:
        found = self._known.get(column)
        if found is None:
            every = np.arange(len(newcomer.involves))
            return Order(column, newcomer, every, every[:0], every[:0])
        missing = np.isin(frame.numbers, self._missing(column, frame))
        new = newcomer.involves[:, missing].any(axis=1)
        fresh = frame.involves[:, missing].any(axis=1)
        return Order(
            column, newcomer, np.flatnonzero(new), np.flatnonzero(~new), np.flatnonzero(fresh)
        )

    def _forget(self, n_asked: int) -> None:
        """Remove stored columns that were used longest ago, if all take too much memory.

        The `n_asked` columns that were used last stay.
        """
        total = sum(each.n_bytes for each in self._known.values())
        for column in list(self._known)[: len(self._known) - n_asked]:
            if total <= KEPT_BYTES:
                return
            total -= self._known.pop(column).n_bytes


def _update(
    old: Candidate | None, order: Order, found: CandidateSums, frame: Frame, moments: ScaledMoments
) -> Candidate:
    """Return a candidate from its stored products and its new sums.

    Parameters
    ----------
    old : Candidate or None
        The candidate with its stored products, if there are any.
    order : Order
        The candidate, and the products that were summed.
    found : CandidateSums
        The new sums.
    frame : Frame
        The functions of the selected set.
    moments : ScaledMoments
        The covariances of the functions of the selected set.
    """
    n, p, new = len(order.newcomer.involves), frame.n_functions, order.new
    mean, norm = np.empty(n), np.empty(n)
    cross, own = np.empty((n, p)), np.empty((n, n))
    with_x = np.empty((n, found.with_x.shape[1]))
    squares = found.own[range(len(new)), new]
    check_finite(squares)
    mean[new], norm[new] = found.mean, np.sqrt(np.where(squares > 0, squares, 1.0))
    if old is not None:
        stay = _staying(old, frame)
        staying = ~old.newcomer.involves[:, ~stay].any(axis=1)
        theirs = ~old.frame.involves[:, ~stay].any(axis=1)
        kept = np.setdiff1d(np.arange(p), order.fresh)
        mean[order.old], norm[order.old] = old.moments.mean[staying], old.moments.norm[staying]
        cross[np.ix_(order.old, kept)] = old.cross[np.ix_(staying, theirs)]
        own[np.ix_(order.old, order.old)] = old.moments.gram[np.ix_(staying, staying)]
        with_x[order.old] = old.moments.with_x[staying]
        fresh = found.old - np.multiply.outer(mean[order.old], moments.mean[order.fresh])
        fresh /= np.multiply.outer(norm[order.old], moments.norm[order.fresh])
        cross[np.ix_(order.old, order.fresh)] = fresh
    cross[new] = found.with_functions - np.multiply.outer(mean[new], moments.mean)
    cross[new] /= np.multiply.outer(norm[new], moments.norm)
    rows = (found.own - np.multiply.outer(mean[new], mean)) / np.multiply.outer(norm[new], norm)
    own[new] = rows
    own[:, new] = rows.T
    with_x[new] = found.with_x / norm[new, np.newaxis]
    return Candidate(
        order.column, order.newcomer, frame, ScaledMoments(mean, norm, own, with_x), cross
    )


def _staying(old: Candidate, frame: Frame) -> NDArray[np.bool_]:
    """Return a mask of the set with which `old` was stored: True for members still in `frame`."""
    return np.isin(np.array(old.frame.numbers, dtype=np.intp), frame.numbers)
