"""What a long fit says on the way."""

from __future__ import annotations

import sys
import time
from abc import abstractmethod
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from gramian._pursuit import Limits, Trace
from gramian._words import counted, duration, percent
from gramian.families import Family
from gramian.families._base import no_levels


class Report(AbstractContextManager[Any]):
    """Is told of every step while a pursuit runs."""

    @abstractmethod
    def __call__(self, trace: Trace) -> None:
        """Hear of a step."""


def report_for(
    verbose: int, name: str, family: Family, limits: Limits
) -> AbstractContextManager[Report | None]:
    """Return what is to report: a line a step, a progress bar on a terminal, or nothing."""
    if verbose >= 2:
        return Lines(name)
    if verbose and sys.stderr.isatty():
        return Bar(name, family, limits)
    return nullcontext()


class Lines(Report):
    """Prints a line a step."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._start = time.perf_counter()

    def __exit__(self, *error: object) -> None:
        pass

    def __call__(self, trace: Trace) -> None:
        """Print where the pursuit is."""
        seconds = time.perf_counter() - self._start
        print(f"[{self._name}] step {len(trace.n_kept)}: {_state(trace)}, {seconds:.1f} s")


class Bar(Report):
    """Shows a progress bar on standard error, with time left where the number of steps is known."""

    def __init__(self, name: str, family: Family, limits: Limits) -> None:
        try:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
        except ImportError as error:
            raise ImportError(
                "The progress bar of verbose=1 needs rich: pip install 'gramian[progress]'. "
                "verbose=2 prints a line a step without it."
            ) from error
        self._expansion = family.expand()
        self._n_steps = limits.n_steps
        self._costs: list[float] = []
        self._n_functions = 1
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
        if self._n_steps is not None:
            for _ in range(self._n_steps):
                self._costs.append(self._cost_of_next())

    def _cost_of_next(self) -> float:
        """Return about how much work the next step is: products of new functions with all."""
        new = self._expansion.grow(no_levels).n_functions
        self._n_functions += new
        return float(new * self._n_functions)

    def __enter__(self) -> Bar:
        self._progress.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._progress.stop()

    def __call__(self, trace: Trace) -> None:
        """Show where the pursuit is."""
        total = sum(self._costs) or None
        done = sum(self._costs[: len(trace.n_kept)])
        left = ""
        if total and done:
            seconds = (time.perf_counter() - self._start) * (total / done - 1)
            left = f"about {duration(seconds)} left"
        self._progress.update(
            self._task, total=total, completed=done, state=_state(trace), left=left
        )


def _state(trace: Trace) -> str:
    return (
        f"residual variance {trace.largest[-1]:.4g}, {percent(trace.explained)} explained, "
        f"{counted(1 + sum(trace.n_kept), 'function')}"
    )
