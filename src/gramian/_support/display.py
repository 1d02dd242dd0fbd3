"""Tables for notebooks, as HTML and as pandas data frames."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gramian._support.extras import require


def html_table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table in HTML, every text escaped."""

    def row(tag: str, texts: Iterable[str]) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(text)}</{tag}>" for text in texts) + "</tr>"

    body = "".join(row("td", each) for each in rows)
    return f"<table><thead>{row('th', heads)}</thead><tbody>{body}</tbody></table>"


def data_frame(table: Sequence[Mapping[str, Any]]) -> Any:
    """Return a pandas data frame of rows that are dictionaries."""
    purpose = "A data frame, of which the attribute `table` has the rows as dictionaries,"
    return require("pandas", purpose).DataFrame(table)
