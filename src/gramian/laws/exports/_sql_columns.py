"""Columns that laws give, as SQL: a view, or generated columns of the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from gramian.laws.columns import ColumnFacts
from gramian.laws.exports._expressions import (
    AsDate,
    Expression,
    NumberColumn,
    TextColumn,
    columns_of,
    inlined,
    with_columns,
)
from gramian.laws.exports._formula_expressions import NotExportedError
from gramian.laws.exports._law_expressions import made_by
from gramian.laws.exports._sql_checks import refuse_twins, table_name
from gramian.laws.exports._sql_dialects import Dialect, sql_writer
from gramian.laws.exports._sql_writer import SqlWriter
from gramian.laws.forms import ColumnLaw

ColumnKind = Literal["view", "generated"]
"""A view of the table with more columns, or columns that the table computes."""


@dataclass(frozen=True)
class Given:
    """A column that a law gives, as an expression of columns."""

    law: ColumnLaw
    value: Expression
    type: Literal["number", "text", "date", "time"]


def columns_as_sql(
    laws: Sequence[ColumnLaw],
    facts: Sequence[ColumnFacts],
    dialect: Dialect,
    table: str,
    kind: ColumnKind,
    view: str | None,
    maths: bool,
) -> str:
    """Return SQL that computes dropped columns again; see `Relations.columns_to_sql`."""
    if kind not in get_args(ColumnKind):
        raise ValueError(f"kind must be 'view' or 'generated'; got {kind!r}.")
    if kind == "generated" and dialect == "duckdb":
        raise ValueError("DuckDB cannot add generated columns to a table: use kind='view'.")
    whole = {each.name for each in facts if each.type == "number" and each.decimals == 0}
    writer = sql_writer(dialect, maths=maths, whole=whole)
    names = [each.name for each in facts]
    found, lines, lost = list[Given](), list[str](), dict[str, str]()
    for law in laws:
        try:
            refuse_twins((*law.columns, law.column), names)
            missing = [name for name in law.columns if name in lost]
            if missing:
                raise NotExportedError(f"it needs {missing[0]!r}, which is left out")
            given = _given(law)
            _text(given, writer).encode()
            found.append(given)
            lines.append(writer.comment(str(law)))
        except (NotExportedError, UnicodeEncodeError) as error:
            reason = str(error) if isinstance(error, NotExportedError) else "it has half a letter"
            lost[law.column] = reason
            lines.append(writer.comment(f"left out: {law}: {reason}"))
    source = table_name(writer, table)
    if not found:
        return "\n".join(lines) + "\n"
    if kind == "view":
        wanted = table_name(writer, view or f"{table}_with_columns")
        return "\n".join([*lines, f"CREATE VIEW {wanted} AS", f"{_view(found, writer, source)};\n"])
    statements = _generated(found, writer, source, dialect)
    return "\n".join([*lines, *statements]) + "\n"


def _given(law: ColumnLaw) -> Given:
    made = made_by(law)
    known: dict[str, Expression] = {}
    for step in made.steps:
        known[step.name] = inlined(step.value, known)
    value = inlined(made.shown, known)
    if isinstance(value, AsDate):
        return Given(law, value, "date" if value.unit == "days" else "time")
    return Given(law, value, "text" if isinstance(made.cell, TextColumn) else "number")


def _text(given: Given, writer: SqlWriter) -> str:
    text = writer.write(given.value)
    return writer.finished(text, is_text=False) if given.type == "number" else text


def _view(found: Sequence[Given], writer: SqlWriter, source: str) -> str:
    """Return a SELECT in which each column is computed from the table and the columns before."""
    for i, given in enumerate(found, 1):
        inner = source if i == 1 else "(\n  " + source.replace("\n", "\n  ") + f"\n) AS step_{i}"
        source = (
            f"SELECT *, {_text(given, writer)} AS {writer.name(given.law.column)}\nFROM {inner}"
        )
    return source


def _generated(
    found: Sequence[Given], writer: SqlWriter, source: str, dialect: Dialect
) -> list[str]:
    """Return a statement for each column; only SQLite lets columns need generated columns."""
    sqlite = dialect == "sqlite"
    known: dict[str, Given] = {}
    statements = []
    for given in found:
        if not sqlite:
            try:
                given = _from_table(given, known)
            except NotExportedError as error:
                statements.append(writer.comment(f"left out: {given.law}: {error}"))
                continue
        known[given.law.column] = given
        statements.append(
            f"ALTER TABLE {source} ADD COLUMN {writer.name(given.law.column)} "
            f"{(SQLITE_TYPES if sqlite else POSTGRESQL_TYPES)[given.type]} GENERATED ALWAYS AS "
            f"({_text(given, writer)}) {'VIRTUAL' if sqlite else 'STORED'};"
        )
    return statements


SQLITE_TYPES = {"number": "REAL", "text": "TEXT", "date": "TEXT", "time": "TEXT"}
POSTGRESQL_TYPES = {
    "number": "double precision",
    "text": "text",
    "date": "date",
    "time": "timestamp",
}


def _from_table(given: Given, known: dict[str, Given]) -> Given:
    """Return a column as an expression of columns that are not generated."""
    needed = [name for name in columns_of(given.value) if name in known]
    for node in given.value.walk():
        name = getattr(node, "name", None)
        if name in needed and columns_of(node) and not isinstance(node, NumberColumn):
            raise NotExportedError(f"PostgreSQL does not compute it from the generated {name!r}")
    return replace(
        given, value=with_columns(given.value, {name: known[name].value for name in needed})
    )
