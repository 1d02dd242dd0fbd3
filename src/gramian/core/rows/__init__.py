"""Row blocks of a table: in memory, sparse, streamed, or on a Dask cluster.

A fit needs the data as sums over rows only. So every kind of table gives its rows block by block,
and adds up the sums that a `Work` defines. Open `_protocol.py` first, then `_array.py`.
"""

from gramian.core.rows._array import CACHE_BYTES, ArrayRows, Centring, SpreadError, centre
from gramian.core.rows._checkpoint import Ledger, RecordedRows
from gramian.core.rows._covariance import DENSE_BELOW, MatrixCovariance, ResidualCovariance
from gramian.core.rows._dask import map_partitions, open_dask, partitions
from gramian.core.rows._drawing import draw
from gramian.core.rows._equal_rows import (
    DistinctRows,
    Hashes,
    all_rows,
    distinct_rows,
    first_of_equal,
    row_hashes,
    unit_free_numbers,
)
from gramian.core.rows._far_cells import far_rows, moderate_rows
from gramian.core.rows._first_pass import Split
from gramian.core.rows._gathered import GatheredRows, gathered
from gramian.core.rows._neighbours import neighbours_resemble
from gramian.core.rows._observations import observations
from gramian.core.rows._protocol import (
    CONSTANT,
    BlockWork,
    MemoryRows,
    RowBlock,
    Rows,
    Work,
)
from gramian.core.rows._residuals import Residuals, or_infinity
from gramian.core.rows._sources import (
    CompletedSource,
    TableSource,
    as_source,
    is_dask,
    read_into_memory,
)
from gramian.core.rows._sparse import (
    MATRIX_COLUMNS,
    SparseRows,
    apply_centring,
    canonical,
    centre_sparse,
    dense_parts,
    written_out,
)
from gramian.core.rows._stream import MissingValueError, Source, check, open_stream
