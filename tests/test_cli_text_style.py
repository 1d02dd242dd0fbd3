"""Text files are written as the file that was read: separator, decimal sign, line ends, mark."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from cli_cases import read_csv, succeed

pytestmark = pytest.mark.usefixtures("in_own_folder")


@pytest.fixture
def in_own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def products(n=200, text=True):
    """Return a, b, their product and their sum, and a name in text."""
    a, b = np.random.default_rng(0).integers(1, 999, (2, n)) / 8
    table = pd.DataFrame({"a": a, "b": b, "product": a * b, "sum": a + b})
    return table.assign(name=[f"n;{i},{i}" for i in range(n)]) if text else table


def there_and_back(content):
    """Write a file, reduce it and reconstruct it; return the bytes of both results."""
    Path("in.csv").write_bytes(content)
    succeed("select", "in.csv", "-o", "kept.csv", "-m", "m.gram", "-q")
    succeed("reconstruct", "m.gram", "kept.csv", "-o", "all.csv", "-q")
    return Path("kept.csv").read_bytes(), Path("all.csv").read_bytes()


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(("sign", "decimal"), [(",", "."), (";", ","), ("\t", ","), (",", ",")])
@pytest.mark.parametrize("text", [True, False])
def test_a_file_comes_back_byte_for_byte(mark, end, sign, decimal, text):
    table = products(text=text)
    numbers = table.drop(columns="name", errors="ignore")
    cells = numbers.map(lambda x: f"{x:.15g}".replace(".", decimal)).join(table.filter(["name"]))
    written = cells.to_csv(index=False, sep=sign, lineterminator=end)
    content = mark + written.encode()
    kept, whole = there_and_back(content)
    assert whole == content
    assert kept.startswith(mark + f"a{sign}b".encode())
    assert len(kept) < len(content)


def test_the_ending_of_the_output_decides_about_its_separator():
    products().to_csv("in.csv", index=False, sep=";", decimal=",")
    succeed("select", "in.csv", "-o", "kept.tsv", "-q")
    assert Path("kept.tsv").read_text().startswith("a\tb\tname\n")


def test_cells_that_are_filled_in_have_the_decimal_sign_of_the_file():
    table = products(text=False)
    table.loc[::9, ["a", "product", "sum"]] = np.nan
    table.to_csv("in.csv", index=False, sep=";", decimal=",")
    succeed("select", "in.csv", "--impute", "mean", "-o", "kept.csv", "-q")
    kept = pd.read_csv("kept.csv", sep=";", decimal=",")
    assert kept.dtypes.eq(float).all()
    assert not kept.isna().any(axis=None)


def test_large_numbers_are_written_by_their_digits():
    rng = np.random.default_rng(0)
    x, y = 10**14 + rng.integers(0, 10**12, 200), rng.integers(0, 10**12, 200)
    table = pd.DataFrame({"x": x, "y": y, "z": x + y})
    table["w"] = -table.z
    content = table.to_csv(index=False).encode()
    kept, whole = there_and_back(content)
    assert len(kept) < len(content)
    assert whole == content
    fractions = pd.DataFrame({"x": x / 64, "y": y / 64, "z": (x + y) / 64})
    fractions.to_parquet("in.parquet")
    succeed("select", "in.parquet", "--keep", "*", "-o", "kept.csv", "-q")
    assert "e+" not in Path("kept.csv").read_text()
    pd.testing.assert_frame_equal(read_csv("kept.csv"), fractions)
