"""Curved surfaces x̂(u) = Bᵀf(u), fitted to the rows of a table.

A fit finds the point of the surface that is nearest to each row, refits the surface, and repeats
both. The search for a nearest point needs one row and the surface; the refit of the surface needs
only sums over rows. So rows may come from any source, and are never stored. Open `_rounds.py`
first.
"""

from gramian.core.manifold._exploration import Choices, Exploration, HeldOutRows, explore
from gramian.core.manifold._nearest_points import (
    EASE,
    FAR,
    FIRST_DAMPING,
    FLOOR,
    LEAST_DAMPING,
    MAX_STEPS,
    MOST_DAMPING,
    TIGHTEN,
    NearestSearch,
)
from gramian.core.manifold._oriented_manifold import Manifold, linear_start
from gramian.core.manifold._refit import Coding
from gramian.core.manifold._rounds import LINEAR, Round, best_start, fit_rounds
from gramian.core.manifold._start import AngleStart, LinearStart, Start
from gramian.core.manifold._surface import Surface
from gramian.core.manifold._surface_terms import Terms
