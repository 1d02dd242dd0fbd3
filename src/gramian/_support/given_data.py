"""Tables and columns as users give them, converted to forms that all checks understand."""

from __future__ import annotations

from typing import Any

import numpy as np


def as_given(data: Any) -> Any:
    """Return data without masks, and a PyArrow record batch as a table.

    Masked cells of a NumPy array become missing values: NaN for numbers, NaT for dates, and None
    for other objects. All other data are returned as they are.

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
    if type(data).__module__ == "pyarrow.lib" and type(data).__name__ == "RecordBatch":
        import pyarrow as pa

        return pa.Table.from_batches([data])
    return data
