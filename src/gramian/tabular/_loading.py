"""Public function `load`, which reads a selection from a model file."""

from __future__ import annotations

import os

from gramian.tabular._table_cautions import cautions_of_fit
from gramian.tabular._table_model import read_model
from gramian.tabular._table_selection import TableSelection


def load(path: str | os.PathLike[str]) -> TableSelection:
    """Read a selection from a model file that `TableSelection.save` or the command wrote.

    Parameters
    ----------
    path : path
        Path of the model file.

    Returns
    -------
    selection : TableSelection
        The selection. Its `set_aside` is empty, and `alternatives` lacks columns that are looked
        up by values of other columns: model files do not store them.

    Raises
    ------
    ModelFileError
        If the file is damaged or is not a model file.
    ValueError
        If the model computes components instead of selecting columns.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np
    >>> import gramian
    >>> voltage, current = np.random.default_rng(0).uniform(1, 5, (2, 200))
    >>> table = {"voltage": voltage, "current": current, "power": voltage * current}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "model.gram")
    ...     gramian.select(table).save(path)
    ...     selection = gramian.tabular.load(path)
    >>> selection.kept
    ['voltage', 'current']
    """
    model = read_model(path)
    if not model.selects:
        raise ValueError(
            f"{os.fspath(path)} holds {type(model.estimator).__name__}, which makes components and "
            "selects no columns. Use gramian.models.read(path)."
        )
    return TableSelection(model, cautions=tuple(cautions_of_fit(model.estimator)))
