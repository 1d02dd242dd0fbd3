"""The judge: decides whether a law is believed, and with which coefficients it is written.

`_control` judges laws among numbers. The tallies judge laws of levels (lookups, slopes and dates)
by counting all rows of a table.
"""

from gramian.laws.judge._consequences import among_steps, is_consequence, without_echoes
from gramian.laws.judge._control import FEW_ROWS, Control, Verdict, printed_error, refit_law
from gramian.laws.judge._date_tally import DateTally
from gramian.laws.judge._level_evidence import MIN_REPEATED, Count, combined, count, mismatches
from gramian.laws.judge._level_regression import ByLevel
from gramian.laws.judge._lookup_tally import LookupTally
from gramian.laws.judge._round_coefficients import snapped, with_round_coefficients
from gramian.laws.judge._slope_judge import JudgedSlopes, SlopeJudge
from gramian.laws.judge._slope_tally import SlopeTally

__all__ = [
    "FEW_ROWS",
    "MIN_REPEATED",
    "ByLevel",
    "Control",
    "Count",
    "DateTally",
    "JudgedSlopes",
    "LookupTally",
    "SlopeJudge",
    "SlopeTally",
    "Verdict",
    "among_steps",
    "combined",
    "count",
    "is_consequence",
    "mismatches",
    "printed_error",
    "refit_law",
    "snapped",
    "with_round_coefficients",
    "without_echoes",
]
