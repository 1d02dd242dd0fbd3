"""The demonstration prints the results that the README promises."""

import io
import re
from contextlib import redirect_stdout

import pytest
from threadpoolctl import threadpool_limits

from gramian import demo


@pytest.fixture(scope="module")
def output():
    """Return the lines that the demonstration prints."""
    with io.StringIO() as stream, redirect_stdout(stream), threadpool_limits(1):
        demo.main()
        return stream.getvalue().splitlines()


def rows_of(output, pattern):
    return [match.groups() for line in output if (match := re.fullmatch(pattern, line))]


def test_gfr_needs_fewer_directions_than_pca_at_every_level(output):
    rows = rows_of(output, r"  (?:variance left|\d+\.\d % of all) .*?  +(\d+) +(\d+) +(\d+)")
    assert len(rows) == len(demo.VARIANCES) + len(demo.SHARES)
    for row in rows:
        pca, degree_2, degree_3 = map(int, row)
        assert 0 < degree_3 <= degree_2 < pca


def test_gfr_of_degree_2_leaves_less_variance_of_held_out_rows_than_pca(output):
    rows = rows_of(output, r"  (\d+) +([\d.]+) % +\(([\d.]+) %\) +([\d.]+) % +\(([\d.]+) %\) .*")
    assert [int(row[0]) for row in rows] == list(demo.DIRECTIONS)
    for _, pca, pca_fitted, gfr, gfr_fitted in rows:
        assert float(gfr) < float(pca)
        assert float(pca_fitted) < float(pca)
        assert float(gfr_fitted) < float(gfr)


@pytest.mark.parametrize(
    ("column", "linear", "degree_2", "degree_3"),
    [
        ("perimeter_m", "redundant", "redundant", "redundant"),
        ("area_m2", "keep", "redundant", "redundant"),
        ("power_kW", "keep", "redundant", "redundant"),
        ("energy_kWh", "keep", "keep", "redundant"),
        *((name, "keep", "keep", "keep") for name, formula in demo.FORMULAS.items() if not formula),
    ],
)
def test_gfa_names_the_planted_columns(output, column, linear, degree_2, degree_3):
    assert rows_of(output, rf"  {column} .*?  +(\w+) +(\w+) +(\w+)") == [
        (linear, degree_2, degree_3)
    ]


def test_lines_fit_a_terminal(output):
    assert max(map(len, output)) < 80
