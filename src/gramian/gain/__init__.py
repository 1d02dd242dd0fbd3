"""Which columns explain most of all columns: gains, exchanges, and the best set of each size."""

from gramian.gain._asked import BestSets, Search
from gramian.gain._beam import search

__all__ = ["BestSets", "Search", "search"]
