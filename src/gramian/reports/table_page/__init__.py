"""The page about a table: its laws, the rows that break them, and the columns that can go.

Open `_writing.py` first; `_study.py` collects all facts, which three writers render as HTML,
Markdown and JSON.
"""

from gramian.reports.table_page._page_format import PageFormat, page_format
from gramian.reports.table_page._study import PageWishes
from gramian.reports.table_page._writing import write_table_page

__all__ = [
    "PageFormat",
    "PageWishes",
    "page_format",
    "write_table_page",
]
