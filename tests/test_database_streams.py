"""Tables of DuckDB and Ibis are read where they are, without a file in between."""

from __future__ import annotations

import sqlite3
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import gramian
from gramian import GFR

QUOTED = 'the "net", in €'
"""A name that must be quoted in SQL."""


def _sales(n_rows: int = 8000) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    price, quantity = rng.integers(100, 9_900, n_rows) / 100, rng.integers(1, 60, n_rows)
    kind = rng.choice(["a", "b", "c"], n_rows)
    net = np.round(price * quantity, 2)
    return pd.DataFrame({"price": price, "quantity": quantity, QUOTED: net, "kind": kind})


SALES = _sales()
NUMBERS = ["price", "quantity", QUOTED]
IN_SQL = 'price, quantity, "the ""net"", in €"'


@pytest.fixture
def relation() -> Any:
    """Return a table of DuckDB."""
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    connection = duckdb.connect()
    connection.register("frame", SALES)
    connection.execute("CREATE TABLE sales AS SELECT * FROM frame")
    return connection.table("sales")


@pytest.fixture
def expression(tmp_path: Path) -> Any:
    """Return a table of SQLite as an expression of Ibis."""
    ibis = pytest.importorskip("ibis", reason="Ibis is not installed")
    with sqlite3.connect(tmp_path / "sales.db") as connection:
        SALES.to_sql("sales", connection, index=False)
    connection.close()
    with warnings.catch_warnings():  # Ibis asks pandas for options that are deprecated
        warnings.simplefilter("ignore")
        yield ibis.sqlite.connect(tmp_path / "sales.db").table("sales")


@pytest.fixture(params=["relation", "expression"])
def table(request: pytest.FixtureRequest) -> Any:
    """Return the table, of each kind."""
    return request.getfixturevalue(request.param)


def test_laws_are_found_and_checked(table):
    found = gramian.relations(table)
    assert str(found) == str(gramian.relations(SALES))
    assert f"`{QUOTED}` = price · quantity" in str(found)
    assert found.check(table).ok


def test_columns_are_selected(table):
    selection = gramian.select(table)
    assert selection.kept == ["price", "quantity", "kind"]
    assert selection.transform(table).column_names == ["price", "quantity", "kind"]


@pytest.mark.parametrize("memory_budget", [None, 2**20])
def test_a_fit_equals_the_fit_to_the_table_in_memory(table, memory_budget):
    options = {} if memory_budget is None else {"memory_budget": memory_budget}
    numbers = table.drop("kind") if hasattr(table, "drop") else table.project(IN_SQL)
    fitted = GFR(2, **options).fit(numbers)
    expected = GFR(2).fit(SALES[NUMBERS])
    assert fitted.feature_names_in_.tolist() == NUMBERS
    np.testing.assert_allclose(fitted.components_, expected.components_, rtol=1e-9)
    np.testing.assert_allclose(
        fitted.transform(numbers), expected.transform(SALES[NUMBERS]), rtol=1e-9, atol=1e-9
    )
