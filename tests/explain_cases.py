"""Shared by tests of explanations: planted tables, and comparisons of formulas."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy as np
import pandas as pd
from support import unlike_variables

from gramian import GFS
from gramian.exceptions import UnitsWarning
from gramian.explanations import Redundancy


def plain(redundancy: Redundancy) -> dict[tuple[tuple[Any, Any], ...], float]:
    """Return a formula as a mapping from sorted factors to coefficients."""
    return {tuple(sorted(term.factors.items())): term.coefficient for term in redundancy.terms}


def assert_formula(redundancy: Redundancy, expected: dict[str, float], rtol: float = 1e-6) -> None:
    """Check terms and coefficients; ``"a a b"`` stands for a²b and ``""`` for the constant."""
    wanted = {
        tuple(sorted((name, key.split().count(name)) for name in set(key.split()))): value
        for key, value in expected.items()
    }
    found = plain(redundancy)
    assert found.keys() == wanted.keys()
    for key, value in wanted.items():
        np.testing.assert_allclose(found[key], value, rtol=rtol)


def explained_by(base: pd.DataFrame, others: pd.DataFrame, **params: Any) -> Any:
    """Fit GFS so that it keeps the columns of the first table and explains those of the second.

    GFS takes the column with the most variance left: those of the second table are expressed in a
    unit so large that their numbers are small.
    """
    unit = 1e-9 * base.std().min() / others.std().max()
    table = pd.concat([base, others * unit], axis=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnitsWarning)
        fitted = GFS(base.shape[1], **{"alpha": 0, **params}, criterion="variance").fit(table)
    assert set(fitted.get_feature_names_out()) == set(base)
    return fitted, table, unit


def measurements(n: int = 400, seed: int = 0) -> pd.DataFrame:
    """Return three columns in units of very different size, two of them far from zero."""
    rng = np.random.default_rng(seed)
    a, b, c = unlike_variables(rng, n)
    return pd.DataFrame({"a": 1e-4 * (a + 3), "b": 1e6 * (b + 20), "c": c})


def monomials(columns: list[str], degree: int, squares: bool = True) -> list[str]:
    """List the monomials of a family."""
    pick = itertools.combinations_with_replacement if squares else itertools.combinations
    return [" ".join(key) for n in range(1, degree + 1) for key in pick(columns, n)]


def evaluate(table: pd.DataFrame, monomial: str) -> pd.Series:
    """Multiply columns."""
    product = pd.Series(1.0, index=table.index)
    for name in monomial.split():
        product = product * table[name]
    return product
