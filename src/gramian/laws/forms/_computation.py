"""Computation of several columns by laws, one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from gramian._support.types import Array
from gramian.laws.forms._column_law import ColumnLaw


def computed_in_turn(
    laws: Iterable[ColumnLaw], known: Mapping[str, Array], n_rows: int
) -> dict[str, Array]:
    """Return the columns that laws compute, each also from columns of earlier laws.

    The check of a fit and the reconstruction both call this function, so that a column comes back
    as it was checked. A law rounds its column as the table prints it, so that the next law
    computes from the same numbers as the table has.

    Parameters
    ----------
    laws : iterable of ColumnLaw
        The laws, in the order of computation. They compute numbers.
    known : mapping from str to array
        The kept columns, by name.
    n_rows : int
        The number of rows; a law may say that a column is constant.

    Returns
    -------
    computed : dict from str to array of shape (n_rows,)
        The columns; NaN where a law gives no number.
    """
    table, computed = dict(known), dict[str, Array]()
    with np.errstate(all="ignore"):
        for law in laws:
            values = np.asarray(law(table), dtype=np.float64)
            values = np.where(np.isfinite(values), values, np.nan)
            computed[law.column] = table[law.column] = np.broadcast_to(values, n_rows)
    return computed
