"""Memory does not grow with the rows of a file."""

import gzip
import json
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
BUDGET = 2**24
SIZES = (100_000, 600_000)
N_COLUMNS = 30
CHILD = """
import json, re, sys
from pathlib import Path
import numpy as np
import pyarrow.dataset
from gramian import GFR

def peak():  # that of resource.getrusage begins with what the parent has
    return 1024 * int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])

path, budget = sys.argv[1], int(sys.argv[2])
GFR(2).fit(np.random.default_rng(0).standard_normal((6000, 4)))  # whatever is loaded once
before = peak()
fitted = GFR(3, memory_budget=budget).fit(path)
print(json.dumps([fitted.n_samples_, before, peak()]))
"""


def write(path, n_rows):
    """Write a table in pieces, so that this process needs little memory."""
    rng = np.random.default_rng(0)
    names = [f"x{i}" for i in range(N_COLUMNS)]
    writer = None
    for start in range(0, n_rows, 50_000):
        piece = rng.standard_normal((min(50_000, n_rows - start), N_COLUMNS))
        piece *= np.linspace(1, 2, N_COLUMNS)
        table = pa.table(dict(zip(names, piece.T, strict=True)))
        writer = writer or pyarrow.parquet.ParquetWriter(path, table.schema, compression=None)
        writer.write_table(table)
    writer.close()


def peak_of(path, budget=BUDGET):
    """Fit in another process; return the number of rows and the peak memory of the fit."""
    arguments = [sys.executable, "-c", CHILD, str(path), str(budget)]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True)
    n_rows, before, peak = json.loads(done.stdout)
    return n_rows, peak - before


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    folder = tmp_path_factory.mktemp("memory")
    for n_rows in SIZES:
        write(folder / f"{n_rows}.parquet", n_rows)
    return {n_rows: folder / f"{n_rows}.parquet" for n_rows in SIZES}


def test_six_times_the_rows_need_no_more_memory(paths):
    peaks = []
    for n_rows, path in paths.items():
        found, peak = peak_of(path)
        assert found == n_rows
        peaks.append(peak)
    # The tables have 24 and 144 MB. Allocators and decoders take some 100 MB, whatever the size.
    assert peaks[1] < peaks[0] + 50 * 2**20
    assert peaks[1] < 200 * 2**20


def test_the_measurement_notices_a_table_that_is_loaded(paths):
    """With a large budget, the table is loaded, and copied for centring."""
    n_rows = SIZES[1]
    assert peak_of(paths[n_rows], 2**31)[1] > 2 * 8 * n_rows * N_COLUMNS


def test_a_compressed_file_needs_no_more_memory_than_an_uncompressed_one(tmp_path):
    """The file unpacks to 120 MB of numbers, which are never in memory at once."""
    n_rows, n_columns = 1_500_000, 10
    rows = np.random.default_rng(0).integers(0, 9, (100, n_columns))
    text = "\n".join(",".join(map(str, row)) for row in rows.tolist()) + "\n"
    with gzip.open(tmp_path / "x.csv.gz", "wt", compresslevel=1) as stream:
        stream.write(",".join(f"x{i}" for i in range(n_columns)) + "\n")
        for _ in range(n_rows // len(rows)):
            stream.write(text)
    assert (tmp_path / "x.csv.gz").stat().st_size < BUDGET // 8
    found, peak = peak_of(tmp_path / "x.csv.gz")
    assert found == n_rows
    assert peak < 8 * n_rows * n_columns
