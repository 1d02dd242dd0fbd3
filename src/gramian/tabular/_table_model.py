"""Model of a table: a fitted estimator together with the preprocessing of the table."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

import gramian
from gramian._support.types import Array
from gramian._support.words import counted, names_or_numbers, the_columns
from gramian.models import Preprocessing, read, save
from gramian.tables import Table, pyarrow
from gramian.tabular._column_roles import Names, Passing, find, in_table
from gramian.tabular._messages import OptionError, UnusableTableError

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class TableModel:
    """A fitted estimator together with the preprocessing of its table."""

    estimator: Any
    """The fitted estimator."""
    steps: Preprocessing
    """Preprocessing that turns a table into the numbers of the fit; `steps.columns` are the columns
    of the fit."""
    named: bool = True
    """True if the columns of the fit had names."""
    version: str = gramian.__version__
    """Version of gramian that fitted the estimator."""

    @property
    def selects(self) -> bool:
        """True if the model selects columns of the table; False if it computes components."""
        selects: bool = self.estimator.model_.selects
        return selects

    @property
    def noun(self) -> str:
        """Word for one column of the reduced table: "column", "component" or "code"."""
        thing: str = self.estimator.model_.thing
        return "component" if thing == "direction" else thing

    @property
    def kept(self) -> list[str]:
        """Names of the columns of the reduced table, in the order of that table."""
        if self.selects:
            return [self.steps.columns[i] for i in np.flatnonzero(self.estimator.support_).tolist()]
        return [str(name) for name in self.estimator.get_feature_names_out()]

    @property
    def order(self) -> list[str]:
        """Names of the columns of the reduced table, in the order in which the fit chose them."""
        if self.selects:
            return [self.steps.columns[i] for i in self.estimator.selected_features_]
        return self.kept

    @property
    def dropped(self) -> list[str]:
        """Names of the columns of the fit that are not selected; empty for components."""
        return [] if not self.selects else [c for c in self.steps.columns if c not in self.kept]

    def taken(self, values: Array) -> Any:
        """Return rows of numbers as input for the estimator, with names if the fit had names."""
        has_names = self.estimator.model_.names is not None
        return with_names(values, self.steps.columns) if has_names else values

    def save(self, path: str | os.PathLike[str] | BinaryIO) -> None:
        """Write the estimator and its preprocessing to a model file."""
        save(self.estimator, path, preprocessing=self.steps)


def read_model(path: str | os.PathLike[str]) -> TableModel:
    """Read a model file that the command `gramian` or Python code wrote.

    Parameters
    ----------
    path : path
        Path of the model file.
    """
    model = read(path)
    steps, names = model.preprocessing, getattr(model.estimator, "feature_names_in_", None)
    has_names = steps is not None or names is not None
    if steps is None:
        names = names_or_numbers(names, model.estimator.n_features_in_)
        steps = Preprocessing(tuple(map(str, names)))
    return TableModel(model.estimator, steps, has_names, model.gramian_version)


def with_names(rows: Array, names: Sequence[str]) -> pa.Table:
    """Return rows of numbers as an Arrow table with column names, which estimators check.

    Parameters
    ----------
    rows : array of shape (n_rows, n_columns)
        The rows.
    names : sequence of str
        Names of the columns.
    """
    return pyarrow().table([np.ascontiguousarray(column) for column in rows.T], names=list(names))


def passing(model: TableModel, table: Table, id: Names = None, target: Names = None) -> Passing:
    """Return the columns of a table that are copied unchanged to the result.

    They are the columns that the user names; by default the `id` and `target` columns of the fit
    that the table has.

    Parameters
    ----------
    model : TableModel
        The fitted model.
    table : Table
        The table to which the model is applied.
    id, target : str, iterable of str or None
        Names or shell patterns of the columns that come first and last in the result.
    """
    names, steps = list(table.columns), model.steps
    # Without names, columns are found by position: both tables must have as many columns.
    width = len(steps.columns) + len(steps.ids) + len(steps.targets)
    known = set(names) if table.named or len(names) == width else set()
    found_ids = in_table(find(id, names, "id"), names)
    found_ids = found_ids or [name for name in steps.ids if name in known]
    found = in_table(find(target, names, "target"), names)
    found = found or [name for name in steps.targets if name in known]
    used = {*model.steps.columns, *model.kept}
    both = [name for name in (*found_ids, *found) if model.named and name in used]
    if both:
        raise OptionError(
            "{names} cannot pass through, as the model uses it", names=the_columns(both)
        )
    return Passing(tuple(found_ids), tuple(c for c in found if c not in found_ids))


def locate(
    choices: Sequence[Sequence[str]], model: TableModel, table: Table, others: Passing
) -> dict[str, str]:
    """Find the columns of a model in a table: by name, or by position if there are no names.

    Parameters
    ----------
    choices : sequence of sequences of str
        Lists of column names of the model. The first list whose columns are all in the table is
        used.
    model : TableModel
        The fitted model.
    table : Table
        The table to which the model is applied.
    others : Passing
        Columns that are copied unchanged; they are not counted in positions.

    Returns
    -------
    places : dict from str to str
        From the name of each column in the model to its name in the table.
    """
    by_name = model.named and table.named
    free = [name for name in table.columns if name not in others.names]
    for names in choices:
        if not by_name and len(free) == len(names):
            return dict(zip(names, free, strict=True))
        if by_name and all(name in table.columns for name in names):
            return {name: name for name in names}
    fewest = min(choices, key=len)
    if not by_name:
        raise UnusableTableError(
            "{table} has {free} to work with, and the model takes {n_taken:,}",
            table=table.name,
            free=counted(len(free), "column"),
            n_taken=len(fewest),
        )
    raise UnusableTableError(
        "{table} lacks the {names} that the model takes",
        table=table.name,
        names=the_columns([name for name in fewest if name not in table.columns]),
    )
