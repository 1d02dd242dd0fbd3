"""What is used of scikit-learn that is not public there, imported in this file only."""

from __future__ import annotations

from sklearn.utils._param_validation import (
    Interval,
    StrOptions,
    validate_parameter_constraints,
)

__all__ = ["Interval", "StrOptions", "validate_parameter_constraints"]
