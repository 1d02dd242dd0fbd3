"""The judge: decides whether a law is believed, and with which coefficients it is written.

`_control` judges laws among numbers; the tallies judge laws of levels in all rows.
"""

from gramian.laws.judge._consequences import among_steps, is_consequence, without_echoes
from gramian.laws.judge._control import FEW_ROWS, Control, Verdict, left_open, refit_law
from gramian.laws.judge._date_tally import DateTally
from gramian.laws.judge._level_evidence import MIN_REPEATED, Count, combined, count, mismatches
from gramian.laws.judge._level_regression import ByLevel
from gramian.laws.judge._lookup_tally import LookupTally
from gramian.laws.judge._round_coefficients import snapped, with_round_coefficients
from gramian.laws.judge._slope_judge import Judge, Judged
from gramian.laws.judge._slope_tally import SlopeTally

__all__ = [
    "FEW_ROWS",
    "MIN_REPEATED",
    "ByLevel",
    "Control",
    "Count",
    "DateTally",
    "Judge",
    "Judged",
    "LookupTally",
    "SlopeTally",
    "Verdict",
    "among_steps",
    "combined",
    "count",
    "is_consequence",
    "left_open",
    "mismatches",
    "refit_law",
    "snapped",
    "with_round_coefficients",
    "without_echoes",
]
