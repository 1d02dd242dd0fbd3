"""Tables of the paper from the UCI repository: Musk and Credit Approval."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramian_paper.datasets._files import (
    Folder,
    Scaling,
    Source,
    as_numbers,
    check_finite,
    check_scaling,
    check_shape,
    deliver,
    obtain,
    pick,
    read_arrays,
    scale_table,
)

MUSK = Source(
    "Musk",
    ("musk2.npz", "clean2.data"),
    1116,
    "The UCI repository has it as Musk, version 2: uncompress the file clean2.data.",
    "Shapes of 102 molecules, 39 of which are musks, in 6,598 conformations: distances along 162 "
    "rays, and where the oxygen atom is. T. G. Dietterich, R. H. Lathrop and T. Lozano-Pérez, "
    "Solving the multiple instance problem with axis-parallel rectangles, Artificial Intelligence "
    "89, 1997.",
)
MUSK_SHAPE, N_MOLECULES = (6598, 166), 102

CREDIT = Source(
    "Credit Approval",
    ("crx.data",),
    29,
    "The UCI repository has it as Credit Approval, with the file crx.data.",
    "Applications for credit cards, with all names and values made meaningless for the sake of "
    "confidentiality, and whether they were approved. J. R. Quinlan, Simplifying decision trees, "
    "International Journal of Man-Machine Studies 27, 1987.",
)
CREDIT_SHAPE = (690, 16)
NUMERIC = (1, 2, 7, 10, 13, 14)
"""Numeric columns of Credit Approval; all others are categories."""


def load_musk(
    folder: Folder = None,
    *,
    download: bool = False,
    scaling: Scaling = "standardized",
    return_X_y: bool = False,
) -> Any:
    """Load Musk, version 2: shapes of molecules, 166 distances each.

    A molecule has several rows, one for each of its conformations; rows of one molecule are
    similar, and all have the same label. The rows are sorted by label. The paper has 6,597 rows,
    one fewer than there are.

    Parameters
    ----------
    folder : str, path or None, default=None
        The folder of ``musk2.npz`` (arrays X, y and, if known, molecule) or of ``clean2.data`` as
        UCI publishes it. None stands for the folder in the environment variable ``GRAMIAN_DATA``.
    download : bool, default=False
        Whether to get the data from OpenML if there is no file; pandas is needed for that.
    scaling : {"standardized", "unit"} or None, default="standardized"
        Mean 0 and variance 1, as in the paper's tables for GFR; every column from 0 to 1; or as
        they are.
    return_X_y : bool, default=False
        Whether to return the data and the labels alone.

    Returns
    -------
    bunch : ``sklearn.utils.Bunch``
        `data` of shape (6598, 166), `target` (1 for musks), `groups` (the number of each row's
        molecule, or None where the file does not say), `feature_names`, `target_names`, `DESCR`,
        and `filename`, where the data were found. If `return_X_y`, the first two.

    Examples
    --------
    >>> from gramian_paper.datasets import load_musk
    >>> load_musk("data").data.shape  # doctest: +SKIP
    (6598, 166)
    """
    check_scaling(scaling)
    found = obtain(MUSK, folder, download=download)
    molecules: NDArray[Any] | None = None
    if not isinstance(found, Path):
        filename = f"OpenML {MUSK.openml}"
        numbers = found.data.select_dtypes("number")
        X, y = numbers.to_numpy(), found.target.to_numpy()
        names = (found.data[name] for name in found.data.columns if name not in numbers)
        # Molecules are identified by their number: the column of conformations also exists.
        molecules = next((c.to_numpy() for c in names if c.nunique() == N_MOLECULES), None)
    elif found.suffix.lower() == ".npz":
        filename = str(found)
        arrays = read_arrays(found)
        X, y = pick(arrays, ("X",), filename), pick(arrays, ("y",), filename)
        molecules = arrays.get("molecule")
    else:
        filename = str(found)
        table = _read_csv(found, MUSK_SHAPE[1] + 3)
        X, y, molecules = as_numbers(table[:, 2:-1], filename), table[:, -1], table[:, 0]
    check_shape(X, [MUSK_SHAPE], filename)
    check_shape(y, [MUSK_SHAPE[:1]], f"{filename}, array of labels,")
    check_finite(X, filename)
    target = as_numbers(y, filename)
    if not np.array_equal(np.unique(target), [0, 1]):
        raise ValueError(f"{filename} has labels other than 0 and 1.")
    groups = None
    if molecules is not None:
        check_shape(molecules, [MUSK_SHAPE[:1]], f"{filename}, array of molecules,")
        groups = np.unique(molecules, return_inverse=True)[1].astype(np.intp)
    return deliver(
        scale_table(X.astype(np.float64), scaling),
        target.astype(np.intp),
        return_X_y,
        groups=groups,
        feature_names=[f"f{i}" for i in range(1, MUSK_SHAPE[1] + 1)],
        target_names=["no musk", "musk"],
        DESCR=MUSK.description,
        filename=filename,
    )


def load_credit_approval(
    folder: Folder = None,
    *,
    download: bool = False,
    scaling: Scaling = "standardized",
    return_X_y: bool = False,
) -> Any:
    """Load Credit Approval: 690 applications for credit cards, 6 numbers and 9 categories each.

    Categories are numbered in alphabetical order, from 0. Missing numbers become the mean of their
    column, missing categories the most frequent one, the first of several.

    Parameters
    ----------
    folder : str, path or None, default=None
        The folder of ``crx.data`` as UCI publishes it. None stands for the folder in the
        environment variable ``GRAMIAN_DATA``.
    download : bool, default=False
        Whether to get the data from OpenML if there is no file; pandas is needed for that.
    scaling : {"standardized", "unit"} or None, default="standardized"
        Mean 0 and variance 1 for every column, categories included, as in the paper's tables for
        GFR; every column from 0 to 1; or as they are.
    return_X_y : bool, default=False
        Whether to return the data and the labels alone.

    Returns
    -------
    bunch : ``sklearn.utils.Bunch``
        `data` of shape (690, 15), `target` (1 for approved), `feature_kinds` ("numeric" or
        "categorical" for each column), `categories` (by the name of the column, what 0, 1, …
        stand for), `missing` (where values were missing), `feature_names`, `target_names`,
        `DESCR`, and `filename`, where the data were found. If `return_X_y`, the first two.

    Examples
    --------
    >>> from gramian_paper.datasets import load_credit_approval
    >>> load_credit_approval("data").data.shape  # doctest: +SKIP
    (690, 15)
    """
    check_scaling(scaling)
    found = obtain(CREDIT, folder, download=download)
    if isinstance(found, Path):
        filename, table = str(found), _read_csv(found, CREDIT_SHAPE[1])
    else:
        filename = f"OpenML {CREDIT.openml}"
        frame = found.data.astype(object).where(found.data.notna(), "?")
        table = np.column_stack([frame.to_numpy(), found.target.to_numpy()]).astype(str)
    check_shape(table, [CREDIT_SHAPE], filename)
    if set(table[:, -1]) != {"+", "-"}:
        raise ValueError(f"{filename} has labels other than + and - in its last column.")
    names = [f"A{i}" for i in range(1, CREDIT_SHAPE[1])]
    missing = table[:, :-1] == "?"
    data = np.empty(missing.shape)
    categories = {}
    for i, (name, gaps) in enumerate(zip(names, missing.T, strict=True)):
        present = table[~gaps, i]
        if i in NUMERIC:
            data[~gaps, i] = as_numbers(present, f"{filename}, column {name},")
            data[gaps, i] = data[~gaps, i].mean()
        else:
            values, codes = np.unique(present, return_inverse=True)
            data[~gaps, i] = codes
            data[gaps, i] = np.bincount(codes).argmax()
            categories[name] = values.tolist()
    return deliver(
        scale_table(data, scaling),
        (table[:, -1] == "+").astype(np.intp),
        return_X_y,
        feature_kinds=["numeric" if i in NUMERIC else "categorical" for i in range(len(names))],
        categories=categories,
        missing=missing,
        feature_names=names,
        target_names=["-", "+"],
        DESCR=CREDIT.description,
        filename=filename,
    )


def _read_csv(path: Path, n_columns: int) -> NDArray[np.str_]:
    """Read a table of text, without empty lines."""
    with path.open(newline="", encoding="utf-8") as file:
        reader = csv.reader(file)
        rows = []
        for row in filter(None, reader):
            if len(row) != n_columns:
                raise ValueError(
                    f"{path}, line {reader.line_num}, has {len(row)} values where {n_columns} are "
                    "expected; it is another data set, or it was cut short."
                )
            rows.append([value.strip() for value in row])
    return np.array(rows, dtype=np.str_).reshape(-1, n_columns)
