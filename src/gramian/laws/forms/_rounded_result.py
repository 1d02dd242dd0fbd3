"""How the results of a law were rounded: the middle between two numbers up, or to even."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from gramian._support.types import Array
from gramian.laws.columns import Printed, Rounding
from gramian.laws.forms._column_law import ColumnLaw


def rounding_of_result(law: ColumnLaw, rows: Mapping[str, Array]) -> Rounding:
    """Return the rounding with which a law gives most cells of its column.

    The middle between two numbers is rounded to even if the rows do not tell.

    Parameters
    ----------
    law : ColumnLaw
        A law whose result is not rounded.
    rows : mapping from str to array
        Columns of numbers in some rows, among them that of the law.
    """
    cells = rows[law.column]
    even = Printed.of(cells).rounding
    up = replace(even, half_up=True)
    if even.decimals is None or not {*law.columns} <= {*rows}:
        return even
    with np.errstate(all="ignore"):
        n_even, n_up = (int((law.rounded_to(each)(rows) == cells).sum()) for each in (even, up))
    return up if n_up > n_even else even
