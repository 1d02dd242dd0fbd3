"""What happens to a table before the fit: columns by name, categories, missing values, units."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any, Literal, Self, get_args

import numpy as np
from numpy.typing import NDArray

from gramian._model import FittedModel
from gramian._types import Array
from gramian._words import listed, plural, the_columns

Missing = Literal["refuse", "fill", "drop"]
Impute = Literal["mean", "median", "drop-rows"]


@dataclass(frozen=True, eq=False)
class Preprocessing:
    """Steps from a table to the numbers that a model was fitted to.

    Columns are found by name: a table may have them in any order, and other columns, too. First
    categories become numbers, then missing values are treated, then columns are centred and
    scaled.

    Parameters
    ----------
    columns : sequence of str
        The columns of the model, in its order.
    missing : {"refuse", "fill", "drop"}, default="refuse"
        Whether a missing value is an error, is filled in, or its row is left out.
    impute : array of shape (n_columns,), optional
        What is filled in.
    categories : mapping from str to sequence of str, optional
        The categories of text columns; the first one becomes 0.
    mean, scale : arrays of shape (n_columns,), optional
        What is subtracted from the columns, and what they are divided by.
    ids, targets : sequences of str, default=()
        Columns of the table that pass through unchanged.

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
    mean: Array | None = None
    scale: Array | None = None
    ids: Sequence[str] = ()
    targets: Sequence[str] = ()

    def __post_init__(self) -> None:
        if not len(self.columns) or len(set(self.columns)) < len(self.columns):
            raise ValueError("columns must be one or more different names.")
        if self.missing not in get_args(Missing):
            raise ValueError(f"missing must be among {get_args(Missing)}; got {self.missing!r}.")
        if (self.missing == "fill") != (self.impute is not None):
            raise ValueError("impute must be given with missing='fill', and with nothing else.")
        if (self.mean is None) != (self.scale is None):
            raise ValueError("mean and scale must be given together.")
        for name in ("impute", "mean", "scale"):
            values = getattr(self, name)
            if values is None:
                continue
            if np.shape(values) != (len(self.columns),) or not np.isfinite(values).all():
                raise ValueError(f"{name} must be a finite number for each of the columns.")
        if self.scale is not None and (self.scale <= 0).any():
            raise ValueError("scale must be positive.")
        for column, names in self.categories.items():
            if column not in self.columns or len(set(names)) < len(names) or not len(names):
                raise ValueError(
                    f"categories are given for {column!r}: this must be one of the columns, and "
                    "its categories must be different."
                )
        passing = [*self.ids, *self.targets]
        if len({*self.columns, *passing}) < len(self.columns) + len(passing):
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
        standardize: bool = False,
    ) -> Self:
        """Learn the steps from a table.

        Parameters
        ----------
        table : data frame or mapping from str to array-like
            The table.
        columns : iterable of str
            The columns that are to be used.
        encode : bool, default=False
            Whether text becomes the numbers of its categories, in alphabetical order.
        impute : {"mean", "median", "drop-rows"}, optional
            What to do about missing values; by default they are an error. In text columns, "mean"
            and "median" fill in the most frequent category.
        standardize : bool, default=False
            Whether columns are scaled to mean 0 and variance 1; constant ones are only centred.
        """
        columns = tuple(columns)
        missing: Missing = "refuse" if impute is None else "fill"
        if impute == "drop-rows":
            missing = "drop"
        elif impute not in (None, "mean", "median"):
            raise ValueError(f"impute must be 'mean', 'median' or 'drop-rows'; got {impute!r}.")
        found = _take(table, columns)
        text = [name for name, values in found.items() if values.dtype == object]
        if text and not encode:
            raise ValueError(
                f"{_the(text)} {plural(len(text), 'contains', 'contain')} text. Leave out such "
                "columns, or encode them as numbers."
            )
        categories = {name: _categories(found[name]) for name in text}
        numbers = cls(columns, categories=categories)._numbers(found)
        fill = None
        if missing == "fill":
            fill = _fill_ins(numbers, columns, categories, impute)
        steps = cls(columns, missing, fill, categories)
        if not standardize:
            return steps
        rows = steps._complete(numbers)
        if not len(rows):
            raise ValueError("Every row has a missing value.")
        scale = rows.std(axis=0)
        centre = rows.mean(axis=0)
        scale = np.where(scale > 1e-12 * np.abs(centre), scale, 1.0)
        return cls(columns, missing, fill, categories, centre, scale)

    def apply(self, table: Any) -> Array:
        """Return the numbers that the model takes.

        Parameters
        ----------
        table : data frame or mapping from str to array-like
            The table; it must have all columns, in any order.

        Returns
        -------
        values : array of shape (n_rows, n_columns)
            The numbers; with ``missing="drop"``, only of the rows that `keeps` marks.
        """
        return self.apply_and_keep(table)[0]

    def apply_and_keep(self, table: Any) -> tuple[Array, NDArray[np.bool_]]:
        """Return what `apply` and `keeps` return, from one look at the table.

        Parameters
        ----------
        table : data frame or mapping from str to array-like
            The table.
        """
        numbers = self._numbers(_take(table, self.columns))
        rows = self._complete(numbers)
        if self.mean is not None and self.scale is not None:
            rows = (rows - self.mean) / self.scale
        return rows, self._kept(numbers)

    def keeps(self, table: Any) -> NDArray[np.bool_]:
        """Return which rows of a table `apply` keeps.

        Parameters
        ----------
        table : data frame or mapping from str to array-like
            The table.
        """
        return self._kept(self._numbers(_take(table, self.columns)))

    def _kept(self, numbers: Array) -> NDArray[np.bool_]:
        if self.missing == "drop":
            return np.asarray(~np.isnan(numbers).any(axis=1))
        return np.ones(len(numbers), dtype=bool)

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
                f"{_the(absent)} {plural(len(absent), 'is', 'are')} not among the columns of "
                "the model."
            )
        place = [list(self.columns).index(name) for name in columns]
        return replace(
            self,
            columns=columns,
            impute=None if self.impute is None else self.impute[place],
            categories={name: each for name, each in self.categories.items() if name in columns},
            mean=None if self.mean is None else self.mean[place],
            scale=None if self.scale is None else self.scale[place],
        )

    def undo_scaling(self, values: Array) -> Array:
        """Return rows of the model in the units of the table.

        Parameters
        ----------
        values : array of shape (n_rows, n_columns)
            Rows as `apply` returns them, or reconstructions of such rows.
        """
        if self.mean is None or self.scale is None:
            return values
        return values * self.scale + self.mean

    def in_table_units(self, model: FittedModel) -> FittedModel:
        """Return a selection as if it had been made among columns that were not scaled.

        The functions take columns of variance 1 in any case, so only the units of formulas change.
        Residual variances stay as they are.

        Parameters
        ----------
        model : FittedModel
            Of GFS or GFA, fitted to rows as `apply` returns them.
        """
        if self.mean is None or self.scale is None:
            return model
        decoder = model.decoder
        assert decoder is not None
        assert model.variances is not None
        return replace(
            model,
            mean=self.undo_scaling(model.mean),
            variances=model.variances * self.scale**2,
            decoder=replace(
                decoder,
                coefficients=decoder.coefficients * self.scale,
                linear=decoder.linear * self.scale,
                units=decoder.units * self.scale[model.chosen],
                moments=decoder.moments and (decoder.moments[0], decoder.moments[1] * self.scale),
            ),
        )

    def _numbers(self, found: dict[str, NDArray[Any]]) -> Array:
        columns = [
            _codes(name, values, self.categories[name])
            if name in self.categories
            else _floats(name, values)
            for name, values in found.items()
        ]
        if len({len(column) for column in columns}) > 1:
            raise ValueError("The columns of the table have different lengths.")
        return np.column_stack(columns)

    def _complete(self, numbers: Array) -> Array:
        absent = np.isnan(numbers)
        if not absent.any():
            return numbers
        if self.missing == "drop":
            return numbers[~absent.any(axis=1)]
        if self.impute is not None:
            return np.where(absent, self.impute, numbers)
        names = [self.columns[i] for i in np.flatnonzero(absent.any(axis=0)).tolist()]
        raise ValueError(
            f"{_the(names)} {plural(len(names), 'has', 'have')} missing values, and the model was "
            "fitted without any. Fill them in, or fit a model that imputes."
        )


def _the(names: Sequence[str]) -> str:
    """Begin a sentence about columns."""
    text = the_columns(names)
    return text[0].upper() + text[1:]


def _take(table: Any, columns: Sequence[str]) -> dict[str, NDArray[Any]]:
    """Find columns by name: floats with NaN, or objects with None where a value is missing."""
    names = getattr(table, "columns", table)
    names = getattr(table, "column_names", names)  # PyArrow's columns are the data themselves
    if isinstance(table, np.ndarray) or not isinstance(names, Iterable):
        raise TypeError("A table with names is needed: a data frame, or a mapping of columns.")
    have = [str(name) for name in names]
    absent = [name for name in columns if name not in set(have)]
    if absent:
        raise ValueError(
            f"{_the(absent)} {plural(len(absent), 'is', 'are')} not in the table, whose columns "
            f"are {listed(have)}."
        )
    twice = [name for name in columns if have.count(name) > 1] if len(set(have)) < len(have) else []
    if twice:
        raise ValueError(
            f"{_the(twice)} {plural(len(twice), 'occurs', 'occur')} more than once in the table."
        )
    key = dict(zip(have, names, strict=True))
    return {name: _values(name, table[key[name]]) for name in columns}


def _values(name: str, column: Any) -> NDArray[Any]:
    values = np.asarray(column)
    if values.ndim != 1 or values.dtype.kind not in "fiubOUT":
        raise ValueError(
            f"Column {name!r} contains {values.dtype}, and only numbers and text can be used."
        )
    if values.dtype.kind in "fiub":
        return values.astype(np.float64)
    plain = [None if _is_missing(value) else value for value in values.tolist()]
    if all(value is None or isinstance(value, Real) for value in plain):
        return np.array([np.nan if value is None else value for value in plain], dtype=np.float64)
    found = np.empty(len(plain), dtype=object)
    found[:] = plain
    return found


def _is_missing(value: Any) -> bool:
    # pandas' NA is equal to nothing, and does not even say so
    return value is None or str(value == value) != "True"


def _floats(name: str, values: NDArray[Any]) -> Array:
    if values.dtype == object:
        text = [value for value in values if not isinstance(value, Real | None)]
        example = next((value for value in text if not is_numeric(value)), text[0])
        raise ValueError(
            f"Column {name!r} contains {str(example)[:60]!r}, but the model takes numbers."
        )
    if np.isinf(values).any():
        raise ValueError(f"Column {name!r} contains infinity.")
    return values


def is_numeric(value: Any) -> bool:
    """Return whether a value is a number, or a text that is one."""
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def _label(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))  # as integers become when one of them is missing
    return str(value)


def _codes(name: str, values: NDArray[Any], categories: Sequence[str]) -> Array:
    number = {category: float(i) for i, category in enumerate(categories)}
    codes = np.full(len(values), np.nan)
    for i, value in enumerate(values):
        if _is_absent(value):
            continue
        label = _label(value)
        if label not in number:
            raise ValueError(
                f"Column {name!r} contains {label[:60]!r}, which is not among the categories that "
                f"the model knows: {listed(categories)}."
            )
        codes[i] = number[label]
    return codes


def _is_absent(value: Any) -> bool:
    return value is None or (isinstance(value, float) and value != value)


def _categories(values: NDArray[Any]) -> tuple[str, ...]:
    return tuple(sorted({_label(value) for value in values if not _is_absent(value)}))


def _fill_ins(
    numbers: Array, columns: Sequence[str], categories: Mapping[str, Any], impute: str | None
) -> Array:
    fill = np.empty(len(columns))
    for i, name in enumerate(columns):
        known = numbers[~np.isnan(numbers[:, i]), i]
        if not len(known):
            raise ValueError(f"Column {name!r} has only missing values: leave it out.")
        if name in categories:
            fill[i] = np.argmax(np.bincount(known.astype(np.intp)))
        else:
            fill[i] = known.mean() if impute == "mean" else np.median(known)
    return fill
