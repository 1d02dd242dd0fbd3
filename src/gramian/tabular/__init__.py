"""Mixed tables, with numbers, text, dates and missing values: selection of columns.

Open `_table_selection.py` first, which holds the public function, then `_table_fit.py`.
"""

from gramian.tabular._column_checks import check_places, fitting, refuse_infinite
from gramian.tabular._column_roles import ColumnOptions, Names, Passing, find
from gramian.tabular._dropped_columns import DroppedColumn
from gramian.tabular._frames import as_table
from gramian.tabular._laws_of_files import checks_of_table, stored_checks
from gramian.tabular._learning import learned
from gramian.tabular._loading import load
from gramian.tabular._messages import (
    FUNCTIONS,
    OptionError,
    RefusalError,
    TableCaution,
    UnusableTableError,
)
from gramian.tabular._method import Method, make_estimator
from gramian.tabular._rewriting import Piece, reconstructed, reduced
from gramian.tabular._row_groups import column_of_groups, labels_in
from gramian.tabular._table_cautions import cautions_of_reading, cautions_of_text
from gramian.tabular._table_changes import TableChanges, examples
from gramian.tabular._table_fit import FittedTable, TableFit, prepare
from gramian.tabular._table_model import TableModel, locate, passing, read_model
from gramian.tabular._table_selection import TableSelection, select

__all__ = [
    "DroppedColumn",
    "TableCaution",
    "TableSelection",
    "load",
    "select",
]
