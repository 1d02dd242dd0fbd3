"""What happens to a table before a model sees it: columns by name, categories, missing values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Real
from typing import Any, Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import OrdinalEncoder

from gramian._support.types import Array
from gramian._support.words import listed, plural, the_columns
from gramian.fitting import EmptyColumnError
from gramian.models._beside import Beside
from gramian.models._learning import look, most_frequent, typical
from gramian.tables import Clock

Missing = Literal["refuse", "fill", "drop", "keep"]
Impute = Literal["mean", "median", "drop-rows", "keep"]
"""What to do about missing values: fill them in, leave rows out, or leave them to the model."""
UNKNOWN = -1
"""The number of a category that the model does not know."""


@dataclass(frozen=True, eq=False)
class Preprocessing:
    """Steps from a table to the numbers that a model was fitted to.

    Columns are found by name, so that a table may have them in any order, and others besides.
    Categories become their numbers, by scikit-learn's `OrdinalEncoder`, and missing values are
    refused or filled in, or their rows are dropped.

    Parameters
    ----------
    columns : sequence of str
        The columns of the model, in its order.
    missing : {"refuse", "fill", "drop", "keep"}, default="refuse"
        A missing value is an error, is filled in, has its row dropped, or stays missing (NaN).
    impute : array of shape (n_columns,), optional
        What is filled in.
    categories : mapping from str to sequence of str, optional
        The categories of columns that have some; the first becomes 0.
    ids, targets : sequences of str, default=()
        Columns of the table that the model does not use, copied unchanged.
    clocks : mapping from str to Clock, optional
        The columns of dates, and how they become numbers.
    beside : Beside, optional
        Columns of text that stay beside the model, and columns that lookups give.

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
        """Find out what to do from a table.

        Parameters
        ----------
        table : data frame or mapping from str to array-like
            The table.
        columns : iterable of str
            The columns that are to be used.
        encode : bool, default=False
            Whether text becomes the numbers of its categories, in alphabetical order.
        impute : {"mean", "median", "drop-rows", "keep"}, optional
            What to do about missing values; by default they are an error. Those of text columns
            are filled in with the most frequent category. "keep" leaves them to the model.
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
        """Find out what to do from a table that is read piece by piece.

        Parameters
        ----------
        pieces : callable
            Reads the table once: returns pieces of it, as `learn` takes a table.
        columns, encode, impute
            As in `learn`.
        """
        columns = tuple(columns)
        if impute not in (None, *get_args(Impute)):
            raise ValueError(f"impute must be among {get_args(Impute)}; got {impute!r}.")

        def taken() -> Iterator[dict[str, NDArray[Any]]]:
            for piece in pieces():
                found = _take(piece, columns)
                for name, values in found.items():
                    if values.dtype.kind == "f":
                        _check_numbers(name, values)
                yield found

        seen = look(taken, _labels)
        text = [name for name in columns if name in seen.labels]
        if text and not encode:
            raise ValueError(
                f"{_those(text, 'contains', 'contain')} text. Leave out such columns, or encode "
                "them as numbers."
            )
        categories = {name: tuple(sorted(seen.labels[name])) for name in text}
        plain = cls(columns, categories=categories, clocks=seen.clocks)
        if impute != "mean" and impute != "median":
            done: dict[str | None, Missing] = {None: "refuse", "drop-rows": "drop", "keep": "keep"}
            return replace(plain, missing=done[impute])
        if seen.empty:
            raise EmptyColumnError([columns.index(name) for name in seen.empty], columns)
        fill = typical(lambda: map(plain._numbers, taken()), seen.n_rows, impute)
        for name, known in categories.items():
            fill[columns.index(name)] = most_frequent(seen.labels[name], known)
        return replace(plain, missing="fill", impute=fill)

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
        """Return what `apply` returns, and which rows of the table these are.

        Parameters
        ----------
        table : data frame or mapping from str to array-like
            The table.
        """
        numbers = self._numbers(_take(table, self.columns))
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
            f"{_those(names, 'has', 'have')} missing values, and the model was fitted without any. "
            "Fill them in, or fit a model that imputes."
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
            raise ValueError(f"{_those(absent, 'is', 'are')} not among the columns of the model.")
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
        """Encodes the columns that have categories, in the order of these."""
        known = [[*each, np.nan] for each in self.categories.values()]  # NaN: a value is missing
        encoder = OrdinalEncoder(
            categories=known, handle_unknown="use_encoded_value", unknown_value=UNKNOWN
        )
        return encoder.fit(np.array([[each[0] for each in known]], dtype=object))

    def _numbers(self, found: dict[str, NDArray[Any]]) -> Array:
        n_rows = {len(values) for values in found.values()}
        if len(n_rows) > 1:
            raise ValueError("The columns of the table have different lengths.")
        for name, values in found.items():
            if name in self.clocks and values.dtype.kind == "M":
                found = found | {name: self.clocks[name].numbers(values)}
            elif values.dtype.kind == "M":
                raise ValueError(f"Column {name!r} contains dates, but the model takes numbers.")
            elif name not in self.categories:
                _check_numbers(name, values)
        if self.categories and n_rows != {0}:
            labels = np.column_stack([_labels(found[name]) for name in self.categories])
            codes = self._encoder.transform(labels)
            for row, i in np.argwhere(codes == UNKNOWN)[:1]:
                name, known = [*self.categories.items()][i]
                raise ValueError(
                    f"Column {name!r} contains {labels[row, i][:60]!r}, which is not among the "
                    f"categories that the model knows: {listed(known)}."
                )
            found = found | dict(zip(self.categories, codes.T, strict=True))
        return np.column_stack([values.astype(np.float64, copy=False) for values in found.values()])


def _those(names: Sequence[str], does: str, do: str) -> str:
    """Begin a sentence about columns: which they are, and the verb for one or more."""
    text = the_columns(names)
    return f"{text[0].upper()}{text[1:]} {plural(len(names), does, do)}"


def _take(table: Any, columns: Sequence[str]) -> dict[str, NDArray[Any]]:
    """Find columns by name: floats, or objects where there is text; NaN is a missing value."""
    names = getattr(table, "columns", table)
    names = getattr(table, "column_names", names)  # PyArrow's columns are the data themselves
    if isinstance(table, np.ndarray) or not isinstance(names, Iterable):
        raise TypeError("A table with names is needed: a data frame, or a mapping of columns.")
    have = [str(name) for name in names]
    key = dict(zip(have, names, strict=True))
    absent = [name for name in columns if name not in key]
    if absent:
        raise ValueError(
            f"{_those(absent, 'is', 'are')} not in the table, whose columns are {listed(have)}."
        )
    twice = [name for name in columns if have.count(name) > 1] if len(key) < len(have) else []
    if twice:
        raise ValueError(f"{_those(twice, 'occurs', 'occur')} more than once in the table.")
    return {name: _values(name, table[key[name]]) for name in columns}


def _values(name: str, column: Any) -> NDArray[Any]:
    values = np.asarray(column)
    if values.ndim == 1 and values.dtype.kind == "M":
        return values.astype("datetime64[us]")
    if values.ndim != 1 or values.dtype.kind not in "fiubOUT":
        raise ValueError(
            f"Column {name!r} contains {values.dtype}, and only numbers, text and dates can be "
            "used."
        )
    if values.dtype.kind in "fiub":
        return values.astype(np.float64, copy=False)
    values = np.asarray(column, dtype=object)  # NaN in a list of text is not "nan"
    # pandas' NA is equal to nothing, and does not even say so
    absent = [value is None or str(value == value) != "True" for value in values]
    values = np.where(absent, np.nan, values)
    if all(isinstance(value, Real) for value in values):
        return values.astype(np.float64)
    return values


def _check_numbers(name: str, values: NDArray[Any]) -> None:
    if values.dtype == object:
        text = [value for value in values if not isinstance(value, Real)]
        example = next((value for value in text if not is_numeric(value)), text[0])
        raise ValueError(
            f"Column {name!r} contains {str(example)[:60]!r}, but the model takes numbers."
        )
    if np.isinf(values).any():
        raise ValueError(f"Column {name!r} contains infinity.")


def is_numeric(value: Any) -> bool:
    """Return whether a value is a number, or a text that is one."""
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def _labels(values: NDArray[Any]) -> NDArray[Any]:
    """Write values as text; NaN stays, as a missing value."""
    labels = np.empty(len(values), dtype=object)
    labels[:] = [
        value
        if value != value
        # whole floats are what integers become when one of them is missing
        else str(int(value) if isinstance(value, float) and value.is_integer() else value)
        for value in values.tolist()
    ]
    return labels
