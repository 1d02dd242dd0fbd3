"""Time limit of searches: one for all searches of a call or a command.

A search calls `check_time` again and again. Who begins a search catches `OutOfTimeError`, and
returns what was found. Without a limit, results never depend on the clock.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property


class OutOfTimeError(Exception):
    """Error that stops a search after its time limit."""


class TimeLimit:
    """Limit on the time of searches, which begins when a search first asks for it.

    Parameters
    ----------
    seconds : float
        The number of seconds; it may be infinite.
    outer : TimeLimit, optional
        The limit of the block around, which holds as well.
    """

    def __init__(self, seconds: float, outer: TimeLimit | None = None) -> None:
        self.reached = False
        """True if a search was stopped."""
        self._seconds = seconds
        self._outer = outer

    @cached_property
    def _deadline(self) -> float:
        """The time on the clock `time.monotonic` after which searches stop."""
        own = time.monotonic() + self._seconds
        return own if self._outer is None else min(own, self._outer._deadline)

    @property
    def left(self) -> float:
        """The number of seconds that are left."""
        return self._deadline - time.monotonic()

    def is_over(self) -> bool:
        """Return True if the time is over; the search that asks must then stop."""
        over = self.left < 0
        if over:
            self._reach()
        return over

    def _reach(self) -> None:
        self.reached = True
        if self._outer is not None:
            self._outer._reach()


_LIMIT: ContextVar[TimeLimit | None] = ContextVar("time_limit", default=None)


@contextmanager
def time_limited(seconds: float | None) -> Iterator[TimeLimit]:
    """Stop the searches in a block after some seconds.

    Parameters
    ----------
    seconds : float or None
        The number of seconds, counted from the beginning of the first search in the block. None
        sets no limit, and that of a block around holds.
    """
    if seconds is not None and not float(seconds) > 0:
        raise ValueError(f"time_limit must be a positive number of seconds; got {seconds!r}.")
    limit = TimeLimit(math.inf if seconds is None else float(seconds), _LIMIT.get())
    token = _LIMIT.set(limit)
    try:
        yield limit
    finally:
        _LIMIT.reset(token)


@contextmanager
def part_of_time(share: float) -> Iterator[TimeLimit]:
    """Stop the searches in a block after a share of the time that is left, if it is limited.

    Parameters
    ----------
    share : float
        The share, which leaves time for searches after the block.
    """
    outer = _LIMIT.get()
    left = math.inf if outer is None else outer.left
    with time_limited(max(share * left, 1e-9)) as limit:
        yield limit


def time_was_over() -> bool:
    """Return True if the limit of the block around has stopped a search."""
    limit = _LIMIT.get()
    return limit is not None and limit.reached


def time_is_over() -> bool:
    """Return True if the time of the block around is over; the search must then stop."""
    limit = _LIMIT.get()
    return limit is not None and limit.is_over()


def check_time() -> None:
    """Raise OutOfTimeError if the time of the block around is over."""
    if time_is_over():
        raise OutOfTimeError
