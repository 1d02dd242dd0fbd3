"""Columns of text that hold numbers: a caution names the cells that are none."""

import numpy as np
import pandas as pd
import pytest
from cli_cases import run, succeed

import gramian
from gramian.tables import numbers_in_text
from gramian.tabular._frames import as_table

SPELLED = {
    "plain": "{:.2f}".format,
    "exponents": "{:.3e}".format,
    "percent": "{:.1f}%".format,
    "euros": "€{:,.2f}".format,
    "decimal comma": lambda x: f"{x:.2f}".replace(".", ","),
    "whole": "{:.0f}".format,
}


def with_cells(*strays, n=60, spelled="plain"):
    """Return a, b and their product; cells of a are text, and from row 33 on strays."""
    a, b = np.random.default_rng(0).uniform(1, 99, (2, n)).round(2)
    cells = [SPELLED[spelled](x) for x in a]
    cells[33 : 33 + len(strays)] = strays
    return pd.DataFrame({"a": cells, "b": b, "c": (a * b).round(4)})


@pytest.mark.parametrize("spelled", SPELLED)
def test_one_stray_cell_among_numbers_is_named(spelled, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = with_cells("4.1o", spelled=spelled)
    table.to_csv("in.csv", index=False)
    table.to_parquet("in.parquet")
    said = "59 of 60 cells of 'a' are numbers; row 33, counted from 0, is '4.1o': the column is"
    for data in (table, "in.csv", "in.parquet"):
        selection = gramian.select(data)
        assert selection.kept == ["a", "b", "c"]
        assert [each.kind for each in selection.cautions] == ["stray"]
        assert str(selection.cautions[0]).startswith(f"{said} treated as text. Correct such cells")
    for command in ("select", "relations"):
        assert f"warning: {said} treated as text." in succeed(command, "in.csv").stderr


@pytest.mark.parametrize(("n_strays", "told"), [(1, True), (6, True), (7, False)])
def test_nearly_all_cells_are_nine_of_ten(n_strays, told):
    selection = gramian.select(with_cells(*["-"] * n_strays))
    assert [each.kind for each in selection.cautions] == ["stray"] * told


def test_missing_cells_do_not_count(tmp_path):
    table = with_cells("", "NA", "n/a", "4,1,0")
    table.to_csv(tmp_path / "in.csv", index=False)
    (caution,) = gramian.select(tmp_path / "in.csv").cautions
    assert caution.facts["n_cells"] == 57
    assert (caution.facts["n_numbers"], caution.facts["row"]) == (56, 36)


def test_the_row_is_counted_over_the_pieces_of_a_large_table(tmp_path, monkeypatch):
    monkeypatch.setattr("gramian.tables._table.PIECE_BYTES", 2**10)
    table = as_table(with_cells(*["1.5"] * 800, "4.1o", n=2000))
    assert numbers_in_text(table, ["a", "b"])["a"].row == 833


@pytest.mark.parametrize(
    "cells", [["007", "012"], ["+4930123", "+4930456"], ["A1", "B2"], ["2024-13-01", "2024-14-01"]]
)
def test_codes_and_words_are_no_numbers(cells):
    table = with_cells().assign(a=np.resize([*cells, "x"], 60))
    assert gramian.select(table).cautions == ()


def test_a_data_frame_of_text_alone_says_which_columns_are_numbers(tmp_path):
    table = with_cells().astype(str)
    with pytest.raises(ValueError, match="but text with numbers in columns 'a', 'b' and 'c'"):
        gramian.select(table)
    table["day"] = pd.Series(pd.date_range("2024-01-01", periods=60)).dt.strftime("%Y-%m-%d")
    kinds = [each.kind for each in gramian.select(table).cautions]
    assert kinds == ["text of numbers"] * 3
    table.to_csv(tmp_path / "in.csv", index=False)
    assert gramian.select(tmp_path / "in.csv").cautions == ()
    assert "a" not in run("relations", tmp_path / "in.csv").stderr
