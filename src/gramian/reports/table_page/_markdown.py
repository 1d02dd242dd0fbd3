"""The page about a table as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from gramian._support.words import counted, listed, one_line, percent
from gramian.formulas import quote
from gramian.reports.table_page._changes import Changes
from gramian.reports.table_page._column_choice import ColumnChoice
from gramian.reports.table_page._few_columns import FewColumns
from gramian.reports.table_page._first_screen import FirstScreen, broken_sentence, names_of
from gramian.reports.table_page._law_entries import GROUPS, SHOWN_ROWS, LawEntry
from gramian.reports.table_page._shown_cells import cell_text
from gramian.reports.table_page._study import TableStudy

SIGNS = re.compile(r"([\\`*\[\]<>|~]|(?<!\w)_|_(?!\w)|&(?=[#\w])|^[-+#=])")
"""Letters with a meaning in Markdown; some have it only at the beginning, or beside letters."""
NUMBER = re.compile(r"^(\d+)([.)])(?=\s|$)")
"""A number at the beginning that would be that of a list."""
MAX_BROKEN = 20
"""Largest number of broken rows in the list of all."""


def markdown(
    study: TableStudy,
    screen: FirstScreen,
    changed: Changes | None,
    title: str,
    code: str,
    versions: Mapping[str, str],
) -> str:
    """Return the page as Markdown; sections with nothing to say are absent.

    Parameters
    ----------
    study : TableStudy
        The facts.
    screen : FirstScreen
        The sentences of the first screen.
    changed : Changes or None
        The comparison with an older table.
    title : str
        The title of the page.
    code : str
        Python code that does it all again.
    versions : mapping from str to str
        The versions of the programs.
    """
    lines = [
        f"# {plain(title)}",
        *_screen(screen),
        *(_changes(changed) if changed else ()),
        *_laws(study),
        *_choice(study.choice),
        *(_few(study.few) if study.few else ()),
        *_notes(study),
        "## Do it again",
        f"```python\n{code}```",
        plain("; ".join(f"{name} {value}" for name, value in versions.items())),
    ]
    return "\n\n".join(line for line in lines if line) + "\n"


def plain(text: str) -> str:
    """Return a text in which no letter has a meaning for Markdown.

    Parameters
    ----------
    text : str
        Any text.
    """
    return NUMBER.sub(r"\1\\\2", SIGNS.sub(r"\\\1", one_line(text)))


def _span(text: str) -> str:
    """Return a law as a code span; backquotes in it are kept by longer ones around."""
    text = one_line(text)
    longest = max((len(each) for each in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    return f"{fence} {text} {fence}" if longest else f"`{text}`"


def _list(items: Iterable[str]) -> str:
    return "\n".join(f"- {each}" for each in items)


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    def line(cells: Sequence[str]) -> str:
        return f"| {' | '.join(plain(each) for each in cells)} |"

    return "\n".join([line(heads), f"|{' --- |' * len(heads)}", *map(line, rows)])


def _screen(screen: FirstScreen) -> Iterator[str]:
    yield plain(screen.what)
    yield plain(screen.laws)
    yield _list(f"{_span(each.text)}: {each.holds}" for each in screen.best)
    yield plain(screen.broken)
    yield _list(map(plain, screen.first_rows))
    yield from map(plain, (*screen.go, *screen.look))


def _changes(changed: Changes) -> Iterator[str]:
    yield f"## What changed since {plain(changed.older)}"
    yield plain(changed.first)
    for heading, items in (
        ("Laws that broke", changed.broken),
        ("New laws", changed.new),
        ("Columns", changed.columns),
        ("Rows that break laws of the older table", changed.rows),
    ):
        if items:
            yield f"### {heading}"
            yield _list(map(plain, items))


def _laws(study: TableStudy) -> Iterator[str]:
    entries, nearly = study.laws.entries, study.laws.nearly
    if entries or nearly:
        yield "## The laws, and the rows that break them"
    if len(study.result.rows):
        yield f"Rows are counted {study.numbers.words}."
    for group, (heading, about) in GROUPS.items():
        own = [each for each in entries if each.group == group]
        if own:
            yield f"### {heading}"
            yield about
            for each in own:
                yield from _law(each, study)
    if nearly:
        yield "### In most rows only"
        yield "Other laws vouch for the cells of the rows that break these: they are no errors."
        yield _list(f"{_span(each.text)}: {each.holds}" for each in nearly)


def _law(entry: LawEntry, study: TableStudy) -> Iterator[str]:
    yield f"{_span(entry.text)}: {entry.holds}."
    if not entry.rows:
        return
    names = list(entry.rows[0].cells)
    heads = [study.numbers.head, *names, *([f"{entry.gives} by the law"] if entry.gives else [])]
    yield _table(
        heads,
        [
            [
                study.numbers.in_table(each.row),
                *(cell_text(each.cells[name]) for name in names),
                *([cell_text(each.expected)] if entry.gives else []),
            ]
            for each in entry.rows
        ],
    )
    if entry.n_broken > SHOWN_ROWS:
        yield f"and {counted(entry.n_broken - SHOWN_ROWS, 'more row')}"


def _choice(choice: ColumnChoice) -> Iterator[str]:
    if not choice.computed:
        return
    yield "## The columns to keep"
    yield plain(f"Keep {listed(choice.base, len(choice.base), quote)}.")
    rows = [[each.name, each.law, each.comes_back] for each in choice.computed]
    yield _table(["can go", "its law", "what comes back"], rows)
    for each in choice.exchanges:
        instead, laws = names_of(each.instead), "; ".join(each.laws)
        yield plain(f"To keep {quote(each.keep)} rather than {instead}: {laws}.")


def _few(few: FewColumns) -> Iterator[str]:
    yield "## How few columns stand for all"
    yield plain(
        f"Shares of the variance of {counted(few.n_columns, 'column')} of numbers, in new rows."
    )
    rows = [
        [str(i + 1), name, percent(own), percent(pca)]
        for i, (name, own, pca) in enumerate(
            zip(few.columns, few.by_columns, few.by_components, strict=True)
        )
    ]
    yield _table(["number", "column", "columns so far", "components of PCA"], rows)
    yield plain(f"{few.ends} {few.without}".strip())


def _notes(study: TableStudy) -> Iterator[str]:
    if study.notes.done:
        yield "## What was done to the table"
        yield _list(map(plain, study.notes.done))
    if study.notes.unsearched:
        yield "## What was not searched"
        yield _list(map(plain, study.notes.unsearched))
    if study.notes.cautions:
        yield f"## {counted(len(study.notes.cautions), 'caution')}"
        yield _list(map(plain, study.notes.cautions))
    rest = study.result.certain_first[:MAX_BROKEN]
    if rest:
        yield "## The rows that break laws"
        yield _list(plain(broken_sentence(each, study)) for each in rest)
        if len(study.result.cells) > MAX_BROKEN:
            yield f"and {counted(len(study.result.cells) - MAX_BROKEN, 'more row')}"
