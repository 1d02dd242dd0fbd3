"""Preparation of a fit to a table: the user's options are checked against the columns."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from gramian.tables import Table
from gramian.tabular._column_checks import check_types, fitting
from gramian.tabular._column_roles import ColumnOptions, choose, find, named_one_by_one
from gramian.tabular._direction_weights import DirectionWeights
from gramian.tabular._messages import OptionError
from gramian.tabular._method import Method
from gramian.tabular._row_groups import column_of_groups
from gramian.tabular._table_fit import TableFit


def prepare(
    table: Table,
    algorithm: str,
    estimator: Any,
    options: ColumnOptions,
    method: Method,
    directions: Table | None = None,
) -> TableFit:
    """Check the options against the columns of a table, and return a fit that is ready to run.

    Parameters
    ----------
    table : Table
        The table of the fit; only names and types of its columns are used here.
    algorithm : str
        "gfs", "gfa", "gfr", "gca" or "manifold".
    estimator : estimator
        Estimator that `make_estimator` returned; some of its parameters are set here.
    options : ColumnOptions
        The user's options for columns.
    method : Method
        The user's options for the algorithm.
    directions : Table, optional
        Weights of the first directions, one row for each direction.
    """
    options = replace(options, groups=column_of_groups(options.groups, list(table.columns)))
    features, passing = choose(list(table.columns), options)
    if method.keep:
        estimator.set_params(keep=find(method.keep, features, "keep"))
    wanted = method.prefer or named_one_by_one(options.columns, features)
    if wanted and algorithm == "gfa" and method.backward:
        estimator.set_params(priority=find(wanted, features, "prefer"))
    check_types({name: table.columns[name] for name in features}, encode=True)
    count = method.n if isinstance(method.n, int) else None
    if count is not None and count > len(features):
        raise OptionError(
            "{n:{count}} is more than the {n_columns} columns that take part",
            count=count,
            n_columns=len(features),
        )
    if method.given:
        given = find(method.given, features, "given")
        if count is not None and count < len(given):
            raise OptionError(
                "{given} names {n_given} columns, and {n:{count}} is less",
                n_given=len(given),
                count=count,
            )
        estimator.set_params(given=given)
    weights = None
    if directions is not None:
        places = fitting(table, features, encode=options.encode)
        weights = DirectionWeights.of(directions, features, places)
        if count is not None and count < len(weights):
            raise OptionError(
                "{directions} has {n_rows} rows, and {n:{count}} is less",
                n_rows=len(weights),
                count=count,
            )
    return TableFit(algorithm, estimator, table, features, passing, options, weights)
