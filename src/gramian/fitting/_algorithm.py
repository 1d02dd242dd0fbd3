"""Algorithm of a fit: the function that fits, and the facts about it that a plan needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gramian._support.types import Array
from gramian.fitting._checked_data import CheckedData, Problem
from gramian.fitting._fitted_model import FittedModel

if TYPE_CHECKING:
    from gramian.fitting._plan import Request


@dataclass(frozen=True)
class Algorithm:
    """An algorithm: the function that fits, and the facts about it that a `Plan` needs."""

    fit: Callable[[Problem, Request], FittedModel]
    repeats: bool = False
    """True if the last fit to all rows repeats the choices of the fit on which held-out rows
    decided; False if the last fit makes as many new choices."""
    leaves_rows_out: bool = False
    """True if the algorithm chooses the penalty by leaving rows out one by one, so that the choice
    needs no held-out rows."""
    needs_shrinkage: Callable[[Problem, Request], bool] | None = None
    """Cheap test, made before a long fit without shrinkage, that the fit would overfit."""
    covariance: bool = False
    """True if the algorithm works with the covariance of the columns."""
    trims: bool = True
    """True if rows with wrong cells may be left out."""
    dropping: Dropping | None = None
    """Facts about an elimination, which drops candidates that functions of others explain."""


@dataclass(frozen=True)
class Dropping:
    """Facts about an elimination that decide which rows have wrong cells."""

    exceptions: float
    """Largest share of the rows that may break the function of a dropped candidate."""
    directions: Callable[[Problem], Array] | None = None
    """Function that returns the candidates as directions; None if they are the columns."""
    keeping: Callable[[CheckedData], Callable[[frozenset[int]], Algorithm]] | None = None
    """Function from data to a function from columns to the algorithm for these data that never
    drops the columns; None if dropping a candidate loses no cells."""

    @property
    def allows(self) -> bool:
        """True if a dropped column may differ from its function in some rows.

        Then rows that break functions are searched also if no cell is far.
        """
        return self.keeping is not None and self.exceptions > 0
