"""Solved laws as JSON: they survive storage, and hostile documents are refused."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from law_cases import planted, table_of

import gramian
from gramian.laws import Solution

NAMES = sorted(planted(0))


@pytest.mark.parametrize("name", NAMES)
def test_a_stored_law_computes_and_prints_as_before(name):
    x, names = table_of(planted(0)[name][0])
    table = dict(zip(names, x.T, strict=True))
    found = gramian.relations(x, names, tolerance=0)
    for solution in found.redundant().values():
        again = Solution.from_json(json.loads(json.dumps(solution.to_json())))
        np.testing.assert_array_equal(again(table), solution(table))
        assert (str(again), again.latex()) == (str(solution), solution.latex())
        assert again.columns == solution.columns


def stored():
    a, b = np.random.default_rng(0).uniform(1, 5, (2, 60))
    x = np.column_stack([a, b, np.log(a), a * b, a > 3])
    found = gramian.relations(x, ["a", "b", "la", "ab", "large"], tolerance=0)
    return [each.to_json() for each in found.redundant().values()]


STORED = stored()


def places(value, path=()):
    """Yield the paths to all parts of a document."""
    yield path
    if isinstance(value, (dict, list)):
        for key, child in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(child, (*path, key))


JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.just(10**400),
    st.floats(),
    st.text(max_size=5),
    st.lists(st.integers(), max_size=3),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
    st.sampled_from(["__import__('os')", "x", "log", "le nan", "eq", "le 1e999", [0, 1], [1, 0]]),
)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(STORED), st.data(), JUNK)
def test_a_hostile_document_is_refused_or_read_as_a_law(document, data, junk):
    document = json.loads(json.dumps(document))
    path = data.draw(st.sampled_from(sorted(places(document), key=str)))
    if path:
        parent = document
        for key in path[:-1]:
            parent = parent[key]
        parent[path[-1]] = junk
    else:
        document = junk
    try:
        solution = Solution.from_json(document)
    except ValueError:
        return
    table = dict.fromkeys(solution.columns, np.ones(3))
    with np.errstate(all="ignore"):
        assert np.shape(solution(table)) in ((3,), ())
    assert Solution.from_json(solution.to_json()).to_json() == solution.to_json()


def test_a_law_that_needs_its_own_column_is_refused():
    document = STORED[0] | {"column": Solution.from_json(STORED[0]).columns[0]}
    with pytest.raises(ValueError, match="from itself"):
        Solution.from_json(document)


def tables_with_laws():
    """Return tables in which one column follows from others by a law of each form."""
    rng = np.random.default_rng(0)
    a, b = rng.uniform(1000, 8000, (2, 400)).round(2)
    age, city = rng.integers(18, 65, 400), rng.integers(0, 9, 400)
    return {
        "min of a number": {"a": a, "y": np.minimum(406.48, (0.0815 * a).round(2)), "age": age},
        "max of a number": {"a": a, "y": np.maximum(9.5, (0.003 * a).round(2)), "age": age},
        "max of columns": {"a": a, "b": b, "y": np.maximum(a, b)},
        "min of columns": {"a": a, "b": b, "y": np.minimum(a, b)},
        "product": {"a": a, "b": b, "y": (a * b).round(4)},
        "steps": {"age": age, "b": b, "y": np.searchsorted([30, 40, 50], age)},
        "lookup": {"city": [f"c{i}" for i in city], "b": b, "y": np.cumsum(city**3 % 7)[city]},
        "slopes": {"city": [f"c{i}" for i in city], "a": a, "y": (a * (city + 2) / 8).round(6)},
    }


@pytest.mark.parametrize("name", tables_with_laws())
def test_a_selection_with_a_law_of_any_form_is_saved(name, tmp_path):
    table = pd.DataFrame(tables_with_laws()[name])
    selection = gramian.select(table)
    assert len(selection.dropped) == 1
    selection.save(tmp_path / "model.gram")
    kept = selection.transform(table)
    again = gramian.tabular.load(tmp_path / "model.gram").reconstruct(kept)
    pd.testing.assert_frame_equal(again, selection.reconstruct(kept))
    pd.testing.assert_frame_equal(again, table, check_dtype=False)
