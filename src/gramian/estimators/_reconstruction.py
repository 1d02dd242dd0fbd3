"""What GFR, GCA, GFS and GFA share: fits, choices on held-out rows, and resamples."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar, Self

from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils import check_random_state

from gramian._support.types import Array
from gramian.estimators._decoding import Decoding
from gramian.estimators._estimator import Data
from gramian.estimators._path import DEGREES, MAX_FUNCTIONS, Path
from gramian.estimators._pursuit_estimator import PursuitEstimator, named_families
from gramian.estimators._stability import Stability, resample
from gramian.families import Family
from gramian.fitting import (
    Algorithm,
    CheckedData,
    FittedModel,
    HoldOut,
    Plan,
    Preparation,
    ValidationData,
    check_data,
    check_rows,
)

if TYPE_CHECKING:
    from gramian.explanations import Explanation

DEFAULT_VALIDATION = 0.1
"""The share of rows held out where something is to be chosen by them, and no share is given."""


class Reconstruction(Decoding[FittedModel], PursuitEstimator):
    """An algorithm that can reconstruct all columns from what it keeps."""

    _scales_columns: ClassVar[bool]
    """Whether each column is a variable, and so scaled to variance 1 in any case."""
    _prescribes: ClassVar[bool] = False
    """Whether a fit to all rows keeps the choice that was made when rows were held out."""

    family_: Family
    alpha_: float
    alpha_path_: Array
    scale_: Array | None
    gcv_total_residual_variance_: Array
    validation_residual_variance_: Array
    validation_total_residual_variance_: Array

    @property
    @abstractmethod
    def _algorithm(self) -> Algorithm:
        """The function that fits."""

    def _plan(self) -> Plan:
        """Return how to fit, in terms that depend on nothing but the parameters."""
        if self.degree == "auto" or self.family == "auto":
            families = self._families(None, DEGREES if self.degree == "auto" else (self.degree,))
            return self._comparison(families, self.random_state)
        share = self.validation_fraction
        if share is None and self.early_stopping:
            share = DEFAULT_VALIDATION
        plain = Plan(
            self._algorithm,
            (self._request(self._family()),),
            self._preparation,
            None if share is None else HoldOut(share, self.random_state),
            decides=False,
            prescribes=self._prescribes,
        )
        if self.alpha != "auto":
            return plain
        (request,) = plain.requests
        hold_out = HoldOut(share or DEFAULT_VALIDATION, self.random_state)
        return replace(
            plain,
            requests=(replace(request, solver="auto" if self.solver == "qr" else self.solver),),
            hold_out=hold_out,
            decides=True,
            plain=replace(plain, requests=(request.without_shrinkage(),)),
        )

    def _comparison(self, families: Sequence[Family], random_state: Any) -> Plan:
        """Return how to fit several families, of which held-out rows choose one."""
        limited = clone(self).set_params(max_functions=self.max_functions or MAX_FUNCTIONS)
        requests = [
            limited._request(family, f"family-{number}") for number, family in enumerate(families)
        ]
        share = self.validation_fraction or DEFAULT_VALIDATION
        return Plan(
            self._algorithm,
            tuple(requests),
            self._preparation,
            HoldOut(share, random_state),
            decides=True,
            prescribes=self._prescribes,
        )

    def _families(
        self, families: Sequence[str | Family] | None, degrees: Sequence[int | None]
    ) -> list[Family]:
        if families is None:
            families = ["multilinear", "polynomial"] if self.family == "auto" else [self.family]
        return named_families(families, degrees)

    @property
    def _preparation(self) -> Preparation:
        return Preparation(
            "column" if self._scales_columns or self.scale else "table",
            counts=self.scale,
            covariance=not self._scales_columns,
            checksum=self.checkpoint is not None,
        )

    def fit(
        self,
        X: Data,
        y: None = None,
        sample_weight: Any = None,
        validation_data: ValidationData = None,
    ) -> Self:
        """Fit to data.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), files or a Dask collection
            The data: an array or data frame; a SciPy sparse array or matrix, which is centred
            without writing its zeros out; the path of a .csv, .tsv (also with .gz or .zst),
            .parquet, .feather, .arrow, .npy or .npz file, a list of paths, or a folder of Parquet
            files; a PyArrow dataset; an object that yields blocks of rows whenever it is iterated
            over, or a function that returns such an iterator; a Dask array or data frame.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), str or Dask array, optional
            Weights of the samples in every expectation, or the name of the column that holds them;
            an integer weight is equivalent to that many copies of the row, except where left-out
            rows decide (on `alpha`, or on what is redundant), since copies predict each other.
        validation_data : array-like of shape (n_held_out, n_features), or tuple, optional
            Rows to measure residuals on that take no part in the expectations, or a pair of such
            rows and their weights; in place of a random part of X. Those with missing values are
            left out.

        Returns
        -------
        self
            The fitted estimator.
        """
        self._validate_params()
        plan = self._plan()
        data = check_data(self, X, sample_weight, validation_data, self.memory_budget)
        self._check_count(data)
        plan = self._informed(plan, data)
        model, gaps = data.fit(plan.fit, plan.families)
        model = replace(model, gaps=gaps, asked=self._asked)
        self._warn(model)
        self._become(model)
        return self

    def _informed(self, plan: Plan, data: CheckedData) -> Plan:
        """Return how to fit when more is known of the data."""
        return plan

    def _attributes(self, model: FittedModel) -> dict[str, Any]:
        record = model.record
        found = {
            **super()._attributes(model),
            "scale_": model.scale,
            "family_": model.family,
            "alpha_": record.alpha,
            "alpha_path_": record.alpha_path,
            "gcv_total_residual_variance_": record.gcv_total,
        }
        if record.validation_total is not None:
            found["validation_residual_variance_"] = record.validation_largest
            found["validation_total_residual_variance_"] = record.validation_total
        return found

    def path(
        self,
        X: ArrayLike,
        *,
        degrees: Sequence[int | None] = DEGREES,
        families: Sequence[str | Family] | None = None,
        sample_weight: ArrayLike | None = None,
        validation_data: ValidationData = None,
    ) -> Path[Self]:
        """Fit several families and compare them on the same held-out rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The data.
        degrees : sequence of int, default=(1, 2, 3, 4)
            The degrees of families given by name.
        families : sequence of str or Family, optional
            The families; by default the one of this estimator, where "auto" stands for
            "multilinear" and "polynomial".
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the samples in every expectation.
        validation_data : array-like of shape (n_held_out, n_features), or tuple, optional
            The rows to compare by, in place of a random part of X.

        Returns
        -------
        path : Path
            Fits to the rows that are not held out. Each ends before it has more than
            `max_functions` functions, by default 5,000. See :class:`gramian.results.Path`.

        Examples
        --------
        >>> import numpy as np
        >>> from gramian import GFR
        >>> z = np.random.default_rng(0).standard_normal((500, 2))
        >>> X = np.column_stack([3 * z, z[:, 0] * z[:, 1], z[:, 0] ** 2])
        >>> path = GFR(2).path(X, degrees=[1, 2], families=["multilinear", "polynomial"])
        >>> path.best().family_
        Polynomial(2)
        """
        self._validate_params()
        seed = self.random_state
        if not isinstance(seed, Integral):  # what is returned tells which rows were held out
            seed = int(check_random_state(seed).randint(2**31))
        plan = self._comparison(self._families(families, degrees), seed)
        data = check_data(self, X, sample_weight, validation_data, self.memory_budget)
        self._check_count(data)
        assert plan.hold_out is not None
        fits = []
        models, gaps = data.fit(plan.compare, plan.families)
        for request, model in zip(plan.requests, models, strict=True):
            fit = clone(self).set_params(
                family=request.family,
                degree=None,
                random_state=seed,
                max_functions=request.limits.max_functions,
                validation_fraction=plan.hold_out.share,
                checkpoint=request.checkpoint,
            )
            fit._become(replace(model, gaps=gaps, asked=fit._asked))
            fits.append(fit)
        return Path(tuple(fits))

    def explain(self, X: ArrayLike | None = None, **options: Any) -> Explanation:
        """Say which columns are redundant, and by which formula; see :func:`gramian.explain`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), optional
            Rows to test formulas on.
        **options : dict
            `max_terms`, `min_gain`, `features` and `sample_weight`, as in :func:`gramian.explain`.

        Returns
        -------
        explanation : Explanation
            A sequence of `Redundancy`.

        Examples
        --------
        >>> import numpy as np
        >>> from gramian import GFS
        >>> z = np.random.default_rng(0).uniform(1, 2, (300, 2))
        >>> X = np.column_stack([3 * z, 0.9 * z[:, 0] * z[:, 1]])
        >>> print(GFS(2).fit(X).explain())
        x2 = 0.1 · x0 · x1 (R² 1)
        """
        from gramian.explanations import explain

        return explain(self, X, **options)

    def stability(
        self,
        X: ArrayLike,
        n_resamples: int = 50,
        *,
        random_state: int = 0,
        n_jobs: int | None = None,
    ) -> Stability:
        """Fit to bootstrap resamples and see how much of this fit's choice returns.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The data of this fit.
        n_resamples : int, default=50
            The number of resamples. Each takes as long as the fit.
        random_state : int, default=0
            Decides on the resamples.
        n_jobs : int, optional
            How many fits to run at the same time, as in joblib.

        Returns
        -------
        stability : Stability
            How often each feature or direction returns, and how much each resample agrees. See
            :class:`gramian.results.Stability`.

        Examples
        --------
        >>> import numpy as np
        >>> from gramian import GFS
        >>> z = np.random.default_rng(0).standard_normal((300, 2))
        >>> X = np.column_stack([3 * z, z[:, 0] * z[:, 1]])
        >>> GFS(2).fit(X).stability(X, n_resamples=10).frequency
        array([1., 1., 0.])
        """
        if not isinstance(n_resamples, Integral) or n_resamples < 1:
            raise ValueError(f"n_resamples must be a positive number; got {n_resamples!r}.")
        table = check_rows(self, X, gaps=True)
        return self._compare(resample(self, table, n_resamples, random_state, n_jobs))

    @abstractmethod
    def _compare(self, others: Sequence[Self]) -> Stability:
        """Compare with fits to resamples."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
