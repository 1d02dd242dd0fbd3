"""Screening of slopes: the variance that lines and planes within levels leave of each number."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gramian._support.types import Array, IntArray

NO_VARIANCE = 1e-20
"""Largest variance within a level, as a share of the whole variance, that counts as zero."""
LESS_WITH_LEVELS = 0.25
"""Largest residual with levels, as a share of the residual without levels."""
COLLINEAR = 1e-9
"""Largest residual variance of a number on another number that counts as zero."""


def lines(codes: IntArray, x: Array) -> Array:
    """Return the residual share of each number by each other number, with a line for each level.

    The share is infinite if one line for all levels leaves about as little.

    Parameters
    ----------
    codes : array of shape (n_rows,)
        The levels; codes below zero are missing.
    x : array of shape (n_rows, n_numbers)
        The numbers; NaN is missing.

    Returns
    -------
    left : array of shape (n_numbers, n_numbers)
        At [i, j], the share of the variance of j within levels that lines by i leave.
    """
    return _share(_lines(codes, x), _lines(np.minimum(codes, 0), x))


def _lines(codes: IntArray, x: Array) -> tuple[Array, Array]:
    """Return the sums of squares that lines leave, and the sums of squares within levels."""
    d = x.shape[1]
    left, total = np.zeros((d, d)), np.zeros((d, d))
    for rows in _levels(codes, x):
        there = (~np.isnan(rows)).astype(np.float64)
        n = there.T @ there
        some = np.where(there > 0, rows, 0.0)
        sums = some.T @ there  # at [i, j]: the sum of i over rows that have j
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
    """Return the residual share of each number by two others, in rows that have all numbers.

    The parameters are those of `lines`. At [i, j, k] is the share of k by planes in i and j.
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
        # Products of residuals of all numbers on the first number.
        rest = gram - gram[:, :, np.newaxis] * gram[:, np.newaxis, :] / safe[:, None, None]
        variance = np.maximum(np.diagonal(rest, axis1=1, axis2=2), 0.0)
        second = np.where(variance > COLLINEAR * own, variance, 0.0)
        total += own
        left += _left(rest, second[:, :, np.newaxis], variance[:, np.newaxis, :])
    return left, total


def _left(covariance: Array, cause: Array, effect: Array) -> Array:
    """Return the residual variance of effects, given causes."""
    varies = cause > 0
    explained = np.where(varies, covariance**2 / np.where(varies, cause, 1.0), 0.0)
    return np.maximum(effect - explained, 0.0)


def _share(levels: tuple[Array, Array], one: tuple[Array, Array]) -> Array:
    """Return residual shares with levels; infinite where levels reduce the residual too little."""
    left, total = levels
    better = (total > 0) & (left < LESS_WITH_LEVELS * one[0])
    found: Array = np.where(better, left / np.where(total > 0, total, 1.0), np.inf)
    return found


def _levels(codes: IntArray, x: Array) -> Iterator[Array]:
    """Yield the rows of each level, minus their means, in units of the standard deviation."""
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
