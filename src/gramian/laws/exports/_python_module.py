"""Laws as a plain Python module: the laws that a row breaks, and the columns that laws give."""

from __future__ import annotations

from collections.abc import Sequence

from gramian._support.words import one_line
from gramian.laws.exports._expressions import Expression, Step
from gramian.laws.exports._formula_expressions import NotExportedError
from gramian.laws.exports._law_expressions import law_expression, made_by
from gramian.laws.exports._python_support import ENTRIES, SUPPORT
from gramian.laws.exports._python_writer import PythonWriter
from gramian.laws.forms import ColumnLaw, LawCheck

ALLOWED = '''\
def _allowed(share, n_rows):
    """The number of rows that may break a law: its share, and two standard errors."""
    return int(share * n_rows + 2 * math.sqrt(share * (1 - share) * n_rows))
'''
HEADER = '''\
"""The laws of a table, written by gramian. This file needs nothing but Python 3.11 or later.

check(row) returns the laws that a row, a dictionary, breaks; compute(row) returns the columns that
laws give.
"""

import bisect
import datetime
import math
'''


def python_module(laws: Sequence[LawCheck], columns: Sequence[ColumnLaw]) -> str:
    """Return the source of a module with the functions `check` and `compute`.

    Parameters
    ----------
    laws : sequence of LawCheck
        The laws.
    columns : sequence of ColumnLaw
        The laws that compute columns, rounded as the columns were.
    """
    return f"{HEADER}\n{python_source(laws, columns)}\n\n{ENTRIES}"


def python_source(laws: Sequence[LawCheck], columns: Sequence[ColumnLaw]) -> str:
    """Return functions for some laws, the tuples LAWS and COLUMNS, and what they need."""
    writer = PythonWriter()
    functions, tested, given = list[str](), list[str](), list[str]()
    for i, check in enumerate(laws, 1):
        try:
            functions.append(_breaks(check, i, writer))
            tested.append(f"    ({check.text!r}, _breaks_{i}, {check.allowed_share!r}),")
        except NotExportedError as error:
            functions.append(f"# left out: {one_line(check.text)}: {one_line(str(error))}\n")
    for i, law in enumerate(columns, 1):
        try:
            functions.append(_gives(law, i, writer))
            given.append(f"    ({law.column!r}, {law.columns!r}, _gives_{i}),")
        except NotExportedError:
            continue  # the comment of its test gives the reason
    tables = [f"{name} = {content}\n" for content, name in writer.tables.items()]
    lists = [_listed("LAWS", tested), _listed("COLUMNS", given)]
    return "\n\n".join([SUPPORT, *tables, *functions, *lists])


def _listed(name: str, entries: Sequence[str]) -> str:
    return "\n".join([f"{name} = (", *entries, ")"]) + "\n"


def _steps(steps: Sequence[Step], writer: PythonWriter) -> list[str]:
    return [f"    {each.name} = {writer.write(each.value)}" for each in steps]


def _breaks(check: LawCheck, i: int, writer: PythonWriter) -> str:
    law = law_expression(check)
    lines = _steps(law.made.steps, writer)
    if check.allowed_share:  # a share of the rows in which the law is tested
        lines.append(f"    if not {writer.condition(law.tested)}:\n        return None")
    test = f"    return {writer.condition(law.broken)}"
    return "\n".join([f"def _breaks_{i}(row):", _remark(check.text), *lines, test]) + "\n"


def _gives(law: ColumnLaw, i: int, writer: PythonWriter) -> str:
    made = made_by(law)
    shown: Expression = made.shown
    lines = _steps(made.steps, writer)
    result = f"    return {writer.write(shown)}"
    return "\n".join([f"def _gives_{i}(row):", _remark(str(law)), *lines, result]) + "\n"


def _remark(text: str) -> str:
    return f"    # {one_line(text)}"
