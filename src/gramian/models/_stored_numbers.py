"""What a model file holds, between its arrays and the model: numbers, and how they are checked."""

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
"""Stands for infinity, which JSON does not know."""
MAX_INTEGER = 2**63


@dataclass(frozen=True)
class Stored:
    """The parts of a file that a model is made of."""

    algorithm: str
    """The name of the estimator."""
    names: tuple[str, ...] | None
    n_columns: int
    estimator: Any
    """With its parameters, and not fitted."""
    fitted: Any
    """Numbers and families of the fit."""
    arrays: Mapping[str, AnyArray]
    """The arrays, of checked shapes."""
    functions: Functions | None
    """The functions of Custom."""

    def scalars(self, names: set[str]) -> Mapping[str, Any]:
        """Return the numbers of the fit, which must have these names."""
        if not isinstance(self.fitted, dict) or set(self.fitted) != names:
            raise ModelFileError("Its description of the fit is missing or damaged.")
        return self.fitted

    @property
    def scale(self) -> Array | None:
        """What columns were divided by, if they were."""
        scale = self.arrays.get("scale_")
        if scale is not None and (scale <= 0).any():
            raise ModelFileError("A scale of its columns is not positive.")
        return scale


def number_to(value: Any) -> Any:
    """Return a number as JSON can hold it."""
    value = python_number(value)
    if isinstance(value, Real) and not isinstance(value, int) and math.isinf(value):
        return INFINITY
    return value


def number_from(fitted: Mapping[str, Any], name: str, most: float = math.inf) -> float:
    """Read a number that is not negative."""
    value = math.inf if fitted[name] == INFINITY else fitted[name]
    if type(value) is not float or not 0 <= value <= most:
        raise ModelFileError(f"{name} is damaged.")
    return value


def positive_integer(fitted: Mapping[str, Any], name: str, most: int = MAX_INTEGER - 1) -> int:
    """Read a positive integer."""
    value = fitted[name]
    if type(value) is not int or not 1 <= value <= most:
        raise ModelFileError(f"{name} is damaged.")
    return value
