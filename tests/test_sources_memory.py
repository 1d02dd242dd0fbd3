"""Memory does not grow with the rows of a file."""

import json
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

BUDGET = 2**24
CHILD = """
import json, resource, sys
import numpy as np
from gramian import GFR
path, budget, n_steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
import pyarrow.dataset, scipy.linalg
GFR(2).fit(np.random.default_rng(0).standard_normal((6000, 4)))  # whatever is loaded once
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
fitted = GFR(n_steps, degree=2, memory_budget=budget).fit(path)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps([fitted.n_samples_, 1024 * before, 1024 * peak]))
"""


def write(path, n_rows, n_columns=30):
    """Write a table in pieces, so that this process needs no memory for it, either."""
    rng = np.random.default_rng(0)
    names = [f"x{i}" for i in range(n_columns)]
    writer = None
    for start in range(0, n_rows, 50_000):
        piece = rng.standard_normal((min(50_000, n_rows - start), n_columns))
        piece *= np.linspace(1, 2, n_columns)
        table = pa.table(dict(zip(names, piece.T, strict=True)))
        writer = writer or pyarrow.parquet.ParquetWriter(path, table.schema, compression=None)
        writer.write_table(table)
    writer.close()


def peak_of(path, budget=BUDGET, n_steps=3):
    """Fit in another process, and return rows and what it needed for the fit."""
    arguments = [sys.executable, "-c", CHILD, str(path), str(budget), str(n_steps)]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True)
    n_rows, before, peak = json.loads(done.stdout)
    return n_rows, peak - before


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss has other units elsewhere")
def test_four_times_the_rows_need_no_more_memory(tmp_path):
    peaks = {}
    for n_rows in (100_000, 400_000):  # 24 and 96 MB
        path = tmp_path / f"{n_rows}.parquet"
        write(path, n_rows)
        found, peaks[n_rows] = peak_of(path)
        assert found == n_rows
    # A row group of 50,000 is 12 MB, of which PyArrow decodes several at once.
    assert peaks[400_000] < 90 * 2**20
    assert peaks[400_000] < peaks[100_000] + 16 * 2**20


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss has other units elsewhere")
def test_a_larger_budget_may_be_used(tmp_path):
    """Otherwise the test above says nothing: it measures what a fit takes."""
    write(tmp_path / "x.parquet", 200_000)
    small, large = (peak_of(tmp_path / "x.parquet", budget)[1] for budget in (BUDGET, 2**31))
    assert large > small + 40 * 2**20  # the whole table, 48 MB, is loaded
