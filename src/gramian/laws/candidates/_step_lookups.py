"""Candidate lookups by intervals: the interval of a number determines a text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from gramian._support.time_limit import check_time
from gramian._support.types import Array
from gramian.core.rows import neighbours_resemble
from gramian.laws.candidates._believed_lookup import BelievedLookup
from gramian.laws.candidates._label_intervals import intervals
from gramian.laws.candidates._level_context import LevelContext
from gramian.laws.columns import Cells, numbers_rows
from gramian.laws.judge import Count

MOST_BROKEN = 12
"""Largest number of steps of a lookup that some rows break."""
MOSTLY = 0.9
"""A column is a time if it grows from row to row in more than this share of the rows."""


def step_lookups(
    context: LevelContext, believed: Callable[[Count, float], bool]
) -> Iterator[BelievedLookup]:
    """Yield lookups in which intervals of a number determine a text.

    A text whose rows are ordered by it is noted in `context.ordered`.

    Parameters
    ----------
    context : LevelContext
        The table.
    believed : callable
        Returns True if the counts of a lookup are enough evidence, given the number of tries.
    """
    cells = context.cells
    numbers = [i for i in range(cells.n_columns) if cells.is_number(i)]
    counters = {
        i
        for i in numbers
        if i not in cells.clocks and numbers_rows(cells.x[:, i], cells.keys[i].column)
    }
    n_tried = float(len(cells.keys)) ** 2
    for effect in cells.effects:
        if effect not in cells.labels:
            continue  # `_step_functions` finds numbers that are steps of other numbers
        check_time()
        found = []
        for cause in numbers:
            x, codes = cells.x[:, cause], cells.codes[:, effect]
            made = intervals(x, codes, context.tolerance, cells.groups)
            if made is None or not believed(made.counted, n_tried):
                continue
            if cause in counters:
                context.ordered.append(effect)
            elif not made.counted.broken or len(made.ends) <= MOST_BROKEN:
                found.append(
                    BelievedLookup((cause,), effect, made.counted, made.ends, made.from_below)
                )
        yield from _of_time(cells, found)


def _of_time(cells: Cells, steps: Sequence[BelievedLookup]) -> list[BelievedLookup]:
    """Return steps of one column without those of numbers that run along with the time.

    A method that changed in some years changed at the populations of these years, too.
    """
    grown = {i: _is_in_order(cells.x[:, i]) for each in steps for i in each.causes}
    times = [i for i, x in grown.items() if x and (i in cells.clocks or cells.is_whole(i))]
    if not times:
        return [*steps]
    time = min(
        times, key=lambda i: (i not in cells.clocks, float(np.nanmax(np.abs(cells.x[:, i]))))
    )
    return [
        each
        for each in steps
        if each.causes == (time,) or not neighbours_resemble(_present(cells.x[:, each.causes[0]]))
    ]


def _is_in_order(x: Array) -> bool:
    """Return True if each value of a column is at least the one before, and most are larger."""
    steps = np.diff(_present(x))
    return bool((steps >= 0).all() and np.mean(steps > 0) > MOSTLY)


def _present(x: Array) -> Array:
    """Return the values of a column that are not missing."""
    return x[~np.isnan(x)]
