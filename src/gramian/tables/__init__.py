"""Tables in files: formats, reading whole or in pieces, and writing whole or not at all."""

from gramian.tables._formats import ARRAYS, TEXT, Format, format_of
from gramian.tables._kinds import is_number, is_text, plain
from gramian.tables._open import open_dataset, open_table, open_tables
from gramian.tables._outputs import Writer, open_output
from gramian.tables._table import DEFAULT_BUDGET, AsText, Chunk, Table, in_pieces

__all__ = [
    "ARRAYS",
    "DEFAULT_BUDGET",
    "TEXT",
    "AsText",
    "Chunk",
    "Format",
    "Table",
    "Writer",
    "format_of",
    "in_pieces",
    "is_number",
    "is_text",
    "open_dataset",
    "open_output",
    "open_table",
    "open_tables",
    "plain",
]
