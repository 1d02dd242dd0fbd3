"""Streams of Arrow batches are tables: the same numbers as the file of the same rows gives."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest
from sklearn.base import clone

import gramian
from gramian import GFA, GFR, GFS, PolynomialManifold
from gramian.exceptions import TableError


class Stream:
    """An object that knows nothing but the Arrow protocol, and yields batches of uneven sizes."""

    def __init__(self, rows: pa.Table, sizes: tuple[int, ...] = (1, 700, 64, 2048)) -> None:
        self._rows, self._sizes = rows, itertools.cycle(sizes)
        self.n_passes = 0

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        self.n_passes += 1
        return pa.RecordBatchReader.from_batches(
            self._rows.schema, self._batches()
        ).__arrow_c_stream__(requested_schema)

    def _batches(self) -> Any:
        start = 0
        while start < self._rows.num_rows:
            part = self._rows.slice(start, next(self._sizes))
            start += part.num_rows
            yield from part.combine_chunks().to_batches()


class Batch:
    """An object that knows nothing but the Arrow protocol of arrays."""

    def __init__(self, rows: pa.Table) -> None:
        self._batch = rows.combine_chunks().to_batches()[0]

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any:
        return self._batch.__arrow_c_array__(requested_schema)


def _sales(n_rows: int = 3000, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    price = rng.integers(100, 9_900, n_rows) / 100
    quantity = rng.integers(1, 60, n_rows)
    return pd.DataFrame(
        {
            "price": price,
            "quantity": quantity,
            "net": np.round(price * quantity, 2),
            "city": rng.choice(["Bonn", "Köln", "Trier"], n_rows),
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(n_rows) // 9, "D"),
        }
    )


SALES = _sales()
ROWS = pa.Table.from_pandas(SALES, preserve_index=False)
NUMBERS = ROWS.select(["price", "quantity", "net"])
WEIGHTED = NUMBERS.append_column("weight", pa.array(np.arange(len(SALES)) % 4.0))

FORMS: dict[str, Callable[[pa.Table], Any]] = {
    "protocol": Stream,
    "lazy frame": lambda rows: pl.DataFrame(rows).lazy(),
    "function of readers": lambda rows: lambda: rows.to_reader(max_chunksize=900),
    "function of streams": lambda rows: lambda: Stream(rows),
}
every_form = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return the path of a Parquet file of numbers and weights."""
    pyarrow.parquet.write_table(WEIGHTED, tmp_path / "weighted.parquet", row_group_size=1111)
    return tmp_path / "weighted.parquet"


@every_form
@pytest.mark.parametrize("memory_budget", [None, 2**20])
@pytest.mark.parametrize(
    "estimator", [GFR(2), GFS(2), GFA(), GFR(1, alpha="auto")], ids=["GFR", "GFS", "GFA", "auto"]
)
def test_a_fit_to_a_stream_equals_the_fit_to_the_file(form, file, estimator, memory_budget):
    if memory_budget is not None:
        # So many copies that they are read in pieces.
        rows = pa.concat_tables([WEIGHTED] * 20)
        pyarrow.parquet.write_table(rows, file)
        estimator = clone(estimator).set_params(memory_budget=memory_budget)
    else:
        rows = WEIGHTED
    of_file = clone(estimator).fit(file, sample_weight="weight")
    of_stream = clone(estimator).fit(form(rows), sample_weight="weight")
    assert of_stream.feature_names_in_.tolist() == ["price", "quantity", "net"]
    np.testing.assert_array_equal(
        of_stream.transform(form(NUMBERS)), of_file.transform(SALES[["price", "quantity", "net"]])
    )
    assert of_stream.score(form(NUMBERS)) == of_file.score(file)


@every_form
def test_laws_of_a_stream_are_those_of_the_table(form):
    found = gramian.relations(form(ROWS))
    assert str(found) == str(gramian.relations(SALES))
    assert str(found).startswith("net = price · quantity")
    assert found.check(form(ROWS)).ok


@every_form
def test_wrong_rows_of_a_stream_are_found(form):
    wrong = SALES.copy()
    wrong.loc[[7, 2500], "net"] += 5
    rows = pa.Table.from_pandas(wrong, preserve_index=False)
    found = gramian.relations(form(ROWS)).check(form(rows))
    assert found.rows.tolist() == [7, 2500]


@every_form
def test_columns_of_a_stream_are_selected(form):
    selection = gramian.select(form(ROWS))
    assert selection.kept == ["price", "quantity", "city", "day"]
    kept = selection.transform(form(ROWS))
    back = selection.reconstruct(kept)
    np.testing.assert_allclose(np.asarray(back["net"]), SALES["net"], atol=0.006)


def test_the_columns_of_a_lazy_frame_come_back_as_a_data_frame():
    frame = pl.DataFrame(ROWS).lazy()
    kept = gramian.select(frame).transform(frame)
    assert isinstance(kept, pl.DataFrame)
    assert kept.columns == ["price", "quantity", "city", "day"]


def test_a_batch_of_the_array_protocol_is_a_table():
    found = gramian.relations(Batch(ROWS))
    assert str(found) == str(gramian.relations(SALES))
    of_batch = GFR(2).fit(Batch(NUMBERS))
    np.testing.assert_array_equal(
        of_batch.components_, GFR(2).fit(SALES[["price", "quantity", "net"]]).components_
    )
    assert gramian.select(Batch(ROWS)).kept == ["price", "quantity", "city", "day"]


def test_a_small_stream_is_read_into_memory():
    stream = Stream(NUMBERS)
    GFR(2).fit(stream)
    assert stream.n_passes <= 4  # schema, codes, number of rows, and rows


@pytest.mark.parametrize(
    "use", [GFR(2).fit, gramian.relations, gramian.select], ids=["GFR", "relations", "select"]
)
def test_what_can_be_read_only_once_is_refused(use):
    with pytest.raises(TypeError, match=r"only once .RecordBatchReader.*a function that returns"):
        use(NUMBERS.to_reader())


def test_a_stream_that_is_empty_in_its_second_pass_is_refused():
    readers = iter([NUMBERS.to_reader(), NUMBERS.to_reader(), NUMBERS.slice(0, 10).to_reader()])
    with pytest.raises(TableError, match=r"the stream gave 3000 rows in one pass, and 10 in an"):
        PolynomialManifold(1).fit(lambda: next(readers))


def test_a_column_that_is_no_number_is_named():
    with pytest.raises(TableError, match="Column 'city' of the Stream holds large_string"):
        GFR(2).fit(Stream(ROWS))


@every_form
def test_lists_are_left_out_of_laws(form):
    rows = ROWS.append_column("tags", pa.array([["a", "b"]] * len(SALES)))
    found = gramian.relations(form(rows))
    assert str(found).startswith("net = price · quantity")
    assert "Left out, as too few cells hold a number, a text or a date: tags." in found.notes


def test_lists_in_a_table_in_memory_are_left_out_too():
    rows = ROWS.append_column("tags", pa.array([["a", "b"]] * len(SALES)))
    assert str(gramian.relations(rows)) == str(gramian.relations(pl.DataFrame(rows)))
