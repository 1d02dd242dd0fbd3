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
from gramian.fitting import ROWS_AT_ONCE, FittedModel, check_rows, only_complete

IN_SPAN = 1e-12
"""Largest residual share of a component's variance that counts as a rounding error."""


@dataclass(frozen=True)
class Component:
    """A component that was kept, or one that is redundant: a column (GFA) or direction (GCA).

    Attributes
    ----------
    name : str
        The name of the column, or "direction" and its index in the basis.
    index : int
        The index of the column, or in the basis.
    kept : bool
        True if the component was kept.
    variance : float
        Its variance, E[Z_i²].
    residual_variance : float
        The part of its variance that is left by functions of the kept components of larger
        variance: E[(Z_i - proj Z_i)²]. NaN if there are too many functions (more than 1,000) to
        compute it.
    exact : bool
        True if its residual is a rounding error.
    epsilon : float
        ε: below it the component is redundant. For a relative threshold it is a share of the
        component's variance, and the theorem's proof is the same.
    n_more_variant : int
        The number of kept components of larger variance, of which it should be a function.

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
    """A condition of the theorem, and whether it holds.

    Attributes
    ----------
    name : str
        A short name: "decided", "distinct", "captured", "no others", "projection", "enough rows",
        "outside the family" or "local".
    holds : bool or None
        True if the condition holds in the given rows; None if rows cannot show it.
    text : str
        What was found, in a sentence.

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
    """The conditions under which GCA and GFA keep exactly what is not redundant.

    Theorem 2 speaks of functions R with E[R(Z)²] ≤ ε, the ε-redundancies. Each makes its least
    variant component redundant. If these are distinct, if none appears in another redundancy, and
    if each is *captured*, that is, if functions of the more variant components that are not
    redundant leave at most ε of its variance, then GCA keeps exactly the other components.
    Theorem 5 says the same of GFA and columns.

    A fit knows the redundancies that it found, R = z_i - g(z), with g in the span of the family;
    with these the conditions are checked. It cannot know redundancies that its family does not
    capture.

    Attributes
    ----------
    estimator : str
        The name of the algorithm.
    n_rows : int
        The number of rows on which residual variances are measured.
    n_functions : int
        The number of functions of the fit, the constant among them.
    components : tuple of Component
        First the kept components, in the order of choice, then the redundant ones.
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
        """True if all conditions that rows can show hold."""
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
                + " within ε at best, as in Corollary 2 (A). Whether noise or the family is the "
                "reason (Corollary 3), residual variances do not tell."
            )
        lines += [f"- {condition}" for condition in self.conditions]
        return "\n".join(
            fill(line, 100, subsequent_indent="  " * line.startswith("-"), break_on_hyphens=False)
            for line in lines
        )


FIRST = (
    "The fit began with all components, and what was dropped is explained by those kept: in units "
    "in which these vary most, the published algorithm with the same relative threshold keeps them."
)


def certify_redundancy(estimator: GCA | GFA, X: ArrayLike) -> RedundancyCertificate:
    """Check the conditions of Theorem 2 or 5."""
    model = estimator.model_
    x = model.centre(only_complete(check_rows(estimator, X, gaps=True), None, "X")[0])
    components = measure(model, x)
    kept = [each for each in components if each.kept]
    redundant = [each for each in components if not each.kept]
    n_functions, n_fitted = model.record.n_functions, model.record.n_rows
    n_open = len(model.dropped) + len(model.chosen) - len(components)
    left_open = (
        f"The fit ended ({model.record.stop_reason}) with {n_open} components neither kept nor "
        "redundant, about which the theorem says nothing."
    )
    shrunk = (
        f"The fit shrinks coefficients (alpha = {model.record.alpha:g}), but the theorem is about "
        "projections."
    )
    sizes = f"{n_functions} functions were fitted to {n_fitted} rows"
    too_many = ": with this many, residual variances fall towards zero, whatever the data."
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
            f"Redundancies among those kept that functions of {model.family} do not capture would "
            "remain unseen.",
        ),
        Condition(
            "local",
            None,
            "Whether an implicit redundancy is captured on each of its branches (Corollary 2, B) "
            "depends on its equation, which rows do not tell.",
        ),
    )
    return RedundancyCertificate(
        type(estimator).__name__, len(x), n_functions, components, conditions
    )


def _either(name: str, holds: bool, fine: str, otherwise: str) -> Condition:
    return Condition(name, bool(holds), fine if holds else otherwise)


def measure(model: FittedModel, x: Array) -> tuple[Component, ...]:
    """Measure what those kept before each component leave of it, on centred rows.

    Before a redundant one come the more variant of those kept; all of them, if the fit began with
    all components: then there are units in which they are more variant.
    """
    threshold = model.asked.threshold or 0.0
    kept, redundant = model.chosen, model.redundant
    assert redundant is not None
    if model.axes is not None:
        to_z = model.axes.T
        names = [f"direction {i}" for i in range(to_z.shape[1])]
    else:
        to_z = np.eye(x.shape[1])
        names = model.column_names
    if model.selects and model.scale is not None:
        to_z = to_z / model.scale
    variances = np.mean((x @ to_z) ** 2, axis=0)
    n_before = [*range(len(kept))]
    for i in redundant:  # of equals, those kept come first
        before = variances[kept] >= (1 - TIE) * variances[i]
        n_before.append(len(kept) if model.eliminates or before.all() else int(np.argmin(before)))
    indices = [*kept, *redundant]
    coefficients = nested_fits(model.decoder, n_before, to_z[:, indices])
    left, left_by_laws = np.zeros(len(indices)), np.zeros(x.shape[1])
    for start in range(0, len(x), ROWS_AT_ONCE):
        part = x[start : start + ROWS_AT_ONCE]
        codes = model.encoder(part)
        fitted = model.decoder.evaluate(codes).T @ coefficients
        left += np.sum((part @ to_z[:, indices] - fitted) ** 2, axis=0) / len(x)
        if model.laws:
            rest = part + model.mean - model.decode(codes)
            left_by_laws += np.sum(rest**2, axis=0) / len(x)
    in_the_span = left.copy()
    for law in model.laws:  # which functions of the family need not capture
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
    """Assumption 1, for the redundancies that were found."""
    text = (
        "Each redundancy found has a least variant component of its own, which appears in no other."
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
            f" {each.name} and {last.name} are equally variant: which of them is called redundant "
            "is a matter of order."
            if ratio >= 1 - TIE
            else f" The closest in variance to one kept before it is {each.name}, with {ratio:.3g} "
            f"of the variance of {last.name}."
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
            f"More than ε is left of {_listed(missed)} by functions of the kept ones of larger "
            "variance.",
        )
    if any(np.isnan(each.residual_variance) for each in redundant):
        return Condition("captured", None, "There are too many functions to compute this.")
    worst = max(redundant, key=lambda each: each.residual_variance / (each.epsilon or 1.0))
    return Condition(
        "captured",
        True,
        "Functions of the kept ones of larger variance leave at most ε of each redundant one. "
        f"Most is left of {worst.name}: {_variance(worst)}.",
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
            f"Less than ε is left of {_listed(others)} by functions of those kept before: "
            "redundant in these rows, but kept.",
        )
    least = min(kept, key=lambda each: each.residual_variance / (each.epsilon or each.variance))
    return Condition(
        "no others",
        True,
        "Functions of those kept before leave at least ε of each that was kept; the least of "
        f"{least.name}: {_variance(least)}.",
    )


def _variance(component: Component) -> str:
    if component.exact:
        return f"nothing, ε being {component.epsilon:.3g}"
    return (
        f"{component.residual_variance:.3g}, its variance being {component.variance:.3g} and "
        f"ε {component.epsilon:.3g}"
    )


def _listed(components: list[Component]) -> str:
    return listed([each.name for each in components], quote=str)
