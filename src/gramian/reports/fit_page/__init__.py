"""The page about a fit: columns to keep, formulas of the others, and cautions.

Open `_fit_report.py` first.
"""

from gramian.reports.fit_page._fit_report import write_fit_page

__all__ = [
    "write_fit_page",
]
