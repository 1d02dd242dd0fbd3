"""Mixed tables, with numbers, text, dates and missing values: selection of columns.

Open `_table_selection.py` first, which holds the public function, then `_table_fit.py`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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
    from gramian.tabular._preparation import prepare
    from gramian.tabular._rewriting import Piece, reconstructed, reduced
    from gramian.tabular._row_groups import column_of_groups, labels_in
    from gramian.tabular._table_cautions import cautions_of_reading
    from gramian.tabular._table_changes import TableChanges, examples
    from gramian.tabular._table_fit import FittedTable, TableFit
    from gramian.tabular._table_model import TableModel, locate, passing, read_model
    from gramian.tabular._table_selection import TableSelection, select
    from gramian.tabular._text_cautions import cautions_of_text

__all__ = [
    "DroppedColumn",
    "TableCaution",
    "TableSelection",
    "load",
    "select",
]
_MODULES = {
    "_column_checks": "check_places fitting refuse_infinite",
    "_column_roles": "ColumnOptions Names Passing find",
    "_dropped_columns": "DroppedColumn",
    "_frames": "as_table",
    "_laws_of_files": "checks_of_table stored_checks",
    "_learning": "learned",
    "_loading": "load",
    "_messages": "FUNCTIONS OptionError RefusalError TableCaution UnusableTableError",
    "_method": "Method make_estimator",
    "_rewriting": "Piece reconstructed reduced",
    "_row_groups": "column_of_groups labels_in",
    "_table_cautions": "cautions_of_reading",
    "_table_changes": "TableChanges examples",
    "_preparation": "prepare",
    "_table_fit": "FittedTable TableFit",
    "_table_model": "TableModel locate passing read_model",
    "_table_selection": "TableSelection select",
    "_text_cautions": "cautions_of_text",
}
"""For each module, the names that other rooms use."""
_PLACES = {name: module for module, names in _MODULES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    """Import a name when it is first asked for: commands without a fit need no estimators."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_PLACES[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_PLACES})
