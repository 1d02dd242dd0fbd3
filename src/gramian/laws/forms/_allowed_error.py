"""Allowed error of a law: the error that rounding or noise explain."""

from __future__ import annotations

from typing import NamedTuple


class AllowedError(NamedTuple):
    """The largest error of a law: `absolute + relative · |value that the law gives|`.

    The terms of an equation may miss zero by `relative` times the largest term.
    """

    absolute: float = 0.0
    relative: float = 0.0


NO_ERROR = AllowedError()
"""The value that the law gives is the cell."""
