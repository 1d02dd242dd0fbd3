"""Columns that laws drop: as many as possible, and the kept columns determine them."""
# ruff: noqa: RUF001  # minus signs, as they are printed

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from gramian import GFA, relations
from gramian.laws._cover import computable, exchangeable, fewest


@dataclass(frozen=True)
class Solved:
    """A stub of a law solved for a column."""

    column: str
    columns: tuple[str, ...]
    divides: bool = False


def closure(solutions, known):
    """Return all columns that can be computed by repeated use of laws."""
    known = set(known)
    for _ in solutions:
        known |= {each.column for each in solutions if set(each.columns) <= known}
    return known


def most_that_can_go(laws, keep=()):
    """Return the largest number of columns that can be dropped, by exhaustive search."""
    solutions = [each for law in laws for each in law]
    names = {name for each in solutions for name in (each.column, *each.columns)}
    for n in range(len(names), -1, -1):
        for gone in combinations(sorted(names - set(keep)), n):
            if closure(solutions, names - set(gone)) >= names:
                return n
    return 0


@st.composite
def systems_of_laws(draw):
    """Draw laws among seven columns, each with the columns that it can be solved for."""
    laws = []
    for _ in range(draw(st.integers(1, 4))):
        tied = draw(st.lists(st.sampled_from("abcdefg"), min_size=2, max_size=4, unique=True))
        solvable = draw(st.lists(st.sampled_from(tied), min_size=1, unique=True))
        laws.append([Solved(name, tuple(x for x in tied if x != name)) for name in solvable])
    return laws


@given(systems_of_laws(), st.sets(st.sampled_from("abcdefg"), max_size=2))
@settings(max_examples=300)
def test_as_many_columns_are_dropped_as_an_exhaustive_search_finds(laws, keep):
    found = fewest(laws, keep, lambda name: 0)
    assert len(found) == most_that_can_go(laws, keep)
    assert not keep & found.keys()
    names = {name for law in laws for each in law for name in (each.column, *each.columns)}
    there = names - found.keys()
    for column, solution in found.items():
        assert solution.column == column
        assert there.issuperset(solution.columns)
        there.add(column)


@given(systems_of_laws())
def test_no_kept_column_follows_from_other_kept_columns(laws):
    solutions = [each for law in laws for each in law]
    names = {name for each in solutions for name in (each.column, *each.columns)}
    kept = names - fewest(laws, (), lambda name: 0).keys()
    for name in kept:
        assert name not in computable(solutions, kept - {name})


@given(systems_of_laws(), st.sets(st.sampled_from("abcdefg"), max_size=2))
def test_alternatives_are_all_single_exchanges_that_keep_every_column_computable(laws, keep):
    solutions = [each for law in laws for each in law]
    names = {name for each in solutions for name in (each.column, *each.columns)}
    gone = {*fewest(laws, keep, lambda name: 0)}
    found = exchangeable(solutions, gone, keep)
    assert found.keys() == gone
    for column, others in found.items():
        assert {*others} == {
            other
            for other in names - gone - keep
            if closure(solutions, names - gone - {other} | {column}) == names
        }


def test_columns_of_higher_rank_are_kept():
    law = [Solved("a", ("b",)), Solved("b", ("a",))]
    assert [*fewest([law], (), {"a": 0, "b": 1}.__getitem__)] == ["a"]
    assert [*fewest([law], (), {"a": 1, "b": 0}.__getitem__)] == ["b"]


def test_a_column_can_be_dropped_although_others_are_computed_from_it():
    rng = np.random.default_rng(0)
    p, q = rng.uniform(1, 5, (2, 300)).round(2)
    ratio = np.log(100 * p / q)
    table = np.column_stack([np.log(p), p, q, np.log(p) - np.log(q), ratio])
    names = ["log_p", "p", "q", "growth", "ratio"]
    assert len(relations(table, names).redundant()) == 3
    fitted = GFA(laws=True, family="multilinear").fit(table)
    assert len(fitted.redundant_features_) == 3
    given_back = fitted.inverse_transform(fitted.transform(table))
    np.testing.assert_allclose(given_back, table, rtol=1e-9, atol=1e-9)


def test_rounding_to_single_precision_does_not_prevent_dropping():
    rng = np.random.default_rng(1)
    i0, i1 = rng.integers(0, 40, (2, 400)).astype(float)
    r = rng.normal(size=400).round(2)
    product = (i1 * r).astype(np.float32).astype(float)
    table = np.column_stack([i0, i1, r, product, i1 - product, i0 - product])
    table = np.array([[float(f"{value:.7g}") for value in row] for row in table])
    found = relations(table, ["i0", "i1", "r", "product", "d1", "d0"])
    assert {str(each) for each in found} >= {"product = i1 · r", "d0 = i0 − product"}
    assert set(found.redundant()) == {"product", "d1", "d0"}
