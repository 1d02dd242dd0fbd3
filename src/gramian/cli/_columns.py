"""Which columns of a table take part, and which pass through."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import pyarrow as pa

from gramian._support.words import infinite_value, plural, the_columns
from gramian.cli._errors import CommandError, UsageError
from gramian.cli._options import DataOptions
from gramian.tables import TEXT, Table, is_text, is_usable, n_missing

MAX_SPREAD = 1e150
"""Squares of larger differences, summed over rows, are beyond the range of float64."""


@dataclass(frozen=True)
class Passing:
    """Columns that go from one table to another unchanged."""

    ids: tuple[str, ...]
    """Those before the other columns."""
    targets: tuple[str, ...]
    """Those after the other columns."""
    labels: tuple[str, ...] = ()
    """Those among the other columns, in the order of the table."""

    @property
    def names(self) -> tuple[str, ...]:
        """All of them."""
        return (*self.ids, *self.targets, *self.labels)


def find(patterns: Iterable[str] | None, names: Sequence[str], option: str) -> list[str]:
    """Find columns by name or shell pattern, in the order in which they are named.

    Parameters
    ----------
    patterns : iterable of str or None
        Each a name, a pattern, or several with commas between.
    names : sequence of str
        The columns of the table.
    option : str
        Where the user gave them.
    """
    found: dict[str, None] = {}
    for given in patterns or ():
        # A name may have a comma or a bracket in it itself.
        for pattern in [given] if given in names else given.split(","):
            exact = pattern in names
            matches = [pattern] if exact else [n for n in names if fnmatchcase(n, pattern)]
            if not matches:
                raise UsageError(
                    f"{option} {pattern!r} matches no column; there are {the_columns(names)}"
                )
            found.update(dict.fromkeys(matches))
    return list(found)


def in_table(found: Collection[str], names: Sequence[str]) -> list[str]:
    """Put columns in the order of the table."""
    return [name for name in names if name in found]


def choose(names: Sequence[str], options: DataOptions) -> tuple[tuple[str, ...], Passing]:
    """Divide the columns into those of the fit and those that pass through.

    Parameters
    ----------
    names : sequence of str
        The columns of the table.
    options : DataOptions
        What the user said.
    """
    targets = in_table(find(options.target, names, "--target"), names)
    ids = in_table(find(options.id, names, "--id"), names)
    both = [name for name in targets if name in ids]
    if both:
        raise UsageError(f"{the_columns(both)} cannot be both --target and --id")
    left_out = {*targets, *ids, *find(options.exclude, names, "--exclude")}
    wanted = {*(find(options.columns, names, "--columns") if options.columns else names)}
    features = tuple(name for name in names if name in wanted and name not in left_out)
    if not features:
        raise UsageError("no column is left to work with: all are excluded or set aside")
    return features, Passing(tuple(ids), tuple(targets))


def fitting(table: Table, features: Sequence[str], *, encode: bool) -> list[str]:
    """Return the columns that a fit can use: all but text that is not encoded.

    Parameters
    ----------
    table : Table
        The table.
    features : sequence of str
        The columns that the user wants.
    encode : bool
        Whether text can be used.
    """
    return [name for name in features if encode or not is_text(table.columns[name])]


def check_types(kinds: Mapping[str, Any], *, encode: bool) -> None:
    """Refuse columns that are not numbers; text is allowed if it is to be encoded.

    Parameters
    ----------
    kinds : mapping from str to pyarrow.DataType
        The columns.
    encode : bool
        Whether text can be used.
    """
    text = [name for name, kind in kinds.items() if is_text(kind)]
    if text and not encode:
        raise CommandError(
            f"{the_columns(text)} {plural(len(text), 'holds', 'hold')} text. Say --encode to turn "
            "categories into numbers, --exclude to leave them out, or --id or --target to pass "
            "them through"
        )
    strange = [name for name, kind in kinds.items() if pa.types.is_binary(kind)]
    if strange:
        raise CommandError(
            f"{the_columns(strange)} {plural(len(strange), 'holds', 'hold')} bytes that are not "
            "UTF-8 text: convert the file, for instance with iconv, or leave the columns out "
            "with --exclude"
        )
    others = [name for name, kind in kinds.items() if not is_usable(kind)]
    if others:
        raise CommandError(
            f"{the_columns(others)} {plural(len(others), 'holds', 'hold')} {kinds[others[0]]}, and "
            "only numbers, text and dates can be used: say --exclude to leave them out, or --id to "
            "pass them through"
        )


def check_places(table: Table, places: Mapping[str, str], labels: Collection[str]) -> None:
    """Check the types of the columns that a model takes, except categories in text files.

    Parameters
    ----------
    table : Table
        The table.
    places : mapping from str to str
        How the table calls the columns of the model.
    labels : collection of str
        The columns of the table that are categories; there, dates are read as text.
    """
    read_as_text = labels if table.format in TEXT else ()
    kinds = {
        name: table.columns[place] for name, place in places.items() if place not in read_as_text
    }
    check_types(kinds, encode=True)


def with_missing(table: pa.Table) -> dict[str, int]:
    """Count the missing values of the columns that have some.

    Parameters
    ----------
    table : pyarrow.Table
        The table, as `plain` makes it.
    """
    counts = map(n_missing, table.columns)
    return {name: n for name, n in zip(table.column_names, counts, strict=True) if n}


def refuse_infinite(table: pa.Table, where: Table, n_before: int = 0) -> None:
    """Refuse infinite values.

    Parameters
    ----------
    table : pyarrow.Table
        The table, as `plain` makes it.
    where : Table
        Where it is from.
    n_before : int, default=0
        How many rows were read before these.
    """
    for name, column in zip(table.column_names, table.columns, strict=True):
        if pa.types.is_floating(column.type):
            row = pa.compute.index(pa.compute.is_inf(column), True).as_py()
            if row >= 0:
                raise CommandError(f"{where.name}: {infinite_value(name, n_before + row)}")


def refuse_too_wide(table: pa.Table, where: Table) -> None:
    """Refuse values so large that their variance is beyond the range of a computer's numbers.

    Parameters
    ----------
    table : pyarrow.Table
        The table, as `plain` makes it.
    where : Table
        Where it is from.
    """
    wide = []
    for name, column in zip(table.column_names, table.columns, strict=True):
        if not pa.types.is_floating(column.type):
            continue
        ends = pa.compute.min_max(column).as_py()
        low, high = ends["min"] or 0.0, ends["max"] or 0.0
        if math.isfinite(high) and math.isfinite(low) and high - low > MAX_SPREAD:
            wide.append(name)
    if wide:
        raise CommandError(
            f"{the_columns(wide)} of {where.name} {plural(len(wide), 'has', 'have')} values that "
            f"differ by more than {MAX_SPREAD:.0e}, too much to compute a variance. Change the "
            "unit, or correct the values, or say --exclude to leave them out"
        )
