"""From options to a fitted model."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from gramian._support.types import Array
from gramian._support.words import counted, listed, plural, the_columns
from gramian.cli._columns import (
    Passing,
    check_types,
    choose,
    find,
    fitting,
    refuse_infinite,
    refuse_too_wide,
    with_missing,
)
from gramian.cli._directions import DirectionWeights
from gramian.cli._division import Division, divide, without_empty
from gramian.cli._errors import CommandError, UsageError, clause, say
from gramian.cli._files import open_input
from gramian.cli._method import make_estimator
from gramian.cli._model import TableModel, named
from gramian.cli._options import DataOptions, MethodOptions, Reading, SelectorName
from gramian.cli._table_changes import TableChanges
from gramian.core.rows import SpreadError
from gramian.exceptions import (
    NumericalWarning,
    OverfittingWarning,
    SaturationWarning,
    TooManyLevelsError,
    UnitsWarning,
)
from gramian.fitting import EmptyColumnError, Gaps, TooFewRowsError
from gramian.models import Preprocessing, is_numeric
from gramian.tables import TEXT, Table, plain


@dataclass(frozen=True)
class Task:
    """A fit that has not begun."""

    algorithm: str
    estimator: Any
    table: Table
    features: tuple[str, ...]
    """The columns that the fit sees."""
    passing: Passing
    """The columns that pass through."""
    options: DataOptions
    directions: DirectionWeights | None = None
    """Those that the user gives."""

    def run(self) -> Fitted:
        """Fit."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            divided = self._divided()
            try:
                task, steps, changes = self._fit(divided)
            except EmptyColumnError as error:
                divided = without_empty(divided, [divided.features[i] for i in error.columns])
                task, steps, changes = self._fit(divided)
        told = tuple(
            dict.fromkeys(
                _sentence(each, self.estimator)
                for each in caught
                if not issubclass(each.category, UnitsWarning)  # --same-unit was said
            )
        )
        if _is_headless(self.table):
            doubt = "was taken for names: if it holds numbers like the others, say --no-header"
            told = (f"the first row of {self.table.name} {doubt}", *told)
        steps = replace(
            steps, ids=self.passing.ids, targets=self.passing.targets, beside=divided.beside
        )
        return Fitted(task, TableModel(self.estimator, steps), told, changes, divided.alternatives)

    def _fit(self, divided: Division) -> tuple[Task, Preprocessing, TableChanges]:
        """Fit to the columns of a division; a column without values is an error."""
        task = replace(self, features=divided.features)
        if self.directions is not None:
            self.estimator.set_params(given=self.directions.among(task.features))
        how = task._fit_to_blocks if task.table.too_large else task._fit_in_memory
        try:
            return (task, *how(divided))
        except SpreadError as error:
            named = error.named(f"{task.features[error.column]!r} of {self.table.name}")
            raise CommandError(clause(named)) from error
        except TooFewRowsError as error:
            raise CommandError(
                f"{self.table.name} has {counted(error.n_rows, 'row')}, and holding out a share "
                f"of {error.share:g} leaves {error.n_left} to fit: give more rows, or a smaller "
                "--validation"
            ) from error

    def _divided(self) -> Division:
        """Divide the columns, and tell the estimator which ones must stay, and which may."""
        numbers_stay = self.algorithm == "gfa" and self.estimator.backward
        keep = (numbers_stay and self.estimator.keep) or ()
        prefer = (numbers_stay and self.estimator.priority) or ()
        divided = divide(
            self.table,
            self.features,
            beside=self.algorithm in tuple(SelectorName),
            numbers_stay=numbers_stay,
            encode=self.options.encode,
            keep=keep,
            prefer=prefer,
        )
        if not divided.features:
            raise CommandError(
                f"{self.table.name} has no column of numbers that a fit could use; gramian "
                "relations tells which columns of text follow from others, and --encode makes "
                "numbers of text"
            )
        if numbers_stay:
            # Of a date that is nearly given, the rest is what matters.
            kinds = self.table.columns
            dates = [name for name in divided.features if pa.types.is_temporal(kinds[name])]
            wanted = {"keep": [*keep, *divided.needed, *dates], "priority": prefer}
            for name, columns in wanted.items():
                inner = [each for each in dict.fromkeys(columns) if each in divided.features]
                self.estimator.set_params(**{name: inner or None})
        return divided

    def _changes(self, divided: Division, n_read: int, n_used: int, n_filled: int) -> TableChanges:
        variances = getattr(self.estimator.model_, "variances", None)
        constant = [] if variances is None else np.flatnonzero(variances == 0).tolist()
        names = [self.features[i] for i in constant if self.estimator.model_.selects]
        set_aside = {**divided.set_aside, **dict.fromkeys(names, "constant")}
        gaps: Gaps | None = getattr(self.estimator, "gaps_", None)
        if gaps is not None:
            n_filled = gaps.n_filled
            n_used = n_used if n_filled else gaps.n_complete
        return TableChanges(n_read, n_used, n_filled, set_aside, tuple(divided.beside.labels))

    def _fit_to_blocks(self, divided: Division) -> tuple[Preprocessing, TableChanges]:
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
                    rows = named(steps.apply(rows), self.features)
                n_used += rows.num_rows
                yield from rows.to_batches()

        try:
            self.estimator.fit(blocks)
        except TooManyLevelsError as error:
            raise self._too_many_levels(error.max_levels) from error
        return steps, self._changes(divided, n_read, n_used, n_filled)

    def pieces(self) -> Iterator[pa.Table]:
        """Read the columns of the fit, piece by piece."""
        n_read = 0
        for piece in self.table.pieces(self.features):
            rows = plain(piece)
            refuse_infinite(rows, self.table, n_read)
            refuse_too_wide(rows, self.table)
            n_read += rows.num_rows
            yield rows

    def _learned(self, pieces: Callable[[], Iterable[pa.Table]]) -> Preprocessing:
        """Find out what to do with text and gaps; by default, gaps are left to the fit."""
        options = self.options
        if not options.encode and options.impute is None:
            return Preprocessing(self.features, missing="keep")
        learned = Preprocessing.learn_in_pieces(
            pieces,
            self.features,
            encode=options.encode,
            impute="keep" if options.impute is None else options.impute.value,
        )
        for name, categories in learned.categories.items():
            words = [each for each in categories if not is_numeric(each)]
            if words and 2 * len(words) < len(categories):
                warnings.warn(
                    f"{the_columns([name])} holds numbers except {listed(words, most=3)}"
                    f", and is still encoded as {len(categories):,} categories",
                    UserWarning,
                    stacklevel=2,
                )
        return learned

    def rows(self) -> pa.Table:
        """Read the columns of the fit, text as text, dates as dates and all others as floats."""
        table = self.table.read(self.features)
        kinds = dict(zip(table.column_names, table.schema.types, strict=True))
        check_types(kinds, encode=self.options.encode)
        return plain(table)

    def _fit_in_memory(self, divided: Division) -> tuple[Preprocessing, TableChanges]:
        rows = self.rows()
        refuse_infinite(rows, self.table)
        refuse_too_wide(rows, self.table)
        counts = with_missing(rows)
        empty = [i for i, name in enumerate(self.features) if counts.get(name) == rows.num_rows]
        if empty and rows.num_rows:
            raise EmptyColumnError(empty, self.features)
        n_rows = rows.num_rows
        learned, x = self._made_numbers(rows, divided)
        n_filled = sum(counts.values()) if learned.missing == "fill" else 0
        if len(x) < 2:
            complete = " without missing values" if len(x) < n_rows else ""
            raise CommandError(
                f"{self.table.name} has {counted(len(x), 'row')}{complete}, and a "
                "fit needs at least 2"
            )
        table = named(x, self.features)
        n_used = len(x)
        del rows, x  # which may take much memory
        try:
            self.estimator.fit(table)
        except TooManyLevelsError as error:
            raise self._too_many_levels(error.max_levels, table) from error
        return learned, self._changes(divided, n_rows, n_used, n_filled)

    def _made_numbers(self, rows: pa.Table, divided: Division) -> tuple[Preprocessing, Array]:
        """Return what is done to columns, and the numbers that come of it."""
        learned = replace(self._learned(lambda: [rows]), clocks=divided.clocks)
        return learned, learned.apply(rows)

    def _too_many_levels(self, most: int, table: pa.Table | None = None) -> CommandError:
        """Say what --family indicator needs, and which columns do not have it."""
        needs = f"--family indicator is for columns of at most {most} distinct values"
        if self.algorithm in ("gfr", "gca"):
            return CommandError(
                f"{needs}, and components have more: say gramian select, or choose another --family"
            )
        values = [] if table is None else zip(table.column_names, table.columns, strict=True)
        many = [name for name, column in values if len(column.unique()) > most]
        has = (
            f"{the_columns(many)} {plural(len(many), 'has', 'have')} more"
            if many
            else "some have more"
        )
        return CommandError(
            f"{needs}, such as categories; {has}. Say --exclude to leave such columns out, round "
            "their values, or choose another --family"
        )


@dataclass(frozen=True)
class Fitted:
    """A finished fit, with all that is printed about it."""

    task: Task
    model: TableModel
    warnings: tuple[str, ...]
    changes: TableChanges
    """What was done to rows and columns before."""
    alternatives: Mapping[str, Sequence[str]]
    """For columns that levels give, those that could be given in their place."""

    def tell(self, files: Iterable[str]) -> None:
        """Say on standard error what to know about the fit, and what was written.

        Parameters
        ----------
        files : iterable of str
            The files; standard output is not among them.
        """
        if sentence := self.changes.sentence():
            say(sentence)
        for warning in self.warnings:
            say(f"warning: {warning}")
        for file in files:
            say(f"wrote {file}")


def prepare(
    path: str,
    algorithm: str,
    reading: Reading,
    data: DataOptions,
    method: MethodOptions,
    *,
    quiet: bool,
) -> Task:
    """Check all that can be checked before a fit.

    Parameters
    ----------
    path : str
        The table.
    algorithm : str
        "gfs", "gfa", "gfr", "gca" or "manifold".
    reading : Reading
        How the table is read.
    data : DataOptions
        Which columns take part.
    method : MethodOptions
        Parameters of the estimator.
    quiet : bool
        Whether to show no progress bar.
    """
    estimator = make_estimator(algorithm, method, verbose=0 if quiet else 1)
    estimator.set_params(memory_budget=reading.memory_budget, scale=data.standardize)
    table = open_input(path, reading)
    features, passing = choose(list(table.columns), data)
    if method.keep:
        estimator.set_params(keep=find(method.keep, features, "--keep"))
    wanted = method.prefer or _plain_names(data.columns, features)
    if wanted and algorithm == "gfa" and method.backward:
        estimator.set_params(priority=find(wanted, features, "--prefer"))
    check_types({name: table.columns[name] for name in features}, encode=True)
    if isinstance(method.n, int) and method.n > len(features):
        raise UsageError(f"-n {method.n} is more than the {len(features)} columns that take part")
    if method.given:
        given = find(method.given, features, "--given")
        if isinstance(method.n, int) and method.n < len(given):
            raise UsageError(f"--given names {len(given)} columns, and -n {method.n} is less")
        estimator.set_params(given=given)
    directions = None
    if method.directions is not None:
        places = fitting(table, features, encode=data.encode)
        directions = DirectionWeights.read(
            method.directions, features, places, reading.memory_budget
        )
        if isinstance(method.n, int) and method.n < len(directions):
            raise UsageError(f"--directions has {len(directions)} rows, and -n {method.n} is less")
    return Task(algorithm, estimator, table, features, passing, data, directions)


def _plain_names(columns: list[str] | None, features: Sequence[str]) -> list[str]:
    """Return the columns that --columns names one by one: what is named first is wanted most."""
    given = [
        name for each in columns or () for name in ([each] if each in features else each.split(","))
    ]
    return [name for name in given if name in features]


def _remedy(estimator: Any) -> str:
    """Say what helps against too many functions, and is not in use."""
    shrink = "" if estimator.alpha == "auto" else "--alpha auto, "
    return f"Use {shrink}a lower --degree, a smaller -n, or more rows"


def _sentence(warning: warnings.WarningMessage, estimator: Any) -> str:
    """Translate a warning from the terms of Python to the terms of the command."""
    category = warning.category
    if issubclass(category, SaturationWarning):
        return (
            f"after {len(estimator.n_functions_)} steps the functions span all "
            f"{estimator.n_samples_} rows, so that nothing is left, whatever the data. "
            f"{_remedy(estimator)}"
        )
    if issubclass(category, OverfittingWarning):
        return (
            f"{estimator.model_.freedom:.0f} functions were fitted to "
            f"{estimator.n_samples_} rows: residual variances on the same rows are far too small. "
            f"{_remedy(estimator)}"
        )
    if issubclass(category, NumericalWarning):
        return (
            "the functions are close to linearly dependent, and residual variances may be off by a "
            f"relative {estimator.orthogonality_loss_:.0e}. Use --family hermite, or fewer columns"
        )
    return str(warning.message).partition("\n")[0]


def _is_headless(table: Table) -> bool:
    """Return whether the names of columns look like a row of numbers."""
    return table.format in TEXT and table.named and all(map(is_numeric, table.columns))
