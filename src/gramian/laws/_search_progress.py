"""Progress messages of a search for laws."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from gramian._support.words import duration

StageReport = Callable[[str, int, int], None]
"""Function that is called with a stage's name, the number of finished stages, and of all stages."""


def progress_for(verbose: int) -> StageReport:
    """Return a function that prints the progress of a search; with ``verbose=0``, nothing."""
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
