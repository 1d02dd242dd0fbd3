"""Directions that a user gives in a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gramian._types import Array
from gramian._words import the_columns
from gramian.cli._columns import check_types, with_missing
from gramian.cli._errors import USAGE, CommandError
from gramian.cli._files import open_input
from gramian.cli._options import Reading
from gramian.tables._kinds import plain


@dataclass(frozen=True)
class Directions:
    """Directions, one a row, by the names of the columns that take part in any."""

    weights: dict[str, Array]

    @classmethod
    def read(cls, path: str, features: Sequence[str], memory_budget: int) -> Directions:
        """Read a table that has a row for each direction.

        Parameters
        ----------
        path : str
            The file. Columns that it does not name have the weight 0.
        features : sequence of str
            The columns that there are.
        memory_budget : int
            The memory that it may take, in bytes.
        """
        table = open_input(path, Reading(memory_budget=memory_budget))
        unknown = [name for name in table.columns if name not in features]
        if unknown:
            raise CommandError(
                f"--directions {path} names {the_columns(unknown)}, and the table has none of that "
                "name that takes part: give a row for each direction, under the names of columns",
                USAGE,
            )
        check_types(dict(table.columns), encode=False)
        rows = plain(table.read(list(table.columns)))
        gaps = [name for name, n in with_missing(rows).items() if n]
        if gaps or not rows.num_rows:
            what = f"has no number in some cells of {the_columns(gaps)}" if gaps else "has no rows"
            raise CommandError(f"--directions {path} {what}: write 0 for no weight", USAGE)
        return cls({name: rows.column(name).to_numpy() for name in rows.column_names})

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
            raise CommandError(
                f"--directions gives a weight to {the_columns(gone)}, which the fit sets aside: "
                "write 0, or leave that out",
                USAGE,
            )
        nothing = np.zeros(len(self))
        return np.column_stack([self.weights.get(name, nothing) for name in features])
