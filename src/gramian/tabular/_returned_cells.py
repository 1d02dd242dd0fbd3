"""Checks before columns are dropped: their cells must come back, missing cells as missing cells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from gramian._support.types import Array
from gramian.laws import ColumnLaw, PrintedColumn
from gramian.models import Beside
from gramian.tables import STRING, TEXT, Table, plain, pyarrow
from gramian.tabular._computed_columns import as_levels, computed

WRONG = 0.1
"""Root mean square error in rows with missing cells, in deviations, from which on it is wrong."""


def uneven_columns(table: Table, names: Sequence[str], *, fills: bool) -> list[str]:
    """Return the columns among `names` in which a cell is missing, or differs from the others.

    Numbers may be equal although the cells differ: 9007199254740992 and 9007199254740993 are one
    float, and times with several offsets from UTC may show one wall clock. Cells of a text file are
    compared as text, others as they are stored.

    Parameters
    ----------
    table : Table
        The table.
    names : sequence of str
        Names of columns whose numbers are all equal.
    fills : bool
        True if the user wants missing cells to be filled, so that they do not count.
    """
    compute = pyarrow().compute
    as_text = dict.fromkeys(names, fills) if table.format in TEXT else {}
    found, first = set[str](), dict[str, Any]()
    for rows in table.pieces(names, as_text) if names else ():
        for name in names:
            column = rows.column(name)
            there = column.filter(compute.invert(column.is_null(nan_is_null=True)))
            if name in found or (len(there) < len(column) and not fills):
                found.add(name)
            elif len(there):
                value = first.setdefault(name, there[0])
                if not compute.all(compute.equal(there, value)).as_py():
                    found.add(name)
    return [name for name in names if name in found]


def columns_that_change(
    estimator: Any, blocks: Iterable[Array], features: Sequence[str]
) -> list[str]:
    """Return the dropped columns that would come back changed in rows with missing cells.

    A missing cell may come back with a value, and a value as a missing cell, because a kept column
    from which it is computed has a missing cell there. Values may be wrong, as the fit has learned
    from complete rows: in the other rows, years may not be the row number plus 1879.

    Parameters
    ----------
    estimator : estimator
        Fitted estimator that selects columns.
    blocks : iterable of arrays of shape (n_rows, n_columns)
        All rows of the fit; missing cells are NaN.
    features : sequence of str
        Names of the columns of the fit.
    """
    kept = np.asarray(estimator.support_)
    differ = np.zeros(len(features), dtype=bool)
    if kept.all() or not kept.any():
        return []
    squares, counts = np.zeros((2, len(features)))
    for x in blocks:
        some = x[np.isnan(x).any(axis=1)]
        if len(some):
            made = estimator.inverse_transform(some[:, kept])
            differ |= (np.isnan(some) != np.isnan(made)).any(axis=0)
            squares += np.nansum((some - made) ** 2, axis=0)
            counts += (~np.isnan(some)).sum(axis=0)
    variances = np.asarray(estimator.model_.variances)
    differ |= squares > WRONG**2 * variances * np.maximum(counts, 1)
    differ &= ~kept & (variances > 0)  # constants come back in every row
    return [features[i] for i in np.flatnonzero(differ).tolist()]


def cells_missed_by_lookups(
    table: Table,
    lookups: Sequence[ColumnLaw],
    types: Mapping[str, str],
    labels: Sequence[str],
    printed: Mapping[str, PrintedColumn],
) -> dict[str, int]:
    """Return for each column that a law of levels gives the number of its cells that are not given.

    A law of levels looks up a column by the distinct values of other columns. Missing cells must
    be missing in the result, too.

    Parameters
    ----------
    table : Table
        All rows of the table.
    lookups : sequence of ColumnLaw
        The laws of levels.
    types : mapping from str to str
        From the name of a computed column to the text of its type.
    labels : sequence of str
        Columns of the table that are compared as text.
    printed : mapping from str to PrintedColumn
        Facts about the columns of floats, by which their cells are compared.
    """
    stored = {name: each for name, each in types.items() if each != STRING}
    beside = Beside(lookups=lookups, types=stored)
    given = beside.given
    names = list(dict.fromkeys([*given, *(n for law in beside.lookups for n in law.columns)]))
    found = dict.fromkeys(given, 0)
    for rows in table.pieces(names) if given else ():
        made, _ = computed(as_levels(rows, [name for name in names if name in labels]), beside)
        for name in given:
            found[name] += _n_differing(rows.column(name), made[name], printed.get(name))
    return found


def _n_differing(cells: Any, made: Any, printed: PrintedColumn | None) -> int:
    """Return the number of computed cells that differ from the cells of a table.

    `printed` has facts about a column of floats, which are compared as they are printed.
    """
    arrow = pyarrow()
    compute = arrow.compute
    if cells.type != made.type:
        pair = [arrow.table([each], names=["column"]) for each in (cells, made)]
        cells, made = (plain(each).column(0) for each in pair)
    if cells.type != made.type:
        return len(cells)
    if printed is not None:
        values, numbers = (np.asarray(each, dtype=np.float64) for each in (made, cells))
        return int((~printed.is_given(values, numbers)).sum())
    absent, not_made = (compute.is_null(each, nan_is_null=True) for each in (cells, made))
    gaps = compute.xor(absent, not_made)
    others = compute.invert(compute.fill_null(compute.equal(cells, made), True))
    nan = compute.and_(absent, not_made)  # NaN is not equal to NaN
    return int(compute.sum(compute.or_(gaps, compute.and_not(others, nan))).as_py() or 0)
