"""Hopeless candidates are refused by a cheap test before a long search."""

import numpy as np
import pytest

import gramian
from gramian.laws.candidates import (
    _explicit_laws,
    _extreme_search,
    _lookup_search,
    _trimmed_rows,
)
from gramian.laws.candidates._search_context import SearchContext
from gramian.laws.columns import traits_of
from gramian.laws.forms import Values


def values_of(*columns):
    x = np.asfortranarray(np.column_stack(columns))
    traits = [traits_of(column) for column in x.T]
    return Values(x, np.array([each.scale for each in traits]), traits)


@pytest.fixture
def numbers():
    return np.random.default_rng(0).uniform(1, 9, (3, 1200)).round(2)


def test_numbers_of_an_extreme_are_shortened_only_if_most_rows_are_near_it(numbers, monkeypatch):
    x, y, noise = numbers
    shortened, shorten = [], _extreme_search._with_short_numbers
    monkeypatch.setattr(
        _extreme_search,
        "_with_short_numbers",
        lambda found, *others: shortened.append(found) or shorten(found, *others),
    )
    rows = np.column_stack([np.maximum(3.0, x), x, y, noise])
    (found,) = _extreme_search._with_constant(rows, rows[:, 0], [1, 2, 3])
    assert found.largest
    assert found.parts == ((3.0, None), (1.0, 1))
    assert {each.parts[1][1] for each in shortened} == {1}
    mixed = np.column_stack([np.maximum(3.0, y + noise - x), x, y, noise])
    assert [*_extreme_search._with_constant(mixed, mixed[:, 0], [1, 2, 3])] == []


def test_a_column_with_one_usual_value_shows_no_wrong_cells(numbers):
    x, y, _ = numbers
    flag = (x > 4.6).astype(float)
    assert 0 not in _trimmed_rows._explained(values_of(flag, x), [0, 1])
    assert 0 in _trimmed_rows._explained(values_of(x * y, x, y), [0, 1, 2])


def test_rows_are_trimmed_only_where_most_are_near_a_smooth_function(numbers):
    x, y, _ = numbers
    rng = np.random.default_rng(1)
    product = (x * y).round(2)
    product[::20] *= 10
    found = _trimmed_rows.suspicious_rows(values_of(product, x, y), 0, [1, 2])
    assert found[::20].mean() > 0.9
    noisy = product * rng.uniform(0.7, 1.3, len(product))
    assert _trimmed_rows.suspicious_rows(values_of(noisy, x, y), 0, [1, 2]) is None


def test_short_formulas_with_noise_are_searched_only_for_well_explained_columns(numbers):
    x, y, _ = numbers
    rng = np.random.default_rng(1)
    near, far = (x * y + share * rng.normal(0, 15, len(x)) for share in (0.1, 0.35))
    for column, tolerance, n_found in ((near, 0.05, 3), (far, 0.05, 0), (far, 0.4, 1)):
        table = values_of(column, x, y)
        context = SearchContext(table, table, table, tolerance=tolerance)
        laws = [each.law for each in _explicit_laws.explicit_laws(context)]
        assert min(len(laws), n_found) == n_found
        assert bool(laws) == bool(n_found)


def test_hopeless_keys_of_lookups_are_refused_in_few_rows(monkeypatch):
    rng = np.random.default_rng(0)
    keys = rng.integers(0, 9, (6, 20_000))
    table = {f"k{i}": [f"{each}" for each in key] for i, key in enumerate(keys)}
    table["both"] = [f"{a}-{b}" for a, b in zip(*keys[:2], strict=True)]
    n_rows, mismatches = [], _lookup_search.mismatches
    monkeypatch.setattr(
        _lookup_search,
        "mismatches",
        lambda codes, effects: n_rows.append(len(codes)) or mismatches(codes, effects),
    )
    found = {str(law) for law in gramian.relations(table)}
    assert "both follows from k0 and k1 (81 levels)" in found
    assert n_rows.count(max(n_rows)) < len(n_rows) / 3
    assert min(n_rows) == _lookup_search.FEWEST_ROWS
