"""Row blocks of a table: in memory, sparse, streamed, or on a Dask cluster.

A fit needs only sums over the rows. A `Work` object defines the quantities to sum; every kind of
table reads its rows block by block and returns these sums.
"""

from gramian.core.rows._array import CACHE_BYTES, ArrayRows, Centring, SpreadError, centre
from gramian.core.rows._checkpoint import Ledger, RecordedRows
from gramian.core.rows._covariance import DENSE_BELOW, MatrixCovariance, ResidualCovariance
from gramian.core.rows._dask import map_partitions, open_dask, partitions
from gramian.core.rows._drawing import draw
from gramian.core.rows._first_pass import Split
from gramian.core.rows._protocol import (
    CONSTANT,
    BlockWork,
    LocalRows,
    MemoryRows,
    RowBlock,
    Rows,
    Work,
    Worker,
)
from gramian.core.rows._residuals import Residuals, or_infinity
from gramian.core.rows._sources import CompletedSource, as_source, is_dask, read_into_memory
from gramian.core.rows._sparse import (
    MATRIX_COLUMNS,
    apply_centring,
    centre_sparse,
    dense_parts,
    written_out,
)
from gramian.core.rows._stream import MissingValueError, Source, check, open_stream

__all__ = [
    "CACHE_BYTES",
    "CONSTANT",
    "DENSE_BELOW",
    "MATRIX_COLUMNS",
    "ArrayRows",
    "BlockWork",
    "Centring",
    "CompletedSource",
    "Ledger",
    "LocalRows",
    "MatrixCovariance",
    "MemoryRows",
    "MissingValueError",
    "RecordedRows",
    "ResidualCovariance",
    "Residuals",
    "RowBlock",
    "Rows",
    "Source",
    "Split",
    "SpreadError",
    "Work",
    "Worker",
    "apply_centring",
    "as_source",
    "centre",
    "centre_sparse",
    "check",
    "dense_parts",
    "draw",
    "is_dask",
    "map_partitions",
    "open_dask",
    "open_stream",
    "or_infinity",
    "partitions",
    "read_into_memory",
    "written_out",
]
