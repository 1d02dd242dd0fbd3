"""One table in every form that `fit` takes, and a comparison of fits to these forms."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.dataset
import pyarrow.feather
import pyarrow.parquet
from support import make

from gramian import GCA, GFA, GFR, GFS

BUDGET = 2**20
"""The smallest memory budget; a table of more than an eighth of it is streamed."""
NAMES = list("abcdefgh")
ALGORITHMS: list[tuple[type, dict[str, Any]]] = [
    (GFR, {"count": 3}),
    (GCA, {"threshold": 1.0}),
    (GFS, {"count": 3}),
    (GFA, {"threshold": 0.05}),
]
INDICES = range(len(ALGORITHMS))


def make_table(n_rows: int = 3000, seed: int = 0) -> np.ndarray:
    """Return four variables of distinct variance, functions of them, and noise, all with a mean."""
    rng = np.random.default_rng(seed)
    a, b, c, d = rng.uniform(-1.7, 1.7, (4, n_rows)) * [[4.0], [3.0], [2.0], [1.0]]
    columns = [a, 0.3 * a * b, b, c, 0.4 * b * c, d, 0.3 * a + 0.2 * b * b, 0.2 * a * c]
    noise = 0.05 * rng.standard_normal((n_rows, len(columns)))
    return np.column_stack(columns) + noise + np.arange(len(columns))


X = make_table()
WEIGHTS = np.random.default_rng(1).integers(0, 4, len(X)).astype(float)
FRAME = pd.DataFrame(X, columns=NAMES)
TABLE = pa.Table.from_pandas(FRAME, preserve_index=False)
WEIGHTED = TABLE.append_column("weight", pa.array(WEIGHTS))


def write_parquet(folder: Path, table: pa.Table = TABLE, row_group: int | None = None) -> Path:
    """Write a table to one file."""
    path = folder / "table.parquet"
    pyarrow.parquet.write_table(table, path, row_group_size=row_group)
    return path


def write_parts(
    folder: Path,
    table: pa.Table = TABLE,
    edges: tuple[int, ...] = (0, 700, 701, 2500, 3000),
    row_groups: tuple[int, ...] = (64, 1, 999, 100),
) -> list[Path]:
    """Write a table to several Parquet files, with row groups of several sizes."""
    paths = []
    for i, (start, stop) in enumerate(itertools.pairwise(edges)):
        paths.append(folder / f"part{i}.parquet")
        part = table.slice(start, stop - start)
        pyarrow.parquet.write_table(part, paths[-1], row_group_size=row_groups[i])
    return paths


def _npy(folder: Path, name: str, x: np.ndarray) -> Path:
    np.save(folder / name, x)
    return folder / name


def _memmap(folder: Path) -> np.ndarray:
    return np.load(_npy(folder, "x.npy", X), mmap_mode="r")


def _fortran(folder: Path) -> Path:
    return _npy(folder, "x.npy", np.asfortranarray(X))


def _npys(folder: Path) -> list[Path]:
    return [_npy(folder, f"{i}.npy", part) for i, part in enumerate(np.split(X, [1000, 1001]))]


def _folder(folder: Path) -> Path:
    write_parts(folder)
    return folder


def _csv(folder: Path) -> Path:
    pyarrow.csv.write_csv(TABLE, folder / "x.csv")
    return folder / "x.csv"


def _csvs(folder: Path) -> list[str]:
    for i, start in enumerate((0, 1500)):
        pyarrow.csv.write_csv(TABLE.slice(start, 1500), folder / f"{i}.csv")
    return [str(folder / "0.csv"), str(folder / "1.csv")]


def _feather(folder: Path) -> Path:
    pyarrow.feather.write_feather(TABLE, folder / "x.feather", chunksize=700)
    return folder / "x.feather"


def _arrow(folder: Path) -> Path:
    with pa.ipc.new_file(str(folder / "x.arrow"), TABLE.schema) as writer:
        writer.write_table(TABLE, max_chunksize=700)
    return folder / "x.arrow"


def _arrow_dataset(folder: Path) -> Any:
    write_parts(folder)
    return pyarrow.dataset.dataset(folder, format="parquet")


class AgainAndAgain:
    """An iterable of row blocks that can be read repeatedly and counts its passes."""

    def __init__(self, x: np.ndarray = X, n_rows: int = 450) -> None:
        self._x = x
        self._n_rows = n_rows
        self.n_passes = 0

    def __iter__(self) -> Any:
        self.n_passes += 1
        for start in range(0, len(self._x), self._n_rows):
            yield self._x[start : start + self._n_rows]


SOURCES: dict[str, Callable[[Path], Any]] = {
    "memmap": _memmap,
    "npy": lambda folder: _npy(folder, "x.npy", X),
    "npy in Fortran's order": _fortran,
    "several npy": _npys,
    "Parquet": write_parquet,
    "Parquet, small row groups": lambda folder: write_parquet(folder, row_group=100),
    "several Parquet": write_parts,
    "folder of Parquet": _folder,
    "CSV": _csv,
    "several CSV": _csvs,
    "Feather": _feather,
    "Arrow": _arrow,
    "PyArrow dataset": _arrow_dataset,
    "function that yields arrays": lambda folder: lambda: iter(np.array_split(X, 7)),
    "function that yields record batches": lambda folder: lambda: iter(TABLE.to_batches(333)),
    "record batch reader factory": lambda folder: lambda: TABLE.to_reader(max_chunksize=500),
    "function that yields data frames": lambda folder: (
        lambda: (FRAME[start : start + 800] for start in range(0, len(FRAME), 800))
    ),
    "object that can be iterated over": lambda folder: AgainAndAgain(),
}

DASK_SOURCES: dict[str, Callable[[], Any]] = {
    "array": lambda: da.from_array(X, chunks=(500, -1)),
    "array, uneven rows": lambda: da.from_array(X, chunks=((1, 1999, 300, 700), -1)),
    "array, columns in parts": lambda: da.from_array(X, chunks=(1000, 3)),
    "array, unknown sizes": lambda: dd.from_pandas(FRAME, npartitions=4).to_dask_array(),
    "data frame": lambda: dd.from_pandas(FRAME, npartitions=5),
}


def estimator(algorithm: tuple[type, dict[str, Any]], **options: Any) -> Any:
    """Make an estimator whose memory budget forces it to stream tables."""
    kind, defaults = algorithm
    return make(kind, **{"memory_budget": BUDGET, **defaults, **options})


@cache
def in_memory(index: int, weighted: bool = False, **options: Any) -> Any:
    """Fit the table in memory, and cache the fit."""
    weights = WEIGHTS if weighted else None
    return estimator(ALGORITHMS[index], **options).fit(X, sample_weight=weights)


def assert_same(one: Any, other: Any, atol: float = 1e-8) -> None:
    """Check that directions, selections and residuals are equal."""
    for name in ("component_indices_", "selected_features_", "redundant_features_"):
        if hasattr(other, name):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name), name)
    for name in ("components_", "mean_", "residual_variance_", "total_residual_variance_"):
        if hasattr(other, name):
            np.testing.assert_allclose(
                getattr(one, name), getattr(other, name), rtol=1e-8, atol=atol, err_msg=name
            )
    assert one.stop_reason_ == other.stop_reason_
    assert one.n_samples_ == other.n_samples_
