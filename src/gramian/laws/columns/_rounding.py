"""Rounding of computed values: to the decimals or the precision of a column, as it was rounded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gramian._support.types import Array
from gramian.laws.columns._single_precision import SINGLE, SPELLINGS, spelled

TIE = 1e-14
"""Relative error by which a computed value may miss the middle between two numbers."""
LARGEST_TIE = 0.01
"""Largest such error, in units of the last decimal."""
WHOLE = 2.0**51
"""From here on, float64 has hardly a middle between two numbers."""
MOST_DECIMALS = 20
"""Largest number of decimals that a stored document may state."""


@dataclass(frozen=True)
class Rounding:
    """A way to round numbers: to some decimals, with the middle between two numbers up or to even.

    NumPy and pandas round 0.125 to 0.12, and what float64 stores as 1.005 to 1.0. Spreadsheets,
    databases and people round the middle away from zero: 0.13 and 1.01.

    Attributes
    ----------
    decimals : int or None
        The number of decimals; None for no rounding.
    half_up : bool
        True if the middle between two numbers is rounded away from zero.
    spelling : int or None
        For numbers of single precision (float32), the number of significant digits with which they
        are written; 0 for as few as tell them apart. None for other numbers.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.laws import Rounding
    >>> Rounding(2)(np.array([0.125, 1.005]))
    array([0.12, 1.  ])
    >>> Rounding(2, half_up=True)(np.array([0.125, 1.005]))
    array([0.13, 1.01])
    """

    decimals: int | None = None
    half_up: bool = False
    spelling: int | None = None

    def __call__(self, values: Array) -> Array:
        """Return rounded values.

        Parameters
        ----------
        values : array
            Any numbers; NaN stays NaN.
        """
        found = self._to_decimals(values)
        return found if self.spelling is None else spelled(found, self.spelling)

    def half_unit(self, values: Array) -> Array:
        """Return the largest error with which numbers are rounded: half a unit of their last digit.

        Parameters
        ----------
        values : array of shape (n_rows,)
            The numbers.
        """
        absolute, relative = self.errors
        return absolute + relative * np.abs(values)

    @property
    def errors(self) -> tuple[float, float]:
        """The largest error with which numbers are rounded: an absolute and a relative one."""
        half = 0.0 if self.decimals is None else 0.5 * 10.0**-self.decimals
        return half, 0.0 if self.spelling is None else SINGLE

    def _to_decimals(self, values: Array) -> Array:
        if self.decimals is None:
            return values
        if not self.half_up:
            return np.round(values, self.decimals)
        unit = 10.0**self.decimals
        size = np.abs(values) * unit
        whole = np.floor(size + np.minimum(TIE * size, LARGEST_TIE) + 0.5)
        found = np.copysign(whole / unit, values)
        return np.where(size < WHOLE, found, np.round(values, self.decimals))

    def document(self) -> dict[str, Any]:
        """Return the entries of a stored law that say how its result is rounded."""
        rest = {"half_up": True if self.half_up else None, "spelling": self.spelling}
        return {"decimals": self.decimals} | {k: v for k, v in rest.items() if v is not None}


UNROUNDED = Rounding()
"""Values are left as they are computed."""
ROUNDING_KEYS = frozenset({"decimals", "half_up", "spelling"})
"""The keys of the entries of `Rounding.document`."""


def stored_rounding(document: Mapping[str, Any]) -> Rounding:
    """Return the rounding that a stored law states; raise a ValueError if it states nonsense."""
    decimals, half_up = document.get("decimals"), document.get("half_up", False)
    if decimals is not None and (type(decimals) is not int or not 0 <= decimals <= MOST_DECIMALS):
        raise ValueError(
            "The decimals of a stored law must be a whole number from 0 to "
            f"{MOST_DECIMALS}, or null; got {str(decimals)[:40]!r}."
        )
    if not isinstance(half_up, bool):
        raise ValueError(f"'half_up' of a stored law must be true or false; got {half_up!r:.60}.")
    spelling = document.get("spelling")
    if spelling is not None and (type(spelling) is not int or spelling not in SPELLINGS):
        raise ValueError(
            f"The spelling of a stored law must be one of {sorted(SPELLINGS)}, or null; got "
            f"{str(spelling)[:40]!r}."
        )
    return Rounding(decimals, half_up, spelling)
