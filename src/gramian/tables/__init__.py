"""Tables in files: formats, reading whole or in pieces, and writing whole or not at all.

Open `_table.py` first, the interface of all formats, then `_opening.py`.
"""

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
    clocks_of,
    composed,
    telling_dates,
)
from gramian.tables._column_types import DICTIONARY, STRING, in_type, is_type_text, type_texts
from gramian.tables._formats import ARRAYS, DELIMITERS, TEXT, Format, folder_read, format_of
from gramian.tables._iso_dates import dates_in_text, may_be_dates
from gramian.tables._kinds import (
    LARGEST_WHOLE,
    PER_SECOND,
    as_array,
    is_beyond_floats,
    is_date,
    is_duration,
    is_number,
    is_text,
    is_usable,
    n_missing,
    plain,
    pyarrow,
    without_nan,
    without_views,
    without_words,
)
from gramian.tables._numbers_in_text import numbers_in_text
from gramian.tables._opening import open_given, open_table, open_tables
from gramian.tables._outputs import Writer, open_output, with_cells
from gramian.tables._streams import is_function, streamed_by
from gramian.tables._table import DEFAULT_BUDGET, Chunk, SomeColumns, Table, in_pieces
from gramian.tables._text_style import TextStyle, number_texts
from gramian.tables._written_numbers import NumberWriting, writing_of_column
