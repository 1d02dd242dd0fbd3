"""GFS by the arithmetic of the authors' scripts, to explain the paper's counts.

The scripts differ from the paper's Algorithm 4 in one thing that matters: the second feature is
scaled to norm 1, but not orthogonalized against the first. All later functions are orthogonalized,
in one pass, against a basis that is not orthonormal, and the residual, not X, is projected on them.
Products of three or more features are not centred either.
"""

from __future__ import annotations

import numpy as np

from gramian_paper._types import Array


def residual_path(
    X: Array, degree: int, threshold: float, *, second: bool = False, limit: int = 120
) -> list[float]:
    """Return the largest residual variance before each step, and after the last.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        The data.
    degree : int
        The degree of the multilinear polynomials.
    threshold : float
        The residual variance at which to stop.
    second : bool, default=False
        True to orthogonalize the second feature against the first, as in the paper's text.
    limit : int, default=120
        The largest number of features.

    Returns
    -------
    path : list of float
        The residual variances.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian import GFS
    >>> from gramian_paper.experiments._scripted_gfs import residual_path
    >>> X = np.random.default_rng(0).standard_normal((200, 6)) @ np.diag([4, 3, 2, 2, 1, 1])
    >>> X[:, 1] += X[:, 0]
    >>> published = GFS(threshold=0.5, criterion="variance", alpha=0)
    >>> right = published.fit(X).residual_variance_
    >>> np.allclose(residual_path(X, 2, 0.5, second=True), right)
    True
    >>> np.allclose(residual_path(X, 2, 0.5), right)
    False
    """
    X = X - X.mean(axis=0)
    residual = X.copy()
    basis = np.empty((0, len(X)))
    by_degree: list[Array] = [np.empty((0, len(X))) for _ in range(degree)]
    path = []
    for step in range(limit + 1):
        variances = residual.var(axis=0)
        path.append(float(variances.max()))
        if path[-1] <= threshold or step == limit:
            break
        chosen = int(np.argmax(variances))
        residual[:, chosen] = 0.0
        new = [X[np.newaxis, :, chosen]]
        for parents in by_degree[:-1]:
            products = parents * new[0]
            if len(new) == 1:  # of degree 2; higher ones keep their means in the scripts
                products -= products.mean(axis=1, keepdims=True)
            new.append(products)
        by_degree = [np.vstack(pair) for pair in zip(by_degree, new, strict=True)]
        block = np.vstack(new)
        functions = block - (block @ basis.T / len(X)) @ basis
        if step == 1 and not second:
            functions[0] = block[0]
        for i, function in enumerate(functions):
            before = functions[:i]
            function -= (before @ block[i] / len(X)) @ before
            function /= np.sqrt(np.mean(function**2))
            residual -= np.outer(function, function @ residual / len(X))
        basis = np.vstack([basis, functions])
    return path
