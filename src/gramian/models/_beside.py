"""Columns that are not in the fit of a model: kept text columns, and columns that laws compute."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian.laws import ColumnLaw, Key, law_from_json
from gramian.tables import is_type_text


@dataclass(frozen=True)
class Beside:
    """Columns of a table that are not in the fit, but in the result: kept or computed by laws.

    An object of this class is the parameter `beside` of :class:`Preprocessing`. A law of levels
    computes a column by looking up the level (distinct value) of another column, such as the price
    of each product.

    Parameters
    ----------
    order : sequence of str, default=()
        Names of all columns in the order of the table: columns of the fit, `labels`, and columns
        that `lookups` compute. It is empty if there are neither labels nor lookups.
    labels : sequence of str, default=()
        Names of text columns that are kept unchanged.
    lookups : sequence of ColumnLaw, default=()
        Laws of levels. Each law computes one column from columns of the fit, from `labels`, or
        from columns that earlier laws compute.
    types : mapping from str to str, default={}
        From the name of a computed column to its Arrow type, such as "bool" or "date32[day]";
        columns of float64 and of text have no entry.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import gramian
    >>> from gramian.models import Beside
    >>> product = pd.Series(np.random.default_rng(0).choice([*"abcd"], 120))
    >>> price = product.map({"a": 5, "b": 2, "c": 5, "d": 3})
    >>> table = pd.DataFrame({"product": product, "price": price})
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
        """Names of the columns that laws of levels compute, in the order of `lookups`.

        Such a law looks up the distinct values (levels) of other columns.
        """
        return [each.column for each in self.lookups]

    def check(self, columns: Sequence[str]) -> None:
        """Raise ValueError if `order`, `labels`, `lookups`, `types` and `columns` do not agree.

        Parameters
        ----------
        columns : sequence of str
            Names of the columns of the fit.
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
            is_date = kind.startswith(("date", "timestamp"))
            if kind != "string" and dated.get(name) is not is_date:
                raise ValueError(f"A law must give the column {name!r} as {kind}.")

    def sorted(self, names: Sequence[str]) -> list[str]:
        """Return names of columns in the order of the table.

        Parameters
        ----------
        names : sequence of str
            Names of some of the columns, in any order.
        """
        return [name for name in self.order if name in names] if self.order else list(names)

    def compute(self, column: Callable[[str], Any]) -> tuple[dict[str, Any], int]:
        """Compute all columns for which there is a law of levels.

        Parameters
        ----------
        column : callable
            Function from the name of a column, of the fit or in `labels`, to its values.

        Returns
        -------
        columns : dict from str to array
            From the name of each computed column to its values.
        n_unknown : int
            Number of computed cells that are empty because the fit has not seen their level.
        """
        found, unknown = self.compute_with_unknown(column)
        return found, sum(int(each.sum()) for each in unknown.values())

    def compute_with_unknown(
        self, column: Callable[[str], Any]
    ) -> tuple[dict[str, Any], dict[str, NDArray[np.bool_]]]:
        """Compute all columns as `compute` does, and return the rows with unknown levels.

        Parameters
        ----------
        column : callable
            Function from the name of a column, of the fit or in `labels`, to its values.

        Returns
        -------
        columns : dict from str to array
            From the name of each computed column to its values.
        unknown : dict from str to array of bool
            From the name of each column that is looked up to a mask of the rows in which it is
            empty because the fit has not seen their level.
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
                continue  # impossible dates, such as 30 February, are not unknown levels
            new = _missing(values)
            for name in lookup.columns:
                new &= ~_missing(known[name]) | unknown.get(name, False)
            unknown[lookup.column] = new
        return found, unknown

    def to_json(self) -> dict[str, Any]:
        """Return the object as a dictionary that can be written as JSON."""
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
        """Make an object from the dictionary that `to_json` returned.

        Parameters
        ----------
        document : dict
            The dictionary. ValueError is raised if it has another form.
        """
        needed = {"order", "labels", "lookups"}
        if not isinstance(document, Mapping) or set(document) - {"types"} != needed:
            raise ValueError("Columns beside a fit must have an order, labels and lookups.")
        names = [*_list(document["order"]), *_list(document["labels"])]
        if not all(isinstance(name, str) for name in names):
            raise ValueError("Names of columns must be texts.")
        lookups = tuple(map(law_from_json, _list(document["lookups"])))
        types = document.get("types", {})
        if not isinstance(types, Mapping) or not all(map(is_type_text, types.values())):
            raise ValueError("A type of a column beside the fit is unknown.")
        return cls(tuple(document["order"]), tuple(document["labels"]), lookups, dict(types))


def _list(value: Any) -> list[Any]:
    """Return the value if it is a list; raise ValueError otherwise."""
    if not isinstance(value, list):
        raise ValueError("Expected a list.")
    return value


def _missing(values: Any) -> NDArray[np.bool_]:
    """Return a mask of the cells of a column: True if the cell is empty."""
    return np.array([each is None for each in Key("").cells(values)], dtype=bool)
