"""A curved surface through the data: codes that are nearest points, and a polynomial decoder."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from gramian._blockwise import Output, aligned, lazily, source_of, write
from gramian._manifold_data import Opened, Table, table_of
from gramian._manifold_fit import decide, make_plan, run
from gramian._sklearn import Interval, RealNotInt, StrOptions, check_sample_weight
from gramian._types import Array
from gramian.exceptions import OverfittingWarning
from gramian.families import BY_NAME, Family
from gramian.manifold import Fit, Manifold, Round, Search
from gramian.rows import Source, is_dask

Data = Any
"""An array or data frame, files, blocks of rows, or a Dask collection."""
BUDGET = 2**30
"""Bytes that rows and what belongs to them may take, where they are not in memory anyway."""
HELD_OUT = 0.1
"""The share of rows held out where they decide on something, and no share is given."""
FAMILIES = {*BY_NAME} - {"indicator"}


class PolynomialManifold(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """A curved surface through the data, of few dimensions: PCA with a bent plane.

    A row's code are the coordinates of the nearest point of the surface, and the reconstruction is
    that point. Codes and surface are fitted in turn, from low degrees to higher ones, beginning
    with GFR's directions. With ``degree=1`` this is PCA.

    Parameters
    ----------
    n_components : int, default=2
        The number of codes of a row: the dimension of the surface.
    family : str or Family, default="polynomial"
        The functions of the codes that the surface is made of: "polynomial", "multilinear",
        "hermite", "legendre" or "fourier", of the given `degree`, or an instance from
        :mod:`gramian.families` whose functions have derivatives.
    degree : int or "auto", default=2
        The degree of a family given by name. Lower degrees, from 2 on, lead to it. "auto" takes
        the degree from 1 to 5 that leaves least on held-out rows.
    alpha : float or "auto", default=0.03
        The ridge penalty of functions of degree 2 and more, functions being scaled to norm one.
        "auto" lets held-out rows decide in every round.
    n_rounds : int or "auto", default=5
        How often codes and surface are fitted, with each degree; a round that would raise the error
        is not made. "auto" goes on until held-out rows gain no more, at most 20 times.
    code_penalty : float, default=0.001
        What it costs a code to be away from its linear estimate, for a distance of one and in units
        of what a code explains: it keeps codes from running away where the surface folds.
    tol : float, default=1e-4
        The search for the nearest point of a row ends when a step lowers its squared distance
        by less than this share.
    max_steps : int, default=50
        The most steps of this search.
    validation_fraction : float or None, default=None
        The share of rows to hold out where they decide on something, by default a tenth. They take
        part in a last fit, with what they decided on.
    random_state : int, RandomState or None, default=0
        Decides which rows are held out.
    memory_budget : int or None, default=None
        How many bytes rows of files may take; by default 1 GiB.
    verbose : int, default=0
        Whether to print a line a round.

    Attributes
    ----------
    components_ : array of shape (n_components_, n_features)
        What the columns gain, to first order, when a code grows by one: the regression of the
        columns on the codes. The rows are orthogonal, the longest first, and the largest entry of
        each is positive.
    n_components_ : int
        The number of codes; fewer than asked for where the data have fewer dimensions.
    mean_ : array of shape (n_features,)
        The mean of each feature.
    total_residual_variance_ : array of shape (n_rounds_ + 1,)
        The total variance, and what is left of it after each round.
    validation_total_residual_variance_ : array
        The same of held-out rows, where these decided, after every round that was tried.
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
    n_features_in_ : int
        The number of features.
    feature_names_in_ : array of shape (n_features,)
        The names of the features, where X has any.

    See Also
    --------
    GFR : Linear features, with the same kind of decoder.

    Notes
    -----
    Codes of the rows of the fit are uncorrelated and have mean 0 and variance 1. The features are
    centred, not scaled: standardize them first if their units differ.

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
        "family": [StrOptions(FAMILIES), Family],
        "degree": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
        "alpha": [Interval(Real, 0, None, closed="left"), StrOptions({"auto"})],
        "n_rounds": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
        "code_penalty": [Interval(Real, 0, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "max_steps": [Interval(Integral, 1, None, closed="left")],
        "validation_fraction": [Interval(RealNotInt, 0, 1, closed="neither"), None],
        "random_state": ["random_state"],
        "memory_budget": [Interval(Integral, 2**20, None, closed="left"), None],
        "verbose": ["verbose"],
    }
    _manifold: Manifold
    validation_total_residual_variance_: Array

    def __init__(
        self,
        n_components: int = 2,
        *,
        family: str | Family = "polynomial",
        degree: int | Literal["auto"] = 2,
        alpha: float | Literal["auto"] = 0.03,
        n_rounds: int | Literal["auto"] = 5,
        code_penalty: float = 1e-3,
        tol: float = 1e-4,
        max_steps: int = 50,
        validation_fraction: float | None = None,
        random_state: int | np.random.RandomState | None = 0,
        memory_budget: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
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

    def fit(self, X: Data, y: None = None, sample_weight: Any = None) -> Self:
        """Fit to data.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), files or a Dask collection
            The data; see :meth:`gramian.GFR.fit`.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), str or Dask array, optional
            Weights of the samples in every expectation, or the name of the column that holds them;
            an integer weight is as good as so many copies of the row.

        Returns
        -------
        self
            The fitted estimator.
        """
        self._validate_params()
        table = table_of(self, X, sample_weight, self.memory_budget or BUDGET)
        if self.n_components > table.n_columns:
            raise ValueError(
                f"n_components={self.n_components} is more than X has columns "
                f"(n_features={table.n_columns}); give at most {table.n_columns}."
            )
        opened = table.open(None, 0)
        rows = opened.rows
        plan = make_plan(
            self.n_components,
            self.family,
            self.degree,
            self.alpha,
            self.n_rounds,
            rows.n_rows,
            Search(float(self.code_penalty), float(self.tol), int(self.max_steps)),
            verbose=bool(self.verbose),
        )
        validation: Array | None = None
        if "auto" in (self.degree, self.alpha, self.n_rounds):
            seed = int(check_random_state(self.random_state).randint(2**31))
            part = table.open(self.validation_fraction or HELD_OUT, seed)
            assert part.held_out is not None
            found, n = decide(part.rows, part.held_out, plan)
            rounds: Sequence[Round] = found.rounds[:n]
            validation = found.errors
        else:
            rounds = plan.rounds()
        fit = run(rows, plan, rounds)
        self._record(fit, table, opened)
        self._record_validation(validation)
        return self

    def _record(self, fit: Fit, table: Table, opened: Opened) -> None:
        """Set the fitted attributes."""
        scale = float(opened.centring.scale[0])
        manifold = replace(fit.manifold, unit=scale)
        mean = opened.centring.mean
        if table.axes is not None:
            manifold, mean = manifold.lifted(table.axes), mean @ table.axes
        self.n_features_in_ = table.n_columns
        if table.names is not None:
            self.feature_names_in_ = np.array(table.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self._manifold = manifold
        self.mean_ = mean + table.shift
        self.components_ = scale * manifold.lines
        self.n_components_ = len(self.components_)
        self.n_samples_ = opened.rows.n_rows
        self.family_ = fit.rounds[-1].family
        self.alpha_ = fit.rounds[-1].alpha
        self.n_rounds_ = len(fit.rounds)
        self.n_functions_ = len(manifold.surface.terms)
        whole = float(np.trace(opened.rows.covariance()))
        self.total_residual_variance_ = scale**2 * np.append(whole, fit.errors)

    def _record_validation(self, shares: Array | None) -> None:
        """Keep what held-out rows said, or warn where there are none and functions abound."""
        if hasattr(self, "validation_total_residual_variance_"):
            del self.validation_total_residual_variance_  # of an earlier fit
        if shares is not None:
            whole = self.total_residual_variance_[0]
            self.validation_total_residual_variance_ = whole * np.append(1.0, shares)
        elif 2 * self.n_functions_ > self.n_samples_:
            warnings.warn(
                f"{self.n_functions_} functions were fitted to {self.n_samples_} samples. Above "
                "half as many functions as samples, what is left of the same samples is far too "
                "small. Use degree='auto', a lower degree, fewer components, or more samples.",
                OverfittingWarning,
                stacklevel=3,
            )

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def transform(self, X: Data, *, linear: bool = False, output: Output = None) -> Any:
        """Return the codes of rows: the coordinates of the nearest points of the surface.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or anything that `fit` takes
            The data.
        linear : bool, default=False
            Whether to return the linear estimates with which the search begins, for speed and for
            reading; for closed curves these are angles.
        output : path, optional
            For files, the file to write: .parquet, .feather, .csv or .npy.

        Returns
        -------
        Z : array of shape (n_samples, n_components)
            The codes, in float32 if X is. Of a Dask collection a lazy one; of files the path of
            the file that was written.
        """
        check_is_fitted(self)
        names = self.get_feature_names_out()
        if is_dask(X):
            return lazily(X, partial(self._transform, linear=linear), names, self.n_components_)
        source = source_of(X)
        if source is not None:
            return write(self._rows_of(source), partial(self._encode, linear=linear), names, output)
        return self._transform(X, linear=linear)

    def _transform(self, X: ArrayLike, *, linear: bool) -> Array:
        return self._encode(self._check_rows(X), linear=linear)

    def _encode(self, table: Array, *, linear: bool) -> Array:
        x = table - self.mean_.astype(table.dtype)
        return self._manifold.estimate(x) if linear else self._manifold.encode(x)[0]

    def inverse_transform(self, Z: Data, *, output: Output = None) -> Any:
        """Return the points of the surface that have these codes.

        Parameters
        ----------
        Z : array-like of shape (n_samples, n_components), files or a Dask collection
            Codes, as `transform` returns them.
        output : path, optional
            For files, the file to write: .parquet, .feather, .csv or .npy.

        Returns
        -------
        X : array of shape (n_samples, n_features)
            The features, in float32 if Z is. Of a Dask collection a lazy one; of files the path of
            the file that was written.
        """
        check_is_fitted(self)
        names: Sequence[str] | None = getattr(self, "feature_names_in_", None)
        if is_dask(Z):
            return lazily(Z, self._inverse_transform, names, self.n_features_in_)
        source = source_of(Z)
        if source is None:
            return self._inverse_transform(Z)
        if names is None:
            names = [f"x{i}" for i in range(self.n_features_in_)]
        codes = aligned(source, self.get_feature_names_out(), self.n_components_)
        return write(codes, self._inverse_transform, names, output)

    def _inverse_transform(self, Z: ArrayLike) -> Array:
        codes: Array = check_array(Z, dtype=[np.float64, np.float32])
        if codes.shape[1] != self.n_components_:
            raise ValueError(
                f"Z has {codes.shape[1]} columns, but {type(self).__name__} has "
                f"{self.n_components_} components."
            )
        return (self._manifold.decode(codes) + self.mean_).astype(codes.dtype, copy=False)

    def score(self, X: Data, y: None = None, sample_weight: ArrayLike | None = None) -> float:
        """Return the share of the variance of X that the surface explains.

        It is 1 - Σ‖x - x̂‖² / Σ‖x - mean‖², where x̂ is the nearest point of x.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or anything that `fit` takes
            The data.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the samples in both sums.

        Returns
        -------
        score : float
            At most 1; 0 is as good as the mean of the fit.
        """
        if is_dask(X):
            error, size = np.asarray(self._lazy_errors(X).sum(axis=0).compute(), dtype=np.float64)
            return 1 - float(error) / float(size) if size > 0 else 1.0
        errors, sizes = self._errors(X)
        weights = np.ones(len(errors))
        if sample_weight is not None:
            weights = check_sample_weight(
                sample_weight, errors[:, np.newaxis], dtype=np.float64, ensure_non_negative=True
            )
        size = float(weights @ sizes)
        return 1 - float(weights @ errors) / size if size > 0 else 1.0

    def reconstruction_error(self, X: Data) -> Any:
        """Return the squared distance of each row from the surface.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or anything that `fit` takes
            The data.

        Returns
        -------
        errors : array of shape (n_samples,)
            Sums of squares over the features.
        """
        if is_dask(X):
            both = self._lazy_errors(X)
            return both["error"] if hasattr(both, "columns") else both[:, 0]
        return self._errors(X)[0]

    def _lazy_errors(self, X: Data) -> Any:
        check_is_fitted(self)
        return lazily(X, self._both_errors, ["error", "size"], 2)

    def _both_errors(self, X: ArrayLike) -> Array:
        return np.column_stack(self._errors_of(self._check_rows(X)))

    def _errors(self, X: Data) -> tuple[Array, Array]:
        """Return the squared distances of rows from the surface, and from the mean."""
        check_is_fitted(self)
        source = source_of(X)
        if source is None:
            return self._errors_of(self._check_rows(X))
        parts = [self._errors_of(table) for table in self._rows_of(source)]
        return np.concatenate([e for e, _ in parts]), np.concatenate([s for _, s in parts])

    def _errors_of(self, table: Array) -> tuple[Array, Array]:
        x = table - self.mean_.astype(table.dtype)
        errors = self._manifold.encode(x)[1]
        return errors.astype(np.float64), np.einsum("ij,ij->i", x, x).astype(np.float64)

    def _check_rows(self, X: ArrayLike) -> Array:
        check_is_fitted(self)
        table: Array = validate_data(self, X, dtype=[np.float64, np.float32], reset=False)
        return table

    def _rows_of(self, source: Source) -> Iterator[Array]:
        """Read the columns of the fit from files or blocks of rows."""
        return aligned(source, getattr(self, "feature_names_in_", None), self.n_features_in_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
