"""How far a run is: a bar on a terminal, a line a cell elsewhere."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn
from rich.progress import Progress as Bars

from gramian.experiments import Experiment, Progress
from gramian.experiments._page import cell_name, duration


class Display:
    """Shows the progress of an experiment on standard error."""

    def __init__(self, experiment: Experiment, console: Console) -> None:
        self.experiment = experiment
        self.console = console
        self._bars: Bars | None = None
        self._bar = TaskID(0)

    def __enter__(self) -> Self:
        if self.console.is_terminal:
            self._bars = Bars(
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("{task.fields[left]}"),
                console=self.console,
            )
            self._bars.start()
            self._bar = self._bars.add_task(self.experiment.name, total=None, left="")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bars is not None:
            self._bars.stop()

    def show(self, progress: Progress) -> None:
        """Show that a cell has finished."""
        left = f"about {duration(progress.seconds_left)} left" if progress.seconds_left else ""
        if self._bars is not None:
            self._bars.update(self._bar, completed=progress.done, total=progress.total, left=left)
        elif not progress.cached:
            outcome = progress.outcome
            took = outcome.missing or f"{outcome.seconds:.1f} s"
            line = f"[{progress.done}/{progress.total}] {self.experiment.name}"
            text = f"{line} {cell_name(outcome)}: {took}" + (f", {left}" if left else "")
            self.console.print(text, markup=False, highlight=False, soft_wrap=True)
