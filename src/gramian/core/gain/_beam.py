"""Searches for the columns that explain most, of which the best result is kept.

There are three searches: a plain one, one without exchanges of columns, and one with a beam, which
continues several sets at each size.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from gramian._support.blas import mostly_small
from gramian.core._tolerances import TIE
from gramian.core.gain._best_sets import BestSets, GainRequest
from gramian.core.gain._column_search import Run
from gramian.core.gain._penalty_decision import Decision
from gramian.core.pursuit import StopReason, Trace
from gramian.core.rows import RowBlock, Rows
from gramian.families import Family, Multilinear

ENOUGH: tuple[StopReason, ...] = ("explained_variance", "threshold")
"""Stop reasons of a search that met the request, with any number of columns."""
FEW_FUNCTIONS = 500
"""Number of functions up to which one more search, without exchanges, takes little time."""


def search(
    rows: Rows,
    family: Family,
    asked: GainRequest,
    held_out: RowBlock | None = None,
    callback: Callable[[Trace], None] | None = None,
) -> tuple[BestSets, StopReason]:
    """Search for the columns whose functions explain most of all columns.

    Parameters
    ----------
    rows : Rows
        The table.
    family : Family
        The functions.
    asked : GainRequest
        The request: limits, penalties, exchanges.
    held_out : RowBlock, optional
        Rows that choose the penalty.
    callback : callable, optional
        Called with the trace for every size that is reached.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.core.pursuit import Limits
    >>> from gramian.families import Polynomial
    >>> from gramian.core.gain import GainRequest, search
    >>> from gramian.core.rows import centre
    >>> x, noise = np.random.default_rng(0).standard_normal((2, 500))
    >>> rows, _ = centre(np.column_stack([2 * noise, x, x**2, x**3]), None, "column")
    >>> found, _ = search(rows, Polynomial(3), GainRequest(np.ones(4), Limits(2)))
    >>> found.columns
    ((1,), (1, 0))
    """
    if all(np.isinf(alpha) for alpha in asked.alphas):
        family = Multilinear(1)
    # Gains contain squares of variances, which may exceed float64: units near 1 prevent this.
    largest = float(asked.units.max(initial=0.0))
    unit = float(2.0 ** np.round(np.log2(largest))) if largest > 0 else 1.0
    threshold = asked.threshold
    if threshold is not None and not asked.relative:
        threshold = threshold / unit / unit
    scaled = replace(asked, units=asked.units / unit, threshold=threshold)
    with mostly_small():
        sets, reason = _search(rows, family, scaled, held_out, callback)
    back = unit**2
    return replace(
        sets, total=sets.total * back, losses=sets.losses * back, gains=sets.gains * back
    ), reason


def _search(
    rows: Rows,
    family: Family,
    asked: GainRequest,
    held_out: RowBlock | None,
    callback: Callable[[Trace], None] | None,
) -> tuple[BestSets, StopReason]:
    first = Run(rows, family, replace(asked, beam=1), Decision(held_out, asked.units), callback)
    found = [first.run()]
    sets, reason = found[0]
    if not asked.exchange or not sets.columns:
        return found[0]
    again = replace(asked, limits=replace(asked.limits, n_steps=len(sets.columns)))
    quiet = Decision(None, asked.units)
    is_quick = first.top.frame.n_functions <= FEW_FUNCTIONS and reason != "saturated"
    if first.order is None and is_quick:
        # Exchanges may lead to a worse end. Also search without them, and keep the better result.
        plain = Run(rows, family, replace(again, beam=1), quiet, None, first, rethinks=False)
        found.append(plain.run())
    if asked.beam > 1:
        # Keep the better of the searches with and without a beam.
        found.append(Run(rows, family, again, quiet, None, first).run())
    return best_of(found)


def best_of(found: Sequence[tuple[BestSets, StopReason]]) -> tuple[BestSets, StopReason]:
    """Return the best set of each size of several searches, and the reason why the first one ended.

    The first search decides the number of columns. If it met the request, a search that meets the
    request with fewer columns is better.
    """
    (first, reason), *_ = found
    if reason in ENOUGH:
        enough = [sets for sets, why in found if why == reason]
    else:
        enough = [sets for sets, _ in found if len(sets.columns) == len(first.columns)]
    tie = TIE * float(first.total[0])
    fewest = min(len(sets.columns) for sets in enough)
    small = [sets for sets in enough if len(sets.columns) == fewest]
    least = min(float(sets.total[-1]) for sets in small)
    last = next(sets for sets in small if sets.total[-1] <= least + tie)
    total, columns = last.total.copy(), list(last.columns)
    for sets, _ in found:
        for size in range(1, len(columns)):
            if size < len(sets.total) and sets.total[size] < total[size] - tie:
                total[size], columns[size - 1] = sets.total[size], sets.columns[size - 1]
    return replace(last, columns=tuple(columns), total=total), reason
