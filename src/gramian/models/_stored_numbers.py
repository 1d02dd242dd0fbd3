"""Numbers in the document of a model file, and how they are checked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

from gramian._support.types import Array
from gramian.exceptions import ModelFileError
from gramian.models._archive import AnyArray
from gramian.models._stored_families import Functions, python_number

INFINITY = {"float": "inf"}
"""Infinity in a JSON document, which has no number for it."""
MAX_INTEGER = 2**63


@dataclass(frozen=True)
class Stored:
    """Content of a model file from which a fitted model is made."""

    algorithm: str
    """Name of the estimator."""
    names: tuple[str, ...] | None
    n_columns: int
    estimator: Any
    """Estimator with its parameters, not fitted."""
    fitted: Any
    """Numbers and families of the fit."""
    arrays: Mapping[str, AnyArray]
    """Arrays, of checked shapes."""
    functions: Functions | None
    """Functions of Custom by name."""

    def scalars(self, names: set[str]) -> Mapping[str, Any]:
        """Return the numbers of the fit; raise unless their names are `names`."""
        if not isinstance(self.fitted, dict) or set(self.fitted) != names:
            raise ModelFileError("Its description of the fit is missing or damaged.")
        return self.fitted

    @property
    def scale(self) -> Array | None:
        """Divisors of the columns; None if columns were not scaled."""
        scale = self.arrays.get("scale_")
        if scale is not None and (scale <= 0).any():
            raise ModelFileError("A scale of its columns is not positive.")
        return scale


def number_to(value: Any) -> Any:
    """Return a number in a form that JSON can hold."""
    value = python_number(value)
    if isinstance(value, Real) and not isinstance(value, int) and math.isinf(value):
        return INFINITY
    return value


def number_from(fitted: Mapping[str, Any], name: str, most: float = math.inf) -> float:
    """Read a number from 0 to `most`."""
    value = math.inf if fitted[name] == INFINITY else fitted[name]
    if type(value) is not float or not 0 <= value <= most:
        raise ModelFileError(f"{name} is damaged.")
    return value


def positive_integer(fitted: Mapping[str, Any], name: str, most: int = MAX_INTEGER - 1) -> int:
    """Read an integer from 1 to `most`."""
    value = fitted[name]
    if type(value) is not int or not 1 <= value <= most:
        raise ModelFileError(f"{name} is damaged.")
    return value
