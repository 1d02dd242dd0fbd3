"""Cases: an estimator with options, and the result of the paper's pseudo-code for a table.

A case is judged only if the result of the pseudo-code is well defined: the pseudo-code is run again
on data that differ by rounding, and with a larger tolerance for redundant functions. If its choices
or counts then differ (ties, functions and variances near zero), or if pivots show another rank, the
case is *undecided*. Otherwise the change of its result measures the condition, and widens the
tolerance.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from unittest.mock import patch

import families_by_hand as hand
import numpy as np
import oracle
import ranks
from oracle_cases import FAMILIES, INDICATORS
from ranks import COARSE_DROP, UndecidedError
from support import clone_with, orthonormal
from tables import Array, Rng, Table
from test_oracle_relative_and_uffs import initial, largest_of, pursue_columns, residual

from gramian import GCA, GFA, GFR, GFS, UFFS, PolynomialManifold
from gramian.families import Family

TOLERANCE = 1e-8
"""Largest error of well-conditioned results, relative to the total variance or to directions."""
WIDEST = 1e-5
"""Largest tolerance; if the pseudo-code changes by more, the case is undecided."""
ROUNDING = 1e-13
"""Size of the changes of data that test the pseudo-code, in standard deviations of a column."""
ROUNDED_MEAN = 1e-15
"""Smallest variance of a column, as a share of its mean square. Below it, the mean, by which rows
read in pieces are centred, has a rounding error above 1e-8 standard deviations."""
BORDER = 1e-9
"""Share of the variance below which a residual variance that is not zero is undecided."""
ROUNDED_SHARE = 1e-14
"""Share of a direction's variance below which its residual variance is zero for pseudo-code and
library."""
OF_A_SURFACE = 1e-5
"""Largest error of surfaces, which are fitted by iterations, as a share of the total variance."""
LEAST = 1e-26
"""Share of the largest variance below which a variance along a direction is rounding error."""
MAX_FUNCTIONS = 70
FEWEST_TO_DIVIDE = 15
"""Smallest number of rows of a table from which some can be held out."""
MOST_COLUMNS_OF_LAWS = 6
"""Largest number of columns among which laws are searched, which takes longest."""
KINDS: list[type] = [GFR, GCA, GFS, GFA, UFFS]
Algorithm = Callable[[Array, "Array | None"], oracle.Run]


@dataclass(frozen=True)
class Truth:
    """Expected results of a fit, and their tolerance."""

    choices: Array
    residual: Array
    total: Array
    counts: tuple[list[int], list[int]]
    saturated: bool
    tolerance: float = TOLERANCE
    penalties: tuple[float, ...] = ()
    """Penalties of each step, if held-out rows choose them."""

    @property
    def variance(self) -> float:
        """The total variance of the table."""
        return float(self.total[0])


@dataclass(frozen=True)
class Case:
    """An estimator, and the pseudo-code that gives the expected result."""

    estimator: Any
    algorithm: Algorithm | None
    """None if options are beyond the paper: then only forms of a table are compared."""

    @property
    def takes_files(self) -> bool:
        """True if the table may be outside memory."""
        return not isinstance(self.estimator, UFFS)

    def takes(self, form: str) -> bool:
        """Return True if the estimator takes a form of table."""
        if isinstance(self.estimator, PolynomialManifold):
            return form != "sparse"
        return self.takes_files or form == "array"

    @property
    def takes_checkpoints(self) -> bool:
        """True if an interrupted fit can resume."""
        return "checkpoint" in self.estimator.get_params()

    @property
    def asks_held_out_rows(self) -> bool:
        """True if held-out rows choose the penalty."""
        return _chooses_penalty(self.estimator)

    @property
    def searches_laws(self) -> bool:
        """True if laws drop columns before functions do."""
        drops = isinstance(self.estimator, GFA) and self.estimator.backward
        return drops and self.estimator.laws is not False

    @property
    def can_be_saved(self) -> bool:
        """True if a model file can store the fit: functions of users are code."""
        return "Custom" not in repr(getattr(self.estimator, "family", ""))

    @property
    def minds_no_units(self) -> bool:
        """True if neither the units nor the order of the columns matter."""
        # Functions of users need not be symmetric in their variables.
        kind = isinstance(self.estimator, GFA) and self.estimator.backward
        return kind and self.can_be_saved

    def __str__(self) -> str:
        return repr(self.estimator).replace("\n", "").replace("     ", "")

    def refuse_borders(self, table: Table) -> None:
        """Raise an UndecidedError if rounding errors decide which columns vary."""
        x = np.where(np.isnan(table.x), np.nanmean(table.x, axis=0), table.x)
        weights = table.weights
        if isinstance(self.estimator, GFR | GCA) and _nearly_flat(*oracle.centred(x, weights)):
            raise UndecidedError
        if _nearly_constant(x, weights):
            raise UndecidedError

    def truth(self, table: Table) -> Truth:
        """Run the pseudo-code, and measure its sensitivity to rounding."""
        assert self.algorithm is not None
        x, weights = table.x, table.weights
        self.refuse_borders(table)
        with patch.object(oracle, "orthogonalize", ranks.orthogonalize):
            exact = _truth(self.algorithm(x, weights))
        other = _truth(self.algorithm(nearby(x), weights))
        with patch.object(oracle, "DROP", COARSE_DROP):
            coarse = _truth(self.algorithm(x, weights))
        if not same_path(exact, other) or not same_path(exact, coarse):
            raise UndecidedError
        shift = max(
            np.abs(exact.total - other.total).max() / exact.variance,
            np.abs(exact.residual - other.residual).max() / exact.variance,
            np.abs(exact.choices - other.choices).max(initial=0.0),
        )
        if shift * 100 > WIDEST:
            raise UndecidedError
        return replace(exact, tolerance=max(TOLERANCE, 100 * shift))


def _chooses_penalty(estimator: Any) -> bool:
    return bool(getattr(estimator, "alpha", 0.0) == "auto")


def nearby(x: Array) -> Array:
    """Return data that differ by rounding; equal cells of a column stay equal.

    If equal cells differed by rounding, the others would lie far from them, and would be trimmed.
    """
    noise = np.random.default_rng(0).standard_normal(x.shape)
    for j, column in enumerate(x.T):
        noise[:, j] = noise[np.unique(column, return_inverse=True)[1], j]
    return x + ROUNDING * np.nanstd(x, axis=0) * noise


def same_path(one: Truth, other: Truth) -> bool:
    """Return True if two runs have equal choices and equal numbers of functions."""
    if one.counts != other.counts or one.choices.shape != other.choices.shape:
        return False
    if one.penalties != other.penalties:
        return False
    return bool(np.abs(one.choices - other.choices).max(initial=0.0) < WIDEST)


def _nearly_constant(x: Array, weights: Array | None) -> bool:
    """Return True if the rounding error of a column's mean is large against its deviation.

    The library calls a column constant if all its cells are equal, and the pseudo-code also if they
    differ by rounding.
    """
    w = np.ones(len(x)) if weights is None else weights
    differs = np.ptp(x[w > 0], axis=0) > 0
    spread = np.average((x - np.average(x, axis=0, weights=w)) ** 2, axis=0, weights=w)
    share = spread / np.maximum(np.average(x**2, axis=0, weights=w), np.finfo(float).tiny)
    return bool((differs & (share < ROUNDED_MEAN)).any())


def _nearly_flat(x: Array, w: Array) -> bool:
    """Return True if some direction has a tiny variance that is not zero.

    For GFR and GCA the pseudo-code treats less than 1e-12 of the largest variance as zero; the
    library's GCA measures each direction separately.
    """
    deviations = np.linalg.svd(np.sqrt(w)[:, np.newaxis] * x, compute_uv=False)
    return is_border((deviations / (deviations[0] or 1.0)) ** 2)


def is_border(variances: Array) -> bool:
    """Return True if a variance along a direction is tiny, and yet no rounding error."""
    shares = variances / (variances.max(initial=0.0) or 1.0)
    return bool(((shares > LEAST) & (shares < BORDER)).any())


def _truth(run: oracle.Run) -> Truth:
    residual_variance = np.array(run.residual_variance)
    if not residual_variance[0] > 0:
        raise UndecidedError  # no column varies
    shares = residual_variance / residual_variance[0]
    if run.variances:
        original = np.where(run.variances[0] > 0, run.variances[0], 1.0)
        shares = np.concatenate([sigma / original for sigma in run.variances])
    if ((shares > 0) & (shares < BORDER)).any():
        raise UndecidedError
    return Truth(
        np.array(run.choices, dtype=float),
        residual_variance,
        np.array(run.total_residual_variance),
        (run.n_functions, run.n_dropped),
        run.saturated,
    )


def truth_of_fit(fitted: Any) -> Truth:
    """Return the result of a fit to the array, as the truth for other forms of the table."""
    if isinstance(fitted, PolynomialManifold):  # the number of rounds may differ by one
        ends = fitted.total_residual_variance_[[0, -1]]
        counts = [fitted.n_functions_], []
        return Truth(np.empty(0), ends, ends, counts, saturated=False, tolerance=OF_A_SURFACE)
    return Truth(
        choices_of(fitted),
        fitted.residual_variance_,
        fitted.total_residual_variance_,
        (fitted.n_functions_.tolist(), fitted.n_dropped_functions_.tolist()),
        fitted.stop_reason_ == "saturated",
        penalties=tuple(fitted.alpha_path_.tolist()) if _chooses_penalty(fitted) else (),
    )


def choices_of(fitted: Any) -> Array:
    """Return directions (GFR), norms (UFFS) or indices, as numbers."""
    names = ("fourier_norms_", "component_indices_", "selected_features_", "components_")
    found = next(getattr(fitted, name) for name in names if hasattr(fitted, name))
    # A norm is the root of a variance, and so is its rounding error.
    return np.asarray(found, dtype=float) ** (2 if isinstance(fitted, UFFS) else 1)


def draw_case(rng: Rng, table: Table) -> Case:
    """Draw an estimator and its options, in one of five cases beyond the paper."""
    if rng.random() < 0.2:
        return _draw_beyond(rng, table)
    kind = KINDS[rng.choice(5, p=[0.25, 0.2, 0.25, 0.2, 0.1])]
    if kind is UFFS:
        return _draw_uffs(rng, table)
    levels = table.kind == "discrete" and kind in (GFS, GFA)  # directions have too many
    choices = {**FAMILIES, **INDICATORS} if levels else FAMILIES
    family, functions = choices[str(rng.choice(list(choices)))]
    most = _n_steps(functions, table)
    n_steps = int(rng.integers(1, most + 1))
    solver = str(rng.choice(_solvers(family)))
    options: dict[str, Any] = {"count": n_steps, "family": family, "solver": solver, "alpha": 0.0}
    # as published
    if kind in (GCA, GFA):
        options["backward"] = False
    if kind is GFS:
        options["criterion"] = "variance"
    options["scale"] = scaled = bool(rng.random() < 0.2)
    options["threshold"] = None
    if rng.random() < 0.5:
        largest = 1.0 if scaled else table.x.var(axis=0).max()
        options["threshold"] = float(largest * 10 ** rng.uniform(-4, 0))
    threshold = options["threshold"] or 0.0
    if rng.random() < 0.12 and solver != "qr":
        options["alpha"] = float(rng.choice([1e-3, 0.1, np.inf]))
        return Case(clone_with(kind(), **options), None)
    if kind is GFA and rng.random() < 0.3 and most == min(table.x.shape[1], 8):
        alpha = float(rng.choice([0.0, 0.1]))
        laws = None if table.x.shape[1] <= MOST_COLUMNS_OF_LAWS else False
        backward = GFA(backward=True, family=family, scale=scaled, alpha=alpha, laws=laws)
        if rng.random() < 0.5:
            backward.set_params(threshold=float(10 ** rng.uniform(-4, -0.5)))
        return Case(backward, None)
    if kind is GFS and rng.random() < 0.2 and table.kind == "planted":  # elsewhere gains may tie
        return Case(GFS(n_steps, criterion="gain", family=family, scale=scaled, alpha=0.0), None)
    if kind in (GFS, GFA) and rng.random() < 0.25:
        share = float(10 ** rng.uniform(-3, -0.1))
        options |= {"threshold": share, "relative": True, "count": None, "scale": False}
        if most < table.x.shape[1]:
            options["count"] = most
        return Case(
            clone_with(kind(), **options), _relative(kind, functions, share, options["count"])
        )
    arguments: dict[str, Any] = {"n_steps": n_steps}
    if kind is GCA and rng.random() < 0.5:
        arguments["basis"] = options["basis"] = orthonormal(rng, table.x.shape[1])
    algorithm = {GFR: oracle.gfr, GCA: oracle.gca, GFS: oracle.gfs, GFA: oracle.gfa}[kind]

    def run(x: Array, weights: Array | None) -> oracle.Run:
        x = _standardized(x, weights) if scaled else x
        found: oracle.Run = algorithm(x, functions, threshold, weights=weights, **arguments)
        if kind is GCA:
            found.variances = _along(found.covariances, arguments.get("basis"))
        return found

    return Case(clone_with(kind(), **options), run)


def _draw_beyond(rng: Rng, table: Table) -> Case:
    """Draw an estimator that has no pseudo-code."""
    family, functions = FAMILIES[str(rng.choice(list(FAMILIES)))]
    n_columns = table.x.shape[1]
    n_steps = int(rng.integers(1, _n_steps(functions, table) + 1))
    scale = bool(rng.random() < 0.5)
    small = 40 <= len(table.x) <= 600 and n_columns <= 9
    kind = str(rng.choice(["penalty", "gain", "backward", *(["surface"] if small else [])]))
    if kind == "surface":
        n = int(rng.integers(1, min(3, n_columns) + 1))
        return Case(PolynomialManifold(n, scale=scale, n_rounds=2, tol=1e-8), None)
    if kind == "backward" and n_columns <= 9:
        few = n_columns <= MOST_COLUMNS_OF_LAWS
        without_laws = partial(GFA, laws=False)
        chosen = [GCA, GFA if few else without_laws, without_laws][rng.integers(3)]
        return Case(chosen(backward=True, family=family, alpha=0.0), None)
    alpha = "auto" if len(table.x) >= FEWEST_TO_DIVIDE else 0.1
    options: dict[str, Any] = {"family": family, "scale": scale, "alpha": alpha}
    if kind == "gain":
        return Case(GFS(n_steps, criterion="gain", **options), None)
    published = [GFR(), GCA(backward=False), GFS(criterion="variance"), GFA(backward=False)]
    drawn = published[rng.integers(4)]
    return Case(clone_with(drawn, count=n_steps, threshold=None, **options), None)


def _along(covariances: list[Array], basis: Array | None) -> list[Array]:
    """Return the residual variances of GCA along each direction, those below rounding as zeros.

    The pseudo-code treats less than 1e-12 of the largest variance of any direction as zero, and the
    library less than 1e-12 of the direction's own variance.
    """
    rho = np.linalg.eigh(covariances[0])[1].T if basis is None else basis
    variances = [np.einsum("ij,jk,ik->i", rho, each, rho) for each in covariances]
    return [np.where(each > ROUNDED_SHARE * variances[0], each, 0.0) for each in variances]


def _solvers(family: Family) -> list[str]:
    monomials = type(family).__name__ in ("Multilinear", "Polynomial") and family.degree is not None
    return ["auto", "qr", "gram", *(["moments"] if monomials else [])]


def _n_steps(functions: hand.NewFunctions, table: Table) -> int:
    """Return the number of steps for which the pseudo-code is fast."""
    levels = 4 if table.kind == "discrete" else 1
    total = steps = 0
    while steps < min(table.x.shape[1], 8):
        total += len(functions(steps + 1)) * levels
        if total > MAX_FUNCTIONS and steps:
            break
        steps += 1
    return steps


def _standardized(x: Array, weights: Array | None) -> Array:
    w = np.ones(len(x)) if weights is None else weights
    mean = np.average(x, axis=0, weights=w)
    deviation = np.sqrt(np.average((x - mean) ** 2, axis=0, weights=w))
    constant = deviation <= 1e-12 * np.abs(mean)
    return (x - mean) / np.where(constant, 1.0, deviation) * ~constant


def _relative(
    kind: type, functions: hand.NewFunctions, share: float, count: int | None
) -> Algorithm:
    """Return GFS or GFA with a threshold that is a share of each column's own variance."""
    rank = residual if kind is GFS else initial
    choose = largest_of(rank, (lambda s: s > share) if kind is GFS else (lambda s: s >= share))

    def limited(sigma: Array, original: Array, chosen: list[int]) -> int | None:
        original = np.where(original > 0, original, 1.0)
        return None if len(chosen) == count else choose(sigma, original, chosen)

    return lambda x, weights: pursue_columns(x, functions, limited, weights)


def _draw_uffs(rng: Rng, table: Table) -> Case:
    n_columns = table.x.shape[1]
    degree = int(rng.integers(1, 4 if n_columns < 10 else 2))
    cluster = None if rng.random() < 0.6 else int(rng.integers(1, n_columns + 1))
    solver = str(rng.choice(["auto", "qr", "gram", "moments"]))
    estimator = UFFS(degree=degree, cluster_size=cluster, solver=solver)

    def run(x: Array, weights: Array | None) -> oracle.Run:
        norms = oracle.uffs(x, degree, cluster, weights=weights)
        return oracle.Run(choices=norms**2, residual_variance=[1.0], total_residual_variance=[1.0])

    return Case(estimator, run)
