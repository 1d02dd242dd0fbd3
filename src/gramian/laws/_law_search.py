"""Search for laws among numbers: tests candidate laws, stage by stage, and collects the laws."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain

import numpy as np

from gramian._support.time_limit import OutOfTimeError, check_time
from gramian._support.types import Array, IntArray
from gramian.laws._law_tolerances import EXACT_ERROR
from gramian.laws._search_progress import StageReport
from gramian.laws.candidates import (
    SMALL_TABLE,
    Candidate,
    Generator,
    SearchContext,
    Stage,
)
from gramian.laws.columns import Traits
from gramian.laws.forms import Law, Values
from gramian.laws.judge import (
    CONSEQUENCE,
    FEW_ROWS,
    ROUNDED_CONSEQUENCE,
    Control,
    Verdict,
    among_steps,
    divided_rows,
    has_odd_number,
    is_consequence,
    judge_mostly,
    judge_noisy,
    law_length,
    oddness,
    of_another_column,
    repeats,
    rows_that_hold,
    snapped,
    with_best_factor,
    without_echoes,
)

FEWER_ROWS = 1_000
"""Approximate number of rows that are used to choose among laws with few terms."""
NEARLY_ALL = 0.85
"""If a column is given to its last digit in this share of the rows, the others are exceptions."""
TOGETHER = 0.99
"""Columns go together if their correlation is at least this."""
SEVERAL = 3
"""If this many columns go together with a column, it has no law with noise."""
GRADIENT_ROWS = 30
"""Number of rows in which gradients are compared, to detect laws that follow from others."""


class LawSearch:
    """Search for laws among the numeric columns of a table without missing values.

    Parameters
    ----------
    x : array of shape (n_rows, n_columns)
        The table.
    traits : sequence of Traits
        The traits of the columns.
    tolerance : float
        The largest error of the column that a law with noise gives, as a share of its deviation.
    report : function, optional
        Function that is called at the start of each stage, with the name of the stage, the number
        of finished stages, and the number of all stages.
    seed : int, default=0
        The seed of the random choice of held-out rows.
    known : list of Law, optional
        Laws of these columns that were already found in an earlier search with more rows.
    settled : list of set of int, optional
        Sets of columns that were already searched; laws within one of these sets are ignored.
    groups : array of shape (n_rows,), optional
        The number of the group of each row; the held-out rows are whole groups.
    """

    def __init__(
        self,
        x: Array,
        traits: Sequence[Traits],
        *,
        tolerance: float,
        report: StageReport = lambda stage, done, total: None,
        seed: int = 0,
        known: Sequence[Law] = (),
        settled: Sequence[set[int]] = (),
        groups: IntArray | None = None,
    ) -> None:
        scale = np.array([each.scale for each in traits])
        train, test = divided_rows(len(x), seed, groups)

        def taken(rows: IntArray) -> Values:
            some = None if groups is None else groups[rows]
            return Values(np.asfortranarray(x[rows]), scale, traits, some)

        self.train = taken(train)
        judges = taken(test) if len(test) else None
        # A threshold lies between the values of two rows, and both rows are needed to find it.
        every = Values(x, scale, traits, groups)
        self.control = Control(self.train, judges, seed, every)
        self.found: list[Verdict] = []
        few = self.train.take(np.arange(0, len(train), max(1, len(train) // FEWER_ROWS)))
        self._context = SearchContext(self.train, few, every, known, settled, tolerance)
        self._tolerance = tolerance
        self._report = report
        step = max(1, len(train) // GRADIENT_ROWS)
        self._points = self.train.take(np.arange(0, len(train), step)[:GRADIENT_ROWS])

    def run(self, stages: Sequence[Stage]) -> None:
        """Search stage by stage, until the time limit stops the search.

        Parameters
        ----------
        stages : sequence of Stage
            The stages to run: `SIMPLE_STAGES` or `ALL_STAGES`.
        """
        judges = {
            "exact": self._exact,
            "printed": self._printed,
            "noisy": self._noisy,
            "mostly": self._mostly,
            "shortest": self._shortest,
        }
        try:
            for i, stage in enumerate(stages):
                self._report(stage.name, i, len(stages))
                self._context.start_stage()
                judges[stage.judged](stage.generators)
                check_time()
        except OutOfTimeError:
            pass  # the laws that were found are the result
        self.found = without_echoes(self.found)

    @property
    def n_unsearched(self) -> int:
        """The number of columns that were too many for some stages; 0 if all stages ran."""
        return self._context.n_unsearched

    def _candidates(self, generators: Sequence[Generator]) -> Iterator[Candidate]:
        return chain.from_iterable(generator(self._context) for generator in generators)

    def _believe(self, verdict: Verdict) -> None:
        """Add an accepted law to `found`, unless it is a consequence of laws accepted before."""
        law, context = verdict.law, self._context
        if any(each.issuperset(law.columns) for each in context.settled):
            return
        if not law.is_writable(self.train.scale):
            return
        tolerance = ROUNDED_CONSEQUENCE if verdict.rounding else CONSEQUENCE
        if is_consequence(law, context.laws, self._points, tolerance):
            return
        if among_steps(law, context.laws) or repeats(verdict, self._exact_laws, self.train):
            return
        self.found.append(verdict)
        context.add(law, verdict.target)

    def _exact(self, generators: Sequence[Generator]) -> None:
        """Test candidates for exact laws, and accept each exact law immediately."""
        for candidate in self._candidates(generators):
            law, n_tried, _ = candidate
            judge = partial(self.control.judge, n_tried=n_tried)
            verdict = self._rounded_first(law, judge) if self._is_whole(law) else judge(law)
            if verdict is not None:
                self._believe(verdict)
            check_time()

    def _printed(self, generators: Sequence[Generator]) -> None:
        """Accept laws whose errors are no larger than the rounding of the numbers in the table.

        First, the test assumes that only one column is rounded, and that it was computed from the
        values in the table. Then all candidates are tested again; now all columns may be rounded.
        """
        seen: dict[int, Candidate] = {}
        for candidate in self._candidates(generators):
            check_time()
            seen[id(candidate.law)] = candidate
            self._consider_printed(candidate)
        for candidate in seen.values():
            check_time()
            self._consider_printed(candidate._replace(target=None))

    def _consider_printed(self, candidate: Candidate) -> None:
        law, n_tried, target = candidate
        if target is not None:
            law = with_best_factor(law, self.control.all_rows, target)
        verdict = self._rounded_first(
            law, lambda choice: self.control.judge_printed(choice, n_tried, target)
        )
        if verdict is not None:
            self._believe(self._with_exceptions(verdict, n_tried))

    def _with_exceptions(self, verdict: Verdict, n_tried: float) -> Verdict:
        """Return the verdict with exceptions if nearly all rows give a column to its last digit.

        The coarse digits of other columns would hide wrong cells: if area = x · y gives the area to
        the cent in most rows, the other rows are wrong, although x has one decimal only.
        """
        law, values = verdict.law, self.train
        if verdict.noise is not None:
            return verdict
        decimals = {i: values.traits[i].precision.decimals for i in law.columns}
        shares = {
            i: float(np.mean(rows_that_hold(law, values, i)))
            for i, number in decimals.items()
            if number is not None
        }
        nearly = [i for i, share in shares.items() if share >= NEARLY_ALL]
        finest = max(
            nearly,
            key=lambda i: (decimals[i] or 0, i == verdict.target, shares[i]),
            default=None,
        )
        if finest is None or shares[finest] == 1 or (finest == verdict.target and verdict.rows):
            return verdict
        return judge_mostly(self.control, law, n_tried, finest) or verdict

    def _rounded_first(self, law: Law, judge: Callable[[Law], Verdict | None]) -> Verdict | None:
        """Return the verdict on a law with round coefficients, or on the law itself, or None."""
        if not law.is_writable(self.train.scale):
            return None
        # If all numbers are whole, many digits of a coefficient may stand for a lacking constant.
        choices = (snapped(law, self.train), None if self._is_whole(law) else law)
        verdicts = (judge(choice) for choice in choices if choice is not None)
        return next((verdict for verdict in verdicts if verdict is not None), None)

    def _is_whole(self, law: Law) -> bool:
        """Return True if a law is a sum of columns of whole numbers."""
        return law.is_linear and all(self.train.traits[i].whole for i in law.columns)

    def _mostly(self, generators: Sequence[Generator]) -> None:
        """Accept laws that most rows obey, simple laws first: wrong cells are exceptions.

        A wrong cell breaks all laws of its column. So each round searches in the rows that obey the
        laws of the rounds before.
        """
        context, control = self._context, self.control
        everything = context.train
        waiting: list[Verdict] = []
        """Laws that may follow from laws that a later round finds."""
        while True:
            pool = []
            for law, n_tried, target in self._candidates(generators):
                check_time()
                if target is not None:
                    law = with_best_factor(law, control.all_rows, target)
                verdict = self._rounded_first(
                    law, partial(judge_mostly, control, n_tried=n_tried, target=target)
                )
                if verdict is not None:
                    verdict = self._in_all_rows(verdict, control)
                    pool.append(self._with_exceptions(verdict, n_tried))
            before = len(self.found)
            for verdict in sorted(pool, key=lambda verdict: oddness(verdict, everything)):
                given = verdict.target in {each.target for each in self.found}
                if len(self.found) > before and (given or has_odd_number(verdict, everything)):
                    waiting.append(verdict)
                else:
                    self._believe_first(verdict)
            if len(self.found) == before:
                for verdict in sorted(waiting, key=lambda verdict: oddness(verdict, everything)):
                    self._believe_first(verdict)
                waiting = []
            found = [each for each in self.found[before:] if each.rows is not None]
            control = control.of_rows_that_obey(found)
            if not found or control.train.n_rows < FEW_ROWS:
                break
            context.train = control.train
        context.train = everything

    def _believe_first(self, verdict: Verdict) -> None:
        """Add an accepted law to `found` unless a law of the same columns was accepted before."""
        columns = {*verdict.law.columns}
        if not any({*each.columns} == columns for each in self._context.laws):
            self._believe(verdict)

    def _in_all_rows(self, verdict: Verdict, control: Control) -> Verdict:
        """Return a verdict with the share of all rows that obey its law.

        `control` is the judge, which may have seen only the rows that obey other laws.
        """
        return verdict if control is self.control else self.control.seen_in_all(verdict)

    def _shortest(self, generators: Sequence[Generator]) -> None:
        """Replace the accepted laws by the shortest laws that imply them.

        Laws are independent if their gradients are, so that the shortest laws are found one after
        the other, as a spanning tree is.
        """
        context = self._context
        pool = [*self.found]
        clean = self.control.of_rows_that_obey([each for each in pool if each.rows])
        if clean.train.n_rows < FEW_ROWS:
            return
        context.train, everything = clean.train, context.train
        for law, n_tried, target in self._candidates(generators):
            check_time()
            verdict = self._rounded_first(
                law, partial(judge_mostly, clean, n_tried=n_tried, target=target)
            )
            if verdict is not None:
                verdict = self._in_all_rows(verdict, clean)
                pool.append(self._with_exceptions(verdict, n_tried))
        context.train = everything
        # Of two laws of one length, that of more columns has simpler numbers.
        ranked = sorted(
            (law_length(each, everything), -len(each.law.columns), k) for k, each in enumerate(pool)
        )
        lengths = [(length, pool[k]) for length, _, k in ranked]
        context.start_over()
        self.found = []
        for length, verdict in lengths:
            self._believe(of_another_column(verdict, length[0], lengths, self.found))

    def _noisy(self, generators: Sequence[Generator]) -> None:
        """Accept the noisy law with the shortest description; repeat until no law is new."""
        context = self._context
        while self._tolerance > EXACT_ERROR and len(context.free) > 1:
            pool = []
            for law, n_tried, _ in self._candidates(generators):
                check_time()
                verdict = judge_noisy(self.control, law, n_tried, self._tolerance)
                if verdict is not None:
                    pool.append(verdict)
            pool.sort(key=lambda verdict: verdict.length)
            before = len(self.found)
            for verdict in [self._in_fewer_columns(each, pool) for each in pool]:
                law = verdict.law
                free = set(law.columns) <= set(context.free)
                if free and not self._approximates(law) and not self._is_one_of_many(verdict):
                    self._believe(verdict)
                    if len(self.found) > before and len(context.free) < SMALL_TABLE:
                        break
            if len(self.found) == before:
                return

    @property
    def _exact_laws(self) -> list[Law]:
        """The accepted laws without noise."""
        return [*self._context.known, *(each.law for each in self.found if each.noise is None)]

    def _in_fewer_columns(self, verdict: Verdict, pool: Sequence[Verdict]) -> Verdict:
        """Return the law of a pool that says the same in fewer columns, else the verdict itself.

        If va = volt · amp, a law of va, amp and y is one of volt and y.
        """
        given = {*verdict.law.columns}
        for law in self._exact_laws:
            further = {*law.columns} - given
            given |= further if len(further) == 1 else set()
        if len(given) == len(verdict.law.columns):
            return verdict
        fewer = [
            each
            for each in pool
            if {*each.law.columns} < given and len(each.law.columns) < len(verdict.law.columns)
        ]
        return fewer[0] if fewer else verdict

    def _approximates(self, law: Law) -> bool:
        """Return True if accepted laws say more about columns of a law with noise.

        Columns that are computed from each other also go together in other ways. If a law with
        noise has all columns of an exact law, one of these columns says nothing new.
        """
        columns = {*law.columns}
        return columns <= self._context.tied_to(law.columns[0]) or any(
            columns.issuperset(each.columns) for each in self._exact_laws
        )

    def _is_one_of_many(self, verdict: Verdict) -> bool:
        """Return True if several columns go together with the column of a law with noise.

        Of neighbouring years, each is nearly a sum of some others, and none is computed from them.
        """
        context, target = self._context, verdict.target
        if verdict.noise is None or target is None:
            return False
        tied = context.tied_to(target)
        others = [i for i in context.varying if i not in tied]
        if len(others) < SEVERAL:
            return False
        related: Array = np.asarray(np.corrcoef(self.train.x[:, [target, *others]], rowvar=False))
        return int((np.abs(related[0, 1:]) >= TOGETHER).sum()) >= SEVERAL
