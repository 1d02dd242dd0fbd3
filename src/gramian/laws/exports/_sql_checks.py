"""Laws as SQL: SELECT statements that return the rows which break them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from gramian.laws.columns import ColumnFacts
from gramian.laws.exports._expressions import Either, Expression, Named, TextColumn, inlined
from gramian.laws.exports._formula_expressions import NotExportedError
from gramian.laws.exports._law_expressions import (
    VALUE,
    LawExpression,
    law_expression,
)
from gramian.laws.exports._sql_dialects import Dialect, sql_writer
from gramian.laws.exports._sql_writer import SqlWriter
from gramian.laws.forms import LawCheck

MOST_SELECTS = 400
"""SQLite takes at most 500 statements in one UNION."""


class LawQuery(NamedTuple):
    """A law as SQL."""

    text: str
    """The law as people read it."""
    sql: str | None
    """A SELECT that returns the rows which break the law; None if it is left out."""
    reason: str | None = None
    """Why the law is left out."""


def law_queries(
    laws: Sequence[LawCheck],
    facts: Sequence[ColumnFacts],
    dialect: Dialect,
    table: str,
    *,
    maths: bool = True,
    source: str | None = None,
    together: bool = False,
) -> list[LawQuery]:
    """Return each law as a SELECT statement without a semicolon.

    Parameters
    ----------
    laws : sequence of LawCheck
        The laws.
    facts : sequence of ColumnFacts
        The columns of the table.
    dialect : {"duckdb", "sqlite", "postgresql"}
        The database.
    table : str
        The name of the table; a dot separates it from its schema.
    maths : bool, default=True
        False if the database has no functions such as `sqrt` and `exp`.
    source : str, optional
        What stands in place of the name of the table, such as a placeholder.
    together : bool, default=False
        True for statements that can be joined: each begins with the law and the expected value.
    """
    whole = {each.name for each in facts if each.type == "number" and each.decimals == 0}
    writer = sql_writer(dialect, maths=maths, whole=whole)
    names = {each.name for each in facts} | {name for law in laws for name in law.columns}
    source = source or table_name(writer, table)
    found = []
    for check in laws:
        try:
            refuse_twins(check.columns, names)
            sql = _select(law_expression(check), writer, source, names, together)
            sql.encode()
            found.append(LawQuery(check.text, sql))
        except NotExportedError as error:
            found.append(LawQuery(check.text, None, str(error)))
        except UnicodeEncodeError:
            found.append(
                LawQuery(check.text, None, "it has half a letter, which UTF-8 cannot hold")
            )
    return found


def checks_as_sql(
    laws: Sequence[LawCheck],
    facts: Sequence[ColumnFacts],
    dialect: Dialect,
    table: str,
    together: bool,
    maths: bool,
) -> str:
    """Return SQL that finds the rows which break laws; see `Checks.to_sql`."""
    queries = law_queries(laws, facts, dialect, table, maths=maths, together=together)
    writer = sql_writer(dialect)
    if not together:
        return "\n".join(f"{_described(each, writer)}\n" for each in queries)
    left_out = [_described(each, writer) for each in queries if each.sql is None]
    selects = [each.sql for each in queries if each.sql is not None]
    statements = [
        "\nUNION ALL\n".join(selects[start : start + MOST_SELECTS]) + ";"
        for start in range(0, len(selects), MOST_SELECTS)
    ]
    return "\n".join([*left_out, *statements]) + "\n"


def _described(query: LawQuery, writer: SqlWriter) -> str:
    """Return a query below a comment with its law; a law that is left out has the reason."""
    if query.sql is None:
        return writer.comment(f"left out: {query.text}: {query.reason}")
    return f"{writer.comment(query.text)}\n{query.sql};"


def table_name(writer: SqlWriter, table: str) -> str:
    """Return the name of a table in quotes; a dot separates it from its schema."""
    return ".".join(map(writer.name, table.split(".")))


def free_name(name: str, taken: Collection[str]) -> str:
    """Return a name that no column has, in small or capital letters."""
    known = {each.lower() for each in taken}
    while name.lower() in known:
        name += "_"
    return name


def refuse_twins(columns: Sequence[str], names: Collection[str]) -> None:
    """Raise an error if a column has a twin with other capital letters, equal for a database."""
    for name in columns:
        if any(each != name and each.lower() == name.lower() for each in names):
            raise NotExportedError(f"another column is named {name!r} in other capital letters")


def _select(
    law: LawExpression, writer: SqlWriter, source: str, names: Collection[str], together: bool
) -> str:
    known: dict[str, Expression] = {}
    for step in law.made.steps:
        known[step.name] = inlined(step.value, known)
    alias = free_name(VALUE, names)
    is_text = isinstance(law.made.cell, TextColumn)
    made = writer.finished(writer.write(known[VALUE]), is_text=is_text)
    broken = _conditions(inlined(law.broken, {VALUE: Named(alias)}), writer)
    shown = "*"
    if together:
        value = "NULL"
        if law.made.cell is not None:
            value = writer.write(inlined(law.made.shown, {VALUE: Named(alias)}))
        law_name, expected = (writer.name(free_name(n, names)) for n in ("law", "expected"))
        shown = f"{writer.text(law.check.text)} AS {law_name}, "
        shown += f"CAST({value} AS TEXT) AS {expected}, *"
    inner = f"SELECT *, {made} AS {writer.name(alias)}\n  FROM {source}"
    return f"SELECT {shown}\nFROM (\n  {inner}\n) AS computed\nWHERE {broken}"


def _conditions(broken: Expression, writer: SqlWriter) -> str:
    """Return a condition with a line for each of its alternatives."""
    parts = broken.parts if isinstance(broken, Either) else (broken,)
    return "\n   OR ".join(map(writer.condition, parts))
