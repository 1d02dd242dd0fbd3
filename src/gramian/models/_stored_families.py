"""Conversion of a family to JSON data (name of its class, and parameters), and back."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, TypeGuard

import numpy as np

from gramian.exceptions import ModelFileError
from gramian.families import (
    Custom,
    Family,
    Fourier,
    Hermite,
    Indicator,
    Legendre,
    Multilinear,
    Polynomial,
    Union,
)

FAMILIES: dict[str, type[Family]] = {
    each.__name__: each for each in (Multilinear, Polynomial, Hermite, Legendre, Fourier, Indicator)
}
"""From the name of a family in a model file to its class; Union and Custom are not in it."""
MAX_UNION = 32
"""Largest number of families in a Union that is read from a file."""
MAX_DEGREE = 1000
"""Largest degree of a family, and largest number of functions of a Custom family, in a file."""
MAX_COUNT = 2**31
"""Largest value of a parameter of a family in a file, except for the degree."""
Functions = Mapping[str, Callable[..., Any]]
"""The user's functions in Custom families: from the name of a function to the function."""


def to_data(family: Family) -> dict[str, Any]:
    """Return a family as a dictionary that can be written as JSON.

    Parameters
    ----------
    family : Family
        The family to store.

    Raises
    ------
    ValueError
        If the class of the family is not one of gramian's, if two of its functions have the same
        name, or if a function has no name.
    """
    if type(family) is Union:
        return {"class": "Union", "members": [to_data(member) for member in family.members]}
    if type(family) is Custom:
        return _custom_to_data(family)
    if FAMILIES.get(type(family).__name__) is not type(family):
        raise ValueError(
            f"A model file holds no program, and only families of gramian: {type(family).__name__} "
            "cannot be written. Express it by Custom with named functions, or store the model in "
            "another way, together with its code."
        )
    params = {name: python_number(value) for name, value in family.get_params().items()}
    return {"class": type(family).__name__, "parameters": params}


def python_number(value: Any) -> Any:
    """Return a NumPy number as a Python number, and other values unchanged."""
    return value.item() if isinstance(value, np.generic) else value


def _custom_to_data(family: Custom) -> dict[str, Any]:
    """Return a Custom family as a dictionary, with its functions as pairs of name and arity."""
    named: dict[str, Callable[..., Any]] = {}
    entries = []
    for function, arity in family.functions:
        name = getattr(function, "__name__", None)
        if not _is_name(name):
            raise ValueError(
                "A model file has no program in it, so that functions of Custom are written by "
                f"their names, and {function!r} has none: define it with def."
            )
        if named.setdefault(name, function) is not function:
            raise ValueError(
                f"Two functions of Custom are called {name!r}. A model file has no program in it, "
                "so that functions are written by their names: give the functions different names."
            )
        entries.append([name, int(arity)])
    return {"class": "Custom", "functions": entries, "any_order": bool(family.any_order)}


def from_data(data: Any, functions: Functions | None) -> Family:
    """Make a family from its description in a file; raise ModelFileError if it is damaged.

    Parameters
    ----------
    data : object
        Description of the family, as `to_data` returns it.
    functions : mapping from str to callable, optional
        The user's functions in Custom families, by name.
    """
    family = _family(data, functions, depth=0)
    try:
        family.rules()
    except ValueError as error:
        raise ModelFileError(f"Its family is damaged: {str(error)[:300]}") from error
    return family


def _family(data: Any, functions: Functions | None, depth: int) -> Family:
    """Make a family from its description; `depth` is the number of Unions that contain it."""
    name = data.get("class") if isinstance(data, dict) else None
    if name == "Union" and set(data) == {"class", "members"} and depth < 4:
        members = data["members"]
        if not isinstance(members, list) or not 1 <= len(members) <= MAX_UNION:
            raise ModelFileError("Its family has no members, or too many.")
        return Union([_family(member, functions, depth + 1) for member in members])
    if name == "Custom" and set(data) == {"class", "functions", "any_order"}:
        return _custom(data, functions)
    if not isinstance(name, str) or name not in FAMILIES or set(data) != {"class", "parameters"}:
        raise ModelFileError(f"Its family is unknown to this version: {str(name)[:60]!r}.")
    params, known = data["parameters"], {*inspect.signature(FAMILIES[name]).parameters}
    if not isinstance(params, dict) or not set(params) <= known:
        raise ModelFileError(f"Its family {name} has parameters unknown to this version.")
    for key, value in params.items():
        limit = MAX_DEGREE if key == "degree" else MAX_COUNT
        if type(value) not in (int, float, type(None)) or (value is not None and value > limit):
            raise ModelFileError(f"{key} of its family {name} is out of range.")
    return FAMILIES[name](**params)


def _custom(data: dict[str, Any], functions: Functions | None) -> Custom:
    """Make a Custom family from its description and from the user's functions."""
    entries, any_order = data["functions"], data["any_order"]
    if (
        not isinstance(entries, list)
        or not 1 <= len(entries) <= MAX_DEGREE
        or type(any_order) is not bool
        or not all(_is_entry(entry) for entry in entries)
    ):
        raise ModelFileError("The functions of its family Custom are damaged.")
    missing = sorted({name for name, _ in entries} - {*(functions or {})})
    if missing:
        raise ModelFileError(
            "It was fitted with functions of the user's own, which no file can hold. Pass them to "
            f"load: functions={{{', '.join(f'{name!r}: ...' for name in missing)}}}."
        )
    assert functions is not None
    return Custom([(functions[name], arity) for name, arity in entries], any_order=any_order)


def _is_entry(entry: Any) -> bool:
    """Return True if an entry is a list of a function's name and its arity, from 1 to 20."""
    return (
        isinstance(entry, list)
        and len(entry) == 2
        and _is_name(entry[0])
        and type(entry[1]) is int
        and 1 <= entry[1] <= 20
    )


def _is_name(name: Any) -> TypeGuard[str]:
    """Return True if a value is a Python identifier of at most 100 characters."""
    return isinstance(name, str) and name.isidentifier() and len(name) <= 100
