"""Writing of the page about a table, as HTML, Markdown or JSON."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gramian
from gramian._support.extras import require
from gramian._support.writing import check_target, replacing
from gramian.reports.table_page._again import code_again
from gramian.reports.table_page._changes import changes
from gramian.reports.table_page._document import document
from gramian.reports.table_page._first_screen import first_screen, title_of
from gramian.reports.table_page._html import html
from gramian.reports.table_page._markdown import markdown
from gramian.reports.table_page._page_format import PageFormat
from gramian.reports.table_page._study import PageWishes, studied
from gramian.tables import Table


def write_table_page(
    table: Table,
    path: str | os.PathLike[str],
    format: PageFormat,
    wishes: PageWishes,
    *,
    older: Table | None = None,
    title: str | None = None,
    command: str | None = None,
    source: str | list[str] | None = None,
    options: Mapping[str, Any] | None = None,
    verbose: int = 0,
) -> dict[str, Any]:
    """Study a table, write the page about it, and return its facts as a dictionary.

    Parameters
    ----------
    table : Table
        The table.
    path : path
        The file to write; an older file is replaced when the page is complete.
    format : {"html", "md", "json"}
        The format of the page.
    wishes : PageWishes
        What the user wants of the page.
    older : Table, optional
        Another table with which this one is compared.
    title : str, optional
        The title; by default the name of the table.
    command : str, optional
        The shell command that made the page.
    source : str or list of str, optional
        The file of the table, or several, for the code on the page; None for a table in memory.
    options : mapping, optional
        Arguments of `gramian.report` for the code on the page, without `against`.
    verbose : int, default=0
        1 to show the progress of the search for laws on standard error.
    """
    if format == "html":
        require("jinja2", "A report")
    check_target(path)
    study = studied(table, wishes, older=older, verbose=verbose)
    screen, changed = first_screen(study), changes(study)
    title = title or title_of(study)
    code = code_again(source, study.older, options or {})
    versions = {"gramian": gramian.__version__, "Python": platform.python_version()}
    found = document(study, screen, title, code, versions)
    if format == "json":
        text = json.dumps(found, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    elif format == "md":
        text = markdown(study, screen, changed, title, code, versions)
    else:
        text = html(study, screen, changed, title, code, versions, command)
    with replacing(Path(path)) as stream:
        stream.write(text.encode("utf-8", "replace"))
    return found
