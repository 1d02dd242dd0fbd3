"""Which columns explain most of all columns: gains, exchanges, and the best set of each size."""

from gramian.gain._search import BestSets, Search, search

__all__ = ["BestSets", "Search", "search"]
