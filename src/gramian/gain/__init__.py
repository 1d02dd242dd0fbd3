"""Which columns explain most of all columns: gains, exchanges, and the best set of each size."""

from gramian.gain._beam import search
from gramian.gain._best_sets import BestSets, GainRequest

__all__ = ["BestSets", "GainRequest", "search"]
