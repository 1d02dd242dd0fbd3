"""Consequences: detects laws that follow from accepted laws, so that they are not listed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gramian._support.types import Array
from gramian.laws.forms import Law, Values, comparison
from gramian.laws.judge._control import Verdict
from gramian.laws.judge._printed_digits import share_reproduced

CONSEQUENCE = 1e-3
"""A law is a consequence if a sum of known gradients fits its unit gradient within this error."""
ROUNDED_CONSEQUENCE = 0.05
"""The same error for a law of rounded numbers, which may approximate a consequence."""
SHORT = 3
"""Number of terms of a law that people write although a known law ties some of its columns."""
NEARLY_ALL = 0.8
"""A known law gives a column if it gives this share of its cells to the last digit."""
DEPENDENT = 1e-10
"""Relative size of the eigenvalues that count as zero, of a Gram matrix of unit gradients."""


def is_consequence(
    law: Law, known: list[Law], values: Values, tolerance: float = CONSEQUENCE
) -> bool:
    """Return True if a law follows from accepted laws.

    This is so if its gradient is a linear combination of their gradients.

    Parameters
    ----------
    law : Law
        The law that may be a consequence.
    known : list of Law
        The laws that were accepted before.
    values : Values
        A few rows in which all these laws hold.
    tolerance : float
        Largest difference of the unit gradient from a combination of the other gradients.
    """
    if not any(set(each.columns) & set(law.columns) for each in known):
        return False
    # A function of a column of two values can be written in many ways, whose slopes differ.
    many = np.array([each.n_levels != 2 for each in values.traits])
    if not any(many[i] and law.slope(values, i).any() for i in law.columns):
        many[:] = True
    with np.errstate(all="ignore"):
        gradients = np.stack([_unit(each.gradient(values)[:, many]) for each in known], axis=1)
        new = _unit(law.gradient(values)[:, many])
    gradients = np.where(np.isfinite(gradients), gradients, 0.0)  # laws of two-valued columns only
    fine = np.isfinite(new).all(axis=1)
    if not fine.any():
        return True
    # Least squares in every row at once: a combination of the rows of `bases` gives a row of `new`.
    bases, new = gradients[fine], new[fine, np.newaxis, :]
    transposed = bases.transpose(0, 2, 1)
    inverse = np.linalg.pinv(bases @ transposed, rcond=DEPENDENT, hermitian=True)
    left = np.linalg.norm(new - new @ transposed @ inverse @ bases, axis=2)
    return float(np.median(left)) < tolerance


def _unit(gradient: Array) -> Array:
    unit: Array = gradient / np.linalg.norm(gradient, axis=1, keepdims=True)
    return unit


def without_echoes(found: Sequence[Verdict]) -> list[Verdict]:
    """Remove step laws that only repeat another law, and return the other verdicts.

    For example, x = y · z with a flag y implies the step law y = [x ≠ 0], which is removed.
    """
    others = [each.law for each in found if _step_of(each.law) is None]

    def echo(law: Law) -> bool:
        source = _step_of(law)
        return source is not None and any(
            set(law.columns) <= set(each.columns) and _linear_in(each, source) for each in others
        )

    return [each for each in found if not echo(each.law)]


def among_steps(law: Law, known: Sequence[Law]) -> bool:
    """Return True if a law contains only columns and their steps, and so follows from step laws.

    The columns and their steps are those of the step laws in `known`. A linear law may contain
    several columns with their steps: the difference of two sums of steps is also a sum of steps.
    """
    groups: dict[int, set[int]] = {}
    for each in known:
        source = _step_of(each)
        if source is not None:
            groups.setdefault(source, {source}).update(each.columns)
    columns = set(law.columns)
    if any(columns <= group for group in groups.values()):
        return True
    flags = columns - groups.keys()
    return law.is_linear and bool(flags) and columns <= set[int]().union(*groups.values())


def repeats(verdict: Verdict, known: Sequence[Law], values: Values) -> bool:
    """Return True if a known law gives the column of a law from some of its other columns.

    The further columns of the law then only fill the rounding of the column, as in
    amp = (va + f) / volt, where va = volt · amp, and f / volt is smaller than the last digit. If
    all columns may be rounded, any column of a long law may be filled in this way.

    Parameters
    ----------
    verdict : Verdict
        The law, and the column that was computed and rounded.
    known : sequence of Law
        The laws that were accepted before.
    values : Values
        Rows in which all these laws hold.
    """
    law, target = verdict.law, verdict.target
    columns = {*law.columns}
    within = [each for each in known if columns > {*each.columns}]
    if target is None:
        long = len(law.monomials) > SHORT and not law.is_linear
        return bool(within) and verdict.rounding > 0 and long
    return any(
        target in each.columns and share_reproduced(each, values, target) >= NEARLY_ALL
        for each in within
    )


def _step_of(law: Law) -> int | None:
    """Return the index of the column that a law compares with numbers; None if there is none."""
    for each in law.monomials:
        for (column, atom), _ in each:
            if comparison(atom):
                return column
    return None


def _linear_in(law: Law, column: int) -> bool:
    """Return True if one term of a law is the column itself, times a coefficient."""
    return (((column, "x"), 1),) in law.monomials
