"""Tables in files: their formats, and how they are opened, read in pieces, and written."""

from gramian.tables._array_files import NUMBERS, ArrayTable
from gramian.tables._clock import (
    COARSER,
    COMPOSING,
    DAYS,
    LIMITS,
    PARTS,
    Clock,
    Part,
    Unit,
    composed,
)
from gramian.tables._formats import ARRAYS, TEXT, Format, folder_read, format_of
from gramian.tables._kinds import (
    PER_SECOND,
    as_array,
    is_date,
    is_duration,
    is_number,
    is_text,
    is_usable,
    n_missing,
    plain,
    pyarrow,
)
from gramian.tables._opening import open_dataset, open_table, open_tables
from gramian.tables._outputs import Writer, open_output
from gramian.tables._table import DEFAULT_BUDGET, Chunk, SomeColumns, Table, in_pieces

__all__ = [
    "ARRAYS",
    "COARSER",
    "COMPOSING",
    "DAYS",
    "DEFAULT_BUDGET",
    "LIMITS",
    "NUMBERS",
    "PARTS",
    "PER_SECOND",
    "TEXT",
    "ArrayTable",
    "Chunk",
    "Clock",
    "Format",
    "Part",
    "SomeColumns",
    "Table",
    "Unit",
    "Writer",
    "as_array",
    "composed",
    "folder_read",
    "format_of",
    "in_pieces",
    "is_date",
    "is_duration",
    "is_number",
    "is_text",
    "is_usable",
    "n_missing",
    "open_dataset",
    "open_output",
    "open_table",
    "open_tables",
    "plain",
    "pyarrow",
]
