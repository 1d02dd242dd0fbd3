"""Codes in text files, such as 007, 01970 and identifiers of 20 digits, stay text."""

import csv
import gzip
import re

import numpy as np
import pandas as pd
import pytest
from cli_cases import folder, succeed  # noqa: F401

from gramian import GFR
from gramian.exceptions import TableError
from gramian.tables import _codes
from gramian.tables import _text_files as _text
from gramian.tables._kinds import is_text
from gramian.tables._opening import open_table, open_tables

pytestmark = pytest.mark.usefixtures("folder")


def orders(n=400):
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "code": rng.choice(["007", "07", "7"], n),
            "zip": rng.choice(["01970", "02108"], n),
            "v": rng.normal(size=n),
            "w": rng.normal(size=n),
        }
    )


def test_a_selection_keeps_codes_letter_by_letter():
    orders().to_csv("in.csv", index=False)
    succeed("select", "in.csv", "-o", "kept.csv", "-m", "m.gram")
    pd.testing.assert_frame_equal(
        pd.read_csv("kept.csv", dtype=str), pd.read_csv("in.csv", dtype=str)
    )
    same = orders().query("code == '7' and zip == '02108'")  # only zip shows that it is text
    same.to_csv("new.csv", index=False)
    succeed("apply", "m.gram", "new.csv", "-o", "applied.csv")
    assert pd.read_csv("applied.csv", dtype=str)["code"].eq("7").all()


def test_codes_are_encoded_without_a_warning():
    orders().to_csv("in.csv", index=False)
    assert "warning" not in succeed("select", "in.csv", "--encode").stderr


def test_an_estimator_names_a_column_of_codes():
    orders().drop(columns="code").to_csv("in.csv", index=False)
    with pytest.raises(TableError, match=r"Column 'zip' of in\.csv holds string, and numbers"):
        GFR(1).fit("in.csv")


def test_identifiers_of_many_digits_are_kept_letter_by_letter():
    first = 99_999_999_999_999_999_999
    table = orders(60)[["v", "w"]].assign(id=[str(first + i) for i in range(60)])
    table.to_csv("in.csv", index=False)
    done = succeed("select", "in.csv", "-o", "kept.csv")
    assert "text or codes, kept as they are: 'id'" in done.stderr
    assert pd.read_csv("kept.csv", dtype=str)["id"].tolist() == table["id"].tolist()
    with pytest.raises(TableError, match=r"Column 'id' of in\.csv holds string, and numbers"):
        GFR(1).fit("in.csv")


CELLS = {
    "zeros": ["007", "1"],
    "below_zero": ["-007", "1"],
    "quoted": ['"01"', "1"],
    "blanks": [" 01 ", "1"],
    "with_gaps": ["", "00"],
    "fractions_too": ["1.5", "010"],
    "long": ["18446744073709551616", "1"],
    "too_large": ["1", "9223372036854775808"],
    "too_small": [" -9223372036854775809 ", "1.5"],
    "of_64_bits": ["9223372036854775807", "-9223372036854775808"],
    "rounded": ["9007199254740993", "1"],
    "largest": ["9007199254740992", "-9007199254740992"],
    "precise": ["0.12345678901234567890", "12345678901234567890.5"],
    "number": ["0", "-0"],
    "fraction": ["0.5", "00.5"],
    "exponent": ["0e1", "1e05"],
    "version": ["1.10", "1.1"],
    "year": ["2001", "100"],
    "date": ["2020-01-05", "2020-01-06"],
    "clock": ["08:30", "08:31"],
    "said": ['"the 007, and 01"', '"01\n02"'],
}


def is_code(cell):
    """Return True if a cell is an integer with leading zeros, or beyond 2**53."""
    if re.fullmatch(r"\s*-?0[0-9]+\s*", cell):
        return True
    whole = re.fullmatch(r"\s*-?[0-9]+\s*", cell)
    return whole is not None and abs(int(cell)) > 2**53


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("header", [True, False])
def test_only_columns_of_codes_become_text(delimiter, header):
    body = [delimiter.join(row) for row in zip(*CELLS.values(), strict=True)]
    content = "\n".join([delimiter.join(CELLS)] * header + body * 20) + "\n"
    with open("in.csv", "w", newline="") as stream:
        stream.write(content)
    with open("in.csv", newline="") as stream:
        rows = list(csv.reader(stream, delimiter=delimiter))[header:]
    cells = list(zip(*rows, strict=True))
    table = open_table("in.csv", delimiter=delimiter, header=header)
    for name, known, column in zip(CELLS, table.names, cells, strict=True):
        coded = any(map(is_code, column))
        assert is_text(table.columns[known]) == (coded or name == "said"), name
        if coded:
            read = table.read([known])[known].to_pylist()
            assert read == [cell or None for cell in column]


@pytest.mark.parametrize("last", ["007", "7", "99999999999999999999"])
@pytest.mark.parametrize("budget", [2**10, 2**30], ids=["in pieces", "as a whole"])
def test_a_code_far_down_in_a_file_makes_its_column_text(last, budget, monkeypatch):
    monkeypatch.setattr(_text, "HEAD_BYTES", 2**10)
    monkeypatch.setattr(_text, "TEXT_BLOCK_BYTES", 2**11)
    with gzip.open("in.csv.gz", "wt") as stream:
        stream.write("a,b\n" + "7,10\n" * 5000 + f"7,{last}\n")
    table = open_table("in.csv.gz", memory_budget=budget)
    assert [is_text(kind) for kind in table.columns.values()] == [False, is_code(last)]
    read = table.read(["b"])["b"].to_pylist()
    assert read == (["10"] * 5000 + [last] if is_code(last) else [10] * 5000 + [7])


@pytest.mark.parametrize("code", [b"-007", b"123456789012345678901"])
def test_codes_are_found_for_any_split_of_the_bytes(code):
    content = b"12,1.05,-7,2020-01-05\n3,4," + code + b",2020-01-06\n"
    for size in range(1, len(content) + 1):
        parts = [content[i : i + size] for i in range(0, len(content), size)]
        assert _codes.may_be_in(iter(parts), ",")
        without = [content[i : min(i + size, 22)] for i in range(0, 22, size)]  # the first line
        assert not _codes.may_be_in(iter(without), ",")


def test_text_in_one_file_is_text_in_all_of_them():
    for name, codes in {"0.csv": ["1.50", "2.50"], "1.csv": ["007", "7"]}.items():
        pd.DataFrame({"code": codes}).to_csv(name, index=False)
    read = open_tables(["0.csv", "1.csv"]).read(["code"])
    assert read["code"].to_pylist() == ["1.50", "2.50", "007", "7"]
