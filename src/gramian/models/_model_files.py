"""Public functions `save`, `load` and `read`, which write model files and read them."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

import gramian
from gramian._support.words import is_storable_text
from gramian._support.writing import replacing
from gramian.exceptions import ModelFileError
from gramian.models._archive import AnyArray, Archive, opened, write
from gramian.models._beside import Beside
from gramian.models._preprocessing import Preprocessing
from gramian.models._schema import PREPROCESSING, SCHEMAS, read_arrays
from gramian.models._stored_estimators import (
    ESTIMATORS,
    StoredEstimator,
    from_data_and_arrays,
    to_data_and_arrays,
)
from gramian.models._stored_families import Functions
from gramian.tables import Clock

FORMAT = "gramian model"
"""Text in the document of every model file; a file without it is refused."""
VERSION = 1
"""Version of the file format. It is raised when older versions of gramian could misread a file."""

NEEDED = {"columns", "missing", "categories"}
"""Keys that the description of a preprocessing must have in a model file."""
OPTIONAL = {"ids", "targets", "clocks", "beside", "types"}
"""Keys of the description of a preprocessing that are written only if they are not empty."""


@dataclass(frozen=True)
class Model:
    """Content of a model file.

    Attributes
    ----------
    estimator : estimator
        The fitted estimator: GFR, GCA, GFS, GFA, UFFS or PolynomialManifold.
    preprocessing : Preprocessing or None
        Steps that turn a table into the numbers of the fit; None if the file has no preprocessing.
    gramian_version : str
        Version of gramian that wrote the file.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from gramian import GFS
    >>> from gramian.models import read
    >>> a, b = np.random.default_rng(0).standard_normal((2, 500))
    >>> gfs = GFS(threshold=1e-6).fit(np.column_stack([3 * a, 2 * b, a * b]))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     gfs.save(Path(folder) / "model.gram")
    ...     model = read(Path(folder) / "model.gram")
    >>> model.estimator
    GFS(threshold=1e-06)
    """

    estimator: Any
    preprocessing: Preprocessing | None
    gramian_version: str


def save(
    estimator: Any,
    path: str | os.PathLike[str] | BinaryIO,
    *,
    preprocessing: Preprocessing | None = None,
    moments: bool | None = None,
) -> None:
    """Write a fitted estimator to a file, without its training rows.

    The file contains numbers and names, and no program code. It is safe to read a file from anyone.
    Files of the same estimator have the same bytes.

    Parameters
    ----------
    estimator : GFR, GCA, GFS, GFA, UFFS or PolynomialManifold
        The fitted estimator. Its parameter `checkpoint` is not written.
    path : path or binary stream
        Path of the file; by convention it ends in .gram. An existing file is replaced only after
        the new file is complete.
    preprocessing : Preprocessing, optional
        Steps that turn a table into the numbers of the fit.
    moments : bool, optional
        True to write the second moments of the fitted functions, too; False to leave them out.
        Without them, explanations of the loaded model need rows of data. By default moments are
        written if they take at most 1 MB.

    Raises
    ------
    ValueError
        If a part of the estimator cannot be stored in a model file.

    See Also
    --------
    gramian.load : Reads the estimator from the file.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np
    >>> from gramian import GFS
    >>> from gramian.models import load, save
    >>> a, b = np.random.default_rng(0).standard_normal((2, 500))
    >>> X = np.column_stack([3 * a, 2 * b, a * b])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "model.gram")
    ...     save(GFS(threshold=1e-6).fit(X), path)
    ...     load(path).selected_features_
    array([0, 1])
    """
    document, arrays = to_data_and_arrays(estimator, moments=moments)
    document |= {
        "format": FORMAT,
        "format_version": VERSION,
        "gramian_version": gramian.__version__,
        "preprocessing": None,
    }
    if preprocessing is not None:
        document["preprocessing"] = _describe(preprocessing)
        if preprocessing.impute is not None:
            arrays["preprocessing.impute"] = preprocessing.impute
    buffer = BytesIO()
    write(buffer, document, arrays)
    try:  # a file that cannot be read again is not written
        _read(Archive(buffer, buffer.tell()), _functions_of(estimator))
    except ModelFileError as error:
        raise ValueError(f"This model does not fit in a model file: {error}") from error
    target = replacing(path) if isinstance(path, str | os.PathLike) else nullcontext(path)
    with target as stream:
        stream.write(buffer.getbuffer())


def load(path: str | os.PathLike[str], *, functions: Functions | None = None) -> Any:
    """Read a fitted estimator from a model file.

    Parameters
    ----------
    path : path
        Path of the model file.
    functions : mapping from str to callable, optional
        Functions of a :class:`~gramian.families.Custom` family, by name. They are needed because
        a model file stores only the names of such functions, and no program code.

    Returns
    -------
    estimator : GFR, GCA, GFS, GFA, UFFS or PolynomialManifold
        The estimator, with the methods and results of the original. Its methods take rows of
        numbers, as in the fit. If the file also has a preprocessing, which turns a table into such
        rows, a warning is issued: use `read`, which returns both.

    Raises
    ------
    ModelFileError
        If the file is damaged, is not a model file, or was written in a newer format.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from gramian import GFS, load
    >>> a, b = np.random.default_rng(0).standard_normal((2, 500))
    >>> gfs = GFS(threshold=1e-6).fit(np.column_stack([3 * a, 2 * b, a * b]))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     gfs.save(Path(folder) / "model.gram")
    ...     again = load(Path(folder) / "model.gram")
    >>> again.selected_features_
    array([0, 1])
    """
    model = read(path, functions=functions)
    if model.preprocessing is not None:
        warnings.warn(
            f"{os.fspath(path)} also holds preprocessing, which the estimator does not apply. Use "
            "gramian.tabular.load(path) for a selection, or gramian.models.read(path), and apply "
            "the preprocessing of the result to tables.",
            UserWarning,
            stacklevel=2,
        )
    return model.estimator


def read(path: str | os.PathLike[str], *, functions: Functions | None = None) -> Model:
    """Read a fitted estimator and its preprocessing from a model file.

    Parameters
    ----------
    path : path
        Path of the model file.
    functions : mapping from str to callable, optional
        Functions of a :class:`~gramian.families.Custom` family, by name. They are needed because
        a model file stores only the names of such functions, and no program code.

    Returns
    -------
    model : Model
        The estimator, its preprocessing, and the version of gramian that wrote the file.

    Raises
    ------
    ModelFileError
        If the file is damaged, is not a model file, or was written in a newer format.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> from gramian import GFS
    >>> from gramian.models import read
    >>> a, b = np.random.default_rng(0).standard_normal((2, 500))
    >>> gfs = GFS(threshold=1e-6).fit(np.column_stack([3 * a, 2 * b, a * b]))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     gfs.save(Path(folder) / "model.gram")
    ...     model = read(Path(folder) / "model.gram")
    >>> model.estimator.selected_features_, model.preprocessing
    (array([0, 1]), None)
    """
    try:
        with opened(Path(path)) as archive:
            return _read(archive, functions)
    except ModelFileError as error:
        raise ModelFileError(f"{os.fspath(path)} cannot be read as a model. {error}") from error


def _read(archive: Archive, functions: Functions | None) -> Model:
    """Make the model from an open model file; raise ModelFileError if a part is damaged."""
    document = archive.document
    if document.get("format") != FORMAT:
        raise ModelFileError("It is not a model file of gramian.")
    version, written_by = document.get("format_version"), document.get("gramian_version")
    if type(version) is not int or version < 1 or not isinstance(written_by, str):
        raise ModelFileError("Its version is missing or damaged.")
    if version > VERSION:
        raise ModelFileError(
            f"It was written by gramian {written_by[:40]!r} in format {version}; this version "
            f"knows formats up to {VERSION}: update gramian."
        )
    name, d = document.get("estimator"), document.get("n_features")
    if not isinstance(name, str) or name not in ESTIMATORS:
        raise ModelFileError(f"Its estimator is unknown to this version: {str(name)[:60]!r}.")
    if type(d) is not int or d < 1:
        raise ModelFileError("The number of its features is damaged.")
    if "preprocessing.scale" in archive.inventory:  # written by early development versions
        raise ModelFileError(
            "Its columns were scaled before the fit. Estimators now scale columns themselves: fit "
            "again with scale=True."
        )
    arrays = read_arrays(archive, {**SCHEMAS[name], **PREPROCESSING}, d)
    estimator = from_data_and_arrays(document, arrays, functions)
    preprocessing = _preprocessing(document.get("preprocessing"), arrays)
    if preprocessing is not None:
        _check_columns(preprocessing, estimator)
    return Model(estimator, preprocessing, written_by)


def _functions_of(estimator: StoredEstimator) -> Functions:
    """Return the user's own functions in the families of an estimator, by name.

    `save` needs them to test that the file can be read again.
    """
    found: dict[str, Any] = {}
    families: list[Any] = [getattr(estimator, "family", None), getattr(estimator, "family_", None)]
    while families:
        family = families.pop()
        families += getattr(family, "members", [])
        found |= {function.__name__: function for function, _ in getattr(family, "functions", [])}
    return found


def _describe(preprocessing: Preprocessing) -> dict[str, Any]:
    """Return a preprocessing, without its array `impute`, as a dictionary for the JSON document."""
    beside = preprocessing.beside
    described: dict[str, Any] = {
        "columns": [str(name) for name in preprocessing.columns],
        "missing": preprocessing.missing,
        "categories": {name: list(each) for name, each in preprocessing.categories.items()},
        "ids": list(preprocessing.ids),
        "targets": list(preprocessing.targets),
        "clocks": {name: [each.origin, each.unit] for name, each in preprocessing.clocks.items()},
        "beside": beside.to_json() if beside.order else None,
        "types": dict(preprocessing.types),
    }
    return {name: each for name, each in described.items() if each or name in NEEDED}


def _preprocessing(data: Any, arrays: Mapping[str, AnyArray]) -> Preprocessing | None:
    """Make the preprocessing from its description in the file; None if the file has none."""
    impute = arrays.get("preprocessing.impute")
    if data is None:
        if impute is not None:
            raise ModelFileError("It has an array of preprocessing that it does not describe.")
        return None
    if not isinstance(data, dict) or not NEEDED <= set(data) <= NEEDED | OPTIONAL:
        raise ModelFileError("Its preprocessing is damaged.")
    columns, categories = data["columns"], data["categories"]
    ids, targets = data.get("ids", []), data.get("targets", [])
    texts = [columns, ids, targets]
    texts += categories.values() if isinstance(categories, dict) else [None]
    if not all(isinstance(text, list) and all(map(is_storable_text, text)) for text in texts):
        raise ModelFileError("The names of its preprocessing are damaged.")
    try:
        return Preprocessing(
            tuple(columns),
            data["missing"],
            impute,
            {name: tuple(each) for name, each in categories.items()},
            tuple(ids),
            tuple(targets),
            _clocks(data.get("clocks", {})),
            Beside.from_json(data["beside"]) if "beside" in data else Beside(),
            _types(data.get("types", {})),
        )
    except ValueError as error:
        raise ModelFileError(f"Its preprocessing is damaged: {str(error)[:300]}") from error


def _types(data: Any) -> dict[str, str]:
    """Return the types of the columns from their description in a file, by name.

    Raise ModelFileError if the description is damaged.
    """
    if not isinstance(data, dict):
        raise ValueError("Types of columns must be a dictionary.")
    return data


def _clocks(data: Any) -> dict[str, Clock]:
    """Make the clock of each date column from its origin and unit in the file."""
    if not isinstance(data, dict) or not all(
        isinstance(each, list) and len(each) == 2 and all(map(is_storable_text, each))
        for each in data.values()
    ):
        raise ValueError("A clock is an origin and a unit.")
    return {name: Clock(*each) for name, each in data.items()}


def _check_columns(preprocessing: Preprocessing, estimator: StoredEstimator) -> None:
    """Raise ModelFileError if preprocessing and estimator have different columns."""
    names = getattr(estimator, "feature_names_in_", None)
    same = names is None or list(names) == list(preprocessing.columns)
    if len(preprocessing.columns) != estimator.n_features_in_ or not same:
        raise ModelFileError("Its preprocessing has other columns than its estimator.")
