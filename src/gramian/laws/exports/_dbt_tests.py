"""Laws as tests of dbt: a query for each law, and a file that describes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gramian._support.words import one_line
from gramian.laws.columns import ColumnFacts
from gramian.laws.exports._sql_checks import law_queries
from gramian.laws.exports._sql_dialects import Dialect
from gramian.laws.exports._yaml_text import yaml_text
from gramian.laws.forms import LawCheck

MODEL = "\0model\0"
"""Stands for the model until the braces of the query are escaped; no name can have it."""


def dbt_files(
    laws: Sequence[LawCheck], facts: Sequence[ColumnFacts], dialect: Dialect, model: str
) -> dict[str, str]:
    """Return the files of tests by their path; see `Checks.to_dbt`."""
    if not model.isidentifier():
        raise ValueError(f"model must be the name of a model of dbt; got {model!r}.")
    files, described, left_out = dict[str, str](), list[dict[str, Any]](), list[str]()
    queries = law_queries(laws, facts, dialect, model, source=MODEL)
    for i, (check, query) in enumerate(zip(laws, queries, strict=True), 1):
        if query.sql is None:
            left_out.append(f"# left out: {one_line(query.text)}: {one_line(str(query.reason))}\n")
            continue
        name = f"{model}_law_{i}"
        lines = [f"-- {one_line(query.text)}", query.sql]
        if check.allowed_share:
            lines[0] += f"; broken in {100 * check.allowed_share:.3g} % of the rows it came from"
        text = _escaped("\n".join(lines)).replace(MODEL, f"{{{{ ref('{model}') }}}}")
        severity = "{{ config(severity='warn') }}\n" if check.allowed_share else ""
        files[f"tests/{name}.sql"] = f"{severity}{text}\n"
        described.append({"name": name, "description": _escaped(query.text)})
    listed = yaml_text({"version": 2, "data_tests": described}) if described else "version: 2\n"
    files[f"tests/{model}_laws.yml"] = "".join(left_out) + listed
    return files


def _escaped(text: str) -> str:
    """Return a text with braces that Jinja, the language of dbt's files, leaves alone."""
    return text.replace("{", "{{ '{' }}")
