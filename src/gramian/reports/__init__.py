"""The report: a page about a fit and its data, in one file."""

from gramian.reports._reporting import report

__all__ = ["report"]
