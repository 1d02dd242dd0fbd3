"""Python code that finds the facts of a page again, and runs as it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gramian.reports.table_page._study import IN_MEMORY

LAWS = """\
laws = gramian.relations(table)
print(laws)
print(laws.check(table))  # the rows that break them, counted from 0
for law in laws.redundant().values():  # columns that laws give in every row
    print(law)
"""
LONG = 1_000
"""Largest number of letters of an option's value in the code."""


def code_again(
    source: str | list[str] | None, older: str | None, options: Mapping[str, Any]
) -> str:
    """Return Python code that prints the laws of a table, and writes the page again.

    Parameters
    ----------
    source : str, list of str or None
        The file of the table, or several; None for a table in memory.
    older : str or None
        The name of the older table with which it is compared, if there is one.
    options : mapping from str to object
        Other arguments of `gramian.report`.
    """
    lines = ["import gramian", ""]
    if source is None:
        lines.append("# table is the table in memory")
    else:
        lines.append(f"table = {source!r}")
    written = {name: _written(name, value) for name, value in options.items()}
    if older == IN_MEMORY:
        lines.append("# older is the table in memory with which it is compared")
        written["against"] = "older"
    elif older is not None:
        written["against"] = repr(older)
    if not {*options} - {"title", "keep"}:  # relations has no options for columns and files
        lines += LAWS.splitlines()
    more = "".join(f", {name}={value}" for name, value in written.items())
    lines.append(f'gramian.report(table, path="report.html"{more})')
    return "\n".join(lines) + "\n"


def _written(name: str, value: Any) -> str:
    """Return the value of an option as code; a long one is the name of a variable."""
    code = repr(value) if isinstance(value, str | bool | list | tuple) else name
    return code if len(code) <= LONG else name
