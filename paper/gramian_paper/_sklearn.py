"""Private names of scikit-learn, imported in this file only."""

from __future__ import annotations

from sklearn.utils._param_validation import (
    Interval,
    StrOptions,
    validate_parameter_constraints,
)

__all__ = ["Interval", "StrOptions", "validate_parameter_constraints"]
