"""Checks: laws as tests of another table, and the file that stores them.

Open `_checks.py` first, which holds the class `Checks`; then `_checking.py`.
"""

from gramian.laws.checks._broken_rows import BrokenRow
from gramian.laws.checks._check_result import CheckResult, LawOutcome
from gramian.laws.checks._checks import Checks, load_checks
from gramian.laws.checks._drift import Drift
from gramian.laws.checks._suspect_cells import SuspectCell
