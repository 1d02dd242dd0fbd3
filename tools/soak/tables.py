"""Random tables: well and badly conditioned, of many units and shapes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Rng = np.random.Generator


@dataclass(frozen=True)
class Table:
    """Rows, optional weights, and the kind of table."""

    kind: str
    x: Array
    weights: Array | None
    apart: Array | None = None
    """Held-out rows that choose a penalty."""

    def hold_apart(self) -> Table:
        """Return the table with its first fifth as held-out rows."""
        n = len(self.x) // 5
        weights = None if self.weights is None else self.weights[n:]
        return replace(self, x=self.x[n:], weights=weights, apart=self.x[:n])

    def __str__(self) -> str:
        weighted = "" if self.weights is None else ", weighted"
        return f"{self.kind}, {self.x.shape[0]} by {self.x.shape[1]}{weighted}"


def n_rows(rng: Rng) -> int:
    """Draw a number of rows: few for corner cases, many for streamed files and "gram"."""
    low, high = [(3, 40), (40, 600), (1500, 6500)][rng.choice(3, p=[0.25, 0.4, 0.35])]
    return int(rng.integers(low, high))


def latent(rng: Rng, n: int, m: int) -> Array:
    """Draw variables of different distributions, to avoid symmetries."""
    draws: list[Callable[[], Array]] = [
        lambda: rng.standard_normal(n),
        lambda: rng.uniform(-1.7, 1.7, n),
        lambda: rng.exponential(size=n) - 1,
        lambda: rng.standard_t(6, n),
    ]
    return np.column_stack([draws[rng.integers(len(draws))]() for _ in range(m)])


def functions_of(rng: Rng, z: Array, d: int) -> Array:
    """Return columns: variables, and sums, products and other functions of them."""

    def column() -> Array:
        a, b = z[:, rng.integers(z.shape[1], size=2)].T
        choices = [a, a + 0.5 * b, a * b, a**2 - 0.3 * b, np.sin(2 * a), np.abs(a) - b]
        return choices[rng.integers(len(choices))]

    return np.column_stack([*z.T, *(column() for _ in range(d))])[:, rng.permutation(d)]


def in_units(rng: Rng, x: Array) -> Array:
    """Give columns units and offsets, sometimes an extreme common unit."""
    d = x.shape[1]
    x = x * 10 ** rng.uniform(-1, 1, d) + rng.normal(0, 3, d)
    return x * 10.0 ** rng.integers(-60, 60) if rng.random() < 0.1 else x


def planted(rng: Rng) -> Array:
    """Draw functions of a few variables, with noise or without."""
    n, d = n_rows(rng), int(rng.integers(2, 9))
    x = functions_of(rng, latent(rng, n, int(rng.integers(1, 5))), d)
    noise = rng.choice([0.0, 1e-2, 0.3])
    return in_units(rng, x + noise * rng.standard_normal(x.shape))


def deficient(rng: Rng) -> Array:
    """Draw columns that repeat, that add up and that do not vary."""
    x = planted(rng)
    twin, other = rng.integers(x.shape[1], size=2)
    more = [x[:, twin], -0.5 * x[:, twin] + 2, x[:, twin] + x[:, other], np.full(len(x), 7.3)]
    return np.column_stack([x, *(more[i] for i in rng.permutation(4)[: rng.integers(1, 4)])])


def discrete(rng: Rng) -> Array:
    """Draw columns of few values, some of them functions of others."""
    n, d = n_rows(rng), int(rng.integers(2, 6))
    x = rng.integers(0, rng.integers(2, 5, d), (n, d))
    sums = (x[:, 0] + x[:, -1]) % 3
    return np.column_stack([x, sums]) * rng.permutation(np.linspace(0.5, 2, d + 1))


def heavy(rng: Rng) -> Array:
    """Draw columns with heavy tails: a few rows count more than all others."""
    n, d = n_rows(rng), int(rng.integers(2, 7))
    return in_units(rng, np.exp(functions_of(rng, latent(rng, n, 2), d).clip(-4, 4)))


def near_copies(rng: Rng) -> Array:
    """Draw columns that differ by little (Läuchli)."""
    n, d = n_rows(rng), int(rng.integers(2, 7))
    gap = 10 ** rng.uniform(-3, -1)
    near = rng.standard_normal((n, 1)) + gap * rng.standard_normal((n, d))
    return np.column_stack([near, (near[:, 1] - near[:, 0]) / gap, rng.uniform(-1, 1, n)])


def wide(rng: Rng) -> Array:
    """Draw more columns than rows."""
    n, d = int(rng.integers(4, 30)), int(rng.integers(30, 60))
    x = latent(rng, n, 3) @ rng.standard_normal((3, d))
    return in_units(rng, x + 0.1 * rng.standard_normal((n, d)))


def zeros(rng: Rng) -> Array:
    """Draw counts, most of them zero."""
    n, d = max(20, n_rows(rng)), int(rng.integers(3, 9))
    x = rng.poisson(rng.exponential(0.3, d), (n, d)) * rng.uniform(0.5, 2, d)
    return np.column_stack([x, x[:, 0] * x[:, 1], x[:, 0] + 2 * x[:, 2]])


KINDS: dict[str, Callable[[Rng], Array]] = {
    each.__name__: each for each in (planted, deficient, discrete, heavy, near_copies, wide, zeros)
}


def draw_table(rng: Rng) -> Table:
    """Draw a table; in one of four cases its rows have weights, some of them zero."""
    kind = str(rng.choice(list(KINDS)))
    x = np.ascontiguousarray(KINDS[kind](rng))
    weights = None
    if rng.random() < 0.25:
        weights = np.where(rng.random(len(x)) < 0.1, 0.0, rng.uniform(0.2, 3.0, len(x)))
        weights[:2] = 1.0  # a fit needs two rows
    return Table(kind, x, weights)
