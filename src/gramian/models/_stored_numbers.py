"""Numbers in the JSON document of a model file: conversion and checks."""

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
"""Object that stands for infinity in the JSON document; JSON has no such number."""
MAX_INTEGER = 2**63
"""Integers in the JSON document must be smaller than this, in absolute value."""


@dataclass(frozen=True)
class Stored:
    """Content of a model file, from which a fitted model is made."""

    algorithm: str
    """Name of the estimator's class, such as "GFA"."""
    names: tuple[str, ...] | None
    """Names of the columns of the fit; None if they had no names."""
    n_columns: int
    """Number of columns of the fit."""
    estimator: Any
    """Estimator with the parameters of the file, not fitted."""
    fitted: Any
    """Part "fitted" of the JSON document: results of the fit that are not arrays. Not checked."""
    arrays: Mapping[str, AnyArray]
    """All arrays of the file by name; their shapes are already checked."""
    functions: Functions | None
    """The user's functions in Custom families, by name."""

    def scalars(self, names: set[str]) -> Mapping[str, Any]:
        """Return `fitted` as a dictionary; raise ModelFileError unless its keys are `names`."""
        if not isinstance(self.fitted, dict) or set(self.fitted) != names:
            raise ModelFileError("Its description of the fit is missing or damaged.")
        return self.fitted

    @property
    def scale(self) -> Array | None:
        """Numbers by which the columns were divided before the fit; None if not scaled."""
        scale = self.arrays.get("scale_")
        if scale is not None and (scale <= 0).any():
            raise ModelFileError("A scale of its columns is not positive.")
        return scale


def number_to(value: Any) -> Any:
    """Return a number in a form that JSON can store: infinity becomes `INFINITY`."""
    value = python_number(value)
    if isinstance(value, Real) and not isinstance(value, int) and math.isinf(value):
        return INFINITY
    return value


def number_from(fitted: Mapping[str, Any], name: str, most: float = math.inf) -> float:
    """Return the float `fitted[name]`; raise ModelFileError unless it is from 0 to `most`."""
    value = math.inf if fitted[name] == INFINITY else fitted[name]
    if type(value) is not float or not 0 <= value <= most:
        raise ModelFileError(f"{name} is damaged.")
    return value


def positive_integer(
    fitted: Mapping[str, Any], name: str, most: int = MAX_INTEGER - 1, *, least: int = 1
) -> int:
    """Return the integer `fitted[name]`; raise unless it is from `least` to `most`."""
    value = fitted[name]
    if type(value) is not int or not least <= value <= most:
        raise ModelFileError(f"{name} is damaged.")
    return value
