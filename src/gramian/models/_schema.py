"""Schemas of model files: names, types and shapes of the arrays that each estimator stores.

A shape is a text of letters, such as ``"s+1 d"`` for s + 1 rows and d columns. Equal letters are
equal sizes in all arrays of a file: d features, s steps or codes, m directions of a basis that the
user passed, f functions with the constant, t rounds. Other letters are sizes of one or two arrays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gramian.exceptions import ModelFileError
from gramian.fitting import AnyModel
from gramian.models._archive import AnyArray, Archive


@dataclass(frozen=True)
class Spec:
    """Expected type and shape of one array in a model file."""

    shape: str
    """Size of each axis as a letter, separated by spaces, such as "s d"."""
    source: str = ""
    """Path of the attribute of the fitted model that is stored, such as "record.total"; empty if
    other code makes the array."""
    dtype: str = "<f8"
    """NumPy type of the numbers: "<f8" for floats, "<i8" for indices."""
    optional: bool = False
    """True if a file may lack the array."""
    infinite: bool = False
    """True if positive infinity is allowed in the array."""


def _index(shape: str, source: str = "", *, optional: bool = False) -> Spec:
    """Return the description of an array of integers in a model file.

    Parameters
    ----------
    shape : str
        The size of each axis as a letter, such as "s d".
    source : str
        The attribute of the fitted model that is stored; empty if other code makes the array.
    optional : bool
        True if a file may lack the array.
    """
    return Spec(shape, source, "<i8", optional)


_EVERY = {
    "mean_": Spec("d", "mean"),
    "degrees_of_freedom_": Spec("s+1", "record.degrees_of_freedom"),
    "residual_variance_": Spec("s+1", "record.largest"),
    "total_residual_variance_": Spec("s+1", "record.total"),
    "explained_variance_ratio_": Spec("s", optional=True),  # only in early files; not used
    "n_functions_": _index("s", "record.n_kept"),
    "n_dropped_functions_": _index("s", "record.n_dropped"),
}
_REACH = {
    "decoder.low": Spec("k", "decoder.reach.low", optional=True),
    "decoder.high": Spec("k", "decoder.reach.high", optional=True),
    "decoder.watched": _index("w", "decoder.reach.columns", optional=True),
    "decoder.part_low": Spec("w", "decoder.reach.part_low", optional=True),
    "decoder.part_high": Spec("w", "decoder.reach.part_high", optional=True),
    "decoder.explained": _index("x", optional=True),
}
_DECODING = {
    **_EVERY,
    "gcv_total_residual_variance_": Spec("s+1", "record.gcv_total", infinite=True),
    # The next three come from a fit to a part of the rows, whose number of steps can be larger.
    "alpha_path_": Spec("a", "record.alpha_path", infinite=True),
    "validation_residual_variance_": Spec("v", "record.validation_largest", optional=True),
    "validation_total_residual_variance_": Spec("v", "record.validation_total", optional=True),
    "scale_": Spec("d", "scale", optional=True),
    "_variances": Spec("d", "variances"),
    "decoder.kept": _index("k"),
    "decoder.coefficients": Spec("f d", "decoder.coefficients"),
    "decoder.linear": Spec("s d", "decoder.linear"),
    "decoder.units": Spec("s", "decoder.units"),
    "decoder.gram": Spec("f f", optional=True),
    "decoder.with_x": Spec("f d", optional=True),
    "decoder.levels": Spec("l", optional=True),
    "decoder.n_levels": _index("s", optional=True),
    "trimmed_rows_": _index("q", optional=True),  # only if rows were trimmed
    **_REACH,
}
_ELIMINATION = {
    "elimination.dropped": _index("r", optional=True),
    "elimination.share_when_dropped": Spec("r", optional=True),
    "elimination.share_left": Spec("r", optional=True),
    "elimination.exchanged": _index("p", optional=True),
    "elimination.alternative": _index("p", optional=True),
    "elimination.needed": _index("e", optional=True),
    "elimination.refused": _index("g", optional=True),
}
SETS = {
    "best_sets_": _index("b b", optional=True),
    "best_sets_residual_variance_": Spec("b+1", optional=True),
    "losses_": Spec("b", optional=True),
    "next_features_": _index("n", optional=True),
    "next_gains_": Spec("n", optional=True),
}
SCHEMAS: dict[str, dict[str, Spec]] = {
    "GFR": {
        **_DECODING,
        "components_": Spec("s d", "kept.directions"),
        "given": Spec("g d", optional=True),
    },
    "GCA": {
        **_DECODING,
        **_ELIMINATION,
        "_variances": Spec("m", "variances"),
        "basis_": Spec("m d", "kept.basis"),
        "component_indices_": _index("s", "kept.chosen"),
        "redundant_indices_": _index("r", "search.redundant"),
        "basis": Spec("d d", optional=True),
    },
    "GFS": {**_DECODING, **SETS, "selected_features_": _index("s", "kept.chosen")},
    "GFA": {
        **_DECODING,
        **_ELIMINATION,
        "selected_features_": _index("s", "kept.chosen"),
        "redundant_features_": _index("r", "search.redundant"),
    },
    "PolynomialManifold": {
        "mean_": Spec("d", "mean"),
        "scale_": Spec("d", "scale", optional=True),
        "total_residual_variance_": Spec("t+1", "total"),
        "validation_total_residual_variance_": Spec("v", "validation_total", optional=True),
        "surface.coefficients": Spec("f d", "manifold.surface.coefficients"),
        "surface.mixing": Spec("s s", "manifold.mixing"),
        "surface.offset": Spec("s", "manifold.offset"),
        "surface.lines": Spec("s d", "manifold.lines"),
        # e = s, or e = 2 s if the search starts from cosines and sines of the codes
        "start.matrix": Spec("d e", "manifold.start.linear.matrix"),
        "start.offset": Spec("e", "manifold.start.linear.offset"),
    },
    "UFFS": {
        **_EVERY,
        "selected_features_": _index("n", "kept.chosen"),
        "fourier_norms_": Spec("d", "norms"),
    },
}
"""For each estimator, the arrays in its model files, by name."""
PREPROCESSING = {"preprocessing.impute": Spec("d", optional=True)}
"""Arrays of the preprocessing in a model file, by name."""
TOGETHER = {
    ("decoder.gram", "decoder.with_x"): "Some of its moments are missing.",
    ("decoder.levels", "decoder.n_levels"): (
        "It has levels without their numbers, or numbers without levels."
    ),
    tuple(_REACH): "It lacks a part of the ranges of its functions.",
    tuple(_ELIMINATION): "It lacks a part of how columns were dropped.",
}
"""Groups of arrays that belong together, with the error message if a file has only some of them."""


def arrays_of(model: AnyModel, schema: Mapping[str, Spec]) -> dict[str, AnyArray]:
    """Return the arrays that are attributes of a fitted model, by their names in the file."""
    found = {}
    for name, spec in schema.items():
        value: Any = model if spec.source else None
        for attribute in spec.source.split("."):
            value = None if value is None else getattr(value, attribute)
        if value is not None:
            found[name] = np.asarray(value, dtype=spec.dtype)
    return found


def read_arrays(archive: Archive, schema: Mapping[str, Spec], d: int) -> dict[str, AnyArray]:
    """Read all arrays of a file by name, after a check that their shapes agree with each other.

    Parameters
    ----------
    archive : Archive
        The open model file.
    schema : mapping from str to Spec
        Expected type and shape of each array that the file may have.
    d : int
        Number of features (columns of the fit).
    """
    inventory = archive.inventory
    unknown = sorted(set(inventory) - set(schema))
    if unknown:
        raise ModelFileError(
            f"It has an array that does not belong to its estimator: {unknown[0][:60]!r}."
        )
    sizes = {"d": d}
    for name, spec in schema.items():
        if name in inventory:
            _bind(name, spec, *inventory[name], sizes)
        elif not spec.optional:
            raise ModelFileError(f"It lacks the array {name!r}.")
    for names, wrong in TOGETHER.items():
        if 0 < len({*names} & {*inventory}) < len(names):
            raise ModelFileError(wrong)
    if any(sizes.get(letter, 0) > d for letter in "smrnb"):
        raise ModelFileError(f"It has more steps or directions than its {d} features.")
    arrays = {name: archive.array(name) for name in inventory}
    for name, array in arrays.items():
        _check_values(name, schema[name], array)
    return arrays


def _bind(name: str, spec: Spec, dtype: str, shape: tuple[int, ...], sizes: dict[str, int]) -> None:
    """Compare the shape of an array with the sizes of earlier arrays; add new sizes to `sizes`.

    Raise ModelFileError if they differ.

    Parameters
    ----------
    name : str
        The name of the array.
    spec : Spec
        Its expected type and shape.
    dtype, shape
        Its type and shape in the file.
    sizes : dict from str to int
        The size that each letter of a shape stands for.
    """
    letters = spec.shape.split()
    fits = dtype == spec.dtype and len(shape) == len(letters)
    for letter, size in zip(letters, shape, strict=False):
        base = size - 1 if letter.endswith("+1") else size
        fits = fits and base >= 0 and sizes.setdefault(letter[0], base) == base
    if not fits:
        raise ModelFileError(
            f"The array {name!r} has the shape {shape} and the type {dtype}, which does not fit "
            "the other arrays."
        )


def _check_values(name: str, spec: Spec, array: AnyArray) -> None:
    """Raise ModelFileError if an array has NaN, or infinity where it is not allowed."""
    if spec.infinite:
        if np.isnan(array).any() or (array == -np.inf).any():
            raise ModelFileError(f"The array {name!r} contains NaN.")
    elif not np.isfinite(array).all():
        raise ModelFileError(f"The array {name!r} contains NaN or infinity.")


def check_indices(name: str, indices: AnyArray, n: int, *, increasing: bool) -> None:
    """Raise ModelFileError unless `indices` are distinct and from 0 to n - 1.

    With `increasing`, they must also be in increasing order.
    """
    if len(indices) and not 0 <= indices.min() <= indices.max() < n:
        raise ModelFileError(f"{name!r} contains an index that is not among 0 to {n - 1}.")
    if increasing and (np.diff(indices) <= 0).any():
        raise ModelFileError(f"{name!r} is not in increasing order.")
    if len(np.unique(indices)) < len(indices):
        raise ModelFileError(f"{name!r} contains an index twice.")
