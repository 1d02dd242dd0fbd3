"""Laws that were found name the same rows in each program; `make test-exports` installs these."""

import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1]
PROGRAMS = ("duckdb", "pandera", "great_expectations", "sqlalchemy", "pandas", "polars")


@pytest.fixture
def exported_checks(monkeypatch):
    for each in PROGRAMS:
        pytest.importorskip(each)
    monkeypatch.setattr(sys, "path", [str(BENCHMARKS), *sys.path])
    import exported_checks

    yield exported_checks
    for name in ("exported_checks", "exported_tables"):
        sys.modules.pop(name, None)


@pytest.mark.filterwarnings("ignore")  # of other programs
def test_each_program_names_the_rows_that_check_names(exported_checks, tmp_path):
    import exported_tables

    n_tables = len(exported_tables.KINDS)
    found = exported_checks.compared(range(n_tables), tmp_path)
    assert {*found["forms"]} == {
        "Solution", "Extreme", "Lookup", "Slopes", "Series", "Guarded", "Balance",
    }  # fmt: skip
    for name, own in found["programs"].items():
        assert own["tables that differ"] == [], name
        assert {*own["left out"]} <= {"Series"}, name
        assert own["n_laws"] > n_tables, name
        assert own["n_rows"] > 100, name
    assert exported_checks.failures(tmp_path) > n_tables
