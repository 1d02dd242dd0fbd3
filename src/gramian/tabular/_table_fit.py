"""Fit of an estimator to a table: check options, divide columns, turn cells into numbers, fit."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gramian._support.types import Array, IntArray
from gramian._support.words import counted, the_columns
from gramian.core.rows import SpreadError
from gramian.exceptions import TooManyLevelsError
from gramian.fitting import EmptyColumnError, Gaps, TooFewRowsError
from gramian.models import Preprocessing
from gramian.tables import Table, numbers_in_text, plain, pyarrow
from gramian.tabular._column_checks import (
    check_count,
    check_types,
    refuse_infinite,
    refuse_too_wide,
    too_many_levels,
    with_missing,
)
from gramian.tabular._column_roles import ColumnOptions, Passing
from gramian.tabular._direction_weights import DirectionWeights
from gramian.tabular._division import CONSTANT, Division, divide, without_empty
from gramian.tabular._dropped_columns import types_of
from gramian.tabular._laws_of_table import LawsOfTable
from gramian.tabular._learning import learned
from gramian.tabular._messages import TableCaution, UnusableTableError
from gramian.tabular._method import SELECTORS
from gramian.tabular._returned_cells import columns_that_change, uneven_columns
from gramian.tabular._row_groups import row_groups
from gramian.tabular._table_cautions import (
    TOLD,
    cautions_of_fit,
    cautions_of_table,
)
from gramian.tabular._table_changes import TableChanges
from gramian.tabular._table_model import TableModel, with_names
from gramian.tabular._wishes import Wishes

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class TableFit:
    """A fit to a table that is prepared and checked, but not started; `run` starts it."""

    algorithm: str
    """Name of the algorithm: "gfs", "gfa", "gfr", "gca" or "manifold"."""
    estimator: Any
    """Estimator that `run` fits."""
    table: Table
    features: tuple[str, ...]
    """Names of the columns that the fit may use."""
    passing: Passing
    """Columns that are copied unchanged to results."""
    options: ColumnOptions
    directions: DirectionWeights | None = None
    """Weights of the first directions, if the user passed them."""
    groups: IntArray | None = None
    """The number of the group of each row, after `run` has read the groups."""

    def run(self) -> FittedTable:
        """Fit the estimator to the table, and return the model with facts about the fit."""
        fit = replace(self, groups=row_groups(self.table, self.options.groups))
        with (laws := fit._laws()).known():
            return fit._run(laws)

    def _laws(self) -> LawsOfTable:
        """Return the laws of the table, which are not searched yet."""
        options = self.options
        return LawsOfTable(
            self.groups,
            self._exceptions,
            of_numbers=self._numbers_stay and self.estimator.laws is not False,
            as_written=not options.encode and options.impute is None,
        )

    def _run(self, laws: LawsOfTable) -> FittedTable:
        """Fit the estimator."""
        of_user = wishes = self._wishes()
        divided = self._divided(wishes, laws)
        with warnings.catch_warnings():
            # The result has cautions with the content of these warnings.
            for each in TOLD:
                warnings.simplefilter("ignore", each)
            while True:
                try:
                    fit, steps, changes = self._fit(divided, wishes)
                except EmptyColumnError as error:
                    divided = without_empty(divided, [divided.features[i] for i in error.columns])
                    continue
                more = fit._lost(steps)
                if more == Wishes():
                    break
                wishes = wishes.and_(more)
                divided = self._divided(wishes, laws)
        fit._wish(of_user)
        if divided.near and hasattr(self.estimator.model_, "near_laws"):
            model = self.estimator.model_
            self.estimator.model_ = replace(model, near_laws=(*model.near_laws, *divided.near))
        cautions = (
            *cautions_of_table(self.table, self.features, steps, divided),
            *cautions_of_fit(self.estimator, changes.rows_read),
        )
        steps = replace(
            steps,
            ids=self.passing.ids,
            targets=self.passing.targets,
            beside=divided.beside,
            types=types_of(self.table, fit.features, self.estimator.model_),
        )
        model = TableModel(self.estimator, steps)
        return FittedTable(fit, model, cautions, changes, divided.alternatives)

    def _fit(
        self, divided: Division, wishes: Wishes
    ) -> tuple[TableFit, Preprocessing, TableChanges]:
        """Fit the estimator to `divided.features`; raise EmptyColumnError if a column is empty."""
        fit = replace(self, features=divided.features)
        if self._numbers_stay:
            # Keep all dates: a date that numbers explain only nearly is not redundant.
            kinds, is_temporal = self.table.columns, pyarrow().types.is_temporal
            dates = [name for name in fit.features if is_temporal(kinds[name])]
            fit._wish(Wishes((*wishes.keep, *divided.needed, *dates), wishes.prefer))
        if self.directions is not None:
            self.estimator.set_params(given=self.directions.among(fit.features))
        how = fit._fit_to_blocks if fit.table.too_large else fit._fit_in_memory
        try:
            return (fit, *how(divided))
        except SpreadError as error:
            named = error.named(f"{fit.features[error.column]!r} of {self.table.name}")
            raise UnusableTableError("{problem}", problem=named) from error
        except TooFewRowsError as error:
            raise UnusableTableError(
                "{table} has {rows}, and holding out a share of {share:g} leaves {n_left} to fit: "
                "give more, or a smaller {validation}",
                table=self.table.name,
                rows=counted(error.n_rows, "group" if error.unit == "group" else "row"),
                share=error.share,
                n_left=error.n_left,
            ) from error

    @property
    def _selects(self) -> bool:
        """True if the result has columns of the table, not components."""
        return self.algorithm in SELECTORS

    @property
    def _numbers_stay(self) -> bool:
        """True if the fit can be told which columns to keep."""
        return bool(self.algorithm == "gfa" and self.estimator.backward)

    def _wishes(self) -> Wishes:
        """Return the columns that the user wants to keep, as the estimator has them."""
        if not self._numbers_stay:
            return Wishes()
        return Wishes(tuple(self.estimator.keep or ()), tuple(self.estimator.priority or ()))

    def _wish(self, wishes: Wishes) -> None:
        """Tell the estimator which of the columns of the fit to keep."""
        wanted = {"keep": wishes.keep, "priority": wishes.prefer}
        for name, columns in wanted.items() if self._numbers_stay else ():
            inner = [each for each in dict.fromkeys(columns) if each in self.features]
            self.estimator.set_params(**{name: inner or None})

    @property
    def _exceptions(self) -> float:
        """Largest share of the rows that may break a law which drops a column."""
        return float(getattr(self.estimator, "exceptions", 0.0)) if self._numbers_stay else 0.0

    def _divided(self, wishes: Wishes, laws: LawsOfTable) -> Division:
        """Divide the columns into those of the fit and others."""
        divided = divide(
            self.table,
            self.features,
            beside=self._selects,
            numbers_stay=self._numbers_stay,
            encode=self.options.encode,
            keep=wishes.keep,
            prefer=wishes.prefer,
            fixed=wishes.fixed,
            laws=laws,
            exceptions=self._exceptions,
        )
        if not divided.features:
            found = [*numbers_in_text(self.table, self.features)]
            raise UnusableTableError(
                "{table} has no column of numbers that a fit could use{but}; {relations} tells "
                "which columns of text follow from others, and {encode:True} makes numbers of text",
                table=self.table.name,
                but=f", but text with numbers in {the_columns(found)}" if found else "",
            )
        check_count(self.estimator, len(divided.features))
        return divided

    def _lost(self, steps: Preprocessing) -> Wishes:
        """Return the dropped columns of which a cell would not come back, to be kept instead.

        They are columns whose numbers are all equal, but not their cells, and, if the fit drops
        redundant columns only, columns that would come back changed in rows with missing cells.
        """
        if not self._selects:
            return Wishes()
        fixed = uneven_columns(self.table, self._constant, fills=self.options.impute is not None)
        keep: list[str] = []
        lossless = self._numbers_stay and self.estimator.n_features_to_select is None
        if lossless and self.options.impute is None:
            blocks = (steps.apply(rows) for rows in self.pieces())
            keep = columns_that_change(self.estimator, blocks, self.features)
        return Wishes(keep=tuple(keep), fixed=tuple(fixed))

    @property
    def _constant(self) -> list[str]:
        """Names of the columns of a fitted selection whose numbers are all equal."""
        variances = getattr(self.estimator.model_, "variances", None)
        constant = [] if variances is None else np.flatnonzero(variances == 0).tolist()
        return [self.features[i] for i in constant if self.estimator.model_.selects]

    def _changes(self, divided: Division, n_read: int, n_used: int, n_filled: int) -> TableChanges:
        """Return the changes of the table before the fit, with the counts of the estimator."""
        set_aside = {**divided.set_aside, **dict.fromkeys(self._constant, CONSTANT)}
        gaps: Gaps | None = getattr(self.estimator, "gaps_", None)
        if gaps is not None:
            n_filled = gaps.n_filled
            n_used = n_used if n_filled else gaps.n_complete
        spellings = {
            name: each
            for name, each in self.table.spellings.items()
            if name in self.features or name in divided.beside.given
        }
        labels = tuple(divided.beside.labels)
        return TableChanges(n_read, n_used, n_filled, set_aside, labels, spellings)

    def _fit_to_blocks(self, divided: Division) -> tuple[Preprocessing, TableChanges]:
        """Fit to a large table that the estimator reads in blocks of rows."""
        steps = replace(self._learned(self.pieces), clocks=divided.clocks)
        fills = steps.missing == "fill"
        n_read = n_used = n_filled = 0

        def blocks() -> Iterator[pa.RecordBatch]:
            nonlocal n_read, n_used, n_filled
            n_read = n_used = n_filled = 0
            for rows in self.pieces():
                n_read += rows.num_rows
                n_filled += sum(with_missing(rows).values()) if fills else 0
                if steps.clocks or steps.categories or steps.missing != "keep":
                    rows = with_names(steps.apply(rows), self.features)
                n_used += rows.num_rows
                yield from rows.to_batches()

        try:
            self.estimator.fit(blocks)
        except TooManyLevelsError as error:
            raise too_many_levels(error.max_levels, self._selects) from error
        return steps, self._changes(divided, n_read, n_used, n_filled)

    def pieces(self) -> Iterator[pa.Table]:
        """Read the columns of the fit piece by piece; raise for infinite or too large values."""
        n_read = 0
        for piece in self.table.pieces(self.features):
            rows = plain(piece)
            refuse_infinite(rows, self.table, n_read)
            refuse_too_wide(rows, self.table)
            n_read += rows.num_rows
            yield rows

    def _learned(self, pieces: Callable[[], Iterable[pa.Table]]) -> Preprocessing:
        """Learn the preprocessing of text and missing values; by default NaN goes to the fit."""
        options = self.options
        if not options.encode and options.impute is None:
            return Preprocessing(self.features, missing="keep")
        return learned(
            Preprocessing,
            pieces,
            self.features,
            encode=options.encode,
            impute="keep" if options.impute is None else options.impute,
        )

    def rows(self) -> pa.Table:
        """Read the columns of the fit into memory: text, dates, and all other columns as floats."""
        table = self.table.read(self.features)
        kinds = dict(zip(table.column_names, table.schema.types, strict=True))
        check_types(kinds, encode=self.options.encode)
        return plain(table)

    def _fit_in_memory(self, divided: Division) -> tuple[Preprocessing, TableChanges]:
        """Read the table into memory, and fit to it."""
        rows = self.rows()
        refuse_infinite(rows, self.table)
        refuse_too_wide(rows, self.table)
        counts = with_missing(rows)
        empty = [i for i, name in enumerate(self.features) if counts.get(name) == rows.num_rows]
        if empty and rows.num_rows:
            raise EmptyColumnError(empty, self.features)
        self._check_enough(n_rows := rows.num_rows)
        steps, x, keeps = self._made_numbers(rows, divided)
        groups = {} if self.groups is None else {"groups": self.groups[keeps]}
        n_filled = sum(counts.values()) if steps.missing == "fill" else 0
        self._check_enough(len(x), " without missing values" if len(x) < n_rows else "")
        table = with_names(x, self.features)
        n_used = len(x)
        del rows, x  # release their memory before the fit
        try:
            self.estimator.fit(table, **groups)
        except TooManyLevelsError as error:
            raise too_many_levels(error.max_levels, self._selects, table) from error
        return steps, self._changes(divided, n_rows, n_used, n_filled)

    def _check_enough(self, n_rows: int, complete: str = "") -> None:
        """Raise an error if there are fewer than 2 rows; `complete` are words after "rows"."""
        if n_rows < 2:
            raise UnusableTableError(
                "{table} has {rows}{complete}, and a fit needs at least 2",
                table=self.table.name,
                rows=counted(n_rows, "row"),
                complete=complete,
            )

    def _made_numbers(
        self, rows: pa.Table, divided: Division
    ) -> tuple[Preprocessing, Array, NDArray[np.bool_]]:
        """Return the preprocessing of rows, their numbers, and a mask of the rows that stay."""
        steps = replace(self._learned(lambda: [rows]), clocks=divided.clocks)
        return steps, *steps.apply_and_keep(rows)


@dataclass(frozen=True)
class FittedTable:
    """Result of `TableFit.run`: the model, and facts about the fit that are not in the model."""

    fit: TableFit
    model: TableModel
    cautions: tuple[TableCaution, ...]
    """Facts that may make the result misleading."""
    changes: TableChanges
    """Changes of rows and columns before the fit."""
    alternatives: Mapping[str, Sequence[str]]
    """See `Division.alternatives`."""
