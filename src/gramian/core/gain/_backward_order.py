"""Order of columns by backward elimination: the column with the smallest loss is dropped first."""

from __future__ import annotations

import numpy as np

from gramian._support.types import Array
from gramian.core._tolerances import TIE
from gramian.core.elimination import MAX_FUNCTIONS, Remaining, collect, lay_out
from gramian.core.gain._best_sets import GainRequest
from gramian.core.rows import Rows
from gramian.families import Family

MOST_FUNCTIONS_PER_ROW = 0.5
"""Ratio of functions to rows above which least squares say little about lost variance."""


def backward_order(rows: Rows, family: Family, asked: GainRequest) -> list[int]:
    """Drop columns one by one; each step drops the column with the smallest loss of variance.

    Let G be the covariance of the functions of the remaining columns, P their penalties, H = (G +
    P)⁻¹, β the coefficients of the fit, and B the functions that involve column j. Dropping j costs
    βᵀ(H[B, B])⁻¹β of each column dropped before, and the residual variance of j itself. The
    remaining columns explain themselves.

    Parameters
    ----------
    rows : Rows
        The table.
    family : Family
        The functions.
    asked : GainRequest
        The request. Given columns are never dropped. If held-out rows are to choose among several
        penalties, the penalty is zero here.

    Returns
    -------
    order : list of int
        The columns that vary, without the given columns; the last dropped column comes first.
    """
    columns = np.flatnonzero(asked.units > 0).tolist()
    alpha = asked.alphas[0] if len(asked.alphas) == 1 else 0.0
    most = MAX_FUNCTIONS if alpha > 0 else min(MAX_FUNCTIONS, MOST_FUNCTIONS_PER_ROW * rows.n_rows)
    layout = lay_out(rows, family, columns, most=most)
    if len(layout.blocks) < len(columns):
        raise ValueError(
            f"backward=True begins with the functions of all {len(columns)} columns, and these are "
            f"more than {most:.0f}"
            + (f", half of the {rows.n_rows} rows" if most < MAX_FUNCTIONS else "")
            + ". Use a smaller degree, or backward=False"
            + ("." if alpha > 0 else ", or a penalty such as alpha=0.01 if rows are few.")
        )
    remaining = Remaining(collect(rows, layout), alpha)
    variances = asked.units[columns] ** 2
    given = {columns.index(column) for column in asked.given}
    while len(remaining.variables) > max(1, len(given)):
        free = [j for j in remaining.variables if j not in given]
        losses = np.array([_loss(remaining, j, variances) for j in free])
        equals = np.flatnonzero(losses <= losses.min() * (1 + TIE) + TIE * variances.sum())
        remaining.remove(free[equals[-1]])
    last = [j for j in remaining.variables if j not in given]
    return [columns[j] for j in [*last, *reversed(remaining.removed)]]


def _loss(remaining: Remaining, variable: int, variances: Array) -> float:
    """Return the variance of all columns that would be lost by dropping a column.

    Parameters
    ----------
    remaining : Remaining
        The columns that are not dropped yet.
    variable : int
        The column that would be dropped next.
    variances : array of shape (n_columns,)
        The variances of all columns.
    """
    of_others = remaining.losses(variable) @ variances[remaining.removed]
    return float(of_others + remaining.share(variable) * variances[variable])
