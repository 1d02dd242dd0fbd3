"""Laws in DuckDB, pandera, pytest, Great Expectations and dbt: they find the rows that check finds.

The tests of a program are skipped where it is not installed: `pip install gramian[exports]`.
"""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from export_cases import (
    HOSTILE,
    KINDS,
    broken_rows,
    many_levels,
    module_of,
    plain_cells,
    plain_rows,
    random_case,
    sqlite_table,
)

import gramian
from gramian.laws import Checks, LawCheck, Rounding
from gramian.laws.exports import law_queries

SQL_TYPES = {"number": "DOUBLE", "text": "VARCHAR", "date": "TIMESTAMP"}


def numbered(table):
    return {"row number": np.arange(len(next(iter(table.values())))), **table}


def duckdb_table(con, name, checks, table):
    types = {each.name: SQL_TYPES[str(each.type)] for each in checks.facts}
    quoted = [f'"{n.replace(chr(34), chr(34) * 2)}" {types[n]}' for n in table]
    con.execute(f"CREATE TABLE {name} (row_number INTEGER, {', '.join(quoted)})")
    rows = [(i, *row.values()) for i, row in enumerate(plain_rows(table))]
    con.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * (len(table) + 1))})", rows)


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_duckdb_finds_the_rows_that_check_finds(first):
    duckdb = pytest.importorskip("duckdb")
    con = duckdb.connect()
    for seed in range(first, first + 20):
        checks, table = random_case(seed)
        duckdb_table(con, f"table_{seed}", checks, table)
        queries = law_queries(checks.laws, checks.facts, "duckdb", f"table_{seed}")
        assert all(each.sql is not None for each in queries)
        found = [{row[0] for row in con.execute(each.sql).fetchall()} for each in queries]
        assert found == broken_rows(checks, table), seed
        together = con.execute(checks.to_sql("duckdb", f"table_{seed}", together=True)).fetchall()
        assert len(together) == sum(map(len, found))


def test_duckdb_looks_up_many_levels():
    duckdb = pytest.importorskip("duckdb")
    con = duckdb.connect()
    for checks, table in many_levels():
        con.execute("DROP TABLE IF EXISTS t")
        duckdb_table(con, "t", checks, table)
        (query,) = law_queries(checks.laws, checks.facts, "duckdb", "t")
        found = {row[0] for row in con.execute(query.sql).fetchall()}
        assert [found] == broken_rows(checks, table)


def test_duckdb_tests_true_and_false_and_numbers_of_any_type():
    duckdb = pytest.importorskip("duckdb")
    a = np.random.default_rng(0).integers(0, 2, 200)
    b = np.random.default_rng(1).integers(1, 99, 200)
    found = gramian.relations({"a": a, "b": b, "c": b * 0.25 + a})
    con = duckdb.connect()
    con.execute("CREATE TABLE t (a BOOLEAN, b BIGINT, c DECIMAL(9, 2))")
    con.execute("INSERT INTO t VALUES (true, 3, 1.75), (false, 3, 1.75), (NULL, 3, 9)")
    rows = con.execute(found.to_sql("duckdb", "t", together=True)).fetchall()
    assert [row[2:5] for row in rows] == [(False, 3, pytest.approx(1.75))]


@pytest.mark.parametrize("half_up", [False, True])
def test_a_view_in_duckdb_computes_dropped_columns_again(half_up):
    duckdb = pytest.importorskip("duckdb")
    rng = np.random.default_rng(1)
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 700, 400), unit="D")
    orders = pd.DataFrame({"price": rng.integers(1, 400, 400) / 8, "day": days})
    orders["n"] = rng.integers(1, 9, 400)
    product = (orders.price * orders.n).to_numpy()
    orders["total"] = Rounding(1, half_up=half_up)(product)
    orders["month"] = orders.day.dt.month
    orders["due"] = orders.day + pd.Timedelta(days=30)
    found = gramian.relations(orders)
    keep = ["price", "n", "day"]
    con = duckdb.connect()
    con.register("kept", orders[keep])
    con.execute("CREATE TABLE orders AS SELECT * FROM kept")
    con.execute(found.columns_to_sql("duckdb", "orders", keep=keep, view="whole"))
    for name in ("total", "month", "due"):
        back = [row[0] for row in con.execute(f"SELECT {name} FROM whole").fetchall()]
        given = orders[name].dt.date if name == "due" else orders[name]
        assert back == given.tolist(), name


@pytest.mark.parametrize("backend", ["pandas", "polars"])
def test_pandera_finds_the_rows_that_check_finds(backend):
    pytest.importorskip("pandera")
    for seed in range(20):
        checks, table = random_case(seed)
        expected = broken_rows(checks, table)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of pandera about pandas and polars
            schema = module_of(checks.to_pandera(backend))["schema"]
            for check, rows in zip(checks, expected, strict=True):
                assert pandera_rows(schema, table, backend, check.text) == rows, (seed, check.text)


def pandera_rows(schema, table, backend, text):
    """Return the rows that a schema of pandera names for a law."""
    if backend == "pandas":
        frame = pd.DataFrame({name: pd.Series(column) for name, column in table.items()})
        frame.index = range(100, 100 + len(frame))
    else:
        frame = pl.DataFrame({name: plain_cells(column) for name, column in table.items()})
    import pandera.errors

    try:
        schema.validate(frame, lazy=True)
    except pandera.errors.SchemaErrors as error:
        cases = error.failure_cases
        cases = pd.DataFrame(cases if backend == "pandas" else cases.to_dicts())
        cases = cases[cases["check"] == text]
        return {int(each) - (100 if backend == "pandas" else 0) for each in cases["index"]}
    return set()


def test_a_schema_of_pandera_allows_the_share_that_broke_a_law():
    pytest.importorskip("pandera")
    (law,) = (each for each in random_case(0)[0].laws if "law 0" in each.text)
    checks, table = random_case(0)
    assert broken_rows(checks, table)[0]
    some = Checks((LawCheck(law.law, law.text, law.tolerance, law.relative_tolerance, 0.9),))
    schema = module_of(some.to_pandera())["schema"]
    schema.validate(pd.DataFrame({name: table[name] for name in law.columns}))


def test_a_pytest_file_fails_for_the_laws_that_are_broken(tmp_path):
    failed, n_broken = {}, 0
    for seed in range(len(KINDS)):
        checks, table = random_case(seed)
        if any(re.search(r"[\n\r]", name) for name in table):
            continue
        with open(tmp_path / f"{seed}.csv", "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(table)
            rows = plain_rows(table)
            writer.writerows(["" if x is None else x for x in row.values()] for row in rows)
        source = checks.to_pytest(str(tmp_path / f"{seed}.csv"))
        (tmp_path / f"test_laws_{seed}.py").write_text(source, encoding="utf-8")
        for i, rows in enumerate(broken_rows(checks, table), 1):
            failed[f"test_laws_{seed}", i] = sorted(rows)
            n_broken += bool(rows)
    report = tmp_path / "report.xml"
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        f"--junit-xml={report}",
    ]
    done = subprocess.run(
        [*command, "."], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stdout + done.stderr
    text = report.read_text(encoding="utf-8")
    for (name, i), rows in failed.items():
        case = re.search(
            rf'classname="{name}" name="[^"]*\[law {i}\]"[^>]*?(/>|>.*?</testcase>)', text, re.S
        )
        assert case is not None
        assert ("<failure" in case[1]) == bool(rows), (name, i)
        if rows and len(rows) <= 10:
            assert f"is broken in row {', '.join(str(row + 1) for row in rows)}" in case[1]
    assert n_broken > 10


@pytest.fixture(scope="module")
def great_expectations():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gx = pytest.importorskip("great_expectations")
        pytest.importorskip("sqlalchemy")
        context = gx.get_context(mode="ephemeral")
        context.variables.progress_bars = None
        return gx, context


def gx_rows(gx, context, path, checks, name):
    """Return the rows that break each law in Great Expectations; None for a law left out."""
    suite = json.loads(checks.to_great_expectations("sqlite"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        source = context.data_sources.add_sqlite(name, connection_string=f"sqlite:///{path}")
        asset = source.add_table_asset("asset", table_name="cells")
        batch = asset.add_batch_definition_whole_table("all").get_batch()
        made = gx.ExpectationSuite(name=name, expectations=suite["expectations"])
        found = batch.validate(made, result_format="COMPLETE")
    rows = {}
    for each in found.results:
        assert not each.exception_info.get("raised_exception"), each.exception_info
        unexpected = each.result["details"]["unexpected_rows"]
        rows[each.expectation_config.meta["law"]] = {row["row number"] for row in unexpected}
    reasons = {each["law"]: each["reason"] for each in suite["meta"]["left out"]}
    assert {*rows} | {*reasons} == {each.text for each in checks}
    assert all("colon" in reason for reason in reasons.values())
    return [rows.get(each.text) for each in checks]


def test_great_expectations_finds_the_rows_that_check_finds(great_expectations, tmp_path):
    import sqlite3

    n_tested = 0
    for seed in range(12):
        checks, table = random_case(seed)
        path = tmp_path / f"{seed}.db"
        con = sqlite3.connect(path)
        sqlite_table(con, "cells", numbered(table))
        con.commit()
        con.close()
        found = gx_rows(*great_expectations, path, checks, f"source {seed}")
        for one, rows in zip(found, broken_rows(checks, table), strict=True):
            assert one is None or one == rows, seed
            n_tested += one is not None
    assert n_tested > 18


def test_dbt_counts_the_rows_that_check_finds(tmp_path):
    pytest.importorskip("dbt.adapters.duckdb", reason="dbt-duckdb is not installed")
    duckdb = pytest.importorskip("duckdb")
    con = duckdb.connect(str(tmp_path / "dbt.duckdb"))
    (tmp_path / "dbt_project.yml").write_text(
        "name: laws\nversion: '1.0'\nprofile: laws\nflags:\n  send_anonymous_usage_stats: false\n"
    )
    (tmp_path / "profiles.yml").write_text(
        "laws:\n  target: dev\n  outputs:\n    dev:\n      type: duckdb\n"
        f"      path: {json.dumps(str(tmp_path / 'dbt.duckdb'))}\n"
    )
    (tmp_path / "models").mkdir()
    (tmp_path / "tests").mkdir()
    expected = {}
    for seed in range(10):
        checks, table = random_case(seed)
        duckdb_table(con, f"raw_{seed}", checks, table)
        model = f"model_{seed}"
        (tmp_path / "models" / f"{model}.sql").write_text(f"SELECT * FROM raw_{seed}\n")
        for path, content in checks.to_dbt("duckdb", model).items():
            (tmp_path / path).write_text(content, encoding="utf-8")
        for i, rows in enumerate(broken_rows(checks, table), 1):
            expected[f"{model}_law_{i}"] = len(rows)
    con.close()
    command = [sys.executable, "-c", "from dbt.cli.main import cli; cli()", "build"]
    done = subprocess.run(
        [*command, "--project-dir", ".", "--profiles-dir", "."],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    results = tmp_path / "target" / "run_results.json"
    assert results.exists(), done.stdout + done.stderr
    found = {
        each["unique_id"].split(".")[2]: each["failures"]
        for each in json.loads(results.read_text(encoding="utf-8"))["results"]
        if each["unique_id"].startswith("test.")
    }
    assert found == expected, done.stdout


def test_dbt_needs_the_name_of_a_model():
    with pytest.raises(ValueError, match="name of a model"):
        random_case(0)[0].to_dbt("duckdb", "orders'); --")


def test_a_contract_has_a_rule_for_each_law():
    yaml = pytest.importorskip("yaml")
    duckdb = pytest.importorskip("duckdb")
    con = duckdb.connect()
    n_rules = 0
    for seed in range(20):
        checks, table = random_case(seed)
        duckdb_table(con, f"t_{seed}", checks, table)
        text = checks.to_contract("duckdb", f"t_{seed}")
        document = yaml.safe_load(text)
        (entry,) = document["schema"]
        assert [each["name"] for each in entry["properties"]] == [*table]
        rules = {each["name"]: each for each in entry.get("quality", ())}
        assert len(rules) + text.count("# left out") == len(checks)
        for i, rows in enumerate(broken_rows(checks, table), 1):
            if f"law_{i}" in rules:
                rule = rules[f"law_{i}"]
                assert (rule["type"], rule["mustBe"]) == ("sql", 0)
                assert con.execute(rule["query"]).fetchone() == (len(rows),)
                n_rules += 1
    assert n_rules > 10


@pytest.mark.parametrize(
    "text", [*HOSTILE, "a\r\nb", " lead", "end ", "\x85", "😀", "tab\tin\nlines"]
)
def test_yaml_holds_any_text(text):
    yaml = pytest.importorskip("yaml")
    from gramian.laws.exports import yaml_text

    document = {"a": text, "list": [{"b": text, "c": 1}, text], "d": 0.5}
    assert yaml.safe_load(yaml_text(document)) == document
