"""Files of a data set: search, reading, checks and scaling."""

from __future__ import annotations

import os
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.io import loadmat
from scipy.io.matlab import MatReadError
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.utils import Bunch

from gramian_paper._types import Array, IntArray

FOLDER_VARIABLE = "GRAMIAN_DATA"
"""The environment variable that names the folder of the data sets."""

UNREADABLE = (
    ValueError,
    TypeError,
    OSError,
    EOFError,
    MatReadError,
    zipfile.BadZipFile,
    zlib.error,
)
"""Errors of NumPy and SciPy for files that are truncated or have another format."""

Scaling = Literal["standardized", "unit"] | None
Folder = str | os.PathLike[str] | None


@dataclass(frozen=True)
class Source:
    """Source of a data set.

    Attributes
    ----------
    title : str
        Its name, for messages.
    files : tuple of str
        The names that its file may have, the preferred one first, in lower case; letter case is
        ignored.
    openml : int or None
        Its number at OpenML.
    remedy : str
        A sentence on how to get a file.
    description : str
        What it is, and whom to cite.
    """

    title: str
    files: tuple[str, ...]
    openml: int | None
    remedy: str
    description: str


def obtain(source: Source, folder: Folder, *, download: bool) -> Path | Bunch:
    """Return the path of the data set's file or, if there is none, the data from OpenML."""
    named = folder if folder is not None else os.environ.get(FOLDER_VARIABLE) or None
    if named is not None:
        path = find(source, Path(named))
        if path is not None:
            return path
    if download and source.openml is not None:
        return fetch(source)
    wanted = f"a file named {_any_of(source.files)}"
    if named is None:
        problem = (
            f"no folder is named to look for {wanted} in: give one as folder, or in the "
            f"environment variable {FOLDER_VARIABLE}"
        )
    else:
        problem = f"{Path(named)} does not hold {wanted}"
    if source.openml is not None:
        way = "; or let it be downloaded from OpenML, with download=True"
    else:
        way = "; OpenML has no copy to download" if download else ""
    raise FileNotFoundError(f"{source.title}: {problem}{way}. {source.remedy}")


def find(source: Source, folder: Path) -> Path | None:
    """Return the path of the first possible file name that exists in the folder."""
    if not folder.is_dir():
        raise FileNotFoundError(
            f"{source.title}: {folder} is not a folder; correct folder, or the environment "
            f"variable {FOLDER_VARIABLE} if folder is not given."
        )
    present = {path.name.lower(): path for path in sorted(folder.iterdir(), reverse=True)}
    return next((present[name] for name in source.files if name in present), None)


def fetch(source: Source) -> Bunch:
    """Download a data set from OpenML; scikit-learn keeps it in its own folder."""
    from sklearn.datasets import fetch_openml

    try:
        return fetch_openml(data_id=source.openml, as_frame=True)
    except ImportError as error:
        raise ImportError(
            f"{source.title}: downloads from OpenML need pandas; install it (pip install pandas)."
        ) from error
    except OSError as error:
        raise OSError(
            f"{source.title}: number {source.openml} of OpenML could not be downloaded: {error}. "
            f"Try again later. {source.remedy}"
        ) from error


def read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """Read all named arrays of an .npz or .mat file."""
    try:
        if path.suffix.lower() == ".mat":
            found = loadmat(path)
            return {name: array for name, array in found.items() if not name.startswith("__")}
        # Opened here, since NumPy leaves a file that it cannot read open.
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
            return dict(file)
    except UNREADABLE as error:
        raise ValueError(
            f"{path} cannot be read: {error}. It may be damaged or cut short; get it again."
        ) from error
    except NotImplementedError as error:
        raise ValueError(
            f"{path} is a MATLAB file of version 7.3, which SciPy does not read; save it again "
            "with the option -v7."
        ) from error


def pick(arrays: Mapping[str, NDArray[Any]], names: Sequence[str], where: str) -> NDArray[Any]:
    """Return the array that has one of these names."""
    for name in names:
        if name in arrays:
            return arrays[name]
    has = ", ".join(sorted(arrays)) or "none"
    raise ValueError(f"{where} has no array named {_any_of(names)}; it has {has}.")


def as_numbers(values: NDArray[Any], where: str) -> Array:
    """Return an array of numbers; text is converted."""
    try:
        return values.astype(np.float64)
    except ValueError as error:
        raise ValueError(f"{where} has a value that is not a number: {error}.") from error


def check_shape(values: NDArray[Any], shapes: Sequence[tuple[int, ...]], where: str) -> None:
    """Raise an error if an array has none of the expected shapes."""
    if values.shape not in shapes:
        expected = " or ".join(str(shape) for shape in shapes)
        raise ValueError(
            f"{where} has the shape {values.shape} where {expected} is expected; it is another "
            "data set, or not all of it."
        )


def check_finite(values: NDArray[Any], where: str) -> None:
    """Raise an error if an array has values other than finite numbers."""
    if values.dtype.kind not in "biuf":
        raise ValueError(f"{where} holds {values.dtype} where numbers are expected.")
    n_gaps = int(np.sum(~np.isfinite(values))) if values.dtype.kind == "f" else 0
    if n_gaps:
        raise ValueError(
            f"{where} has {n_gaps} values that are missing or infinite where none should be; get "
            "it again."
        )


def check_range(
    values: NDArray[Any], ranges: Sequence[tuple[float, float]], where: str
) -> tuple[float, float]:
    """Return the expected range that the values fill, or raise an error."""
    check_finite(values, where)
    low, high = float(values.min()), float(values.max())
    for ends in ranges:
        if np.allclose((low, high), ends, rtol=0, atol=1e-6):
            return ends
    expected = " or ".join(f"{a:g} and {b:g}" for a, b in ranges)
    raise ValueError(
        f"{where} has values between {low:g} and {high:g} where {expected} are expected; it was "
        "scaled differently, or it is another data set."
    )


def check_choice(name: str, value: object, choices: Sequence[object]) -> None:
    """Raise an error if an argument is not one of the allowed values."""
    if value not in choices:
        raise ValueError(f"{name} must be {_any_of([repr(c) for c in choices])}; got {value!r}.")


def check_scaling(scaling: object) -> None:
    """Raise an error if a scaling is unknown."""
    check_choice("scaling", scaling, ("standardized", "unit", None))


def standardize(X: Array, reference: Array | None = None) -> Array:
    """Scale columns in place to mean 0 and variance 1 of the reference, or of themselves."""
    scaler = StandardScaler(copy=False).fit(X if reference is None else reference)
    scaled: Array = scaler.transform(X)
    return scaled


def scale_table(X: Array, scaling: Scaling) -> Array:
    """Scale a table whose columns have different units."""
    if scaling == "standardized":
        return standardize(X)
    if scaling == "unit":
        scaled: Array = MinMaxScaler(clip=True).fit_transform(X)
        return scaled
    return X


def deliver(data: Array, target: IntArray, return_X_y: bool, **more: Any) -> Any:
    """Return the data and the labels, or a Bunch with all information.

    The return type is Any: Bunch has no types, so that a union with a tuple would not help users.
    """
    return (data, target) if return_X_y else Bunch(data=data, target=target, **more)


def _any_of(names: Sequence[str]) -> str:
    return " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
