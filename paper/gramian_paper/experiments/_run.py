"""Runs of an experiment's cells in several processes; each finished cell is stored at once."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from joblib import Parallel, delayed

from gramian_paper.experiments._cache import Cache
from gramian_paper.experiments._experiment import Experiment, Outcome, Params, Results, Size, Task

NOT_COMPUTED = "not computed yet"
PACKAGES = ("gramian", "numpy", "scipy", "scikit-learn")


class NothingToShowError(Exception):
    """No cell of an experiment could be run.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from gramian_paper.experiments import NothingToShowError, experiments, run
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     try:
    ...         run(experiments()["gfs-counts"], cache=Path(folder), compute=False)
    ...     except NothingToShowError as error:
    ...         print(error)
    not computed yet
    """


@dataclass(frozen=True)
class Progress:
    """Progress of a run.

    Parameters
    ----------
    outcome : Outcome
        The cell that has just finished.
    done, total : int
        Numbers of cells.
    cached : bool
        Whether the cell was there already.
    seconds_left : float
        An estimate for the rest of the experiment; 0 before anything was computed.

    Examples
    --------
    >>> from gramian_paper.experiments import Outcome, Progress
    >>> progress = Progress(Outcome({"n": 3}), done=1, total=4, cached=False, seconds_left=6.0)
    >>> f"{progress.done} of {progress.total}"
    '1 of 4'
    """

    outcome: Outcome
    done: int
    total: int
    cached: bool
    seconds_left: float


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that the numbers depend on."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:  # run from a source tree that is not installed
            found[package] = "unknown"
    return found


def run_cell(
    experiment: Experiment, params: Params, seed: int, data: Path | None, cache: Cache
) -> Outcome:
    """Compute a cell and store it, unless data or a package is missing."""
    start = time.perf_counter()
    try:
        values = experiment.run(Task(experiment.name, params, seed, data))
    except (FileNotFoundError, ImportError) as error:
        return Outcome(params, missing=str(error))
    outcome = Outcome(
        params, values, seconds=round(time.perf_counter() - start, 3), versions=versions()
    )
    return cache.store(experiment, outcome, seed)


def run(
    experiment: Experiment,
    size: Size = "quick",
    *,
    seed: int = 0,
    jobs: int = 1,
    data: Path | None = None,
    cache: Path,
    compute: bool = True,
    report: Callable[[Progress], None] | None = None,
) -> Results:
    """Compute all cells of an experiment, or take them from the cache.

    Parameters
    ----------
    experiment : Experiment
        The experiment.
    size : {"quick", "full"}, default="quick"
        Few repeats, or as many as the experiment's protocol states.
    seed : int, default=0
        Mixed with each cell's parameters.
    jobs : int, default=1
        The number of processes.
    data : Path or None, default=None
        The folder with the paper's data sets; None for the one that GRAMIAN_DATA names.
    cache : Path
        The folder where finished cells are kept.
    compute : bool, default=True
        Whether to compute cells that are not in the cache; otherwise they are missing.
    report : callable or None, default=None
        Called with a `Progress` for every cell that is there.

    Returns
    -------
    results : Results
        All cells, in the experiment's order.

    Raises
    ------
    NothingToShowError
        If no cell could be run; the message is that of the first.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from gramian_paper.experiments import Experiment, run
    >>> experiment = Experiment(
    ...     name="squares", title="Squares", source="no table", protocol="Two numbers are squared.",
    ...     cells=lambda size: [{"n": 2}, {"n": 3}],
    ...     run=lambda task: {"square": task.params["n"] ** 2},
    ...     page=lambda results: ["Squared."],
    ... )
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     results = run(experiment, cache=Path(folder) / "cells")
    >>> results.get(n=3)
    {'square': 9}
    """
    kept = Cache(cache)
    cells = experiment.cells(size)
    costs = [experiment.cost(params) for params in cells]
    outcomes: dict[int, Outcome] = {}
    started, computed_cost = time.perf_counter(), 0.0

    def finish(index: int, outcome: Outcome, cached: bool) -> None:
        nonlocal computed_cost
        outcomes[index] = outcome
        left = 0.0
        if not cached:
            computed_cost += costs[index]
            cost_left = sum(cost for i, cost in enumerate(costs) if i not in outcomes)
            left = (time.perf_counter() - started) * cost_left / computed_cost
        if report is not None:
            report(Progress(outcome, len(outcomes), len(cells), cached, left))

    for index, params in enumerate(cells):
        outcome = kept.load(experiment, params, seed)
        if outcome is not None:
            finish(index, outcome, cached=True)
    waiting = [index for index in range(len(cells)) if index not in outcomes]
    if not compute:
        outcomes |= {index: Outcome(cells[index], missing=NOT_COMPUTED) for index in waiting}
        waiting = []
    parallel = Parallel(n_jobs=jobs, return_as="generator_unordered")
    for index, outcome in parallel(
        delayed(_indexed)(index, experiment, cells[index], seed, data, kept) for index in waiting
    ):
        finish(index, outcome, cached=False)
    results = Results(size, seed, [outcomes[index] for index in range(len(cells))])
    if all(outcome.values is None for outcome in results.outcomes):
        raise NothingToShowError(results.outcomes[0].missing if results.outcomes else "no cells")
    return results


def _indexed(
    index: int, experiment: Experiment, params: Params, seed: int, data: Path | None, cache: Cache
) -> tuple[int, Outcome]:
    """Compute a cell, and return it with its index."""
    return index, run_cell(experiment, params, seed, data, cache)
