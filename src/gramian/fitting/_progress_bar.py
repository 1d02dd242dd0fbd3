"""Progress of a long fit: a bar on a terminal, or a line per step."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext

from gramian._support.extras import require
from gramian._support.words import counted, duration, percent
from gramian.core.pursuit import Limits, Trace
from gramian.families import Family, no_levels

Report = Callable[[Trace], None]
"""Function that is called with the trace after every step of a pursuit."""


def report_for(
    verbose: int, name: str, family: Family, limits: Limits
) -> AbstractContextManager[Report | None]:
    """Return a context manager whose value reports each step of a pursuit.

    It prints lines, or shows a progress bar on a terminal; the value is None if nothing is shown.

    Parameters
    ----------
    verbose : int
        The amount of output that the user asked for.
    name : str
        The name of the algorithm.
    family : Family
        The functions.
    limits : Limits
        The rules that end the pursuit.
    """
    if verbose >= 2:
        return nullcontext(Lines(name))
    if verbose and sys.stderr.isatty():
        return Bar(name, family, limits)
    return nullcontext()


class Lines:
    """Function that prints a line about each step of a pursuit."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._start = time.perf_counter()

    def __call__(self, trace: Trace) -> None:
        """Print the state of the pursuit."""
        seconds = time.perf_counter() - self._start
        print(f"[{self._name}] step {len(trace.n_kept)}: {_state(trace)}, {seconds:.1f} s")


class Bar:
    """Report by a progress bar on standard error.

    It shows the remaining time if the number of steps is fixed.
    """

    def __init__(self, name: str, family: Family, limits: Limits) -> None:
        require("rich", "The bar of verbose=1, in place of which verbose=2 prints lines,")
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        self._costs = [*_costs(family, limits.n_steps or 0)]
        self._start = time.perf_counter()
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[state]}"),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}"),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._progress.add_task(name, total=None, state="first pass", left="")

    def __enter__(self) -> Bar:
        self._progress.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._progress.stop()

    def __call__(self, trace: Trace) -> None:
        """Show the state of the pursuit."""
        total = sum(self._costs) or None
        done = sum(self._costs[: len(trace.n_kept)])
        left = ""
        if total and done:
            seconds = (time.perf_counter() - self._start) * (total / done - 1)
            left = f"about {duration(seconds)} left"
        self._progress.update(
            self._task, total=total, completed=done, state=_state(trace), left=left
        )


def _costs(family: Family, n_steps: int) -> Iterator[float]:
    """Yield the approximate work of each step: products of its new functions with all functions."""
    expansion, n_functions = family.expand(), 1
    for _ in range(n_steps):
        new = expansion.grow(no_levels).n_functions
        n_functions += new
        yield float(new * n_functions)


def _state(trace: Trace) -> str:
    return (
        f"residual variance {trace.largest[-1]:.4g}, {percent(trace.explained)} explained, "
        f"{counted(1 + sum(trace.n_kept), 'function')}"
    )
