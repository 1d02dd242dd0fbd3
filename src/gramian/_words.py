"""Numbers and times as people write them."""

from __future__ import annotations


def counted(n: int, noun: str) -> str:
    """Write a number of things.

    Parameters
    ----------
    n : int
        The number.
    noun : str
        One of the things.
    """
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def duration(seconds: float) -> str:
    """Write about how long something takes.

    Parameters
    ----------
    seconds : float
        The time.
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
