"""Which columns explain most of all columns: gains, exchanges, and the best set of each size."""

from gramian.core.gain._beam import search
from gramian.core.gain._best_sets import BestSets, GainRequest

__all__ = ["BestSets", "GainRequest", "search"]
