"""Tolerances that several parts of the search share, each with one meaning."""

from __future__ import annotations

EXACT_ERROR = 1e-11
"""Largest error of an exact law, as a share of its largest term: float64 sums of a few terms."""
ERROR_FLOOR = 1e-15
"""Smallest error that is told apart from zero: the rounding error of one float64 operation."""
MIN_EVIDENCE = 6.0
"""Least evidence of a believed law, in powers of ten: a chance of one in a million."""
BREAKS = 3.0
"""Least factor by which shuffling a column of a law must multiply the error."""
REFUTED = 3.0
"""Rows refute a law if their error is more than this many times the allowed error."""
STANDARD_ERRORS = 3.0
"""A coefficient is replaced by a round number within this many standard errors."""
SCREENED_SHARE = 1e-3
"""Largest share of a column's variance that a candidate may leave before it is fitted closely."""
