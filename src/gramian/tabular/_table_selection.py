"""Public function `select`, which selects columns of a mixed table, and the class of its result."""

from __future__ import annotations

import os
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np

from gramian._support.display import html_table
from gramian._support.time_limit import time_limited
from gramian._support.words import counted
from gramian.exceptions import UnknownLevelsWarning
from gramian.formulas import r_squared
from gramian.tables import DEFAULT_BUDGET, pyarrow
from gramian.tabular._column_roles import ColumnOptions, Impute, Names
from gramian.tabular._dropped_columns import DroppedColumn, alternatives_of, dropped_columns
from gramian.tabular._frames import as_table, like
from gramian.tabular._messages import OptionError, TableCaution
from gramian.tabular._method import SELECTORS, Family, Method, make_estimator
from gramian.tabular._parameter_checks import check_estimator, check_parameters
from gramian.tabular._preparation import prepare
from gramian.tabular._rewriting import Piece, reconstructed, reduced, with_categories
from gramian.tabular._table_changes import examples
from gramian.tabular._table_model import TableModel, passing
from gramian.tabular._unknown_levels import UnknownLevel, warning_text


@dataclass(frozen=True, eq=False, repr=False)
class TableSelection:
    """Result of :func:`gramian.select`: the kept and the dropped columns of a table.

    Attributes
    ----------
    estimator : GFA or GFS
        The estimator, fitted to the columns of numbers and dates.
    kept : list of str
        Names of the kept columns, also of text, in the order of the table. The columns `id` and
        `target`, which are only copied, are not listed.
    dropped : mapping from str to DroppedColumn
        From the name of each dropped column to the law or formula that computes it.
    alternatives : mapping from str to tuple of str
        From the name of a dropped column to the kept columns that could be dropped instead.
    set_aside : mapping from str to str
        From the name of each ignored column to the reason: "constant" or "no value in any row".
    cautions : tuple of TableCaution
        Facts that may make the result misleading, such as too few rows.
    spellings : mapping from str to str
        From the name of each column that a text file spells as 1,5 or 12.9% or €5.59, and that is
        read as numbers, to an example such as "1,5 is 1.5".

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import gramian
    >>> voltage, current = np.random.default_rng(0).uniform(1, 5, (2, 200))
    >>> table = pd.DataFrame({"voltage": voltage, "current": current, "power": voltage * current})
    >>> selection = gramian.select(table)
    >>> print(selection)
    Kept 2 of 3 columns: voltage, current
    Dropped 1 column:
      power = voltage · current
    >>> kept = selection.transform(table)
    >>> list(kept.columns)
    ['voltage', 'current']
    >>> bool(np.allclose(selection.reconstruct(kept), table))
    True
    """

    _model: TableModel
    set_aside: Mapping[str, str] = field(default_factory=dict)
    cautions: tuple[TableCaution, ...] = ()
    _by_levels: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Alternatives of the columns that laws of levels compute, by name."""
    _reading: Mapping[str, Any] = field(default_factory=dict)
    """Options for reading files: delimiter, header, decimal sign and memory budget."""
    spellings: Mapping[str, str] = field(default_factory=dict)

    @property
    def estimator(self) -> Any:
        """The estimator, fitted to the columns of numbers and dates."""
        return self._model.estimator

    @property
    def kept(self) -> list[str]:
        """Names of the kept columns, in the order of the table."""
        beside = self._model.steps.beside
        return beside.sorted([*self._model.kept, *beside.labels])

    @cached_property
    def dropped(self) -> dict[str, DroppedColumn]:
        """From the name of each dropped column to the law or formula that computes it."""
        return dropped_columns(self._model)

    @cached_property
    def alternatives(self) -> dict[str, tuple[str, ...]]:
        """From the name of a dropped column to the kept columns that could be dropped instead."""
        return alternatives_of(self._model, self._by_levels)

    def transform(self, table: Any) -> Any:
        """Reduce a table to the kept columns, and to the columns `id` and `target`, if any.

        Parameters
        ----------
        table : data frame, Arrow table or stream, mapping of columns, array, path or paths
            Table with the kept columns, by name; by position if columns have no names.

        Returns
        -------
        kept : data frame, pyarrow.Table, dict or array
            The result, of the same kind as `table`; a pyarrow.Table for paths and streams.
        """
        return self._rewritten(table, reduced)

    def reconstruct(self, table: Any) -> Any:
        """Compute all columns of the fit from the kept columns, with dates and text restored.

        Parameters
        ----------
        table : data frame, Arrow table or stream, mapping of columns, array, path or paths
            Table with the kept columns, by name; by position if columns have no names.

        Returns
        -------
        whole : data frame, pyarrow.Table, dict or array
            The result, of the same kind as `table`; a pyarrow.Table for paths and streams. A cell
            that is looked up by a level is missing if the fit has not seen this level, and an
            `UnknownLevelsWarning` names the column and the level.
        """
        return self._rewritten(table, reconstructed)

    def _rewritten(self, data: Any, rewrite: Any) -> Any:
        """Apply `reduced` or `reconstructed` to the user's table; return its kind of table."""
        table, steps = as_table(data, **self._reading), self._model.steps
        others = passing(self._model, table)
        pieces: list[Piece] = list(rewrite(self._model, table, others))
        if unknown := sum((each.unknown for each in pieces), Counter[UnknownLevel]()):
            warnings.warn(warning_text(unknown), UnknownLevelsWarning, stacklevel=3)
        rows = with_categories(pyarrow().concat_tables([each.rows for each in pieces]), steps)
        kept = self._model.kept if steps.impute is None else []  # otherwise gaps are filled in
        unchanged = [*kept, *steps.beside.labels, *others.names]
        return like(data, rows, np.concatenate([each.keeps for each in pieces]), unchanged)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the selection to a model file, without rows, cautions and `set_aside`.

        Parameters
        ----------
        path : path
            Path of the file; by convention it ends in .gram.
        """
        self._model.save(path)

    def __str__(self) -> str:
        return "\n".join(self._lines())

    __repr__ = __str__

    def _lines(self) -> Iterator[str]:
        """Yield the lines of the printed selection."""
        n_columns = len(self.kept) + len(self.dropped)
        kept = ", ".join(self.kept) or "none"
        yield f"Kept {len(self.kept):,} of {counted(n_columns, 'column')}: {kept}"
        if self.dropped:
            yield f"Dropped {counted(len(self.dropped), 'column')}:"
            yield from (f"  {each}" for each in self.dropped.values())
        aside = {name: why for name, why in self.set_aside.items() if name not in self.dropped}
        if aside:
            yield f"Set aside: {', '.join(f'{name} ({why})' for name, why in aside.items())}"
        if self.spellings:
            yield f"Read as numbers: {examples(self.spellings)}"
        yield from (f"Caution: {each}" for each in self.cautions)

    def _repr_html_(self) -> str:
        rows = [[name, "kept", "", ""] for name in self.kept]
        for each in self.dropped.values():
            r2 = "" if each.r2 is None else r_squared(each.r2)
            rows.append([each.column, "dropped", each.law or "", r2])
        rows += [["", "caution", str(each), ""] for each in self.cautions]
        return html_table(["column", "", "law", "R²"], rows)


def select(
    table: Any,
    *,
    algorithm: Literal["gfa", "gfs"] | None = None,
    n: float | None = None,
    keep: Names = None,
    prefer: Names = None,
    given: Names = None,
    id: Names = None,
    target: Names = None,
    columns: Names = None,
    exclude: Names = None,
    groups: Any = None,
    encode: bool = False,
    impute: Impute | None = None,
    standardize: bool = True,
    threshold: float | None = None,
    relative: bool = False,
    backward: bool = True,
    laws: bool = True,
    exceptions: float = 0.0,
    prove: bool = False,
    family: Family | None = None,
    degree: int | Literal["auto"] = 2,
    alpha: float | Literal["auto"] = "auto",
    criterion: Literal["variance", "gain"] | None = None,
    validation: float | None = None,
    random_state: int | None = 0,
    delimiter: str | None = None,
    header: bool = True,
    decimal: Literal[".", ","] | None = None,
    memory_budget: int = DEFAULT_BUDGET,
    time_limit: float | None = None,
    verbose: int = 0,
) -> TableSelection:
    """Select the columns of a table from which the others can be computed.

    The table may have numbers, text, dates, missing values, constant columns and empty columns.
    First, columns are dropped that can be looked up by values of other columns: a city by its zip
    code, a weekday by its date. Then a fit drops columns of numbers that laws or functions of other
    columns compute. All other text columns are kept unchanged. The command ``gramian select`` does
    the same for files.

    Parameters
    ----------
    table : data frame, Arrow table or stream, mapping of columns, array, path or paths
        Table of pandas, polars or PyArrow, paths of files, or a stream of Arrow batches, such as a
        relation of DuckDB or a LazyFrame. PyArrow is needed: ``pip install "gramian[files]"``.
    algorithm : {"gfa", "gfs"}, optional
        "gfa" drops only columns that follow from other columns; "gfs" keeps a few informative
        columns. The default is "gfs" if `n`, `criterion` or `given` is set, otherwise "gfa".
    n : int or float, optional
        Number of columns of numbers to keep, or share of the variance that they shall explain.
    keep : str or iterable of str, optional
        For "gfa": columns that are never dropped. In all options, columns are names or patterns
        such as ``"pixel*"``.
    prefer : str or iterable of str, optional
        For "gfa": columns to keep rather than others if there is a choice, most wanted first.
    given : str or iterable of str, optional
        For "gfs": columns that are kept in any case. Then the default of `criterion` is "gain".
    id, target : str or iterable of str, optional
        Columns that the fit does not use. `transform` copies `id` columns to the beginning of its
        result, and `target` columns to the end.
    columns, exclude : str or iterable of str, optional
        Columns to use (by default all), and columns to leave out.
    groups : str or array-like of shape (n_rows,), optional
        Column with labels such as patients, or the labels themselves. Rows with the same label are
        left out together wherever left-out rows decide, and are one observation of a law. The fit
        does not use the column; `transform` copies it as it copies `id` columns.
    encode : bool, default=False
        True to turn text columns into the numbers of their categories.
    impute : {"median", "mean", "drop-rows"}, optional
        Fill missing values, or drop their rows. By default the estimator handles missing values.
    standardize : bool, default=True
        True to scale columns to variance 1; False if all columns have the same physical unit.
    threshold : float, optional
        For "gfa": largest share of a dropped column's variance that may stay unexplained; the
        default is 1e-4, or 1e-3 with ``laws=False``. For "gfs": residual variance at which the
        selection stops.
    relative : bool, default=False
        True if `threshold` is a share of each column's own variance.
    backward : bool, default=True
        For "gfa": True to start with all columns, so that their order does not matter; False for
        the published algorithm, which keeps columns of large variance first.
    laws : bool, default=True
        For "gfa": True to use exact laws, too, such as logarithms, ratios and thresholds.
    exceptions : float, default=0.0
        For "gfa": largest share of the rows that may break a law which drops a column. By default,
        columns of a law with exceptions are kept, because the exceptions would be lost.
    prove : bool, default=False
        For "gfa": True to search all sets of up to 20 columns for a smaller set to keep.
    family : str, optional
        Functions by which columns explain others: "multilinear", "polynomial", "hermite",
        "legendre", "fourier", "indicator" or "auto". The default is "polynomial" for "gfa", and
        "multilinear" for "gfs".
    degree : int or "auto", default=2
        Largest degree of a product of columns.
    alpha : float or "auto", default="auto"
        Penalty on nonlinear functions; 0 means least squares without a penalty.
    criterion : {"variance", "gain"}, optional
        For "gfs": select columns with the largest residual variance ("variance"), or columns that
        explain most of the variance of all columns ("gain").
    validation : float, optional
        Share of rows that are held out of the fit, to measure residual variances on them, too.
    random_state : int or None, default=0
        Seed of the random choice of held-out rows.
    delimiter : str, optional
        Character that separates the values in a text file.
    header : bool, default=True
        True if the first line of a text file has the names of the columns.
    decimal : {".", ","}, optional
        Sign before the fraction of numbers in a text file. By default it is recognized in each
        column; numbers such as 12.9% and €1,234.50 are recognized, too.
    memory_budget : int, default=2**30
        Memory in bytes. A table whose numbers take more than an eighth of it is read in pieces.
    time_limit : float, optional
        Seconds after which the search for laws stops: those that were found drop columns, and
        `cautions` of the result tell that there may be more. The fit itself is not limited.
    verbose : int, default=0
        1 to show progress on standard error.

    Returns
    -------
    selection : TableSelection
        Kept and dropped columns, with the methods `transform`, `reconstruct` and `save`.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import gramian
    >>> rng = np.random.default_rng(0)
    >>> zips, width, height = rng.integers(0, 9, 300), *rng.uniform(1, 5, (2, 300))
    >>> table = pd.DataFrame(
    ...     {
    ...         "zip": [f"z{i}" for i in zips],
    ...         "city": np.array([*"aabbbccdd"])[zips],
    ...         "width": width,
    ...         "area": width * height,
    ...         "height": height,
    ...     }
    ... )
    >>> gramian.select(table)
    Kept 3 of 5 columns: zip, width, height
    Dropped 2 columns:
      city follows from zip (9 levels)
      area = width · height
    """
    check_parameters(locals())
    method = Method(
        n=n,
        threshold=threshold,
        relative=relative,
        backward=backward,
        keep=keep,
        prefer=prefer,
        laws=laws,
        exceptions=exceptions,
        prove=prove,
        degree=degree,
        family=family,
        alpha=alpha,
        validation=validation,
        criterion=criterion,
        given=given,
        seed=random_state,
    )
    options = ColumnOptions(target, id, columns, exclude, encode, impute, standardize, groups)
    wanted = algorithm or method.algorithm
    if wanted not in SELECTORS:
        raise OptionError(
            "{algorithm:{wanted}} does not select columns: choose gfa or gfs", wanted=wanted
        )
    estimator = make_estimator(
        wanted, method, scale=standardize, memory_budget=memory_budget, verbose=verbose
    )
    check_estimator(estimator)
    reading: dict[str, Any] = {
        "delimiter": delimiter,
        "header": header,
        "decimal": decimal,
        "memory_budget": memory_budget,
    }
    task = prepare(as_table(table, **reading), wanted, estimator, options, method)
    with time_limited(time_limit) as limit:
        fitted = task.run()
    cautions = fitted.cautions
    if limit.reached:
        cautions = (*cautions, TableCaution("time limit", {}, "Give more {time_limit}"))
    changes = fitted.changes
    return TableSelection(
        fitted.model,
        changes.set_aside,
        cautions,
        fitted.alternatives,
        reading,
        changes.spellings,
    )
