"""Directions that the user passes as a table: one row of column weights for each direction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gramian._support.types import Array
from gramian._support.words import counted, the_columns
from gramian.tables import Table, is_number, plain
from gramian.tabular._messages import OptionError


@dataclass(frozen=True)
class DirectionWeights:
    """Directions (linear combinations of columns) that the user wants first in the result."""

    weights: dict[str, Array]
    """From the name of each column to its weights, one for each direction."""

    @classmethod
    def of(cls, table: Table, features: Sequence[str], fitting: Sequence[str]) -> DirectionWeights:
        """Read the weights from a table that has one row for each direction.

        Parameters
        ----------
        table : Table
            The weights. A column that is not in this table has the weight 0.
        features : sequence of str
            Names of the columns that the user chose for the fit.
        fitting : sequence of str
            Names of the columns that the fit can use. If `table` has no column names, it must have
            one weight for each of them, in this order.
        """
        rows = table.read(table.names)
        if not table.named:
            rows = rows.rename_columns(_by_place(table, fitting))
        unknown = [name for name in rows.column_names if name not in features]
        if unknown:
            raise OptionError(
                "{directions:{file}} names {names}, and the table has none of that name that takes "
                "part: give a row for each direction, under the names of columns",
                file=table.name,
                names=the_columns(unknown),
            )
        if not rows.num_rows:
            raise OptionError(
                "{directions:{file}} has no rows: write a row of weights for each direction",
                file=table.name,
            )
        strange = [field.name for field in rows.schema if not is_number(field.type)]
        if strange:
            raise OptionError(
                "{directions:{file}} has other cells than numbers in {names}, and weights are "
                "numbers: write for example 0.5 or -1, without zeros in front",
                file=table.name,
                names=the_columns(strange),
            )
        weights = {name: plain(rows).column(name).to_numpy() for name in rows.column_names}
        gaps = [name for name, each in weights.items() if not np.isfinite(each).all()]
        if gaps:
            raise OptionError(
                "{directions:{file}} has no finite number in some cells of {names}: write 0 for no "
                "weight",
                file=table.name,
                names=the_columns(gaps),
            )
        return cls(weights)

    def __len__(self) -> int:
        return len(next(iter(self.weights.values())))

    def among(self, features: Sequence[str]) -> Array:
        """Return the weights as an array of shape (n_directions, n_features).

        Parameters
        ----------
        features : sequence of str
            Names of the columns of the fit. A weight other than 0 of any other column is an error.
        """
        gone = [
            name for name, weights in self.weights.items() if name not in features and weights.any()
        ]
        if gone:
            raise OptionError(
                "{directions} gives a weight to {names}, which the fit sets aside: write 0, or "
                "leave that out",
                names=the_columns(gone),
            )
        nothing = np.zeros(len(self))
        return np.column_stack([self.weights.get(name, nothing) for name in features])


def _by_place(table: Table, fitting: Sequence[str]) -> list[str]:
    """Return the column names for a table of weights that has no names: those of `fitting`.

    Raise OptionError if the numbers of columns differ.
    """
    if len(table.names) != len(fitting):
        raise OptionError(
            "{directions:{file}} has {n_columns} columns without names, and {fitting} can take "
            "part in the fit: give a weight for each, in their order, or a file with names of "
            "columns",
            file=table.name,
            n_columns=len(table.names),
            fitting=counted(len(fitting), "column"),
        )
    return list(fitting)
