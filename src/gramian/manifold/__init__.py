"""Curved surfaces x̂(u) = Bᵀf(u): the nearest point of each row, and the surface that fits best.

The search for the nearest point needs one row and the surface, the refit of the surface only sums
over rows. So rows may come from anywhere, and are never kept.
"""

from gramian.manifold._explore import Choices, Exploration, HeldOutRows, explore
from gramian.manifold._fit import LINEAR, Fit, Round, best_start, fit_rounds
from gramian.manifold._model import Manifold, linear_start
from gramian.manifold._nearest import MAX_STEPS, NearestSearch
from gramian.manifold._refit import Coding
from gramian.manifold._start import AngleStart, LinearStart, Start
from gramian.manifold._surface import Surface
from gramian.manifold._terms import Terms

__all__ = [
    "LINEAR",
    "MAX_STEPS",
    "AngleStart",
    "Choices",
    "Coding",
    "Exploration",
    "Fit",
    "HeldOutRows",
    "LinearStart",
    "Manifold",
    "NearestSearch",
    "Round",
    "Start",
    "Surface",
    "Terms",
    "best_start",
    "explore",
    "fit_rounds",
    "linear_start",
]
