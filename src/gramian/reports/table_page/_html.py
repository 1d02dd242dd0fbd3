"""The page about a table as one HTML file."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from gramian._support.extras import require
from gramian._support.words import counted, percent, plural
from gramian.reports import _page
from gramian.reports.table_page._changes import Changes
from gramian.reports.table_page._first_screen import FirstScreen, broken_sentence, names_of
from gramian.reports.table_page._law_entries import GROUPS, MAX_LAWS, SHOWN_ROWS
from gramian.reports.table_page._law_map import law_map
from gramian.reports.table_page._share_chart import share_chart
from gramian.reports.table_page._shown_cells import cell_text
from gramian.reports.table_page._study import TableStudy

MAX_BROKEN = 40
"""Largest number of broken rows in the list of all."""
MAX_LEVELS = 20
"""Largest number of levels of a lookup that are shown."""
MAX_COLUMNS = 200
"""Largest number of columns in the table of columns that can go."""


def html(
    study: TableStudy,
    screen: FirstScreen,
    changed: Changes | None,
    title: str,
    code: str,
    versions: Mapping[str, str],
    command: str | None,
) -> str:
    """Return the page as HTML; sections with nothing to say are absent.

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
    command : str or None
        The shell command that made the page.
    """
    markup = require("jinja2", "A report").utils.markupsafe.Markup
    drawn = law_map(study.choice)
    shown = study.laws.entries[:MAX_LAWS]
    groups = [
        (key, heading, about, [each for each in shown if each.group == key])
        for key, (heading, about) in GROUPS.items()
    ]
    content: dict[str, Any] = {
        "study": study,
        "screen": screen,
        "changed": changed,
        "title": title,
        "code_again": code,
        "versions": versions,
        "command": command,
        "map": drawn,
        "map_svg": None if drawn is None else markup(drawn.svg),
        "chart": None if study.few is None else markup(share_chart(study.few)),
        "groups": [group for group in groups if group[3]],
        "n_laws_hidden": len(study.laws.entries) - len(shown),
        "broken": [
            broken_sentence(each, study) for each in study.result.certain_first[:MAX_BROKEN]
        ],
        "wrong": {each.row: each.likely for each in study.result.cells if each.kind != "rule"},
        "shown_rows": SHOWN_ROWS,
        "max_levels": MAX_LEVELS,
        "max_columns": MAX_COLUMNS,
        "cell_text": cell_text,
        "counted": counted,
        "names_of": names_of,
        "percent": percent,
        "plural": plural,
        "date": datetime.now().astimezone().strftime("%Y-%m-%d %H:%M"),
    }
    return _page.render("table.html", content, ("report.css", "table.css"), "table.js")
