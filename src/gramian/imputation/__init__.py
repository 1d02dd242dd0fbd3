"""Missing cells as functions of the row's other cells."""

from gramian.imputation._corrections import Correction, best_correction
from gramian.imputation._gaussian import Gaussian, fit_gaussian

__all__ = ["Correction", "Gaussian", "best_correction", "fit_gaussian"]
