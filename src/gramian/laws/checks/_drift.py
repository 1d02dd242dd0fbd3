"""Drift: columns of a table that differ from those of the table in which laws were found."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from gramian._support.words import counted, listed, one_line
from gramian.formulas import quote
from gramian.laws.checks._unreadable import READERS
from gramian.laws.columns import CodedTable, ColumnFacts, ColumnType

DriftKind = Literal["missing", "new", "renamed", "type", "levels", "cells"]
SIMILAR = 0.6
"""Least similarity of two names, from 0 to 1, of which one may be the other's new name."""
SHOWN = 3
"""Largest number of new labels of a column that a sentence names."""


@dataclass(frozen=True)
class Drift:
    """A difference between the columns of two tables.

    Attributes
    ----------
    kind : {"missing", "new", "renamed", "type", "levels", "cells"}
        The column is missing, is new, seems to have a new name, has another type, has new labels,
        or has texts among its numbers or dates.
    column : str
        The name of the column; the old name if it seems to have a new one.
    text : str
        The difference as a sentence.

    Examples
    --------
    >>> import numpy as np
    >>> import gramian
    >>> net, vat = np.random.default_rng(0).uniform(1, 99, (2, 200)).round(2)
    >>> table = {"net": net, "vat": vat, "gross": (net + vat).round(2)}
    >>> found = gramian.relations(table)
    >>> table["Gross"] = table.pop("gross")
    >>> found.check(table).drift[0].text
    'column gross is missing; Gross may be its new name'
    """

    kind: DriftKind
    column: str
    text: str

    def to_json(self) -> dict[str, str]:
        """Return the difference as a dictionary that can be stored as JSON."""
        return {"kind": self.kind, "column": self.column, "text": self.text}


def drift_of(facts: Sequence[ColumnFacts], table: CodedTable, used: set[str]) -> list[Drift]:
    """Return the differences between the columns of two tables.

    Parameters
    ----------
    facts : sequence of ColumnFacts
        The columns of the table in which laws were found.
    table : CodedTable
        The other table.
    used : set of str
        The columns that laws need.
    """
    known = {each.name: each for each in facts}
    known |= {name: ColumnFacts(name, None) for name in sorted(used - {*known})}
    missing = [name for name in known if name not in table.names]
    new = [name for name in table.names if name not in known]
    found = list[Drift]()
    for name in missing:
        near = difflib.get_close_matches(_plain(name), map(_plain, new), 1, SIMILAR)
        like = next((each for each in new if near and _plain(each) == near[0]), None)
        if like is not None:
            new.remove(like)
            text = f"column {quote(name)} is missing; {quote(like)} may be its new name"
            found.append(Drift("renamed", name, text))
        else:
            found.append(Drift("missing", name, f"column {quote(name)} is missing"))
    found += [Drift("new", name, f"column {quote(name)} is new") for name in new]
    # A column without values looks like one of numbers.
    untyped = [
        i
        for i, name in enumerate(table.names)
        if type_of(table, i) == "number" and name in known and known[name].type != "number"
    ]
    empty = _without_values(table, untyped) if untyped else []
    for i, name in enumerate(table.names):
        if name in known and i not in empty:
            found += _changes(known[name], table, i)
    return found


def _without_values(table: CodedTable, places: list[int]) -> list[int]:
    """Return those of some columns that have no value in any row."""
    for block in table.blocks():
        places = [i for i in places if np.isnan(block[:, i]).all()]
        if not places:
            break
    return places


def drift_of_cells(table: CodedTable, texts: Mapping[str, str | None]) -> list[Drift]:
    """Return the columns of text that are read as numbers or dates, with texts that are neither.

    Parameters
    ----------
    table : CodedTable
        The table with these columns as numbers or dates.
    texts : mapping from str to str or None
        The first text of each column that cannot be read; None if there is none.
    """
    found = []
    for name, text in texts.items():
        column = f"column {quote(name)}"
        kind = _KINDS[type_of(table, table.names.index(name))]
        if text is None:
            said = f"{column} was {kind} and is text, which is read as {kind}"
            found.append(Drift("type", name, said))
        else:
            said = f'{column} has text among its {kind}: "{one_line(text)}"'
            found.append(Drift("cells", name, said))
    return found


def type_of(table: CodedTable, i: int) -> ColumnType:
    """Return the type of a column of a table."""
    return "text" if i in table.labels else "date" if i in table.clocks else "number"


def _changes(before: ColumnFacts, table: CodedTable, i: int) -> list[Drift]:
    name, now = before.name, type_of(table, i)
    if before.type is None:
        return []
    if now != before.type:
        read = READERS.get(before.type)
        example = None if read is None else _unreadable(table.labels.get(i, ()), read[0])
        such = "" if example is None else f', such as "{one_line(example)}"'
        text = f"column {quote(name)} was {_KINDS[before.type]} and is {_KINDS[now]}{such}"
        return [Drift("type", name, text)]
    new = [each for each in table.labels.get(i, ()) if each not in {*before.levels}]
    if not before.levels or not new:
        return []
    shown = listed([quote(each) for each in new[:SHOWN]], len(new), str)
    text = f"column {quote(name)} has {counted(len(new), 'new label')}: {shown}"
    return [Drift("levels", name, text)]


_KINDS = {"number": "numbers", "text": "text", "date": "dates"}


def _unreadable(labels: Sequence[str], read: Callable[[str], Any]) -> str | None:
    """Return the first label that is no number or date; it turned the column into text."""
    for each in labels:
        try:
            read(each)
        except ValueError:
            return each
    return None


def _plain(name: str) -> str:
    """Return a name in small letters without signs, in which a new name is often equal."""
    return "".join(letter for letter in name.lower() if letter.isalnum()) or name


def untestable(columns: Sequence[str], drift: Sequence[Drift]) -> str | None:
    """Return why a law cannot be tested: the first of its columns that is missing or differs."""
    for each in drift:
        if each.column in columns and each.kind in ("missing", "renamed", "type"):
            return each.text
    return None


def as_documents(drift: Sequence[Drift]) -> list[Any]:
    """Return differences as a list that can be stored as JSON."""
    return [each.to_json() for each in drift]
