"""Laws in SQLite and in plain Python: the rows that break them are those of `Checks.check`."""

from __future__ import annotations

import datetime
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from export_cases import (
    HOSTILE,
    KINDS,
    broken_rows,
    many_levels,
    module_of,
    plain_rows,
    random_case,
    sqlite_rows,
    sqlite_table,
)

import gramian
from gramian.explanations import Formula, Term
from gramian.laws import (
    Checks,
    ColumnFacts,
    Key,
    LawCheck,
    Lookup,
    Rounding,
    Series,
    Solution,
)
from gramian.laws.exports import law_queries

ONE = Formula((Term(1.0, {}),), ())


@pytest.fixture
def con():
    """Return a database in memory, which is closed after the test."""
    with closing(sqlite3.connect(":memory:")) as database:
        yield database


@pytest.mark.parametrize("first", range(0, 200, 20))
def test_python_and_sqlite_find_the_rows_that_check_finds(first):
    n_broken = 0
    for seed in range(first, first + 20):
        checks, table = random_case(seed)
        expected = broken_rows(checks, table)
        n_broken += sum(map(len, expected))
        module, rows = module_of(checks.to_python()), plain_rows(table)
        found = [module["check"](row) for row in rows]
        in_python = [{i for i, said in enumerate(found) if c.text in said} for c in checks]
        assert in_python == expected, seed
        assert sqlite_rows(checks, table) == expected, seed
    assert n_broken > 100


def test_every_kind_of_law_is_drawn_and_broken():
    broken, n_rows = set(), 0
    for seed in range(3 * len(KINDS)):
        checks, table = random_case(seed)
        rows = broken_rows(checks, table)
        for i, each in enumerate(rows):
            if each:
                broken.add(KINDS[(seed + 7 * i) % len(KINDS)])
        n_rows += sum(len(each) for each in rows)
    assert broken == {*KINDS}


def test_many_levels_are_looked_up():
    for checks, table in many_levels():
        expected = broken_rows(checks, table)
        assert len(expected[0]) > 5
        assert sqlite_rows(checks, table) == expected
        module = module_of(checks.to_python())
        found = [module["check"](row) for row in plain_rows(table)]
        assert [{i for i, said in enumerate(found) if said}] == expected


def sum_law(*names: str) -> Checks:
    a, b, c = names
    law = Solution(c, Formula((Term(1.0, {a: 1}), Term(1.0, {b: 1})), (a, b)), ONE)
    facts = tuple(ColumnFacts(name, "number", 2) for name in names)
    return Checks((LawCheck(law, str(law), 0.005),), facts, 100)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_and_texts_are_quoted(name):
    law = Lookup("made", (Key(name),), ((name,), ("b",)), (f"is {name}", "is b"))
    laws = (*sum_law(name, "b", "c").laws, LawCheck(law, f"made follows from {name}"))
    for check, table in (
        (laws[0], {name: [1.0, 1.0], "b": [2.0, 2.0], "c": [3.0, 4.0]}),
        (laws[1], {name: [name, "b", name.upper() + "x"], "made": [f"is {name}", name, "z"]}),
    ):
        is_text = isinstance(table[name][0], str)
        facts = tuple(ColumnFacts(each, "text" if is_text else "number") for each in table)
        checks = Checks((check,), facts)
        arrays = {k: np.array(v, dtype=object if is_text else float) for k, v in table.items()}
        assert broken_rows(checks, arrays) == [{1}]
        assert sqlite_rows(checks, arrays) == [{1}]
        module = module_of(checks.to_python())
        assert [bool(module["check"](row)) for row in plain_rows(arrays)][:2] == [False, True]


@pytest.mark.parametrize("table", ["orders", 'o"rders', "o`r; --", "größe", "select"])
def test_names_of_tables_are_quoted(table, con):
    quoted = table.replace('"', '""')
    con.execute(f'CREATE TABLE "{quoted}" (a, b, c)')
    con.execute(f'INSERT INTO "{quoted}" VALUES (1, 2, 9)')
    sql = sum_law("a", "b", "c").to_sql("sqlite", table).strip().rstrip(";")
    assert con.execute(sql).fetchall() == [(1, 2, 9, 3.0)]


def test_one_statement_names_the_law_and_the_expected_value(con):
    checks = sum_law("a", "b", "c")
    laws = (*checks.laws, LawCheck(Lookup("k", (Key("t"),), (("x",),), ("y",)), "k follows"))
    checks = Checks(laws, (*checks.facts, ColumnFacts("t", "text"), ColumnFacts("k", "text")))
    con.execute("CREATE TABLE t (a, b, c, t, k)")
    con.execute("INSERT INTO t VALUES (1, 2, 9, 'x', 'z'), (1, 2, 3, 'x', 'y')")
    found = con.execute(checks.to_sql("sqlite", "t", together=True)).fetchall()
    assert [row[:3] for row in found] == [("c = a + b", "3.0", 1), ("k follows", "y", 1)]


def test_a_column_of_a_table_may_have_the_name_of_the_result():
    checks = sum_law("a", "Law_Value", "c")
    table = {"a": np.array([1.0]), "Law_Value": np.array([2.0]), "c": np.array([4.0])}
    assert sqlite_rows(checks, table) == [{0}]


def test_sqlite_refuses_a_table_without_the_column(con):
    con.execute("CREATE TABLE t (a, b)")
    with pytest.raises(sqlite3.OperationalError, match="no such column"):
        con.execute(sum_law("a", "b", "c").to_sql("sqlite", "t").strip().rstrip(";"))


def test_whole_numbers_are_not_divided_as_whole_numbers(con):
    formula = Formula((Term(1.0, {"a": 1}),), ("a",)), Formula((Term(1.0, {"b": 1}),), ("b",))
    checks = Checks((LawCheck(Solution("c", *formula), "c = a / b", 1e-9),))
    con.execute("CREATE TABLE t (a INTEGER, b INTEGER, c REAL)")
    con.execute("INSERT INTO t VALUES (1, 2, 0.5), (1, 2, 0), (1, 0, 5)")
    found = con.execute(checks.to_sql("sqlite", "t").strip().rstrip(";")).fetchall()
    assert [row[:3] for row in found] == [(1, 2, 0)]


def test_texts_are_compared_with_their_capital_letters(con):
    checks = Checks((LawCheck(Lookup("k", (Key("t"),), (("x",),), ("y",)), "k"),))
    con.execute("CREATE TABLE t (t TEXT COLLATE NOCASE, k TEXT COLLATE NOCASE)")
    con.execute("INSERT INTO t VALUES ('x', 'Y'), ('X', 'z'), ('x', 'y')")
    found = con.execute(checks.to_sql("sqlite", "t").strip().rstrip(";")).fetchall()
    assert found == [("x", "Y", "y")]


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb", "postgresql"])
def test_what_cannot_be_said_is_left_out_with_the_reason(dialect):
    root = Solution("d", Formula((Term(1.0, {"a": 1}),), ("a",)), ONE, root=2)
    single = Solution("f", root.numerator, ONE, rounding=Rounding(None, spelling=9))
    series = Series("e", "mean", "a", 7)
    checks = Checks(tuple(LawCheck(x, str(x), 0.005) for x in (root, series, single)))
    text = checks.to_sql(dialect, "t", maths=False)
    assert "-- left out: d = √a: a power needs mathematical functions" in text
    assert "-- left out: e = mean of the last 7 of a: it computes from earlier rows" in text
    assert "-- left out: f = a: its column has numbers of single precision" in text
    assert "SELECT" not in text
    assert "SELECT" in checks.to_sql(dialect, "t")
    assert "# left out: e = mean" in checks.to_python()


def test_columns_that_a_database_takes_for_one_are_left_out():
    checks = sum_law("a", "A", "c")
    (query,) = law_queries(checks.laws, checks.facts, "duckdb", "t")
    assert query.sql is None
    assert "capital letters" in str(query.reason)
    assert "left out" not in checks.to_python()


def test_an_unknown_dialect_is_refused():
    with pytest.raises(ValueError, match="dialect must be one of duckdb, sqlite, postgresql"):
        sum_law("a", "b", "c").to_sql("mysql", "t")  # type: ignore[arg-type]


def test_python_computes_columns_one_after_the_other():
    net, rate = np.random.default_rng(0).uniform(1, 99, (2, 300)).round(2)
    vat = (net * rate / 100).round(2)
    table = {"net": net, "rate": rate, "vat": vat, "gross": (net + vat).round(2)}
    module = module_of(gramian.relations(table).checks.to_python())
    for i in range(0, 300, 30):
        row = {"net": net[i], "rate": rate[i]}
        assert module["compute"](row) == {"vat": vat[i], "gross": table["gross"][i]}
    assert module["compute"]({"net": None, "rate": 1.0}) == {}


def test_python_reads_texts_dates_and_true():
    checks, table = random_case(KINDS.index("part"), ("part",), 1)
    module = module_of(checks.to_python())
    names = [name for name, column in table.items() if column.dtype.kind == "M"]
    for row in plain_rows(table):
        as_text = {k: str(v) if isinstance(v, datetime.date) else v for k, v in row.items()}
        assert module["check"](row) == module["check"](as_text), names
    (law,) = sum_law("a", "b", "c").laws
    module = module_of(Checks((law,)).to_python())
    assert module["check"]({"a": True, "b": "2.5", "c": "3.5"}) == []
    assert module["check"]({"a": "true", "b": pd.NA, "c": 1}) == []
    with pytest.raises(KeyError, match="c"):
        module["check"]({"a": 1, "b": 2})


def test_a_text_among_numbers_breaks_laws_in_python():
    rng = np.random.default_rng(0)
    a, b = rng.uniform(1, 99, (2, 200)).round(2)
    found = gramian.relations({"a": a, "b": b, "sum": (a + b).round(2)})
    module = module_of(found.checks.to_python())
    for row in ({"a": "about 3", "b": 1, "sum": 4}, {"a": "3", "b": "1", "sum": "n. a."}):
        assert module["check"](row) == [str(found[0])]
    assert module["check"]({"a": "3", "b": " ", "sum": "5"}) == []


def test_exported_python_is_free_of_dependencies():
    text = random_case(3)[0].to_python()
    imported = [line for line in text.splitlines() if line.startswith(("import ", "from "))]
    assert imported == ["import bisect", "import datetime", "import math"]
    assert text.isascii() or text.encode()


@pytest.mark.parametrize("half_up", [False, True])
@pytest.mark.parametrize("kind", ["view", "generated"])
def test_sqlite_computes_dropped_columns_again(kind, half_up, con):
    rng = np.random.default_rng(1)
    price = rng.integers(1, 400, 400) / 8
    rounding = Rounding(1, half_up=half_up)
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 700, 400), unit="D")
    table = pd.DataFrame({"price": price, "n": rng.integers(1, 9, 400), "day": days})
    table["total"] = rounding((table.price * table.n).to_numpy())
    table["rest"] = (100 - table.total).round(1)
    table["month"] = table.day.dt.month
    table["due"] = table.day + pd.Timedelta(days=30)
    found = gramian.relations(table)
    dropped = found.redundant(keep=["price", "n", "day"])
    assert {*dropped} == {"total", "rest", "month", "due"}
    sqlite_table(con, "orders", table.drop(columns=[*dropped]))
    con.executescript(
        found.columns_to_sql("sqlite", "orders", keep=["price", "n", "day"], kind=kind)
    )
    name = "orders" if kind == "generated" else "orders_with_columns"
    for column in dropped:
        back = [row[0] for row in con.execute(f"SELECT {column} FROM {name}")]
        given = table[column].dt.strftime("%Y-%m-%d") if column == "due" else table[column]
        assert back == given.tolist(), column


def test_duckdb_has_no_generated_columns_that_are_added():
    found = gramian.relations({"a": np.arange(50.0), "b": 2 * np.arange(50.0)})
    with pytest.raises(ValueError, match="kind='view'"):
        found.columns_to_sql("duckdb", "t", kind="generated")
    assert found.to_sql("duckdb", "t") == found.checks.to_sql("duckdb", "t")


def test_assert_laws_names_laws_rows_and_missing_columns(tmp_path):
    net, vat = np.random.default_rng(0).uniform(1, 99, (2, 200)).round(2)
    table = {"net": net, "vat": vat, "gross": (net + vat).round(2), "twice": 2 * net}
    found = gramian.relations(table)
    path = tmp_path / "laws.json"
    path.write_text(found.checks.text(), encoding="utf-8")
    for laws in (found, found.checks, path, str(path)):
        gramian.assert_laws(table, laws)
    table["net"][7] += 1
    with pytest.raises(AssertionError, match="2 of 2 laws do not hold in 200 rows") as raised:
        gramian.assert_laws(table, found)
    assert f"row 7: net is {net[7]}, the laws give {net[7] - 1}" in str(raised.value)
    gramian.assert_laws(table, found, allow=0.01)
    del table["net"]
    with pytest.raises(AssertionError, match="Column net is missing"):
        gramian.assert_laws(table, found)


def test_each_form_of_law_and_each_comparison_has_an_export_or_a_reason():
    from gramian.laws.exports._formula_expressions import SIGNS
    from gramian.laws.exports._law_expressions import MAKERS
    from gramian.laws.forms import ColumnLaw
    from gramian.laws.forms._law import COMPARISONS

    assert {*SIGNS} == {*COMPARISONS}
    assert {*MAKERS} == {*ColumnLaw.__subclasses__()}


def test_the_schema_of_laws_json_describes_every_kind_of_law():
    jsonschema = pytest.importorskip("jsonschema")
    path = Path(__file__).parents[1] / "docs" / "laws.schema.json"
    validator = jsonschema.Draft202012Validator(json.loads(path.read_text(encoding="utf-8")))
    for seed in range(len(KINDS)):
        validator.validate(random_case(seed)[0].to_json())
