"""Levels that the fit has not seen: cells that laws look up by them are missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gramian._support.words import counted, listed
from gramian.formulas import quote
from gramian.laws import ColumnLaw

NAMED = 3
"""Largest number of levels that a warning names for a column."""


class UnknownLevel(NamedTuple):
    """A level by which a law looks up a column, and which the fit has not seen."""

    column: str
    """The column that the law gives."""
    level: str
    """The columns by which it is looked up and their values, such as "room 'Penthouse'"."""


def unknown_levels(
    laws: Iterable[ColumnLaw],
    masks: Mapping[str, NDArray[np.bool_]],
    cells: Callable[[str], NDArray[Any] | None],
) -> Counter[UnknownLevel]:
    """Count the rows of each level that the fit has not seen.

    Parameters
    ----------
    laws : iterable of ColumnLaw
        The laws of levels.
    masks : mapping from str to array of bool
        For each column that they give, the rows whose level is unknown.
    cells : callable
        Function from the name of a column to its cells; None if a law gives the column.
    """
    found = Counter[UnknownLevel]()
    for law in laws:
        mask = masks.get(law.column)
        if mask is None or not mask.any():
            continue
        keys = {name: cells(name) for name in law.columns}
        for row in np.flatnonzero(mask).tolist():
            named = [
                f"{quote(n)} {_text(each[row])}" for n, each in keys.items() if each is not None
            ]
            level = " and ".join(named) or "a level that is itself looked up"
            found[UnknownLevel(law.column, level)] += 1
    return found


def warning_text(unknown: Counter[UnknownLevel]) -> str:
    """Return a warning that names each column, its unknown levels, and the number of rows.

    Parameters
    ----------
    unknown : Counter of UnknownLevel
        The number of rows of each unknown level, at least one.
    """
    said = []
    for column in dict.fromkeys(each.column for each in unknown):
        rows = {level: n for (name, level), n in unknown.items() if name == column}
        levels = [f"{level} ({counted(n, 'row')})" for level, n in rows.items()]
        said.append(
            f"{quote(column)} is missing in {counted(sum(rows.values()), 'row')}, as the fit has "
            f"not seen {listed(levels, NAMED, str)}."
        )
    return " ".join(said)


def _text(cell: Any) -> str:
    """Return a cell as text: text in quotes, whole numbers without a fraction, dates as dates."""
    if isinstance(cell, str):
        return repr(cell)
    if isinstance(cell, float | np.floating):
        return f"{cell:.15g}"
    return str(cell).removesuffix("T00:00:00.000000")
