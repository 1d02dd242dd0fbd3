"""Private names of scikit-learn that gramian uses; only this module imports them.

Private names may change with each version of scikit-learn; then only this file needs a repair.
`tests/test_sklearn_private.py` checks that no other module imports such names. Methods that
scikit-learn calls by a private name (`_n_features_out`, `_get_support_mask`) stay in their classes.
"""

from __future__ import annotations

from typing import Any

from sklearn.utils._param_validation import (
    Interval,
    Options,
    RealNotInt,
    StrOptions,
    validate_parameter_constraints,
)
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import _check_sample_weight as check_sample_weight


def container_of(estimator: Any) -> str:
    """Return the kind of table that `transform` shall return, such as "default" or "pandas".

    It is set by `set_output` or by scikit-learn's configuration.
    """
    return str(_get_output_config("transform", estimator)["dense"])


__all__ = [
    "Interval",
    "Options",
    "RealNotInt",
    "StrOptions",
    "check_sample_weight",
    "container_of",
    "validate_parameter_constraints",
]
