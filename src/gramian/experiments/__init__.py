"""The experiments of the paper, as ``gramian reproduce`` runs them.

An experiment consists of *cells*, which are independent computations with plain parameters and
plain results, and of a *page* that is made from the results of all cells. A module of this package
describes one experiment; `experiments` lists them.
"""

from __future__ import annotations

from gramian.experiments._blocks import Block, Entry, Picture, Table
from gramian.experiments._experiment import (
    Experiment,
    Outcome,
    Params,
    Results,
    Size,
    Task,
    Values,
)
from gramian.experiments._page import write_results
from gramian.experiments._published import published
from gramian.experiments._registry import experiments
from gramian.experiments._run import NothingToShowError, Progress, run
from gramian.experiments._summary import write_summary

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
