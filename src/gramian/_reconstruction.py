"""What the decoder is good for: to reconstruct rows, score a fit, and find rows that break it."""

from __future__ import annotations

import os
import pathlib
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import (
    _check_sample_weight,
    check_array,
    check_is_fitted,
    validate_data,
)

from gramian._base import PursuitEstimator
from gramian._blockwise import Output, aligned, lazily, source_of, write
from gramian._decoder import Decoder
from gramian._path import MAX_FUNCTIONS, Path
from gramian._preparation import DEFAULT_VALIDATION, Problem, Scaling, ValidationData
from gramian._stability import Stability, resample
from gramian._types import Array
from gramian.families import BY_NAME, Family, by_name
from gramian.rows import Source, is_dask

if TYPE_CHECKING:
    from gramian.explanations import Explanation

DECISIONS = (
    "validation_residual_variance_",
    "validation_total_residual_variance_",
    "alpha_path_",
    "stop_reason_",
)
"""What a fit to all rows takes over from the one with which held-out rows decided."""
DEGREES = (1, 2, 3, 4)
"""Among these chooses `degree="auto"`."""
Data = Any
"""An array or data frame, files, blocks of rows, or a Dask collection."""
BLOCK_ROWS = 4096
"""Rows that are reconstructed at once where only their errors are needed."""


class Reconstruction(PursuitEstimator):
    """An algorithm that can reconstruct all columns from what it keeps."""

    _scaling: ClassVar[Scaling]
    mean_: Array
    _decoder: Decoder
    _variances: Array
    """Of the columns, or of GCA's directions."""

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
            The data: an array or data frame; the path of a .csv, .tsv (also with .gz or .zst),
            .parquet, .feather, .arrow, .npy or .npz file, a list of paths, or a folder of Parquet
            files; a PyArrow dataset; an object that yields blocks of rows whenever it is iterated
            over, or a function that returns such an iterator; a Dask array or data frame.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), str or Dask array, optional
            Weights of the samples in every expectation, or the name of the column that holds them;
            an integer weight is as good as so many copies of the row.
        validation_data : array-like of shape (n_held_out, n_features), or tuple, optional
            Rows to measure residuals on that take no part in the expectations, or a pair of such
            rows and their weights; in place of a random part of X.

        Returns
        -------
        self
            The fitted estimator.
        """
        self._validate_params()
        chosen = self
        if self.degree == "auto" or self.family == "auto":
            degrees = DEGREES if self.degree == "auto" else (self.degree,)
            chosen = self.path(
                X, degrees=degrees, sample_weight=sample_weight, validation_data=validation_data
            ).best()
        else:
            self._fit(self._prepare(X, sample_weight, validation_data, self._scaling))
        decided = chosen is not self or self.alpha == "auto"
        if decided and validation_data is None:
            chosen = self._refit(chosen, X, sample_weight)
        self._adopt(chosen, set(vars(chosen)) - set(self.get_params(deep=False)))
        self._warn()
        return self

    def _refit(self, chosen: Self, X: ArrayLike, sample_weight: ArrayLike | None) -> Self:
        """Fit to all rows, with what held-out ones decided on."""
        final: Self = clone(self).set_params(
            family=chosen.family_,
            degree=None,
            alpha=chosen.alpha_,
            validation_fraction=None,
            early_stopping=False,
            checkpoint=self._checkpoint_of("all-rows"),
        )
        problem = final._prepare(X, sample_weight, None, self._scaling)
        final._fit(replace(problem, repeated=chosen._choices()))
        final._adopt(chosen, {*DECISIONS})
        return final

    @abstractmethod
    def _choices(self) -> Sequence[int]:
        """Return what another fit needs to choose as this one did."""

    def _adopt(self, other: Self, names: Iterable[str]) -> None:
        for name in names:
            setattr(self, name, getattr(other, name))

    @abstractmethod
    def _fit(self, problem: Problem) -> None:
        """Run the pursuit, and set the fitted attributes."""

    @abstractmethod
    def _encode(self, x: Array) -> Array:
        """Return what is kept of centred rows, in the order in which it was chosen."""

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
            `max_functions` functions, by default 5,000.

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
        seed = self.random_state
        if not isinstance(seed, Integral):  # all are to hold the same rows out
            seed = int(check_random_state(seed).randint(2**31))
        fits = []
        for number, family in enumerate(self._candidates(families, degrees)):
            fit = clone(self).set_params(
                family=family,
                degree=None,
                random_state=seed,
                max_functions=self.max_functions or MAX_FUNCTIONS,
                validation_fraction=self.validation_fraction or DEFAULT_VALIDATION,
                checkpoint=self._checkpoint_of(f"family-{number}"),
            )
            fit._fit(fit._prepare(X, sample_weight, validation_data, self._scaling))
            fits.append(fit)
        return Path(tuple(fits))

    def _checkpoint_of(self, part: str) -> os.PathLike[str] | None:
        """Return the folder for one of several fits, where fits leave checkpoints."""
        return None if self.checkpoint is None else pathlib.Path(self.checkpoint) / part

    def _candidates(
        self, families: Sequence[str | Family] | None, degrees: Sequence[int | None]
    ) -> list[Family]:
        if families is None:
            families = ["multilinear", "polynomial"] if self.family == "auto" else [self.family]
        for family in families:
            if not isinstance(family, Family) and family not in BY_NAME:
                raise ValueError(
                    f"families must be instances of Family or names among {sorted(BY_NAME)}; got "
                    f"{family!r}."
                )
        if not len(families) or not len(degrees):
            raise ValueError("A path needs at least one family and one degree.")
        fixed = [family for family in families if isinstance(family, Family)]
        named = [family for family in families if isinstance(family, str)]
        return fixed + [by_name(name, degree) for degree in degrees for name in named]

    def _check_rows(self, X: ArrayLike) -> Array:
        check_is_fitted(self)
        table: Array = validate_data(self, X, dtype=[np.float64, np.float32], reset=False)
        return table

    def _check_kept(self, Z: ArrayLike, n: int, name: str) -> Array:
        check_is_fitted(self)
        table: Array = check_array(Z, dtype=[np.float64, np.float32], ensure_min_features=0)
        if table.shape[1] != n:
            raise ValueError(
                f"X has {table.shape[1]} columns, but {type(self).__name__} has {n} {name}."
            )
        return table

    def score(self, X: Data, y: None = None, sample_weight: ArrayLike | None = None) -> float:
        """Return the share of the variance of X that the reconstruction explains.

        It is 1 - Σ‖x - x̂‖² / Σ‖x - mean‖². On rows that took no part in the fit it tells how
        well the fit generalizes, so that a grid search finds family, degree, `alpha` and number
        of features.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The data.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the samples in both sums.

        Returns
        -------
        score : float
            At most 1; 0 is as good as the mean of the fit, less is worse.
        """
        if is_dask(X):
            both = lazily(X, self._both_errors, ["error", "size"], 2)
            error, size = np.asarray(both.sum(axis=0).compute(), dtype=np.float64)
            return 1 - float(error) / float(size) if size > 0 else 1.0
        errors, sizes = self._errors(X)
        weights = np.ones(len(errors))
        if sample_weight is not None:
            weights = _check_sample_weight(
                sample_weight, errors[:, np.newaxis], dtype=np.float64, ensure_non_negative=True
            )
        size = float(weights @ sizes)
        return 1 - float(weights @ errors) / size if size > 0 else 1.0

    def reconstruction_error(self, X: Data) -> Any:
        """Return what the reconstruction of each row misses, ‖x - x̂‖².

        Large errors flag rows that break the redundancy which the fit has learned.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The data.

        Returns
        -------
        errors : array of shape (n_samples,)
            Sums of squares over the features.
        """
        if is_dask(X):
            both = lazily(X, self._both_errors, ["error", "size"], 2)
            return both["error"] if hasattr(both, "columns") else both[:, 0]
        return self._errors(X)[0]

    def _both_errors(self, X: ArrayLike) -> Array:
        return np.column_stack(self._errors_of(self._check_rows(X)))

    def _errors(self, X: Data) -> tuple[Array, Array]:
        """Return the squared distances of rows from their reconstruction, and from the mean."""
        check_is_fitted(self)
        source = source_of(X)
        if source is not None:
            parts = [self._errors_of(table) for table in self._rows_of(source)]
            return np.concatenate([e for e, _ in parts]), np.concatenate([s for _, s in parts])
        return self._errors_of(self._check_rows(X))

    def _rows_of(self, source: Source) -> Iterator[Array]:
        """Read the columns of the fit from files or blocks of rows."""
        return aligned(source, self._names_in, self.n_features_in_)

    def _decode(
        self, Z: Data, function: Callable[[ArrayLike], Array], kept: Sequence[str], output: Output
    ) -> Any:
        """Apply a function from what was kept to all columns to data of any kind."""
        names = self._names_in
        if is_dask(Z):
            return lazily(Z, function, names, self.n_features_in_)
        source = source_of(Z)
        if source is None:
            return function(Z)
        if names is None:
            names = [f"x{i}" for i in range(self.n_features_in_)]
        return write(aligned(source, kept, len(kept)), function, names, output)

    def _errors_of(self, table: Array) -> tuple[Array, Array]:
        errors, sizes = np.empty(len(table)), np.empty(len(table))
        for start in range(0, len(table), BLOCK_ROWS):
            part = slice(start, start + BLOCK_ROWS)
            x = table[part] - self.mean_
            sizes[part] = np.einsum("ij,ij->i", x, x)
            x -= self._decoder(self._encode(x))
            errors[part] = np.einsum("ij,ij->i", x, x)
        return errors, sizes

    def explain(self, X: ArrayLike | None = None, **options: Any) -> Explanation:
        """Say which columns are redundant, and by which formula; see :func:`gramian.explain`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), optional
            Rows to test formulas on.
        **options : dict
            `max_terms`, `min_gain`, `features` and `sample_weight`, as of :func:`gramian.explain`.

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
            How often each feature or direction returns, and how much each resample agrees.

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
        table = self._check_rows(X)
        return self._compare(resample(self, table, n_resamples, random_state, n_jobs))

    @abstractmethod
    def _compare(self, others: Sequence[Self]) -> Stability:
        """Compare with fits to resamples."""
