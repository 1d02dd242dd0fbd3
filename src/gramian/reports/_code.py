"""Python code that makes the same fit and report again."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any, get_args

import numpy as np

from gramian import families
from gramian.families import Family
from gramian.models import Preprocessing
from gramian.models._preprocessing import Impute

MAX_LITERAL = 60
"""With more columns than this, fill-in values and means are not written out."""


def code_for(
    estimator: Any, X: Any, preprocessing: Preprocessing | None, image_shape: Any = None
) -> str:
    """Write code that makes the same fit and report, for rows called X.

    Parameters
    ----------
    estimator : estimator
        The fitted estimator.
    X : object
        The rows; if they are in a file, the code has its path.
    preprocessing : Preprocessing or None
        What happens to them before the estimator sees them.
    image_shape : pair of int, or None
        As given to the report.
    """
    name = type(estimator).__name__
    arguments, unknown = _arguments(estimator)
    used = sorted(
        {word for word in re.findall(r"\b[A-Z]\w+", arguments) if hasattr(families, word)}
    )
    lines = [f"from gramian import {name}, report"]
    if used:
        lines.append(f"from gramian.families import {', '.join(used)}")
    steps: list[str] = []
    if preprocessing is not None:
        lines.append("from gramian.models import Preprocessing")
        steps = _preprocessing(X, preprocessing)
    if any("np." in step for step in [*steps, arguments]):
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


def _arguments(estimator: Any) -> tuple[str, list[str]]:
    """Return the parameters that are not the default, and those that cannot be written out."""
    defaults = inspect.signature(type(estimator)).parameters
    written, unknown = [], []
    for name, value in estimator.get_params(deep=False).items():
        default = defaults[name].default
        if value is default or (type(value) is type(default) and value == default):
            continue
        literal = _literal(value)
        if literal is None:
            unknown.append(name)
        written.append(f"{name}={literal or name}")
    return ", ".join(written), unknown


def _literal(value: Any) -> str | None:
    """Write a value as Python code; None if that is not possible."""
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
    if isinstance(value, Family):
        text = repr(value)
        return text if _reads_back(text) else None
    return None


def _reads_back(text: str) -> bool:
    """Return whether a family consists of names of families and numbers only."""
    words = re.sub(r"'[a-z]*'", "", text)
    names = set(re.findall(r"[A-Za-z_]\w*", words)) - {"None", "True", "False"}
    keywords = set(re.findall(r"([a-z_]\w*)=", words))
    return "<" not in text and all(name in keywords or name in families.__all__ for name in names)


def _preprocessing(X: Any, preprocessing: Preprocessing) -> list[str]:
    columns = list(preprocessing.columns)
    encode, standardize = bool(preprocessing.categories), preprocessing.mean is not None
    for impute in (None, *get_args(Impute)):
        try:
            learned = Preprocessing.learn(
                X, columns, encode=encode, impute=impute, standardize=standardize
            )
        except ValueError:  # there are missing values, or too many of them
            continue
        if _same(learned, preprocessing):
            options = "".join(
                [
                    ", encode=True" if encode else "",
                    f", impute={impute!r}" if impute else "",
                    ", standardize=True" if standardize else "",
                ]
            )
            return [f"preprocessing = Preprocessing.learn(X, {columns!r}{options})"]
    if len(columns) > MAX_LITERAL:
        return ["# preprocessing is that of the fit, from its model file: gramian.models.read."]
    options = f", missing={preprocessing.missing!r}"
    for name in ("impute", "mean", "scale"):
        values = getattr(preprocessing, name)
        if values is not None:
            options += f", {name}=np.array({[float(value) for value in values]!r})"
    if encode:
        kinds = {name: list(map(str, each)) for name, each in preprocessing.categories.items()}
        options += f", categories={kinds!r}"
    return [f"preprocessing = Preprocessing({columns!r}{options})"]


def _same(one: Preprocessing, other: Preprocessing) -> bool:
    def plain(categories: Mapping[str, Any]) -> dict[str, list[str]]:
        return {name: list(each) for name, each in categories.items()}

    if one.missing != other.missing or plain(one.categories) != plain(other.categories):
        return False
    return all(
        np.array_equal(
            np.asarray(getattr(one, name), dtype=np.float64),
            np.asarray(getattr(other, name), dtype=np.float64),
            equal_nan=True,
        )
        for name in ("impute", "mean", "scale")
    )
