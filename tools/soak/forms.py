"""Forms of a table as input of a fit: files, blocks of rows, Dask, other precision."""

from __future__ import annotations

import gzip
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import scipy.sparse
from tables import Array, Rng, Table

BUDGETS = (2**20, None)
"""Memory budgets: the smallest, with which files are streamed, and the default."""
WEIGHT = "weight"


@dataclass(frozen=True)
class Form:
    """Input of `fit`: a table in some form, and its weights."""

    data: Any
    sample_weight: Any = None
    budget: int | None = None
    path: Path | None = None
    apart: Any = None
    """Held-out rows that choose a penalty."""


class Blocks:
    """Iterable of blocks of rows that fails at a given block.

    Parameters
    ----------
    parts : list of arrays
        The blocks.
    fail_at : int, optional
        The number of the block, counted over all passes, that raises an error instead.
    """

    def __init__(self, parts: list[Any], fail_at: int | None = None) -> None:
        self._parts = parts
        self.fail_at = fail_at
        self.n_given = 0

    def __iter__(self) -> Iterator[Any]:
        for part in self._parts:
            if self.n_given == self.fail_at:
                raise ConnectionError("the source went away")
            self.n_given += 1
            yield part


def cuts(rng: Rng, n: int, most: int = 12) -> list[int]:
    """Return the ends of parts of n rows, none of them empty."""
    return sorted(set(rng.integers(1, n, rng.integers(0, most)).tolist()))


def arrow(table: Table) -> pa.Table:
    """Return a table with names, and with the weights as a column."""
    columns = {f"x{i}": column for i, column in enumerate(table.x.T)}
    if table.weights is not None:
        columns[WEIGHT] = table.weights
    return pa.table(columns)


def _weight_name(table: Table) -> str | None:
    return None if table.weights is None else WEIGHT


def as_array(rng: Rng, table: Table, folder: Path) -> Form:
    """Give the array itself, perhaps in Fortran's order."""
    return Form(np.asfortranarray(table.x) if rng.random() < 0.3 else table.x, table.weights)


def as_npy(rng: Rng, table: Table, folder: Path) -> Form:
    """Write a .npy file."""
    path = folder / "x.npy"
    np.save(path, table.x)
    return Form(path, table.weights, _budget(rng), path)


def as_parquet(rng: Rng, table: Table, folder: Path) -> Form:
    """Write a Parquet file, of row groups of any size."""
    path = folder / "x.parquet"
    size = int(rng.integers(max(1, len(table.x) // 20), len(table.x) + 1))
    pyarrow.parquet.write_table(arrow(table), path, row_group_size=size)
    return Form(path, _weight_name(table), _budget(rng), path)


def as_csv(rng: Rng, table: Table, folder: Path) -> Form:
    """Write a CSV file, with all digits."""
    path = folder / "x.csv"
    pyarrow.csv.write_csv(arrow(table), path)
    return Form(path, _weight_name(table), _budget(rng), path)


def as_csv_gz(rng: Rng, table: Table, folder: Path) -> Form:
    """Write a compressed CSV file."""
    plain = as_csv(rng, table, folder)
    assert plain.path is not None
    path = folder / "x.csv.gz"
    path.write_bytes(gzip.compress(plain.path.read_bytes(), mtime=0))
    return replace(plain, data=path, path=path)


def parts_of(rng: Rng, table: Table) -> list[Any]:
    """Cut a table into blocks: arrays, or record batches if rows have weights."""
    edges = [0, *cuts(rng, len(table.x)), len(table.x)]
    bounds = list(itertools.pairwise(edges))
    if table.weights is None:
        return [table.x[start:stop] for start, stop in bounds]
    batches = arrow(table).combine_chunks()
    return [batches.slice(start, stop - start).to_batches()[0] for start, stop in bounds]


def as_blocks(rng: Rng, table: Table, folder: Path) -> Form:
    """Cut the table into blocks of rows."""
    return Form(Blocks(parts_of(rng, table)), _weight_name(table), _budget(rng))


def as_dask(rng: Rng, table: Table, folder: Path) -> Form:
    """Make a Dask array, whose chunks are summed by threads."""
    edges = [0, *cuts(rng, len(table.x), 6), len(table.x)]
    chunks = tuple(np.diff(edges).tolist())
    weights = None if table.weights is None else da.from_array(table.weights, chunks=(chunks,))
    return Form(da.from_array(table.x, chunks=(chunks, -1)), weights, _budget(rng))


def as_sparse(rng: Rng, table: Table, folder: Path) -> Form:
    """Make a sparse matrix, by rows or by columns."""
    form = scipy.sparse.csr_array if rng.random() < 0.5 else scipy.sparse.csc_array
    return Form(form(table.x), table.weights)


def _budget(rng: Rng) -> int | None:
    return BUDGETS[rng.integers(2)]


Make = Callable[[Rng, Table, Path], Form]
FORMS: dict[str, Make] = {
    "array": as_array,
    "npy": as_npy,
    "parquet": as_parquet,
    "csv": as_csv,
    "csv.gz": as_csv_gz,
    "blocks": as_blocks,
    "dask": as_dask,
    "sparse": as_sparse,
}


def give(form: str, rng: Rng, table: Table, folder: Path) -> Form:
    """Return a table in a form; held-out rows have names if the form has names."""
    apart: Any = table.apart
    if apart is not None and (
        form in ("parquet", "csv", "csv.gz") or (form == "blocks" and table.weights is not None)
    ):
        apart = pd.DataFrame(apart, columns=[f"x{i}" for i in range(apart.shape[1])])
    return replace(FORMS[form](rng, table, folder), apart=apart)


# Tables that are written in another way


@dataclass(frozen=True)
class Change:
    """A changed table; the pseudo-code is run again unless only the order of rows changes."""

    table: Table
    same_truth: bool = False
    dtype: Any = field(default=np.float64)


def unchanged(rng: Rng, table: Table) -> Change:
    """Return the table unchanged."""
    return Change(table, same_truth=True)


def permuted_rows(rng: Rng, table: Table) -> Change:
    """Permute the rows."""
    order = rng.permutation(len(table.x))
    weights = None if table.weights is None else table.weights[order]
    return Change(replace(table, x=table.x[order], weights=weights), same_truth=True)


def permuted_columns(rng: Rng, table: Table) -> Change:
    """Permute the columns."""
    order = rng.permutation(table.x.shape[1])
    apart = None if table.apart is None else table.apart[:, order]
    return Change(replace(table, x=table.x[:, order], apart=apart))


def single_precision(rng: Rng, table: Table) -> Change:
    """Round numbers to float32 if they are in its range; the fit computes in float64."""
    if not 1e-30 < np.abs(table.x).max() < 1e30:
        return unchanged(rng, table)
    x: Array = table.x.astype(np.float32).astype(np.float64)
    return Change(replace(table, x=x), dtype=np.float32)


CHANGES = {
    "": unchanged,
    "permuted rows": permuted_rows,
    "permuted columns": permuted_columns,
    "float32": single_precision,
}
