"""Rounded columns: laws whose results are rounded as the cells of their columns are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from gramian._support.types import Array
from gramian.laws.columns import ColumnFacts, Rounding
from gramian.laws.forms import ColumnLaw, rounding_of_result


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
        Without rows, the facts tell it.
    """
    known = {each.name: Rounding(each.decimals, each.half_up) for each in facts}
    found = []
    for law in laws:
        own: Rounding | None = getattr(law, "rounding", None)
        if own is None or own.decimals is not None:
            found.append(law)
            continue
        if rows and law.column in rows:
            found.append(law.rounded_to(rounding_of_result(law, rows)))
        else:
            found.append(law.rounded_to(known.get(law.column, Rounding())))
    return found
