"""Columns prepared for the search for laws: tables as numbers, samples, levels, and traits."""

from gramian.laws.columns._coded_table import CodedTable
from gramian.laws.columns._column_traits import Traits, traits_of
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
from gramian.laws.columns._precision import Precision, precision_of
from gramian.laws.columns._table_sample import LOOKUP_ROWS, Sample, open_coded_table, sample_of

__all__ = [
    "LOOKUP_ROWS",
    "PER_NUMBER",
    "Cell",
    "Cells",
    "CodedTable",
    "Key",
    "Precision",
    "Sample",
    "Traits",
    "View",
    "cells_of",
    "interval",
    "is_cell",
    "is_finite_number",
    "is_whole",
    "level_text",
    "open_coded_table",
    "plain_cell",
    "precision_of",
    "rounded",
    "sample_of",
    "stored_clock",
    "traits_of",
    "views",
]
