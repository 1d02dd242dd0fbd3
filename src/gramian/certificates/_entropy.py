"""Theorems 1 and 4: bounds on the entropy that GFR and GFS leave in discrete data."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import fill

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import eigh, null_space

from gramian._support.types import Array, IntArray
from gramian._support.words import percent
from gramian.estimators import GFR, GFS
from gramian.fitting import KeptColumns, KeptDirections, check_rows, only_complete

ROUNDING = 1e-12
"""Coordinates that differ by less than this share of the largest value are equal."""
ZERO = 1e-9
"""A residual below this share of the largest value is zero."""
RESOLUTION = 1e-7
"""Values that differ by less than this share of the largest value are equal for GFR. Rows that
differ by more, but have equal coordinates along the kept directions, have residuals above 0."""
FEW = 0.5
"""Coverage below which the text says that entropies are too small."""


@dataclass(frozen=True)
class EntropyCertificate:
    """The bound on the conditional entropy H(X|Z), and its estimate from the rows.

    Z are the kept variables: m columns (GFS) or coordinates along m directions (GFR). Z_i, for
    m < i ≤ d, are the variables that are not kept: the other columns, or the coordinates along
    directions that complete an orthonormal basis. Z̃_i is the residual of Z_i: Z_i minus its fit by
    functions of Z. All entropies are in bits: logarithms have base 2.

    Attributes
    ----------
    estimator : str
        The name of the algorithm.
    n_features : int
        d: the number of columns.
    n_kept : int
        m: the number of columns or directions that are kept.
    n_rows : int
        The number of rows.
    n_distinct_rows : int
        The number of distinct rows.
    n_distinct_kept : int
        The number of distinct values of Z.
    coverage : float
        An estimate of the probability that a new row equals one of the given rows: 1 - (number of
        rows that occur once) / (number of rows), by Good and Turing. It is near 0 for continuous
        data.
    alphabet_size : int
        The size of the paper's alphabet: the number of distinct values in the table.
    n_values : int
        The largest number of distinct values of any Z_i; for columns no more than the size of the
        alphabet.
    epsilon : float
        ε: the square root of the largest residual variance E[Z̃_i²] in these rows.
    alpha_min : float
        The smallest ``|Z̃_i|`` that is not zero, of all i and the given rows; infinite if all are
        zero. The bound does not need rows that do not occur.
    entropy : float
        H(X): the plug-in estimate, that is, with frequencies as probabilities.
    conditional_entropy : float
        H(X|Z): the plug-in estimate.
    corrected_conditional_entropy : float
        H(X|Z) with the correction of Miller and Madow. H(X|Z) is the difference of two entropies;
        each is corrected by (number of values - 1) / (2 n_rows) nats, since the plug-in estimate
        from few rows and many values is too small. The correction is of first order in 1/n_rows: if
        coverage is small, the result is still too small.
    residual_bound : float
        Σ_i h(p_i) + p_i log₂ n_i: the bound before Markov's inequality, with the frequencies p_i of
        Z̃_i ≠ 0, the numbers of values n_i and the binary entropy h.
    entropy_bound : float
        (d - m) (h(q) + q log₂ n_values) with q = ε²/alpha_min²: the theorem's bound, from the
        second last line of the proof. For q > 1/2, h is 1; as a factor, q is at most 1.
    linear_bound : float
        (d - m) (2 + log₂ n_values) ε/alpha_min: the last line of the proof, linear in ε.

    Notes
    -----
    The theorem holds for any distribution; here it is applied to the distribution of the given
    rows. For these rows `conditional_entropy` is exactly H(X|Z), and cannot exceed the bounds.
    The distribution that the rows were drawn from can have another entropy: see
    `corrected_conditional_entropy` and `coverage`.

    The paper's proof goes on to orthogonalize with Z_{m+1}, Z_{m+2}, ...; here Z̃_i are residuals of
    the fit as it is. The proof stays valid, because H(Z_i | Z_1, ..., Z_{i-1}) ≤ H(Z_i | Z). The
    proof does not need least squares: it also holds with shrinkage, and for rows that took no part
    in the fit. Two steps need care. The binary entropy falls beyond 1/2: if the bound on
    a probability is above 1/2, its entropy can be one bit. And ``|𝒳|`` bounds the number of values
    of a column, but not of a coordinate: therefore `n_values` are counted.

    Residuals below 1e-9 of the largest value of a column (GFS) or of the table (GFR) count as
    zero. GFR cannot distinguish values that differ by less than 1e-7 of the largest value: give all
    columns a similar scale.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian import GFS, certify
    >>> a, b = np.random.default_rng(0).integers(0, 2, (2, 500))
    >>> X = np.column_stack([3 * a, 2 * b, a * b])
    >>> certificate = certify(GFS(1).fit(X), X)
    >>> print(f"{certificate.entropy:.2f} bits, {certificate.conditional_entropy:.2f} not in x0")
    1.99 bits, 1.00 not in x0
    >>> certificate.holds
    True
    """

    estimator: str
    n_features: int
    n_kept: int
    n_rows: int
    n_distinct_rows: int
    n_distinct_kept: int
    coverage: float
    alphabet_size: int
    n_values: int
    epsilon: float
    alpha_min: float
    entropy: float
    conditional_entropy: float
    corrected_conditional_entropy: float
    residual_bound: float
    entropy_bound: float
    linear_bound: float

    @property
    def holds(self) -> bool:
        """True if H(X|Z) is within the bound, as the theorem says."""
        return self.conditional_entropy <= self.entropy_bound + 1e-9

    @property
    def informative(self) -> bool:
        """True if the bound is below H(X), the trivial bound of H(X|Z)."""
        return self.entropy_bound < self.entropy

    def __str__(self) -> str:
        kind, theorem = ("columns", 4) if self.estimator == "GFS" else ("directions", 1)
        left = self.n_features - self.n_kept
        sentences = [
            f"{self.estimator} kept {self.n_kept} of {self.n_features} {kind}. There are "
            f"{self.n_rows} rows, {self.n_distinct_rows} of them distinct.",
            f"H(X|Z) is {_bits(self.conditional_entropy)} of H(X) = {_bits(self.entropy)} bits"
            + (
                f": in these rows, the kept {kind} determine all columns."
                if self.conditional_entropy < ZERO
                else f" ({_bits(self.corrected_conditional_entropy)} with the correction of Miller "
                "and Madow)."
            ),
        ]
        if np.isinf(self.alpha_min):
            sentences.append(
                f"The bound of Theorem {theorem} is 0 bits, since every residual is zero: "
                f"functions of the kept {kind} compute all columns exactly."
            )
        else:
            sentences.append(
                f"The bound of Theorem {theorem} is {_bits(self.entropy_bound)} bits, with "
                f"d - m = {left}, ε = {self.epsilon:.3g}, alpha_min = {self.alpha_min:.3g} and at "
                f"most {self.n_values} values of each; the bound that is linear in ε is "
                f"{_bits(self.linear_bound)} bits"
                + (
                    "."
                    if self.informative
                    else ". That is no less than H(X), so the theorem says nothing about this fit."
                )
            )
            sentences.append(
                f"The bound before Markov's inequality is {_bits(self.residual_bound)} bits, from "
                "the frequencies of zero residuals."
            )
        if self.coverage < FEW:
            sentences.append(
                "Most rows occur only once: the probability that a new row equals a given row is "
                f"about {percent(self.coverage)}. Entropies estimated from so few rows, H(X|Z) "
                "among them, are far too small; if the data are continuous, they mean nothing."
            )
        return "\n".join(fill(sentence, 100, break_on_hyphens=False) for sentence in sentences)


def certify_entropy(estimator: GFR | GFS, X: ArrayLike) -> EntropyCertificate:
    """Evaluate Theorem 1 (GFR) or Theorem 4 (GFS) of the paper on a fit.

    `X` has the rows of the fit, or new rows.
    """
    model = estimator.model_
    table, _ = only_complete(check_rows(estimator, X, gaps=True), None, "X")
    table = np.asarray(table, dtype=np.float64)
    largest = float(np.abs(table - model.mean).max())
    resolution, spacing = RESOLUTION * largest, ROUNDING * largest
    if model.selects:  # columns of any unit are copied without rounding
        resolution = spacing = 0.0
    of_rows = np.column_stack([label(column, resolution) for column in table.T])
    _, first, counts = np.unique(of_rows, axis=0, return_index=True, return_counts=True)
    rows = table[first]
    shares = counts / len(table)
    x = model.centre(rows)
    residual = x - model.decoder(model.kept.encode(x), extrapolate=True)
    match model.kept:
        case KeptColumns(support=support):
            left = ~support
            variables, residual, kept = rows[:, left], residual[:, left], rows[:, support]
            scale = np.abs(x[:, left]).max(axis=0)
        case KeptDirections(directions=directions):
            basis = completion(directions, residual, shares)
            variables, residual, kept = x @ basis.T, residual @ basis.T, model.kept.encode(x)
            scale = np.full(len(basis), largest)
    nonzero = np.abs(residual) > ZERO * scale
    residual = np.where(nonzero, residual, 0.0)
    frequencies = np.minimum(shares @ nonzero, 1.0)
    variances = shares @ residual**2
    n_values = np.array([label(column, spacing).max() + 1 for column in variables.T], dtype=int)
    epsilon = float(np.sqrt(variances.max(initial=0.0)))
    alpha_min = float(np.abs(residual[nonzero]).min(initial=np.inf))
    most = int(n_values.max(initial=1))
    ratio = epsilon / alpha_min

    of_kept = np.column_stack(
        [label(column, spacing) for column in kept.T] or [np.zeros(len(x), dtype=np.intp)]
    )
    groups = np.unique(of_kept, axis=0, return_inverse=True)[1].ravel()
    shares_kept: Array = np.bincount(groups, weights=shares).astype(np.float64)
    conditional = max(entropy(shares) - entropy(shares_kept), 0.0)
    n_more = len(rows) - len(shares_kept)
    n_left = len(frequencies)
    return EntropyCertificate(
        estimator=type(estimator).__name__,
        n_features=table.shape[1],
        n_kept=table.shape[1] - n_left,
        n_rows=len(table),
        n_distinct_rows=len(rows),
        n_distinct_kept=len(shares_kept),
        coverage=1 - float(np.count_nonzero(counts == 1)) / len(table),
        alphabet_size=len(np.unique(rows)),
        n_values=most,
        epsilon=epsilon,
        alpha_min=alpha_min,
        entropy=entropy(shares),
        conditional_entropy=conditional,
        corrected_conditional_entropy=conditional + n_more / (2 * len(table) * np.log(2)),
        residual_bound=float(
            np.sum(binary_entropy(frequencies) + frequencies * np.log2(np.maximum(n_values, 1)))
        ),
        entropy_bound=float(
            n_left * (binary_entropy(min(ratio**2, 0.5)) + min(ratio**2, 1.0) * np.log2(most))
        ),
        linear_bound=float(n_left * (2 + np.log2(most)) * ratio),
    )


def completion(directions: Array, residual: Array, shares: Array) -> Array:
    """Complete directions to an orthonormal basis by eigenvectors of the residual covariance.

    Parameters
    ----------
    directions : array of shape (n_directions, n_columns)
        The directions, orthonormal rows.
    residual : array of shape (n_rows, n_columns)
        The residuals of the distinct rows.
    shares : array of shape (n_rows,)
        The share of each distinct row among all rows.
    """
    others: Array = null_space(directions).T if len(directions) else np.eye(directions.shape[1])
    rest = np.sqrt(shares)[:, np.newaxis] * (residual @ others.T)
    vectors: Array = eigh(rest.T @ rest)[1].T[::-1] if len(others) else others
    return vectors @ others if len(others) else others


def label(values: Array, spacing: float) -> IntArray:
    """Return a whole number for each value; larger values have larger or equal numbers.

    Neighbouring values that are closer than `spacing` have the same number.
    """
    order = np.argsort(values, kind="stable")
    labels = np.empty(len(values), dtype=np.intp)
    labels[order] = np.cumsum(np.diff(values[order], prepend=values[order[:1]]) > spacing)
    return labels


def entropy(shares: Array) -> float:
    """Return the entropy, in bits, of a distribution with the probabilities `shares`."""
    return float(-np.sum(shares * np.log2(shares)))


def binary_entropy(p: float | Array) -> Array:
    """Return the entropy of an event of probability p, in bits."""
    q = np.array([p, np.subtract(1.0, p)])
    terms: Array = q * np.log2(q, out=np.zeros_like(q), where=q > 0)
    return np.asarray(-terms.sum(axis=0))


def _bits(value: float) -> str:
    return f"{value:.3g}" if value >= ZERO else "0"
