"""Tables and columns as users give them, converted to forms that all checks understand."""

from __future__ import annotations

from typing import Any

import numpy as np

from gramian._support.extras import require


def as_given(data: Any) -> Any:
    """Return data without masks, and a batch of Arrow rows as a table of PyArrow.

    Masked cells of a NumPy array become missing values: NaN for numbers, NaT for dates, and None
    for other objects. A batch is any object with the method `__arrow_c_array__` whose array is a
    struct, as PyArrow's RecordBatch. All other data are returned as they are.

    Parameters
    ----------
    data : object
        A table or a column, of any kind.
    """
    if isinstance(data, np.ma.MaskedArray):
        masked, kind = np.ma.getmaskarray(data), data.dtype.kind
        number_type = np.float64 if kind in "fiub" else object
        cells = np.array(data.data, dtype=data.dtype if kind in "Mm" else number_type)
        cells[masked] = np.nan if kind in "fiub" else "NaT" if kind in "Mm" else None
        return cells
    if hasattr(data, "__arrow_c_array__") and _is_batch(data):
        arrow = require("pyarrow", "An Arrow array")
        return arrow.Table.from_batches([arrow.record_batch(data)])
    return data


def _is_batch(data: Any) -> bool:
    """Return True for a batch of Arrow rows, False for a column."""
    package = type(data).__module__.partition(".")[0]
    if package in ("pandas", "polars", "pyarrow"):
        return type(data).__name__ == "RecordBatch"
    arrow = require("pyarrow", "An Arrow array")
    return bool(arrow.types.is_struct(arrow.array(data).type))
