"""What a long search says on the way."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from gramian._words import duration

Report = Callable[[str, int, int], None]


@contextmanager
def progress_for(verbose: int) -> Iterator[Report]:
    """Return what is to be told of each stage: its name, how many are done, and of how many."""
    if not verbose:
        yield lambda stage, done, total: None
        return
    start = time.monotonic()

    def report(stage: str, done: int, total: int) -> None:
        spent = time.monotonic() - start
        left = f", about {duration(spent * (total - done) / done)} left" if done else ""
        print(f"[relations] {done}/{total} {stage}, {duration(spent)}{left}", file=sys.stderr)

    yield report
