"""The judge: decides whether a law is accepted, and with which coefficients it is written.

Open `_control.py` first, which judges laws among numbers. The tallies judge laws of levels
(distinct values of columns) in all rows.
"""

from gramian.laws.judge._coefficient_digits import (
    digits_needed,
    with_fewest_digits,
    with_shortest_digits,
)
from gramian.laws.judge._consequences import (
    CONSEQUENCE,
    ROUNDED_CONSEQUENCE,
    among_steps,
    is_consequence,
    repeats,
    without_echoes,
)
from gramian.laws.judge._control import Control, Verdict
from gramian.laws.judge._date_tally import DateTally
from gramian.laws.judge._divided_rows import FEW_ROWS, SEARCHED_ROWS, divided_rows, refit_law
from gramian.laws.judge._exceptions import (
    LEAST_SHARE,
    are_anywhere,
    has_odd_number,
    judge_mostly,
    oddness,
)
from gramian.laws.judge._extreme_tally import ExtremeTally
from gramian.laws.judge._false_laws import has_factor
from gramian.laws.judge._guarded_tally import MOST_ELSEWHERE, GuardedTally
from gramian.laws.judge._largest_error import NOISE_MARGIN, allowed_error_of, with_uncertain_scale
from gramian.laws.judge._law_length import law_length, of_another_column
from gramian.laws.judge._level_evidence import (
    MIN_REPEATED,
    MOST_WRONG,
    Count,
    combined,
    count,
    mismatches,
    once_in_groups,
)
from gramian.laws.judge._level_regression import ByLevel
from gramian.laws.judge._lookup_tally import LookupTally
from gramian.laws.judge._noise import Noise
from gramian.laws.judge._noisy_laws import judge_noisy, share_of_deviation
from gramian.laws.judge._printed_digits import (
    given_best,
    is_rounded_once,
    is_single_error,
    printed_error,
    rows_reproduced,
    rows_that_hold,
    share_reproduced,
)
from gramian.laws.judge._round_coefficients import (
    simplest,
    snapped,
    with_best_factor,
    with_round_coefficients,
)
from gramian.laws.judge._series_tally import SeriesTally
from gramian.laws.judge._slope_judge import JudgedSlopes, SlopeJudge
from gramian.laws.judge._slope_tally import SlopeTally
