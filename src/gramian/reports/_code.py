"""Python code that makes the same fit and report again."""

from __future__ import annotations

import os
import re
from numbers import Integral, Real
from typing import Any, get_args

import numpy as np

from gramian import families
from gramian.estimators import parameters_set
from gramian.families import Family
from gramian.models import Impute, Preprocessing

MAX_LITERAL = 60
"""What was filled in is written out for at most this many columns."""


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
    written, unknown = [], []
    for name, value in parameters_set(estimator).items():
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
    if isinstance(value, list | tuple):
        parts = [_literal(each) for each in value]
        return None if None in parts else f"[{', '.join(map(str, parts))}]"
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
    encode = bool(preprocessing.categories)
    for impute in () if callable(X) else (None, *get_args(Impute)):
        try:
            learned = Preprocessing.learn(X, columns, encode=encode, impute=impute)
        except ValueError:  # a column has no values at all
            continue
        if _same(learned, preprocessing):
            options = ", encode=True" if encode else ""
            options += f", impute={impute!r}" if impute else ""
            return [f"preprocessing = Preprocessing.learn(X, {columns!r}{options})"]
    if len(columns) > MAX_LITERAL or preprocessing.clocks:
        return ["# preprocessing is that of the fit, from its model file: gramian.models.read."]
    options = f", missing={preprocessing.missing!r}"
    if preprocessing.impute is not None:
        options += f", impute=np.array({[float(value) for value in preprocessing.impute]!r})"
    if encode:
        kinds = {name: list(map(str, each)) for name, each in preprocessing.categories.items()}
        options += f", categories={kinds!r}"
    return [f"preprocessing = Preprocessing({columns!r}{options})"]


def _same(one: Preprocessing, other: Preprocessing) -> bool:
    def plain(steps: Preprocessing) -> tuple[Any, ...]:
        fill = None if steps.impute is None else steps.impute.tolist()
        categories = {name: list(each) for name, each in steps.categories.items()}
        return steps.missing, fill, categories, dict(steps.clocks)

    return plain(one) == plain(other)
