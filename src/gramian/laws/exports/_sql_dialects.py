"""Dialects of SQL: how DuckDB, SQLite and PostgreSQL quote names, and convert cells to numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Literal, get_args

from gramian.laws.exports._expressions import DateColumn, DatePart, Levels
from gramian.laws.exports._formula_expressions import NotExportedError
from gramian.laws.exports._sql_levels import MOST_IN_TURN, levels_as_table
from gramian.laws.exports._sql_writer import SqlWriter

Dialect = Literal["duckdb", "sqlite", "postgresql"]
"""The databases for which SQL is written."""
PER: Mapping[str, int] = {"days": 86_400_000_000, "seconds": 1_000_000}
"""Microseconds in each unit of a clock."""
EXACT_DIGITS = 15
"""DuckDB reads a number with more digits exactly only if it has an exponent."""
PARTS = {
    "year": "year", "quarter": "quarter", "month": "month", "day": "day", "weekday": "isodow",
    "hour": "hour", "minute": "minute",
}  # fmt: skip
"""Parts of dates that SQL has under one name."""


class DuckDb(SqlWriter):
    """SQL for DuckDB."""

    infinity = "'Infinity'::DOUBLE"

    def name(self, name: str) -> str:
        if "\0" in name:
            raise NotExportedError("a name with the letter NUL cannot be written")
        return '"' + name.replace('"', '""') + '"'

    def text(self, text: str) -> str:
        if "\0" not in text:
            return super().text(text)
        return f"({' || chr(0) || '.join(map(self.text, text.split(chr(0))))})"

    def number(self, value: float) -> str:
        text = super().number(value)
        digits = text.strip("-").replace(".", "").lstrip("0")
        plain = text[-1].isdigit() and "e" not in text
        return f"{text}e0" if plain and len(digits) > EXACT_DIGITS else text

    def finished(self, value: str, *, is_text: bool) -> str:
        return value if is_text else f"NULLIF(({value})::DOUBLE, 'NaN'::DOUBLE)"

    def number_column(self, name: str) -> str:
        return f"NULLIF({self.name(name)}::DOUBLE, 'NaN'::DOUBLE)"

    def text_column(self, name: str) -> str:
        return f'CAST({self.name(name)} AS VARCHAR) COLLATE "C"'

    def date_column(self, column: DateColumn) -> str:
        passed = f"epoch_us(CAST({self.name(column.name)} AS TIMESTAMP))"
        passed += f" - {column.origin}" if column.origin else ""
        number = f"(CAST({passed} AS DOUBLE) / {PER[column.unit]}.0)"
        return f"floor({number})" if column.whole else number

    def date_part(self, part: DatePart) -> str:
        time = f"CAST({self.name(part.name)} AS TIMESTAMP)"
        return _part(part.part, time, f"floor(epoch_us({time}) / 86400000000.0)")

    def day_number(self, year: str, month: str, day: str) -> str:
        parts = ", ".join(f"TRY_CAST({each} AS INTEGER)" for each in (year, month, day))
        return f"(TRY_CAST(printf('%04d-%02d-%02d', {parts}) AS DATE) - DATE '1970-01-01')"

    def levels(self, e: Levels) -> str:
        many = len(e.entries) > MOST_IN_TURN and all(k.kind != "interval" for k in e.keys)
        return levels_as_table(self, e.keys, e.entries) if many else super().levels(e)

    def as_date(self, number: str, unit: str) -> str:
        if unit == "days":
            return f"(DATE '1970-01-01' + CAST(floor({number} + 0.5) AS INTEGER))"
        return f"make_timestamp(CAST(round(({number}) * 1000000.0) AS BIGINT))"

    def whole_number(self, number: str) -> str:
        return f"round_even({number}, 0)"


class PostgreSql(SqlWriter):
    """SQL for PostgreSQL 14 and later."""

    infinity = "'Infinity'::float8"

    def name(self, name: str) -> str:
        if "\0" in name:
            raise NotExportedError("PostgreSQL has no names with the letter NUL")
        return '"' + name.replace('"', '""') + '"'

    def text(self, text: str) -> str:
        if "\0" in text:
            raise NotExportedError("PostgreSQL has no texts with the letter NUL")
        return super().text(text)

    def finished(self, value: str, *, is_text: bool) -> str:
        return value if is_text else f"NULLIF(({value})::float8, 'NaN')"

    def number_column(self, name: str) -> str:
        quoted = self.name(name)
        if name in self.whole:  # true and false cannot be cast to a number with a point
            text = f"CAST({quoted} AS text)"
            quoted = f"CASE {text} WHEN 'true' THEN '1' WHEN 'false' THEN '0' ELSE {text} END"
            quoted = f"({quoted})"
        return f"NULLIF({quoted}::float8, 'NaN')"

    def text_column(self, name: str) -> str:
        return f'CAST({self.name(name)} AS text) COLLATE "C"'

    def date_column(self, column: DateColumn) -> str:
        passed = f"EXTRACT(EPOCH FROM CAST({self.name(column.name)} AS timestamp)) * 1000000"
        passed += f" - {column.origin}" if column.origin else ""
        number = f"(CAST({passed} AS double precision) / {PER[column.unit]}.0)"
        return f"floor({number})" if column.whole else number

    def date_part(self, part: DatePart) -> str:
        time = f"CAST({self.name(part.name)} AS timestamp)"
        return _part(part.part, time, f"floor(EXTRACT(EPOCH FROM {time}) / 86400)")

    def day_number(self, year: str, month: str, day: str) -> str:
        y, m, d = (f"CAST({each} AS integer)" for each in (year, month, day))
        there = f"make_date({y}, {m}, 1) + ({d} - 1)"
        number = f"CAST({there} - DATE '1970-01-01' AS double precision)"
        return f"CASE WHEN EXTRACT(MONTH FROM {there}) = {m} THEN {number} END"

    def as_date(self, number: str, unit: str) -> str:
        if unit == "days":
            return f"(DATE '1970-01-01' + CAST(floor({number} + 0.5) AS integer))"
        return f"(TIMESTAMP '1970-01-01' + ({number}) * INTERVAL '1 second')"

    def whole_number(self, number: str) -> str:
        return f"round(CAST({number} AS double precision))"


class SQLite(SqlWriter):
    """SQL for SQLite, in which dates are texts such as 2024-03-01 or 2024-03-01 12:30:00."""

    infinity = "9e999"

    def name(self, name: str) -> str:
        """Return a name in backquotes: a name that is missing in double quotes would be a text."""
        if "\0" in name:
            raise NotExportedError("SQLite has no names with the letter NUL")
        return "`" + name.replace("`", "``") + "`"

    def text(self, text: str) -> str:
        if "\0" in text:
            return f"CAST(X'{text.encode().hex()}' AS TEXT)"
        return super().text(text)

    def number_column(self, name: str) -> str:
        return f"CAST(NULLIF({self.name(name)}, '') AS REAL)"

    def text_column(self, name: str) -> str:
        return f"CAST({self.name(name)} AS TEXT) COLLATE BINARY"

    def date_column(self, column: DateColumn) -> str:
        date = self.name(column.name)
        seconds = f"CAST(strftime('%s', substr({date}, 1, 19)) AS INTEGER)"
        if column.unit == "days":
            number = f"CAST({seconds} - {column.origin // 1_000_000} AS REAL) / 86400.0"
            return f"CAST({self.floor(number)} AS REAL)" if column.whole else f"({number})"
        digits = f"substr(rtrim(substr({date}, 21), 'Z') || '000000', 1, 6)"
        rest = f"CASE substr({date}, 20, 1) WHEN '.' THEN CAST({digits} AS INTEGER) ELSE 0 END"
        return f"(CAST({seconds} * 1000000 + {rest} - {column.origin} AS REAL) / 1000000.0)"

    def date_part(self, part: DatePart) -> str:
        date = f"substr({self.name(part.name)}, 1, 19)"

        def of(code: str) -> str:
            return f"CAST(strftime('{code}', {date}) AS INTEGER)"

        return {
            "year": of("%Y"),
            "quarter": f"(({of('%m')} + 2) / 3)",
            "month": of("%m"),
            "year and month": f"(({of('%Y')} - 1970) * 12 + {of('%m')} - 1)",
            "day": of("%d"),
            "weekday": f"(({of('%w')} + 6) % 7)",
            "date": f"CAST(julianday(date({date})) - 2440587.5 AS INTEGER)",
            "hour": of("%H"),
            "minute": of("%M"),
            "second": of("%S"),
        }[part.part]

    def day_number(self, year: str, month: str, day: str) -> str:
        date = f"printf('%04d-%02d-%02d', {year}, {month}, {day})"
        same = f"CAST(strftime('%d', {date}, '+0 days') AS INTEGER) = {day}"  # no 30th of February
        return f"CASE WHEN {same} THEN julianday({date}) - 2440587.5 END"

    def as_date(self, number: str, unit: str) -> str:
        if unit == "days":
            return f"date(({number}) * 86400.0, 'unixepoch')"
        return f"datetime({number}, 'unixepoch')"

    def floor(self, number: str) -> str:
        """Return the floor without the function floor, which some builds of SQLite lack."""
        return f"(CAST({number} AS INTEGER) - ({number} < CAST({number} AS INTEGER)))"

    def whole_number(self, number: str) -> str:
        middle = f"abs({number} - CAST({number} AS INTEGER)) = 0.5"
        return f"CASE WHEN {middle} THEN 2.0 * round(({number}) / 2.0) ELSE round({number}) END"

    def greatest(self, numbers: Iterable[str]) -> str:
        return f"max({', '.join(numbers)})"


def _part(part: str, time: str, days: str) -> str:
    """Return a part of a date in DuckDB and PostgreSQL; `days` counts from 1970-01-01."""
    year, month = f"EXTRACT(year FROM {time})", f"EXTRACT(month FROM {time})"
    if part == "date":
        return days
    if part == "year and month":
        return f"(({year} - 1970) * 12 + {month} - 1)"
    if part == "second":
        return f"floor(EXTRACT(second FROM {time}))"
    found = f"EXTRACT({PARTS[part]} FROM {time})"
    return f"({found} - 1)" if part == "weekday" else found


WRITERS: Mapping[str, type[SqlWriter]] = {
    "duckdb": DuckDb,
    "sqlite": SQLite,
    "postgresql": PostgreSql,
}


def sql_writer(dialect: Dialect, *, maths: bool = True, whole: Collection[str] = ()) -> SqlWriter:
    """Return the writer of a dialect.

    Parameters
    ----------
    dialect : {"duckdb", "sqlite", "postgresql"}
        The database.
    maths : bool, default=True
        False if the database has no functions such as `sqrt` and `exp`.
    whole : collection of str, default=()
        The columns of whole numbers, which may be columns of true and false.
    """
    if dialect not in WRITERS:
        raise ValueError(f"dialect must be one of {', '.join(get_args(Dialect))}; got {dialect!r}.")
    return WRITERS[dialect](maths=maths, whole=whole)
