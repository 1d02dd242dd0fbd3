"""The experiments of the paper, as ``python -m gramian_paper`` runs them.

An experiment consists of *cells*, which are independent computations with plain parameters and
plain results, and of a *page* that is made from the results of all cells. A module of this package
describes one experiment; `experiments` lists them.
"""

from __future__ import annotations

from gramian_paper.experiments._blocks import Block, Entry, Picture, Table
from gramian_paper.experiments._experiment import (
    Experiment,
    Outcome,
    Params,
    Results,
    Size,
    Task,
    Values,
)
from gramian_paper.experiments._page import write_results
from gramian_paper.experiments._published import published
from gramian_paper.experiments._registry import experiments
from gramian_paper.experiments._run import NothingToShowError, Progress, run
from gramian_paper.experiments._summary import write_summary

__all__ = [
    "Block",
    "Entry",
    "Experiment",
    "NothingToShowError",
    "Outcome",
    "Params",
    "Picture",
    "Progress",
    "Results",
    "Size",
    "Table",
    "Task",
    "Values",
    "experiments",
    "published",
    "run",
    "write_results",
    "write_summary",
]
