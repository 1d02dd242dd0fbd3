"""Laws as a data contract of the Open Data Contract Standard (ODCS): YAML."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from gramian._support.words import one_line
from gramian.laws.columns import ColumnFacts
from gramian.laws.exports._sql_checks import LawQuery, law_queries, table_name
from gramian.laws.exports._sql_dialects import Dialect, sql_writer
from gramian.laws.exports._yaml_text import yaml_text
from gramian.laws.forms import LawCheck

VERSION = "v3.0.2"
TYPES = {"number": "number", "text": "string", "date": "date"}


def data_contract(
    laws: Sequence[LawCheck],
    facts: Sequence[ColumnFacts],
    dialect: Dialect,
    table: str,
    n_rows: int,
) -> str:
    """Return a data contract as YAML; see `Checks.to_contract`.

    `n_rows` is the number of rows in which the laws were found.
    """
    queries = [_placeholder_free(each) for each in law_queries(laws, facts, dialect, table)]
    source = table_name(sql_writer(dialect), table)
    left_out = [
        f"# left out: {one_line(each.text)}: {one_line(str(each.reason))}\n"
        for each in queries
        if each.sql is None
    ]
    quality = [
        _rule(check, query, i, source, n_rows)
        for i, (check, query) in enumerate(zip(laws, queries, strict=True), 1)
        if query.sql is not None
    ]
    columns = [_column(each) for each in facts]
    entry: dict[str, Any] = {"name": table, "physicalName": table, "logicalType": "object"}
    entry |= {"properties": columns} if columns else {}
    entry |= {"quality": quality} if quality else {}
    document = {
        "apiVersion": VERSION,
        "kind": "DataContract",
        "id": f"laws-of-{table}",
        "version": "1.0.0",
        "status": "active",
        "schema": [entry],
    }
    return "".join(left_out) + yaml_text(document)


def _column(facts: ColumnFacts) -> dict[str, Any]:
    found = {"name": facts.name}
    return found | ({"logicalType": TYPES[facts.type]} if facts.type else {})


def _rule(check: LawCheck, query: LawQuery, i: int, source: str, n_rows: int) -> dict[str, Any]:
    """Return a rule: the query counts the broken rows, or gives their share if some may break."""
    found = {
        "name": f"law_{i}",
        "description": query.text,
        "type": "sql",
        "dimension": "consistency",
    }
    count = f"SELECT COUNT(*)\nFROM (\n{query.sql}\n) AS broken"
    if not check.allowed_share:
        return found | {"query": count, "mustBe": 0}
    share = f"SELECT 1.0 * ({count}) / (SELECT COUNT(*) FROM {source})"
    most = check.allowed_share
    if n_rows:  # chance adds to it
        most += 2 * math.sqrt(most * (1 - most) / n_rows)
    return found | {"query": share, "mustBeLessOrEqualTo": most}


def _placeholder_free(query: LawQuery) -> LawQuery:
    """Leave out a query in which programs would replace a part that looks like a placeholder."""
    if query.sql is not None and "{" in query.sql:
        return LawQuery(query.text, None, "programs read a brace in a contract as a placeholder")
    return query
