"""Columns beside a model: text that stays, and columns that laws of levels give."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian.laws import ColumnLaw, Key, law_from_json

UNITS = ("s", "ms", "us", "ns")
TYPES = frozenset(
    ["bool", "date32[day]", "time32[s]", "time32[ms]", "time64[us]", "time64[ns]"]
    + [f"{kind}[{unit}]" for kind in ("timestamp", "duration") for unit in UNITS]
)
"""Arrow's types that a computed column gets back; all other columns are numbers or text."""


@dataclass(frozen=True)
class Beside:
    """Columns of a table that a fit does not use, but that a selection keeps or computes.

    An object of this class is the parameter `beside` of :class:`Preprocessing`.

    Parameters
    ----------
    order : sequence of str, default=()
        All columns in the order of the table: columns of the fit, `labels`, and columns that
        `lookups` give. It is empty if there are neither labels nor lookups.
    labels : sequence of str, default=()
        Columns of text that stay unchanged.
    lookups : sequence of ColumnLaw, default=()
        Laws of levels. Each gives a column from columns of the fit, from `labels`, or from columns
        that earlier laws give.
    types : mapping from str to str, default={}
        Arrow's types of columns that laws give as truth values, dates, times or durations:
        "bool", "date32[day]".

    Examples
    --------
    >>> import pandas as pd
    >>> import gramian
    >>> from gramian.models import Beside
    >>> table = pd.DataFrame({"product": [*"abcdab"] * 20, "price": [5, 2, 5, 3, 5, 2] * 20})
    >>> lookup = gramian.relations(table)[0].solve_for("price")
    >>> beside = Beside(["size", "product", "price"], labels=["product"], lookups=[lookup])
    >>> beside.given
    ['price']
    >>> columns, n_unknown = beside.compute({"product": ["b", "x"]}.get)
    >>> columns["price"], n_unknown
    (array([ 2., nan]), 1)
    """

    order: Sequence[str] = ()
    labels: Sequence[str] = ()
    lookups: Sequence[ColumnLaw] = ()
    types: Mapping[str, str] = field(default_factory=dict)

    @property
    def given(self) -> list[str]:
        """The columns that laws of levels give."""
        return [each.column for each in self.lookups]

    def check(self, columns: Sequence[str]) -> None:
        """Check that the parts agree with each other, and with the columns of a fit.

        Parameters
        ----------
        columns : sequence of str
            The columns of the fit.
        """
        if not self.order:
            if self.labels or self.lookups:
                raise ValueError("Columns beside the fit must have their order in the table.")
            return
        everything = [*columns, *self.labels, *self.given]
        if len({*everything}) < len(everything) or sorted(everything) != sorted(self.order):
            raise ValueError("The order must hold each column of the fit and beside it once.")
        known = {*columns, *self.labels}
        for lookup in self.lookups:
            if not known.issuperset(lookup.columns):
                raise ValueError(f"Earlier laws or the fit must give the columns of {lookup}.")
            known.add(lookup.column)
        dated = {each.column: each.gives_dates for each in self.lookups}
        for name, kind in self.types.items():
            if dated.get(name) is not kind.startswith(("date", "timestamp")):
                raise ValueError(f"A law must give the column {name!r} as {kind}.")

    def sorted(self, names: Sequence[str]) -> list[str]:
        """Put columns in the order of the table.

        Parameters
        ----------
        names : sequence of str
            Some of the columns.
        """
        return [name for name in self.order if name in names] if self.order else list(names)

    def compute(self, column: Callable[[str], Any]) -> tuple[dict[str, Any], int]:
        """Compute the columns that laws of levels give.

        Parameters
        ----------
        column : callable
            Returns the values of a column of the fit, or of `labels`.

        Returns
        -------
        columns : dict from str to array
            The columns.
        n_unknown : int
            The number of their cells that are empty because no row of the fit had the level.
        """
        found: dict[str, Any] = {}
        unknown: dict[str, NDArray[np.bool_]] = {}
        for lookup in self.lookups:
            known = {
                name: found[name] if name in found else column(name) for name in lookup.columns
            }
            values = lookup(known)
            found[lookup.column] = values
            if not lookup.n_levels:
                continue  # a day that the calendar lacks is not an unknown level
            new = _missing(values)
            for name in lookup.columns:
                new &= ~_missing(known[name]) | unknown.get(name, False)
            unknown[lookup.column] = new
        return found, sum(int(each.sum()) for each in unknown.values())

    def to_json(self) -> dict[str, Any]:
        """Return the parts as lists, dictionaries, numbers and texts, to be stored."""
        document: dict[str, Any] = {
            "order": list(self.order),
            "labels": list(self.labels),
            "lookups": [each.to_json() for each in self.lookups],
        }
        if self.types:
            document["types"] = dict(self.types)
        return document

    @classmethod
    def from_json(cls, document: Any) -> Beside:
        """Make an object from the document that `to_json` returned.

        Parameters
        ----------
        document : dict
            The document; a document of another form is a ValueError.
        """
        needed = {"order", "labels", "lookups"}
        if not isinstance(document, Mapping) or set(document) - {"types"} != needed:
            raise ValueError("Columns beside a fit must have an order, labels and lookups.")
        names = [*_list(document["order"]), *_list(document["labels"])]
        if not all(isinstance(name, str) for name in names):
            raise ValueError("Names of columns must be texts.")
        lookups = tuple(map(law_from_json, _list(document["lookups"])))
        types = document.get("types", {})
        if not isinstance(types, Mapping) or not all(
            isinstance(each, str) and each in TYPES for each in types.values()
        ):
            raise ValueError(f"The types of columns beside a fit must be among {sorted(TYPES)}.")
        return cls(tuple(document["order"]), tuple(document["labels"]), lookups, dict(types))


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError("Expected a list.")
    return value


def _missing(values: Any) -> NDArray[np.bool_]:
    """Return for each cell of a column True if it is empty."""
    return np.array([each is None for each in Key("").cells(values)], dtype=bool)
