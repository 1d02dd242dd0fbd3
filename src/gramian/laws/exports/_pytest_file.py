"""Laws as a pytest file: a test for each law, of a CSV file or of any other rows."""

from __future__ import annotations

from collections.abc import Sequence

from gramian.laws.exports._python_module import ALLOWED, python_source
from gramian.laws.forms import LawCheck

HEADER = '''\
"""Tests of the laws of a table, written by gramian: run `python -m pytest` on this file.

TABLE is the file that is tested; change `rows` to read another kind of table.
"""

import bisect
import csv
import datetime
import math

import pytest

TABLE = {path}


def rows():
    """Yield each row as a dictionary; an empty cell is missing."""
    with open(TABLE, newline="", encoding="utf-8-sig") as file:
        for row in csv.DictReader(file):
            yield {{name: cell or None for name, cell in row.items()}}
'''

TESTS = """\
@pytest.fixture(scope="module")
def table():
    return list(rows())


@pytest.mark.parametrize(
    ("text", "breaks", "share"), LAWS, ids=[f"law {i}" for i, _ in enumerate(LAWS, 1)]
)
def test_the_law_holds(table, text, breaks, share):
    found = [breaks(row) for row in table]
    broken = [i for i, is_broken in enumerate(found, 1) if is_broken]
    n_tested = len(found) - found.count(None)
    shown = ", ".join(map(str, broken[:10])) + (", ..." if len(broken) > 10 else "")
    assert len(broken) <= _allowed(share, n_tested), f"{text} is broken in row {shown}"
"""


def pytest_file(laws: Sequence[LawCheck], path: str) -> str:
    """Return the source of a pytest file.

    Parameters
    ----------
    laws : sequence of LawCheck
        The laws.
    path : str
        The CSV file that is tested.
    """
    header = HEADER.format(path=repr(path))
    return "\n\n".join([header, python_source(laws, ()), ALLOWED, TESTS])
