"""Laws as a pandera schema: Python source, for data frames of pandas or polars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from gramian.laws.exports._python_module import ALLOWED, python_source
from gramian.laws.forms import LawCheck

Backend = Literal["pandas", "polars"]
"""The data frames that a schema of pandera checks."""
HEADER = '''\
"""A pandera schema with the laws of a table, written by gramian: schema.validate(frame)."""

import bisect
import datetime
import math

{imports}
'''
IMPORTS = {
    "pandas": "import pandas as pd\nimport pandera.pandas as pa",
    "polars": "import pandera.polars as pa\nimport polars as pl",
}
READ = {
    "pandas": '''\
def _rows_hold(breaks, share):
    """Return a function that tells for each row of a data frame if a law holds in it."""

    def holds(frame):
        found = [breaks(row) for row in frame.to_dict("records")]
        few = found.count(True) <= _allowed(share, len(found) - found.count(None))
        fine = [few or not each for each in found]
        return pd.Series(fine, index=frame.index, dtype=bool)

    return holds
''',
    "polars": '''\
def _rows_hold(breaks, share):
    """Return a function that tells for each row of a data frame if a law holds in it."""

    def holds(data):
        found = [breaks(row) for row in data.lazyframe.collect().iter_rows(named=True)]
        few = found.count(True) <= _allowed(share, len(found) - found.count(None))
        return pl.LazyFrame({"holds": [few or not each for each in found]})

    return holds
''',
}
SCHEMA = """\
schema = pa.DataFrameSchema(
    {name: pa.Column(nullable=True) for name in NEEDED},
    checks=[
        pa.Check(_rows_hold(breaks, share), name=text, error=text, ignore_na=False)
        for text, breaks, share in LAWS
    ],
)
"""


def pandera_schema(laws: Sequence[LawCheck], backend: Backend) -> str:
    """Return the source of a module with the object `schema`.

    Parameters
    ----------
    laws : sequence of LawCheck
        The laws.
    backend : {"pandas", "polars"}
        The data frames that the schema checks.
    """
    if backend not in get_args(Backend):
        raise ValueError(f"backend must be 'pandas' or 'polars'; got {backend!r}.")
    header = HEADER.format(imports=IMPORTS[backend])
    names = dict.fromkeys(name for each in laws for name in each.columns)
    needed = "\n".join(["NEEDED = (", *(f"    {name!r}," for name in names), ")"]) + "\n"
    parts = [header, python_source(laws, ()), ALLOWED, needed, READ[backend], SCHEMA]
    return "\n\n".join(parts)
