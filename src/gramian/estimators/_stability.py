"""Stability of a choice under bootstrap resamples of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from gramian._support.types import Array

if TYPE_CHECKING:
    from gramian.estimators._pursuit_estimator import PursuitEstimator

E = TypeVar("E", bound="PursuitEstimator")


@dataclass(frozen=True)
class Stability:
    """Comparison of fits to bootstrap resamples with the fit to all rows.

    The method `stability` of GFR, GCA, GFS and GFA returns it.

    Attributes
    ----------
    frequency : array of shape (n_features,) or (n_components,)
        For a selection, the share of resamples in which each feature is selected. For directions,
        the mean squared length of the projection of each direction on the span of a resample's
        directions: 1 if the direction returns in every resample.
    agreement : array of shape (n_resamples,)
        The agreement of the choice in each resample with the choice of the fit. For a selection,
        the Jaccard index: the number of features in both choices over the number of features in
        either choice. For directions, the mean squared cosine of the principal angles between the
        spans.
    n_chosen : array of shape (n_resamples,)
        The number of directions or features in each resample.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian import GFS
    >>> z = np.random.default_rng(0).standard_normal((300, 2))
    >>> X = np.column_stack([3 * z, z[:, 0] * z[:, 1]])
    >>> stability = GFS(2).fit(X).stability(X, n_resamples=10)
    >>> stability.frequency
    array([1., 1., 0.])
    >>> stability.mean
    1.0
    """

    frequency: Array
    agreement: Array
    n_chosen: Array

    @property
    def mean(self) -> float:
        """The mean of `agreement`: 1 if every resample makes the same choice."""
        return float(self.agreement.mean())


def resample(estimator: E, X: Array, n_resamples: int, seed: int, n_jobs: int | None) -> list[E]:
    """Return fits to bootstrap resamples of the rows X.

    A fit has as weights the number of times that each row is drawn.
    """
    generators = np.random.default_rng(seed).spawn(n_resamples)
    fits: list[E] = Parallel(n_jobs=n_jobs)(
        delayed(_fit)(estimator, X, generator) for generator in generators
    )
    return fits


def _fit(estimator: E, X: Array, generator: np.random.Generator) -> E:
    n = X.shape[0]
    counts = generator.multinomial(n, np.full(n, 1 / n))
    fitted: E = clone(estimator).fit(X, sample_weight=counts)
    return fitted


def of_selections(selected: NDArray[np.bool_], resampled: ArrayLike) -> Stability:
    """Return the stability of a selection of features.

    Parameters
    ----------
    selected : array of bool, shape (n_features,)
        True for the features that the fit selected.
    resampled : array of bool, shape (n_resamples, n_features)
        True for the features that the fit to each resample selected.
    """
    masks = np.asarray(resampled, dtype=bool)
    common = (masks & selected).sum(axis=1)
    either = (masks | selected).sum(axis=1)
    agreement = np.where(either > 0, common / np.maximum(either, 1), 1.0)
    return Stability(masks.mean(axis=0), agreement, masks.sum(axis=1))


def of_subspaces(directions: Array, resampled: Sequence[Array]) -> Stability:
    """Return the stability of directions.

    Parameters
    ----------
    directions : array of shape (n_directions, n_features)
        The directions of the fit, orthonormal rows.
    resampled : sequence of arrays
        The directions of the fit to each resample, orthonormal rows.
    """
    lengths = [np.sum((each @ directions.T) ** 2, axis=0) for each in resampled]
    agreement = []
    for each in resampled:
        size = min(len(each), len(directions))
        cosines = np.linalg.svd(each @ directions.T, compute_uv=False)[:size]
        agreement.append(float(np.mean(np.minimum(cosines, 1.0) ** 2)) if size else 1.0)
    return Stability(
        np.mean(lengths, axis=0), np.array(agreement), np.array([len(each) for each in resampled])
    )
