"""Fitted model of PolynomialManifold: one immutable value."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array
from gramian._support.words import counted
from gramian.core.imputation import expected_codes, noise_of
from gramian.core.manifold import Manifold
from gramian.families import Family
from gramian.fitting._any_model import AnyModel
from gramian.fitting._cautions import FEWER_FUNCTIONS, Caution, Remedy, of_functions
from gramian.fitting._gaps import Gaps, has_gaps, present_only


@dataclass(frozen=True, eq=False)
class FittedManifold(AnyModel):
    """Result of PolynomialManifold: the surface, and facts about the columns and the fit."""

    manifold: Manifold
    """Surface of centred rows, divided by `scale` if there is one."""
    family: Family
    alpha: float
    """Penalty of the last round."""
    total: Array
    """Total variance, and the total residual variance after each round."""
    n_samples: int
    n_copies: int = 0
    """Number of rows that are equal to an earlier row. Model files do not hold it."""
    validation_total: Array | None = None
    """Total variance of held-out rows, and their residual variance after every round that was
    tried; None if held-out rows decided on nothing."""
    gaps: Gaps | None = None
    """Treatment of missing values; None if no value was missing. Model files do not hold it."""

    @property
    def components(self) -> Array:
        """The change of each column, to first order, when a code (a coordinate) grows by one."""
        return self.manifold.unit * self.manifold.lines

    @property
    def by_feature(self) -> bool:
        """False: all codes (coordinates on the surface) are fitted at once."""
        return False

    @property
    def thing(self) -> str:
        """The word for a kept variable in texts for the user."""
        return "code"

    @property
    def kept_names(self) -> list[str]:
        """The names of the codes (coordinates on the surface)."""
        return [f"{self.algorithm.lower()}{i}" for i in range(len(self.manifold.lines))]

    @property
    def n_rows(self) -> int:
        """The number of rows of the fit."""
        return self.n_samples

    @property
    def n_rounds(self) -> int:
        """The number of rounds of the fit."""
        return len(self.total) - 1

    @property
    def n_functions(self) -> int:
        """The number of functions in the basis, including the constant."""
        return len(self.manifold.surface.terms)

    @property
    def freedom(self) -> float:
        """The effective number of functions: penalties make it smaller than `n_functions`."""
        return float(self.n_functions)

    @property
    def left(self) -> Array:
        """The share of variance that is not explained before each round, and after the last round.

        The first value is 1.
        """
        return self.total / (self.total[0] or 1.0)

    @property
    def held_out_left(self) -> float | None:
        """The smallest share of the variance of held-out rows that a round did not explain.

        The value is None if held-out rows made no decision in the fit.
        """
        if self.validation_total is None:
            return None
        return float(self.validation_total.min() / (self.validation_total[0] or 1.0))

    @property
    def ending(self) -> str:
        """The sentence that says how the fit ended."""
        return f"Codes and surface were fitted in turn, in {counted(self.n_rounds, 'round')}."

    @property
    def cautions(self) -> list[Caution]:
        """Doubts about the fit that the user should know; none if held-out rows decided."""
        if self.validation_total is not None:
            return []
        return [*of_functions(self.freedom, self.n_rows - self.n_copies, None, self.remedies)]

    @property
    def remedies(self) -> tuple[Remedy, ...]:
        """Changes of parameters that help if there are too many functions, the best first."""
        return (Remedy.AUTO_DEGREE, *FEWER_FUNCTIONS)

    def centre(self, table: Array) -> Array:
        """Subtract the means from rows, and divide by `scale` if there is one."""
        return self.scaled(table - self.mean.astype(table.dtype, copy=False))

    def encode(self, table: Array, *, linear: bool = False) -> Array:
        """Return the codes of the nearest point of each row, or linear estimates of them.

        `linear` is True for the estimates.
        """
        x, present = self._completed(self.centre(table))
        return self.manifold.estimate(x) if linear else self.manifold.encode(x, present)[0]

    def _completed(self, x: Array) -> tuple[Array, NDArray[np.bool_] | None]:
        """Fill missing cells of rows by a linear model.

        Return also a mask of the cells that were not missing; None if no cell was missing.
        """
        if not has_gaps(x):
            return x, None
        present = ~np.isnan(x)
        lines = self.components
        codes = expected_codes(x, present, lines, noise_of(float(self.total[0]), lines))
        return np.where(present, x, codes @ lines).astype(x.dtype, copy=False), present

    def decode(self, codes: Array) -> Array:
        """Return the points of the surface that have given codes (coordinates on the surface)."""
        points = self.manifold.decode(codes)
        return self.mean + (points if self.scale is None else points * self.scale)

    def errors(self, table: Array) -> tuple[Array, Array]:
        """Return the squared distances of rows from their nearest points, and from the mean."""
        x = self.centre(table)
        errors = present_only(self.manifold.encode(*self._completed(x))[1].astype(np.float64))
        x = present_only(x)
        return errors, np.einsum("ij,ij->i", x, x).astype(np.float64)
