"""Columns beside a model: text that stays, and columns that lookups give."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gramian.lookups import LevelLaw, level_law


@dataclass(frozen=True)
class Beside:
    """Columns of a table that take no part in a fit, and yet belong to it.

    Parameters
    ----------
    order : sequence of str, default=()
        All columns in the order of the table: those of the fit, those that stay beside it, and
        those that lookups give. Without columns beside the fit it is empty.
    labels : sequence of str, default=()
        Columns that stay as they are.
    lookups : sequence of Lookup or Slopes, default=()
        How others are computed, each from columns of the fit, from `labels`, or from columns that
        stand before it.
    """

    order: Sequence[str] = ()
    labels: Sequence[str] = ()
    lookups: Sequence[LevelLaw] = ()

    @property
    def given(self) -> list[str]:
        """The columns that lookups give."""
        return [each.column for each in self.lookups]

    def check(self, columns: Sequence[str]) -> None:
        """Check that all parts fit together, and to the columns of a fit.

        Parameters
        ----------
        columns : sequence of str
            The columns of the fit.
        """
        if not self.order:
            if self.labels or self.lookups:
                raise ValueError("Columns beside the fit need their order in the table.")
            return
        everything = [*columns, *self.labels, *self.given]
        if len({*everything}) < len(everything) or sorted(everything) != sorted(self.order):
            raise ValueError("The order must hold each column of the fit and beside it once.")
        known = {*columns, *self.labels}
        for lookup in self.lookups:
            if not known.issuperset(lookup.columns):
                raise ValueError(f"Nothing gives the columns that {lookup} needs.")
            known.add(lookup.column)

    def sorted(self, names: Sequence[str]) -> list[str]:
        """Put columns in the order of the table."""
        return [name for name in self.order if name in names] if self.order else list(names)

    def compute(self, column: Callable[[str], Any]) -> dict[str, Any]:
        """Compute the columns that lookups give.

        Parameters
        ----------
        column : callable
            Returns the values of a column of the fit, or of `labels`.
        """
        found: dict[str, Any] = {}
        for lookup in self.lookups:
            known = {
                name: found[name] if name in found else column(name) for name in lookup.columns
            }
            found[lookup.column] = lookup(known)
        return found

    def to_json(self) -> dict[str, Any]:
        """Return it as plain lists, dictionaries, numbers and texts, to be stored."""
        return {
            "order": list(self.order),
            "labels": list(self.labels),
            "lookups": [each.to_json() for each in self.lookups],
        }

    @classmethod
    def from_json(cls, document: Any) -> Beside:
        """Read what `to_json` returned; anything else is a ValueError."""
        if not isinstance(document, Mapping) or set(document) != {"order", "labels", "lookups"}:
            raise ValueError("Columns beside a fit have an order, labels and lookups.")
        names = [*_list(document["order"]), *_list(document["labels"])]
        if not all(isinstance(name, str) for name in names):
            raise ValueError("Names of columns are texts.")
        lookups = tuple(map(level_law, _list(document["lookups"])))
        return cls(tuple(document["order"]), tuple(document["labels"]), lookups)


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError("Expected a list.")
    return value
