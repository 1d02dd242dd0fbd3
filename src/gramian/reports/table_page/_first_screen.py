"""The first screen of the page about a table: what it is, its laws, wrong rows, what can go."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from gramian._support.words import counted, listed, plural
from gramian.formulas import quote
from gramian.laws import SuspectCell
from gramian.reports.table_page._law_entries import LawEntry
from gramian.reports.table_page._shown_cells import cell_text
from gramian.reports.table_page._study import TableStudy

BEST_LAWS = 5
FIRST_ROWS = 3
NAMED = 6
"""Largest numbers of laws, broken rows and columns that the first screen names."""
WITH_ERRORS = 3
"""Largest number of columns whose errors the first screen tells."""
MANY_GAPS = 0.1
"""A column with a larger share of empty cells is worth a look."""


@dataclass(frozen=True)
class FirstScreen:
    """Plain sentences, of which each answers one question; names are in backquotes if unclear."""

    what: str
    laws: str
    best: tuple[LawEntry, ...]
    broken: str
    first_rows: tuple[str, ...]
    go: tuple[str, ...]
    look: tuple[str, ...]


def first_screen(study: TableStudy) -> FirstScreen:
    """Return the sentences of the first screen.

    Parameters
    ----------
    study : TableStudy
        The facts about the table.
    """
    best = tuple(study.laws.best[:BEST_LAWS])
    return FirstScreen(
        _what(study),
        _laws(study, len(best)),
        best,
        _broken(study),
        tuple(broken_sentence(each, study) for each in study.result.gravest_first[:FIRST_ROWS]),
        tuple(_go(study)),
        tuple(_look(study))[:FIRST_ROWS],
    )


def title_of(study: TableStudy) -> str:
    """Return the name of the table without its folders; "The table" for one in memory.

    Parameters
    ----------
    study : TableStudy
        The facts about the table.
    """
    name = PurePath(study.name).name or study.name
    return name if "." in name else name[0].upper() + name[1:]


def names_of(names: Sequence[str]) -> str:
    """Return the first few of some columns, and the number of the others, as text.

    Parameters
    ----------
    names : sequence of str
        The columns.
    """
    return listed(names, NAMED, quote)


def broken_sentence(cell: SuspectCell, study: TableStudy) -> str:
    """Return which cell of a row is likely wrong, as a sentence.

    Parameters
    ----------
    cell : SuspectCell
        The row and its cell.
    study : TableStudy
        The facts about the table.
    """
    row = f"Row {study.numbers.named(cell.row)}"
    if cell.column is None and len(cell.likely) > NAMED:
        return f"{row}: one of {counted(len(cell.likely), 'cell')} is wrong."
    return f"{row}: {cell.said(cell_text, _give(cell))}."


def _give(cell: SuspectCell) -> str:
    return "; its law gives" if len(cell.laws) == 1 else "; its laws give"


def _what(study: TableStudy) -> str:
    base, computed = study.choice.base, study.choice.computed
    n = counted(len(study.names), "column")
    size = f"{title_of(study)} has {counted(study.n_rows, 'row')} and {n}"
    if not computed:
        return f"{size}."
    laws = "which a law computes" if len(computed) == 1 else "which laws compute"
    return (
        f"{size}: {counted(len(base), 'base column')}, and "
        f"{counted(len(computed), 'computed column')}, {laws} from "
        f"{plural(len(base), 'it', 'them')}."
    )


def _laws(study: TableStudy, n_best: int) -> str:
    n = len(study.laws.entries)
    if not n:
        return "No law was found among the columns: none is known to follow from the others."
    if n == n_best:
        return f"{counted(n, 'law')} {plural(n, 'ties', 'tie')} its columns:"
    return f"{counted(n, 'law')} tie its columns. The most telling ones:"


def _broken(study: TableStudy) -> str:
    n = len(study.result.rows)
    if not study.laws.entries:
        return ""
    if not n:
        return "No row breaks a law."
    of = f"{n:,} of {counted(study.n_rows, 'row')} {plural(n, 'breaks', 'break')} a law."
    n_mended = sum(each.mends for each in study.result.cells)
    if n_mended and n > 1:
        which = "each" if n_mended == n else f"{n_mended:,}"
        of += f" In {which} of them, one wrong cell explains it."
    return " ".join([of, *study.result.told_rules()])


def _go(study: TableStudy) -> Iterator[str]:
    """Yield the sentences about the columns that can go."""
    of = study.choice.of
    exact, broken, noisy = of("exact"), of("broken"), of("noisy")
    if not study.choice.computed:
        if study.laws.entries:
            yield "No column can go: no law gives every value of a column."
        return
    if exact:
        give = "its law gives" if len(exact) == 1 else "their laws give"
        yield (
            f"{counted(len(exact), 'column')} can go, as {give} every value again: "
            f"{names_of(exact)}."
        )
    n_wrong = sum(each.kind not in ("rule", "constant") for each in study.result.cells)
    if broken and n_wrong:
        cells = plural(n_wrong, "cell is", "cells are")
        more = "more can go" if exact else f"{plural(len(broken), 'column')} can go"
        yield (f"{len(broken):,} {more} once the wrong {cells} corrected: {names_of(broken)}.")
    elif broken:
        follow = plural(len(broken), "follows", "follow")
        yield (
            f"{counted(len(broken), 'column')} {follow} from others but for the rows in which "
            f"another rule may hold: {names_of(broken)}."
        )
    if noisy:
        follows = plural(len(noisy), "follows", "follow")
        errors = {each.name: each.error for each in study.choice.computed if each.error}
        told = [f"{quote(n)} ({errors[n]})" if n in errors else quote(n) for n in noisy]
        yield (
            f"{counted(len(noisy), 'column')} {follows} from others only up to an error, and can "
            f"go if this is close enough: {listed(told, WITH_ERRORS, str)}."
        )


def _look(study: TableStudy) -> Iterator[str]:
    """Yield what to look at, the most important first."""
    cells = study.result.gravest_first
    sure = [each for each in cells if each.mends]
    if sure:
        cell = sure[0]
        n_laws = len(cell.laws)
        laws = "its law" if n_laws == 1 else f"its {n_laws} laws"
        yield (
            f"Look first at row {study.numbers.named(cell.row)}: with {quote(cell.column or '')} = "
            f"{cell_text(cell.expected)} in place of {cell_text(cell.found)} it obeys {laws}."
        )
    elif cells:
        cell = cells[0]
        yield (
            f"Look first at row {study.numbers.named(cell.row)}, which breaks "
            f"{counted(len(cell.laws), 'law')}."
        )
    notes = study.notes
    if notes.cautions:
        n = len(notes.cautions)
        yield f"There {plural(n, 'is', 'are')} {counted(n, 'caution')} below."
    for names, what in (
        ([n for n in notes.constant if n not in notes.gaps], "the same value in all rows"),
        ([n for n in notes.constant if 0 < notes.gaps.get(n, 0) < study.n_rows],
         "the same value in all rows that have one"),
        ([n for n in notes.constant if notes.gaps.get(n) == study.n_rows], "no value in any row"),
    ):  # fmt: skip
        if names:
            yield f"{names_of(names)} {plural(len(names), 'has', 'have')} {what}."
    many = [name for name, n in notes.gaps.items() if n > MANY_GAPS * study.n_rows]
    many = [name for name in many if name not in notes.constant]
    if many:
        yield f"More than a tenth of the cells of {names_of(many)} are empty."
