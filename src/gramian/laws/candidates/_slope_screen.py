"""Fast test for slopes: residuals of each number after a fit by lines or planes in each level.

A level is a distinct value of a category. Only good fits are then judged.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gramian._support.types import Array, IntArray

NO_VARIANCE = 1e-20
"""A variance within a level counts as zero up to this share of the variance in all rows."""
LESS_WITH_LEVELS = 0.25
"""Fits by level count only if their residual is below this share of the residual of one fit."""
COLLINEAR = 1e-9
"""Two numbers are collinear if a line in one leaves at most this share of the other's variance."""


def lines(codes: IntArray, x: Array) -> Array:
    """Fit each number by lines in each other number, one line for each level of a category.

    Return residual shares. The share is infinite if one line for all levels fits about as well.

    Parameters
    ----------
    codes : array of shape (n_rows,)
        The code of each row's level; negative codes are missing.
    x : array of shape (n_rows, n_numbers)
        The columns of numbers; NaN is missing.

    Returns
    -------
    left : array of shape (n_numbers, n_numbers)
        At [i, j]: the residual variance of number j fitted by lines in number i, divided by the
        variance of j within levels.
    """
    return _share(_lines(codes, x), _lines(np.minimum(codes, 0), x))


def _lines(codes: IntArray, x: Array) -> tuple[Array, Array]:
    """Fit each number by lines in each other number, one line per distinct value of a category.

    Return two arrays of shape (n_numbers, n_numbers): the sums of squared residuals, and the sums
    of squares around the means for each distinct value. Parameters are those of `lines`.
    """
    d = x.shape[1]
    left, total = np.zeros((d, d)), np.zeros((d, d))
    for rows in _levels(codes, x):
        there = (~np.isnan(rows)).astype(np.float64)
        n = there.T @ there
        some = np.where(there > 0, rows, 0.0)
        sums = some.T @ there  # at [i, j]: the sum of number i over rows in which j is present
        squares = (some**2).T @ there
        safe = np.maximum(n, 1)
        variance = squares - sums**2 / safe
        covariance = some.T @ some - sums * sums.T / safe
        enough = n > 2
        total += np.where(enough, variance.T, 0.0)
        cause = np.where(variance > NO_VARIANCE * safe, variance, 0.0)
        left += np.where(enough, _left(covariance, cause, variance.T), 0.0)
    return left, total


def planes(codes: IntArray, x: Array) -> Array:
    """Fit each number by planes in two others, one plane per distinct value of a category.

    The parameters are those of `lines`; only rows without missing numbers are used. The result at
    [i, j, k] is the residual share of number k fitted by planes in the numbers i and j.
    """
    present = ~np.isnan(x).any(axis=1)
    codes, x = codes[present], x[present]
    return _share(_planes(codes, x), _planes(np.minimum(codes, 0), x))


def _planes(codes: IntArray, x: Array) -> tuple[Array, Array]:
    d = x.shape[1]
    left, total = np.zeros((d, d, d)), np.zeros((d, d, d))
    for rows in _levels(codes, x):
        if len(rows) <= 3:
            continue
        centred = rows - rows.mean(axis=0)
        gram = centred.T @ centred
        own = np.diag(gram)
        safe = np.where(own > 0, own, np.inf)
        # At [i, j, k]: the product of the residuals of j and k after a line in i.
        rest = gram - gram[:, :, np.newaxis] * gram[:, np.newaxis, :] / safe[:, None, None]
        variance = np.maximum(np.diagonal(rest, axis1=1, axis2=2), 0.0)
        second = np.where(variance > COLLINEAR * own, variance, 0.0)
        total += own
        left += _left(rest, second[:, :, np.newaxis], variance[:, np.newaxis, :])
    return left, total


def _left(covariance: Array, cause: Array, effect: Array) -> Array:
    """Return the residual variance of each effect after a regression on its cause.

    Parameters
    ----------
    covariance : array
        The covariances of cause and effect.
    cause, effect : arrays
        Their variances.
    """
    varies = cause > 0
    explained = np.where(varies, covariance**2 / np.where(varies, cause, 1.0), 0.0)
    return np.maximum(effect - explained, 0.0)


def _share(levels: tuple[Array, Array], one: tuple[Array, Array]) -> Array:
    """Return residual / total of the fits by level; infinity if one fit for all is about as good.

    A level is a distinct value of a category. Both arguments are pairs (residual, total): of the
    fits by level, and of one fit for all levels.
    """
    left, total = levels
    better = (total > 0) & (left < LESS_WITH_LEVELS * one[0])
    found: Array = np.where(better, left / np.where(total > 0, total, 1.0), np.inf)
    return found


def _levels(codes: IntArray, x: Array) -> Iterator[Array]:
    """Yield the rows of each level, minus the means of the level.

    Parameters
    ----------
    codes : array of shape (n_rows,)
        The code of each row's level (distinct value of a category); negative codes are missing.
    x : array of shape (n_rows, n_numbers)
        The columns of numbers. They are divided by their standard deviation in all rows.
    """
    order = np.argsort(codes, kind="stable")
    order = order[codes[order] >= 0]
    x, codes = x[order], codes[order]
    if not len(codes):
        return
    starts = np.flatnonzero(np.concatenate([[True], codes[1:] != codes[:-1]]))
    scale = np.nanstd(x, axis=0)
    x = (x - np.nanmean(x, axis=0)) / np.where(scale > 0, scale, 1.0)
    for rows in np.split(x, starts[1:]):
        n = np.maximum((~np.isnan(rows)).sum(axis=0), 1)
        yield rows - np.nansum(rows, axis=0) / n
