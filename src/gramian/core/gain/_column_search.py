"""Search for columns that explain most of all columns: add, exchange, drop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count

import numpy as np

from gramian._support.blas import symmetric
from gramian._support.types import Array
from gramian.core._tolerances import TIE
from gramian.core.gain._backward_order import backward_order
from gramian.core.gain._best_sets import BestSets, GainRequest
from gramian.core.gain._candidates import ScaledMoments, best_first, largest_gains
from gramian.core.gain._explained import Explained, without_member
from gramian.core.gain._frame import Frames, Member
from gramian.core.gain._monomials import candidates_of
from gramian.core.gain._penalty_decision import Decision
from gramian.core.pursuit import StopReason, Trace
from gramian.core.rows import Rows
from gramian.families import Family

LEAST_GAIN = 1e-4
"""Share of the residual variance that an exchange must gain."""
FEW_COLUMNS = 30
"""Number of columns up to which the last exchanges try all columns."""
PROMISING = 0.95
"""Share of a member's linear gain that a column needs to be tried in its place."""
FEWER_CANDIDATES = 6
"""Ratio of the candidates for an addition to the candidates for the exchange of one member."""
SIZE_GROWTH = 1.1
"""Growth of the set between two rounds of exchanges."""
LARGEST_PENALTY = 1e12
"""Finite penalty that stands for an infinite penalty."""


class Run:
    """A search for the columns that explain most: it holds the selected set, and changes it.

    Parameters
    ----------
    rows, family, asked, callback
        The arguments of `gramian.core.gain.search`.
    decision : Decision
        The held-out rows that choose penalties.
    after : Run, optional
        An earlier search, whose penalties and stored candidates are used.
    rethinks : bool, default=True
        True to exchange columns during the search, too; False to exchange them at its end only.
    """

    def __init__(
        self,
        rows: Rows,
        family: Family,
        asked: GainRequest,
        decision: Decision,
        callback: Callable[[Trace], None] | None,
        after: Run | None = None,
        *,
        rethinks: bool = True,
    ) -> None:
        self.asked = asked
        self._n_rows = rows.n_rows
        self._decision = decision
        self._callback = callback
        covariance = symmetric(rows.covariance())
        self._covariance = covariance * np.multiply.outer(asked.units, asked.units)
        self._whole = float(np.trace(self._covariance))
        self._rethinks = rethinks and asked.exchange
        self._rival = None if rethinks or after is None else after.top
        if after is None:
            self.order = backward_order(rows, family, asked) if asked.backward else None
            """Columns in the order in which they join; None if gains decide."""
            self._frames = Frames(rows, family)
            self._candidates = candidates_of(rows, family, self._frames, covariance)
            self._numbers = count()
        else:
            self.order, self._frames = after.order, after._frames
            self._candidates, self._numbers = after._candidates, after._numbers
        # If the functions are the columns themselves, linear gains are the gains.
        self._is_linear = self._frames.alike and family.count(3) == 3
        n = rows.n_columns
        empty = ScaledMoments(np.empty(0), np.empty(0), np.empty((0, 0)), np.empty((0, n)))
        self.alphas: dict[int, float] = {0: 0.0} if after is None else after.alphas
        """The penalty for each size, chosen when the size was first reached."""
        self.now = self._explained((), empty)
        self.top: Explained = self.now
        """The best of the largest sets."""
        self._best: dict[int, tuple[float, list[int]]] = {0: (0.0, [])}
        """Variance explained by the best set of each size so far, and the set."""
        self._next = 2
        """The size at which the next round of exchanges begins."""
        self._trace = Trace([self._largest], [self._total])
        self._thorough = False
        """True if exchanges try all columns and not only the most promising ones."""

    @property
    def _total(self) -> float:
        """Residual variance of all columns together, after the fit by the selected set."""
        return max(0.0, self._whole - self.now.value)

    @property
    def _tie(self) -> float:
        """Difference up to which two explained variances are equal."""
        return TIE * self._whole

    @property
    def _largest(self) -> float:
        """Residual variance of the column that the selected set explains least."""
        return float(np.maximum(self.now.left.diagonal(), 0.0).max())

    def run(self) -> tuple[BestSets, StopReason]:
        """Select columns until a limit is reached; return the best sets and the limit."""
        for column in self.asked.given:
            self._become(self._with(column))
        while (reason := self._reason()) is None:
            columns = self._joining()
            if not columns:
                reason = "exhausted"
                break
            if self._too_many():
                reason = "max_functions"
                break
            if self._crowded():
                self._become(self._with(columns[0]))
                reason = "saturated"
                break
            self._grow(columns)
            if self._is_time():
                self._reconsider()
            self._take_up()
        self.now = self.top
        if not self._wins:
            return self._found(), reason
        if self.asked.exchange and reason != "saturated":
            self._exchange_all()
            if len(self._covariance) <= FEW_COLUMNS:
                self._thorough = True
                self._exchange_all()
        return self._with_advice(), reason

    @property
    def _wins(self) -> bool:
        """True if this search beats the earlier one: it needs fewer columns, or explains more."""
        if self._rival is None:
            return True
        size, other = len(self.top.frame.members), len(self._rival.frame.members)
        return size < other or self.top.value > self._rival.value + self._tie

    def _is_time(self) -> bool:
        """Return True if so many columns are selected that exchanges of columns are due again."""
        size = len(self.now.frame.members)
        if not self._rethinks or self.order is not None or size < self._next:
            return False
        self._next = size + 1 if self._is_linear else max(size + 1, int(SIZE_GROWTH * size))
        return True

    def _reason(self) -> StopReason | None:
        """Return the reason to stop the search, or None to continue."""
        asked, limits = self.asked, self.asked.limits
        if limits.n_steps is not None and len(self.now.frame.members) >= limits.n_steps:
            return limits.count_name
        if limits.explained is not None and self._trace.explained >= limits.explained:
            return "explained_variance"
        if asked.threshold is not None:
            left = np.maximum(self.now.left.diagonal(), 0.0)
            if asked.relative:
                left = left / np.where(asked.units > 0, asked.units, 1.0) ** 2
            if left.max() <= asked.threshold:
                return "threshold"
        if self._decision.stalled(limits.patience, limits.tolerance):
            return "early_stopping"
        return None

    def _joining(self) -> list[int]:
        """Return the columns of which one is selected next; empty if no column explains more."""
        if self.order is None:
            return self._short_list()
        gains = self.now.linear_gains()
        return [column for column in self.order if gains[column] > 0][:1]

    def _short_list(self) -> list[int]:
        """Return the columns that are not selected with the largest linear gains."""
        n = self.asked.beam if self._is_linear else self.asked.n_candidates
        return largest_gains(self.now.linear_gains(), n)

    def _n_new(self) -> int:
        """Return the number of functions that one more selected column would add."""
        frame = self.now.frame
        others = [c for c in range(len(self._covariance)) if c not in frame.columns]
        return max(len(each.involves) for each in self._frames.newcomers(frame, others[:1]))

    def _crowded(self) -> bool:
        """Return True if one more selected column makes as many functions as there are rows."""
        if self.alphas[len(self.now.frame.members)] > 0:
            return False
        return self.now.frame.n_functions + self._n_new() + 1 >= self._n_rows

    def _too_many(self) -> bool:
        most = self.asked.limits.max_functions
        return most is not None and self.now.frame.n_functions + self._n_new() > most

    def _grow(self, columns: Sequence[int]) -> None:
        """Select the best of `columns`; with `beam` > 1, try several, each with exchanges."""
        before = self.now
        for column in self._best_of(columns):
            self.now = before
            self._become(self._with(column))
            if self.asked.beam > 1:
                self._exchange_all()
        self._take_up()

    def _take_up(self) -> None:
        """Continue with the best set of the largest size, if as many columns are selected now."""
        if len(self.now.frame.members) == len(self.top.frame.members):
            self.now = self.top

    def _best_of(self, columns: Sequence[int]) -> list[int]:
        """Return the columns of `columns` that explain most, at most `asked.beam` of them."""
        if len(columns) == 1:
            return list(columns)
        found = self._candidates.of(columns, self.now.frame, self.now.moments)
        gains = {each.candidate.column: each.value for each in self.now.gains(found)}
        return best_first(gains, TIE * max(gains.values()))[: self.asked.beam]

    def _explained(self, members: Sequence[Member], moments: ScaledMoments) -> Explained:
        """Return the fit of all columns by the columns `members`, with the penalty of this size."""
        frame = self._frames.of(members)

        def fit(alpha: float) -> Explained:
            penalty = min(alpha, LARGEST_PENALTY)
            return Explained(frame, moments, self._covariance, self.asked.units, penalty)

        if len(members) in self.alphas:
            return fit(self.alphas[len(members)])
        chosen = self._decision.choose(fit, self.asked.alphas)
        self.alphas[len(members)] = chosen.alpha
        return chosen

    def _with(self, column: int) -> Explained:
        """Return the fit of all columns by the selected columns and one more column."""
        now = self.now
        (candidate,) = self._candidates.of([column], now.frame, now.moments)
        members = [*now.frame.members, Member(column, next(self._numbers))]
        return self._explained(members, now.joined(candidate))

    def _drop(self, place: int) -> Explained:
        """Return the fit of all columns without the selected column at position `place`."""
        now = self.now
        members = [each for i, each in enumerate(now.frame.members) if i != place]
        return self._explained(members, without_member(now.moments, now.frame, place))

    def _become(self, other: Explained) -> None:
        """Continue with the columns that the fit `other` has selected, and record them."""
        self.now = other
        size, trace = len(other.frame.members), self._trace
        if size > max(self._best):
            trace.n_kept.append(other.frame.n_functions - self.top.frame.n_functions)
            trace.total.append(self._total)
            trace.largest.append(self._largest)
            if self._callback is not None:
                self._callback(trace)
        if self._note(other) and size >= len(self.top.frame.members):
            self.top = other
            trace.total[-1], trace.largest[-1] = self._total, self._largest

    def _note(self, other: Explained) -> bool:
        """Record the columns of a fit if no set of this size explains more; True if recorded."""
        size = len(other.frame.members)
        is_best = size not in self._best or other.value > self._best[size][0] + self._tie
        if is_best:
            self._best[size] = other.value, other.frame.columns
        return is_best

    def _is_better(self, value: float, size: int) -> bool:
        """Return True if an explained variance clearly exceeds that of the best set of `size`."""
        best, _ = self._best[size]
        return value > best + max(LEAST_GAIN * (self._whole - best), self._tie)

    def _reconsider(self) -> None:
        """Exchange columns, and drop a column if the smaller set is then the best of its size."""
        self._exchange_all()
        free = len(self.asked.given)
        while len(self.now.frame.members) > free + 2:
            place = self._cheapest()
            smaller = self._drop(place)
            if not self._is_better(smaller.value, len(smaller.frame.members)):
                return
            self._become(smaller)
            self._exchange_all()

    def _cheapest(self) -> int:
        """Return the position of the column whose loss is smallest; in ties, the last column."""
        losses, free = self.now.losses, len(self.asked.given)
        return int(np.flatnonzero(losses <= losses[free:].min() + self._tie)[-1])

    def _exchange_all(self) -> None:
        """Exchange selected columns for other columns until no exchange explains more."""
        while self._exchange():
            pass

    def _exchange(self) -> bool:
        """Exchange selected columns for other columns; return True if any exchange was made."""
        members = self.now.frame.members
        made = False
        for value, number, column in self._exchanges():
            place = self.now.frame.numbers.index(number) if number in self.now.frame.numbers else -1
            if place < 0 or column in self.now.frame.columns:
                continue
            before = self.now
            if before.frame.members == members and not self._is_better(value, len(members)):
                return made
            self.now = self._drop(place)
            other = self._with(column)
            if self._is_better(other.value, len(members)):
                self._become(other)
                made = True
            else:
                self.now = before
        return made

    def _exchanges(self) -> list[tuple[float, int, int]]:
        """Return (explained variance, number of the column that leaves, new column), best first."""
        now, free = self.now, len(self.asked.given)
        if len(now.frame.members) == free:
            return []
        wanted: dict[int, list[int]] = {}
        gains = now.linear_gains_without()
        for place in range(free, len(now.frame.members)):
            for column in self._instead(place, gains[place]):
                wanted.setdefault(column, []).append(place)
        if not wanted:
            return []
        found = self._candidates.of(list(wanted), now.frame, now.moments)
        values: dict[int, dict[int, float]] = {}
        for gain in now.gains(found):
            column = gain.candidate.column
            for place, value in zip(
                wanted[column], now.exchanges(gain, wanted[column]), strict=True
            ):
                values.setdefault(now.frame.numbers[place], {})[column] = value
        chosen = {number: best_first(each, self._tie)[0] for number, each in values.items()}
        best = {n: values[n][c] for n, c in chosen.items() if values[n][c] > now.value}
        return [(best[number], number, chosen[number]) for number in best_first(best, self._tie)]

    def _instead(self, place: int, gains: Array) -> list[int]:
        """Return columns that may replace the selected column at position `place`, best first."""
        column = self.now.frame.columns[place]
        own, gains[column] = gains[column], 0.0
        if self._thorough:
            return largest_gains(gains, len(gains))
        n = 1 if self._is_linear else -(-self.asked.n_candidates // FEWER_CANDIDATES)
        return [c for c in largest_gains(gains, n) if gains[c] > PROMISING * own]

    def _ordered(self) -> tuple[int, ...]:
        """Return the selected columns, cheapest to drop last; record the best smaller sets."""
        free, last = len(self.asked.given), []
        while len(self.now.frame.members) > free:
            place = self._cheapest()
            last.append(self.now.frame.columns[place])
            self.now = self._drop(place)
            self._note(self.now)
        return (*self.now.frame.columns, *reversed(last))

    def _found(self) -> BestSets:
        """Return the best set of each size, and the variance that it does not explain."""
        sizes = sorted(self._best)
        return BestSets(
            tuple(tuple(self._best[size][1]) for size in sizes[1:]),
            np.array([max(0.0, self._whole - self._best[size][0]) for size in sizes]),
            np.empty(0),
            (),
            np.empty(0),
        )

    def _with_advice(self) -> BestSets:
        """Return the best sets, gains of further columns, and losses without selected columns."""
        self.now = self.top
        columns = self._short_list()
        gains: dict[int, float] = {}
        if columns and not self._crowded():
            known = self._candidates.of(columns, self.now.frame, self.now.moments)
            gains = {each.candidate.column: each.value for each in self.now.gains(known)}
        following = sorted(gains, key=lambda c: -gains[c])
        losses = dict(zip(self.top.frame.columns, self.top.losses, strict=True))
        last = self._ordered()
        found = self._found()
        return replace(
            found,
            columns=(*found.columns[:-1], *([last] if last else [])),
            losses=np.array([losses[c] for c in last]),
            following=tuple(following),
            gains=np.array([gains[c] for c in following]),
        )
