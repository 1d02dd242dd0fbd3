"""Tolerances that several numeric rooms share, each with its reason."""

from __future__ import annotations

import numpy as np

EPSILON = float(np.finfo(np.float64).eps)
"""Distance of 1 to the next larger number of float64."""
NOISE = 1e-12
"""Share of a variance below which a residual is rounding error: sums over rows that are well
conditioned accumulate less than this."""
TIE = 1e-9
"""Values that differ by a smaller share are equal. It is far above rounding errors, so that the
choice among equals (the lower index, the smaller penalty) does not depend on the machine."""
RIDGE = 1e-11
"""Added to the diagonal of the Gram matrix of functions of variance 1. Exact laws make this matrix
singular. The ridge treats all functions of a law alike; pivots would depend on their order."""
