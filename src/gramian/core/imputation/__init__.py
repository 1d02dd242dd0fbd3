"""Imputation: fill missing cells by functions of the other cells of their row."""

from gramian.core.imputation._imputation import Imputation, fit_imputation
from gramian.core.imputation._low_rank import expected_codes, fit_plane, noise_of
