"""Allowed error of a law: the error that rounding or noise explain."""

from __future__ import annotations

from typing import NamedTuple


class AllowedError(NamedTuple):
    """The largest error of a law: `absolute + relative · |value that the law gives|`.

    The terms of an equation may miss zero by `relative` times the largest term.

    Examples
    --------
    >>> import numpy as np
    >>> import gramian
    >>> net, vat = np.random.default_rng(0).uniform(1, 99, (2, 200)).round(2)
    >>> table = {"net": net, "vat": vat, "gross": (net + vat).round(2)}
    >>> found = gramian.relations(table)
    >>> round(found[0].allowed_error.absolute, 4)
    0.005
    """

    absolute: float = 0.0
    relative: float = 0.0


SAME_NUMBER = 1e-9
"""Relative error of a number that a lookup gives: levels are compared to ten digits."""
NO_ERROR = AllowedError()
"""The value that the law gives is the cell."""
