"""Numbers and times in text files are read as people write them, and written back as they were."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from cli_cases import folder, run, succeed  # noqa: F401
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gramian
from gramian.exceptions import TableError
from gramian.tables import open_table, writing_of_column
from gramian.tables._spellings import NumberSpelling, values_of
from gramian.tables._written_numbers import NumberWriting, writing_of

pytestmark = pytest.mark.usefixtures("folder")


def file_of(*cells, n_rows=40, name="in.csv"):
    """Write a file with a column of cells, repeated, and two columns of numbers."""
    rng = np.random.default_rng(0)
    quoted = [f'"{each}"' if "," in each else each for each in cells]
    lines = [
        f"{quoted[i % len(cells)]},{x:.3f},{y:.3f}"
        for i, (x, y) in enumerate(rng.normal(size=(n_rows, 2)))
    ]
    Path(name).write_text("\n".join(["value,x,y", *lines]) + "\n")
    return name


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["1,5", "2,25", "NA", "-3"], [1.5, 2.25, None, -3]),
        (["1.234,5", "12", "0,125"], [1234.5, 12, 0.125]),
        (["1,234,567", "1,234", "9"], [1234567, 1234, 9]),
        (["1,234.50", "9.99", ""], [1234.5, 9.99, None]),
        (["987", "1,234"], [987, 1234]),
        (["12.9%", "3 %", "-0.5%"], [12.9, 3, -0.5]),
        (["€5.59", "€1,000.00", "-€3"], [5.59, 1000, -3]),
        (["5,59 €", "1.000,00 €", "null"], [5.59, 1000, None]),
        (["1 234,56", "2,5"], [1234.56, 2.5]),
    ],
)
@pytest.mark.parametrize("budget", [2**30, 2**20])
def test_a_column_of_spelled_numbers_is_read_as_numbers(cells, values, budget):
    n_rows = 40 if budget == 2**30 else 20_000
    table = open_table(file_of(*cells, n_rows=n_rows), memory_budget=budget)
    assert table.too_large == (budget < 2**30)
    assert str(table.columns["value"]) == "double"
    found = table.read(["value"]).column(0).to_pylist()
    assert found == [values[i % len(values)] for i in range(n_rows)]
    if None not in values:
        x = np.concatenate([each.x for each in table.numbers(["value"])])
        assert x[: len(values), 0].tolist() == values


@pytest.mark.parametrize(
    "cells",
    [
        ["1,234", "5,678"],
        ["1.234.567", "7.654.321"],
        ["49 301 234", "49 301 235"],
        ["1,5", "about 2"],
        ["€5", "$5"],
        ["1,2,3", "4,5,6"],
        ["01,5", "02,5"],
        ["1,5,2.5", "1,5"],
    ],
)
def test_a_column_that_is_not_clearly_numbers_stays_text(cells):
    table = open_table(file_of(*cells))
    assert str(table.columns["value"]) == "string"
    assert table.read(["value"], {"value": True}).column(0).to_pylist()[:2] == cells[:2]


def test_an_ambiguous_column_is_named_and_the_decimal_sign_decides():
    done = succeed("select", file_of("1,234", "5,678", "2,345"))
    assert "not clear whether 1,234 is 1234 or 1,234 is 1.234: say --decimal" in done.stderr
    for sign, value in ((".", 1234.0), (",", 1.234)):
        done = succeed("select", "in.csv", "--decimal", sign, "--json", "-o", "out.csv")
        assert json.loads(done.stdout)["read_as_numbers"] == (
            {"value": "1,234 is 1234"} if sign == "." else {}
        )
        assert Path("out.csv").read_text().splitlines()[1].startswith('"1,234",')
        assert open_table("in.csv", decimal=sign).read(["value"])[0][0].as_py() == value
        selection = gramian.select("in.csv", decimal=sign)
        assert selection.transform("in.csv")["value"][0].as_py() == value
    assert gramian.select("in.csv").cautions[0].kind == "1,234"
    assert run("select", "in.csv", "--decimal", ";").exit_code == 2


def test_a_decimal_comma_makes_points_separate_thousands():
    table = open_table(file_of("1.234", "2.345,5"), decimal=",")
    assert table.read(["value"])[0].to_pylist()[:2] == [1234, 2345.5]


def test_spelled_numbers_take_part_in_laws_and_are_written_as_they_were():
    rng = np.random.default_rng(0)
    net = np.round(rng.uniform(1000, 9000, 60), 2)
    gross = np.round(1.19 * net, 4)
    lines = [f"{n:,.2f};{g:.4f};{n / 100:.4f}%" for n, g in zip(net, gross, strict=True)]
    lines = [line.replace(",", "'").replace(".", ",").replace("'", ".") for line in lines]
    Path("in.csv").write_text("net;gross;share\n" + "\n".join(lines) + "\n")
    done = succeed("select", "in.csv", "--keep", "net", "-o", "out.tsv")
    assert "gross = 1.19 · net" in done.stdout
    assert "read as numbers: 'net' (" in done.stderr
    found = Path("out.tsv").read_text().splitlines()
    assert found == ["net", *(line.split(";")[0] for line in lines)]
    assert "Read as numbers: 'net'" in str(gramian.select("in.csv"))
    assert "read as numbers: 'net'" in succeed("relations", "in.csv").stderr
    assert gramian.GFA().fit("in.csv").n_features_in_ == 3


def test_a_cell_that_does_not_fit_far_down_is_named(monkeypatch):
    from gramian.tables import _text_files

    monkeypatch.setattr(_text_files, "SCANNED_BYTES", 2**10)
    name = file_of("1,5", "2,25", n_rows=60_000)
    with open(name, "a") as file:
        file.write('"a, b",1,2\n')
    with pytest.raises(TableError, match="column 'value': 'a, b' is not written as the cells"):
        open_table(name).read(["value"])


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.floats(-1e9, 1e9).map(lambda x: round(x, 2)), min_size=3, max_size=30))
def test_a_number_is_the_same_in_all_spellings(numbers):
    for spelled in (
        lambda x: f"{x:,.2f}",
        lambda x: f"{x:,.2f}".translate(str.maketrans(",.", ".,")),
        lambda x: f"{x:.2f} %",
        lambda x: f"${x:,.2f}",
    ):
        table = open_table(file_of(*map(spelled, numbers), n_rows=len(numbers)))
        assert table.read(["value"])[0].to_pylist() == numbers


# Times with an offset from UTC


def times(*offsets, n_rows=240):
    """Write a file of times, each with one of the offsets, and the hours of the wall clock."""
    start = pd.Timestamp("2024-03-01")
    clock = [start + pd.Timedelta(hours=5 * i) for i in range(n_rows)]
    lines = [
        f"{each.isoformat()}{offsets[i % len(offsets)]},{each.hour},{i * i % 7}"
        for i, each in enumerate(clock)
    ]
    Path("in.csv").write_text("\n".join(["time,hour,x", *lines]) + "\n")
    return clock


@pytest.mark.parametrize("offsets", [["+01:00"], ["+0530"], ["+01:00", "+02:00"], ["Z"]])
def test_times_count_by_the_wall_clock_and_are_written_as_they_were(offsets):
    clock = times(*offsets)
    selection = gramian.select("in.csv")
    assert str(selection.dropped["hour"]) == "hour = the hour of time"
    succeed("select", "in.csv", "-q", "-o", "out.csv", "-m", "model.gram")
    kept = [line.split(",")[0] for line in Path("in.csv").read_text().splitlines()]
    assert [line.split(",")[0] for line in Path("out.csv").read_text().splitlines()] == kept
    succeed("reconstruct", "model.gram", "out.csv", "-q", "-o", "all.csv")
    assert pd.read_csv("all.csv")["hour"].tolist() == [each.hour for each in clock]


def test_times_are_instants_in_other_formats():
    clock = times("+01:00")
    succeed("select", "in.csv", "-q", "-o", "out.parquet")
    found = pd.read_parquet("out.parquet")["time"]
    assert (
        found.dt.tz_convert("UTC").dt.tz_localize(None) == pd.Series(clock) - pd.Timedelta("1h")
    ).all()
    times("+01:00", "+02:00")
    succeed("select", "in.csv", "-q", "-o", "out.parquet")
    kept = [line.split(",")[0] for line in Path("in.csv").read_text().splitlines()]
    assert pd.read_parquet("out.parquet")["time"].tolist() == kept[1:]


def test_several_files_as_one_table_count_by_the_wall_clock():
    times("+01:00")
    Path("in.csv").rename("winter.csv")
    times("+02:00")
    paths = ["winter.csv", "in.csv"]
    selection = gramian.select(paths)
    assert "hour" in selection.dropped
    hours = selection.reconstruct(paths)["hour"].to_pylist()
    assert hours == pd.concat([pd.read_csv(each) for each in paths])["hour"].tolist()


def test_spellings_of_several_files_are_told():
    paths = [file_of("1,5", "2,25", name="a.csv"), file_of("2,5", name="b.csv")]
    assert [*gramian.select(paths, keep="value").spellings] == ["value"]


@st.composite
def written_columns(draw):
    """Draw a spelling with cells of a column, and a number to write."""
    decimal = draw(st.sampled_from(".,"))
    before, after = draw(st.sampled_from([("", ""), ("$", ""), ("", "%"), ("", "€"), ("€", "")]))
    blank = draw(st.sampled_from(["", " "]))
    thousands = draw(st.sampled_from(["", ",."[decimal == ","], "'", " "]))
    writing = NumberWriting(
        NumberSpelling(decimal, before, after),
        (blank if before else "", blank if after else ""),
        thousands,
        draw(st.integers(0 if before or after else 1, 3)),
        bool(before) and draw(st.booleans()),
    )
    number = st.integers(-(10**9), 10**9).map(lambda n: n / 1000)
    numbers = draw(st.lists(number, min_size=1, max_size=8))
    return writing, numbers, draw(number)


@given(written_columns())
def test_a_written_number_is_read_again(drawn):
    writing, numbers, number = drawn
    spelling = writing.spelling
    column = pa.chunked_array([pa.array([writing.text(each) for each in [*numbers, number]])])
    assert values_of(spelling, column).to_pylist() == [*numbers, number]
    again = writing_of(column.to_pylist()[:-1], spelling)
    assert again is not None
    text = again.text(number)
    assert values_of(spelling, pa.chunked_array([pa.array([text])])).to_pylist() == [number]


@pytest.mark.parametrize(
    "cells", [["$1,234.50", "$1234.60"], ["5%", "6 %"], ["-$5.10", "$-5.20"], ["+5%", "6%"]]
)
def test_numbers_in_several_spellings_are_not_written(cells):
    assert writing_of_column(cells, ".") is None


@pytest.mark.parametrize(
    ("cells", "number", "text"),
    [
        (["71%", "5%"], 80.0, "80%"),
        (["$1,234.50", "-$9.99"], -2816.1, "-$2,816.10"),
        (["1.234,50 €", "9,99 €"], 2816.1, "2.816,10 €"),
        (["1 234,56", "2,5"], 12345.0, "12 345,0"),
    ],
)
def test_a_number_is_written_as_those_of_its_column(cells, number, text):
    writing = writing_of_column(cells, ".")
    assert writing is not None
    assert writing.text(number) == text
