"""Reports: an HTML page, in one file, about a fitted estimator and its data."""

from gramian.reports._reporting import report

__all__ = ["report"]
