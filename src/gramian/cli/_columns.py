"""Which columns of a table take part, and which pass through."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import pyarrow as pa

from gramian.cli._errors import USAGE, CommandError
from gramian.cli._options import DataOptions
from gramian.tables._formats import TEXT
from gramian.tables._kinds import is_number, is_text
from gramian.tables._table import Table

MAX_NAMED = 5
"""So many columns are named in a message."""


@dataclass(frozen=True)
class Roles:
    """What columns are for."""

    features: tuple[str, ...]
    """What the fit sees."""
    ids: tuple[str, ...] = ()
    """What passes through, before the other columns."""
    targets: tuple[str, ...] = ()
    """What passes through, behind them."""


def listed(names: Sequence[str], noun: str = "column") -> str:
    """Name some columns in a message.

    Parameters
    ----------
    names : sequence of str
        The columns.
    noun : str, default="column"
        What they are.
    """
    more = f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
    shown = ", ".join(repr(name) for name in names[:MAX_NAMED])
    return f"{noun}{'s' if len(names) > 1 else ''} {shown}{more}"


def find(patterns: Iterable[str] | None, names: Sequence[str], option: str) -> list[str]:
    """Find columns by name or shell pattern, in the order of the table.

    Parameters
    ----------
    patterns : iterable of str or None
        Each a name, a pattern, or several with commas between.
    names : sequence of str
        The columns of the table.
    option : str
        Where the user gave them.
    """
    found = set()
    for given in patterns or ():
        # A name may have a comma or a bracket in it itself.
        for pattern in [given] if given in names else given.split(","):
            matches = [name for name in names if name == pattern]
            matches = matches or [name for name in names if fnmatchcase(name, pattern)]
            if not matches:
                raise CommandError(
                    f"{option} {pattern!r} matches no column; there are {listed(names)}", USAGE
                )
            found.update(matches)
    return [name for name in names if name in found]


def choose(names: Sequence[str], options: DataOptions) -> Roles:
    """Tell apart what the fit sees and what passes through.

    Parameters
    ----------
    names : sequence of str
        The columns of the table.
    options : DataOptions
        What the user said.
    """
    targets = find(options.target, names, "--target")
    ids = find(options.id, names, "--id")
    both = [name for name in targets if name in ids]
    if both:
        raise CommandError(f"{listed(both)} cannot be both --target and --id", USAGE)
    left_out = {*targets, *ids, *find(options.exclude, names, "--exclude")}
    features = find(options.columns, names, "--columns") if options.columns else names
    features = tuple(name for name in features if name not in left_out)
    if not features:
        raise CommandError("no column is left to work with: all are excluded or set aside", USAGE)
    return Roles(features, tuple(ids), tuple(targets))


def check_types(kinds: Mapping[str, Any], *, encode: bool) -> None:
    """Name the columns that are neither numbers nor, if they are to be encoded, text.

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
            f"{listed(text)} {'hold' if len(text) > 1 else 'holds'} text. Say --encode to turn "
            "categories into numbers, --exclude to leave them out, or --id or --target to pass "
            "them through"
        )
    strange = [name for name, kind in kinds.items() if pa.types.is_binary(kind)]
    if strange:
        raise CommandError(
            f"{listed(strange)} {'hold' if len(strange) > 1 else 'holds'} bytes that are no text "
            "in UTF-8: convert the file, for instance with iconv, or leave the columns out with "
            "--exclude"
        )
    others = [name for name, kind in kinds.items() if not is_number(kind) and not is_text(kind)]
    if others:
        raise CommandError(
            f"{listed(others)} {'hold' if len(others) > 1 else 'holds'} {kinds[others[0]]}, and "
            "only numbers and text can be used: say --exclude to leave them out, or --id to pass "
            "them through"
        )


def check_places(table: Table, places: Mapping[str, str], labels: Collection[str]) -> None:
    """Check the types of what a model takes from a table, but for categories in text files.

    Parameters
    ----------
    table : Table
        The table.
    places : mapping from str to str
        How the table calls the columns of the model.
    labels : collection of str
        The columns of the table that are categories. What looks like dates is read as text there.
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
    counts = {
        name: pa.compute.sum(pa.compute.is_null(column, nan_is_null=True)).as_py() or 0
        for name, column in zip(table.column_names, table.columns, strict=True)
    }
    return {name: count for name, count in counts.items() if count}


def refuse_missing(table: pa.Table, where: Table, doing: str) -> None:
    """Name the columns that have missing values, if any has.

    Parameters
    ----------
    table : pyarrow.Table
        The table, as `plain` makes it.
    where : Table
        Where it is from.
    doing : str
        What to do about it.
    """
    missing = with_missing(table)
    if missing:
        counts = ", ".join(map(str, list(missing.values())[:MAX_NAMED]))
        raise CommandError(
            f"{listed(list(missing))} of {where.name} {'have' if len(missing) > 1 else 'has'} "
            f"missing values ({counts}). {doing}"
        )
