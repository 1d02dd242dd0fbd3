"""Cautions about text columns of which nearly all cells are numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gramian.tables import Table, numbers_in_text
from gramian.tabular._messages import TableCaution


def cautions_of_text(table: Table, names: Sequence[str]) -> Iterator[TableCaution]:
    """Yield a caution for each text column of which nearly all cells are numbers.

    Parameters
    ----------
    table : Table
        The table.
    names : sequence of str
        Names of the columns to look at.
    """
    for name, found in numbers_in_text(table, names).items():
        facts = {"column": name, "n_cells": found.n_cells}
        if found.row is None:
            yield TableCaution("text of numbers", facts, "Convert it unless they are codes")
            continue
        facts |= {"n_numbers": found.n_numbers, "row": found.row, "cell": f"{found.cell:.40}"}
        yield TableCaution("stray", facts, "Correct such cells, or leave them empty")
