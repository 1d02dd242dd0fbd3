"""The paper's pseudo-code, line by line: slow and obvious; the library is checked against it.

Conventions, where the paper leaves them open:

- An expectation is a weighted mean over rows, ``E[f] = sum_i w_i f_i`` with ``w = weights /
  sum(weights)``, uniform by default. Rows of weight zero are left out first; N is the number of
  the others. X is centred, and the constant function is in T from the start, so that every
  mean is removed.
- ``new_functions(j)``, j = 1, 2, ..., lists F(z_[j]) without F(z_[j-1]), z_j itself first. Each
  function maps the list Z of j arrays of shape (N,) to an array (N,), or to a block (k, N) of k
  functions where their number depends on the data (indicators of levels).
- Variables enter F scaled to unit variance, Z_j = X nu_j / std(X nu_j).
- A function whose norm after two passes of modified Gram-Schmidt is at most ``DROP`` times its
  norm before is dropped and counted. Once N functions are in T, the constant included, the fit is
  saturated: the rest is dropped too and the residual is exactly zero.
- d_j(X) is formed, and Sigma_{j+1} computed from it; Lemma 2(a) is never used.
- A residual variance of at most ``ZERO`` times the feature's original variance counts as zero, so
  that a threshold of 0 works. GFR and GCA mix features, so there ``ZERO`` is relative to the
  largest original variance of any candidate.
- A tie goes to the lowest index. The first of a direction's largest entries is positive.
- Thresholds are variances, as in the paper's inequalities: eps^2 in GFR and GFS, eps in GCA and
  GFA. Where the appendix disagrees with the text (GFS, GFA), the text is followed.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Function = Callable[[list[Array]], Array]
NewFunctions = Callable[[int], Sequence[Function]]

DROP = 1e-10  # relative to a function's norm
ZERO = 1e-12  # relative to a variance
CONSTANT = 1e-24  # relative to a mean square: rounding error of a centred constant column


@dataclass
class Run:
    """Record of an algorithm's m steps.

    Attributes
    ----------
    choices : (m, d) array of directions (GFR) or list of m indices (GCA, GFS, GFA)
    residual_variance : largest residual variance of any candidate, before each step and at the end
    total_residual_variance : trace of Sigma_j, before each step and at the end
    n_functions, n_dropped : new functions kept and dropped, per step
    saturated : True if the functions span all rows
    covariances : Sigma_1, ..., Sigma_{m+1} (GFR, GCA)
    variances : sigma_1, ..., sigma_{m+1} (GFS, GFA)
    functions : (1 + sum(n_functions), N) values of the orthonormal functions, the constant first
    """

    choices: Array | list[int] = field(default_factory=list)
    residual_variance: list[float] = field(default_factory=list)
    total_residual_variance: list[float] = field(default_factory=list)
    n_functions: list[int] = field(default_factory=list)
    n_dropped: list[int] = field(default_factory=list)
    saturated: bool = False
    covariances: list[Array] = field(default_factory=list)
    variances: list[Array] = field(default_factory=list)
    functions: Array = field(default_factory=lambda: np.empty((0, 0)))

    def record(self, largest: float, total: float) -> None:
        """Note the residual variance, largest and total, before a step or at the end."""
        self.residual_variance.append(float(largest))
        self.total_residual_variance.append(float(total))


def centred(X: ArrayLike, weights: ArrayLike | None) -> tuple[Array, Array]:
    """Return X minus its weighted mean, and weights that sum to one; zero weights left out."""
    X = np.array(X, dtype=float)
    w = np.ones(len(X)) if weights is None else np.array(weights, dtype=float)
    X, w = X[w > 0], w[w > 0] / w.sum()
    d = X - w @ X
    d[:, w @ d**2 <= CONSTANT * (w @ X**2)] = 0.0
    return d, w


def covariance(d: Array, w: Array) -> Array:
    """Return E[d d^T]."""
    root = np.sqrt(w)[:, None] * d
    return root.T @ root


def signed(nu: Array) -> Array:
    """Return nu or -nu: the first of its largest entries in absolute value is positive."""
    first = np.flatnonzero(np.abs(nu) >= (1 - 1e-6) * np.abs(nu).max())[0]
    return nu if nu[first] > 0 else -nu


def scaled(z: Array, w: Array) -> Array:
    """Return the centred variable z with unit variance."""
    return z / np.sqrt(w @ z**2)


def lowest_argmax(values: Array, candidates: NDArray[np.bool_]) -> int:
    """Return the lowest candidate whose value is the largest, up to a relative 1e-9."""
    largest = values[candidates].max()
    return int(np.flatnonzero(candidates & (values >= (1 - 1e-9) * largest))[0])


def orthogonalize(
    T: list[Array], functions: Sequence[Function], Z: list[Array], X: Array, w: Array, run: Run
) -> Array:
    """Algorithm 1: add the new functions of Z to T, in place, and return d_j(X)."""
    kept = dropped = 0
    for f_k in functions:  # lines 4 and 5
        for g in np.atleast_2d(f_k(Z)):  # line 6; one function, or a block of them
            norm_before = np.sqrt(w @ g**2)
            for _ in range(2):  # twice: the second pass removes the rounding errors of the first
                for f in T:
                    g = g - (w @ (g * f)) * f  # line 7, modified: E[gf] with the remainder of g
            norm = np.sqrt(w @ g**2)
            if len(T) == len(w) or norm <= DROP * norm_before:
                dropped += 1
                continue
            T.append(g / norm)  # lines 8 and 9
            kept += 1
    run.n_functions.append(kept)
    run.n_dropped.append(dropped)
    run.saturated = len(T) == len(w)
    if run.saturated:
        return np.zeros_like(X)
    d = X
    for f in T:  # line 12
        d = d - np.outer(f, w @ (d * f[:, None]))
    return d


def gfr(
    X: ArrayLike,
    new_functions: NewFunctions,
    threshold: float = 0.0,
    *,
    n_steps: int | None = None,
    weights: ArrayLike | None = None,
) -> Run:
    """Algorithm 2, Gram-Schmidt Functional Reduction; `threshold` is eps^2."""
    X, w = centred(X, weights)
    run, directions = Run(), []
    T, Z, d = [np.ones(len(w))], [], X
    for j in itertools.count(1):  # line 4; after d steps nothing is left
        Sigma = covariance(d, w)  # line 3; Algorithm 1, line 13
        eigenvalues, eigenvectors = np.linalg.eigh(Sigma)
        lam, nu = eigenvalues[-1], signed(eigenvectors[:, -1])  # line 5
        if j == 1:
            zero = ZERO * lam
        lam = lam if lam > zero else 0.0
        run.covariances.append(Sigma)
        run.record(lam, np.trace(Sigma))
        if lam <= threshold or j - 1 == n_steps:  # line 6; lam = 0 when saturated
            break
        directions.append(nu)
        Z.append(scaled(X @ nu, w))  # line 9
        d = orthogonalize(T, new_functions(j), Z, X, w, run)  # line 11
    run.choices = np.reshape(directions, (-1, X.shape[1]))
    run.functions = np.array(T)
    return run


def gca(
    X: ArrayLike,
    new_functions: NewFunctions,
    threshold: float = 0.0,
    *,
    basis: ArrayLike | None = None,
    n_steps: int | None = None,
    weights: ArrayLike | None = None,
) -> Run:
    """Algorithm 3, Gram-Schmidt Component Analysis; rows of `basis` are rho_1, rho_2, ...

    The default basis is the principal directions, in decreasing order of variance.
    """
    X, w = centred(X, weights)
    if basis is None:
        rho = np.array([signed(v) for v in np.linalg.eigh(covariance(X, w))[1].T[::-1]])
    else:
        rho = np.array(basis, dtype=float)
    run, chosen = Run(), []
    T, Z, d = [np.ones(len(w))], [], X
    for j in itertools.count(1):  # line 4; after d steps nothing is left
        Sigma = covariance(d, w)  # line 3; Algorithm 1, line 13
        residual = np.array([r @ Sigma @ r for r in rho])
        if j == 1:
            original = residual
        residual = np.where(residual > ZERO * original.max(), residual, 0.0)
        run.covariances.append(Sigma)
        run.record(residual.max(), np.trace(Sigma))
        outside_E = (residual >= threshold) & (residual > 0)  # line 5
        if not outside_E.any() or j - 1 == n_steps:  # line 6
            break
        # Lines 9 and 10. The rho are orthonormal, so that Xbar_j^T rho_i = X^T rho_i for i outside
        # E_j, and rho_i^T E[Xbar_j Xbar_j^T] rho_i is the original variance rho_i^T Sigma_1 rho_i.
        chosen.append(lowest_argmax(original, outside_E))
        Z.append(scaled(X @ rho[chosen[-1]], w))  # line 11
        d = orthogonalize(T, new_functions(j), Z, X, w, run)  # line 12
    run.choices, run.functions = chosen, np.array(T)
    return run


def gfs(
    X: ArrayLike,
    new_functions: NewFunctions,
    threshold: float = 0.0,
    *,
    n_steps: int | None = None,
    weights: ArrayLike | None = None,
) -> Run:
    """Algorithm 4, Gram-Schmidt Functional Selection; `threshold` is eps^2."""
    X, w = centred(X, weights)
    run, selected = Run(), []
    T, Z, d = [np.ones(len(w))], [], X
    for j in itertools.count(1):  # line 4; after d steps nothing is left
        sigma = w @ d**2  # line 3; Algorithm 1, line 13, for selection
        if j == 1:
            original = sigma
        sigma = np.where(sigma > ZERO * original, sigma, 0.0)
        run.variances.append(sigma)
        run.record(sigma.max(), sigma.sum())
        if sigma.max() <= threshold or j - 1 == n_steps:  # line 6
            break
        selected.append(lowest_argmax(sigma, sigma > 0))  # line 5
        Z.append(scaled(X[:, selected[-1]], w))  # line 9
        d = orthogonalize(T, new_functions(j), Z, X, w, run)  # line 11
    run.choices, run.functions = selected, np.array(T)
    return run


def gfa(
    X: ArrayLike,
    new_functions: NewFunctions,
    threshold: float = 0.0,
    *,
    n_steps: int | None = None,
    weights: ArrayLike | None = None,
) -> Run:
    """Algorithm 5, Gram-Schmidt Feature Analysis."""
    X, w = centred(X, weights)
    run, selected = Run(), []
    T, Z, d = [np.ones(len(w))], [], X
    for j in itertools.count(1):  # line 4; after d steps nothing is left
        sigma = w @ d**2  # line 3; Algorithm 1, line 13, for selection
        if j == 1:
            original = sigma
        sigma = np.where(sigma > ZERO * original, sigma, 0.0)
        run.variances.append(sigma)
        run.record(sigma.max(), sigma.sum())
        outside_E = (sigma >= threshold) & (sigma > 0)  # line 5
        if not outside_E.any() or j - 1 == n_steps:  # line 6
            break
        selected.append(lowest_argmax(original, outside_E))  # line 9
        Z.append(scaled(X[:, selected[-1]], w))
        d = orthogonalize(T, new_functions(j), Z, X, w, run)  # line 10
    run.choices, run.functions = selected, np.array(T)
    return run


def uffs(
    X: ArrayLike,
    degree: int | None = None,
    cluster_size: int | None = None,
    *,
    weights: ArrayLike | None = None,
) -> Array:
    """Return the Fourier norms ||psi~_j|| of the features (appendix on UFFS).

    Characters are the products of at most `degree` distinct standardized features. With a
    `cluster_size`, consecutive features form clusters orthogonalized apart.
    """
    X, w = centred(X, weights)
    std = np.sqrt(w @ X**2)
    X = X / np.where(std > 0, std, 1.0)
    n_features = X.shape[1]
    norms = np.zeros(n_features)
    size = n_features if cluster_size is None else cluster_size
    for start in range(0, n_features, size):
        sets: list[tuple[int, ...]] = [()]  # {}, {1}, {2}, {1,2}, {3}, {1,3}, {2,3}, {1,2,3}, ...
        for feature in range(start, min(start + size, n_features)):
            sets += [(*S, feature) for S in sets if degree is None or len(S) < degree]
        psi: list[Array] = []
        for S in sets:
            phi = np.prod(X[:, S], axis=1)
            psi_tilde = phi
            for _ in range(2):  # the displayed equation; the second pass removes rounding
                coefficients = [w @ (p * psi_tilde) for p in psi]
                for c, p in zip(coefficients, psi, strict=True):
                    psi_tilde = psi_tilde - c * p
            norm = np.sqrt(w @ psi_tilde**2)
            if norm <= DROP * np.sqrt(w @ phi**2):
                norm = 0.0
            psi.append(psi_tilde / norm if norm > 0 else np.zeros_like(phi))
            if len(S) == 1:
                norms[S[0]] = norm
    return norms
