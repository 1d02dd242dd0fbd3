"""Every estimator with every family follows the paper's pseudo-code, step by step."""

from __future__ import annotations

import itertools
from functools import cache

import families_by_hand as hand
import numpy as np
import oracle
import pytest
from oracle_cases import (
    FAMILIES,
    INDICATORS,
    PAIRS,
    assert_same,
    discrete,
    every_pair,
    every_solver,
    planted,
    weights,
)
from support import SOLVERS

from gramian import GCA


@cache
def oracle_run(name: str, family: str, weighted: bool) -> oracle.Run:
    if family in INDICATORS:
        X, functions = discrete(), INDICATORS[family][1]
    else:
        X, functions = planted(), FAMILIES[family][1]
    threshold = 1e-5 * X.var(axis=0).sum()
    w = weights(len(X)) if weighted else None
    return PAIRS[name].run(X, functions, threshold=threshold, weights=w)


MONOMIALS = [name for name in FAMILIES if "polynomial" in name or name[:-1] == "multilinear "]
ALL_SOLVERS = [
    *itertools.product(FAMILIES, SOLVERS),
    *((family, "moments") for family in MONOMIALS),
]


@pytest.mark.parametrize(("family", "solver"), ALL_SOLVERS)
@pytest.mark.parametrize("weighted", [False, True], ids=["", "weighted"])
@pytest.mark.parametrize("name", PAIRS)
def test_every_estimator_and_family_follows_the_pseudo_code(name, family, weighted, solver):
    X = planted()
    run = oracle_run(name, family, weighted)
    estimator = PAIRS[name].new(
        threshold=1e-5 * X.var(axis=0).sum(), family=FAMILIES[family][0], solver=solver
    )
    estimator.fit(X, sample_weight=weights() if weighted else None)
    assert_same(estimator, run, "threshold")
    assert estimator.solver_ == solver


@every_solver
@pytest.mark.parametrize("weighted", [False, True], ids=["", "weighted"])
@pytest.mark.parametrize("family", INDICATORS)
@pytest.mark.parametrize("name", ["GFS", "GFA"])
def test_selectors_of_discrete_columns_follow_the_pseudo_code(name, family, weighted, solver):
    X = discrete()
    run = oracle_run(name, family, weighted)
    estimator = PAIRS[name].new(
        threshold=1e-5 * X.var(axis=0).sum(), family=INDICATORS[family][0], solver=solver
    )
    estimator.fit(X, sample_weight=weights(len(X)) if weighted else None)
    assert_same(estimator, run, "threshold")
    # z is a combination of its indicators, so each step drops a function.
    assert all(estimator.n_dropped_functions_ >= 1)


@every_solver
def test_indicators_along_a_basis_follow_the_pseudo_code(solver):
    X, basis = discrete(), np.eye(6)[::-1]
    family, by_hand = INDICATORS["indicator 2"]
    run = oracle.gca(X, by_hand, 1e-5, basis=basis)
    gca = GCA(
        threshold=1e-5, basis=basis, family=family, solver=solver, backward=False, alpha=0
    ).fit(X)
    assert_same(gca, run, "threshold")


@pytest.mark.parametrize("name", ["multilinear", "polynomial", "hermite", "legendre", "fourier"])
@every_pair
def test_a_family_given_by_name_equals_the_instance(pair, name):
    by_hand = getattr(hand, name)(2)
    run = pair.run(planted(), by_hand, n_steps=3)
    estimator = pair.new(count=3, family=name, degree=2).fit(planted())
    assert_same(estimator, run, "count")
