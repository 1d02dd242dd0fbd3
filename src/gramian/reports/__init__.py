"""The report: a page about a fit and its data, in one file."""

from gramian.reports._report import report

__all__ = ["report"]
