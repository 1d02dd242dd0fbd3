"""Selection of columns: sums over rows, elimination, exchanges, and a leave-one-out check."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from gramian._support.blas import symmetric
from gramian._support.types import Array
from gramian.core.elimination._backward_elimination import Elimination, Preferences
from gramian.core.elimination._exchange import Choice, KeptSetSearch, Minimal
from gramian.core.elimination._layout import Layout, lay_out
from gramian.core.elimination._layout_sums import FunctionSums, collect
from gramian.core.elimination._left_out_check import LeftOutCheck
from gramian.core.elimination._left_out_evidence import EXACT_SHARE
from gramian.core.elimination._remaining import LARGE
from gramian.core.rows import Rows
from gramian.families import Family

PENALTIES = (0.0, 1e-4, 1e-2, np.inf)
"""Penalties for `alpha="auto"`: the penalty with the fewest kept columns is chosen."""
FEW = 0.2
"""Ratio of functions to rows up to which no penalty is needed."""
MAX_FUNCTIONS = 25_000
"""Largest number of functions: their Gram matrix takes 5 GB."""
MOST_OF_ROWS = 0.9
"""Largest ratio of functions to rows; with more functions there is no evidence for any law."""
CHEAP = 1e9
"""Number of multiplications up to which a leave-one-out check is made before each column is
dropped; above it, only at the end."""
NEARLY_NOTHING = 1e-6
"""Residual share below which columns of the forward pass are ordered by rank alone."""
TIED_GAIN = 1e-9
"""Difference below which gains of columns of variance 1 are equal."""
MOST_COLUMNS_TO_PROVE = 20
"""Largest number of columns for which a proof is tried."""


@dataclass(frozen=True)
class Selection:
    """Columns of a table that follow from the others, and how they were dropped.

    GFA and GCA with ``backward=True`` keep it as the attribute `elimination_`. Columns are given by
    their index in the table. For GCA, read directions for columns, given by their index in the
    basis.

    Attributes
    ----------
    kept : tuple of int
        The columns that were kept, in increasing order.
    dropped : tuple of int
        The dropped columns, in the order in which they were dropped; constant columns first.
    share_when_dropped : array of shape (n_dropped,)
        For each dropped column, the share of its variance that functions of the remaining columns
        did not explain when it was dropped: an estimate for new rows, by generalized
        cross-validation.
    share_left : array of shape (n_dropped,)
        For each dropped column, the share of its variance that functions of the kept columns do not
        explain. Each row is left out of the fit that explains it.
    alternatives : dict from int to tuple of int
        For each dropped column, the kept columns that it could replace.
    needed : tuple of int
        Columns that others explain, but that were kept: without them a dropped column would no
        longer be explained.
    refused : tuple of int
        Columns that were kept because their explanation did not hold when rows were left out.
    minimal : {"proved", "exchanges", "greedy"}
        Kind of minimum of the number of kept columns, given that columns in `refused` are kept.
        "proved": no smaller set explains the others. "exchanges": after no exchange of one column
        can another be dropped. "greedy": no further column can be dropped.
    start : {"all", "forward"}
        "all" if functions of all columns took part. "forward" if all functions were too many: a
        forward pass chose the columns whose functions took part; of each other column, only the
        column itself took part.
    alpha : float
        The penalty of every function but the columns themselves.
    n_functions : int
        The number of functions at the beginning.
    threshold : float
        The share of a column's variance that an explanation may leave.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian import GFA
    >>> celsius, humidity = np.random.default_rng(0).uniform(0, 30, (2, 500))
    >>> X = np.column_stack([celsius, 1.8 * celsius + 32, humidity])
    >>> found = GFA(laws=False).fit(X).elimination_
    >>> found.kept, found.dropped
    ((0, 2), (1,))
    >>> found.alternatives  # column 1 could be kept in place of column 0
    {1: (0,)}
    >>> found.minimal, found.start
    ('exchanges', 'all')
    """

    kept: tuple[int, ...]
    dropped: tuple[int, ...]
    share_when_dropped: Array
    share_left: Array
    alternatives: dict[int, tuple[int, ...]]
    needed: tuple[int, ...]
    refused: tuple[int, ...]
    minimal: Minimal
    start: Literal["all", "forward"]
    alpha: float
    n_functions: int
    threshold: float


def select(
    rows: Rows,
    family: Family,
    *,
    varies: Collection[int] | None = None,
    threshold: float = 1e-3,
    alpha: float | Literal["auto"] = "auto",
    preferences: Preferences | None = None,
    prove: bool = False,
    max_functions: int = MAX_FUNCTIONS,
    progress: Callable[[str], None] | None = None,
) -> Selection:
    """Keep as few columns as possible, such that functions of them explain all other columns.

    The result does not depend on the units or on the order of the columns.

    Parameters
    ----------
    rows : Rows
        The table; columns have mean 0 and variance 1, or are constant.
    family : Family
        The functions that count as an explanation.
    varies : collection of int, optional
        The columns that are not constant. By default all.
    threshold : float, default=1e-3
        The share of a column's variance that an explanation may leave on new rows.
    alpha : float or "auto", default="auto"
        The penalty of every function but the columns themselves. "auto" is 0 if functions are few
        against rows; otherwise the value with the fewest kept columns, by cross-validation.
    preferences : Preferences, optional
        The preferences of the user among columns, by their index in the table.
    prove : bool, default=False
        True to search all sets of up to 20 columns for a smaller kept set.
    max_functions : int, optional
        Largest number of functions. If all columns have more functions than this number, or than
        the number of rows, a forward pass chooses the columns that bring all their functions; the
        other columns bring only themselves.
    progress : callable, optional
        Called with the name of each stage before it begins: "sums", "elimination", "check".

    Examples
    --------
    >>> import numpy as np
    >>> from gramian.core.elimination import select
    >>> from gramian.families import Polynomial
    >>> from gramian.core.rows import centre
    >>> celsius, x, y = np.random.default_rng(0).uniform(1, 2, (3, 500))
    >>> X = np.column_stack([celsius, x * y, 1.8 * celsius + 32, x, y])
    >>> rows, _ = centre(X, None, "column")
    >>> found = select(rows, Polynomial(2))
    >>> found.kept, found.alternatives[2]
    ((0, 3, 4), (0,))
    """
    if not 0 < threshold < 1:
        raise ValueError(
            f"threshold must be a share of a column's variance, between 0 and 1; got {threshold}."
        )
    say = progress or (lambda _: None)
    columns = sorted(range(rows.n_columns) if varies is None else varies)
    constant = tuple(j for j in range(rows.n_columns) if j not in set(columns))
    preferences = preferences or Preferences()
    for j in preferences.keep:
        if not 0 <= j < rows.n_columns:
            last = rows.n_columns - 1
            raise ValueError(f"keep names column {j}, and the table has columns 0 to {last}.")
    say("sums")
    most = min(max_functions, int(MOST_OF_ROWS * rows.effective_n_rows))
    layout, start = _functions(rows, family, columns, most, preferences)
    check = LeftOutCheck(rows, family, layout, threshold)
    preferences = _among(preferences, layout.columns, check.n_levels)
    sums = collect(rows, layout)
    n_functions, prove = len(sums.gram), prove and len(columns) <= MOST_COLUMNS_TO_PROVE
    say("elimination")
    during = check if rows.n_rows * float(n_functions) ** 2 <= CHEAP else None
    choice, penalty = _best(sums, threshold, alpha, preferences, prove, during)
    del sums
    say("check")
    kept, dropped = list(choice.elimination.kept), list(choice.elimination.dropped)
    when = dict(zip(dropped, choice.elimination.share_when_dropped, strict=True))
    refused = list(choice.elimination.refused)
    while True:  # keep columns that fail the check, which may be too expensive during elimination
        left = check.left(kept, dropped, penalty)
        worst = max(dropped, key=left.__getitem__, default=-1)
        if worst < 0 or left[worst] <= threshold:
            break
        dropped.remove(worst)
        kept.append(worst)
        refused.append(worst)
    name = layout.columns.__getitem__
    return Selection(
        tuple(sorted(map(name, kept))),
        constant + tuple(map(name, dropped)),
        np.array([0.0] * len(constant) + [when[j] for j in dropped]),
        np.array([0.0] * len(constant) + [left[j] for j in dropped]),
        {
            **dict.fromkeys(constant, ()),
            **{name(j): tuple(map(name, choice.alternatives.get(j, ()))) for j in dropped},
        },
        tuple(sorted(map(name, choice.elimination.needed))),
        tuple(sorted(map(name, refused))),
        choice.minimal,
        start,
        penalty,
        n_functions,
        threshold,
    )


def _among(
    preferences: Preferences, columns: Sequence[int], n_levels: Callable[[int], int]
) -> Preferences:
    """Return preferences for `columns` only, numbered by their position in `columns`."""
    keep = frozenset(i for i, j in enumerate(columns) if j in set(preferences.keep))
    priority = [preferences.priority_of(j) for j in columns]
    order = [preferences.order_of(j) for j in columns]
    return Preferences(keep, priority, order, lambda i: n_levels(columns[i]))


def _functions(
    rows: Rows,
    family: Family,
    columns: Sequence[int],
    max_functions: int,
    preferences: Preferences,
) -> tuple[Layout, Literal["all", "forward"]]:
    """Return the functions of all columns, if these are not too many ("all").

    Otherwise ("forward") a forward pass orders the columns: the first ones bring all their
    functions, and the others only themselves.
    """
    layout = lay_out(rows, family, columns, most=max_functions)
    if len(layout.blocks) == len(columns):
        return layout, "all"
    ranks = [preferences.order_of(j) for j in columns]
    order = [columns[i] for i in forward_order(rows.covariance(), columns, ranks)]
    # Columns that the user wants to keep come first, because they must explain the others.
    order.sort(key=lambda j: (j not in preferences.keep, -preferences.priority_of(j)))
    return lay_out(rows, family, order, most=max_functions), "forward"


def forward_order(covariance: Array, columns: Sequence[int], ranks: Sequence[int]) -> list[int]:
    """Return the positions of columns; columns that explain most of the others come first.

    The gain of column j is ‖Σe_j‖² / Σ_jj, with the residual covariance Σ of columns of variance 1:
    neither units nor the order of columns matter. Among equal gains the smaller rank comes first.
    Columns with nearly no residual variance come last, by rank.
    """
    left = symmetric(covariance)[np.ix_(list(columns), list(columns))]
    order: list[int] = []
    while True:
        variances = left.diagonal()
        # A smaller divisor would magnify rounding errors.
        new = variances > NEARLY_NOTHING
        new[order] = False
        if not new.any():
            break
        squares = np.einsum("ij,ij->j", left, left)
        gain = np.divide(squares, variances, out=np.full(len(left), -np.inf), where=new)
        equals = np.flatnonzero(gain >= gain.max() - TIED_GAIN).tolist()
        order.append(min(equals, key=lambda i: ranks[i]))
        column = left[:, order[-1]].copy()
        left -= np.multiply.outer(column, column / column[order[-1]])
    others = {*range(len(columns))} - {*order}
    return [*order, *sorted(others, key=lambda i: ranks[i])]


def _best(
    sums: FunctionSums,
    threshold: float,
    alpha: float | Literal["auto"],
    preferences: Preferences,
    prove: bool,
    check: LeftOutCheck | None,
) -> tuple[Choice, float]:
    """Return the best elimination, and the penalty with which it was found.

    If `alpha` is "auto", it is the penalty with the fewest kept columns. The other parameters are
    those of `select`; `check` is None to skip the check with left-out rows.
    """
    large = len(sums.gram) > LARGE
    penalties: Sequence[float]
    if alpha != "auto":
        penalties = [float(alpha)]
    elif len(sums.gram) <= max(sums.n_variables, FEW * sums.n_rows):
        penalties = [0.0]  # the columns themselves have no penalty
    else:
        penalties = [np.inf, 0.0] if large else PENALTIES
    found: list[tuple[tuple[int, float, float], Elimination, KeptSetSearch]] = []
    for penalty in penalties:
        confirm = None if check is None else check.confirm(penalty)
        search = KeptSetSearch(sums, threshold, penalty, preferences, confirm)
        eliminator = search.eliminator(overwrite=penalty == penalties[-1])
        # A penalty never lowers residuals on the rows of the fit: no other penalty can help.
        hopeless = penalty == 0 and eliminator.least_share > threshold
        elimination = eliminator.run()
        left = float(np.sum(np.maximum(elimination.share_left, EXACT_SHARE)))
        found.append(((len(elimination.kept), left, penalty), elimination, search))
        if hopeless:
            break
    (_, _, penalty), elimination, search = min(found, key=lambda item: item[0])
    if large:
        return Choice(elimination, {}, "greedy"), penalty
    return search.reconsider(elimination, prove=prove), penalty
