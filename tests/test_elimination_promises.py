"""Guarantees of an order-free selection, for every table."""

from __future__ import annotations

import itertools

import families_by_hand as hand
import numpy as np
import pytest
from elimination_cases import (
    by_name,
    planted,
    prefer_names,
    selection_of,
    share_left,
    standardized,
    sums_of,
)
from hypothesis import given
from hypothesis import strategies as st
from property_cases import a_property, a_slow_property, seeds

from gramian import GFA
from gramian.core.elimination import KeptSetSearch, Preferences, eliminate, lay_out
from gramian.core.rows import RowBlock, centre
from gramian.families import Legendre, Multilinear, Polynomial

THRESHOLD = 1e-3


def derived_table(seed: int, n: int = 250, noise: float = 1e-4) -> np.ndarray:
    """Return a table with chains, sums, squares, copies and products, in random units."""
    rng = np.random.default_rng(seed)
    columns = list(rng.standard_normal((2, n)))
    makers = ["product", "square", "sum", "copy", "new", "chain"]
    for _ in range(5):
        i, j = rng.integers(len(columns), size=2)
        a, b = columns[i] / columns[i].std(), columns[j] / columns[j].std()
        new = {
            "product": a * b,
            "square": (a + 3) ** 2,
            "sum": a + rng.uniform(1, 2) * b,
            "copy": 1.8 * a + 32,
            "new": rng.exponential(size=n),
            "chain": a + 0.02 * rng.standard_normal(n),
        }[str(rng.choice(makers))]
        columns.append(new + noise * new.std() * rng.standard_normal(n))
    return np.column_stack(columns) * 10 ** rng.uniform(-3, 3, len(columns))


tables = st.builds(derived_table, seeds)


def in_sample(X: np.ndarray, target: int, columns: list[int]) -> float:
    Z, w = standardized(X)
    return share_left(Z, w, target, columns, hand.polynomial(2))


@given(tables)
@a_property
def test_every_dropped_column_is_explained_by_kept_columns(X):
    found = selection_of(X, Polynomial(2))
    assert sorted((*found.kept, *found.dropped)) == list(range(X.shape[1]))
    assert (found.share_left <= THRESHOLD).all()
    for j, left in zip(found.dropped, found.share_left, strict=True):
        # A leave-one-out error is never below the error in sample.
        assert in_sample(X, j, list(found.kept)) <= left * (1 + 1e-6) + 1e-8


@given(tables)
@a_property
def test_a_kept_column_that_others_explain_is_needed_or_refused(X):
    found = selection_of(X, Polynomial(2), alpha=0.0)
    for j in found.kept:
        others = [i for i in found.kept if i != j]
        n_functions = Polynomial(2).count(len(others))
        on_new_rows = in_sample(X, j, others) / (1 - (n_functions + 1) / len(X)) ** 2
        explained = on_new_rows <= THRESHOLD * (1 - 1e-6)
        assert not explained or j in found.needed or j in found.refused
    for j in found.needed:
        others = [i for i in found.kept if i != j]
        assert any(in_sample(X, i, others) > THRESHOLD / 2 for i in found.dropped)


@given(tables, seeds)
@a_property
def test_neither_units_nor_order_nor_offsets_change_the_set(X, seed):
    rng = np.random.default_rng(seed)
    d = X.shape[1]
    names = np.array([f"x{i}" for i in range(d)])
    order = rng.permutation(d)
    Y = X[:, order] * 10 ** rng.uniform(-2, 2, d)
    Y = Y + rng.uniform(-1, 1, d) * Y.std(axis=0)
    one = selection_of(X, Polynomial(2), preferences=prefer_names(names))
    other = selection_of(Y, Polynomial(2), preferences=prefer_names(names[order]))
    assert by_name(names, one.kept) == by_name(names[order], other.kept)


@given(tables, seeds)
@a_slow_property
def test_names_of_columns_decide_only_between_exchangeable_columns(X, seed):
    """Names break ties; the kept columns explain equally much with any names."""
    ranks = np.random.default_rng(seed).permutation(X.shape[1]).tolist()
    one = selection_of(X, Polynomial(2))
    other = selection_of(X, Polynomial(2), preferences=Preferences(order=ranks))
    assert len(one.kept) == len(other.kept)
    for j in set(other.kept) - set(one.kept):
        exchanged = set(one.alternatives[j]) - set(other.kept)
        assert exchanged, "a column was kept that could not be exchanged for one kept before"


@given(
    st.sampled_from(["uniform", "standard_normal", "lognormal", "exponential", "integers"]),
    st.integers(20, 200),
    st.integers(2, 25),
    seeds,
)
@a_property
def test_independent_columns_are_never_dropped(kind, n, d, seed):
    rng = np.random.default_rng(seed)
    draw = getattr(rng, kind)
    X = draw(0, 5, (n, d)).astype(float) if kind == "integers" else draw(size=(n, d))
    assert selection_of(X, Polynomial(2)).dropped == ()


@given(tables)
@a_slow_property
def test_the_proof_finds_the_smallest_of_all_sets(X):
    sums = sums_of(X, Polynomial(2))
    search = KeptSetSearch(sums, THRESHOLD, 0.0, Preferences())
    choice = search.reconsider(eliminate(sums, THRESHOLD), prove=True)
    assert choice.minimal == "proved"
    d = X.shape[1]
    for kept in itertools.combinations(range(d), len(choice.elimination.kept) - 1):
        left = search.among(kept).left if kept else np.array([1.0])
        assert left.max() > THRESHOLD


@given(tables)
@a_slow_property
def test_alternatives_are_the_exchanges_that_keep_all_columns_explained(X):
    sums = sums_of(X, Polynomial(2))
    search = KeptSetSearch(sums, THRESHOLD, 0.0, Preferences())
    choice = search.reconsider(eliminate(sums, THRESHOLD))
    kept = set(choice.elimination.kept)
    for j, others in choice.alternatives.items():
        for k in kept:
            left = search.among((kept | {j}) - {k}).left
            if not 0.999 < left.max() / THRESHOLD < 1.01:
                assert (k in others) == (left.max() <= THRESHOLD)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("noise", [1e-3, 1e-2])
def test_planted_columns_are_found_in_any_units_and_order(seed, noise):
    X, derived = planted(seed, noise=noise)
    assert set(selection_of(X, Polynomial(2)).dropped) == derived


def test_a_column_in_a_chain_is_kept_if_errors_along_the_chain_add_up():
    """The error of each link is below the threshold, the error between the ends is above it."""
    rng = np.random.default_rng(0)
    links = np.cumsum(rng.standard_normal((8, 4000)) * np.r_[1, [0.028] * 7][:, np.newaxis], axis=0)
    X = links.T
    found = selection_of(X, Multilinear(1))
    assert 1 < len(found.kept) < 8
    assert (found.share_left <= THRESHOLD).all()


def test_a_higher_power_is_kept_instead_of_the_square_that_it_needs():
    x = np.random.default_rng(1).uniform(1, 2, 400)
    X = np.column_stack([x, x**2, x**2 * x**2 * x])
    found = selection_of(X, Polynomial(2), threshold=1e-7)
    assert found.dropped == (1,)
    assert found.needed == ()


@pytest.mark.parametrize("scale", [1.8, -1.8])
def test_between_equal_columns_the_name_decides_and_the_other_is_an_alternative(scale):
    z = np.random.default_rng(2).standard_normal((300, 2))
    X = np.column_stack([z[:, 0], z[:, 1], scale * z[:, 0] + 32])
    for names in (["a", "b", "c"], ["c", "b", "a"]):
        found = selection_of(X, Polynomial(2), preferences=prefer_names(names))
        assert by_name(names, found.kept) == {"a", "b"}
        (dropped,) = found.dropped
        assert by_name(names, found.alternatives[dropped]) == {"a"}


def test_columns_that_the_user_wants_are_kept():
    z = np.random.default_rng(3).standard_normal((300, 2))
    X = np.column_stack([z[:, 0], z[:, 1], z[:, 0] * z[:, 1], z[:, 0] + z[:, 1]])
    kept = selection_of(X, Polynomial(2), preferences=Preferences(keep=[2, 3])).kept
    assert {2, 3} < set(kept)
    rather = selection_of(X, Polynomial(2), preferences=Preferences(priority=[0, 1, 1, 2])).kept
    assert rather == (1, 3)


def test_constant_columns_are_dropped_and_explain_nothing():
    z = np.random.default_rng(4).standard_normal((200, 2))
    X = np.column_stack([z[:, 0], np.full(200, 3.0), z[:, 1]])
    found = selection_of(X, Polynomial(2))
    assert found.kept == (0, 2)
    assert found.dropped == (1,)
    assert found.share_left.tolist() == [0.0]


@pytest.mark.parametrize("n_columns", [5, 9, 13, 20, 40])
def test_independent_columns_are_kept_even_if_functions_saturate(n_columns):
    rng = np.random.default_rng(n_columns)
    X = rng.lognormal(size=(60, n_columns))
    assert selection_of(X, Polynomial(2)).dropped == ()


def test_too_many_functions_for_the_rows_begin_with_a_forward_pass():
    rng = np.random.default_rng(5)
    z = rng.standard_normal((120, 18))
    X = np.column_stack([z, z[:, :2].sum(axis=1), z[:, 0] - z[:, 3]])
    found = selection_of(X, Polynomial(2))
    assert found.start == "forward"
    assert len(found.dropped) == 2
    assert set(found.dropped) <= {0, 1, 3, 18, 19}


def test_a_family_too_large_to_list_is_cut_short():
    X = np.random.default_rng(5).standard_normal((100, 80))
    rows, _ = centre(X, None, "column")
    layout = lay_out(rows, Polynomial(8), range(80), most=2000)
    assert len(layout.columns) == 80
    assert 2000 - Polynomial(8).count(6) < layout.n_functions <= 2000
    values, _, _ = layout.evaluate(RowBlock(rows.x, rows.root), layout.n_functions)
    np.testing.assert_allclose(values[1:][layout.singles], rows.x.T)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"threshold": 0.0}, "between 0 and 1"),
        ({"preferences": Preferences(keep=[7])}, "keep names column 7"),
    ],
)
def test_bad_input_is_named(options, message):
    X = np.random.default_rng(0).standard_normal((50, 3))
    with pytest.raises(ValueError, match=message):
        selection_of(X, Polynomial(2), **options)


def test_weights_count_as_repeated_rows():
    rng = np.random.default_rng(6)
    X, _ = planted(7, n=300)
    weights = rng.integers(0, 3, 300).astype(float)
    one, other = (
        sums_of(X, Polynomial(2), weights),
        sums_of(np.repeat(X, weights.astype(int), 0), Polynomial(2)),
    )
    np.testing.assert_allclose(one.gram, other.gram, atol=1e-10)
    assert eliminate(one).dropped == eliminate(other).dropped


@pytest.mark.parametrize("family", [Polynomial(3), Legendre(3)])
def test_an_explanation_that_holds_only_in_sample_is_refused(family):
    """Heavy tails: a few rows determine the fit, and the leave-one-out error shows this."""
    rng = np.random.default_rng(8)
    X = rng.lognormal(sigma=2, size=(150, 4))
    found = selection_of(X, family)
    assert found.dropped == ()


@pytest.mark.parametrize("seed", range(12))
def test_elimination_gives_no_warning_if_functions_span_all_rows(seed):
    rng = np.random.default_rng(seed)
    a, b, c = rng.standard_normal((3, 11))
    a = np.maximum(a, 0.5)
    table = np.column_stack([a, b, 1.1 * b + 3, 0.02 * a - 6, c, 2 - 0.5 * b])
    fitted = GFA(alpha=0, family="fourier", degree=1, laws=False).fit(table)
    assert len(fitted.selected_features_) + len(fitted.redundant_features_) == 6
