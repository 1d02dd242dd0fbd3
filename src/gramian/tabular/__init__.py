"""Selection of columns in mixed tables, which may have numbers, text, dates and missing values."""

from gramian.tabular._column_checks import check_places as check_places
from gramian.tabular._column_checks import fitting as fitting
from gramian.tabular._column_checks import refuse_infinite as refuse_infinite
from gramian.tabular._column_roles import ColumnOptions as ColumnOptions
from gramian.tabular._column_roles import Passing as Passing
from gramian.tabular._column_roles import find as find
from gramian.tabular._dropped_columns import DroppedColumn
from gramian.tabular._learning import learned as learned
from gramian.tabular._messages import FUNCTIONS as FUNCTIONS
from gramian.tabular._messages import OptionError as OptionError
from gramian.tabular._messages import RefusalError as RefusalError
from gramian.tabular._messages import TableCaution
from gramian.tabular._method import SELECTORS as SELECTORS
from gramian.tabular._method import Method as Method
from gramian.tabular._method import make_estimator as make_estimator
from gramian.tabular._rewriting import Piece as Piece
from gramian.tabular._rewriting import reconstructed as reconstructed
from gramian.tabular._rewriting import reduced as reduced
from gramian.tabular._table_changes import TableChanges as TableChanges
from gramian.tabular._table_fit import FittedTable as FittedTable
from gramian.tabular._table_fit import TableFit as TableFit
from gramian.tabular._table_fit import prepare as prepare
from gramian.tabular._table_model import TableModel as TableModel
from gramian.tabular._table_model import locate as locate
from gramian.tabular._table_model import passing as passing
from gramian.tabular._table_model import read_model as read_model
from gramian.tabular._table_selection import TableSelection, load, select

__all__ = ["DroppedColumn", "TableCaution", "TableSelection", "load", "select"]
