"""Python code, shown on the page, that repeats a fit and its report."""

from __future__ import annotations

import os
from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any, get_args

import numpy as np

from gramian import families
from gramian.estimators import parameters_set
from gramian.families import Custom, Family, Union
from gramian.models import Impute, Preprocessing

MAX_LITERAL = 60
"""Largest number of columns for which the code writes out the preprocessing as literal values."""


def code_for(
    estimator: Any, X: Any, preprocessing: Preprocessing | None, image_shape: Any = None
) -> str:
    """Return Python code that repeats a fit and its report; the code calls the data X.

    Parameters
    ----------
    estimator : estimator
        The fitted estimator.
    X : object
        The data of the report. If X is the path of a file, the code contains this path.
    preprocessing : Preprocessing or None
        Steps that turn the data into the numbers that the estimator takes.
    image_shape : pair of int, or None
        The argument `image_shape` of the report: height and width of images.
    """
    name = type(estimator).__name__
    arguments, used, unknown = _arguments(estimator)
    lines = [f"from gramian import {name}, report"]
    if used:
        lines.append(f"from gramian.families import {', '.join(used)}")
    steps: list[str] = []
    if preprocessing is not None:
        lines.append("from gramian.models import Preprocessing")
        step, needs_numpy = _preprocessing(X, preprocessing)
        steps.append(step)
        if needs_numpy:
            lines.insert(0, "import numpy as np")
    lines.append("")
    if isinstance(X, str | os.PathLike):
        lines.append(f"X = {os.fspath(X)!r}")
    else:
        lines.append("# X is the table of this report.")
    lines += [f"# {each} is as it was in the fit." for each in unknown]
    rows = "X" if preprocessing is None else "preprocessing.apply(X)"
    lines += [*steps, f"estimator = {name}({arguments}).fit({rows})"]
    options = "" if preprocessing is None else ", preprocessing=preprocessing"
    options += "" if image_shape is None else f", image_shape={tuple(map(int, image_shape))}"
    lines.append(f'report(estimator, X, "report.html"{options})')
    return "\n".join(lines) + "\n"


def _arguments(estimator: Any) -> tuple[str, list[str], list[str]]:
    """Write the parameters of an estimator that differ from their defaults as Python code.

    Returns
    -------
    arguments : str
        The parameters as keyword arguments.
    used : list of str
        Names of the classes of families that the arguments use, which the code must import.
    unknown : list of str
        Names of the parameters whose values cannot be written as Python code. The arguments
        contain ``name=name`` for these parameters.
    """
    written, used, unknown = [], set(), []
    for name, value in parameters_set(estimator).items():
        literal = _literal(value)
        if literal is None:
            unknown.append(name)
        elif isinstance(value, Family):
            used |= {type(each).__name__ for each in _members(value)}
        written.append(f"{name}={literal or name}")
    return ", ".join(written), sorted(used), unknown


def _literal(value: Any) -> str | None:
    """Return a value as Python code, or None if the value has no such form."""
    if value is None or isinstance(value, bool | str):
        return repr(value)
    if isinstance(value, np.bool_):
        return repr(bool(value))
    if isinstance(value, Integral):
        return repr(int(value))
    if isinstance(value, Real):
        return repr(float(value)) if np.isfinite(float(value)) else f'float("{float(value)}")'
    if isinstance(value, os.PathLike):
        return repr(os.fspath(value))
    if isinstance(value, list | tuple):
        parts = [_literal(each) for each in value]
        return None if None in parts else f"[{', '.join(map(str, parts))}]"
    if isinstance(value, Family) and all(map(_is_plain, _members(value))):
        return repr(value)
    return None


def _members(family: Family) -> Iterator[Family]:
    """Yield all families in a union, including unions of unions; yield any other family itself."""
    if isinstance(family, Union):
        for each in family.members:
            yield from _members(each)
    else:
        yield family


def _is_plain(family: Family) -> bool:
    """Return True if gramian defines the family, and all parameters are numbers, texts or None."""
    kind = type(family)
    ours = kind is not Custom and getattr(families, kind.__name__, None) is kind
    plain = (int, float, str, bool, type(None))
    return ours and all(type(each) in plain for each in family.get_params().values())


def _preprocessing(X: Any, preprocessing: Preprocessing) -> tuple[str, bool]:
    """Return a line of code that makes the preprocessing, and True if the line needs NumPy.

    `X` is the data of the report; its path is in the code if it is a file.
    """
    columns = list(preprocessing.columns)
    encode = bool(preprocessing.categories)
    for impute in () if callable(X) else (None, *get_args(Impute)):
        try:
            learned = Preprocessing.learn(X, columns, encode=encode, impute=impute)
        except ValueError:  # a column has no values at all
            continue
        if _same(learned, preprocessing):
            options = ", encode=True" if encode else ""
            options += f", impute={impute!r}" if impute else ""
            return f"preprocessing = Preprocessing.learn(X, {columns!r}{options})", False
    if len(columns) > MAX_LITERAL or preprocessing.clocks:
        comment = "# preprocessing is that of the fit, from its model file: gramian.models.read."
        return comment, False
    options = f", missing={preprocessing.missing!r}"
    if preprocessing.impute is not None:
        options += f", impute=np.array({[float(value) for value in preprocessing.impute]!r})"
    if encode:
        kinds = {name: list(map(str, each)) for name, each in preprocessing.categories.items()}
        options += f", categories={kinds!r}"
    line = f"preprocessing = Preprocessing({columns!r}{options})"
    return line, preprocessing.impute is not None


def _same(one: Preprocessing, other: Preprocessing) -> bool:
    """Return True if two preprocessings of the same columns have equal settings."""

    def plain(steps: Preprocessing) -> tuple[Any, ...]:
        fill = None if steps.impute is None else steps.impute.tolist()
        categories = {name: list(each) for name, each in steps.categories.items()}
        return steps.missing, fill, categories, dict(steps.clocks)

    return plain(one) == plain(other)
