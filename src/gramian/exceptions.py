"""Warnings and errors that gramian raises itself."""

__all__ = [
    "DelimiterError",
    "FormatError",
    "LawsFileError",
    "ModelFileError",
    "NumericalWarning",
    "OverfittingWarning",
    "SaturationWarning",
    "TableError",
    "TooManyLevelsError",
    "TrimmedRowsWarning",
    "UnitsWarning",
    "UnknownLevelsWarning",
]


class OverfittingWarning(UserWarning):
    """The number of functions is more than half of the number of samples.

    Residual variances are measured on the rows of the fit. Residual variances fall towards zero as
    the number of functions approaches the number of rows, whatever the data.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> from gramian import GFR
    >>> from gramian.exceptions import OverfittingWarning
    >>> X = np.random.default_rng(0).standard_normal((25, 6))
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     gfr = GFR(5, alpha=0).fit(X)
    >>> caught[0].category is OverfittingWarning
    True
    """


class SaturationWarning(OverfittingWarning):
    """The functions span all samples: every residual is zero, and the fit stopped there.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> from gramian import GFR
    >>> from gramian.exceptions import SaturationWarning
    >>> X = np.random.default_rng(0).standard_normal((12, 6))
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     gfr = GFR(6, alpha=0).fit(X)
    >>> caught[0].category is SaturationWarning
    True
    >>> gfr.stop_reason_
    'saturated'
    """


class UnitsWarning(UserWarning):
    """The standard deviation of one column is over 100 times the median of all columns.

    GFR and GFS compare variances, so that such a column hides the others. Fit with ``scale=True``
    unless all columns have the same unit.

    Examples
    --------
    >>> import warnings
    >>> from sklearn.datasets import load_breast_cancer
    >>> from gramian import GFS
    >>> from gramian.exceptions import UnitsWarning
    >>> X = load_breast_cancer(as_frame=True).data
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     gfs = GFS(3).fit(X)
    >>> caught[0].category is UnitsWarning
    True
    """


class TrimmedRowsWarning(UserWarning):
    """Rows with wrong cells took no part in the fit: ``trimmed_rows_`` lists them.

    Without them, a few cells would decide the fit. Look at these rows. With ``robust=False`` all
    rows are fitted.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> from gramian import GFR
    >>> from gramian.exceptions import TrimmedRowsWarning
    >>> z = np.random.default_rng(0).standard_normal((500, 3))
    >>> X = np.column_stack([3 * z[:, :2], z[:, 0] * z[:, 1] + z[:, 2]])
    >>> X[7, 2] = 1e6
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     gfr = GFR(2).fit(X)
    >>> caught[0].category is TrimmedRowsWarning
    True
    >>> gfr.trimmed_rows_
    array([7])
    """


class UnknownLevelsWarning(UserWarning):
    """Cells are missing, because the fit has not seen the level by which they are looked up.

    A level is a distinct value of a column, such as a product that has a price.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> import pandas as pd
    >>> import gramian
    >>> from gramian.exceptions import UnknownLevelsWarning
    >>> rng = np.random.default_rng(0)
    >>> room = pd.Series(rng.choice(["single", "double", "suite"], 120))
    >>> beds = room.map({"single": 1, "double": 2, "suite": 4})
    >>> table = pd.DataFrame({"room": room, "beds": beds})
    >>> selection = gramian.select(table.assign(nights=rng.integers(1, 9, 120)))
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     whole = selection.reconstruct(pd.DataFrame({"room": ["attic"], "nights": [2]}))
    >>> caught[0].category is UnknownLevelsWarning
    True
    >>> print(caught[0].message)
    beds is missing in 1 row, as the fit has not seen room 'attic' (1 row).
    """


class NumericalWarning(UserWarning):
    """Rounding errors may show in the reported residual variances.

    Examples
    --------
    >>> import warnings
    >>> import numpy as np
    >>> from gramian import GFR
    >>> from gramian.exceptions import NumericalWarning
    >>> X = np.exp(np.random.default_rng(0).standard_normal((500, 2)))  # heavy tails
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     gfr = GFR(2, family="polynomial", degree=12, solver="gram", alpha=0).fit(X)
    >>> caught[0].category is NumericalWarning
    True
    >>> gfr.orthogonality_loss_ > 1e-6
    True
    """


class ModelFileError(ValueError):
    """A file is no model file, is damaged, or is of a newer version of gramian.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import gramian
    >>> from gramian.exceptions import ModelFileError
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "model.gram"
    ...     n_characters = path.write_text("something else")
    ...     try:
    ...         gramian.load(path)
    ...     except ModelFileError as error:
    ...         print(str(error).split(". ")[-1])
    It is too short to be a model file.
    """


class LawsFileError(ValueError):
    """A file is no file of laws, or was edited into something that is none.

    Examples
    --------
    >>> import pathlib
    >>> import tempfile
    >>> from gramian.exceptions import LawsFileError
    >>> from gramian.laws import load_checks
    >>> path = pathlib.Path(tempfile.mkdtemp(), "laws.json")
    >>> _ = path.write_text("{}")
    >>> try:
    ...     load_checks(path)
    ... except LawsFileError as error:
    ...     print(str(error).partition("laws: ")[2])
    it must be a JSON object with "format": "gramian laws"
    """


class TableError(ValueError):
    r"""A file does not hold a table that can be used.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from gramian import GFS
    >>> from gramian.exceptions import TableError
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "table.csv"
    ...     n_characters = path.write_text("a,b\n1,red\n2,blue\n")
    ...     try:
    ...         GFS().fit(path)
    ...     except TableError as error:
    ...         print(str(error).split(", ")[-1])
    or encode it first.
    """


class FormatError(TableError):
    """The format of a file is not clear, or cannot be read or written.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian import GFR
    >>> from gramian.exceptions import FormatError
    >>> gfr = GFR(1).fit(np.random.default_rng(0).standard_normal((20, 2)))
    >>> try:
    ...     gfr.transform(lambda: iter([np.eye(2)]), output="table.xlsx")
    ... except FormatError as error:
    ...     print(str(error).split(",")[0])
    The format of table.xlsx is not clear from its ending
    """


class DelimiterError(TableError):
    """Values of a text file seem to be separated by another character than expected.

    Parameters
    ----------
    message : str
        Description of the problem.
    delimiter : str
        The character that seems to separate values.

    Examples
    --------
    >>> from gramian.exceptions import DelimiterError
    >>> DelimiterError("in.csv seems to be separated by ';'.", ";").delimiter
    ';'
    """

    def __init__(self, message: str, delimiter: str) -> None:
        super().__init__(message)
        self.delimiter = delimiter


class TooManyLevelsError(ValueError):
    """A variable has more distinct values than the family Indicator allows.

    Parameters
    ----------
    max_levels : int
        Largest number of distinct values that the family allows.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian import GFS
    >>> from gramian.exceptions import TooManyLevelsError
    >>> X = np.random.default_rng(0).standard_normal((100, 2))
    >>> try:
    ...     GFS(1, family="indicator").fit(X)
    ... except TooManyLevelsError as error:
    ...     print(error.max_levels)
    32
    """

    def __init__(self, max_levels: int) -> None:
        super().__init__(
            f"A chosen variable has more than max_levels={max_levels} distinct values, too many "
            "for indicators of each. Discretize the columns first (scikit-learn's "
            "KBinsDiscretizer), raise max_levels, or choose another family."
        )
        self.max_levels = max_levels
