"""Mixed tables in the shell and in Python: text, dates, gaps, and messages about them."""

from __future__ import annotations

import datetime
import json

import numpy as np
import pytest
from cli_cases import read_csv, run, succeed
from test_backward import backward, planted

import gramian
from gramian import GFA
from gramian.models import read
from gramian.tables._clock import PARTS, Clock, part_of

pd = pytest.importorskip("pandas")


def orders(n=300):
    """Return voltage, current, power; zip code, city; product, price; times; ages, age groups."""
    rng = np.random.default_rng(0)
    zips, product = rng.integers(0, 9, n), rng.integers(0, 12, n)
    voltage, current = rng.uniform(1, 5, (2, n))
    time = pd.date_range("2020-01-01", periods=n, freq="5h")
    age = rng.integers(0, 90, n)
    return pd.DataFrame(
        {
            "voltage": voltage,
            "zip": [f"z{i}" for i in zips],
            "city": np.array(list("aabbbccdd"))[zips],
            "power": voltage * current,
            "current": current,
            "product": [f"p{i}" for i in product],
            "price": (rng.permutation(99)[:12] / 7)[product],
            "time": time,
            "hour": time.hour,
            "age": age,
            "group": np.where(age > 40, "old", "young"),
        }
    )


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    orders().to_csv("orders.csv", index=False)
    orders().to_parquet("orders.parquet")
    return tmp_path


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_selection_accepts_text_and_dates(folder, ending):
    done = succeed("select", f"orders.{ending}", "-o", f"kept.{ending}", "-m", "m.gram", "--json")
    document = json.loads(done.stdout)
    assert {*document["dropped"]} == {"city", "power", "price", "hour", "group"}
    assert document["beside"] == ["zip", "product"]
    succeed("reconstruct", "m.gram", f"kept.{ending}", "-o", f"all.{ending}")
    reads = read_csv if ending == "csv" else pd.read_parquet
    table, kept = reads(f"orders.{ending}"), reads(f"kept.{ending}")
    wanted = ["voltage", "zip", "current", "product", "time", "age"]
    pd.testing.assert_frame_equal(kept, table[wanted])
    again = reads(f"all.{ending}")
    pd.testing.assert_frame_equal(again, table, check_dtype=False)


def test_levels_renamed_and_rows_reordered_change_no_selection(folder):
    table = orders()
    for name in ("zip", "product", "group"):
        levels = sorted(table[name].unique())
        names = [f"{each} é;" for each in np.random.default_rng(0).permutation(levels)]
        table[name] = table[name].map(dict(zip(levels, names, strict=True)))
    table = table.sample(frac=1, random_state=0)
    table.to_parquet("other.parquet", index=False)
    one, other = (
        json.loads(succeed("select", f"{name}.parquet", "--json").stdout)
        for name in ("orders", "other")
    )
    for name in ("kept", "dropped", "beside"):
        assert {*one[name]} == {*other[name]}


@pytest.mark.parametrize("seed", range(2))
def test_the_order_of_columns_changes_no_selection(folder, seed):
    table = orders()
    table["label"] = table["product"].str.replace("p", "no ")  # equivalent to the product
    dropped = []
    for names in (list(table), np.random.default_rng(seed).permutation(list(table)).tolist()):
        table[names].to_csv(folder / "order.csv", index=False)
        done = succeed("select", str(folder / "order.csv"), "--json")
        dropped.append({*json.loads(done.stdout)["dropped"]})
    # Text is kept rather than its number, and the first name among equals.
    assert dropped == 2 * [{"power", "product", "price", "city", "hour", "group"}]


def test_redundancy_does_not_depend_on_the_codes_of_categories():
    rng = np.random.default_rng(0)
    a, b, c = rng.integers(0, [[3], [4], [2]], (3, 400))
    codes = np.column_stack([a, b, c, rng.integers(0, 5, 12)[4 * a + b], (a + c) % 3])
    other = np.column_stack([rng.permutation(50)[column] for column in codes.T])
    found = [
        GFA(threshold=1e-6, family="indicator", laws=False).fit(each) for each in (codes, other)
    ]
    assert found[0].redundant_features_.tolist() == found[1].redundant_features_.tolist()
    assert len(found[0].redundant_features_) == 2


def test_a_model_file_holds_hostile_levels(folder):
    levels = np.array(["", "\0", "x" * 10**6, "ключ", "a\nb", "<b>"], dtype=object)
    index = np.random.default_rng(0).integers(0, 6, 300)
    table = orders()[["voltage", "current", "power"]].assign(
        key=levels[index], value=levels[::-1][index // 2]
    )
    table.to_parquet("hostile.parquet")
    succeed("select", "hostile.parquet", "-o", "kept.parquet", "-m", "m.gram", "-q")
    succeed("reconstruct", "m.gram", "kept.parquet", "-o", "all.parquet")
    pd.testing.assert_frame_equal(pd.read_parquet("all.parquet"), table, check_dtype=False)
    (lookup,) = read("m.gram").preprocessing.beside.lookups
    assert lookup.column == "value"


def test_apply_needs_the_kept_columns_of_text(folder):
    succeed("select", "orders.csv", "-m", "m.gram", "-q")
    orders().drop(columns="zip").to_csv("less.csv", index=False)
    done = run("apply", "m.gram", "less.csv", "-o", "out.csv")
    assert done.exit_code == 3
    assert "lacks the column 'zip'" in done.stderr


def test_a_kept_column_is_not_dropped_by_a_lookup(folder):
    done = succeed("select", "orders.csv", "--keep", "price", "--json")
    assert "price" not in json.loads(done.stdout)["dropped"]


@pytest.mark.parametrize("n_levels", [7, 20])
@pytest.mark.parametrize("algorithm", ["gfa", "gfs"])
def test_a_key_in_text_and_one_number_that_it_gives_are_a_table_like_others(
    folder, n_levels, algorithm
):
    level = np.random.default_rng(0).integers(0, 20, 300)
    keys = [f"k{i}" for i in level]
    table = pd.DataFrame({"key": keys, "price": (level % n_levels * 1.1).round(2)})
    selection = gramian.select(table, algorithm=algorithm)
    pd.testing.assert_frame_equal(selection.reconstruct(selection.transform(table)), table)
    one_way = n_levels < 20 or algorithm == "gfs"
    assert selection.kept == ["key", "price"][1 - one_way :]
    assert [each.kind for each in selection.cautions] == ["needless"] * one_way
    table.to_csv("in.csv", index=False)
    done = succeed("select", "in.csv", "-a", algorithm, "-o", "kept.csv", "-m", "m.gram")
    reason = "price follows from key (20 levels), and is kept only because a selection needs a"
    assert (reason in done.stderr) == one_way
    succeed("reconstruct", "m.gram", "kept.csv", "-o", "all.csv")
    assert (folder / "all.csv").read_bytes() == (folder / "in.csv").read_bytes()


def test_encode_includes_columns_of_text_in_the_selection(folder):
    document = json.loads(succeed("select", "orders.csv", "--encode", "--json").stdout)
    assert document["beside"] == []
    assert "zip" in document["kept"] + document["dropped"]


def test_extraction_sets_text_aside_and_says_so(folder):
    done = succeed("extract", "orders.csv", "-n", "2")
    assert "set aside: 'zip' (text), 'city' (text), 'product' (text)" in done.stderr


def test_empty_and_constant_columns_are_named(folder):
    orders().assign(nothing=np.nan, three=3.0).to_csv("odd.csv", index=False)
    document = json.loads(succeed("select", "odd.csv", "--json").stdout)
    assert document["set_aside"] == {"nothing": "no value in any row", "three": "constant"}
    done = succeed("select", "odd.csv")
    assert "set aside: 'nothing' (no value in any row)" in done.stderr
    assert "  three = 3" in done.stdout.splitlines()
    assert "three" not in done.stderr  # said once
    assert "Set aside: nothing (no value in any row)" in str(gramian.select("odd.csv")).splitlines()


def test_rows_left_out_for_missing_values_are_counted(folder):
    table = orders()
    table.loc[::9, "current"] = np.nan
    table.to_csv("gaps.csv", index=False)
    done = succeed("select", "gaps.csv", "-o", "kept.csv", "-m", "m.gram")
    n_left = table["current"].isna().sum()
    assert f"the fit left out {n_left} of 300 rows, as values are missing" in done.stderr
    kept = read_csv("kept.csv", parse_dates=["time"])
    pd.testing.assert_frame_equal(kept, table[kept.columns], check_dtype=False)
    document = json.loads(
        succeed("select", "gaps.csv", "--impute", "drop-rows", "-m", "d.gram", "--json").stdout
    )
    assert (document["rows_read"], document["rows_left_out"]) == (300, n_left)
    done = succeed("apply", "d.gram", "gaps.csv", "-o", "kept.csv")
    assert f"of 300 rows {n_left} were left out" in done.stderr
    filled = json.loads(succeed("select", "gaps.csv", "--impute", "median", "--json").stdout)
    assert (filled["rows_left_out"], filled["cells_filled"]) == (0, n_left)


@pytest.mark.parametrize("sign", [";", "\t", "|"])
def test_the_delimiter_is_found(folder, sign):
    orders().assign(note="x, y").to_csv("other.csv", index=False, sep=sign)
    names = json.loads(succeed("relations", "other.csv", "--json").stdout)["columns"]
    assert names == [*orders().columns, "note"]


def test_a_report_takes_text_and_dates(folder):
    pytest.importorskip("jinja2")
    succeed("report", "orders.csv", "-a", "gfa", "-o", "page.html", "-q")
    assert "voltage" in (folder / "page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("seed", range(4))
def test_gaps_at_random_do_not_change_what_is_redundant(seed):
    X, _ = planted(seed)
    gaps = np.random.default_rng(1000 + seed).random(X.shape) < 0.2
    fitted = backward().fit(np.where(gaps, np.nan, X))
    np.testing.assert_array_equal(fitted.redundant_features_, backward().fit(X).redundant_features_)
    assert fitted.gaps_.n_rows == 1000
    assert fitted.gaps_.n_complete == fitted.n_samples_ == (~gaps.any(axis=1)).sum()
    assert fitted.gaps_.n_filled == 0


def test_gaps_are_filled_if_complete_rows_are_few():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 8))
    X[rng.random(X.shape) < 0.3] = np.nan
    fitted = GFA(family="multilinear", laws=False).fit(X)
    assert fitted.gaps_.n_filled == np.isnan(X).sum()
    assert fitted.n_samples_ == 300


def test_incomplete_rows_do_not_change_the_fit_to_complete_rows():
    X, _ = planted(1)
    gaps = X.copy()
    gaps[::4, 2] = np.nan
    complete = np.delete(X, np.s_[::4], axis=0)
    one, other = backward().fit(gaps), backward().fit(complete)
    np.testing.assert_array_equal(one.selected_features_, other.selected_features_)
    np.testing.assert_array_equal(one.residual_variance_, other.residual_variance_)


def test_a_column_without_values_is_named_in_python():
    table = orders()[["voltage", "current"]].assign(nothing=np.nan)
    with pytest.raises(ValueError, match="'nothing' has no value in any row"):
        GFA(family="multilinear", laws=False).fit(table)


def test_text_is_named_in_python():
    with pytest.raises(ValueError, match="Columns 'zip' and 'city' hold values that are"):
        GFA(family="multilinear", laws=False).fit(orders()[["voltage", "zip", "city"]])


def test_large_integers_are_not_called_constant():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"i": 9e15 + rng.integers(0, 900, 200), "x": rng.normal(size=200)})
    found = gramian.relations(table)
    assert len(found) == 0
    assert "i was left out" in found.notes[0]


def test_parts_of_dates_equal_those_of_datetime():
    rng = np.random.default_rng(0)
    seconds = rng.integers(-(10**10), 10**10, 300)
    times = seconds.astype("datetime64[s]").astype("datetime64[us]")
    epoch = datetime.datetime(1970, 1, 1)
    for i, second in enumerate(seconds.tolist()):
        day = epoch + datetime.timedelta(seconds=second)
        months = 12 * (day.year - 1970) + day.month - 1
        expected = [
            *(day.year, (day.month - 1) // 3 + 1, day.month, months, day.day, day.weekday()),
            *((day - epoch).days, day.hour, day.minute, day.second),
        ]
        assert [part_of(times[i : i + 1], part)[0] for part in PARTS] == expected


def test_dates_become_numbers_and_dates_again():
    times = np.array(["2024-02-29", "NaT", "1969-12-31", "2262-01-01"], dtype="datetime64[D]")
    clock = Clock.of(times)
    assert str(clock) == "days since 1969-12-31"
    assert clock.numbers(times)[[0, 2]].tolist() == [19783.0, 0.0]
    np.testing.assert_array_equal(clock.times(clock.numbers(times)), times)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize(
    "options",
    [
        ["select"],
        ["select", "-n", "2"],
        ["select", "--encode", "--impute", "median"],
        ["extract", "-n", "2", "--standardize"],
        ["extract", "-n", "2", "--encode", "--impute", "mean"],
        ["report", "-a", "gfa"],
    ],
    ids=" ".join,
)
def test_mixed_tables_larger_than_memory_are_accepted(folder, ending, options):
    table = orders(6000)[["voltage", "current", "power", "zip", "city", "time"]]
    gone = np.random.default_rng(0).random((6000, 3)) < 0.05
    table.iloc[:, :3] = table.iloc[:, :3].mask(gone)
    table["nothing"] = np.nan
    (table.to_csv if ending == "csv" else table.to_parquet)(f"big.{ending}", index=False)
    command, *others = options
    documents = []
    for budget in ("1MiB", "1GiB"):
        output = f"{budget}.{'html' if command == 'report' else ending}"
        arguments = [f"big.{ending}", *others, "-o", output, "--memory-budget", budget, "--json"]
        documents.append(json.loads(succeed(command, *arguments).stdout))
    one, other = documents
    wanted = (
        "kept",
        "dropped",
        "rows_read",
        "rows_left_out",
        "cells_filled",
        "set_aside",
        "beside",
    )
    assert {name: one[name] for name in wanted} == {name: other[name] for name in wanted}
    assert one["set_aside"]["nothing"] == "no value in any row"
    if command != "report":
        reads = read_csv if ending == "csv" else pd.read_parquet
        small, large = reads(f"1MiB.{ending}"), reads(f"1GiB.{ending}")
        assert len(small) == 6000
        pd.testing.assert_frame_equal(small, large, rtol=1e-6, atol=1e-9)


def test_components_of_incomplete_rows_are_written(folder):
    table = orders()[["voltage", "current", "power", "price"]]
    table.loc[::3, "power"] = np.nan
    table.to_csv("gaps.csv", index=False)
    succeed("extract", "gaps.csv", "-n", "2", "-o", "codes.csv", "-m", "m.gram", "-q")
    codes = read_csv("codes.csv")
    assert len(codes) == len(table)
    assert codes.notna().all(axis=None)
    succeed("reconstruct", "m.gram", "codes.csv", "-o", "all.csv", "-q")
    assert read_csv("all.csv").notna().all(axis=None)


def test_a_gap_in_a_category_stays_one_when_columns_are_reconstructed(folder):
    table = orders()[["voltage", "current", "power", "city"]]
    succeed("select", "orders.csv", "-c", "voltage,current,power,city", "--encode", "-m", "m.gram")
    table.loc[0, ["voltage", "city"]] = np.nan
    table.to_csv("gaps.csv", index=False)
    succeed("apply", "m.gram", "gaps.csv", "-o", "kept.csv", "-q")
    succeed("reconstruct", "m.gram", "kept.csv", "-o", "all.csv", "-q")
    again = read_csv("all.csv")
    assert pd.isna(again.loc[0, "city"])
    assert pd.isna(again.loc[0, "voltage"])
    assert again["city"].tolist()[1:] == table["city"].tolist()[1:]
