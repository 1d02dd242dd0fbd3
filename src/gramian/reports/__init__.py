"""Reports: a page about a table, or about a fit and its data, in one file.

Open `_report.py` first; `table_page` and `fit_page` make the pages.
"""

from gramian.reports._report import report
from gramian.reports.fit_page import write_fit_page
from gramian.reports.table_page import PageFormat, PageWishes, page_format, write_table_page

__all__ = [
    "report",
]
