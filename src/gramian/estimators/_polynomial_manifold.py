"""A curved surface through the data; codes are the coordinates of nearest points on it."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

from sklearn.base import ClassNamePrefixFeaturesOutMixin
from sklearn.utils.validation import check_is_fitted

from gramian._support.scikit_learn import Interval, RealNotInt, StrOptions
from gramian._support.types import Array
from gramian.core.manifold import MAX_STEPS, NearestSearch
from gramian.estimators._estimator import Data, Estimator, issue_warnings
from gramian.estimators._manifold_plan import fit, make_plan
from gramian.estimators._pursuit_plan import held_out
from gramian.families import BY_NAME, Family, by_name
from gramian.fitting import (
    CheckedData,
    FittedManifold,
    Output,
    Preparation,
    RandomState,
    check_data,
)

FAMILIES = {*BY_NAME} - {"indicator"}


class PolynomialManifold(ClassNamePrefixFeaturesOutMixin, Estimator[FittedManifold]):
    """A curved surface through the data, of few dimensions: PCA with a bent plane.

    The codes of a row are the coordinates of the nearest point of the surface, and the
    reconstruction is that point. Codes and surface are fitted in turn, from low degrees to higher
    degrees, beginning with GFR's directions. With ``degree=1`` PolynomialManifold is PCA.

    Parameters
    ----------
    n_components : int, default=2
        The number of codes of a row: the dimension of the surface.
    scale : bool, default=False
        True to divide every feature by its standard deviation first, so that units do not
        matter. Variances and errors are then those of the scaled features.
    family : str or Family, default="polynomial"
        The functions of the codes that form the surface: "polynomial", "multilinear",
        "hermite", "legendre" or "fourier", of the given `degree`, or an instance from
        :mod:`gramian.families` whose functions have derivatives.
    degree : int or "auto", default=2
        The degree of a family given by name. All lower degrees, from 2 on, are fitted first. "auto"
        takes the degree from 1 to 10 with the smallest residual on held-out rows, and degree 1
        (PCA) unless the residual falls by more than its sampling noise; if a degree has too many
        functions, only its functions of fewer variables are tried.
    alpha : float or "auto", default=0.03
        The ridge penalty of functions of degree 2, for functions scaled to norm 1; each higher
        degree multiplies it by 3. "auto" lets held-out rows decide in every round.
    n_rounds : int or "auto", default=5
        The number of rounds with each degree; a round fits codes and surface once. A round that
        would raise the error is not made. "auto" stops when the error on held-out rows no longer
        falls, after at most 20 rounds.
    code_penalty : float, default=0.001
        The penalty on the squared distance of a code from its linear estimate, in units of the
        variance that a code explains. The penalty keeps codes bounded where the surface folds.
    tol : float, default=1e-4
        The search for the nearest point of a row ends when a step lowers the squared distance by
        less than this share.
    max_steps : int, default=50
        The largest number of steps of the search for a nearest point, up to 10,000.
    validation_fraction : float or None, default=None
        The share of rows to hold out if held-out rows decide on a parameter, by default a tenth.
        Held-out rows join a last fit with the chosen parameters.
    random_state : int, RandomState or None, default=0
        The seed that chooses the rows to hold out.
    memory_budget : int or None, default=None
        The largest number of bytes for rows of files; by default 1 GiB.
    verbose : int, default=0
        1 prints one line per round.

    Attributes
    ----------
    components_ : array of shape (n_components_, n_features)
        The change of the columns, to first order, when a code grows by one: the regression of the
        columns on the codes. The rows are orthogonal, the longest first, and the largest entry of
        each is positive. With ``scale=True``, the change of the scaled columns.
    n_components_ : int
        The number of codes; fewer than `n_components` if the data have fewer dimensions.
    mean_ : array of shape (n_features,)
        The mean of each feature.
    scale_ : array of shape (n_features,) or None
        The divisors of the features, with ``scale=True``; else None.
    total_residual_variance_ : array of shape (n_rounds_ + 1,)
        The total variance, and the total residual variance after each round.
    validation_total_residual_variance_ : array
        The total variance of held-out rows, and their residual variance after every round that was
        tried; absent if held-out rows decided on nothing.
    n_rounds_ : int
        The number of rounds that were made.
    family_ : Family
        The family of the surface.
    alpha_ : float
        The penalty of the last round.
    n_functions_ : int
        The number of functions, the constant among them.
    n_samples_ : int
        The number of samples that took part in the fit.
    gaps_ : Gaps
        The treatment of missing values (NaN); absent if no value was missing. See
        :class:`gramian.results.Gaps`.
    n_features_in_ : int
        The number of features.
    feature_names_in_ : array of shape (n_features,)
        The names of the features; absent if X has no names.
    model_ : object
        The fitted model with the surface, one immutable object. Its class is private and may
        change: read the attributes above instead.

    See Also
    --------
    GFR : Extracts linear codes, and decodes them by functions of the codes.

    Notes
    -----
    Codes of the rows of the fit are uncorrelated and have mean 0 and variance 1. The features are
    centred, and scaled only with ``scale=True``: set it if their units differ.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian import PolynomialManifold
    >>> u = np.random.default_rng(0).uniform(-1, 1, 500)
    >>> X = np.column_stack([u, u**2, u**3])  # a curve
    >>> curve = PolynomialManifold(1, degree=3, alpha=0, n_rounds=20).fit(X)
    >>> bool(curve.score(X) > 0.999)
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "scale": ["boolean"],
        "family": [StrOptions(FAMILIES), Family],
        "degree": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
        "alpha": [Interval(Real, 0, None, closed="left"), StrOptions({"auto"})],
        "n_rounds": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
        "code_penalty": [Interval(Real, 0, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "max_steps": [Interval(Integral, 1, MAX_STEPS, closed="both")],
        "validation_fraction": [Interval(RealNotInt, 0, 1, closed="neither"), None],
        "random_state": ["random_state"],
        "memory_budget": [Interval(Integral, 2**20, None, closed="left"), None],
        "verbose": ["verbose"],
    }
    components_: Array
    mean_: Array
    scale_: Array | None
    total_residual_variance_: Array
    validation_total_residual_variance_: Array
    n_components_: int
    n_rounds_: int
    n_functions_: int
    n_samples_: int
    n_features_in_: int
    family_: Family
    alpha_: float

    def __init__(
        self,
        n_components: int = 2,
        *,
        scale: bool = False,
        family: str | Family = "polynomial",
        degree: int | Literal["auto"] = 2,
        alpha: float | Literal["auto"] = 0.03,
        n_rounds: int | Literal["auto"] = 5,
        code_penalty: float = 1e-3,
        tol: float = 1e-4,
        max_steps: int = 50,
        validation_fraction: float | None = None,
        random_state: RandomState = 0,
        memory_budget: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.scale = scale
        self.family = family
        self.degree = degree
        self.alpha = alpha
        self.n_rounds = n_rounds
        self.code_penalty = code_penalty
        self.tol = tol
        self.max_steps = max_steps
        self.validation_fraction = validation_fraction
        self.random_state = random_state
        self.memory_budget = memory_budget
        self.verbose = verbose

    def fit(
        self, X: Data, y: None = None, sample_weight: Any = None, *, groups: Any = None
    ) -> Self:
        """Fit to data.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), files or a Dask collection
            The data; see :meth:`gramian.GFR.fit`.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), str or Dask array, optional
            Weights of the samples in every expectation, or the name of the column that holds them;
            an integer weight is equivalent to that many copies of the row.
        groups : array-like of shape (n_samples,) or str, optional
            Labels of the samples, or the name of the column that holds them: all samples of a label
            are held out together. X must be in memory.

        Returns
        -------
        self
            The fitted estimator.
        """
        self._validate_params()
        data = check_data(self, X, sample_weight, memory_budget=self.memory_budget, groups=groups)
        if self.n_components > data.n_columns:
            raise ValueError(
                f"n_components={self.n_components} is more than X has columns "
                f"(n_features={data.n_columns}); give at most {data.n_columns}."
            )
        scaling: Literal["column", "table"] = "column" if self.scale else "table"
        preparation = Preparation(
            scaling, counts=self.scale, covariance=True, distinct=self._decides
        )
        complete, gaps = data.without_gaps(preparation, None, [self._named_family])
        model = replace(self._fit(preparation, complete), gaps=gaps)
        issue_warnings(model)
        self._become(model)
        return self

    @property
    def _named_family(self) -> Family:
        """The family of functions; its size decides if rows without missing values are enough."""
        if isinstance(self.family, Family):
            return self.family
        return by_name(self.family, 2 if self.degree == "auto" else self.degree)

    @property
    def _decides(self) -> bool:
        """True if a parameter is "auto", so that held-out rows choose its value."""
        return "auto" in (self.degree, self.alpha, self.n_rounds)

    def _fit(self, preparation: Preparation, data: CheckedData) -> FittedManifold:
        """Fit to rows without missing values, and return the model."""
        problem = data.problem(preparation, None)
        n_rows = problem.rows.n_rows
        if 1 < n_rows <= self.n_components:
            raise ValueError(
                f"n_components={self.n_components} is more than the {n_rows - 1} dimensions that "
                f"n_samples={n_rows} samples can span; give at most {n_rows - 1}, or more samples."
            )
        plan = make_plan(
            type(self).__name__,
            self.n_components,
            self.family,
            self.degree,
            self.alpha,
            self.n_rounds,
            n_rows,
            NearestSearch(float(self.code_penalty), float(self.tol), int(self.max_steps)),
            verbose=bool(self.verbose),
        )
        deciding = None
        if self._decides:
            rows = held_out(self.validation_fraction, self.random_state)
            deciding = data.problem(preparation, rows)
        return fit(plan, problem, deciding)

    def _attributes(self, model: FittedManifold) -> dict[str, Any]:
        found = {
            "model_": model,
            "n_features_in_": model.n_columns,
            "n_samples_": model.n_rows,
            "mean_": model.mean,
            "scale_": model.scale,
            "components_": model.components,
            "n_components_": len(model.components),
            "family_": model.family,
            "alpha_": model.alpha,
            "n_rounds_": model.n_rounds,
            "n_functions_": model.n_functions,
            "total_residual_variance_": model.total,
        }
        if model.gaps is not None:
            found["gaps_"] = model.gaps
        if model.validation_total is not None:
            found["validation_total_residual_variance_"] = model.validation_total
        return found

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def transform(self, X: Data, *, linear: bool = False, output: Output = None) -> Any:
        """Return the codes of rows: the coordinates of the nearest points of the surface.

        For a row with missing values, the distance counts only the present cells. For a row without
        any value, the codes are missing, too.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or anything that `fit` takes
            The data.
        linear : bool, default=False
            True to return the linear estimates with which the search begins: these are faster, and
            easier to interpret. For closed curves the estimates are angles.
        output : path, optional
            A file to write, in the format of its ending, in place of an array.

        Returns
        -------
        Z : array of shape (n_samples, n_components)
            The codes, in float32 if X is. For a Dask collection, a lazy array; with `output`, the
            path of the written file.
        """
        check_is_fitted(self)
        model = self.model_
        return self._encode_data(X, lambda table: model.encode(table, linear=linear), output)

    def inverse_transform(self, Z: Data, *, output: Output = None) -> Any:
        """Return the points of the surface that have these codes.

        Parameters
        ----------
        Z : array-like of shape (n_samples, n_components), files or a Dask collection
            Codes, as `transform` returns them.
        output : path, optional
            A file to write, in the format of its ending, in place of an array.

        Returns
        -------
        X : array of shape (n_samples, n_features)
            The features, in float32 if Z is. For a Dask collection, a lazy array; with `output`,
            the path of the written file.
        """
        return self._decode_data(Z, lambda codes: self.model_.decode(codes), output)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
