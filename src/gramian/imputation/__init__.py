"""Missing cells as functions of the row's other cells."""

from gramian.imputation._low_rank import Plane, expected_codes, fit_plane, noise_of
from gramian.imputation._model import Imputation, fit_imputation

__all__ = [
    "Imputation",
    "Plane",
    "expected_codes",
    "fit_imputation",
    "fit_plane",
    "noise_of",
]
