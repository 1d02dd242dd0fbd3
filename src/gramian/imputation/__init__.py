"""Missing cells as functions of the row's other cells."""

from gramian.imputation._corrections import Correction, best_correction
from gramian.imputation._gaussian import Gaussian, fit_gaussian
from gramian.imputation._low_rank import Plane, expected_codes, fit_plane, noise_of

__all__ = [
    "Correction",
    "Gaussian",
    "Plane",
    "best_correction",
    "expected_codes",
    "fit_gaussian",
    "fit_plane",
    "noise_of",
]
