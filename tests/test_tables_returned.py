"""Cells of dropped columns come back: a column that cannot be given back exactly is kept."""

from datetime import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cli_cases import folder, succeed  # noqa: F401

import gramian

pytestmark = pytest.mark.usefixtures("folder")

N_ROWS = 60
X = [f"{each:.4f}" for each in np.random.default_rng(0).random(N_ROWS)]
Y = [str(each) for each in np.random.default_rng(1).integers(1, 100, N_ROWS)]
LEVELS = np.random.default_rng(2).integers(0, 3, N_ROWS)


def as_text(**columns):
    """Write a text file of columns of text, and return its content."""
    table = pd.DataFrame(columns)
    table.to_csv("in.csv", index=False)
    return table


def returned(file="in.csv"):
    """Select columns of a file, reconstruct all, and return the cells as text."""
    succeed("select", file, "-o", "kept.csv", "-m", "m.gram", "-q")
    succeed("reconstruct", "m.gram", "kept.csv", "-o", "all.csv", "-q")
    return pd.read_csv("all.csv", dtype=str, keep_default_na=False)


VARYING = {
    "offsets": [f"2024-01-01T10:00:00+0{i}:00" for i in LEVELS],
    "nanoseconds": [f"2024-01-01T00:00:00.12345678{i}" for i in LEVELS],
    "one float": [f"900719925474099{2 + i // 2}.0" for i in LEVELS],
    "spellings": [("1", "1.0", "1.00")[i] for i in LEVELS],
    "gaps": ["1" if i else "" for i in LEVELS],
}


@pytest.mark.parametrize("kind", VARYING)
def test_cells_that_differ_are_not_constant_in_a_text_file(kind):
    table = as_text(x=X, t=VARYING[kind])
    assert "kept as they are: 't'" in succeed("select", "in.csv").stderr
    pd.testing.assert_frame_equal(returned(), table)


STORED = {
    "nanoseconds": pa.array((1_700_000_000_123_456_000 + LEVELS).tolist(), pa.timestamp("ns")),
    "long decimals": pa.array([Decimal(10**25 + int(i)) for i in LEVELS], pa.decimal128(30, 0)),
    "decimals": pa.array([Decimal(2**53 + int(i)) for i in LEVELS], pa.decimal128(18, 0)),
    "gaps": pa.array([1.5 if i else None for i in LEVELS], pa.float64()),
    "dates with gaps": pa.array([datetime(2024, 1, 1) if i else None for i in LEVELS]),
}


@pytest.mark.parametrize("kind", STORED)
def test_values_that_differ_are_not_constant_in_parquet(kind):
    table = pa.table({"x": [float(each) for each in X], "t": STORED[kind]})
    pq.write_table(table, "in.parquet")
    selection = gramian.select("in.parquet")
    assert selection.kept == ["x", "t"]
    assert selection.set_aside == {}
    again = selection.reconstruct(selection.transform("in.parquet"))
    assert again.column("t").equals(table.column("t"))


def test_text_of_a_frame_with_several_offsets_is_kept_as_it_is():
    table = pd.DataFrame({"x": map(float, X), "t": VARYING["offsets"]})
    selection = gramian.select(table)
    assert selection.kept == ["x", "t"]
    pd.testing.assert_frame_equal(selection.reconstruct(selection.transform(table)), table)


def test_nanoseconds_of_a_frame_are_not_cut_off():
    times = pd.to_datetime(1_700_000_000_123_456_000 + np.array(LEVELS))
    table = pd.DataFrame({"x": map(float, X), "shop": [f"s{i}" for i in LEVELS], "t": times})
    selection = gramian.select(table)
    pd.testing.assert_frame_equal(selection.reconstruct(selection.transform(table)), table)


def test_decimals_that_floats_do_not_tell_apart_obey_no_law():
    account = pa.array([Decimal(10**25 + int(i) * j) for j, i in enumerate(LEVELS)])
    rows = pa.table({"x": [float(each) for each in X], "account": account, "copy": account})
    selection = gramian.select(rows)
    assert selection.kept == ["x", "account", "copy"]
    found = gramian.select(rows, algorithm="gfa", encode=True)
    assert {"account", "copy"} <= {*found.kept}


def test_decimals_that_floats_tell_apart_come_back_with_all_their_digits():
    net = [Decimal(each) / 100 + 1_234_567 for each in map(int, Y)]
    kind = pa.decimal128(38, 10)
    rows = pa.table({"x": [float(each) for each in X], "net": pa.array(net, kind)})
    rows = rows.append_column("half", pa.array([each / 2 for each in net], kind))
    selection = gramian.select(rows)
    assert len(selection.dropped) == 1
    assert selection.reconstruct(selection.transform(rows)).equals(rows)


def test_times_with_several_offsets_are_not_looked_up():
    shops = [f"00{i + 7}" for i in LEVELS]
    table = as_text(shop=shops, opened=VARYING["offsets"], x=X)
    pd.testing.assert_frame_equal(returned(), table)


@pytest.mark.parametrize("missing", ["copy", "y"])
def test_a_law_replaces_no_column_with_other_gaps(missing):
    columns = {"x": X, "y": Y, "copy": Y}
    columns[missing] = [each if i else "" for each, i in zip(Y, LEVELS, strict=True)]
    table = as_text(**columns)
    pd.testing.assert_frame_equal(returned(), table)


def test_a_law_replaces_a_column_with_the_same_gaps():
    gaps = [each if i else "" for each, i in zip(Y, LEVELS, strict=True)]
    table = as_text(x=X, y=gaps, copy=gaps)
    assert "y = copy" in succeed("select", "in.csv").stdout  # the first name is kept
    pd.testing.assert_frame_equal(returned(), table)


@pytest.mark.parametrize("column", [("a", "b", "c"), ("1", "2", "4"), ("2024-01-01",) * 3])
def test_a_lookup_replaces_no_column_with_gaps(column):
    looked_up = ["" if j == 5 else column[i] for j, i in enumerate(LEVELS)]
    table = as_text(x=X, zip=[f"z{i}" for i in LEVELS], looked_up=looked_up)
    pd.testing.assert_frame_equal(returned(), table)


def test_a_constant_date_comes_back_in_rows_with_gaps():
    table = as_text(
        x=[each if j != 3 else "" for j, each in enumerate(X)], y=Y, day=["2024-01-05"] * N_ROWS
    )
    done = succeed("select", "in.csv", "-m", "day.gram")
    assert "  day = 2024-01-05" in done.stdout.splitlines()
    assert "day" not in done.stderr.replace("day.gram", "")  # said once
    assert "day = 2024-01-05" in succeed("explain", "day.gram").stdout.splitlines()
    pd.testing.assert_frame_equal(returned(), table)


def test_a_column_of_dates_without_any_date_is_set_aside():
    rows = pa.table(
        {"x": [float(each) for each in X], "t": pa.array([None] * N_ROWS, pa.timestamp("us"))}
    )
    assert gramian.select(rows).set_aside == {"t": "no value in any row"}


def test_imputation_fills_gaps_of_dropped_columns():
    gaps = [float(each) if i else None for each, i in zip(Y, LEVELS, strict=True)]
    table = pd.DataFrame({"x": map(float, X), "y": map(float, Y), "paid": 1.0, "gaps": gaps})
    table.loc[3, "paid"] = np.nan
    found = gramian.select(table, impute="median")
    assert found.reconstruct(found.transform(table)).notna().all(axis=None)


def sales_by_country(n_rows=300):
    """Return a table in which gross is net times the rate of a country, rounded to cents."""
    rng = np.random.default_rng(3)
    country = rng.choice(["de", "fr", "uk"], n_rows)
    net = np.round(rng.uniform(1, 500, n_rows), 2)
    rate = pd.Series(country).map({"de": 1.19, "fr": 1.2, "uk": 1.175}).to_numpy()
    return pd.DataFrame({"country": country, "net": net, "gross": np.round(net * rate, 2)})


def test_cents_given_by_slopes_come_back_as_they_were():
    table = sales_by_country()
    table.to_csv("in.csv", index=False)
    assert (returned().gross.astype(float) == table.gross).all()
    assert [*pd.read_csv("kept.csv").columns] == ["country", "net"]


def test_a_column_is_kept_if_slopes_miss_one_cell_by_cents():
    table = sales_by_country()
    table.loc[7, "gross"] += 0.02
    table.to_csv("in.csv", index=False)
    assert (returned().gross.astype(float) == table.gross).all()
    assert [*pd.read_csv("kept.csv").columns] == ["country", "net", "gross"]


@pytest.mark.parametrize("form", ["frame", "file"])
def test_a_table_of_times_and_codes_without_numbers_comes_back(form, tmp_path):
    stamps = ["2020-01-02 03:04:05", "2020-01-03 03:04:05", "2020-02-02 01:00:00"]
    table = pd.DataFrame({"stamp": stamps * 10, "code": ["007", "008", "0011"] * 10})
    given = table
    if form == "file":
        given = tmp_path / "table.csv"
        table.to_csv(given, index=False)
    assert not [law for law in gramian.relations(given) if law.kind == "constant"]
    selection = gramian.select(given)
    back = selection.reconstruct(selection.transform(given))
    assert [str(each) for each in back["code"]] == table["code"].tolist()
