"""Notes on how a table was read: cells taken as numbers, gaps, dates, and cautions."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from gramian._support.words import counted, listed, plural
from gramian.formulas import quote
from gramian.laws import Relations
from gramian.reports.table_page._shown_cells import RowNumbers
from gramian.tables import Table, is_text, pyarrow
from gramian.tabular import TableCaution, cautions_of_reading

FEW_ROWS = 50
"""With fewer rows, laws may hold by chance."""
SAID = (" since ", "Values are missing")
"""Parts of notes of the search for laws that the page words itself."""
UNSEARCHED = ("not searched",)
"""Parts of notes about laws that were not searched."""
CAUTIONS = ("was left out",)
"""Parts of notes of the search for laws that are cautions."""
LISTED = 12
"""Largest number of columns that a note names."""


@dataclass(frozen=True)
class ReadingNotes:
    """How a table was read."""

    done: tuple[str, ...]
    """What was done to the table, as sentences."""
    unsearched: tuple[str, ...]
    """What was not searched, as sentences."""
    cautions: tuple[str, ...]
    """What may mislead, as sentences."""
    gaps: Mapping[str, int]
    """From the name of each column with empty cells to their number."""
    constant: tuple[str, ...]
    """Columns with one value in all rows, or with none."""


def reading_notes(table: Table, names: Collection[str], found: Relations) -> ReadingNotes:
    """Collect how a table was read, and what may mislead.

    Parameters
    ----------
    table : Table
        The table.
    names : collection of str
        The columns that were studied.
    found : Relations
        The laws of the table.
    """
    gaps, constant = _gaps(table, names)
    wide = table.codes
    dates = [each.name for each in found.facts if each.type == "date"]
    n_gaps = sum(gaps.values())
    some = "; ".join(f"{_name(name)} has {n:,}" for name, n in [*gaps.items()][:LISTED])
    more = f"; {counted(len(gaps) - LISTED, 'more column')}" if len(gaps) > LISTED else ""
    others = [name for name in table.names if name not in names]
    codes = [name for name in names if name in wide]
    done = [
        *(
            f"The cells of {_name(name)} are read as numbers: {example}."
            for name, example in table.spellings.items()
            if name in names
        ),
        *([f"Dates: {_names(dates)}.{_counting(found, dates)}"] if dates else []),
        *(
            [
                f"{counted(n_gaps, 'cell')} {plural(n_gaps, 'is', 'are')} empty: {some}{more}."
                + (" A law is tested in the rows that have all its columns." if found else "")
            ]
            if gaps
            else []
        ),
        *(
            [
                f"{_names(codes)} {plural(len(codes), 'has', 'have')} more digits than numbers "
                "here can hold, and is compared as text."
            ]
            if codes
            else []
        ),
        *([f"Not looked at: {_names(others)}."] if others else []),
        *(note for note in found.notes if not _has(note, (*SAID, *UNSEARCHED, *CAUTIONS))),
    ]
    cautions = [_worded(each, RowNumbers.of(table)) for each in _cautions(table, names)]
    cautions += [
        f"The times of {_name(name)} have different offsets from UTC, which were dropped."
        for name in table.without_zone
    ]
    cautions += [note for note in found.notes if _has(note, CAUTIONS)]
    if not found.complete:
        cautions.append("The search for laws was stopped: there may be more laws.")
    if found.n_rows < FEW_ROWS:
        cautions.append(
            f"The table has only {counted(found.n_rows, 'row')}: a law may hold by chance."
        )
    unsearched = tuple(note for note in found.notes if _has(note, UNSEARCHED))
    return ReadingNotes(tuple(done), unsearched, tuple(cautions), gaps, constant)


def _has(note: str, parts: Collection[str]) -> bool:
    """Return True if a note has any of some parts."""
    return any(part in note for part in parts)


def _name(name: str) -> str:
    return quote(name)


def _names(names: Collection[str]) -> str:
    return listed([*names], LISTED, quote)


def _counting(found: Relations, dates: Collection[str]) -> str:
    """Return in which unit laws count dates, as a sentence; empty if no law computes with dates."""
    computing = [each for each in found if each.kind not in ("constant", "lookup")]
    if not any({*dates}.intersection(each.columns) for each in computing):
        return ""
    seconds = any(" seconds since " in note for note in found.notes)
    days = any(" days since " in note for note in found.notes)
    if seconds and days:
        return " In laws, dates count days, and times count seconds."
    return f" In laws, {'times count seconds' if seconds else 'dates count days'}."


def _gaps(table: Table, names: Collection[str]) -> tuple[dict[str, int], tuple[str, ...]]:
    """Return the numbers of empty cells by column, and the columns with at most one value."""
    compute = pyarrow().compute
    n_empty, values = dict.fromkeys(names, 0), {name: set[object]() for name in names}
    for rows in table.pieces([*names]):
        for name in names:
            column = rows.column(name)
            empty = column.is_null(nan_is_null=True)
            n_empty[name] += int(compute.sum(empty).as_py() or 0)
            if len(values[name]) < 2:
                there = column.filter(compute.invert(empty))
                values[name] |= {*compute.unique(there).slice(0, 2).to_pylist()}
    gaps = {name: n for name, n in n_empty.items() if n}
    return gaps, tuple(name for name in names if len(values[name]) < 2)


def _cautions(table: Table, names: Collection[str]) -> list[TableCaution]:
    kinds = table.columns
    text = [name for name in names if is_text(kinds[name])]
    return [*cautions_of_reading(table, text, [*names])]


def _worded(caution: TableCaution, numbers: RowNumbers) -> str:
    """Return a caution as a sentence for a reader of the file."""
    facts = caution.facts
    if caution.kind == "stray":
        return (
            f"{facts['n_numbers']:,} of {facts['n_cells']:,} cells of {_name(facts['column'])} are "
            f"numbers, but row {numbers(facts['row'])} has {facts['cell']!r}: the column is "
            "compared as text. Correct such cells, or leave them empty."
        )
    return str(caution)
