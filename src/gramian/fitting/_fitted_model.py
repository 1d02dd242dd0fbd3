"""What a fit found: one immutable value, which estimators hold and everything else reads."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array, IntArray
from gramian._support.words import names_or_numbers
from gramian.core.imputation import expected_codes, noise_of
from gramian.core.pursuit import Decoder
from gramian.core.rows import dense_parts
from gramian.families import Family
from gramian.fitting._cautions import FEWER_FUNCTIONS, Caution, Remedy, cautions_of
from gramian.fitting._gaps import has_gaps, present_only
from gramian.fitting._record import Asked, Record

if TYPE_CHECKING:
    from gramian.core.elimination import Selection
    from gramian.core.gain import BestSets
    from gramian.fitting._gaps import Gaps
    from gramian.laws import ColumnLaw

DIGITS = 13
"""Digits of a column that are used where laws compute others from it."""
TINY = np.finfo(np.float64).tiny
ROWS_AT_ONCE = 4096
"""Rows that are reconstructed at once where only their errors are needed."""
STOPPED = {
    "n_components": "the number asked for was reached",
    "n_features_to_select": "the number asked for was reached",
    "threshold": "nothing above the threshold was left",
    "explained_variance": "the share asked for was explained",
    "early_stopping": "held-out rows gained nothing more",
    "saturated": "the functions span all rows",
    "exhausted": "nothing but rounding errors was left",
    "max_functions": "the largest number of functions was reached",
}
"""Why fits stop, in words."""


class Encoder(Protocol):
    """From centred rows to what is kept of them."""

    def __call__(self, x: Array) -> Array:
        """Return the variables, one column each, in the order in which they were chosen."""
        ...


@dataclass(frozen=True, eq=False)
class TakeColumns:
    """An encoder that keeps some of the columns."""

    indices: IntArray

    def __call__(self, x: Array) -> Array:
        """Return the columns."""
        return x[:, self.indices]


@dataclass(frozen=True, eq=False)
class Project:
    """An encoder that projects on directions."""

    axes: Array
    """One direction a row, for centred columns in the units of the table."""

    def __call__(self, x: Array) -> Array:
        """Return the coordinates along the directions."""
        return x @ self.axes.T


@dataclass(frozen=True, eq=False)
class Basis:
    """Given directions among which an algorithm chooses."""

    axes: Array
    """The directions by rows, orthonormal in the columns that the fit worked with."""
    prefix: str
    """What they are called, with their index behind it."""


@dataclass(frozen=True, eq=False)
class AnyModel(ABC):
    """What is known after a fit of whatever kind, without its rows."""

    algorithm: str
    """The name of the estimator."""
    names: tuple[str, ...] | None
    """The names of the columns, if they have any."""
    mean: Array
    """The means of the columns."""
    scale: Array | None
    """What the columns were divided by where all were to count alike, and None elsewhere. Residual
    variances and errors are then those of the scaled columns; everything else is in the units of
    the table."""

    @property
    def n_columns(self) -> int:
        """The number of columns."""
        return len(self.mean)

    @property
    def column_names(self) -> list[str]:
        """The names of the columns, or x0, x1, ..."""
        return names_or_numbers(self.names, self.n_columns)

    @property
    def selects(self) -> bool:
        """Whether some of the columns are kept, as they are."""
        return False

    @property
    def decodes(self) -> bool:
        """Whether all columns can be computed from what is kept."""
        return True

    @property
    def eliminates(self) -> bool:
        """Whether rows left out of the fit decided on what is dropped, whatever the order."""
        return False

    @property
    def by_feature(self) -> bool:
        """Whether the fit went feature by feature, so that `left` tells what each is worth."""
        return True

    @property
    @abstractmethod
    def thing(self) -> str:
        """What is kept, in one word."""

    @property
    @abstractmethod
    def kept_names(self) -> list[str]:
        """The names of what is kept, in the order of choice."""

    @property
    @abstractmethod
    def n_rows(self) -> int:
        """The number of rows of the fit."""

    @property
    @abstractmethod
    def n_functions(self) -> int:
        """The number of functions in the basis, the constant among them."""

    @property
    @abstractmethod
    def freedom(self) -> float:
        """The effective number of functions."""

    @property
    @abstractmethod
    def left(self) -> Array:
        """The share of the variance that is left, from 1 to the end of the fit."""

    @property
    @abstractmethod
    def held_out_left(self) -> float | None:
        """The share that is left of held-out rows in the end, if any were held out."""

    @property
    @abstractmethod
    def ending(self) -> str:
        """A sentence on when the fit ended."""

    @property
    @abstractmethod
    def cautions(self) -> list[Caution]:
        """Doubts about the fit that the user should know."""

    @property
    @abstractmethod
    def remedies(self) -> tuple[Remedy, ...]:
        """Changes that help against too many functions, the best first."""

    @abstractmethod
    def errors(self, table: Array) -> tuple[Array, Array]:
        """Return the squared distances of rows from their reconstruction, and from the mean."""

    def scaled(self, rows: Array) -> Array:
        """Divide rows by `scale`, if there is one: the units of residual variances."""
        return rows if self.scale is None else rows / self.scale.astype(rows.dtype, copy=False)


@dataclass(frozen=True, eq=False)
class FittedModel(AnyModel):
    """All that is known after a pursuit.

    The *candidates* of an algorithm are what it chooses among: the columns, or the directions of a
    basis. An algorithm that finds its own directions has none.
    """

    encoder: Encoder
    chosen: IntArray
    """The indices of what was chosen among the candidates, in the order of choice."""
    redundant: IntArray | None
    """The indices of the candidates that follow from those chosen; None if that was not asked."""
    family: Family
    record: Record
    asked: Asked = field(default_factory=Asked)
    decoder: Decoder | None = None
    """From what is kept back to all columns, centred."""
    variances: Array | None = None
    """The variances of the candidates, or of the columns where there are none."""
    directions: Array | None = None
    """What was chosen, if that is directions: one a row, orthonormal in the scaled columns."""
    basis: Basis | None = None
    norms: Array | None = None
    """The Fourier norms of UFFS."""
    elimination: Selection | None = None
    """How candidates were dropped, where that began with all of them."""
    best_sets: BestSets | None = None
    """The best sets of each size, where columns were chosen by what they explain of all others."""
    gaps: Gaps | None = None
    """What was done about missing values, if there were any; files of models do not hold it."""
    laws: tuple[ColumnLaw, ...] = ()
    """How some of the columns are computed from others, exactly; each from columns that are kept,
    or that stand before it."""

    @property
    def eliminates(self) -> bool:
        """Whether rows left out of the fit decided on what is dropped, whatever the order."""
        return self.elimination is not None

    @property
    def selects(self) -> bool:
        """Whether some of the columns are kept, as they are."""
        return self.directions is None

    @property
    def decodes(self) -> bool:
        """Whether all columns can be computed from what is kept."""
        return self.decoder is not None

    @property
    def thing(self) -> str:
        """What is kept, in one word."""
        return "column" if self.selects else "direction"

    @property
    def n_rows(self) -> int:
        """The number of rows of the fit."""
        return self.record.n_rows

    @property
    def n_functions(self) -> int:
        """The number of functions in the basis, the constant among them."""
        return self.record.n_functions

    @property
    def freedom(self) -> float:
        """The effective number of functions, the largest of all steps."""
        return float(self.record.degrees_of_freedom.max())

    @property
    def left(self) -> Array:
        """The share of the variance that is left, from 1 to the end of the fit."""
        return self.record.total / (self.record.total[0] or 1.0)

    @property
    def held_out_left(self) -> float | None:
        """The share that is left of held-out rows in the end, if any were held out."""
        total = self.record.validation_total
        return None if total is None else float(total[-1] / (total[0] or 1.0))

    @property
    def ending(self) -> str:
        """A sentence on when the fit ended."""
        return f"The fit stopped because {STOPPED[self.record.stop_reason]}."

    @property
    def rows_decided(self) -> bool:
        """Whether rows left out of the fit decided on what is dropped, or on the penalty."""
        return self.eliminates or self.asked.any_alpha

    @property
    def cautions(self) -> list[Caution]:
        """Doubts about the fit that the user should know."""
        return cautions_of(self)

    @property
    def remedies(self) -> tuple[Remedy, ...]:
        """Changes that help against too many functions, the best first."""
        can_shrink = self.decodes and not self.asked.any_alpha
        return (Remedy.AUTO_ALPHA, *FEWER_FUNCTIONS) if can_shrink else FEWER_FUNCTIONS

    @property
    def support(self) -> NDArray[np.bool_]:
        """Which columns a selection keeps."""
        support = np.zeros(self.n_columns, dtype=bool)
        support[self.chosen] = True
        return support

    @property
    def kept_names(self) -> list[str]:
        """The names of what is kept, in the order of choice."""
        if self.selects:
            return [self.column_names[i] for i in self.chosen]
        return [f"{self.algorithm.lower()}{i}" for i in range(len(self.chosen))]

    @property
    def axes(self) -> Array | None:
        """Takes centred columns in the units of the table to the directions of the basis."""
        if self.basis is None:
            return None
        return self.basis.axes if self.scale is None else self.basis.axes / self.scale

    @property
    def dropped(self) -> IntArray:
        """The candidates that were not chosen; all columns where there are no candidates."""
        if not self.selects and self.basis is None:
            return np.arange(self.n_columns)
        n = self.n_columns if self.basis is None else len(self.basis.axes)
        return np.setdiff1d(np.arange(n), self.chosen)

    def centre(self, table: Array) -> Array:
        """Subtract the means from rows."""
        return table.astype(np.float64, copy=False) - self.mean

    def decode(self, z: Array, *, linear: bool = False) -> Array:
        """Return all columns, given what was kept of centred rows.

        Where any of it is missing, so are all columns, except what laws give.
        """
        assert self.decoder is not None
        if has_gaps(z):
            known = ~np.isnan(z).any(axis=1)
            decoded = np.full((len(z), self.n_columns), np.nan)
            decoded[known] = self.decoder(z[known], linear=linear) + self.mean
            if self.selects:
                decoded[np.ix_(~known, self.chosen)] = z[~known] + self.mean[self.chosen]
        else:
            decoded = self.decoder(z, linear=linear) + self.mean
        if self.laws and not linear:
            self._apply_laws(decoded)
        return decoded

    def _apply_laws(self, decoded: Array) -> None:
        """Compute the columns that laws give from the others, in place, where they can be."""
        assert self.variances is not None
        place = {name: i for i, name in enumerate(self.column_names)}
        # Thresholds and levels are of values as they were: rounding errors are rounded away.
        units = 10.0 ** np.ceil(np.log10(np.sqrt(self.variances) + np.abs(self.mean) + TINY))
        for law in self.laws:
            known = {
                name: np.round(decoded[:, j] / units[j], DIGITS) * units[j]
                for name in law.columns
                for j in [place[name]]
            }
            with np.errstate(all="ignore"):
                found = np.broadcast_to(law(known), len(decoded))  # a constant needs no column
            there = np.isfinite(found)
            decoded[there, place[law.column]] = found[there]

    def completed(self, x: Array) -> Array:
        """Fill the gaps of centred rows by what is decoded of the cells that are present.

        A row without any value stays as it is.
        """
        if not has_gaps(x):
            return x
        assert self.decoder is not None
        rows = np.flatnonzero(np.isnan(x).any(axis=1))
        some = x[rows].astype(np.float64)
        present = ~np.isnan(some)
        unit, total = self._units
        lines = self.decoder.linear / unit
        codes = expected_codes(some / unit, present, lines, noise_of(total, lines))
        filled = x.copy()
        filled[rows] = np.where(present, some, self.decode(codes * self.decoder.units) - self.mean)
        return filled

    @property
    def _units(self) -> tuple[Array, float]:
        """The units in which distances are measured, and the total variance in them."""
        if self.selects:
            assert self.variances is not None
            varies = self.variances > 0
            return np.sqrt(np.where(varies, self.variances, 1.0)), float(varies.sum())
        unit = np.ones(self.n_columns) if self.scale is None else self.scale
        return unit, float(self.record.total[0])

    def errors(self, table: Any) -> tuple[Array, Array]:
        """Return the squared distances of rows from their reconstruction, and from the mean.

        Cells that are missing do not count. Of a sparse matrix some rows at a time are written
        out: reconstructions have few zeros.
        """
        errors, sizes = np.empty(table.shape[0]), np.empty(table.shape[0])
        for part, rows in dense_parts(table, ROWS_AT_ONCE):
            x = self.centre(rows)
            codes = self.encoder(self.completed(x))
            left = present_only(self.scaled(x + self.mean - self.decode(codes)))
            x = present_only(self.scaled(x))
            sizes[part] = np.einsum("ij,ij->i", x, x)
            errors[part] = np.einsum("ij,ij->i", left, left)
        return errors, sizes
