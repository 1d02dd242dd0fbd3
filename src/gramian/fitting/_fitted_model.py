"""Fitted model of a pursuit: one immutable value, which estimators hold and other rooms read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gramian._support.types import Array, IntArray
from gramian.core.imputation import expected_codes, noise_of
from gramian.core.pursuit import Decoder
from gramian.core.rows import dense_parts
from gramian.families import Family
from gramian.fitting._any_model import Record, SteppedModel
from gramian.fitting._cautions import (
    FEWER_FUNCTIONS,
    Caution,
    NearLaw,
    Remedy,
    of_dependence,
    of_functions,
    of_trimmed,
    of_units,
)
from gramian.fitting._gaps import has_gaps, present_only
from gramian.fitting._kept_variables import Search

if TYPE_CHECKING:
    from gramian.laws import ColumnLaw

DIGITS = 13
"""Digits to which a decoded column is rounded before laws compute other columns from it."""
N_PROBES = 3
"""Number of ways in which missing columns are changed, to see which columns depend on them."""
ALLOWED_SHARE = 1e-4
"""Residual share of a column's variance that a fit without a threshold of its own allows."""
ROUNDING = 1e-12
"""Rounding error of a decoded column, relative to its mean."""
TINY = np.finfo(np.float64).tiny
ROWS_AT_ONCE = 4096
"""Number of rows that are reconstructed at once if only their errors are needed."""


@dataclass(frozen=True, eq=False)
class FittedModel(SteppedModel):
    """Result of a pursuit, without the rows."""

    search: Search
    family: Family
    record: Record
    decoder: Decoder
    """Function from the kept variables to all columns, centred."""
    variances: Array
    """Variances of the candidates; of the columns if the algorithm finds its own directions."""
    laws: tuple[ColumnLaw, ...] = ()
    """Laws that compute dropped columns exactly, each from kept columns and from columns that
    earlier laws in this sequence compute."""
    near_laws: tuple[NearLaw, ...] = ()
    """Laws that would compute kept columns, except in some rows; not stored in model files."""
    trimmed: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.intp))
    """Positions of the rows of the table that took no part in the fit, because they have wrong
    cells."""

    @property
    def eliminates(self) -> bool:
        """True if the fit began with all candidates, and left-out rows decided which to drop.

        Candidates are columns, or directions of a basis.
        """
        return self.search.eliminates

    @property
    def held_out_left(self) -> float | None:
        """The share of the variance of held-out rows that is not explained after the last step.

        The value is None if no rows were held out.
        """
        total = self.record.validation_total
        return None if total is None else float(total[-1] / (total[0] or 1.0))

    @property
    def cautions(self) -> list[Caution]:
        """Doubts about the fit that the user should know."""
        record = self.record
        found: list[Caution] = []
        # If left-out rows decided, they bound the number of functions.
        if not self.search.eliminates and not self.asked.any_alpha:
            n_steps = len(record.n_kept) if record.stop_reason == "saturated" else None
            found += of_functions(
                self.freedom, record.n_rows - record.n_copies, n_steps, self.remedies
            )
        found += of_dependence(record.orthogonality_loss)
        compares_variances = not self.search.tells_redundant and not self.asked.relative
        if compares_variances and self.scale is None:
            found += of_units(self, self.variances)
        found += of_trimmed(len(self.trimmed), self.record.n_rows)
        return found

    @property
    def remedies(self) -> tuple[Remedy, ...]:
        """Changes of parameters that help if there are too many functions, the best first."""
        return FEWER_FUNCTIONS if self.asked.any_alpha else (Remedy.AUTO_ALPHA, *FEWER_FUNCTIONS)

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

        If a kept column of a row is missing, the columns that depend on it are missing, too; so
        are all columns if a component is missing. Laws are used for all rows, also for rows far
        from the rows of the fit.

        Parameters
        ----------
        z : array of shape (n_rows, n_kept)
            The kept variables.
        linear : bool, default=False
            True to predict by linear regression only.
        extrapolate : bool, default=False
            True to use nonlinear functions also in rows far from the rows of the fit.
        raw : array of shape (n_rows, n_kept), optional
            Kept columns before centring: laws compute from them without rounding errors.
        """
        how = {"linear": linear, "extrapolate": extrapolate}
        if has_gaps(z):
            known = ~np.isnan(z).any(axis=1)
            decoded = np.full((len(z), self.n_columns), np.nan)
            decoded[known] = self.decoder(z[known], **how) + self.mean
            if self.selects:
                decoded[~known] = self._decode_incomplete(z[~known], **how) + self.mean
        else:
            decoded = self.decoder(z, **how) + self.mean
        if self.laws and not linear:
            exact = {} if raw is None else dict(zip(self.kept_names, raw.T, strict=True))
            self._apply_laws(decoded, exact)
        return decoded

    def _decode_incomplete(self, z: Array, **how: bool) -> Array:
        """Return the columns, centred, of rows in which kept columns are missing.

        A column is computed if it hardly depends on the missing columns: it must not change when
        they change by a standard deviation, up to the residuals that the fit allows.

        Parameters
        ----------
        z : array of shape (n_rows, n_kept)
            The centred kept columns.
        **how : bool
            `linear` and `extrapolate`, as in `decode`.
        """
        chosen, units, gaps = self.kept.chosen, self.decoder.units, np.isnan(z)
        x = np.full((len(z), self.n_columns), np.nan)
        x[:, chosen] = z
        filled = np.where(gaps, self._expected_codes(x) * units, z)
        linear, decoder = how["linear"], self.decoder
        middle = decoder(filled, linear=linear, extrapolate=True)
        change = np.zeros(middle.shape)
        signs = np.random.default_rng(0).choice([-1.0, 1.0], (N_PROBES, len(chosen)))
        for sign in (*signs, *-signs):
            moved = filled + np.where(gaps, sign * units, 0.0)
            other = decoder(moved, linear=linear, extrapolate=True)
            np.maximum(change, np.abs(other - middle), out=change)
        asked = self.asked
        share = asked.threshold if asked.relative and asked.threshold else ALLOWED_SHARE
        allowed = 0.5 * np.sqrt(share * self.variances) + ROUNDING * np.abs(self.mean)
        decoded = decoder(filled, **how)
        decoded[~(change <= allowed)] = np.nan
        decoded[:, chosen] = z
        return decoded

    def _apply_laws(self, decoded: Array, exact: Mapping[str, Array]) -> None:
        """Replace columns of `decoded` by the values of laws; NaN where a law gives no number.

        Parameters
        ----------
        decoded : array of shape (n_rows, n_columns)
            The columns, which are overwritten.
        exact : mapping from str to array
            Columns from which laws compute, by name.
        """
        from gramian.laws import computed_in_turn  # the import takes a while

        place = {name: i for i, name in enumerate(self.column_names)}
        # Laws compare values with thresholds and levels: rounding removes rounding errors.
        units = 10.0 ** np.ceil(np.log10(np.sqrt(self.variances) + np.abs(self.mean) + TINY))
        known = {
            name: np.asarray(exact[name], dtype=np.float64)
            if name in exact
            else np.round(decoded[:, j] / units[j], DIGITS) * units[j]
            for name in self.kept_names
            for j in [place[name]]
        }
        for name, values in computed_in_turn(self.laws, known, len(decoded)).items():
            decoded[:, place[name]] = values

    def completed(self, x: Array) -> Array:
        """Fill missing cells of centred rows with predictions from the cells that are present.

        A row without any value stays missing.
        """
        if not has_gaps(x):
            return x
        rows = np.flatnonzero(np.isnan(x).any(axis=1))
        some = x[rows].astype(np.float64)
        present = ~np.isnan(some)
        codes = self._expected_codes(some)
        filled = x.copy()
        filled[rows] = np.where(present, some, self.decode(codes * self.decoder.units) - self.mean)
        return filled

    def _expected_codes(self, x: Array) -> Array:
        """Return the expected codes of centred rows, given their present cells; see the core."""
        unit, total = self._units
        lines = self.decoder.linear / unit
        return expected_codes(x / unit, ~np.isnan(x), lines, noise_of(total, lines))

    @property
    def _units(self) -> tuple[Array, float]:
        """The divisors of columns in distances between rows, and the total variance then.

        In the second value, columns are divided by the first.
        """
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
            codes = self.kept.encode(self.completed(x))
            left = present_only(self.scaled(x + self.mean - self.decode(codes)))
            x = present_only(self.scaled(x))
            sizes[part] = np.einsum("ij,ij->i", x, x)
            errors[part] = np.einsum("ij,ij->i", left, left)
        return errors, sizes
