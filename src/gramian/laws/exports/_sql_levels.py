"""Levels in SQL: a CASE for each level; many levels are searched by halves, or in a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gramian.laws.columns import Cell
from gramian.laws.exports._expressions import LevelKey

if TYPE_CHECKING:
    from gramian.laws.exports._sql_writer import SqlWriter

Entries = Sequence[tuple[tuple[Cell, ...], Cell]]
"""Pairs of a level for each key, and the result."""
SUM = 1
"""How tightly a key is bound in a comparison: as a sum."""
MOST_IN_TURN = 24
"""Number of levels that are compared one after the other; more are halved first."""
LEAF = 8
"""Number of levels at the ends of the tree."""


def levels_as_sql(writer: SqlWriter, keys: Sequence[LevelKey], entries: Entries) -> str:
    """Return the result for the levels of some keys; NULL for unknown levels.

    Parameters
    ----------
    writer : SqlWriter
        Writes the keys.
    keys : sequence of LevelKey
        The keys.
    entries : sequence of tuple
        Pairs of a level for each key, and the result.
    """
    if len(entries) <= MOST_IN_TURN:
        cases = []
        for levels, result in entries:
            both = zip(keys, levels, strict=True)
            holds = " AND ".join(writer.is_level(key, level) for key, level in both)
            cases.append(f"WHEN {holds} THEN {writer.cell(result)}")
        return f"CASE {' '.join(cases)} END"
    groups: dict[Cell, list[tuple[tuple[Cell, ...], Cell]]] = {}
    for (first, *rest), result in entries:
        groups.setdefault(first, []).append((tuple(rest), result))
    key, *others = keys
    found: list[tuple[Cell, str]] = []
    for level in sorted(groups):
        inner = groups[level]
        text = levels_as_sql(writer, others, inner) if others else writer.cell(inner[0][1])
        found.append((level, text))
    return _tree(writer, key, found)


def levels_as_table(writer: SqlWriter, keys: Sequence[LevelKey], entries: Entries) -> str:
    """Return the result for many levels as a query of a table of levels, for DuckDB.

    DuckDB joins the tables, and would evaluate each CASE of a tree for all rows.

    Parameters
    ----------
    writer : SqlWriter
        Writes the keys.
    keys : sequence of LevelKey
        The keys.
    entries : sequence of tuple
        Pairs of a level for each key, and the result.
    """
    names = [f"law_level_{i}" for i, _ in enumerate(keys, 1)]
    holds = []
    for key, name in zip(keys, names, strict=True):
        x = writer.write(key.value, SUM)
        if key.kind == "number":  # the first ten digits, as a lookup reads it
            x = f"CASE WHEN {x} = floor({x}) THEN {x} ELSE printf('%.9e', {x})::DOUBLE END"
        holds.append(f"{name} = {x}")
    rows = [[*map(writer.cell, level)] for level, _ in entries]
    values = ", ".join(
        f"({', '.join([*row, writer.cell(result)])})"
        for row, (_, result) in zip(rows, entries, strict=True)
    )
    table = f"(VALUES {values}) AS law_levels({', '.join(names)}, law_result)"
    return f"(SELECT law_result FROM {table} WHERE {' AND '.join(holds)})"


def _tree(writer: SqlWriter, key: LevelKey, found: Sequence[tuple[Cell, str]]) -> str:
    """Return the result for a level of one key, which is searched by halves."""
    if len(found) <= LEAF:
        cases = [f"WHEN {writer.is_level(key, level)} THEN {text}" for level, text in found]
        return f"CASE {' '.join(cases)} END"
    middle = len(found) // 2
    below, above = _tree(writer, key, found[:middle]), _tree(writer, key, found[middle:])
    return f"CASE WHEN {writer.is_below(key, found[middle][0])} THEN {below} ELSE {above} END"
