"""Warnings and errors that gramian raises itself."""


class OverfittingWarning(UserWarning):
    """The functions number more than half of the samples.

    Residual variances are measured on the rows that the functions were fitted to. They fall
    towards zero as the number of functions approaches the number of rows, whatever the data.
    """


class SaturationWarning(OverfittingWarning):
    """The functions span all samples: every residual is zero, and the fit stopped there."""


class NumericalWarning(UserWarning):
    """Rounding errors may show in the reported residual variances."""


class IllConditionedError(ArithmeticError):
    """The Gram matrix of the functions is too ill-conditioned for the accuracy asked for."""


class ModelFileError(ValueError):
    """A model file is damaged, of a newer version, or not a model file at all."""
