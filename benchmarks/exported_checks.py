"""Exported laws: whether each program names the rows that `check` names.

``python benchmarks/exported_checks.py`` draws 200 random tables, finds their laws, and tests other
tables with wrong cells in each program. ``benchmarks/evidence.py --parts exported`` writes the
numbers into docs/evidence.md. Both need ``pip install -e '.[cli,files,test,exports]'``.
"""

from __future__ import annotations

import argparse
import csv
import json
import sqlite3
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import exported_tables
import numpy as np
import pandas as pd
import polars as pl

import gramian
from gramian.laws import CheckResult, Checks
from gramian.laws.exports import law_queries

Rows = list[set[int] | None]
"""The rows that break each law; None for a law that the program leaves out."""
PLACE = "row number"
"""The column of the position of a row."""
SQL_TYPES = {"number": "DOUBLE", "text": "VARCHAR", "date": "TIMESTAMP"}


def cells(column: np.ndarray) -> list[Any]:
    """Return a column as a list; None is missing."""
    exact = column.astype("datetime64[us]") if column.dtype.kind == "M" else column
    return [None if each is None or each != each else each for each in exact.tolist()]


def rows_of(table: Mapping[str, np.ndarray]) -> list[dict[str, Any]]:
    """Return a table as dictionaries."""
    columns = {name: cells(column) for name, column in table.items()}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def source_names(source: str) -> dict[str, Any]:
    """Return the names that an exported module defines."""
    names: dict[str, Any] = {"__name__": "exported"}
    exec(compile(source, "exported.py", "exec"), names)
    return names


def in_order(checks: Checks, found: Mapping[str, set[int]]) -> Rows:
    """Return the rows of each law, None for one that is not named."""
    return [found.get(each.text) for each in checks]


def filled(con: Any, table: Mapping[str, np.ndarray], types: Mapping[str, str]) -> None:
    """Make the table "cells" in a database."""
    names = ['"' + name.replace('"', '""') + '"' for name in table]
    typed = [f"{quoted} {types[name]}" for quoted, name in zip(names, table, strict=True)]
    con.execute(f'CREATE TABLE cells ("{PLACE}" INTEGER, {", ".join(typed)})')
    rows = [(i, *row.values()) for i, row in enumerate(rows_of(table))]
    con.executemany(f"INSERT INTO cells VALUES ({', '.join('?' * (len(table) + 1))})", rows)


def as_text(table: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return a table with dates as texts, as SQLite has them."""
    return {
        name: np.array([None if x is None else str(x) for x in cells(column)], dtype=object)
        if column.dtype.kind == "M"
        else column
        for name, column in table.items()
    }


def selected(con: Any, checks: Checks, dialect: Any) -> Rows:
    """Return the rows that the SQL of each law selects."""
    queries = law_queries(checks.laws, checks.facts, dialect, "cells")
    return [q.sql and {row[0] for row in con.execute(q.sql).fetchall()} for q in queries]


class Programs:
    """The programs, each a method that tests laws on a table.

    Parameters
    ----------
    folder : Path
        A folder for databases and files.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.n = folder, 0
        self.context: Any = None

    def path(self, ending: str) -> Path:
        """Return the path of a new file."""
        self.n += 1
        return self.folder / f"table_{self.n}.{ending}"

    def duckdb(self, checks: Checks, table: Any) -> Rows:
        """Run the SQL in DuckDB."""
        import duckdb

        con = duckdb.connect()
        filled(con, table, {each.name: SQL_TYPES[str(each.type)] for each in checks.facts})
        return selected(con, checks, "duckdb")

    def sqlite(self, checks: Checks, table: Any) -> Rows:
        """Run the SQL in SQLite."""
        con = sqlite3.connect(":memory:")
        filled(con, as_text(table), dict.fromkeys(table, ""))
        return selected(con, checks, "sqlite")

    def python(self, checks: Checks, table: Any) -> Rows:
        """Call the plain Python module."""
        module = source_names(checks.to_python())
        found: dict[str, set[int]] = {text: set() for text, *_ in module["LAWS"]}
        for i, row in enumerate(rows_of(table)):
            for text in module["check"](row):
                found[text].add(i)
        return in_order(checks, found)

    def pytest(self, checks: Checks, table: Any) -> Rows:
        """Read the table back from its CSV file as the tests do, and run them."""
        path = self.path("csv")
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(table)
            for row in rows_of(table):
                writer.writerow(["" if each is None else each for each in row.values()])
        source = checks.to_pytest(str(path))
        path.with_name(f"test_{path.stem}.py").write_text(source, encoding="utf-8")
        module = source_names(source)
        found: dict[str, set[int]] = {}
        for text, breaks, share in module["LAWS"]:
            outcomes = [breaks(row) for row in module["rows"]()]
            few = outcomes.count(True) <= module["_allowed"](
                share, len(outcomes) - outcomes.count(None)
            )
            found[text] = set() if few else {i for i, each in enumerate(outcomes) if each}
        return in_order(checks, found)

    def pandera(self, checks: Checks, table: Any) -> Rows:
        """Validate a data frame of pandas."""
        frame = pd.DataFrame({name: pd.Series(column) for name, column in table.items()})
        return self._validated(checks, frame, "pandas")

    def pandera_polars(self, checks: Checks, table: Any) -> Rows:
        """Validate a data frame of polars."""
        frame = pl.DataFrame({name: cells(column) for name, column in table.items()})
        return self._validated(checks, frame, "polars")

    def _validated(self, checks: Checks, frame: Any, backend: Any) -> Rows:
        import pandera.errors

        module = source_names(checks.to_pandera(backend))
        found: dict[str, set[int]] = {text: set() for text, *_ in module["LAWS"]}
        try:
            module["schema"].validate(frame, lazy=True)
        except pandera.errors.SchemaErrors as error:
            cases = error.failure_cases
            for each in cases.to_dict("records") if backend == "pandas" else cases.to_dicts():
                found[each["check"]].add(int(each["index"]))
        return in_order(checks, found)

    def great_expectations(self, checks: Checks, table: Any) -> Rows:
        """Run the suite in Great Expectations, on SQLite."""
        import great_expectations as gx

        if self.context is None:
            self.context = gx.get_context(mode="ephemeral")
            self.context.variables.progress_bars = None
        path = self.path("db")
        con = sqlite3.connect(path)
        filled(con, as_text(table), dict.fromkeys(table, ""))
        con.commit()
        con.close()
        suite = json.loads(checks.to_great_expectations("sqlite"))
        if not suite["expectations"]:
            return [None] * len(checks)
        source = self.context.data_sources.add_sqlite(
            path.stem, connection_string=f"sqlite:///{path}"
        )
        asset = source.add_table_asset("asset", table_name="cells")
        batch = asset.add_batch_definition_whole_table("all").get_batch()
        made = gx.ExpectationSuite(name=path.stem, expectations=suite["expectations"])
        found = {}
        for each in batch.validate(made, result_format="COMPLETE").results:
            unexpected = each.result["details"]["unexpected_rows"]
            found[each.expectation_config.meta["law"]] = {row[PLACE] for row in unexpected}
        return in_order(checks, found)

    @property
    def every(self) -> dict[str, Callable[[Checks, Any], Rows]]:
        """Name → method."""
        return {
            "DuckDB": self.duckdb, "SQLite": self.sqlite, "plain Python": self.python,
            "pytest file": self.pytest, "pandera (pandas)": self.pandera,
            "pandera (polars)": self.pandera_polars, "Great Expectations": self.great_expectations,
        }  # fmt: skip


ALLOWS = ("pytest file", "pandera (pandas)", "pandera (polars)")
"""Programs that name no row of a law which fewer rows break than may."""


def expected(result: CheckResult, program: str) -> list[set[int]]:
    """Return the rows that a program should name for each law."""
    return [
        set() if each.holds and program in ALLOWS else {*each.rows.tolist()} for each in result.laws
    ]


def drawn(seeds: range) -> Iterator[tuple[int, Checks, Any, CheckResult]]:
    """Yield seeds, the laws of a table, another table, and its check."""
    for seed in seeds:
        _, before, after = exported_tables.table(seed)
        checks = gramian.relations(before).checks
        yield seed, checks, after, checks.check(after)


def compared(seeds: range, folder: Path) -> dict[str, Any]:
    """Compare the rows that each program names with those of `check`."""
    programs = Programs(folder)
    found = {
        name: {"n_laws": 0, "n_rows": 0, "left out": Counter[str](), "tables that differ": []}
        for name in programs.every
    }
    forms = Counter[str]()
    for seed, checks, table, result in drawn(seeds):
        forms.update(type(each.law).__name__ for each in checks)
        for name, test in programs.every.items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of other programs
                rows = test(checks, table)
            own: Any = found[name]
            for check, one, right in zip(checks, rows, expected(result, name), strict=True):
                own["n_laws"] += one is not None
                own["n_rows"] += len(one or ())
                if one is None:
                    own["left out"][type(check.law).__name__] += 1
                elif one != right and seed not in own["tables that differ"]:
                    own["tables that differ"].append(seed)
    return {"n_tables": len(seeds), "forms": dict(forms), "programs": found}


def failures(folder: Path) -> int:
    """Run the pytest files of a folder in pytest, and return the number of tests that fail."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--no-header", "."]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    last = done.stdout.strip().splitlines()[-1]
    return int(last.split(" failed")[0]) if " failed" in last else 0


def measured(n_tables: int) -> dict[str, Any]:
    """Compare the programs on some tables, and run the pytest files in pytest."""
    with tempfile.TemporaryDirectory() as name:
        found = compared(range(n_tables), Path(name))
        return {**found, "failed tests of pytest": failures(Path(name))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=200)
    print(json.dumps(measured(parser.parse_args().tables), indent=1))


if __name__ == "__main__":
    main()
