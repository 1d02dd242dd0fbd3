"""Gram-Schmidt Component Analysis, Algorithm 3 of the paper."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import eigh
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_array

from gramian._base import COUNT, PursuitEstimator, Solver
from gramian._choosers import LargestOriginal
from gramian._decoder import make_decoder
from gramian._eigen import orient
from gramian._extractor import Extractor
from gramian._gfr import row_space
from gramian._preparation import Problem, RandomState
from gramian._types import Array
from gramian._validation import largest_of_columns
from gramian.families import Family
from gramian.rows import Rows


class GCA(Extractor):
    """Gram-Schmidt Component Analysis: drops principal components that are functions of others.

    The directions of an orthonormal basis are kept in the order of their variance. Those along
    which functions of the kept components leave less variance than the threshold are redundant.

    Parameters
    ----------
    n_components : int, float or None, default=None
        Keep no more than so many directions, or if a float in (0, 1), stop when functions of the
        kept components explain this share of the total variance.
    threshold : float or None, default=1e-4
        A direction is redundant when its residual variance is below this (ε in the paper). None
        makes only those redundant of which nothing but rounding errors is left.
    basis : "pca" or array of shape (n_features, n_features), default="pca"
        The principal directions, or the rows of an orthonormal matrix.
    relative : bool, default=False
        Whether the threshold is a share of each direction's own variance: with 1e-3, a direction is
        redundant when functions of those kept explain it with R² ≥ 0.999.
    family : str or Family, default="multilinear"
        The functions that count as redundancy: "multilinear", "polynomial", "hermite", "legendre",
        "fourier" or "indicator", of the given `degree`, or an instance from
        :mod:`gramian.families`. "auto" takes "multilinear" or "polynomial", whichever leaves less
        on held-out rows.
    degree : int, "auto" or None, default=2
        The degree of a family given by name; "auto" takes the degree from 1 to 4 that leaves least
        on held-out rows (see `path`).
    alpha : float or "auto", default=0
        Shrinkage: the ridge penalty of every function but the variables themselves, functions
        being scaled to norm one. 0 is the paper's least squares, infinity linear redundancy only.
        With "auto", held-out rows decide after every step, among values from 0 to infinity. All of
        them share one set of sums over rows.
    validation_fraction : float or None, default=None
        The share of rows to hold out, on which residual variances are measured as well. By default
        a tenth where held-out rows decide on something (`family`, `degree`, `alpha`,
        `early_stopping`), and none elsewhere. Rows that decided on one of the first three take
        part in a last fit, with what they decided on. The choice of
        directions is kept.
    early_stopping : bool, default=False
        Whether to stop when the total residual variance on held-out rows no longer falls.
    n_iter_no_change : int, default=5
        How many steps without improvement `early_stopping` puts up with.
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
        Decides which rows are held out.
    memory_budget : int or None, default=None
        How many bytes rows of files, and what is computed of them, may take; by default 1 GiB.
        Files that need no more than an eighth of it are loaded.
    checkpoint : path or None, default=None
        A folder in which the sums of every step are stored. A fit that was interrupted, begun again
        with the same data and parameters, continues where it was.
    verbose : int, default=0
        1 shows a progress bar if standard error is a terminal; 2 prints a line a step.

    Attributes
    ----------
    components_ : array of shape (n_components_, n_features)
        The directions that were kept, in the order of their variance.
    component_indices_ : array of shape (n_components_,)
        Their indices in the basis.
    redundant_indices_ : array
        The indices of the directions that were not kept and have less residual variance than the
        threshold, in increasing order.
    basis_ : array of shape (n_directions, n_features)
        The basis. Of principal directions there are no more than samples.
    n_components_ : int
        The number of directions.
    mean_ : array of shape (n_features,)
        The mean of each feature.
    residual_variance_ : array of shape (n_components_ + 1,)
        The largest residual variance of a direction of the basis, before each step and
        after the last.
    total_residual_variance_ : array of shape (n_components_ + 1,)
        The total residual variance, likewise.
    explained_variance_ratio_ : array of shape (n_components_,)
        The share of the total variance that each step explained.
    gcv_total_residual_variance_ : array of shape (n_components_ + 1,)
        An estimate of the total residual variance on new rows, from those of the fit alone:
        generalized cross-validation divides by (1 - p/N)², where p is the effective number of
        functions and N of rows. It takes the directions as given and the rows as independent, and
        with shrinkage it counts the penalty as residual.
    validation_residual_variance_, validation_total_residual_variance_ : arrays, likewise
        The largest and the total residual variance of held-out rows, where there are any, in a fit
        that they take no part in.
    alpha_ : float
        The penalty, after the last step.
    alpha_path_ : array of shape (n_components_,)
        The penalty after each step.
    family_ : Family
        The family.
    n_functions_ : array of shape (n_components_,)
        The number of functions that each step added.
    n_dropped_functions_ : array of shape (n_components_,)
        The number of functions that each step dropped as combinations of others.
    stop_reason_ : str
        "n_components", "threshold", "explained_variance", "early_stopping", "saturated" (the
        functions span all samples), "exhausted" (nothing but rounding errors is left) or
        "max_functions".
    solver_ : {"qr", "gram", "moments"}
        The solver that was used; "moments" if it was for any step.
    orthogonality_loss_ : float
        How far the functions are from orthonormal: measured for "qr", and otherwise machine
        precision times an estimate of the Gram matrix's condition.
    degrees_of_freedom_ : array of shape (n_components_ + 1,)
        The effective number of functions, the constant among them, before each step and after the
        last. Without shrinkage it is their number.
    n_samples_ : int
        The number of samples that took part in the fit.
    n_features_in_ : int
        The number of features.
    feature_names_in_ : array of shape (n_features,)
        The names of the features, where X has any.


    See Also
    --------
    GFA : The same idea for the features themselves.
    GFR : Extracts new directions instead of choosing among given ones.

    Notes
    -----
    The features are centred, not scaled: standardize them first if their units differ.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian import GCA
    >>> rng = np.random.default_rng(0)
    >>> a, b = rng.choice([-1, 1], (2, 1000)) * rng.uniform(1, 2, (2, 1000))
    >>> rotation = np.linalg.qr(rng.standard_normal((3, 3)))[0]
    >>> X = np.column_stack([3 * a, 2 * b, 0.1 * a * b]) @ rotation
    >>> GCA(threshold=0.01).fit(X).n_components_
    2
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **PursuitEstimator._parameter_constraints,
        "n_components": [*COUNT, None],
        "basis": [StrOptions({"pca"}), "array-like"],
        "relative": ["boolean"],
    }

    def __init__(
        self,
        n_components: float | None = None,
        *,
        threshold: float | None = 1e-4,
        basis: Literal["pca"] | ArrayLike = "pca",
        relative: bool = False,
        family: str | Family = "multilinear",
        degree: int | Literal["auto"] | None = 2,
        alpha: float | Literal["auto"] = 0.0,
        validation_fraction: float | None = None,
        early_stopping: bool = False,
        n_iter_no_change: int = 5,
        tol: float = 1e-4,
        solver: Solver = "auto",
        max_functions: int | None = None,
        random_state: RandomState = 0,
        memory_budget: int | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.threshold = threshold
        self.basis = basis
        self.relative = relative
        self.family = family
        self.degree = degree
        self.alpha = alpha
        self.validation_fraction = validation_fraction
        self.early_stopping = early_stopping
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.solver = solver
        self.max_functions = max_functions
        self.random_state = random_state
        self.memory_budget = memory_budget
        self.checkpoint = checkpoint
        self.verbose = verbose

    def _fit(self, problem: Problem) -> None:
        if isinstance(self.basis, str):
            self.basis_ = principal_directions(problem.rows)
        else:
            self.basis_ = self._check_basis(self.basis)
        rows, deviations = problem.rows.rotate(self.basis_)
        varies = deviations > 0
        deviations = np.where(varies, deviations, 1.0)
        unit = float(problem.centring.scale[0])
        scale = unit * deviations
        fit = self._pursue(
            replace(problem, rows=rows),
            lambda n_penalties: LargestOriginal(
                np.where(varies, scale**2, 0.0),
                varies,
                self.threshold,
                self.relative,
                n_penalties,
                problem.repeated,
            ),
            self._limits(problem.repeated),
            lambda n_penalties: problem.watch(
                unit,
                n_penalties,
                axes=(self.basis_.T / deviations, deviations[:, np.newaxis] * self.basis_),
                largest=lambda residual: largest_of_columns(residual @ self.basis_.T),
            ),
        )
        chosen = fit.chooser.chosen
        self.component_indices_ = np.array(chosen, dtype=np.intp)
        self.components_ = self.basis_[self.component_indices_]
        self.redundant_indices_ = fit.chooser.redundant
        self._record_fit(rows, fit)
        self._variances = np.where(varies, scale**2, 0.0)
        self._decoder = make_decoder(
            fit.orthogonalizer, scale[chosen], scale[:, np.newaxis] * self.basis_
        )

    def _choices(self) -> Sequence[int]:
        return [int(i) for i in self.component_indices_]

    def _check_basis(self, basis: ArrayLike) -> Array:
        checked: Array = check_array(basis, dtype=np.float64, input_name="basis")
        d = self.n_features_in_
        if checked.shape != (d, d):
            problem = f"an array of shape {checked.shape}"
        elif np.abs(checked @ checked.T - np.eye(d)).max() > 1e-8:
            problem = "one whose rows are not orthonormal"
        else:
            return checked
        raise ValueError(
            f"basis must be 'pca' or an orthonormal array of shape ({d}, {d}), one direction a "
            f"row; got {problem}."
        )


def principal_directions(rows: Rows) -> Array:
    """Return the principal directions by rows, in the order of decreasing variance."""
    rows, basis = row_space(rows)
    directions = eigh(rows.covariance(), check_finite=False)[1].T[::-1]
    if basis is not None:
        directions = directions @ basis
    return np.array([orient(direction) for direction in directions])
