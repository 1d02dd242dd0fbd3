"""Generators of candidate laws; `gramian.laws.judge` decides which candidates are accepted.

Generators of laws among numbers take a `SearchContext`; open `_stages.py` first, which lists them.
Generators of laws of levels (distinct values of columns) take a `LevelContext`.
"""

from gramian.laws.candidates._believed_lookup import BelievedLookup
from gramian.laws.candidates._date_search import composed_dates
from gramian.laws.candidates._extreme_search import ExtremeCandidate, extremes
from gramian.laws.candidates._guarded_search import GuardedCandidate, guarded_laws
from gramian.laws.candidates._level_context import LevelCandidate, LevelContext
from gramian.laws.candidates._lookup_search import lookups_by_level
from gramian.laws.candidates._search_context import (
    SMALL_TABLE,
    Candidate,
    Generator,
    SearchContext,
    given_away,
)
from gramian.laws.candidates._series_search import SeriesCandidate, series
from gramian.laws.candidates._slope_search import BelievedSlopes, fewest_slopes, slopes_by_level
from gramian.laws.candidates._stages import ALL_STAGES, SIMPLE_STAGES, Stage
from gramian.laws.candidates._step_functions import step_law
