"""Ranks of the functions of a step: whether any method must keep as many as the pseudo-code."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import oracle
from scipy.linalg import qr
from tables import Array

COARSE_DROP = 1e-6
"""Norm above which functions of norm one, minus the functions before, are surely not redundant."""

_literally = oracle.orthogonalize


class UndecidedError(Exception):
    """The pseudo-code gives another result for data that differ by rounding."""


def orthogonalize(
    T: list[Array],
    functions: Sequence[oracle.Function],
    Z: list[Array],
    X: Array,
    w: Array,
    run: oracle.Run,
) -> Array:
    """Do a step of the pseudo-code, or raise an UndecidedError if the rank is not clear.

    The product of the norms that are left is the same in every order of the functions. So k norms
    of 1e-6 and more, in the order of the pseudo-code, say little: in the order of pivots, largest
    norm first, the last may be as small as their product. The library takes pivots, and drops
    functions that leave less than 1e-8.
    """
    root = np.sqrt(w)
    before = np.array(T) * root
    d = _literally(T, functions, Z, X, w, run)
    values = np.concatenate([np.atleast_2d(f(Z)) for f in functions]) * root
    norms = np.linalg.norm(values, axis=1, keepdims=True)
    values /= np.where(norms > 0, norms, 1.0)
    for _ in range(2):
        values -= (values @ before.T) @ before
    pivots = np.abs(qr(values.T, mode="r", pivoting=True)[0].diagonal())
    if np.count_nonzero(pivots > COARSE_DROP) != run.n_functions[-1]:
        raise UndecidedError
    return d
