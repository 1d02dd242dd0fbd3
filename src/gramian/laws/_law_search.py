"""Search for laws among numbers: judges the candidates of each stage, and lists each law once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain

import numpy as np

from gramian._support.types import Array
from gramian.laws._law_tolerances import EXACT_ERROR
from gramian.laws._search_progress import OutOfTimeError, StageReport
from gramian.laws.candidates import SMALL_TABLE, Candidate, Generator, SearchContext, Stage
from gramian.laws.columns import Traits
from gramian.laws.forms import Law, Values
from gramian.laws.judge import (
    FEW_ROWS,
    Control,
    Verdict,
    among_steps,
    is_consequence,
    snapped,
    without_echoes,
)

HELD_OUT_SHARE = 0.25
"""Share of rows that judge laws, and take no part in finding them."""
MAX_ROWS = 2_000
"""Largest number of rows in which laws are found."""
MAX_JUDGES = 2_000
"""Largest number of held-out rows."""
FEWER_ROWS = 1_000
"""About the number of rows that choose among short laws."""
GRADIENT_ROWS = 30
"""Largest number of rows in which gradients of laws are compared."""


class LawSearch:
    """Search for the laws of a table without missing values.

    Parameters
    ----------
    x : array of shape (n_rows, n_columns)
        The table.
    traits : sequence of Traits
        The traits of its columns.
    tolerance : float
        The largest error of a law.
    check_time : callable, optional
        Raises OutOfTimeError when the time is over.
    report : function, optional
        Called with the name of a stage, the number of stages done, and the number of stages.
    seed : int, default=0
        Decides which rows are held out.
    known : list of Law, optional
        Laws of these columns that were found in more rows.
    settled : list of set of int, optional
        Sets of columns whose laws are all known.
    """

    def __init__(
        self,
        x: Array,
        traits: Sequence[Traits],
        *,
        tolerance: float,
        check_time: Callable[[], None] = lambda: None,
        report: StageReport = lambda stage, done, total: None,
        seed: int = 0,
        known: Sequence[Law] = (),
        settled: Sequence[set[int]] = (),
    ) -> None:
        scale = np.array([each.scale for each in traits])
        order = np.random.default_rng(seed).permutation(len(x))
        n_test = 0 if len(x) < FEW_ROWS else int(HELD_OUT_SHARE * len(x))
        n_test = max(n_test, len(x) - MAX_ROWS) if n_test else 0
        train = np.sort(order[n_test:])
        test = np.sort(order[:n_test][:MAX_JUDGES])
        self.train = Values(np.asfortranarray(x[train]), scale, traits)
        judges = Values(np.asfortranarray(x[test]), scale, traits) if n_test else None
        self.control = Control(self.train, judges, seed)
        self.found: list[Verdict] = []
        few = self.train.take(np.arange(0, len(train), max(1, len(train) // FEWER_ROWS)))
        # A threshold lies between two rows; either row may be held out.
        every = Values(x[np.sort(np.concatenate([train, test]))], scale, traits)
        self._context = SearchContext(self.train, few, every, known, settled, check_time)
        self._tolerance = tolerance
        self._report = report
        step = max(1, len(train) // GRADIENT_ROWS)
        self._points = self.train.take(np.arange(0, len(train), step)[:GRADIENT_ROWS])

    def run(self, stages: Sequence[Stage]) -> bool:
        """Search stage by stage; return True if there was time for all stages.

        Parameters
        ----------
        stages : sequence of Stage
            The stages, `SIMPLE_STAGES` or `ALL_STAGES`.
        """
        judges = {"exact": self._exact, "printed": self._printed, "noisy": self._noisy}
        try:
            for i, stage in enumerate(stages):
                self._report(stage.name, i, len(stages))
                self._context.start_stage()
                judges[stage.judged](stage.generators)
                self._context.check_time()
        except OutOfTimeError:
            return False
        finally:
            self.found = without_echoes(self.found)
        return True

    def _candidates(self, generators: Sequence[Generator]) -> Iterator[Candidate]:
        return chain.from_iterable(generator(self._context) for generator in generators)

    def _believe(self, verdict: Verdict) -> None:
        """Add a law to the found laws, unless it follows from known laws."""
        law, context = verdict.law, self._context
        if any(each.issuperset(law.columns) for each in context.settled):
            return
        if not law.is_writable(self.train.scale):
            return
        if is_consequence(law, context.laws, self._points) or among_steps(law, context.laws):
            return
        self.found.append(verdict)
        context.add(law)

    def _exact(self, generators: Sequence[Generator]) -> None:
        """Believe exact laws, each as it comes."""
        for candidate in self._candidates(generators):
            verdict = self.control.judge(candidate.law, candidate.n_tried, EXACT_ERROR)
            if verdict is not None:
                self._believe(verdict)
            self._context.check_time()

    def _printed(self, generators: Sequence[Generator]) -> None:
        """Believe laws that hold up to printed digits.

        First, one column of a law may be rounded, and was computed from the printed values of the
        others. Then all columns may be rounded.
        """
        seen: dict[int, Candidate] = {}
        for candidate in self._candidates(generators):
            self._context.check_time()
            seen[id(candidate.law)] = candidate
            self._consider_printed(candidate)
        for candidate in seen.values():
            self._context.check_time()
            self._consider_printed(candidate._replace(target=None))

    def _consider_printed(self, candidate: Candidate) -> None:
        law, n_tried, target = candidate
        if not law.is_writable(self.train.scale):
            return
        for choice in (snapped(law, self.train.scale), law):
            if choice is not None:
                verdict = self.control.judge_printed(choice, n_tried, target)
                if verdict is not None:
                    self._believe(verdict)
                    return

    def _noisy(self, generators: Sequence[Generator]) -> None:
        """Believe the law with the shortest description, and begin again, until there is none."""
        context = self._context
        while self._tolerance > EXACT_ERROR and len(context.free) > 1:
            pool = []
            for law, n_tried, _ in self._candidates(generators):
                context.check_time()
                verdict = self.control.judge(law, n_tried, self._tolerance)
                if verdict is not None:
                    pool.append(verdict)
            pool.sort(key=lambda verdict: verdict.description_length(self.train.n_rows))
            before = len(self.found)
            for verdict in pool:
                law = verdict.law
                if set(law.columns) <= set(context.free) and not self._approximates(law):
                    self._believe(verdict)
                    if len(self.found) > before and len(context.free) < SMALL_TABLE:
                        break
            if len(self.found) == before:
                return

    def _approximates(self, law: Law) -> bool:
        """Return True if a known law ties the columns of a law and more columns."""
        return any(set(law.columns) < set(each.columns) for each in self._context.laws)
