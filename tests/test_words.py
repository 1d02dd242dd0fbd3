"""Numbers and names in messages, written by one module."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_cases import a_property

import gramian
from gramian._support.words import counted, cut, data_size, listed, percent, the_columns

PACKAGE = Path(gramian.__file__).parent
ROOMS = ("cli", "certificates", "explanations", "models", "plots", "reports", ".")
FORMATS = re.compile(r":[.,\d]*%\}|100 \* .*\} ?%|'s' if |\"s\" if ")
"""Pattern of percentages and plurals that bypass the module."""


@a_property
@given(share=st.floats(0, 1))
def test_a_percentage_is_100_or_0_only_if_the_share_is_1_or_0(share: float) -> None:
    text = percent(share)
    assert (text == "100 %") == (share > 1 - 1e-9)
    assert (text == "0 %") == (share < 1e-9)
    assert text not in ("100.0 %", "0.0 %")


@a_property
@given(share=st.floats(-3, 3).filter(lambda share: not -0.01 < share < 0.01))
def test_the_error_of_a_percentage_is_at_most_its_last_digit(share: float) -> None:
    number = float(percent(share).removesuffix(" %").removeprefix("> "))
    assert abs(number - 100 * share) <= 0.1 + 1e-9


@a_property
@given(names=st.lists(st.text(), min_size=1, max_size=9), most=st.integers(1, 9))
def test_a_list_names_the_first_and_counts_the_others(names: list[str], most: int) -> None:
    text = listed(names, most=most)
    for name in names[:most]:
        assert repr(name) in text
    more = len(names) - most
    assert text.endswith(f"{more} more" if more > 0 else repr(names[-1]))
    assert "\n" not in text


def test_words_agree_with_numbers() -> None:
    assert [counted(n, "row") for n in (0, 1, 2, 3000)] == [
        "0 rows",
        "1 row",
        "2 rows",
        "3,000 rows",
    ]
    assert the_columns(["a"]) == "column 'a'"
    assert the_columns(["a", "b"]) == "columns 'a' and 'b'"
    assert data_size(1023) == "1023 bytes"
    assert data_size(5 * 2**40) == "5.0 TiB"


def test_long_names_are_cut() -> None:
    assert cut("abc", 3) == "abc"
    assert cut("abcd", 3) == "ab…"


def test_columns_without_names_are_numbered() -> None:
    X = np.random.default_rng(0).standard_normal((20, 2))
    assert gramian.GFS(1, alpha=0, criterion="variance").fit(X).model_.column_names == ["x0", "x1"]


@pytest.mark.parametrize("room", ROOMS)
def test_no_other_module_writes_percentages_and_plurals(room: str) -> None:
    files = [path for path in (PACKAGE / room).glob("*.py") if path.name != "_words.py"]
    assert files
    found = {
        f"{path.name}: {line.strip()}"
        for path in files
        for line in path.read_text(encoding="utf-8").splitlines()
        if FORMATS.search(line)
    }
    assert not found
