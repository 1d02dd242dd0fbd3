"""What a long search says on the way, and when it must end."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable

from gramian._support.words import duration

StageReport = Callable[[str, int, int], None]
"""Is told the name of a stage, how many are done, and how many there are."""


class OutOfTimeError(Exception):
    """The time limit has been reached."""


def time_check(seconds: float | None) -> Callable[[], None]:
    """Return a check that raises an error when the given seconds are over, if there is a limit."""
    deadline = math.inf if seconds is None else time.monotonic() + seconds

    def check_time() -> None:
        if time.monotonic() > deadline:
            raise OutOfTimeError

    return check_time


def progress_for(verbose: int) -> StageReport:
    """Return what is to be told of each stage: its name, how many are done, and of how many."""
    if not verbose:
        return lambda stage, done, total: None
    start = time.monotonic()

    def report(stage: str, done: int, total: int) -> None:
        spent = time.monotonic() - start
        left = f", about {duration(spent * (total - done) / done)} left" if done else ""
        print(
            f"[relations] {done} of {total} done, now {stage}, {duration(spent)}{left}",
            file=sys.stderr,
        )

    return report
