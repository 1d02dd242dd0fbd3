"""Search for columns of text that hold numbers, perhaps with a few cells that are none."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gramian.tables._formats import TEXT
from gramian.tables._kinds import is_text, pyarrow, without_words
from gramian.tables._table import Table

if TYPE_CHECKING:
    from gramian.tables._spellings import NumberSpelling

LEAST_SHARE = 0.9
"""Smallest share of the cells of a column that must be numbers."""
FEWEST_CELLS = 10
"""A column with fewer cells is not looked at."""
FIRST_CELLS = 1000
"""Number of cells after which a column with few numbers is not read further."""
EXPONENT = r"^-?(?:0|[1-9][0-9]*)(?:\.[0-9]*)?[eE][+-]?[0-9]+$"
"""Pattern of a number such as 1.5e-3."""


@dataclass
class NumbersInText:
    """Counts of the cells of a column of text, and the first cell that is no number."""

    n_cells: int = 0
    """Number of cells that are not missing."""
    n_numbers: int = 0
    """Number of cells that are numbers."""
    row: int | None = None
    """The row of the first cell that is no number, counted from 0; None if all are numbers."""
    cell: str = ""
    """The first cell that is no number."""
    spelling: NumberSpelling | None = None
    """The way in which most of the first cells are written."""

    def count(self, column: Any, n_before: int) -> None:
        """Count more cells.

        Parameters
        ----------
        column : pyarrow.ChunkedArray of str
            The cells of a piece of the table.
        n_before : int
            Number of rows before this piece.
        """
        compute = pyarrow().compute
        cells = without_words(compute.utf8_trim_whitespace(column.cast(pyarrow().string())))
        if self.spelling is None:
            self.spelling = _usual_spelling(cells.drop_null().slice(0, FIRST_CELLS))
        strays = _strays(self.spelling, cells)
        n_cells, n_strays = len(cells) - cells.null_count, compute.sum(strays).as_py() or 0
        self.n_cells += n_cells
        self.n_numbers += n_cells - n_strays
        if n_strays and self.row is None:
            place = compute.index(strays, True).as_py()
            self.row, self.cell = n_before + place, cells[place].as_py()

    @property
    def is_possible(self) -> bool:
        """False if the cells up to now are words."""
        return self.n_cells < FIRST_CELLS or self.n_numbers >= LEAST_SHARE * self.n_cells / 2


def numbers_in_text(table: Table, names: Iterable[str]) -> dict[str, NumbersInText]:
    """Return the columns of text of which nearly all cells are numbers, by name.

    Whole numbers with leading zeros or with a plus sign are codes, and no numbers. A column of a
    text file of which all cells are numbers is read as numbers, unless this is not clear: it is
    not in the result.

    Parameters
    ----------
    table : Table
        The table.
    names : iterable of str
        Names of the columns to look at.
    """
    found = {name: NumbersInText() for name in names if is_text(table.columns[name])}
    alive, n_rows = list(found), 0
    for rows in table.pieces(alive) if alive else ():
        for name in alive:
            found[name].count(rows.column(name), n_rows)
        n_rows += rows.num_rows
        alive = [name for name in alive if found[name].is_possible]
        if not alive:
            break
    return {
        name: each
        for name, each in found.items()
        if name in alive
        and each.n_cells >= FEWEST_CELLS
        and each.n_numbers >= LEAST_SHARE * each.n_cells
        and (each.row is not None or table.format not in TEXT)
    }


def _usual_spelling(cells: Any) -> NumberSpelling:
    """Return the spelling that fits most cells of a column of text."""
    from gramian.tables._spellings import DECIMALS, FIRST, NumberSpelling

    firsts = [FIRST.fullmatch(each) for each in cells.slice(0, FEWEST_CELLS).to_pylist()]
    signs = dict.fromkeys((each[1], each[2]) for each in firsts if each is not None)
    tried = [NumberSpelling(sign, *each) for each in [("", ""), *signs] for sign in DECIMALS]
    return min(tried, key=lambda each: pyarrow().compute.sum(_strays(each, cells)).as_py() or 0)


def _strays(spelling: NumberSpelling, cells: Any) -> Any:
    """Return a mask of the cells that are no numbers; missing cells are no strays."""
    compute = pyarrow().compute
    numbers = compute.invert(spelling.misfits(cells))
    numbers = compute.or_(numbers, compute.match_substring_regex(cells, EXPONENT))
    codes = compute.starts_with(cells, "+")
    return compute.fill_null(compute.or_(compute.invert(numbers), codes), False)
