"""Fits for model files, comparison to the last bit, and files put together by hand."""

from __future__ import annotations

import dataclasses
import json
import sys
import warnings
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from gramian import GCA, GFA, GFR, GFS, UFFS
from gramian.core.elimination import Selection
from gramian.core.gain import BestSets
from gramian.core.manifold import AngleStart, LinearStart, Manifold, NearestSearch, Surface, Terms
from gramian.core.pursuit._decoder import Decoder
from gramian.fitting._any_model import Record, Steps
from gramian.fitting._fitted_manifold import FittedManifold
from gramian.fitting._fitted_model import FittedModel
from gramian.fitting._fitted_norms import FittedNorms
from gramian.fitting._kept_variables import KeptVariables, Search

ESTIMATORS = [GFR, GCA, GFS, GFA, UFFS]
DECODING = [GFR, GCA, GFS, GFA]
VALUES = (
    *(FittedModel, Record, KeptVariables, Search, Selection, BestSets),
    *(
        FittedNorms,
        Steps,
        FittedManifold,
        Manifold,
        NearestSearch,
        Surface,
        LinearStart,
        AngleStart,
    ),
)
"""Dataclasses that make up fitted models."""


def table(n: int = 200, seed: int = 0) -> np.ndarray:
    """Return three variables, products of them, and a constant column."""
    rng = np.random.default_rng(seed)
    a, b, c = rng.uniform(1, 2, (3, n)) * rng.choice([-1, 1], (3, n))
    return np.column_stack([3 * a, a * b, 2 * b, np.full(n, 7.0), c, a * c + b, a**2])


def discrete(n: int = 200, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 4, (2, n)) / 3
    return np.column_stack([3 * a, 2 * b, (a + b) % 1, rng.integers(0, 3, n)])


def fit(estimator: Any, X: Any, **params: Any) -> Any:
    """Fit without warnings about few rows for many functions."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return estimator.fit(X, **params)


def assert_equal(one: Any, other: Any, name: str = "the estimator") -> None:
    """Check that two values are equal to the last bit, memory order included."""
    if isinstance(one, np.ndarray):
        assert isinstance(other, np.ndarray), name
        assert one.dtype == other.dtype, name
        np.testing.assert_array_equal(one, other, err_msg=name)
        assert other.flags.writeable
        assert other.flags.owndata
    elif isinstance(one, Decoder):
        assert_same_decoder(one, other)
    elif isinstance(one, VALUES):
        assert type(one) is type(other), name
        for part in dataclasses.fields(one):
            assert_equal(getattr(one, part.name), getattr(other, part.name), part.name)
    elif isinstance(one, Terms):
        assert one.keys == other.keys, name
    elif isinstance(one, tuple | list):
        assert len(one) == len(other), name
        for i, pair in enumerate(zip(one, other, strict=True)):
            assert_equal(*pair, name=f"{name}[{i}]")
    else:
        assert type(one) is type(other) or isinstance(one, float | np.generic), name
        assert one == other, name


def assert_same_fit(one: Any, other: Any) -> None:
    """Check that two fits have the same parameters and fitted attributes."""
    assert type(one) is type(other)
    assert set(vars(one)) == set(vars(other))
    for name, value in vars(one).items():
        assert_equal(value, vars(other)[name], name)


def assert_same_decoder(one: Decoder, other: Decoder) -> None:
    for name in ("coefficients", "linear", "units"):
        assert_equal(getattr(one, name), getattr(other, name), name)
    assert [block.n_functions for block in one.blocks] == [b.n_functions for b in other.blocks]
    for block, again in zip(one.blocks, other.blocks, strict=True):
        for name in ("parents", "atoms", "stored"):
            np.testing.assert_array_equal(getattr(block, name), getattr(again, name))
        assert [basis.keys[1:] for basis in block.bases] == [b.keys[1:] for b in again.bases]
    for kept, again in zip(one.kept, other.kept, strict=True):
        np.testing.assert_array_equal(kept, again)
    if other.moments is not None:
        assert one.moments is not None
        assert_equal(one.moments, other.moments, "moments")


def assert_works_alike(one: Any, other: Any, X: Any) -> None:
    """Check that two fits give equal results for rows, to the last bit."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn warns if nothing is selected
        Z = one.transform(X)
        np.testing.assert_array_equal(Z, other.transform(X))
    np.testing.assert_array_equal(one.get_feature_names_out(), other.get_feature_names_out())
    if hasattr(one, "score"):
        for linear in (False, True):
            np.testing.assert_array_equal(
                one.inverse_transform(Z, linear=linear), other.inverse_transform(Z, linear=linear)
            )
        assert one.score(X) == other.score(X)
        np.testing.assert_array_equal(one.reconstruction_error(X), other.reconstruction_error(X))


def unpack(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def pack(path: Path, members: Any, compression: int = zipfile.ZIP_STORED) -> Path:
    """Write members, a mapping or pairs, to a zip file with correct checksums."""
    pairs = members.items() if isinstance(members, dict) else members
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # zipfile warns of a repeated name
        with zipfile.ZipFile(path, "w", compression) as archive:
            for name, content in pairs:
                archive.writestr(zipfile.ZipInfo(name), content, compress_type=compression)
    return path


MAX_CALLS = 5_000_000
"""Upper bound of function calls: enough for the largest document, and a limit for hostile files."""


@contextmanager
def bounded_work(most: int = MAX_CALLS) -> Iterator[None]:
    """Check the number of function calls, which unlike time is equal on all machines."""
    calls = 0

    def count(frame: Any, event: str, argument: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        yield
    finally:
        sys.setprofile(None)
    assert calls < most


def edit(path: Path, change: Callable[[dict[str, Any]], Any], source: Path | None = None) -> Path:
    """Change the document of a model file."""
    members = unpack(source or path)
    document = json.loads(members["model.json"])
    change(document)
    members["model.json"] = json.dumps(document).encode()
    return pack(path, members)


def npy(array: np.ndarray) -> bytes:
    buffer = BytesIO()
    np.save(buffer, array, allow_pickle=True)
    return buffer.getvalue()


def replace_array(path: Path, name: str, array: np.ndarray, source: Path | None = None) -> Path:
    """Replace an array of a model file, and its entry in the document."""
    members = unpack(source or path)
    document = json.loads(members["model.json"])
    document["arrays"][name] = {"dtype": array.dtype.str, "shape": list(array.shape)}
    members["model.json"] = json.dumps(document).encode()
    members[f"{name}.npy"] = npy(array)
    return pack(path, members)
