"""Rounded columns: laws whose results are rounded as the cells of their columns are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from gramian._support.types import Array
from gramian.laws.columns import ColumnFacts, Printed, Rounding
from gramian.laws.forms import ColumnLaw


def rounded_as_columns(
    laws: Iterable[ColumnLaw],
    facts: Sequence[ColumnFacts],
    rows: Mapping[str, Array] | None = None,
) -> list[ColumnLaw]:
    """Return laws with results that have the decimals of their column.

    Parameters
    ----------
    laws : iterable of ColumnLaw
        The laws.
    facts : sequence of ColumnFacts
        The columns, with their decimals.
    rows : mapping from str to array, optional
        Columns of numbers in some rows, which tell how the middle between two numbers is rounded.
        It is rounded to even if they do not tell.
    """
    decimals = {each.name: each.decimals for each in facts}
    found = []
    for law in laws:
        cells = (rows or {}).get(law.column)
        own: Rounding | None = getattr(law, "rounding", None)
        if own is None or own.decimals is not None:
            found.append(law)
            continue
        rounding = Rounding(decimals.get(law.column))
        if cells is not None:
            rounding = _rounding(law, cells, rows or {})
        found.append(law.rounded_to(rounding))
    return found


def _rounding(law: ColumnLaw, cells: Array, rows: Mapping[str, Array]) -> Rounding:
    even = Printed.of(cells).rounding
    up = replace(even, half_up=True)
    if even.decimals is None or not {*law.columns} <= {*rows}:
        return even
    with np.errstate(all="ignore"):
        n_even, n_up = (int((law.rounded_to(each)(rows) == cells).sum()) for each in (even, up))
    return up if n_up > n_even else even
