"""A lookup that the searched rows confirm."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gramian.laws._cover import Implication
from gramian.laws.candidates._level_context import LevelContext
from gramian.laws.judge import Count, LookupTally


@dataclass(frozen=True)
class BelievedLookup:
    """A lookup that the searched rows confirm; all rows of the table are still to test it."""

    causes: tuple[int, ...]
    """Indices of the keys whose levels determine the effect."""
    effect: int
    """Index of the column that follows from the causes."""
    count: Count
    """The numbers of searched rows that agree with the lookup and that break it."""
    thresholds: tuple[float, ...] = ()
    """Thresholds between intervals, if the cause is a number that is looked up by intervals."""
    from_below: bool = False
    """True if a threshold belongs to the interval above it."""
    both_ways: bool = False
    """True if the cause also follows from the effect."""
    most_wrong: float = 0.0
    """The largest share of rows with wrong cells; see `Count.holds`."""

    @property
    def dependency(self) -> Implication:
        """The implication of the lookup: (its keys, the column that follows from them)."""
        return frozenset(self.causes), self.effect

    @property
    def dependencies(self) -> list[Implication]:
        """The implication of the lookup, and the reverse implication if it holds both ways."""
        reverse = (frozenset([self.effect]), self.causes[0])
        return [self.dependency, reverse] if self.both_ways else [self.dependency]

    def tally(self, context: LevelContext) -> LookupTally:
        """Return a counter that will test the lookup on all rows; no rows are counted yet."""
        table, keys = context.table, [context.cells.keys[i] for i in self.causes]
        if self.thresholds:
            keys = [replace(keys[0], thresholds=self.thresholds, from_below=self.from_below)]
        places = [table.names.index(key.column) for key in keys]
        effect = context.cells.keys[self.effect]
        return LookupTally(
            keys,
            places,
            effect,
            self.effect,
            table.labels,
            tolerance=context.tolerance,
            most_wrong=self.most_wrong,
            both_ways=self.both_ways,
        )
