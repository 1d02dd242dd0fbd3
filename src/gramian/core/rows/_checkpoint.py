"""Checkpoints: store each sum over the rows in a folder, and read it when a fit resumes."""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isclose
from pathlib import Path
from typing import Any

import numpy as np

from gramian._support.threads import product_for
from gramian._support.types import Array
from gramian._support.writing import replacing
from gramian.core.rows._covariance import ResidualCovariance
from gramian.core.rows._protocol import Rows, Work

EQUAL_NUMBERS = {"rel_tol": 1e-9, "abs_tol": 1e-9}
"""Tolerances of `math.isclose` for numbers in the descriptions of two fits: rounding errors, for
instance from other block sizes, do not count as a difference."""


class Ledger:
    """A folder that stores the result of every sum over the rows, in the order of computation.

    A fit depends on the data only through these sums. So a fit that resumes reaches the point of
    interruption without reading the data again.

    Parameters
    ----------
    folder : path
        The folder of the checkpoint; it is created if it does not exist.
    description : dict
        Parameters of the fit and properties of its data. If the folder has another description,
        an error is raised.
    """

    def __init__(self, folder: str | os.PathLike[str], description: dict[str, Any]) -> None:
        self._folder = Path(folder)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError) as error:
            raise ValueError(
                f"checkpoint={str(folder)!r} is not a folder: it is a file, or inside one. Give a "
                "folder: a new one, or that of the fit to go on with."
            ) from error
        self._n = 0
        text = json.dumps(description, indent=1, sort_keys=True)
        path = self._folder / "fit.json"
        if not path.exists():
            with replacing(path) as stream:
                stream.write(text.encode())
            return
        try:
            stored = json.loads(path.read_text(encoding="utf-8"))
            if not isinstance(stored, dict):
                raise ValueError("it holds no description of a fit")
        except (OSError, ValueError, RecursionError) as error:
            raise ValueError(f"{path} is damaged: {error}. Remove {self._folder}.") from error
        changed = _difference(stored, json.loads(text))
        if changed is not None:
            raise ValueError(
                f"The checkpoint {self._folder} is of another fit: {changed}. Remove the folder, "
                "or give another one."
            )

    def recall(self, like: Sequence[Array]) -> list[Array] | None:
        """Return the arrays of the next sum from the folder; None if they are not stored yet.

        Parameters
        ----------
        like : sequence of arrays
            Arrays that have the expected shapes. An empty vector accepts a vector of any length. If
            the stored arrays have other shapes, an error is raised.
        """
        path = self._path()
        if not path.exists():
            return None
        try:
            found = _read(path)
            _compare(found, like)
        except ARCHIVE_ERRORS as error:
            raise ValueError(
                f"{path} is damaged: {error}. Remove it and those of higher numbers, and fit again."
            ) from error
        self._n += 1
        return found

    def note(self, sums: list[Array]) -> None:
        """Store the arrays of the next sum if all values are finite; otherwise store nothing."""
        if not all(np.isfinite(each).all() for each in sums):
            return
        with replacing(self._path()) as stream:
            np.savez(stream, *sums)
        self._n += 1

    def _path(self) -> Path:
        return self._folder / f"{self._n:06}.npz"


ARCHIVE_ERRORS = (
    OSError,
    ValueError,
    KeyError,
    EOFError,
    MemoryError,
    zipfile.BadZipFile,
    zlib.error,
)
"""Errors that reading a damaged or foreign archive of arrays can raise."""


def _read(path: Path) -> list[Array]:
    """Return the list of arrays in the .npz file `path`, in the order in which they were saved."""
    with path.open("rb") as stream:
        if not zipfile.is_zipfile(stream):
            raise ValueError("it is no archive of arrays")
        stream.seek(0)
        with np.load(stream, allow_pickle=False) as file:
            return [file[f"arr_{i}"] for i in range(len(file.files))]


def _compare(found: Sequence[Array], like: Sequence[Array]) -> None:
    """Raise ValueError if `found` differs from `like` in number, shape or type of the arrays."""
    if len(found) != len(like):
        raise ValueError(f"it holds {len(found)} arrays in place of {len(like)}")
    for array, expected in zip(found, like, strict=True):
        if array.dtype != np.float64:
            raise ValueError(f"it holds values of type {array.dtype}")
        shape = array.shape if expected.shape == (0,) and array.ndim == 1 else expected.shape
        if array.shape != shape:
            raise ValueError(f"it holds an array of shape {array.shape} in place of {shape}")
        if not np.isfinite(array).all():
            raise ValueError("it holds values that are not finite")


def _difference(old: Any, new: Any, name: str = "its description") -> str | None:
    """Return a sentence on the first difference of two descriptions; None if they are equal.

    Parameters
    ----------
    old, new : object
        The description in the folder, and the description of this fit.
    name : str
        What is compared, for the sentence.
    """
    if old == new:
        return None
    if isinstance(old, float) and isinstance(new, float) and isclose(old, new, **EQUAL_NUMBERS):
        return None
    if isinstance(old, dict) and isinstance(new, dict):
        pairs = [(key, old.get(key), new.get(key)) for key in sorted({*old, *new})]
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        both = enumerate(zip(old, new, strict=True))
        pairs = [(f"{name} of column {i}", *pair) for i, pair in both]
    else:
        return f"{name} was {old} and is {new}"
    return next((found for pair in pairs if (found := _difference(*pair[1:], pair[0]))), None)


@dataclass(frozen=True)
class RecordedRows:
    """Table with a checkpoint: every sum is read from `ledger`, or computed and stored there."""

    rows: Rows
    ledger: Ledger

    @property
    def n_rows(self) -> int:
        """The number of rows that have a positive weight."""
        return self.rows.n_rows

    @property
    def n_columns(self) -> int:
        """The number of columns."""
        return self.rows.n_columns

    @property
    def effective_n_rows(self) -> float:
        """Effective number of rows (Kish): (Σw)² / Σw², where w are the weights of the rows."""
        return self.rows.effective_n_rows

    @property
    def n_copies(self) -> float:
        """Typical number of copies of a row in this table; 1 if rows differ or were merged."""
        return self.rows.n_copies

    @property
    def cache_bytes(self) -> int:
        """Largest size, in bytes, of a cache of function values that is kept between passes."""
        return self.rows.cache_bytes

    def covariance(self) -> Array:
        """Return the lower triangle of E[XXᵀ] of the scaled columns, in Fortran order."""
        return self.rows.covariance()

    def residual_covariance(self) -> ResidualCovariance:
        """Return E[XXᵀ] of the scaled columns as an object whose method `subtract` updates it.

        `subtract` removes the part that fitted functions explain.
        """
        return self.rows.residual_covariance()

    def dense(self) -> Rows:
        """Return this table with dense rows if it is a sparse matrix in memory, else unchanged."""
        return replace(self, rows=self.rows.dense())

    def rotate(self, basis: Array) -> tuple[Rows, Array]:
        """Return the rows in coordinates along `basis`, and their standard deviations.

        See `Rows.rotate`.
        """
        rows, deviations = self.rows.rotate(basis)
        return replace(self, rows=rows), deviations

    def sum(self, work: Work) -> list[Array]:
        """Return the arrays that `work` sums over the rows, read from the ledger if stored."""
        found = self.ledger.recall(work.worker(product_for(1)).sums)
        if found is None:
            found = self.rows.sum(work)
            self.ledger.note(found)
        return found
