"""Parameters and attributes that several estimators share, described once."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T", bound=type)

PARAMETERS = """
scale : bool, default=False
    Whether columns are scaled to variance 1 before the fit, so that their units do not matter.
    Residual variances, `threshold`, `score` and `reconstruction_error` are then those of the
    scaled columns; columns, reconstructions and formulas stay in the units of the table.
family : <family>
    The functions that count as redundancy: "multilinear", "polynomial", "hermite", "legendre",
    "fourier" or "indicator", of the given `degree`, or an instance from
    :mod:`gramian.families`. "auto" takes "multilinear" or "polynomial", whichever has the
    smaller residual on held-out rows.<family default>
degree : int, "auto" or None, default=2
    The degree of a family given by name; "auto" takes the degree from 1 to 4 that leaves least
    on held-out rows (see `path`).
alpha : float or "auto", default="auto"
    Shrinkage: the ridge penalty of every function but the variables themselves, functions
    being scaled to norm one. 0 is the paper's least squares, infinity <linear>. "auto" is 0
    where least squares predict rows that are left out of them about as well as the others, as
    they do where functions are few compared with rows; elsewhere held-out rows decide after
    every step, among values from 0 to infinity. All of them share one set of sums over rows.
validation_fraction : float or None, default=None
    The share of rows to hold out, on which residual variances are measured as well. By default
    a tenth where held-out rows decide on something (`family`, `degree`, `alpha`,
    `early_stopping`), and none elsewhere. Rows that decided on one of the first three join a
    last fit that uses what they chose. <last fit>
early_stopping : bool, default=False
    Whether to stop when the total residual variance on held-out rows no longer falls.
n_iter_no_change : int, default=5
    How many steps without improvement `early_stopping` allows.
tol : float, default=1e-4
    The share of the total variance that counts as an improvement.
solver : {"auto", "qr", "gram", "moments"}, default="auto"
    How functions are orthogonalized. "qr" keeps orthonormal functions in memory and is accurate
    to rounding. "gram" needs only sums over blocks of rows, is faster on many rows and loses
    accuracy when functions are close to linearly dependent. "moments" is "gram" for monomials
    with every distinct moment computed once, which pays from degree 3 on. "auto" is "qr" up to
    5,000 rows; beyond, each step is done by "gram" or "moments", whichever promises to be
    faster, and all by "qr" if accuracy demands it and the functions fit in 4 GiB.
max_functions : int or None, default=None
    Stop before the functions, the constant not counted, exceed this number.
random_state : int, RandomState or None, default=0
    Decides which rows are held out. With the same number they are other rows of a table that is
    read in pieces than of an array.
memory_budget : int or None, default=None
    How many bytes rows of files, and what is computed of them, may take; by default 1 GiB.
    Files that need no more than an eighth of it are loaded.
checkpoint : path or None, default=None
    A folder in which the sums of every step are stored. A fit that was interrupted, begun again
    with the same data and parameters, continues where it was.
verbose : int, default=0
    1 shows a progress bar if standard error is a terminal; 2 prints one line per step.
"""

ATTRIBUTES = """
gaps_ : Gaps
    If values were missing (NaN): how many rows there were, how many of them complete, and how
    many cells were filled in. Complete rows alone are used where they are at least 1.25 times
    the functions of all columns; otherwise gaps are filled by :class:`GramianImputer`, and those
    of wide tables from a plane. Laws are judged by the rows that have their columns. See
    :class:`gramian.results.Gaps`.
mean_ : array of shape (n_features,)
    The mean of each feature.
scale_ : array of shape (n_features,) or None
    What the columns were divided by, if `scale`.
residual_variance_ : array of shape (<n> + 1,)
    The largest residual variance of any <thing> before each step and after the last.
total_residual_variance_ : array of shape (<n> + 1,)
    The total residual variance, likewise.
explained_variance_ratio_ : array of shape (<n>,)
    The share of the total variance that each step explained.
gcv_total_residual_variance_ : array of shape (<n> + 1,)
    An estimate of the total residual variance on new rows, from those of the fit alone:
    generalized cross-validation divides by (1 - p/N)², where p is the effective number of
    functions and N of rows. It takes the <thing>s as given and the rows as independent, and
    with shrinkage it counts the penalty as residual.
validation_residual_variance_, validation_total_residual_variance_ : arrays, likewise
    The largest and the total residual variance of held-out rows, where there are any, in a fit
    that they take no part in.
alpha_ : float
    The penalty, after the last step.
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
    "<count>", "threshold", "explained_variance", "early_stopping", "saturated" (the functions
    span all samples), "exhausted" (nothing but rounding errors is left) or "max_functions".
solver_ : {"qr", "gram", "moments"}
    The solver that was used; "moments" if it was for any step.
orthogonality_loss_ : float
    How far the functions are from orthonormal: measured for "qr", and otherwise machine
    precision times an estimate of the Gram matrix's condition.
degrees_of_freedom_ : array of shape (<n> + 1,)
    The effective number of functions, the constant among them, before each step and after the
    last. Without shrinkage it is their number.
n_samples_ : int
    The number of samples that took part in the fit.
n_features_in_ : int
    The number of features.
feature_names_in_ : array of shape (n_features,)
    The names of the features, where X has any.
model_ : object
    All of the above and more in one immutable object, which explanations, reports and model
    files are made of. Its class is private and may change: read the attributes above instead.
"""

FAMILY = {"family": 'str or Family, default="multilinear"', "family default": ""}
DIRECTIONS = {**FAMILY, "thing": "direction", "n": "n_components_", "count": "n_components"}
FEATURES = {**FAMILY, "thing": "feature", "n": "n_selected", "count": "n_features_to_select"}


def documented(words: dict[str, str], **more: str) -> Callable[[T], T]:
    """Fill in what estimators share in the docstring of a class.

    The lines ``<parameters>`` and ``<attributes>`` are replaced by the shared descriptions.

    Parameters
    ----------
    words : dict
        What the placeholders in the descriptions stand for.
    **more : str
        Other placeholders; an underscore stands for a blank.
    """
    known = {**words, **{name.replace("_", " "): text for name, text in more.items()}}

    def fill(cls: T) -> T:
        if cls.__doc__ is not None:  # as it is under python -OO
            text = inspect.cleandoc(cls.__doc__)
            text = text.replace("<parameters>", PARAMETERS.strip())
            text = text.replace("<attributes>", ATTRIBUTES.strip())
            for name, value in known.items():
                text = text.replace(f"<{name}>", value)
            cls.__doc__ = textwrap.indent(text, "    ").strip() + "\n    "
        return cls

    return fill
