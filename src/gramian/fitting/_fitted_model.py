"""Fitted model of a pursuit: one immutable value, which estimators hold and other rooms read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array, IntArray
from gramian.core.imputation import expected_codes, noise_of
from gramian.core.pursuit import Decoder
from gramian.core.rows import RowBlock, dense_parts
from gramian.families import Family
from gramian.fitting._any_model import AnyModel, Asked, Record, ending_of
from gramian.fitting._cautions import FEWER_FUNCTIONS, Caution, Remedy, cautions_of
from gramian.fitting._gaps import has_gaps, present_only

if TYPE_CHECKING:
    from gramian.core.elimination import Selection
    from gramian.core.gain import BestSets
    from gramian.fitting._gaps import Gaps
    from gramian.laws import ColumnLaw

DIGITS = 13
"""Digits to which a column is rounded before laws compute other columns from it."""
TINY = np.finfo(np.float64).tiny
ROWS_AT_ONCE = 4096
"""Number of rows that are reconstructed at once if only their errors are needed."""


class Encoder(Protocol):
    """Function from centred rows to the kept variables."""

    def __call__(self, x: Array) -> Array:
        """Return the variables, one column each, in the order in which they were chosen."""
        ...

    def of_block(self, rows: RowBlock, scale: Array) -> Array:
        """Return the variables of centred rows that are divided by `scale`, and weighted.

        A sparse block is not made dense.
        """
        ...


@dataclass(frozen=True, eq=False)
class TakeColumns:
    """Encoder that keeps some of the columns."""

    indices: IntArray

    def __call__(self, x: Array) -> Array:
        """Return the kept columns."""
        return x[:, self.indices]

    def of_block(self, rows: RowBlock, scale: Array) -> Array:
        """Return the kept columns of scaled and weighted rows."""
        return _along(rows, self.indices) * scale[self.indices]


@dataclass(frozen=True, eq=False)
class Project:
    """Encoder that projects rows on directions."""

    axes: Array
    """Directions by rows, for centred columns in the units of the table."""

    def __call__(self, x: Array) -> Array:
        """Return the coordinates along the directions."""
        return x @ self.axes.T

    def of_block(self, rows: RowBlock, scale: Array) -> Array:
        """Return the coordinates of scaled and weighted rows."""
        return _along(rows, self.axes * scale)


def _along(rows: RowBlock, axes: Any) -> Array:
    """Return columns, or coordinates along axes, of weighted rows, without the weights."""
    out = np.empty((len(axes), len(rows.root)))
    rows.along_all(axes, out)
    return (out / rows.root).T


@dataclass(frozen=True, eq=False)
class Basis:
    """Directions among which an algorithm chooses."""

    axes: Array
    """Directions by rows, orthonormal in the columns that the fit worked with."""
    prefix: str
    """Text that the name of a direction begins with; its index follows."""


@dataclass(frozen=True, eq=False)
class FittedModel(AnyModel):
    """Result of a pursuit, without the rows.

    An algorithm chooses among *candidates*: the columns, or the directions of a basis. An algorithm
    that finds its own directions has no candidates.
    """

    encoder: Encoder
    chosen: IntArray
    """Indices of the chosen candidates, in the order of choice."""
    redundant: IntArray | None
    """Indices of the redundant candidates; None if the algorithm does not decide on redundancy."""
    family: Family
    record: Record
    decoder: Decoder
    """Function from the kept variables to all columns, centred."""
    variances: Array
    """Variances of the candidates; of the columns if the algorithm finds its own directions."""
    asked: Asked = field(default_factory=Asked)
    directions: Array | None = None
    """Chosen directions by rows, orthonormal in the scaled columns; None for a selection."""
    basis: Basis | None = None
    """Directions among which the algorithm chose; None if candidates were not a given basis."""
    elimination: Selection | None = None
    """Order and evidence of an elimination that began with all candidates."""
    best_sets: BestSets | None = None
    """Best set of columns of each size; None unless `criterion="gain"` chose the columns."""
    gaps: Gaps | None = None
    """Treatment of missing values; None if no value was missing. Model files do not hold it."""
    laws: tuple[ColumnLaw, ...] = ()
    """Laws that compute dropped columns exactly, each from kept columns and from columns that
    earlier laws in this sequence compute."""

    @property
    def eliminates(self) -> bool:
        """True if left-out rows decided which candidates are dropped, in any order."""
        return self.elimination is not None

    @property
    def selects(self) -> bool:
        """True if the kept variables are columns of the table."""
        return self.directions is None

    @property
    def thing(self) -> str:
        """The word for a kept variable."""
        return "column" if self.selects else "direction"

    @property
    def n_rows(self) -> int:
        """The number of rows of the fit."""
        return self.record.n_rows

    @property
    def n_functions(self) -> int:
        """The number of functions in the basis, including the constant."""
        return self.record.n_functions

    @property
    def freedom(self) -> float:
        """The largest effective number of functions of any step."""
        return float(self.record.degrees_of_freedom.max())

    @property
    def left(self) -> Array:
        """The residual share of variance before each step and after the last; it begins with 1."""
        return self.record.total / (self.record.total[0] or 1.0)

    @property
    def held_out_left(self) -> float | None:
        """The residual share of held-out rows after the last step; None without held-out rows."""
        total = self.record.validation_total
        return None if total is None else float(total[-1] / (total[0] or 1.0))

    @property
    def ending(self) -> str:
        """The sentence that says why the fit ended."""
        return ending_of(self.record.stop_reason)

    @property
    def rows_decided(self) -> bool:
        """True if left-out rows decided which candidates are dropped, or on the penalty."""
        return self.eliminates or self.asked.any_alpha

    @property
    def cautions(self) -> list[Caution]:
        """Doubts about the fit that the user should know."""
        return cautions_of(self)

    @property
    def remedies(self) -> tuple[Remedy, ...]:
        """Changes that help against too many functions, the best first."""
        return FEWER_FUNCTIONS if self.asked.any_alpha else (Remedy.AUTO_ALPHA, *FEWER_FUNCTIONS)

    @property
    def support(self) -> NDArray[np.bool_]:
        """The mask of the columns that a selection keeps."""
        support = np.zeros(self.n_columns, dtype=bool)
        support[self.chosen] = True
        return support

    @property
    def kept_names(self) -> list[str]:
        """The names of the kept variables, in the order of choice."""
        if self.selects:
            return [self.column_names[i] for i in self.chosen]
        return [f"{self.algorithm.lower()}{i}" for i in range(len(self.chosen))]

    @property
    def axes(self) -> Array | None:
        """The directions of the basis by rows, for centred columns in the units of the table."""
        if self.basis is None:
            return None
        return self.basis.axes if self.scale is None else self.basis.axes / self.scale

    @property
    def dropped(self) -> IntArray:
        """The candidates that were not chosen; all columns if there are no candidates."""
        if not self.selects and self.basis is None:
            return np.arange(self.n_columns)
        n = self.n_columns if self.basis is None else len(self.basis.axes)
        return np.setdiff1d(np.arange(n), self.chosen)

    def centre(self, table: Array) -> Array:
        """Subtract the means from rows."""
        return table.astype(np.float64, copy=False) - self.mean

    def decode(
        self,
        z: Array,
        *,
        linear: bool = False,
        extrapolate: bool = False,
        raw: Array | None = None,
    ) -> Array:
        """Return all columns, given the kept variables of centred rows.

        If a variable of a row is missing, all columns that no law computes are missing, too.
        `raw` has the same variables of a selection before centring: laws compute from them without
        rounding errors. Laws are used for all rows, also for rows out of the decoder's reach.
        """
        how = {"linear": linear, "extrapolate": extrapolate}
        if has_gaps(z):
            known = ~np.isnan(z).any(axis=1)
            decoded = np.full((len(z), self.n_columns), np.nan)
            decoded[known] = self.decoder(z[known], **how) + self.mean
            if self.selects:
                decoded[np.ix_(~known, self.chosen)] = z[~known] + self.mean[self.chosen]
        else:
            decoded = self.decoder(z, **how) + self.mean
        if self.laws and not linear:
            exact = {} if raw is None else dict(zip(self.kept_names, raw.T, strict=True))
            self._apply_laws(decoded, exact)
        return decoded

    def _apply_laws(self, decoded: Array, exact: Mapping[str, Array]) -> None:
        """Compute columns by laws, in place, in rows where the law gives a finite value."""
        place = {name: i for i, name in enumerate(self.column_names)}
        # Laws compare values with thresholds and levels: rounding removes rounding errors.
        units = 10.0 ** np.ceil(np.log10(np.sqrt(self.variances) + np.abs(self.mean) + TINY))
        for law in self.laws:
            known = {
                name: np.asarray(exact[name], dtype=np.float64)
                if name in exact
                else np.round(decoded[:, j] / units[j], DIGITS) * units[j]
                for name in law.columns
                for j in [place[name]]
            }
            with np.errstate(all="ignore"):
                found = np.broadcast_to(law(known), len(decoded))  # one number if constant
            there = np.isfinite(found)
            decoded[there, place[law.column]] = found[there]

    def completed(self, x: Array) -> Array:
        """Fill the gaps of centred rows by decoding the cells that are present.

        A row without any value stays missing.
        """
        if not has_gaps(x):
            return x
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
        """The units of distances between rows, and the total variance in these units."""
        if self.selects:
            varies = self.variances > 0
            return np.sqrt(np.where(varies, self.variances, 1.0)), float(varies.sum())
        unit = np.ones(self.n_columns) if self.scale is None else self.scale
        return unit, float(self.record.total[0])

    def errors(self, table: Any) -> tuple[Array, Array]:
        """Return the squared distances of rows from their reconstruction, and from the mean.

        Missing cells do not count. A sparse matrix is made dense some rows at a time, because
        reconstructions have few zeros.
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
