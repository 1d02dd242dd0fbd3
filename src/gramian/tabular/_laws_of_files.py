"""Laws of files: the checks of a file of laws, of a model, or of a table with laws."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gramian.exceptions import ModelFileError
from gramian.laws import Checks, ColumnFacts, ColumnLaw, LawCheck, Rounding, Solution, load_checks
from gramian.tabular._table_model import TableModel, read_model

if TYPE_CHECKING:
    from gramian.tables import Table

MODEL = ".gram"
"""The usual ending of the name of a model file."""
TIE = 1e-6
"""Relative error of half a unit: a number in the middle is rounded up or down."""
LAST_BITS = 2e-15
"""Largest relative error of a number before it is rounded to some decimals."""
ALL_DIGITS = 1e-9
"""Largest relative error of a number with all digits."""


def stored_checks(path: str) -> Checks | None:
    """Return the checks of a file of laws or of a model; None if the file is neither.

    Parameters
    ----------
    path : str
        The file.
    """
    with Path(path).open("rb") as stream:
        head = stream.read(512)
    is_json = head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{")
    if is_json or path.lower().endswith(".json"):
        return load_checks(path)
    try:
        return checks_of_model(read_model(path))
    except ModelFileError:
        if path.lower().endswith(MODEL):
            raise
        return None


def checks_of_model(model: TableModel) -> Checks:
    """Return the laws by which a model computes dropped columns, as checks.

    Parameters
    ----------
    model : TableModel
        The model.
    """
    steps = model.steps
    laws: list[ColumnLaw] = [*model.estimator.model_.laws, *steps.beside.lookups]
    coded = {*steps.categories}
    usable = [law for law in laws if not coded & {law.column, *law.columns}]
    made = {law.column: getattr(law, "rounding", Rounding()) for law in usable}
    beside = steps.beside
    names = dict.fromkeys([*steps.columns, *beside.order, *steps.ids, *steps.targets, *made])
    as_stored = {name: made.get(name, Rounding()) for name in names}
    facts = tuple(
        ColumnFacts(name, None, each.decimals, half_up=each.half_up)
        for name, each in as_stored.items()
    )
    return Checks(tuple(_check(law, steps.clocks) for law in usable), facts)


def _check(law: ColumnLaw, clocks: Any) -> LawCheck:
    """Return a law of a model as a check: it allows the error with which its column is rounded."""
    text, rounding = str(law), getattr(law, "rounding", Rounding())
    if isinstance(law, Solution):
        dates = {name: clocks[name] for name in (*law.columns, law.column) if name in clocks}
        law = replace(law, clocks={**law.clocks, **dates})
    absolute, relative = rounding.errors
    if not absolute:
        return LawCheck(law.rounded_to(Rounding()), text, 0.0, max(relative, ALL_DIGITS))
    unrounded = law.rounded_to(Rounding())
    return LawCheck(unrounded, text, absolute * (1 + TIE), max(relative, LAST_BITS))


def checks_of_table(table: Table) -> Checks:
    """Find the laws of a table, and return them as checks.

    Parameters
    ----------
    table : Table
        The table.
    """
    from gramian.laws import relations

    return relations(table).checks
