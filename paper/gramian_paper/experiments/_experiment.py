"""Experiments: cells that are computed, and a page made from the cells."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from gramian_paper.experiments._blocks import Block

Params: TypeAlias = dict[str, Any]
"""Parameters of a cell by name; values that JSON can hold."""
Values: TypeAlias = dict[str, Any]
"""Results of a cell by name; values that JSON can hold, or NumPy's numbers and arrays."""
Size: TypeAlias = Literal["quick", "full"]


@dataclass(frozen=True)
class Task:
    """Input of the function that computes a cell.

    Parameters
    ----------
    experiment : str
        The experiment's name.
    params : dict
        The cell's parameters.
    seed : int
        The seed of the run; `rng` mixes it with the parameters.
    data : Path or None
        The folder with the paper's data sets, to be given to the loaders of
        :mod:`gramian_paper.datasets`, which look at GRAMIAN_DATA where it is None.

    Examples
    --------
    >>> from gramian_paper.experiments import Task
    >>> task = Task("example", {"n": 3}, seed=0)
    >>> task.rng(1).integers(100) == task.rng(1).integers(100)
    np.True_
    """

    experiment: str
    params: Params
    seed: int = 0
    data: Path | None = None

    def rng(self, *more: int) -> np.random.Generator:
        """Return a generator that depends on the parameters, the seed and the numbers `more`.

        Parameters
        ----------
        *more : int
            Tell apart several generators of one cell, the number of the repeat for instance.

        Returns
        -------
        rng : numpy.random.Generator
            The generator.
        """
        words = int.from_bytes(digest(self.experiment, self.params, self.seed)[:8])
        return np.random.default_rng([words, *more])

    def integer_seed(self, *more: int) -> int:
        """Return an integer for a `random_state` that cannot be a generator."""
        return int(self.rng(*more).integers(2**31))


def digest(*items: Any) -> bytes:
    """Return a hash of a JSON value that does not depend on the order of its keys."""
    text = json.dumps(items, sort_keys=True, allow_nan=False)
    return hashlib.sha256(text.encode()).digest()


@dataclass(frozen=True)
class Outcome:
    """A cell and its values, or the reason why it has none.

    Examples
    --------
    >>> from gramian_paper.experiments import Outcome
    >>> Outcome({"n": 3}, {"count": 7}).values
    {'count': 7}
    >>> Outcome({"n": 4}, missing="usps.npz is not there").values is None
    True
    """

    params: Params
    values: Values | None = None
    missing: str = ""
    seconds: float = 0.0
    versions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Results:
    """All cells of an experiment, as its page sees them.

    Examples
    --------
    >>> from gramian_paper.experiments import Outcome, Results
    >>> results = Results("full", 0, [Outcome({"data": "usps", "degree": 2}, {"count": 61})])
    >>> results.get(data="usps", degree=2)
    {'count': 61}
    >>> results.get(data="usps", degree=3) is None
    True
    """

    size: Size
    seed: int
    outcomes: Sequence[Outcome]

    def select(self, **params: Any) -> Iterator[Outcome]:
        """Yield the outcomes whose parameters include the given ones, with missing outcomes."""
        for outcome in self.outcomes:
            if all(
                name in outcome.params and outcome.params[name] == value
                for name, value in params.items()
            ):
                yield outcome

    def get(self, **params: Any) -> Values | None:
        """Return the values of the one cell whose parameters include these.

        Parameters
        ----------
        **params : object
            Parameters that identify the cell.

        Returns
        -------
        values : dict or None
            None if there is no such cell or if it could not be run.
        """
        found = list(self.select(**params))
        if len(found) > 1:
            raise LookupError(f"{len(found)} cells have the parameters {params}; name more of them")
        return found[0].values if found else None


def equal_costs(_params: Params) -> float:
    """Return the same cost for every cell."""
    return 1.0


@dataclass(frozen=True)
class Experiment:
    """An experiment of the paper.

    Parameters
    ----------
    name : str
        What the user types.
    title : str
        One line for lists and the page's heading.
    source : str
        Which tables and figures of the paper it reproduces.
    protocol : str
        Markdown: what is done, on what data, with how many repeats, and what counts as noise.
    cells : callable
        ``cells(size)`` returns the parameters of every cell, size being "quick" or "full". Cells
        are independent of each other.
    run : callable
        ``run(task)`` computes a cell; a function of a module, so that other processes find it. It
        raises `FileNotFoundError` where data are missing and `ImportError` where a package is, and
        the page then shows the cell as missing.
    page : callable
        ``page(results)`` returns the blocks of the page: Markdown strings, tables and pictures.
    version : int
        To be raised when `run` changes, so that cells computed before are not used again.
    reasons : mapping of str to str
        Why published numbers are missed; the entries of tables name a reason by its key.
    cost : callable
        ``cost(params)`` is roughly proportional to a cell's time, for the time left.

    Examples
    --------
    >>> from gramian_paper.experiments import Entry, Experiment, Table, Task
    >>> def square(task: Task) -> dict:
    ...     return {"square": task.params["n"] ** 2}
    >>> def page(results):
    ...     entries = [Entry(outcome.values["square"]) for outcome in results.outcomes]
    ...     return [Table("Squares", "", ["2", "3"], {"n²": entries})]
    >>> experiment = Experiment(
    ...     name="squares", title="Squares", source="no table", protocol="Two numbers are squared.",
    ...     cells=lambda size: [{"n": 2}, {"n": 3}], run=square, page=page,
    ... )
    >>> experiment.run(Task("squares", {"n": 3}))
    {'square': 9}
    """

    name: str
    title: str
    source: str
    protocol: str
    cells: Callable[[Size], list[Params]]
    run: Callable[[Task], Values]
    page: Callable[[Results], list[Block]]
    version: int = 1
    reasons: Mapping[str, str] = field(default_factory=dict)
    cost: Callable[[Params], float] = equal_costs

    def key(self, params: Params, seed: int) -> str:
        """Return the name under which a cell is cached."""
        return digest(self.name, self.version, params, seed).hex()[:32]
