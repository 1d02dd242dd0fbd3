"""Checks of the parameters of `gramian.select`; messages have the names that the user wrote."""

from __future__ import annotations

import re
from collections.abc import Mapping
from numbers import Real
from typing import Any, get_args

import numpy as np

from gramian.tabular._column_roles import Impute
from gramian.tabular._messages import OptionError

SWITCHES = ("encode", "standardize", "relative", "backward", "laws", "prove", "header")
"""Parameters that are True or False."""
CHOICES: dict[str, tuple[str | None, ...]] = {
    "impute": (None, *get_args(Impute)),
    "decimal": (None, ".", ","),
}
"""Allowed values of parameters that the estimators do not have."""
OF_ESTIMATORS = {
    "n_features_to_select": "n",
    "n_components": "n",
    "validation_fraction": "validation",
    "scale": "standardize",
}
"""From parameters of estimators to parameters of `gramian.select`, if their names differ."""
RULE = re.compile(r"The '(\w+)' parameter of \w+ must be (.*)\. Got (.*) instead\.", re.DOTALL)
"""Pattern of scikit-learn's message about a parameter."""


def check_parameters(given: Mapping[str, Any]) -> None:
    """Raise OptionError if a parameter of `gramian.select` has a value that is not allowed.

    Parameters
    ----------
    given : mapping from str to object
        From the names of the parameters to their values.
    """
    for name in SWITCHES:
        if not isinstance(given[name], bool | np.bool_):
            raise _wrong(name, "True or False", given[name])
    for name, allowed in CHOICES.items():
        if given[name] not in allowed:
            raise _wrong(name, f"among {allowed}", given[name])
    n, threshold, delimiter = given["n"], given["threshold"], given["delimiter"]
    if isinstance(n, bool | np.bool_):
        raise _wrong("n", "a number of columns, or a share of the variance such as 0.95", n)
    if threshold is not None and (isinstance(threshold, bool) or not isinstance(threshold, Real)):
        raise _wrong("threshold", "a number", threshold)
    if delimiter is not None and (not isinstance(delimiter, str) or len(delimiter) != 1):
        raise _wrong("delimiter", "one character", delimiter)


def check_estimator(estimator: Any) -> None:
    """Raise OptionError if a parameter of an estimator has a value that is not allowed.

    Parameters
    ----------
    estimator : estimator
        Estimator that was made from the parameters of `gramian.select`.
    """
    try:
        estimator._validate_params()
    except ValueError as error:
        found = RULE.fullmatch(str(error))
        if found is None:
            raise
        name, rule, value = found.groups()
        raise OptionError(
            f"{{{OF_ESTIMATORS.get(name, name)}}} must be {{rule}}; got {{value}}",
            rule=rule,
            value=value,
        ) from error


def _wrong(name: str, rule: str, value: object) -> OptionError:
    """Return the error for a parameter with a value that is not allowed."""
    return OptionError(f"{{{name}}} must be {{rule}}; got {{value!r}}", rule=rule, value=value)
