"""Columns for the search of laws: tables as numbers, samples, complete parts, digits, levels.

Levels are the distinct values of a column. Open `_coded_table.py` first, which turns a table into
numbers.
"""

from gramian.laws.columns._coded_table import CodedTable
from gramian.laws.columns._coder import numbers_of
from gramian.laws.columns._column_facts import ColumnFacts, ColumnType, column_facts
from gramian.laws.columns._column_traits import (
    FEW_LEVELS,
    INDEX_NAMES,
    Traits,
    numbers_rows,
    traits_of,
)
from gramian.laws.columns._complete_views import View, views
from gramian.laws.columns._key import (
    Cell,
    Key,
    interval,
    is_cell,
    is_finite_number,
    is_whole,
    level_text,
    plain_cell,
    rounded,
    stored_clock,
)
from gramian.laws.columns._level_cells import PER_NUMBER, Cells, cells_of
from gramian.laws.columns._precision import Precision, allowed_error, precision_of
from gramian.laws.columns._printed_decimals import Printed
from gramian.laws.columns._rounding import (
    LARGEST_TIE,
    ROUNDING_KEYS,
    TIE,
    UNROUNDED,
    WHOLE,
    Rounding,
    stored_rounding,
)
from gramian.laws.columns._table_rows import TableRows
from gramian.laws.columns._table_sample import (
    LOOKUP_ROWS,
    Sample,
    groups_of_table,
    open_coded_table,
    sample_of,
    sampled_once,
    without_copies,
)
