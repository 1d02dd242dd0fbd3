"""Cells of tables pass from text file to text file letter by letter, and long integers exactly."""

import csv
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pytest
from cli_cases import folder, succeed  # noqa: F401
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gramian
from gramian.tables._cells import Cells

pytestmark = pytest.mark.usefixtures("folder")

CONTENTS = [
    *(
        "NA",
        "null",
        "NaN",
        "nan",
        "N/A",
        "",
        " ",
        "-",
        "None",
        "#N/A",
        "DE",
        "0x0A",
        "+49301234001",
    ),
    *("007", "1,234", "1.50", "True", "TRUE", "false", "1e5", "-0", "1_000", "12.9%", "€5.59"),
    *("2024-01-05", "2024-01-05T10:00:00+01:00", "08:30", "Ä 'ö'", 'say "hi"', "a\nb", "c\r\nd"),
    *("4611686018427387905", "18446744073709551615", "9007199254740993", "٣", "=1+1", "a;b"),
]
ODD = ['5" pipe', 'x""', "it's", '"in"side']
"""Cells with quotes that are letters, as PyArrow reads them."""


def written(content, quoted):
    """Return a cell of a CSV file, in quotes if wanted or needed."""
    if quoted or any(sign in content for sign in ',"\n\r'):
        return '"' + content.replace('"', '""') + '"'
    return content


CELLS = st.builds(written, st.sampled_from(CONTENTS), st.booleans()) | st.sampled_from(ODD)
END = st.sampled_from(["\n", "\r\n", "\r"])


@st.composite
def tables(draw):
    """Draw the lines of a table of cells, each a list of cells, with a first column of numbers."""
    n_columns, n_rows = draw(st.integers(1, 4)), draw(st.integers(8, 20))
    kinds = [draw(st.lists(CELLS, min_size=1, max_size=4)) for _ in range(n_columns)]
    return [
        [f"{(i * 7919) % 1000}.{i:02d}0", *(draw(st.sampled_from(kind)) for kind in kinds)]
        for i in range(n_rows)
    ]


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(tables())
def test_a_selection_of_all_columns_writes_every_cell_as_it_is(lines):
    names = [f"c{i}" for i in range(len(lines[0]))]
    content = "".join(",".join(line) + "\n" for line in [names, *lines])
    Path("in.csv").write_bytes(content.encode())
    succeed("select", "in.csv", "--keep", "*", "-q", "-o", "out.csv")
    assert Path("out.csv").read_bytes().decode() == content
    # Other delimiters need other quotes; the contents of the cells are the same.
    succeed("select", "in.csv", "--keep", "*", "-q", "-o", "out.tsv")
    options = pa.csv.ConvertOptions(
        column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False
    )
    read, parse = pa.csv.ReadOptions(), pa.csv.ParseOptions(newlines_in_values=True)
    tabs = pa.csv.ParseOptions(newlines_in_values=True, delimiter="\t")
    before = pa.csv.read_csv("in.csv", read, parse, options)
    assert pa.csv.read_csv("out.tsv", read, tabs, options).equals(before)


@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(tables(), END, st.booleans(), st.integers(1, 40), st.booleans())
def test_cells_are_found_for_any_split_of_the_bytes(lines, end, header, step, complete):
    names = [f"c{i}" for i in range(len(lines[0]))]
    every = [names, *lines] if header else lines
    content = (end.join(",".join(line) for line in every) + end * complete).encode()
    parts = [content[i : i + step] for i in range(0, len(content), step)]
    cells = Cells(parts, ",", names, header)
    columns = [], *([] for _ in names[1:])
    for n in (3, len(lines) - 3):
        for known, new in zip(columns, cells.take(n, names).values(), strict=True):
            known += [each.decode() for each in new.to_pylist()]
    assert [list(line) for line in zip(*columns, strict=True)] == lines


def country_table():
    """Return a table with the country codes of Namibia and Niger, and spellings of numbers."""
    rng = np.random.default_rng(0)
    codes = rng.choice(["NA", "NE", "DE"], 60)
    return pd.DataFrame(
        {
            "country": codes,
            "continent": pd.Series(codes).map({"NA": "Africa", "NE": "Africa", "DE": "Europe"}),
            "hex": [f"0x{i:02X}" for i in rng.integers(0, 255, 60)],
            "phone": [f"+4930{i}" for i in rng.integers(10**6, 10**7, 60)],
            "price": [f"{i:.2f}" for i in rng.integers(1, 50, 60) / 10],
        }
    )


@pytest.mark.parametrize("ending", ["csv", "tsv", "csv.gz"])
def test_spellings_survive_select_apply_and_reconstruct(ending):
    table = country_table()
    table.to_csv("in.csv", index=False)
    succeed("select", "in.csv", "-o", f"kept.{ending}", "-m", "model.gram", "-q")
    succeed("apply", "model.gram", "in.csv", "-o", f"again.{ending}", "-q")
    succeed("reconstruct", "model.gram", f"kept.{ending}", "-o", f"all.{ending}", "-q")
    sign = "\t" if ending == "tsv" else ","
    for name in ("kept", "again", "all"):
        found = pd.read_csv(f"{name}.{ending}", sep=sign, dtype=str, keep_default_na=False)
        same = [column for column in table if column in found and column != "continent"]
        assert same == ["country", "hex", "phone", "price"]
        pd.testing.assert_frame_equal(found[same], table[same], check_dtype=False)


def test_text_keeps_the_word_na_in_other_formats():
    table = country_table()
    table.to_csv("in.csv", index=False)
    succeed("select", "in.csv", "-o", "kept.parquet", "-q")
    assert pd.read_parquet("kept.parquet")["country"].tolist() == table["country"].tolist()
    selection = gramian.select("in.csv")
    assert selection.transform("in.csv")["country"].to_pylist() == table["country"].tolist()


def test_filled_columns_keep_the_spelling_of_other_cells():
    rng = np.random.default_rng(0)
    lines = [f"{i:.3f},{j:.2f}\n" for i, j in np.round(rng.normal(size=(40, 2)), 1)]
    lines[3], lines[5] = "NA,0.20\n", '"",0.30\n'
    Path("in.csv").write_text("x,y\n" + "".join(lines))
    succeed("select", "in.csv", "--impute", "median", "-q", "-o", "out.csv")
    read = Path("out.csv").read_text().splitlines(keepends=True)[1:]
    filled = {3, 5}
    assert [each for i, each in enumerate(read) if i not in filled] == [
        each for i, each in enumerate(lines) if i not in filled
    ]
    assert not pd.read_csv("out.csv").isna().any(axis=None)


def test_escaped_formulas_keep_other_cells():
    rng = np.random.default_rng(0)
    cells = rng.choice(["=1+1", "NA", 'say "no"', "-3"], 30)
    with open("in.csv", "w", newline="") as file:
        csv.writer(file).writerows(
            [["word", "x"], *([w, f"{i % 7}.50"] for i, w in enumerate(cells))]
        )
    succeed("select", "in.csv", "--escape-formulas", "-q", "-o", "out.csv")
    with open("out.csv", newline="") as file:
        found = list(csv.reader(file))[1:]
    assert [row[0] for row in found] == [("'" if w == "=1+1" else "") + w for w in cells]
    assert [row[1] for row in found] == [f"{i % 7}.50" for i in range(30)]


# Whole numbers beyond 2**53


def identifiers(n_rows=200):
    """Return a table with two columns of distinct identifiers, and one of few identifiers."""
    rng = np.random.default_rng(0)
    users = rng.integers(0, 20, n_rows)
    return pd.DataFrame(
        {
            "id": 2**62 + np.arange(n_rows),
            "other": (2**63 + rng.permutation(n_rows).astype(np.uint64)).astype(np.uint64),
            "user": 2**60 + users,
            "name": [f"u{i}" for i in users],
            "x": rng.normal(size=n_rows),
            "y": rng.normal(size=n_rows),
        }
    ).assign(z=lambda table: table["x"] * table["y"])


@pytest.mark.parametrize("ending", ["csv", "parquet", "feather"])
def test_long_integers_are_kept_and_looked_up_exactly(ending):
    table = identifiers()
    getattr(table, f"to_{ending}")(f"in.{ending}", **({"index": False} if ending == "csv" else {}))
    for keep in ([], ["--keep", "id"]):
        succeed("select", f"in.{ending}", *keep, "-o", f"out.{ending}", "-m", "m.gram", "-q")
        succeed("reconstruct", "m.gram", f"out.{ending}", "-o", f"all.{ending}", "-q")
        kept = getattr(pd, f"read_{ending}")(f"out.{ending}")
        whole = getattr(pd, f"read_{ending}")(f"all.{ending}")
        assert list(kept.columns) == ["id", "other", "name", "x", "y"]
        for name in ("id", "other", "user"):
            assert whole[name].dtype == table[name].dtype
            assert (whole[name] == table[name]).all()


def test_long_integers_of_a_frame_and_an_array_are_compared_as_integers():
    table = identifiers()
    selection = gramian.select(table)
    assert selection.kept == ["id", "other", "name", "x", "y"]
    again = selection.reconstruct(selection.transform(table))
    pd.testing.assert_frame_equal(
        again[["id", "other", "user", "x"]], table[["id", "other", "user", "x"]]
    )
    array = np.column_stack([table["id"], table["id"] // 3, table["user"]])
    assert not len(gramian.relations(array))
    assert not any("id" in law.columns for law in gramian.relations(table))
    assert gramian.relations(table).of("user")


def test_long_integers_are_set_aside_by_an_extraction():
    identifiers().to_parquet("in.parquet")
    done = succeed("extract", "in.parquet", "-x", "name", "-n", "2", "-o", "out.csv")
    assert "'id' (whole numbers beyond 2⁵³)" in done.stderr


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_constant_or_empty_column_is_kept_if_the_user_keeps_it(ending):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"x": rng.normal(size=50), "unit": 7, "day": "2024-01-05", "gap": None})
    table["day"] = pd.to_datetime(table["day"]).dt.date
    getattr(table, f"to_{ending}")(f"in.{ending}", index=False)
    succeed("select", f"in.{ending}", "--keep", "unit,day,gap", "-o", "out.csv", "-q")
    found = pd.read_csv("out.csv")
    assert list(found.columns) == ["x", "unit", "day", "gap"]
    assert (found["unit"] == 7).all()
    assert (found["day"] == "2024-01-05").all()
