"""Preprocessing: turns a table of numbers, text and dates into the array of numbers of a fit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import OrdinalEncoder

import gramian
from gramian._support.types import Array
from gramian._support.words import listed
from gramian.models._beside import Beside
from gramian.models._table_columns import (
    ColumnValues,
    about_columns,
    check_numbers,
    columns_of,
    labels_of,
)
from gramian.tables import Clock, is_type_text

Missing = Literal["refuse", "fill", "drop", "keep"]
"""Values of `Preprocessing.missing`: raise an error for a missing value, fill it, drop its row, or
pass it on to the estimator as NaN."""
Impute = Literal["mean", "median", "drop-rows", "keep"]
"""Values of the parameter `impute`: fill missing values with the mean or the median of the column,
drop rows that have missing values, or pass missing values on to the estimator."""
UNKNOWN = -1
"""Code that the encoder returns for a category that was not in the table of the fit."""


@dataclass(frozen=True, eq=False)
class Preprocessing:
    """Steps that turn a table into the numbers to which a model was fitted.

    Columns are found by name: the table may have them in any order, and may have other columns,
    too. Categories become numbers by scikit-learn's `OrdinalEncoder`. Dates become numbers by
    clocks. Missing values are treated as `missing` says.

    Parameters
    ----------
    columns : sequence of str
        Names of the columns of the fit, in the order of the fit.
    missing : {"refuse", "fill", "drop", "keep"}, default="refuse"
        Treatment of a missing value: "refuse" raises an error, "fill" puts a number in its place,
        "drop" drops its row, and "keep" passes it on as NaN.
    impute : array of shape (n_columns,), optional
        Numbers that fill missing values, one for each column; only with ``missing="fill"``.
    categories : mapping from str to sequence of str, optional
        From the name of each text column to its categories; the first category becomes 0.
    ids, targets : sequences of str, default=()
        Names of columns that are not in the fit, and that are copied unchanged to results.
    clocks : mapping from str to Clock, optional
        From the name of each date column to the clock that turns its dates into numbers.
    beside : Beside, optional
        Text columns that are kept although they are not in the fit, and columns that laws of
        levels compute.
    types : mapping from str to str, optional
        From the name of a column of the fit to its Arrow type, such as "int32" or "bool", to which
        the column is converted when it is computed again; columns of float64 have no entry.

    Examples
    --------
    >>> import pandas as pd
    >>> from gramian.models import Preprocessing
    >>> table = pd.DataFrame({"size": [1.0, None, 3.0], "colour": ["red", "blue", "red"]})
    >>> steps = Preprocessing.learn(table, ["size", "colour"], encode=True, impute="mean")
    >>> steps.apply(pd.DataFrame({"colour": ["red", "blue"], "size": [None, 5.0]}))
    array([[2., 1.],
           [5., 0.]])
    """

    columns: Sequence[str]
    missing: Missing = "refuse"
    impute: Array | None = None
    categories: Mapping[str, Sequence[str]] = field(default_factory=dict)
    ids: Sequence[str] = ()
    targets: Sequence[str] = ()
    clocks: Mapping[str, Clock] = field(default_factory=dict)
    beside: Beside = field(default_factory=Beside)
    types: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        columns, fill = list(self.columns), self.impute
        if not columns or len(set(columns)) < len(columns):
            raise ValueError("columns must be one or more different names.")
        if self.missing not in get_args(Missing):
            raise ValueError(f"missing must be among {get_args(Missing)}; got {self.missing!r}.")
        if (self.missing == "fill") != (fill is not None):
            raise ValueError("impute is required with missing='fill', and not allowed otherwise.")
        if fill is not None and (np.shape(fill) != (len(columns),) or not np.isfinite(fill).all()):
            raise ValueError("impute must be a finite number for each of the columns.")
        for name, known in self.categories.items():
            if name not in columns or len(set(known)) < len(known) or not len(known):
                raise ValueError(
                    f"categories: {name!r} must be one of columns, with one or more distinct "
                    "categories."
                )
            if fill is not None and not 0 <= fill[columns.index(name)] < len(known):
                raise ValueError(f"impute of {name!r} must be the number of a category.")
        if not {*columns}.issuperset(self.clocks) or {*self.clocks} & {*self.categories}:
            raise ValueError("Keys of clocks must be among columns, and not among categories.")
        if not {*columns}.issuperset(self.types) or not all(map(is_type_text, self.types.values())):
            raise ValueError("types: keys must be among columns, and values types of Arrow.")
        self.beside.check(columns)
        passing = [*self.ids, *self.targets]
        if len({*columns, *passing}) < len(columns) + len(passing):
            raise ValueError(
                "ids and targets must have different names, none of them among columns."
            )

    @classmethod
    def learn(
        cls,
        table: Any,
        columns: Iterable[str],
        *,
        encode: bool = False,
        impute: Impute | None = None,
    ) -> Self:
        """Learn from a table how to turn it into numbers.

        Learned are the categories of text, the clocks that turn dates into numbers, and the numbers
        that fill missing values.

        Parameters
        ----------
        table : data frame or mapping from str to array-like
            The table of the fit.
        columns : iterable of str
            Names of the columns to use.
        encode : bool, default=False
            True to turn text into the numbers of its categories, in alphabetical order.
        impute : {"mean", "median", "drop-rows", "keep"}, optional
            Treatment of missing values: fill them with the mean or the median of the column (with
            the most frequent category, for text), drop their rows, or keep them as NaN. By default
            a missing value is an error.
        """
        return cls.learn_in_pieces(lambda: [table], columns, encode=encode, impute=impute)

    @classmethod
    def learn_in_pieces(
        cls,
        pieces: Callable[[], Iterable[Any]],
        columns: Iterable[str],
        *,
        encode: bool = False,
        impute: Impute | None = None,
    ) -> Self:
        """Learn, from a large table that is read piece by piece, how to turn it into numbers.

        Parameters
        ----------
        pieces : callable
            Function without arguments that starts to read the table from its first row, and
            returns an iterable of its pieces. Each piece is a table as in `learn`.
        columns, encode, impute
            See `learn`.
        """
        steps: Self = gramian.tabular.learned(cls, pieces, columns, encode=encode, impute=impute)
        return steps

    def apply(self, table: Any) -> Array:
        """Turn a table into the numbers that the estimator takes.

        Parameters
        ----------
        table : data frame or mapping from str to array-like
            The table. It must have all columns of the fit, in any order.

        Returns
        -------
        values : array of shape (n_rows, n_columns)
            The numbers. With ``missing="drop"``, rows with missing values are left out.
        """
        return self.apply_and_keep(table)[0]

    def apply_and_keep(self, table: Any) -> tuple[Array, NDArray[np.bool_]]:
        """Turn a table into numbers, and tell which rows were kept.

        Parameters
        ----------
        table : data frame or mapping from str to array-like
            The table. It must have all columns of the fit, in any order.

        Returns
        -------
        values : array of shape (n_kept_rows, n_columns)
            The numbers that `apply` returns.
        kept : array of bool of shape (n_rows,)
            Mask of the rows of the table: True if the row is in `values`.
        """
        numbers = self.numbers(columns_of(table, self.columns))
        absent, keeps = np.isnan(numbers), np.ones(len(numbers), dtype=bool)
        if not absent.any() or self.missing == "keep":
            return numbers, keeps
        if self.missing == "drop":
            keeps &= ~absent.any(axis=1)
            return numbers[keeps], keeps
        if self.impute is not None:
            return np.where(absent, self.impute, numbers), keeps
        names = [self.columns[i] for i in np.flatnonzero(absent.any(axis=0)).tolist()]
        raise ValueError(
            f"{about_columns(names, 'has', 'have')} missing values, and the model was fitted "
            "without any. Fill them in, or fit a model that imputes."
        )

    def only(self, columns: Iterable[str]) -> Self:
        """Return this preprocessing for only some of the columns.

        The result has no text columns and no laws of levels: its `beside` is empty.

        Parameters
        ----------
        columns : iterable of str
            Names of one or more of the columns, in any order.
        """
        columns = tuple(columns)
        absent = [name for name in columns if name not in self.columns]
        if absent:
            raise ValueError(
                f"{about_columns(absent, 'is', 'are')} not among the columns of the model."
            )
        place = [list(self.columns).index(name) for name in columns]
        return replace(
            self,
            columns=columns,
            impute=None if self.impute is None else self.impute[place],
            categories={name: each for name, each in self.categories.items() if name in columns},
            clocks={name: each for name, each in self.clocks.items() if name in columns},
            beside=Beside(),
            types={name: each for name, each in self.types.items() if name in columns},
        )

    @cached_property
    def _encoder(self) -> OrdinalEncoder:
        """Encoder from categories to numbers, for the text columns in the order of `categories`."""
        known = [[*each, np.nan] for each in self.categories.values()]  # NaN: a value is missing
        encoder = OrdinalEncoder(
            categories=known, handle_unknown="use_encoded_value", unknown_value=UNKNOWN
        )
        return encoder.fit(np.array([[each[0] for each in known]], dtype=object))

    def numbers(self, found: ColumnValues) -> Array:
        """Turn columns of numbers, text and dates into an array of numbers.

        The array has one row per row of the table and one column per entry of `found`, with NaN
        for missing values.

        Parameters
        ----------
        found : dict from str to array
            From the name of each column to its values, as `columns_of` returns them.
        """
        n_rows = {len(values) for values in found.values()}
        if len(n_rows) > 1:
            raise ValueError("The columns of the table have different lengths.")
        for name, values in found.items():
            if name in self.clocks and values.dtype.kind == "M":
                found = found | {name: self.clocks[name].numbers(values)}
            elif values.dtype.kind == "M":
                raise ValueError(f"Column {name!r} contains dates, but the model takes numbers.")
            elif name not in self.categories:
                check_numbers(name, values)
        if self.categories and n_rows != {0}:
            labels = np.column_stack([labels_of(found[name]) for name in self.categories])
            codes = self._encoder.transform(labels)
            for row, i in np.argwhere(codes == UNKNOWN)[:1]:
                name, known = [*self.categories.items()][i]
                raise ValueError(
                    f"Column {name!r} contains {labels[row, i][:60]!r}, which is not among the "
                    f"categories that the model knows: {listed(known)}."
                )
            found = found | dict(zip(self.categories, codes.T, strict=True))
        return np.column_stack([values.astype(np.float64, copy=False) for values in found.values()])
