"""Roles of columns: columns of the fit, and columns that pass through."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

from gramian._support.words import the_columns
from gramian.tabular._messages import OptionError

Impute = Literal["median", "mean", "drop-rows"]
Names = str | Iterable[str] | None
"""Names or shell patterns of columns; a text may hold several, with commas between."""


@dataclass(frozen=True)
class ColumnOptions:
    """Options that give columns their roles, and say how cells become numbers."""

    target: Names = None
    id: Names = None
    columns: Names = None
    exclude: Names = None
    encode: bool = False
    impute: Impute | None = None
    standardize: bool = True


@dataclass(frozen=True)
class Passing:
    """Columns that go from one table to another unchanged."""

    ids: tuple[str, ...] = ()
    """Columns before all others."""
    targets: tuple[str, ...] = ()
    """Columns after all others."""
    labels: tuple[str, ...] = ()
    """Columns of text among the columns of the fit, in the order of the table."""

    @property
    def names(self) -> tuple[str, ...]:
        """All columns that pass through."""
        return (*self.ids, *self.targets, *self.labels)


def find(patterns: Names, names: Sequence[str], option: str) -> list[str]:
    """Find columns by name or shell pattern, in the order in which they are named.

    Parameters
    ----------
    patterns : str, iterable of str or None
        Names and patterns.
    names : sequence of str
        The columns of the table.
    option : str
        The option that names the columns.
    """
    found: dict[str, None] = {}
    for given in [patterns] if isinstance(patterns, str) else patterns or ():
        # A name may contain a comma or a bracket itself.
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


def in_table(found: Collection[str], names: Sequence[str]) -> list[str]:
    """Put columns in the order of the table."""
    return [name for name in names if name in found]


def choose(names: Sequence[str], options: ColumnOptions) -> tuple[tuple[str, ...], Passing]:
    """Return the columns of the fit, and those that pass through.

    Parameters
    ----------
    names : sequence of str
        The columns of the table.
    options : ColumnOptions
        The roles that the user gives.
    """
    targets = in_table(find(options.target, names, "target"), names)
    ids = in_table(find(options.id, names, "id"), names)
    both = [name for name in targets if name in ids]
    if both:
        raise OptionError("{names} cannot be both {target} and {id}", names=the_columns(both))
    left_out = {*targets, *ids, *find(options.exclude, names, "exclude")}
    wanted = {*(find(options.columns, names, "columns") if options.columns else names)}
    features = tuple(name for name in names if name in wanted and name not in left_out)
    if not features:
        raise OptionError("no column is left to work with: all are excluded or set aside")
    return features, Passing(tuple(ids), tuple(targets))


def named_one_by_one(columns: Names, features: Sequence[str]) -> list[str]:
    """Return the features that the option `columns` names without a pattern, in its order.

    Parameters
    ----------
    columns : str, iterable of str or None
        The option.
    features : sequence of str
        The columns of the fit.
    """
    given = [columns] if isinstance(columns, str) else columns or ()
    names = [name for each in given for name in ([each] if each in features else each.split(","))]
    return [name for name in names if name in features]
