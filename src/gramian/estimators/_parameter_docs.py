"""Parameters and attributes that several estimators share, described once."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T", bound=type)

PARAMETERS = """
scale : bool, default=False
    True if columns are scaled to variance 1 before the fit, so that their units do not matter.
    Residual variances, `threshold`, `score` and `reconstruction_error` are then those of the
    scaled columns; columns, reconstructions and formulas stay in the units of the table.
family : <family>
    The functions that count as redundancy: "multilinear", "polynomial", "hermite", "legendre",
    "fourier" or "indicator", of the given `degree`, or an instance from
    :mod:`gramian.families`. "auto" takes "multilinear" or "polynomial", whichever has the
    smaller residual on held-out rows.<family default>
degree : int, "auto" or None, default=2
    The degree of a family given by name; "auto" takes the degree from 1 to 4 with the smallest
    residual on held-out rows (see `path`).
alpha : float or "auto", default="auto"
    Shrinkage: the ridge penalty of every function but the variables themselves, for functions
    scaled to norm one. 0 is the paper's least squares, infinity is <linear>. "auto" is 0 if the
    leave-one-out error is close to the training error, as it is with few functions and many
    rows; otherwise held-out rows choose a value from 0 to infinity after every step. All
    values share one set of sums over rows.
validation_fraction : float or None, default=None
    The share of rows to hold out, on which residual variances are measured as well. By default
    a tenth if held-out rows decide on a parameter (`family`, `degree`, `alpha`,
    `early_stopping`), else none. Held-out rows that decided on one of the first three join a
    last fit with the chosen parameters. <last fit>
early_stopping : bool, default=False
    True to stop when the total residual variance on held-out rows no longer falls.
n_iter_no_change : int, default=5
    The number of steps without improvement after which `early_stopping` stops.
tol : float, default=1e-4
    The least share of the total variance that counts as an improvement.
robust : "auto" or False, default="auto"
    "auto" leaves rows with wrong cells out where they would decide the fit, and says so: see
    `trimmed_rows_`. A few cells of a column are wrong if they lie far beyond its tail and have
    more than half of its squared distances from the median. Then the rows with the largest
    residuals of the fit are trimmed, too, at most a fifth of all rows, until the rows that are
    left stay the same.<robust> A table without wrong cells has the same fit as with False, which
    fits all rows. Tables that are read block by block, Dask collections, sparse matrices, fits
    with a checkpoint and `path` use all rows.
solver : {"auto", "qr", "gram", "moments"}, default="auto"
    Method of orthogonalization. "qr" keeps orthonormal functions in memory and is accurate
    to rounding. "gram" needs only sums over blocks of rows, is faster on many rows and loses
    accuracy when functions are close to linearly dependent. "moments" is "gram" for monomials
    with every distinct moment computed once, which pays from degree 3 on. "auto" is "qr" up to
    5,000 rows; beyond, each step is done by "gram" or "moments", whichever promises to be
    faster, and all by "qr" if accuracy demands it and the functions fit in 4 GiB.
max_functions : int or None, default=None
    Stop before the functions, the constant not counted, exceed this number.
random_state : int, RandomState or None, default=0
    The seed that chooses the rows to hold out. The same seed holds out different rows of a
    stream than of an array.
memory_budget : int or None, default=None
    The largest number of bytes for rows of files and numbers computed from them; by default
    1 GiB. Files that need no more than an eighth of the budget are loaded whole.
checkpoint : path or None, default=None
    A folder in which the sums of every step are stored. An interrupted fit that is begun again
    with the same data and parameters continues from the stored sums.
verbose : int, default=0
    1 shows a progress bar if standard error is a terminal; 2 prints one line per step.
"""

ATTRIBUTES = """
gaps_ : Gaps
    The treatment of missing values (NaN); absent if no value was missing. Only complete rows are
    used if they are at least 1.25 times the functions of all columns; otherwise gaps are filled
    as by :class:`GramianImputer`, or in wide tables from a plane. A law is judged by the rows
    that have values in all its columns. See :class:`gramian.results.Gaps`.
trimmed_rows_ : array of int
    The positions in X of the rows with wrong cells that took no part in the fit, in increasing
    order; empty if there are none. See `robust`.
mean_ : array of shape (n_features,)
    The mean of each feature.
scale_ : array of shape (n_features,) or None
    The divisors of the columns, with ``scale=True``; else None.
residual_variance_ : array of shape (<n> + 1,)
    The largest residual variance of any <thing> before each step and after the last.
total_residual_variance_ : array of shape (<n> + 1,)
    The total residual variance before each step and after the last.
explained_variance_ratio_ : array of shape (<n>,)
    The share of the total variance that each step explained.
gcv_total_residual_variance_ : array of shape (<n> + 1,)
    An estimate of the total residual variance on new rows, from the rows of the fit alone:
    generalized cross-validation divides by (1 - p/N)², where p is the effective number of
    functions and N the number of rows. The estimate takes the <thing>s as given and the rows as
    independent; with shrinkage it counts the penalty as residual.
validation_residual_variance_, validation_total_residual_variance_ : arrays
    The largest and the total residual variance of held-out rows before each step and after the
    last, in a fit without these rows; absent if no rows were held out.
alpha_ : float
    The penalty after the last step.
alpha_path_ : array of shape (<n>,)
    The penalty after each step.
family_ : Family
    The family.
n_functions_ : array of shape (<n>,)
    The number of functions that each step added.
n_dropped_functions_ : array of shape (<n>,)
    The number of functions that each step dropped as combinations of others, or because there
    are as many functions as rows already.
stop_reason_ : str
    The reason to stop: "<count>", "threshold", "explained_variance", "early_stopping",
    "saturated" (the functions span all samples), "exhausted" (all residuals are rounding
    errors) or "max_functions".
solver_ : {"qr", "gram", "moments"}
    The solver that was used; "moments" if any step used it.
orthogonality_loss_ : float
    The deviation of the functions from orthonormality: measured for "qr", otherwise machine
    precision times an estimate of the condition of the Gram matrix.
degrees_of_freedom_ : array of shape (<n> + 1,)
    The effective number of functions, including the constant, before each step and after the
    last. Without shrinkage it is the number of functions.
n_samples_ : int
    The number of samples that took part in the fit.
n_features_in_ : int
    The number of features.
feature_names_in_ : array of shape (n_features,)
    The names of the features; absent if X has no names.
model_ : object
    The fitted model, one immutable object that explanations, reports and model files read. Its
    class is private and may change: read the attributes above instead.
"""

FAMILY = {
    "family": 'str or Family, default="multilinear"',
    "family default": "",
    "robust": "",
}
DIRECTIONS = {**FAMILY, "thing": "direction", "n": "n_components_", "count": "n_components"}
FEATURES = {**FAMILY, "thing": "feature", "n": "n_selected", "count": "n_features_to_select"}


def documented(words: dict[str, str], **more: str) -> Callable[[T], T]:
    """Return a decorator that completes the docstring of an estimator by shared descriptions.

    The lines ``<parameters>`` and ``<attributes>`` are replaced by the descriptions.

    Parameters
    ----------
    words : dict
        The texts that replace placeholders in the descriptions.
    **more : str
        Texts of other placeholders; an underscore in a name stands for a blank.
    """
    known = {**words, **{name.replace("_", " "): text for name, text in more.items()}}

    def fill(cls: T) -> T:
        if cls.__doc__ is not None:  # None under python -OO
            text = inspect.cleandoc(cls.__doc__)
            text = text.replace("<parameters>", PARAMETERS.strip())
            text = text.replace("<attributes>", ATTRIBUTES.strip())
            for name, value in known.items():
                text = text.replace(f"<{name}>", value)
            cls.__doc__ = textwrap.indent(text, "    ").strip() + "\n    "
        return cls

    return fill
