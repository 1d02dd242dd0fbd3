"""Theorems 2 and 5 with their corollaries: conditions under which GCA and GFA are exact."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import fill

import numpy as np
from numpy.typing import ArrayLike

from gramian._support.types import Array
from gramian._support.words import listed
from gramian.certificates._nested import nested_fits
from gramian.core.pursuit import TIE
from gramian.core.rows import CONSTANT
from gramian.estimators import GCA, GFA
from gramian.fitting import (
    ROWS_AT_ONCE,
    FittedModel,
    RedundancySearch,
    check_rows,
    only_complete,
)

IN_SPAN = 1e-12
"""Largest residual share of a component's variance that counts as a rounding error."""


@dataclass(frozen=True)
class Component:
    """A kept or redundant component: a column (GFA) or direction (GCA).

    Attributes
    ----------
    name : str
        The name of the column, or "direction" and its index in the basis.
    index : int
        The index of the column in the table, or of the direction in the basis.
    kept : bool
        True if the component was kept.
    variance : float
        The variance of the component, E[Z_i²].
    residual_variance : float
        The residual variance of the component after projection on functions of the kept components
        of larger variance: E[(Z_i - proj Z_i)²]. NaN if there are too many functions (more than
        1,000) to compute it.
    exact : bool
        True if the residual of the component is a rounding error.
    epsilon : float
        ε: the residual variance below which the component is redundant. A relative threshold makes
        ε a share of the component's variance; the theorem's proof holds for it without change.
    n_more_variant : int
        The number of kept components of larger variance, whose functions explain the component.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian import GFA
    >>> a, b = np.random.default_rng(0).standard_normal((2, 500))
    >>> X = np.column_stack([3 * a, 2 * b, a * b])
    >>> from gramian import certify
    >>> certificate = certify(GFA(threshold=1e-6, laws=False).fit(X), X)
    >>> component = certificate.redundant[0]
    >>> component.name, component.exact
    ('x2', True)
    """

    name: str
    index: int
    kept: bool
    variance: float
    residual_variance: float
    exact: bool
    epsilon: float
    n_more_variant: int


@dataclass(frozen=True)
class Condition:
    """A condition of Theorem 2 or 5 of the paper, and the result of its check.

    Attributes
    ----------
    name : str
        A short name: "decided", "distinct", "captured", "no others", "projection", "enough rows",
        "outside the family" or "local".
    holds : bool or None
        True if the condition holds in the given rows; None if rows cannot show it.
    text : str
        The finding, in a sentence.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian import GFA
    >>> a, b = np.random.default_rng(0).standard_normal((2, 500))
    >>> X = np.column_stack([3 * a, 2 * b, a * b])
    >>> from gramian import certify
    >>> certificate = certify(GFA(threshold=1e-6, laws=False).fit(X), X)
    >>> print(certificate["enough rows"])
    enough rows (holds): 6 functions were fitted to 500 rows.
    """

    name: str
    holds: bool | None
    text: str

    def __str__(self) -> str:
        mark = {True: "holds", False: "FAILS", None: "cannot be checked"}[self.holds]
        return f"{self.name} ({mark}): {self.text}"


@dataclass(frozen=True)
class RedundancyCertificate:
    """The conditions under which GCA and GFA keep exactly the components that are not redundant.

    Theorem 2 is about ε-redundancies: functions R with E[R(Z)²] ≤ ε. Each redundancy makes its
    component of least variance redundant. GCA keeps exactly the other components if the redundant
    components are distinct, if none of them appears in another redundancy, and if each is
    *captured*: functions of components that are not redundant and have more variance leave at most
    ε of its variance. Theorem 5 is the analogue for GFA and columns.

    The conditions are checked for the redundancies that the fit found, R = z_i - g(z), with g in
    the span of the family. Redundancies that the family does not capture remain unknown.

    Attributes
    ----------
    estimator : str
        The name of the algorithm.
    n_rows : int
        The number of rows on which residual variances are measured.
    n_functions : int
        The number of functions of the fit, the constant among them.
    components : tuple of Component
        First the kept components, in the order of choice, then the redundant components.
    conditions : tuple of Condition
        The conditions of the theorem and its corollaries.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian import GFA
    >>> a, b = np.random.default_rng(0).standard_normal((2, 500))
    >>> X = np.column_stack([3 * a, 2 * b, a * b])
    >>> from gramian import certify
    >>> certificate = certify(GFA(threshold=1e-6, laws=False).fit(X), X)
    >>> certificate.holds
    True
    >>> [each.name for each in certificate.kept]
    ['x0', 'x1']
    """

    estimator: str
    n_rows: int
    n_functions: int
    components: tuple[Component, ...]
    conditions: tuple[Condition, ...]

    @property
    def kept(self) -> tuple[Component, ...]:
        """The components that were kept."""
        return tuple(each for each in self.components if each.kept)

    @property
    def redundant(self) -> tuple[Component, ...]:
        """The components that are redundant."""
        return tuple(each for each in self.components if not each.kept)

    @property
    def holds(self) -> bool:
        """True if all conditions that can be checked on rows hold."""
        return all(condition.holds is not False for condition in self.conditions)

    def __getitem__(self, name: str) -> Condition:
        """Return a condition by name."""
        for condition in self.conditions:
            if condition.name == name:
                return condition
        raise KeyError(name)

    def __str__(self) -> str:
        kind, theorem = "directions", "Theorem 2"
        if self.estimator == "GFA":
            kind, theorem = "columns", "Theorem 5"
        kept, redundant = self.kept, self.redundant
        lines = [
            f"{self.estimator} kept {len(kept)} {kind} and found {len(redundant)} redundant. "
            + (
                f"The conditions of {theorem} that can be checked hold on {self.n_rows} rows."
                if self.holds
                else f"Not all conditions of {theorem} hold on {self.n_rows} rows."
            )
        ]
        if redundant and all(each.exact for each in redundant):
            lines.append(
                "Every redundancy is exact and its formula is in the span of the family, as "
                "Corollary 1 asks."
            )
        elif redundant:
            n = sum(each.exact for each in redundant)
            exact = f"{n} of {len(redundant)} redundancies are exact, as in Corollary 1; "
            lines.append(
                (exact + "the others hold" if n else "The redundancies hold")
                + " within ε at best, as in Corollary 2 (A). Residual variances do not show if "
                "noise or the family is the reason (Corollary 3)."
            )
        lines += [f"- {condition}" for condition in self.conditions]
        return "\n".join(
            fill(line, 100, subsequent_indent="  " * line.startswith("-"), break_on_hyphens=False)
            for line in lines
        )


FIRST = (
    "The fit began with all components, and the kept components explain the dropped ones: in units "
    "in which the kept components vary most, the published algorithm with the same relative "
    "threshold keeps them."
)


def certify_redundancy(estimator: GCA | GFA, X: ArrayLike) -> RedundancyCertificate:
    """Check the conditions of Theorem 2 (GCA) or 5 (GFA) of the paper on the rows X."""
    model = estimator.model_
    x = model.centre(only_complete(check_rows(estimator, X, gaps=True), None, "X")[0])
    components = measure(model, x)
    kept = [each for each in components if each.kept]
    redundant = [each for each in components if not each.kept]
    n_functions, n_fitted = model.record.n_functions, model.record.n_rows
    n_open = len(model.kept.dropped) + len(model.kept.chosen) - len(components)
    left_open = (
        f"The fit ended ({model.record.stop_reason}) with {n_open} components neither kept nor "
        "redundant, about which the theorem says nothing."
    )
    shrunk = (
        f"The fit shrinks coefficients (alpha = {model.record.alpha:g}), but the theorem is about "
        "projections."
    )
    sizes = f"{n_functions} functions were fitted to {n_fitted} rows"
    too_many = ": with so many functions, residual variances fall towards zero, whatever the data."
    conditions = (
        _either("decided", not n_open, "Every component is kept or redundant.", left_open),
        Condition("distinct", True, FIRST) if model.eliminates else _distinct(kept, redundant),
        _captured(redundant),
        _no_others(kept),
        _either("projection", model.record.alpha == 0, "The fit is by least squares.", shrunk),
        _either("enough rows", 2 * n_functions <= n_fitted, f"{sizes}.", sizes + too_many),
        Condition(
            "outside the family",
            None,
            f"Redundancies among kept components that functions of {model.family} do not capture "
            "remain unknown.",
        ),
        Condition(
            "local",
            None,
            "An implicit redundancy must be captured on each of its branches (Corollary 2, B). "
            "This depends on its equation, which rows do not show.",
        ),
    )
    return RedundancyCertificate(
        type(estimator).__name__, len(x), n_functions, components, conditions
    )


def _either(name: str, holds: bool, fine: str, otherwise: str) -> Condition:
    return Condition(name, bool(holds), fine if holds else otherwise)


def measure(model: FittedModel, x: Array) -> tuple[Component, ...]:
    """Measure the residual variance of each component after its predecessors, on centred rows.

    Predecessors of a kept component are the components kept before it. Predecessors of a redundant
    component are the kept components of larger variance, or all kept components if the fit began
    with all components: then there are units in which all kept components have larger variance.
    """
    threshold = model.asked.threshold or 0.0
    assert isinstance(model.search, RedundancySearch)
    kept, redundant = model.kept.chosen, model.search.redundant
    to_z = model.kept.candidates(model.scale).T
    names = model.column_names
    if not model.selects:
        names = [f"direction {i}" for i in range(to_z.shape[1])]
    variances = np.mean((x @ to_z) ** 2, axis=0)
    n_before = [*range(len(kept))]
    for i in redundant:  # among equal variances, kept components come first
        before = variances[kept] >= (1 - TIE) * variances[i]
        n_before.append(len(kept) if model.eliminates or before.all() else int(np.argmin(before)))
    indices = [*kept, *redundant]
    coefficients = nested_fits(model.decoder, n_before, to_z[:, indices])
    left, left_by_laws = np.zeros(len(indices)), np.zeros(x.shape[1])
    for start in range(0, len(x), ROWS_AT_ONCE):
        part = x[start : start + ROWS_AT_ONCE]
        codes = model.kept.encode(part)
        fitted = model.decoder.evaluate(codes).T @ coefficients
        left += np.sum((part @ to_z[:, indices] - fitted) ** 2, axis=0) / len(x)
        if model.laws:
            rest = part + model.mean - model.decode(codes)
            left_by_laws += np.sum(rest**2, axis=0) / len(x)
    in_the_span = left.copy()
    for law in model.laws:  # a law need not be a function of the family
        i = model.column_names.index(law.column)
        left[indices.index(i)] = left_by_laws[i] * to_z[i, i] ** 2
    noise = CONSTANT * variances.max()
    return tuple(
        Component(
            name=names[i],
            index=int(i),
            kept=position < len(kept),
            variance=float(variances[i]),
            residual_variance=float(residual),
            exact=bool(in_the_span[position] <= max(IN_SPAN * variances[i], noise)),
            epsilon=float(threshold * variances[i] if model.asked.relative else threshold),
            n_more_variant=n,
        )
        for position, (i, n, residual) in enumerate(zip(indices, n_before, left, strict=True))
    )


def _distinct(kept: list[Component], redundant: list[Component]) -> Condition:
    """Return the check that each redundancy has a component of its own (Assumption 1)."""
    text = (
        "Each redundancy has its own component of least variance, which appears in no other."
        if redundant
        else "No redundancy was found."
    )
    pairs = [
        (each.variance / last.variance, each, last)
        for each in redundant
        if each.n_more_variant
        for last in [kept[each.n_more_variant - 1]]
    ]
    if pairs:
        ratio, each, last = max(pairs, key=lambda pair: pair[0])
        text += (
            f" {each.name} and {last.name} have equal variances: their order decides which of them "
            "is called redundant."
            if ratio >= 1 - TIE
            else f" {each.name} is closest in variance to a component kept before it: its variance "
            f"is {ratio:.3g} of the variance of {last.name}."
        )
    return Condition("distinct", True, text)


def _captured(redundant: list[Component]) -> Condition:
    if not redundant:
        return Condition("captured", True, "No redundancy was found.")
    missed = [
        each for each in redundant if each.residual_variance > each.epsilon and not each.exact
    ]
    if missed:
        return Condition(
            "captured",
            False,
            "Functions of the kept components of larger variance leave more than ε of "
            f"{_listed(missed)}.",
        )
    if any(np.isnan(each.residual_variance) for each in redundant):
        return Condition("captured", None, "There are too many functions to compute this.")
    worst = max(redundant, key=lambda each: each.residual_variance / (each.epsilon or 1.0))
    return Condition(
        "captured",
        True,
        "Functions of the kept components of larger variance leave at most ε of each redundant "
        f"component. The largest residual is that of {worst.name}: {_variance(worst)}.",
    )


def _no_others(kept: list[Component]) -> Condition:
    if not kept:
        return Condition("no others", True, "Nothing was kept.")
    if any(np.isnan(each.residual_variance) for each in kept):
        return Condition("no others", None, "There are too many functions to compute this.")
    others = [each for each in kept if each.residual_variance < each.epsilon or each.exact]
    if others:
        return Condition(
            "no others",
            False,
            f"Functions of components kept before leave less than ε of {_listed(others)}: "
            "redundant in these rows, but kept.",
        )
    least = min(kept, key=lambda each: each.residual_variance / (each.epsilon or each.variance))
    return Condition(
        "no others",
        True,
        "Functions of components kept before leave at least ε of each kept component. The smallest "
        f"residual is that of {least.name}: {_variance(least)}.",
    )


def _variance(component: Component) -> str:
    if component.exact:
        return f"zero, with ε = {component.epsilon:.3g}"
    return (
        f"{component.residual_variance:.3g}, with a variance of {component.variance:.3g} and "
        f"ε = {component.epsilon:.3g}"
    )


def _listed(components: list[Component]) -> str:
    return listed([each.name for each in components], quote=str)
