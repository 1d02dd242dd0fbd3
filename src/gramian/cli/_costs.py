"""Estimates of the time and memory that a fit takes, for the option --dry-run."""

from __future__ import annotations

from itertools import takewhile
from typing import Any

import numpy as np

from gramian.cli._errors import CommandError, UsageError
from gramian.cli._options import FamilyName
from gramian.tabular import TableFit, fitting

STEPS = (2, 5, 10, 20, 50, 100, 200, 500)
"""Numbers of kept columns for which costs are estimated if the user sets no number with -n."""
MAX_FUNCTIONS = 50_000
"""Largest number of functions for which costs are estimated: counting more takes too long."""
AUTO_DEGREE = 4
"""Degree for which costs are estimated with --degree auto: the largest degree that auto tries."""


def costs(task: TableFit) -> list[Any]:
    """Estimate the time and memory of a fit; return one estimate for each number of kept columns.

    If the user sets the number of columns with -n, there is only one estimate.

    Parameters
    ----------
    task : TableFit
        The fit that would be done.
    """
    from gramian.families import by_name

    if task.algorithm == "manifold":
        raise UsageError(
            "--dry-run cannot tell the cost of manifold: how long the search for the nearest "
            "points takes depends on the data"
        )
    n_rows = task.table.n_rows
    if n_rows is None:
        n_rows = sum(len(each) for each in task.table.pieces(task.features[:1]))
    estimator = task.estimator
    if estimator.family == FamilyName.indicator:
        raise UsageError(
            "--dry-run cannot tell the cost of --family indicator: its number of functions depends "
            "on the values of the columns that are chosen"
        )
    degree = AUTO_DEGREE if estimator.degree == "auto" else estimator.degree
    family = FamilyName.polynomial if estimator.family == "auto" else estimator._functions
    estimator = estimator.set_params(family=str(family), degree=degree)
    functions = by_name(str(family), degree)
    features = fitting(task.table, task.features, encode=task.options.encode)
    n_columns = max(len(features), 1)
    x = np.broadcast_to(np.zeros(1), (n_rows, n_columns))
    count = getattr(estimator, estimator._count_name)
    most = count if isinstance(count, int) else n_columns
    steps = [*(n for n in STEPS if n < most), most]
    affordable = list(takewhile(lambda n: functions.count(n) <= MAX_FUNCTIONS, steps))
    if not isinstance(count, int):
        return [estimator.estimate_cost(x, n) for n in affordable or [1]]
    if count not in affordable:
        raise CommandError(
            f"-n {count} and degree {degree} make more than {MAX_FUNCTIONS:,} functions, more "
            "than --dry-run counts: lower one of them"
        )
    return [estimator.estimate_cost(x, count)]
