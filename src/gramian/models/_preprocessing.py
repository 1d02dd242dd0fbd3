"""Preprocessing of a table before a fit: columns by name, categories, missing values."""

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
from gramian.tables import Clock

Missing = Literal["refuse", "fill", "drop", "keep"]
Impute = Literal["mean", "median", "drop-rows", "keep"]
"""Treatments of missing values: fill in, leave rows out, or leave gaps to the model."""
UNKNOWN = -1
"""The code of a category that the model does not know."""


@dataclass(frozen=True, eq=False)
class Preprocessing:
    """Steps from a table to the numbers that a model was fitted to.

    Columns are found by name: a table may have them in any order, and other columns, too.
    Categories become numbers by scikit-learn's `OrdinalEncoder`. Missing values are refused, filled
    in or kept, or their rows are dropped.

    Parameters
    ----------
    columns : sequence of str
        The columns of the model, in its order.
    missing : {"refuse", "fill", "drop", "keep"}, default="refuse"
        A missing value is an error, is filled in, has its row dropped, or stays missing (NaN).
    impute : array of shape (n_columns,), optional
        The number that is filled in for a missing value of each column.
    categories : mapping from str to sequence of str, optional
        The categories of columns of text; the first becomes 0.
    ids, targets : sequences of str, default=()
        Columns of the table that the model does not use, copied unchanged.
    clocks : mapping from str to Clock, optional
        For each column of dates, the clock that makes numbers of dates.
    beside : Beside, optional
        Columns of text that stay beside the model, and columns that laws of levels give.

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
        """Learn the steps from a table.

        Parameters
        ----------
        table : data frame or mapping from str to array-like
            The table.
        columns : iterable of str
            The columns to use.
        encode : bool, default=False
            True if text becomes the numbers of its categories, in alphabetical order.
        impute : {"mean", "median", "drop-rows", "keep"}, optional
            The treatment of missing values; by default they are an error. The most frequent
            category fills gaps of text. "keep" leaves gaps to the model.
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
        """Learn the steps from a table that is read piece by piece.

        Parameters
        ----------
        pieces : callable
            Reads the table once: returns pieces of it, as `learn` takes a table.
        columns, encode, impute
            As in `learn`.
        """
        steps: Self = gramian.tabular.learned(cls, pieces, columns, encode=encode, impute=impute)
        return steps

    def apply(self, table: Any) -> Array:
        """Return the numbers that the model takes.

        Parameters
        ----------
        table : data frame or mapping from str to array-like
            The table; it must have all columns, in any order.

        Returns
        -------
        values : array of shape (n_rows, n_columns)
            The numbers; with ``missing="drop"``, of the complete rows.
        """
        return self.apply_and_keep(table)[0]

    def apply_and_keep(self, table: Any) -> tuple[Array, NDArray[np.bool_]]:
        """Return the numbers that `apply` returns, and for each row of the table if it is there.

        Parameters
        ----------
        table : data frame or mapping from str to array-like
            The table.
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
        """Return the steps of some of the columns.

        Parameters
        ----------
        columns : iterable of str
            One or more of the columns, in any order.
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
        )

    @cached_property
    def _encoder(self) -> OrdinalEncoder:
        """The encoder of the columns that have categories, in the order of `categories`."""
        known = [[*each, np.nan] for each in self.categories.values()]  # NaN: a value is missing
        encoder = OrdinalEncoder(
            categories=known, handle_unknown="use_encoded_value", unknown_value=UNKNOWN
        )
        return encoder.fit(np.array([[each[0] for each in known]], dtype=object))

    def numbers(self, found: ColumnValues) -> Array:
        """Return columns as numbers, with NaN for missing values.

        Parameters
        ----------
        found : dict from str to array
            The values of the columns.
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
