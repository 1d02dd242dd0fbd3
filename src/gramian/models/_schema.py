"""Which arrays each estimator has, and how their shapes depend on one another.

Sizes are letters: d features, s steps or codes, m directions of a given basis, f functions with
the constant, t rounds; other letters belong to one or two arrays only. A shape is written as in
``"s+1 d"``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from gramian.exceptions import ModelFileError
from gramian.models._archive import AnyArray, Archive


@dataclass(frozen=True)
class Spec:
    """The type and shape of an array, and whether values may be infinite."""

    shape: str
    dtype: str = "<f8"
    optional: bool = False
    infinite: bool = False
    """Whether values may be infinite."""


def _index(shape: str, *, optional: bool = False) -> Spec:
    return Spec(shape, "<i8", optional)


_EVERY = {
    "mean_": Spec("d"),
    "degrees_of_freedom_": Spec("s+1"),
    "residual_variance_": Spec("s+1"),
    "total_residual_variance_": Spec("s+1"),
    "explained_variance_ratio_": Spec("s", optional=True),  # in early files; totals tell it
    "n_functions_": _index("s"),
    "n_dropped_functions_": _index("s"),
}
_DECODING = {
    **_EVERY,
    "gcv_total_residual_variance_": Spec("s+1", infinite=True),
    # A fit to all rows takes these from a fit to some of them, which may have more steps.
    "alpha_path_": Spec("a", infinite=True),
    "validation_residual_variance_": Spec("v", optional=True),
    "validation_total_residual_variance_": Spec("v", optional=True),
    "scale_": Spec("d", optional=True),
    "_variances": Spec("d"),
    "decoder.kept": _index("k"),
    "decoder.coefficients": Spec("f d"),
    "decoder.linear": Spec("s d"),
    "decoder.units": Spec("s"),
    "decoder.gram": Spec("f f", optional=True),
    "decoder.with_x": Spec("f d", optional=True),
    "decoder.levels": Spec("l", optional=True),
    "decoder.n_levels": _index("s", optional=True),
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
    "GFR": {**_DECODING, "components_": Spec("s d"), "given": Spec("g d", optional=True)},
    "GCA": {
        **_DECODING,
        **_ELIMINATION,
        "_variances": Spec("m"),
        "basis_": Spec("m d"),
        "component_indices_": _index("s"),
        "redundant_indices_": _index("r"),
        "basis": Spec("d d", optional=True),
    },
    "GFS": {**_DECODING, **SETS, "selected_features_": _index("s")},
    "GFA": {
        **_DECODING,
        **_ELIMINATION,
        "selected_features_": _index("s"),
        "redundant_features_": _index("r"),
    },
    "PolynomialManifold": {
        "mean_": Spec("d"),
        "scale_": Spec("d", optional=True),
        "total_residual_variance_": Spec("t+1"),
        "validation_total_residual_variance_": Spec("v", optional=True),
        "surface.coefficients": Spec("f d"),
        "surface.mixing": Spec("s s"),
        "surface.offset": Spec("s"),
        "surface.lines": Spec("s d"),
        # of the codes, or of the cosines and sines of all codes
        "start.matrix": Spec("d e"),
        "start.offset": Spec("e"),
    },
    "UFFS": {**_EVERY, "selected_features_": _index("n"), "fourier_norms_": Spec("d")},
}
PREPROCESSING = {"preprocessing.impute": Spec("d", optional=True)}
TOGETHER = {
    ("decoder.gram", "decoder.with_x"): "Some of its moments are missing.",
    ("decoder.levels", "decoder.n_levels"): (
        "It has levels without their numbers, or numbers without levels."
    ),
    tuple(_ELIMINATION): "It lacks a part of how columns were dropped.",
    tuple(SETS): "It has the array {!r} without others that belong to it.",
}
"""Arrays of which a file has all or none, and what to say of one that has some."""


def read_arrays(archive: Archive, schema: Mapping[str, Spec], d: int) -> dict[str, AnyArray]:
    """Check that the shapes of all arrays fit together, and read them.

    Parameters
    ----------
    archive : Archive
        The file.
    schema : mapping from str to Spec
        What the file must hold.
    d : int
        The number of features.
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
        present = [name for name in names if name in inventory]
        if 0 < len(present) < len(names):
            raise ModelFileError(wrong.format(present[0]))
    if any(sizes.get(letter, 0) > d for letter in "smrnb"):
        raise ModelFileError(f"It has more steps or directions than its {d} features.")
    arrays = {name: archive.array(name) for name in inventory}
    for name, array in arrays.items():
        _check_values(name, schema[name], array)
    return arrays


def _bind(name: str, spec: Spec, dtype: str, shape: tuple[int, ...], sizes: dict[str, int]) -> None:
    """Check a shape against the sizes known so far, and remember the sizes that are new."""
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
    if spec.infinite:
        if np.isnan(array).any() or (array == -np.inf).any():
            raise ModelFileError(f"The array {name!r} contains NaN.")
    elif not np.isfinite(array).all():
        raise ModelFileError(f"The array {name!r} contains NaN or infinity.")


def check_indices(name: str, indices: AnyArray, n: int, *, increasing: bool) -> None:
    """Raise unless these are different indices below n."""
    if len(indices) and not 0 <= indices.min() <= indices.max() < n:
        raise ModelFileError(f"{name!r} contains an index that is not among 0 to {n - 1}.")
    if increasing and (np.diff(indices) <= 0).any():
        raise ModelFileError(f"{name!r} is not in increasing order.")
    if len(np.unique(indices)) < len(indices):
        raise ModelFileError(f"{name!r} contains an index twice.")
