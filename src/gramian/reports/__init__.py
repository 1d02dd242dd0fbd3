"""Reports: a page about a fit and its data, in one file. Open `_reporting.py` first."""

from gramian.reports._reporting import report

__all__ = [
    "report",
]
