"""Printed laws: a line for each law, and many laws in groups with headings."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from gramian.formulas import number, r_squared
from gramian.laws._any_law import AnyLaw
from gramian.laws.columns import ColumnFacts
from gramian.laws.forms import ComposedDate, Relation

FEW = 8
"""Largest number of laws that are printed without headings."""
HEADINGS = ("Numbers", "Levels", "Dates", "With noise")
"""Headings of groups of laws, in the order in which they are printed."""
OF_LEVELS = ("lookup", "guarded", "slopes")
"""Kinds of laws in which distinct values of a column decide."""


def line_of(law: AnyLaw) -> str:
    """Return a law as a line, with the number of rows that obey it, or its error.

    Parameters
    ----------
    law : Relation, Dependency or SlopeLaw
        The law.
    """
    return f"{law}{_remark(law)}"


def lines_of(laws: Sequence[AnyLaw], facts: Sequence[ColumnFacts]) -> Iterator[str]:
    """Yield a line for each law; more than eight laws are in groups with headings.

    Parameters
    ----------
    laws : sequence of Relation, Dependency or SlopeLaw
        The laws, which keep their order in each group.
    facts : sequence of ColumnFacts
        Facts about the columns, of which the types are used.
    """
    if len(laws) <= FEW:
        yield from map(line_of, laws)
        return
    dates = {each.name for each in facts if each.type == "date"}
    groups: dict[str, list[AnyLaw]] = {each: [] for each in HEADINGS}
    for law in laws:
        groups[_heading(law, dates)].append(law)
    for heading, group in groups.items():
        if group:
            yield f"{heading}:"
            yield from (f"  {line_of(each)}" for each in group)


def _heading(law: AnyLaw, dates: Collection[str]) -> str:
    """Return the heading of the group of a law; `dates` are the columns of dates."""
    if not law.exact and not law.n_exceptions:
        return "With noise"
    form = getattr(law, "form", None)
    is_part = getattr(form, "is_part", False) or isinstance(form, ComposedDate)
    if law.kind in OF_LEVELS and not is_part:
        return "Levels"
    return "Dates" if is_part or {*law.columns} & {*dates} else "Numbers"


def _remark(law: AnyLaw) -> str:
    """Return what follows a law that does not hold exactly in all rows."""
    if law.exact:
        return ""
    if law.n_exceptions:
        return f"  ({law.n_rows - law.n_exceptions:,} of {law.n_rows:,} rows)"
    if isinstance(law, Relation):
        of = "" if law.solved else f" of {law.gives}"
        return f"  (R² {r_squared(law.r2)}{of}, error {number(law.typical_error, 2)})"
    return f"  (error {number(100 * law.validation_error, 2)} %)"
