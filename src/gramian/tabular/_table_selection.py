"""Selection of columns of a mixed table: the public function and its result."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np

from gramian._support.display import html_table
from gramian._support.words import counted
from gramian.formulas import r_squared
from gramian.tables import DEFAULT_BUDGET, pyarrow
from gramian.tabular._column_roles import ColumnOptions, Impute, Names
from gramian.tabular._dropped_columns import DroppedColumn, alternatives_of, dropped_columns
from gramian.tabular._frames import as_table, like
from gramian.tabular._messages import OptionError, TableCaution
from gramian.tabular._method import SELECTORS, Family, Method, make_estimator
from gramian.tabular._rewriting import Piece, reconstructed, reduced
from gramian.tabular._table_fit import cautions_of_fit, prepare
from gramian.tabular._table_model import TableModel, passing, read_model


@dataclass(frozen=True, eq=False, repr=False)
class TableSelection:
    """A selection of columns of a table, made by :func:`gramian.select`.

    Attributes
    ----------
    estimator : GFA or GFS
        The fitted estimator, for columns of numbers and dates.
    kept : list of str
        The kept columns, in the order of the table, text among them. Columns that only pass
        through, `id` and `target`, are not listed.
    dropped : mapping from str to DroppedColumn
        The dropped columns, and the law or formula that gives each.
    alternatives : mapping from str to tuple of str
        For dropped columns, the kept columns that could be dropped in their place.
    set_aside : mapping from str to str
        Columns that play no part, and the reason: "constant", "no value in any row".
    cautions : tuple of TableCaution
        Facts that may make the result misleading; a fit gives warnings of them.

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
    """Alternatives to columns that laws of levels give."""
    _reading: Mapping[str, Any] = field(default_factory=dict)
    """Options of text files."""

    @property
    def estimator(self) -> Any:
        """The fitted estimator, for columns of numbers and dates."""
        return self._model.estimator

    @property
    def kept(self) -> list[str]:
        """The kept columns, in the order of the table."""
        beside = self._model.steps.beside
        return beside.sorted([*self._model.kept, *beside.labels])

    @cached_property
    def dropped(self) -> dict[str, DroppedColumn]:
        """The dropped columns, and the law or formula that gives each."""
        return dropped_columns(self._model)

    @cached_property
    def alternatives(self) -> dict[str, tuple[str, ...]]:
        """For dropped columns, the kept columns that could be dropped in their place."""
        return alternatives_of(self._model, self._by_levels)

    def transform(self, table: Any) -> Any:
        """Return the smaller table: kept columns, and columns that pass through.

        Parameters
        ----------
        table : data frame, Arrow table, mapping of columns, array, path or sequence of paths
            Rows that have the kept columns, by name; by position if they have no names.

        Returns
        -------
        kept : data frame, pyarrow.Table, dict or array
            A table of the kind given; a pyarrow.Table for paths.
        """
        return self._rewritten(table, reduced)

    def reconstruct(self, table: Any) -> Any:
        """Compute all columns from the kept ones: dates as dates, text as text.

        Parameters
        ----------
        table : data frame, Arrow table, mapping of columns, array, path or sequence of paths
            Rows that have the kept columns, by name; by position if they have no names.

        Returns
        -------
        whole : data frame, pyarrow.Table, dict or array
            A table of the kind given; a pyarrow.Table for paths. A cell that laws of levels give
            is missing if no row of the fit had its level.
        """
        return self._rewritten(table, reconstructed)

    def _rewritten(self, data: Any, rewrite: Any) -> Any:
        table, steps = as_table(data, **self._reading), self._model.steps
        others = passing(self._model, table)
        pieces: list[Piece] = list(rewrite(self._model, table, others))
        rows = pyarrow().concat_tables([each.rows for each in pieces])
        kept = self._model.kept if steps.impute is None else []  # otherwise gaps are filled in
        unchanged = [*kept, *steps.beside.labels, *others.names]
        return like(data, rows, np.concatenate([each.keeps for each in pieces]), unchanged)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a model file, as the command does; it does not hold rows, cautions or `set_aside`.

        Parameters
        ----------
        path : path
            The file; by convention its name ends in .gram.
        """
        self._model.save(path)

    def __str__(self) -> str:
        return "\n".join(self._lines())

    __repr__ = __str__

    def _lines(self) -> Iterator[str]:
        n_columns = len(self.kept) + len(self.dropped)
        kept = ", ".join(self.kept) or "none"
        yield f"Kept {len(self.kept):,} of {counted(n_columns, 'column')}: {kept}"
        if self.dropped:
            yield f"Dropped {counted(len(self.dropped), 'column')}:"
            yield from (f"  {each}" for each in self.dropped.values())
        if self.set_aside:
            names = (f"{name} ({why})" for name, why in self.set_aside.items())
            yield f"Set aside: {', '.join(names)}"
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
    encode: bool = False,
    impute: Impute | None = None,
    standardize: bool = True,
    threshold: float | None = None,
    relative: bool = False,
    backward: bool = True,
    laws: bool = True,
    prove: bool = False,
    family: Family | None = None,
    degree: int | Literal["auto"] = 2,
    alpha: float | Literal["auto"] = "auto",
    criterion: Literal["variance", "gain"] | None = None,
    validation: float | None = None,
    random_state: int | None = 0,
    delimiter: str | None = None,
    header: bool = True,
    memory_budget: int = DEFAULT_BUDGET,
    verbose: int = 0,
) -> TableSelection:
    """Select the columns of a table from which the others can be computed.

    The table may hold numbers, text, dates, gaps, constants and empty columns. Columns that levels
    of others give are dropped first: a city by its zip code, a weekday by its date. Then a fit
    drops columns of numbers that laws or functions of the others give. Text that nothing gives
    stays unchanged. The command ``gramian select`` takes these steps, and prints and writes the
    result.

    Parameters
    ----------
    table : data frame, Arrow table, mapping of columns, array, path or sequence of paths
        The table: of pandas, polars or PyArrow, or files that PyArrow reads, which is needed
        (``pip install "gramian[files]"``).
    algorithm : {"gfa", "gfs"}, optional
        "gfa" keeps all columns but those that follow from others; "gfs" keeps the few most
        informative columns. By default "gfs" if `n`, `criterion` or `given` is there, else "gfa".
    n : int or float, optional
        The number of columns of numbers to keep, or the share of the variance to explain.
    keep : str or iterable of str, optional
        For "gfa": columns that are never dropped. Here and below, names or patterns: ``"pixel*"``.
    prefer : str or iterable of str, optional
        For "gfa": columns that are kept rather than others, the most wanted first.
    given : str or iterable of str, optional
        For "gfs": columns that are kept in any case; then `criterion` is "gain".
    id, target : str or iterable of str, optional
        Columns that the fit does not use, and that `transform` puts first and last, unchanged.
    columns, exclude : str or iterable of str, optional
        Columns to use, by default all, and columns to leave out.
    encode : bool, default=False
        True if text becomes the numbers of its categories.
    impute : {"median", "mean", "drop-rows"}, optional
        Fill missing values in, or leave their rows out. By default the fit handles gaps itself.
    standardize : bool, default=True
        True if columns are scaled to variance 1; False if all share a unit.
    threshold : float, optional
        The share of a dropped column's variance that may be left unexplained ("gfa"), by default
        1e-4, or 1e-3 without laws; a variance for "gfs" unless `relative`.
    relative : bool, default=False
        True if the threshold is a share of each column's variance.
    backward : bool, default=True
        For "gfa": True begins with all columns, so that their order does not matter; False is the
        published algorithm, which keeps columns of large variance first.
    laws : bool, default=True
        For "gfa": True if exact laws count, such as logarithms, ratios and thresholds.
    prove : bool, default=False
        For "gfa": True searches all sets of up to 20 columns for a smaller one.
    family : str, optional
        The functions that count: "multilinear", "polynomial", "hermite", "legendre", "fourier",
        "indicator" or "auto". By default "polynomial" for "gfa", and "multilinear" for "gfs".
    degree : int or "auto", default=2
        The largest degree of a product.
    alpha : float or "auto", default="auto"
        The penalty on nonlinear functions; 0 is least squares.
    criterion : {"variance", "gain"}, optional
        For "gfs": select columns of the largest residual variance, or those that explain most of
        all columns.
    validation : float, optional
        The share of rows to hold out, on which residual variances are measured, too.
    random_state : int or None, default=0
        The seed that decides which rows are held out.
    delimiter : str, optional
        The character between the values of a text file.
    header : bool, default=True
        True if a text file begins with the names of its columns.
    memory_budget : int, default=2**30
        Bytes; a table whose numbers take more than an eighth of them is read in pieces.
    verbose : int, default=0
        1 shows progress on standard error.

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
    method = Method(
        n=n,
        threshold=threshold,
        relative=relative,
        backward=backward,
        keep=keep,
        prefer=prefer,
        laws=laws,
        prove=prove,
        degree=degree,
        family=family,
        alpha=alpha,
        validation=validation,
        criterion=criterion,
        given=given,
        seed=random_state,
    )
    options = ColumnOptions(target, id, columns, exclude, encode, impute, standardize)
    wanted = algorithm or method.algorithm
    if wanted not in SELECTORS:
        raise OptionError(
            "{algorithm:{wanted}} does not select columns: choose gfa or gfs", wanted=wanted
        )
    estimator = make_estimator(
        wanted, method, scale=standardize, memory_budget=memory_budget, verbose=verbose
    )
    reading: dict[str, Any] = {
        "delimiter": delimiter,
        "header": header,
        "memory_budget": memory_budget,
    }
    fitted = prepare(as_table(table, **reading), wanted, estimator, options, method).run()
    set_aside = fitted.changes.set_aside
    return TableSelection(fitted.model, set_aside, fitted.cautions, fitted.alternatives, reading)


def load(path: str | os.PathLike[str]) -> TableSelection:
    """Read a selection from a model file that `TableSelection.save` or the command wrote.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    selection : TableSelection
        The selection. Model files do not hold `set_aside`, nor alternatives to columns that levels
        of others give.

    Raises
    ------
    ModelFileError
        If the file is damaged or no model file.
    ValueError
        If the model makes components instead of selecting columns.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np
    >>> import gramian
    >>> voltage, current = np.random.default_rng(0).uniform(1, 5, (2, 200))
    >>> table = {"voltage": voltage, "current": current, "power": voltage * current}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "model.gram")
    ...     gramian.select(table).save(path)
    ...     selection = gramian.tabular.load(path)
    >>> selection.kept
    ['voltage', 'current']
    """
    model = read_model(path)
    if not model.selects:
        raise ValueError(
            f"{os.fspath(path)} holds {type(model.estimator).__name__}, which makes components and "
            "selects no columns. Use gramian.models.read(path)."
        )
    return TableSelection(model, cautions=tuple(cautions_of_fit(model.estimator)))
