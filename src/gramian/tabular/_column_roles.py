"""Roles of columns: some columns are used by the fit, others are only copied to the result."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Literal

from gramian._support.words import the_columns
from gramian.tabular._messages import OptionError

Impute = Literal["median", "mean", "drop-rows"]
"""Options for missing values: fill them with the median or the mean, or drop their rows."""
Names = str | Iterable[str] | None
"""Names or shell patterns of columns, such as "pixel*"; one text may have several, separated by
commas."""


@dataclass(frozen=True)
class ColumnOptions:
    """The user's options for the roles of columns, and for the conversion of cells to numbers."""

    target: Names = None
    """Columns that are copied to the end of the result and not used by the fit."""
    id: Names = None
    """Columns that are copied to the beginning of the result and not used by the fit."""
    columns: Names = None
    """Columns to use; None for all columns."""
    exclude: Names = None
    """Columns to leave out."""
    encode: bool = False
    """True to turn text into the numbers of its categories."""
    impute: Impute | None = None
    """Treatment of missing values; None if the estimator handles them."""
    standardize: bool = True
    """True to scale columns to variance 1 before the fit."""
    groups: Any = None
    """The column with the labels of rows that are left out together, or these labels."""


@dataclass(frozen=True)
class Passing:
    """Columns that are copied unchanged from the input table to the result."""

    ids: tuple[str, ...] = ()
    """Columns that come first in the result."""
    targets: tuple[str, ...] = ()
    """Columns that come last in the result."""
    labels: tuple[str, ...] = ()
    """Text columns that keep their places among the other columns, in the order of the table."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all columns that are copied: `ids`, then `targets`, then `labels`."""
        return (*self.ids, *self.targets, *self.labels)


def find(patterns: Names, names: Sequence[str], option: str) -> list[str]:
    """Return the names of columns that match names or shell patterns, in the order of `patterns`.

    Parameters
    ----------
    patterns : str, iterable of str or None
        Names and shell patterns; None for no column.
    names : sequence of str
        Names of all columns of the table.
    option : str
        Name of the option in which the user wrote the patterns, for the error message.
    """
    found: dict[str, None] = {}
    for given in _texts(patterns):
        # The exact name comes first, because a name may contain a comma or a bracket itself.
        for pattern in [given] if given in names else given.split(","):
            exact = pattern in names
            matches = [pattern] if exact else [n for n in names if fnmatchcase(n, pattern)]
            if not matches:
                raise OptionError(
                    f"{{{option}:{{pattern!r}}}} matches no column; there are {{columns_found}}",
                    pattern=pattern,
                    columns_found=the_columns(names),
                )
            found.update(dict.fromkeys(matches))
    return list(found)


def _texts(patterns: Names) -> list[str]:
    """Return names and patterns as a list of texts; a frame may have numbers as names."""
    if patterns is None:
        return []
    one = isinstance(patterns, str) or not isinstance(patterns, Iterable)
    return [str(each) for each in ([patterns] if one else patterns)]


def in_table(found: Collection[str], names: Sequence[str]) -> list[str]:
    """Return the columns in `found`, in the order of `names`, the columns of the table."""
    return [name for name in names if name in found]


def choose(names: Sequence[str], options: ColumnOptions) -> tuple[tuple[str, ...], Passing]:
    """Return the columns that the fit uses, and the columns that are only copied to the result.

    The column of groups is copied as an `id` column is, unless it is a target or excluded.

    Parameters
    ----------
    names : sequence of str
        Names of all columns of the table.
    options : ColumnOptions
        The user's options.
    """
    targets = in_table(find(options.target, names, "target"), names)
    ids = in_table(find(options.id, names, "id"), names)
    both = [name for name in targets if name in ids]
    if both:
        raise OptionError("{names} cannot be both {target} and {id}", names=the_columns(both))
    left_out = {*targets, *ids, *find(options.exclude, names, "exclude")}
    if isinstance(options.groups, str) and options.groups not in left_out:
        ids = in_table([*ids, options.groups], names)
        left_out.add(options.groups)
    wanted = {*names}
    if options.columns is not None:
        wanted = {*find(options.columns, names, "columns")}
        if not wanted:
            raise OptionError("{columns} names no column: leave it out to use all columns")
    features = tuple(name for name in names if name in wanted and name not in left_out)
    if not features:
        raise OptionError("no column is left to work with: all are excluded or set aside")
    return features, Passing(tuple(ids), tuple(targets))


def named_one_by_one(columns: Names, features: Sequence[str]) -> list[str]:
    """Return the columns that the option `columns` lists by exact name, in the user's order.

    Parameters
    ----------
    columns : str, iterable of str or None
        Value of the option `columns`: names and shell patterns.
    features : sequence of str
        Names of the columns that the fit uses.
    """
    names = [
        name
        for each in _texts(columns)
        for name in ([each] if each in features else each.split(","))
    ]
    return [name for name in names if name in features]
