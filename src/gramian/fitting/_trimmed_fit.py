"""Fit to most rows: rows with wrong cells are left out where they would decide the fit.

Tables in memory only. A screen looks for cells far beyond the tail of their column, and, if columns
may be dropped although some rows differ, for functions of columns that most rows obey. If the
screen finds nothing, the fit is the fit to all rows. Otherwise fits are repeated on the rows near
the fit before, until these rows stay: least trimmed squares, in function space.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from gramian._support.types import Array, IntArray
from gramian.core.elimination import EXACT_SHARE, WRONG, wrong_rows
from gramian.core.rows import far_rows, first_of_equal, moderate_rows
from gramian.fitting._algorithm import Algorithm, Dropping
from gramian.fitting._cautions import NearLaw
from gramian.fitting._checked_data import ArrayData, CheckedData
from gramian.fitting._fitted_model import FittedModel
from gramian.fitting._kept_variables import RedundancySearch
from gramian.fitting._plan import Plan

MOST_TRIMMED = 0.2
"""Largest share of the rows that is trimmed. If more rows seem to be wrong, none is trimmed."""
MOST_COLUMNS = 100
"""Wider tables are not trimmed: columns that are nearly always zero, as in images, look far."""
OF_KEPT = "a function of the kept columns"
"""Text in place of the law of a column that functions of the fit compute."""
STEPS = 10
"""Largest number of concentration steps."""
NEAR = 5.0
"""Largest residual of a row that is kept, in robust standard deviations from the median. Cube roots
of squared residuals are compared: they are nearly normal (Wilson and Hilferty)."""
LARGE = 0.95
"""Share of the rows of a fit whose residuals are at most large."""
LONG = 2.5
"""Ratio to a large residual up to which a residual belongs to a long tail, and its row is kept."""
TO_DEVIATION = 1.4826
"""Factor from the median distance to the standard deviation of normal numbers."""
MOST_WRONG = 0.05
"""Largest share of the rows that may break the function of a component (GCA)."""
TURNS = 3
"""Number of times that directions are computed from the rows that are left."""
MOST_STAYING = 5
"""Number of fits in which more and more columns stay, because wrong cells of them would be lost."""
ROUNDING = 1e-9
"""Rounding error of a column that a law computes, in its standard deviations."""
Mask = NDArray[np.bool_]


def fit_most_rows(plan: Plan, data: CheckedData) -> FittedModel:
    """Fit to the rows without wrong cells, or to all rows if no cell is suspicious.

    Parameters
    ----------
    plan : Plan
        The steps of the fit.
    data : CheckedData
        The data. Only dense tables in memory are trimmed, and only without a checkpoint.
    """
    in_memory = isinstance(data, ArrayData) and not issparse(data.table)
    if (
        not in_memory
        or data.n_columns > MOST_COLUMNS
        or not plan.algorithm.trims
        or plan.requests[0].checkpoint is not None
    ):
        return plan.fit_any(data)
    assert isinstance(data, ArrayData)
    dropping = plan.algorithm.dropping
    suspicious = far_rows(data.table) is not None
    if not suspicious and (dropping is None or not dropping.allows):
        return plan.fit_any(data)
    trimmed = _TrimmedFit(plan, data, suspicious)
    return trimmed.of_residuals() if dropping is None else trimmed.of_functions(dropping)


@dataclass(frozen=True)
class _TrimmedFit:
    """A fit to most rows of a table in memory."""

    plan: Plan
    data: ArrayData
    suspicious: bool
    """True if the table has cells far beyond the tail of their column."""

    @cached_property
    def positive(self) -> IntArray:
        """The numbers of the rows that have a positive weight."""
        weights = self.data.weights
        n_rows = len(self.data.table)
        return np.arange(n_rows) if weights is None else np.flatnonzero(weights > 0)

    @cached_property
    def equal(self) -> tuple[IntArray, IntArray]:
        """The first of equal rows, and the number of each row; see `first_of_equal`."""
        return first_of_equal(self.data.table[self.positive])

    @cached_property
    def table(self) -> Array:
        """The different rows: copies and weights do not change which rows are trimmed."""
        found: Array = self.data.table[self.positive[self.equal[0]]]
        return found

    @cached_property
    def far(self) -> Mask:
        """Mask of the different rows that have cells far beyond the tail of their column."""
        found = far_rows(self.table) if self.suspicious else None
        return np.zeros(len(self.table), dtype=bool) if found is None else found

    @cached_property
    def start(self) -> Mask:
        """Mask of the different rows with which concentration begins."""
        return ~self.far & moderate_rows(self.table, 1 - MOST_TRIMMED)

    def taken(self, kept: Mask) -> ArrayData:
        """Return some of the different rows, with all their copies."""
        return self.data.take(self._mask(kept))

    def fit(self, kept: Mask, algorithm: Algorithm | None = None) -> FittedModel:
        """Fit to some of the different rows, with all their copies.

        Parameters
        ----------
        kept : array of bool
            Mask of the rows.
        algorithm : Algorithm, optional
            The algorithm, in place of that of the plan.
        """
        plan = self.plan if algorithm is None else replace(self.plan, algorithm=algorithm)
        return replace(plan.fit_any(self.taken(kept)), trimmed=np.flatnonzero(~self._mask(kept)))

    def _mask(self, kept: Mask) -> Mask:
        """Return a mask of all rows; rows without a weight are in it."""
        every = np.ones(len(self.data.table), dtype=bool)
        every[self.positive] = kept[self.equal[1]]
        return every

    def fit_all(self) -> FittedModel:
        """Fit to all rows."""
        return self.plan.fit_any(self.data)

    def of_residuals(self) -> FittedModel:
        """Trim the rows with the largest residuals of the pursuit, again and again."""
        if not 0 < self.far.mean() <= MOST_TRIMMED:
            return self.fit_all()
        kept = self.start
        model = self.fit(kept)
        for _ in range(STEPS):
            near = near_rows(*model.errors(self.table), kept, self.far)
            if (near == kept).all():
                break
            kept = near
            model = self.fit(kept)
        return model

    def of_functions(self, dropping: Dropping) -> FittedModel:
        """Trim the rows that break functions by which candidates are dropped.

        The fit to all rows is the result, unless more candidates are dropped without these rows, or
        unless far cells would decide which directions are candidates.
        """
        wrong = self.far
        if dropping.exceptions:
            wrong = self.far | self._wrong(dropping)
        if not 0 < wrong.mean() <= MOST_TRIMMED:
            return self.fit_all()
        if dropping.keeping is None:
            model = self.fit(~wrong)
            if self.far.any():
                return model
        else:
            algorithms = dropping.keeping(self.taken(~wrong))
            model = self._without_losses(~wrong, algorithms, dropping.exceptions)
        whole = self.fit_all()
        return model if _n_dropped(model) > _n_dropped(whole) else whole

    def _wrong(self, dropping: Dropping) -> Mask:
        """Return a mask of the different rows that break functions which other rows obey."""
        request = self.plan.requests[0]
        assert request.threshold is not None
        complete = ~np.isnan(self.table).any(axis=1) & ~self.far
        wrong = np.zeros(len(self.table), dtype=bool)
        for _ in range(TURNS if dropping.directions else 1):
            used = self.start & complete & ~wrong
            if used.sum() < 2:
                break
            candidates = self.table[complete]
            if dropping.directions:
                problem = replace(
                    self.data, table=self.table[used], weights=None, groups=None
                ).problem(self.plan.preparation, None)
                centring = problem.centring
                axes = dropping.directions(problem)
                candidates = (candidates - centring.mean) / centring.scale @ axes.T
            found = wrong_rows(
                candidates,
                used[complete],
                request.family,
                threshold=request.threshold,
                most=dropping.exceptions,
            )
            before = wrong.copy()
            wrong[complete] |= found
            if (wrong == before).all():
                break
        return wrong

    def _without_losses(
        self, kept: Mask, algorithms: Callable[[frozenset[int]], Algorithm], exceptions: float
    ) -> FittedModel:
        """Fit to some rows, and keep columns that would be lost in too many of the other rows.

        Parameters
        ----------
        kept : array of bool
            Mask of the rows.
        algorithms : callable
            Function from columns to the algorithm that never drops them.
        exceptions : float
            The largest share of the other rows in which a dropped column may be lost.
        """
        stay = frozenset(_varying(self.table) - _varying(self.table[kept]))
        for _ in range(MOST_STAYING):
            model = self.fit(kept, algorithms(stay))
            missed = self._missed(model, kept)
            lost = [j for j, share in missed.items() if share > exceptions]
            if not lost:
                return replace(model, near_laws=self._near_laws(model, missed))
            stay |= frozenset(lost)
        return self.fit_all()

    def _near_laws(self, model: FittedModel, missed: Mapping[int, float]) -> tuple[NearLaw, ...]:
        """Return the laws with exceptions of a model, counted in all rows for dropped columns."""
        texts = {law.column: law.text for law in model.laws}
        n_rows = int((~np.isnan(self.table).any(axis=1)).sum())
        dropped = [
            NearLaw(name, texts.get(name, OF_KEPT), round(share * n_rows), n_rows, dropped=True)
            for name, share in ((model.column_names[j], share) for j, share in missed.items())
            if share
        ]
        return (*(each for each in model.near_laws if not each.dropped), *dropped)

    def _missed(self, model: FittedModel, kept: Mask) -> dict[int, float]:
        """Return, for each dropped column, the share of rows in which it is wrong."""
        complete = ~np.isnan(self.table).any(axis=1)
        table = self.table[complete]
        raw = table[:, model.kept.chosen]
        decoded = model.decode(model.kept.encode(model.centre(table)), raw=raw)
        by_law = {law.column for law in model.laws}
        found = {}
        for j in np.setdiff1d(np.arange(model.n_columns), model.kept.chosen).tolist():
            residuals = np.abs(table[:, j] - decoded[:, j])
            usual = TO_DEVIATION * np.median(residuals[kept[complete]])
            exact = ROUNDING if model.column_names[j] in by_law else np.sqrt(EXACT_SHARE)
            least = exact * np.std(table[kept[complete], j])
            found[j] = float(np.mean(~(residuals <= WRONG * max(usual, least))))
        return found


def near_rows(errors: Array, sizes: Array, kept: Mask, far: Mask) -> Mask:
    """Return a mask of the rows near a fit.

    Parameters
    ----------
    errors, sizes : arrays of shape (n_rows,)
        The squared distances of rows from their reconstruction, and from the mean.
    kept : array of bool
        Mask of the rows of the fit.
    far : array of bool
        Mask of the rows that are never near.
    """
    roots = np.cbrt(errors + EXACT_SHARE * np.median(sizes[kept]))
    median = np.median(roots[kept])
    deviation = TO_DEVIATION * np.median(np.abs(roots[kept] - median))
    limit = max(
        median + NEAR * deviation,
        LONG ** (2 / 3) * np.quantile(roots[kept], LARGE),
        np.quantile(roots, 1 - MOST_TRIMMED),
    )
    return np.asarray((roots <= limit) & ~far)


def _n_dropped(model: FittedModel) -> int:
    """Return the number of candidates that are functions of others."""
    assert isinstance(model.search, RedundancySearch)
    return len(model.search.redundant)


def _varying(table: Array) -> set[int]:
    """Return the columns with more than one value."""
    varies = ~(np.fmax.reduce(table) == np.fmin.reduce(table))
    return set(np.flatnonzero(varies).tolist())
