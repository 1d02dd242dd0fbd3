"""Tolerances that several parts of the search for laws use."""

from __future__ import annotations

EXACT_ERROR = 1e-11
"""Largest error of an exact law, relative to its largest term: the rounding error of float64."""
ERROR_FLOOR = 1e-15
"""Smaller errors are replaced by this number, the rounding error of one float64 operation."""
MIN_EVIDENCE = 6.0
"""Smallest evidence of an accepted law, in powers of ten: 6 is a chance of one in a million."""
BREAKS = 3.0
"""A law is accepted only if shuffling one of its columns multiplies the error by this factor."""
REFUTED = 3.0
"""A law is rejected if its error on other rows is more than this times the expected error."""
STANDARD_ERRORS = 3.0
"""A coefficient may be rounded if it changes by at most this many standard errors."""
SCREENED_SHARE = 1e-3
"""Candidates with a larger residual share of the variance in a first, fast fit are discarded."""
