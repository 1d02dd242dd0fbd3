"""Quotes in text files: a stray one is an error that names its line, and text may have lines."""

import csv
import io
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from cli_cases import run, succeed
from hypothesis import given, settings
from hypothesis import strategies as st

import gramian
from gramian.exceptions import TableError
from gramian.tables import open_table
from gramian.tables._open_quotes import QuoteCheck

pytestmark = pytest.mark.usefixtures("in_own_folder")


@pytest.fixture
def in_own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def lines_of_a_table(n_rows=60, text=False):
    """Return the lines of a CSV file: a, b, their product, and with `text` a last name."""
    a, b = np.random.default_rng(0).uniform(1, 9, (2, n_rows)).round(2)
    names = [f",t{i}" if text else "" for i in range(n_rows)]
    rows = [f"{x},{y},{x * y:.4f}{name}" for x, y, name in zip(a, b, names, strict=True)]
    return ["a,b,c,name" if text else "a,b,c", *rows]


def with_quote(line, before):
    """Return a line with a quote before one of its cells."""
    cells = line.split(",")
    cells[before] = '"' + cells[before]
    return ",".join(cells)


def checked(content, delimiter=",", n_columns=3, step=2**22, named=True):
    """Check the quotes of a file that comes in parts of `step` bytes."""
    content = content if isinstance(content, bytes) else content.encode()
    parts = (content[i : i + step] for i in range(0, len(content), step))
    QuoteCheck("in.csv", delimiter, n_columns, named).check(parts)


@pytest.mark.parametrize("text", [False, True])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("column", [0, 1, 2])
def test_a_quote_that_is_never_closed_is_an_error_with_its_line(column, end, text):
    lines = lines_of_a_table(text=text)
    lines[40] = with_quote(lines[40], column + text)
    Path("in.csv").write_bytes((end.join(lines) + end).encode())
    with pytest.raises(TableError, match=r"in\.csv: the quote that opens .* line 41 is not closed"):
        gramian.select("in.csv")
    for command in ("inspect", "relations", "select"):
        done = run(command, "in.csv")
        assert done.exit_code == 3
        assert "line 41" in done.stderr
        assert "Remove it" in done.stderr


@pytest.mark.parametrize("column", [0, 1, 2])
@pytest.mark.parametrize("far", [1, 10])
def test_two_stray_quotes_do_not_hide_the_rows_between_them(column, far):
    lines = lines_of_a_table()
    lines[40] = with_quote(lines[40], column)
    cells = lines[40 + far].split(",")
    cells[column] += '"'
    lines[40 + far] = ",".join(cells)
    Path("in.csv").write_text("\n".join(lines) + "\n")
    with pytest.raises(TableError, match="line 41 hides the rows below"):
        open_table("in.csv")


def test_a_stray_quote_before_cells_in_quotes_is_found_by_the_letters_after_it():
    lines = ["name,note", *(f'"n{i}","note, {i}"' for i in range(20))]
    checked("\n".join(lines), n_columns=2)
    lines[6] = lines[6].removesuffix('"')
    with pytest.raises(TableError, match="line 7 hides"):
        checked("\n".join(lines), n_columns=2)


def test_the_heading_may_have_the_stray_quote():
    lines = ['a,b,"c', *lines_of_a_table()[1:]]
    lines[4] += '"'
    with pytest.raises(TableError, match="line 1 hides"):
        checked("\n".join(lines))


def test_rows_of_words_are_found_if_they_are_many():
    lines = [f"n{i},town {i % 7},street {i}" for i in range(30)]
    lines[3], lines[20] = with_quote(lines[3], 2), lines[20] + '"'
    with pytest.raises(TableError, match="line 4 hides"):
        checked("\n".join(lines), named=False)


PROSE = (
    "Dear all,\nthe pump, and its valve, leak.",
    "1, take it out\n2, put it in\n",
    "one\n\n\ntwo",
    "x,y\n1,2\n3,4\n5,6",
    'He said "no",\r\nand "yes", too',
    "a\nb",
    "Main Street 5,\n12345 Town,\nCountry",
    "10:30, Room 7\n11:30, Room 8",
)


@pytest.mark.parametrize("place", [0, 1, 3])
@pytest.mark.parametrize("n_columns", [2, 4])
def test_text_with_line_ends_is_read_as_it_is(place, n_columns):
    place = min(place, n_columns - 1)
    texts = [PROSE[i % len(PROSE)] for i in range(40)]
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([f"c{i}" for i in range(n_columns)])
    for i, text in enumerate(texts):
        cells = [f"{i * i % 97}.5"] * n_columns
        cells[place] = text
        writer.writerow(cells)
    Path("in.csv").write_bytes(stream.getvalue().encode())
    found = open_table("in.csv").read([f"c{place}"])
    assert found.column(0).to_pylist() == texts
    succeed("inspect", "in.csv")


WORDS = st.text(st.sampled_from('ab1 ,;"\n\r'), max_size=12)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(WORDS, WORDS, WORDS), min_size=1, max_size=6), st.integers(1, 50))
def test_what_a_writer_of_csv_writes_is_no_error_if_no_line_looks_like_a_row(rows, step):
    rows = [[word.replace(",", ";") for word in row] for row in rows]  # rows have commas
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(rows)
    checked(stream.getvalue(), step=step, named=False)


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 59), st.integers(0, 2), st.integers(1, 300), st.booleans())
def test_an_open_quote_is_found_for_any_split_of_the_bytes(row, column, step, mark):
    lines = lines_of_a_table()
    lines[row + 1] = with_quote(lines[row + 1], column)
    content = b"\xef\xbb\xbf" * mark + "\n".join(lines).encode()
    with pytest.raises(TableError, match=f"line {row + 2} "):
        checked(content, step=step)


def test_quotes_inside_of_cells_are_letters():
    lines = lines_of_a_table(text=True)
    lines[7] += ' 5" pipe'
    lines[9] += '"'
    lines[11] = lines[11].replace("t10", '"t"10')
    Path("in.csv").write_text("\n".join(lines) + "\n")
    names = open_table("in.csv").read(["name"]).column(0).to_pylist()
    assert [names[6], names[8], names[10]] == ['t6 5" pipe', 't8"', "t10"]
    assert pa.array(names).null_count == 0
