"""The search for laws: small and simple ones first, and each only once."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from gramian._support.types import Array
from gramian.laws import _dictionaries as dictionaries
from gramian.laws._catalogue import of_one_column, of_two_columns
from gramian.laws._columns import Traits
from gramian.laws._control import FEW_ROWS, Control, Verdict, is_consequence, refit_law
from gramian.laws._law import Law, Values, Variable
from gramian.laws._law_properties import (
    among_steps,
    description_length,
    determined,
    for_any_column,
    given_away,
    invertible,
    is_linear,
    step_of,
    without_echoes,
)
from gramian.laws._linear import power_laws, sums
from gramian.laws._noise import short_laws
from gramian.laws._nullspace import dependencies
from gramian.laws._pairs import pairs
from gramian.laws._printed import printed_sums
from gramian.laws._progress import OutOfTimeError, StageReport
from gramian.laws._rounding import snapped
from gramian.laws._steps import steps
from gramian.laws._supports import small_sets
from gramian.laws._terms import is_writable
from gramian.laws._wide import SMALL_TABLE, WIDEST, products_with_sums, sparse_products

HELD_OUT = 0.25
"""The share of rows that judge, and take no part in finding laws."""
MAX_ROWS = 2_000
"""This many rows are enough to find laws; others confirm them."""
MAX_JUDGES = 2_000
EXACT_ERROR = 1e-11
N_SIMPLE = 6
"""The first stages, which take little time."""
FEWER_ROWS = 1_000
"""This many rows are enough to choose among short laws."""
GRADIENT_ROWS = 30


class LawSearch:
    """Finds laws, one stage after the other.

    Parameters
    ----------
    x : array of shape (n_rows, n_columns)
        The table.
    traits : sequence of Traits
        What is known of its columns.
    tolerance : float
        The largest error of a law.
    check_time : callable, optional
        Raises OutOfTimeError when the time is over.
    report : function, optional
        Is told the name of a stage, how many are done, and how many there are.
    seed : int, default=0
        Decides which rows are held out.
    known : list of Law, optional
        Laws of these columns that were found in more rows.
    settled : list of set of int, optional
        Sets of columns whose laws are known.
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
        n_test = 0 if len(x) < FEW_ROWS else int(HELD_OUT * len(x))
        n_test = max(n_test, len(x) - MAX_ROWS) if n_test else 0
        train = np.sort(order[n_test:])
        test = np.sort(order[:n_test][:MAX_JUDGES])
        self.train = Values(np.asfortranarray(x[train]), scale, traits)
        judges = Values(np.asfortranarray(x[test]), scale, traits) if n_test else None
        self.control = Control(self.train, judges, seed)
        # A threshold lies between two rows, whichever part of the table they are in.
        self._all = Values(x[np.sort(np.concatenate([train, test]))], scale, traits)
        self.few = self.train.take(np.arange(0, len(train), max(1, len(train) // FEWER_ROWS)))
        self.traits = traits
        self.found: list[Verdict] = []
        self._copies: set[int] = set()
        self._known = list(known)
        self._settled = settled
        self._varying = [i for i, each in enumerate(traits) if not each.constant]
        self.columns = self._varying
        self._tolerance = tolerance
        self._check_time = check_time
        self._report = report
        step = max(1, len(train) // GRADIENT_ROWS)
        self._points = self.train.take(np.arange(0, len(train), step)[:GRADIENT_ROWS])

    def run(self, *, simple: bool = False) -> bool:
        """Go through the stages; return whether there was time for all.

        Parameters
        ----------
        simple : bool, default=False
            Whether to look only for exact sums, products of powers, steps, and functions of one or
            two columns, which takes little time.
        """
        stages: list[tuple[str, Callable[[], Iterable[tuple[Law, float]]]]] = [
            ("step functions", self._steps),
            ("pairs", self._pairs),
            ("sums", self._sums),
            ("power laws", self._power_laws),
            ("printed digits", lambda: self._printed(simple=simple)),
            ("other step functions", self._more_steps),
            ("small sets", self._small_sets),
            ("products and sums", self._wide),
            ("polynomials", lambda: self._among(dictionaries.polynomials)),
            ("logarithms", lambda: self._among(dictionaries.with_logarithms)),
            ("angles", lambda: self._among(dictionaries.with_angles)),
        ]
        if simple:
            stages = stages[:N_SIMPLE]
        try:
            n_stages = len(stages) + (not simple)
            for i, (name, stage) in enumerate(stages):
                self._report(name, i, n_stages)
                for law, n_tried in stage():
                    verdict = self.control.judge(law, n_tried, EXACT_ERROR)
                    if verdict is not None:
                        self._believe(verdict)
                    self._check_time()
                self._check_time()
            if not simple:
                self._report("laws with noise", len(stages), n_stages)
                self._noisy()
        except OutOfTimeError:
            return False
        finally:
            self.found = without_echoes(self.found)
        return True

    def _believe(self, verdict: Verdict) -> None:
        """Take a law over, unless it says nothing new."""
        law = verdict.law
        if any(each.issuperset(law.columns) for each in self._settled):
            return
        if not is_writable(law, self.train.scale):
            return
        known = self.laws
        if is_consequence(law, known, self._points) or among_steps(law, known):
            return
        self.found.append(verdict)
        if len(law.columns) == 2 and invertible(law):
            # Each of the two stands for the other: later laws need only one of them.
            flags = {i for i in law.columns if self._is_flag(i)}
            twin = determined(law, flags if len(flags) == 1 else set())
            self.columns = [i for i in self.columns if i != twin]
            if twin is not None and is_linear(law):
                self._copies.add(twin)

    def _is_flag(self, column: int) -> bool:
        """Return whether a column is 0 or 1."""
        return bool(np.isin(self.train.x[:, column], (0.0, 1.0)).all())

    @property
    def laws(self) -> list[Law]:
        """All laws that are known."""
        return [*self._known, *(each.law for each in self.found)]

    @property
    def free(self) -> list[int]:
        """The columns that are left if each law gives one of its columns away."""
        taken = given_away(self.laws)
        return [i for i in self.columns if i not in taken]

    def _steps(self) -> Iterator[tuple[Law, float]]:
        """Yield thresholds and levels of whole numbers."""
        return self._steps_of([i for i in self.columns if self.traits[i].whole])

    def _more_steps(self) -> Iterator[tuple[Law, float]]:
        """Yield those of other columns, which may be computed from one another."""
        free = set(self.free)
        others = [i for i in self.columns if not self.traits[i].whole]
        yield from self._steps_of([i for i in others if i in free])
        yield from self._steps_of([i for i in others if i not in free])

    def _steps_of(self, sources: Sequence[int]) -> Iterator[tuple[Law, float]]:
        flags = [i for i in self.columns if self.traits[i].n_levels is not None]
        for law in steps(self._all, flags, sources):
            source = step_of(law)
            n_values = len(np.unique(self._all.x[:, source]))
            yield law, float(len(flags) * len(self.columns) * n_values)

    def _pairs(self) -> Iterator[tuple[Law, float]]:
        n_tried = 25.0 * len(self.columns) ** 2
        for law in pairs(self.train, self.columns):
            yield law, n_tried

    def _printed(self, *, simple: bool) -> Iterable[tuple[Law, float]]:
        """Look for laws that hold up to printed digits, and believe them; none is left to judge.

        First for a column that was computed from others as they are printed, then for laws of
        which all columns are rounded.
        """
        varying = [i for i in self._varying if i not in self._copies]
        n = float(len(varying))
        sources: list[tuple[Iterator[tuple[Law, int | None]], float]] = [
            (of_one_column(self.train, varying), 10 * n**2),
            # A ratio is plainer than a sum of logarithms that are in the table, too.
            (of_two_columns(self.train, varying, logs=False), 5 * n**3),
            (self._printed_sums(), n**3),
            (of_two_columns(self.train, varying, logs=True), 5 * n**3),
        ]
        if not simple:
            sources += [
                (for_any_column(sparse_products(self.few, varying)), 5 * n**4),
                (for_any_column(products_with_sums(self.few, varying)), 5 * n**4),
            ]
        kept: dict[int, tuple[Law, float]] = {}
        for laws, n_tried in sources:
            for law, target in laws:
                self._check_time()
                kept[id(law)] = (law, n_tried)
                self._consider_printed(law, n_tried, target)
        for law, n_tried in kept.values():
            self._check_time()
            self._consider_printed(law, n_tried, None)
        return ()

    def _consider_printed(self, law: Law, n_tried: float, target: int | None) -> None:
        if not is_writable(law, self.train.scale):
            return
        for candidate in (snapped(law, self.train.scale), law):
            if candidate is not None:
                verdict = self.control.judge_printed(candidate, n_tried, target)
                if verdict is not None:
                    self._believe(verdict)
                    return

    def _printed_sums(self) -> Iterator[tuple[Law, int]]:
        """Yield sums of the columns that are left if each linear law gives one of its own away."""
        taken = given_away(law for law in self.laws if is_linear(law))
        columns = [i for i in self._varying if i not in taken]
        yield from printed_sums(self.train, columns)

    def _wide(self) -> Iterator[tuple[Law, float]]:
        free = self.free
        if SMALL_TABLE < len(free) <= WIDEST:
            n_tried = float(len(free)) ** 4
            for law in products_with_sums(self.few, free):
                yield refit_law(law, self.train), n_tried

    def _noisy(self) -> None:
        """Look for laws that hold up to noise, and believe the one that says most, repeatedly."""
        while self._tolerance > EXACT_ERROR and len(self.free) > 1:
            pool = []
            for law, n_tried in short_laws(self.train, self.few, self.free):
                self._check_time()
                verdict = self.control.judge(law, n_tried, self._tolerance)
                if verdict is not None:
                    pool.append(verdict)
            pool.sort(key=lambda verdict: description_length(verdict, self.train.n_rows))
            before = len(self.found)
            for verdict in pool:
                law = verdict.law
                if set(law.columns) <= set(self.free) and not self._approximates(law):
                    self._believe(verdict)
                    if len(self.found) > before and len(self.free) < SMALL_TABLE:
                        break
            if len(self.found) == before:
                return

    def _approximates(self, law: Law) -> bool:
        """Return whether a better law ties the same columns and others, which matter little."""
        return any(set(law.columns) < set(each.columns) for each in self.laws)

    def _sums(self) -> Iterator[tuple[Law, float]]:
        flags = {i for i in self.columns if self._is_flag(i)}
        for power in (1, 2, -1):
            columns = [
                i
                for i in self.columns
                if power == 1
                or (self.traits[i].n_levels is None and (power > 0 or self.traits[i].never_zero))
            ]
            for law in sums(self.train, columns, power):
                # Flags that add up are sought among flags.
                pool = flags if flags.issuperset(law.columns) else columns
                yield law, float(math.comb(len(pool), len(law.columns)))

    def _power_laws(self) -> Iterator[tuple[Law, float]]:
        variables: list[Variable] = [
            (i, "x")
            for i in self.columns
            if self.traits[i].never_zero and np.ptp(np.abs(self.train.x[:, i])) > 0
        ]
        for law in power_laws(self.train, variables):
            yield law, float(len(variables) ** len(law.columns))
        if len(variables) > SMALL_TABLE:
            return
        for j in self.columns:
            if self.traits[j].angle:
                others = [each for each in variables if each[0] != j]
                others += [(j, "sin"), (j, "cos")]
                for law in power_laws(self.train, others):
                    yield law, float(len(others) ** len(law.columns))

    def _small_sets(self) -> Iterator[tuple[Law, float]]:
        tied = [set(law.columns) for law in self.laws]
        free = set(self.free)

        def skip(columns: Sequence[int]) -> bool:
            return (
                any(each.issubset(columns) for each in tied)
                or any(each.issuperset(columns) for each in self._settled)
                or (len(columns) > 2 and not free.issuperset(columns))
            )

        yield from small_sets(self.train, self.columns, skip)

    def _among(self, families: dictionaries.Families) -> Iterator[tuple[Law, float]]:
        """Yield the laws of functions of all columns, if these are few."""
        free = self.free
        if len(free) > SMALL_TABLE:
            return
        limit = min(dictionaries.MAX_FUNCTIONS, int(0.7 * self.train.n_rows))
        for functions in families(free, self.traits, limit):
            self._check_time()
            for law in dependencies(self.train, functions):
                yield law, float(len(functions))
