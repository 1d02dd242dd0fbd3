"""Fitted estimators in files."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import gramian
from gramian._support.words import is_storable_text
from gramian._support.writing import replacing
from gramian.exceptions import ModelFileError
from gramian.models._archive import AnyArray, Archive, opened, write
from gramian.models._beside import Beside
from gramian.models._preprocessing import Preprocessing
from gramian.models._schema import PREPROCESSING, SCHEMAS, read_arrays
from gramian.models._stored_estimators import (
    CLASSES,
    StoredEstimator,
    from_data_and_arrays,
    to_data_and_arrays,
)
from gramian.models._stored_families import Functions
from gramian.tables import Clock

FORMAT = "gramian model"
VERSION = 1
"""The version of the format; it grows when older versions of gramian could misread a file."""

NEEDED = {"columns", "missing", "categories"}
"""What every description of preprocessing has."""
OPTIONAL = {"ids", "targets", "clocks", "beside"}
"""What it has where there is any of it."""


@dataclass(frozen=True)
class Model:
    """What is in a model file.

    Attributes
    ----------
    estimator : estimator
        The fitted estimator: GFR, GCA, GFS, GFA, UFFS or PolynomialManifold.
    preprocessing : Preprocessing or None
        What happened to the table before the fit, if the file says so.
    gramian_version : str
        The version of gramian that wrote the file.

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
    path: str | os.PathLike[str],
    *,
    preprocessing: Preprocessing | None = None,
    moments: bool | None = None,
) -> None:
    """Write a fitted estimator to a file, without its training rows.

    The file holds numbers and names, and no program: it is safe to read a file from anyone. The
    same estimator gives the same bytes.

    Parameters
    ----------
    estimator : GFR, GCA, GFS, GFA, UFFS or PolynomialManifold
        The estimator. Its parameter `checkpoint` is not written.
    path : path
        The file; by convention its name ends in .gram. An old one is replaced when the new one
        is complete.
    preprocessing : Preprocessing, optional
        What happened to the table before the fit.
    moments : bool, optional
        Whether to write the moments of the functions, too; without them, explanations need rows.
        By default they are written if they take at most 1 MB.

    Raises
    ------
    ValueError
        If the estimator has something that a model file cannot hold.

    See Also
    --------
    gramian.load : Reads the file.

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
    try:  # nothing is written that cannot be read again
        _read(Archive(buffer, buffer.tell()), _functions_of(estimator))
    except ModelFileError as error:
        raise ValueError(f"This model does not fit in a model file: {error}") from error
    with replacing(Path(path)) as stream:
        stream.write(buffer.getbuffer())


def load(path: str | os.PathLike[str], *, functions: Functions | None = None) -> Any:
    """Read a fitted estimator from a file.

    Parameters
    ----------
    path : path
        The file.
    functions : mapping from str to callable, optional
        The functions of a :class:`~gramian.families.Custom` family by their names: a file holds
        no program.

    Returns
    -------
    estimator : GFR, GCA, GFS, GFA, UFFS or PolynomialManifold
        The estimator, with the same methods and results as the original. It takes the same rows as
        the original: if the file holds preprocessing, `read` returns that, too.

    Raises
    ------
    ModelFileError
        If the file is damaged, not a model file, or of a newer version of gramian.

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
            f"{os.fspath(path)} holds preprocessing besides the estimator, which the estimator "
            "does not apply itself. Use gramian.models.read(path), and its preprocessing.apply.",
            UserWarning,
            stacklevel=2,
        )
    return model.estimator


def read(path: str | os.PathLike[str], *, functions: Functions | None = None) -> Model:
    """Read all that is in a model file.

    Parameters
    ----------
    path : path
        The file.
    functions : mapping from str to callable, optional
        The functions of a :class:`~gramian.families.Custom` family by their names.

    Returns
    -------
    model : Model
        The estimator, and what happened to the table before the fit.

    Raises
    ------
    ModelFileError
        If the file is damaged, not a model file, or of a newer version of gramian.

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
    if not isinstance(name, str) or name not in CLASSES:
        raise ModelFileError(f"Its estimator is unknown to this version: {str(name)[:60]!r}.")
    if type(d) is not int or d < 1:
        raise ModelFileError("The number of its features is damaged.")
    if "preprocessing.scale" in archive.inventory:  # of early development versions
        raise ModelFileError(
            "Its columns were scaled before the fit, which estimators do themselves now: fit again "
            "with scale=True."
        )
    arrays = read_arrays(archive, {**SCHEMAS[name], **PREPROCESSING}, d)
    estimator = from_data_and_arrays(document, arrays, functions)
    preprocessing = _preprocessing(document.get("preprocessing"), arrays)
    if preprocessing is not None:
        _check_columns(preprocessing, estimator)
    return Model(estimator, preprocessing, written_by)


def _functions_of(estimator: StoredEstimator) -> Functions:
    """Return the functions of Custom families by name, to read back what was written."""
    found: dict[str, Any] = {}
    families: list[Any] = [getattr(estimator, "family", None), getattr(estimator, "family_", None)]
    while families:
        family = families.pop()
        families += getattr(family, "members", [])
        found |= {function.__name__: function for function, _ in getattr(family, "functions", [])}
    return found


def _describe(preprocessing: Preprocessing) -> dict[str, Any]:
    beside = preprocessing.beside
    described: dict[str, Any] = {
        "columns": [str(name) for name in preprocessing.columns],
        "missing": preprocessing.missing,
        "categories": {name: list(each) for name, each in preprocessing.categories.items()},
        "ids": list(preprocessing.ids),
        "targets": list(preprocessing.targets),
        "clocks": {name: [each.origin, each.unit] for name, each in preprocessing.clocks.items()},
        "beside": beside.to_json() if beside.order else None,
    }
    return {name: each for name, each in described.items() if each or name in NEEDED}


def _preprocessing(data: Any, arrays: Mapping[str, AnyArray]) -> Preprocessing | None:
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
        )
    except ValueError as error:
        raise ModelFileError(f"Its preprocessing is damaged: {str(error)[:300]}") from error


def _clocks(data: Any) -> dict[str, Clock]:
    if not isinstance(data, dict) or not all(
        isinstance(each, list) and len(each) == 2 and all(map(is_storable_text, each))
        for each in data.values()
    ):
        raise ValueError("A clock is an origin and a unit.")
    return {name: Clock(*each) for name, each in data.items()}


def _check_columns(preprocessing: Preprocessing, estimator: StoredEstimator) -> None:
    names = getattr(estimator, "feature_names_in_", None)
    same = names is None or list(names) == list(preprocessing.columns)
    if len(preprocessing.columns) != estimator.n_features_in_ or not same:
        raise ModelFileError("Its preprocessing has other columns than its estimator.")
