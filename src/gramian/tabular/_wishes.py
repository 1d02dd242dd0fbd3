"""Wishes: columns that a fit to a table shall keep."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Wishes:
    """Columns that a fit shall keep."""

    keep: tuple[str, ...] = ()
    """Columns that must be kept."""
    prefer: tuple[str, ...] = ()
    """Columns to keep rather than others if there is a choice, most wanted first."""
    fixed: tuple[str, ...] = ()
    """Columns that are kept as they are, without a fit, as text is."""

    def and_(self, more: Wishes) -> Wishes:
        """Return these wishes together with more wishes."""
        return Wishes(
            (*self.keep, *more.keep), (*self.prefer, *more.prefer), (*self.fixed, *more.fixed)
        )
