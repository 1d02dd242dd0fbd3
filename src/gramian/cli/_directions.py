"""Directions that a user gives in a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gramian._support.types import Array
from gramian._support.words import counted, the_columns
from gramian.cli._errors import UsageError
from gramian.cli._files import open_input
from gramian.cli._options import Reading
from gramian.tables import Table, is_number, plain


@dataclass(frozen=True)
class DirectionWeights:
    """Directions, one a row, by the names of the columns that take part in any."""

    weights: dict[str, Array]

    @classmethod
    def read(
        cls, path: str, features: Sequence[str], fitting: Sequence[str], memory_budget: int
    ) -> DirectionWeights:
        """Read a table that has a row for each direction.

        Parameters
        ----------
        path : str
            The file. Columns that it does not name have the weight 0.
        features : sequence of str
            The columns that there are.
        fitting : sequence of str
            Those that can take part in a fit; a file without names has a weight for each.
        memory_budget : int
            The memory that it may take, in bytes.
        """
        table = open_input(path, Reading(memory_budget=memory_budget))
        rows = table.read(table.names)
        if not table.named:
            rows = rows.rename_columns(_by_place(table, fitting))
        unknown = [name for name in rows.column_names if name not in features]
        if unknown:
            raise UsageError(
                f"--directions {path} names {the_columns(unknown)}, and the table has none of that "
                "name that takes part: give a row for each direction, under the names of columns"
            )
        if not rows.num_rows:
            raise UsageError(
                f"--directions {path} has no rows: write a row of weights for each direction"
            )
        strange = [field.name for field in rows.schema if not is_number(field.type)]
        if strange:
            raise UsageError(
                f"--directions {path} has other cells than numbers in {the_columns(strange)}, and "
                "weights are numbers: write for example 0.5 or -1, without zeros in front"
            )
        weights = {name: plain(rows).column(name).to_numpy() for name in rows.column_names}
        gaps = [name for name, each in weights.items() if not np.isfinite(each).all()]
        if gaps:
            raise UsageError(
                f"--directions {path} has no finite number in some cells of {the_columns(gaps)}: "
                "write 0 for no weight"
            )
        return cls(weights)

    def __len__(self) -> int:
        return len(next(iter(self.weights.values())))

    def among(self, features: Sequence[str]) -> Array:
        """Return the weights of columns, a row for each direction.

        Parameters
        ----------
        features : sequence of str
            The columns of the fit.
        """
        gone = [
            name for name, weights in self.weights.items() if name not in features and weights.any()
        ]
        if gone:
            raise UsageError(
                f"--directions gives a weight to {the_columns(gone)}, which the fit sets aside: "
                "write 0, or leave that out"
            )
        nothing = np.zeros(len(self))
        return np.column_stack([self.weights.get(name, nothing) for name in features])


def _by_place(table: Table, fitting: Sequence[str]) -> list[str]:
    """Return what columns without names are about."""
    if len(table.names) != len(fitting):
        raise UsageError(
            f"--directions {table.name} has {len(table.names)} columns without names, and "
            f"{counted(len(fitting), 'column')} can take part in the fit: give a weight for each, "
            "in their order, or a file with names of columns"
        )
    return list(fitting)
