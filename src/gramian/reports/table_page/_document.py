"""The page about a table as a JSON document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gramian.laws import BrokenRow, Comparison, SuspectCell
from gramian.reports.table_page._first_screen import FirstScreen
from gramian.reports.table_page._law_entries import LawEntry
from gramian.reports.table_page._shown_cells import cell_value
from gramian.reports.table_page._study import TableStudy

FORMAT, VERSION = "gramian table report", 1


def document(
    study: TableStudy, screen: FirstScreen, title: str, code: str, versions: Mapping[str, str]
) -> dict[str, Any]:
    """Return all facts of a page as a dictionary that can be stored as JSON.

    Rows have two numbers: `row`, counted from 0, and `number`, as the page counts them. `name` is
    the cell of the column that names rows.

    Parameters
    ----------
    study : TableStudy
        The facts.
    screen : FirstScreen
        The sentences of the first screen.
    title : str
        The title of the page.
    code : str
        Python code that does it all again.
    versions : mapping from str to str
        The versions of the programs.
    """
    choice, few, notes = study.choice, study.few, study.notes
    return {
        "format": FORMAT,
        "version": VERSION,
        "title": title,
        "table": {
            "name": study.name,
            "n_rows": study.n_rows,
            "columns": [*study.names],
            "rows_count": study.numbers.words,
            "rows_named_by": study.numbers.key,
        },
        "summary": {
            "what": screen.what,
            "laws": screen.laws,
            "best_laws": [each.text for each in screen.best],
            "broken": screen.broken,
            "can_go": [*screen.go],
            "look_at": [*screen.look],
        },
        "laws": [_law(each, study) for each in study.laws.entries],
        "laws_of_most_rows": [_law(each, study) for each in study.laws.nearly],
        "broken_rows": [_suspect(each, study) for each in study.result.cells],
        "base_columns": [*choice.base],
        "computed_columns": [
            {
                "column": each.name,
                "law": each.law,
                "from": [*each.causes],
                "status": each.status,
                "typical_error": None if each.missed is None else each.missed.typical,
                "largest_error": None if each.missed is None else each.missed.largest,
            }
            for each in choice.computed
        ],
        "alternatives": [
            {
                "keep": each.keep,
                "instead": [*each.instead],
                "laws": [*each.laws],
                "base_columns": [*each.kept],
            }
            for each in choice.exchanges
        ],
        "few_columns": None
        if few is None
        else {
            "columns": [*few.columns],
            "share_by_columns": [*few.by_columns],
            "share_by_components": [*few.by_components],
            "n_columns": few.n_columns,
            "n_rows": few.n_rows,
            "left_out": [*few.counters],
            "ends": few.ends,
        },
        "done": [*notes.done],
        "not_searched": [*notes.unsearched],
        "cautions": [*notes.cautions],
        "empty_cells": dict(notes.gaps),
        "against": None if study.against is None else _against(study.against, study),
        "code": code,
        "versions": dict(versions),
    }


def _law(entry: LawEntry, study: TableStudy) -> dict[str, Any]:
    return {
        "law": entry.text,
        "group": entry.group,
        "columns": [*entry.columns],
        "gives": entry.gives,
        "n_tested": entry.n_tested,
        "n_broken": entry.n_broken,
        "typical_error": entry.typical_error,
        "rows": [_row(each, study) for each in entry.rows],
    }


def _row(row: BrokenRow, study: TableStudy) -> dict[str, Any]:
    return {
        "row": row.row,
        "number": study.numbers(row.row),
        "name": study.numbers.name(row.row),
        "found": {name: cell_value(value) for name, value in row.cells.items()},
        "expected": cell_value(row.expected),
    }


def _suspect(cell: SuspectCell, study: TableStudy) -> dict[str, Any]:
    return {
        "row": cell.row,
        "number": study.numbers(cell.row),
        "name": study.numbers.name(cell.row),
        "column": cell.column,
        "found": cell_value(cell.found),
        "expected": cell_value(cell.expected),
        "mends": cell.mends,
        "likely": [*cell.likely],
        "values": [cell_value(each) for each in cell.values],
        "kind": cell.kind,
        "laws": [*cell.laws],
    }


def _against(comparison: Comparison, study: TableStudy) -> dict[str, Any]:
    return {"older": study.older, **comparison.to_json()}
