"""Laws among numbers and laws of levels: their solutions, and whether they name units."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from gramian.laws.forms import ColumnLaw, LevelLaw, Relation

AnyLaw = Relation | LevelLaw
"""A law among numbers, or a law of levels."""
ROWS_A_LEVEL = 10
"""Least number of rows per level, on average; numbers with fewer rows are names of units."""


def names_units(law: AnyLaw, numbers: Collection[str]) -> bool:
    """Return True if a law looks up a property of a unit, such as a person, by its number.

    Such a law is no redundancy: new units have other numbers. A part of a date, such as its day, is
    computed for new dates, too.

    Parameters
    ----------
    law : Relation, Dependency or SlopeLaw
        The law.
    numbers : collection of str
        The columns of numbers.
    """
    if getattr(law.form, "is_part", False):
        return False
    return law.n_levels * ROWS_A_LEVEL > law.n_rows and {*law.columns} <= {*numbers}


def solutions(relation: AnyLaw) -> Iterator[ColumnLaw]:
    """Yield a law solved for each possible column; the column to drop first comes first."""
    first = getattr(relation, "_dropped_first", None) or getattr(relation.form, "column", None)
    for name in sorted(relation.columns, key=lambda each: each != first):
        try:
            yield relation.solve_for(name)
        except ValueError:
            continue
