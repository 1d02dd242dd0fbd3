"""Laws as a suite of Great Expectations: JSON with queries that return the broken rows."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from gramian.laws.columns import ColumnFacts
from gramian.laws.exports._sql_checks import LawQuery, law_queries
from gramian.laws.exports._sql_dialects import Dialect
from gramian.laws.forms import LawCheck

BATCH = "\0batch\0"
"""Stands for the table until the braces of the query are doubled; no name can have it."""
BOUND = re.compile(r"(?<![:\w\x5c]):(\w+)(?!:)")
"""What SQLAlchemy takes for a parameter, as it does in the texts that the program gives it."""
ESCAPED = re.compile(r"\x5c(:[\w\$]*)(?![:\w\$])")
"""What it takes for an escaped colon."""


def expectation_suite(
    laws: Sequence[LawCheck], facts: Sequence[ColumnFacts], dialect: Dialect, name: str
) -> str:
    """Return a suite of Great Expectations as JSON; see `Checks.to_great_expectations`."""
    queries = law_queries(laws, facts, dialect, name, source=BATCH)
    expectations, left_out = list[dict[str, Any]](), list[dict[str, str]]()
    for check, query in zip(laws, map(_fit, queries), strict=True):
        if query.sql is None:
            left_out.append({"law": query.text, "reason": str(query.reason)})
            continue
        meta: dict[str, Any] = {"law": query.text}
        if check.allowed_share:
            meta["share of rows that broke it when it was found"] = check.allowed_share
        expectations.append(
            {
                "type": "unexpected_rows_expectation",
                "kwargs": {"unexpected_rows_query": query.sql},
                "meta": meta,
            }
        )
    document = {"name": name, "expectations": expectations, "meta": {"left out": left_out}}
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _fit(query: LawQuery) -> LawQuery:
    """Return a query with colons and braces written as the program wants them."""
    if query.sql is None:
        return query
    escaped = BOUND.sub(r"\\:\1", query.sql.replace("\\:", "\\\\:"))
    if BOUND.search(escaped) or ESCAPED.sub(r"\1", escaped) != query.sql:
        reason = "Great Expectations would read a colon in it as a parameter"
        return LawQuery(query.text, None, reason)
    doubled = escaped.replace("{", "{{").replace("}", "}}")
    return LawQuery(query.text, doubled.replace(BATCH, "{batch}"))
