"""Selection by gain: gains and exchanges, compared with explicit regressions."""

from __future__ import annotations

import csv
import os
from itertools import combinations, combinations_with_replacement
from pathlib import Path

import families_by_hand as hand
import numpy as np
import pytest
from gain_cases import greedy, left_by, related
from property_cases import FAMILIES, nonlinear_table
from support import orthonormal

from gramian import GFS
from gramian.core.gain import GainRequest, _evaluated, _monomial_sums, _monomials, search
from gramian.core.gain._candidates import ScaledMoments
from gramian.core.gain._explained import Explained, without_member
from gramian.core.gain._frame import Frames, Member
from gramian.core.gain._monomials import candidates_of
from gramian.core.pursuit._pursuit import Limits
from gramian.core.rows import centre
from gramian.families import Custom, Indicator, Legendre, Multilinear, Polynomial


def hypot(u: np.ndarray, v: np.ndarray) -> np.ndarray:
    return np.hypot(u, v)


OTHERS = [(Custom([(np.abs, 1), (hypot, 2)]), hand.custom([(np.abs, 1), (hypot, 2)]))]
every_family = pytest.mark.parametrize(
    ("family", "by_hand"), FAMILIES + OTHERS, ids=lambda value: repr(value)[:40]
)


class Sets:
    """A set of columns that grows and shrinks, with the variance that it explains."""

    def __init__(self, X, family, alpha=0.0, weights=None):
        self.rows, centring = centre(X, weights, "column")
        self.units = centring.scale
        lower = np.tril(self.rows.covariance())
        covariance = lower + np.tril(lower, -1).T
        self.covariance = covariance * np.multiply.outer(self.units, self.units)
        self.frames = Frames(self.rows, family)
        self.candidates = candidates_of(self.rows, family, self.frames, covariance)
        self.alpha = alpha
        self.number = 0
        d = X.shape[1]
        empty = ScaledMoments(np.empty(0), np.empty(0), np.empty((0, 0)), np.empty((0, d)))
        self.now = self.explained((), empty)

    def explained(self, members, moments):
        frame = self.frames.of(members)
        return Explained(frame, moments, self.covariance, self.units, self.alpha)

    def of(self, columns):
        return self.candidates.of(columns, self.now.frame, self.now.moments)

    def add(self, column):
        (candidate,) = self.of([column])
        self.number += 1
        members = [*self.now.frame.members, Member(column, self.number)]
        self.now = self.explained(members, self.now.joined(candidate))

    def drop(self, column):
        place = self.now.frame.columns.index(column)
        members = [each for each in self.now.frame.members if each.column != column]
        self.now = self.explained(members, without_member(self.now.moments, self.now.frame, place))


@pytest.mark.parametrize("thin", [0, 8, 1000])
@pytest.mark.parametrize("degree", [2, 3])
def test_moments_do_not_depend_on_the_batches_of_products(monkeypatch, degree, thin):
    X = nonlinear_table(6, 9)
    expected = Sets(X, Legendre(degree))  # this family evaluates functions
    monkeypatch.setattr(_monomial_sums, "THIN", thin)
    monkeypatch.setattr(_monomial_sums, "BATCH", 5)
    sets = Sets(X, Polynomial(degree))
    for column in (0, 3, 4):
        sets.add(column)
        expected.add(column)
    sets.of([1])
    for each in (sets, expected):
        each.drop(3)
        each.add(2)
    values = [gain.value for gain in sets.now.gains(sets.of([1, 5, 6, 7, 8]))]
    others = [gain.value for gain in expected.now.gains(expected.of([1, 5, 6, 7, 8]))]
    assert values == pytest.approx(others, rel=1e-6)


@pytest.mark.parametrize("alpha", [0.0, 0.03])
@pytest.mark.parametrize("weighted", [False, True])
@every_family
def test_gains_losses_and_exchanges_equal_those_of_regressions(family, by_hand, weighted, alpha):
    X = nonlinear_table(3, 5)
    weights = np.random.default_rng(1).exponential(size=len(X)) if weighted else None

    def left(columns):
        return left_by(X, columns, by_hand, alpha=alpha, weights=weights)

    sets = Sets(X, family, alpha, weights)
    sets.of([1, 4])  # computed early, and updated later
    for column in (0, 2, 3):
        sets.add(column)
    sets.drop(2)
    sets.add(1)
    sets.add(2)
    sets.drop(1)
    kept = sets.now.frame.columns
    assert kept == [0, 3, 2]
    whole, now = left([]), left(kept)
    assert whole - sets.now.value == pytest.approx(now, rel=1e-6)
    assert sets.now.losses == pytest.approx(
        [left([i for i in kept if i != j]) - now for j in kept], rel=1e-5
    )
    for gain in sets.now.gains(sets.of([1, 4])):
        new = gain.candidate.column
        assert gain.value == pytest.approx(now - left([*kept, new]), rel=1e-5)
        expected = [whole - left([*(i for i in kept if i != j), new]) for j in kept]
        assert sets.now.exchanges(gain, range(3)) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("kept", [2**29, 1])
@pytest.mark.parametrize("family", [Multilinear(2), Polynomial(3), Legendre(2)], ids=repr)
def test_cached_moments_of_candidates_stay_right_after_other_sets(monkeypatch, family, kept):
    for module in (_monomials, _evaluated):
        monkeypatch.setattr(module, "KEPT_BYTES", kept)
    X = nonlinear_table(5, 7)
    sets = Sets(X, family)
    for column in (0, 1, 2, 3):
        sets.add(column)
    before = sets.now
    sets.drop(1)
    sets.add(4)
    sets.of([5, 6])
    sets.drop(0)
    sets.add(1)
    sets.of([5])
    sets.now = before  # as after a rejected exchange
    fresh = Sets(X, family)
    for column in (0, 1, 2, 3):
        fresh.add(column)
    for mine, other in zip(sets.of([6, 5]), fresh.of([6, 5]), strict=True):
        assert mine.column == other.column
        assert mine.cross == pytest.approx(other.cross, abs=1e-12)
        for name in ("mean", "norm", "gram", "with_x"):
            expected = getattr(other.moments, name)
            assert getattr(mine.moments, name) == pytest.approx(expected, abs=1e-12)


def test_linear_gains_equal_gains_of_degree_one_with_and_without_a_member():
    X = nonlinear_table(4, 5)
    sets = Sets(X, Multilinear(1))
    sets.add(3)
    sets.add(1)
    left = {
        columns: left_by(X, columns, hand.multilinear(1))
        for columns in [(3,), (3, 1), *((3, 1, j) for j in (0, 2, 4)), *((3, j) for j in (0, 2, 4))]
    }
    expected = [left[3, 1] - left[3, 1, j] for j in (0, 2, 4)]
    assert sets.now.linear_gains()[[0, 2, 4]] == pytest.approx(expected)
    assert (sets.now.linear_gains()[[1, 3]] == 0).all()
    expected = [left[3,] - left[3, j] for j in (0, 2, 4)]
    assert sets.now.linear_gains_without()[1, [0, 2, 4]] == pytest.approx(expected)
    assert sets.now.linear_gains_without()[1, 3] == 0


@pytest.mark.parametrize("seed", range(4))
def test_degree_one_without_exchanges_is_forward_selection_component_analysis(seed):
    X = related(seed)
    fitted = GFS(5, criterion="gain", alpha=0.0, degree=1, exchange=False).fit(X)
    chosen = greedy(X, 5, hand.multilinear(1))
    for size, found in enumerate(fitted.best_sets_, start=1):
        assert {*found.tolist()} == {*chosen[:size]}


@pytest.mark.parametrize("seed", range(3))
def test_with_all_candidates_the_greedy_choice_is_exact_at_degree_two(seed):
    X = related(seed, d=7)
    fitted = GFS(3, criterion="gain", alpha=0.0, exchange=False, n_candidates=7).fit(X)
    assert {*fitted.selected_features_.tolist()} == {*greedy(X, 3, hand.multilinear(2))}


@pytest.mark.parametrize("seed", range(4))
def test_no_single_exchange_improves_the_final_set(seed):
    X, by_hand = related(seed), hand.multilinear(1)
    fitted = GFS(4, criterion="gain", alpha=0.0, degree=1).fit(X)
    kept = fitted.selected_features_.tolist()
    now = left_by(X, kept, by_hand)
    for place in range(4):
        for other in {*range(9)} - {*kept}:
            exchanged = [*kept[:place], other, *kept[place + 1 :]]
            assert left_by(X, exchanged, by_hand) > (1 - 2e-4) * now


@pytest.mark.parametrize("alpha", [0.0, 0.1])
def test_residual_variances_of_best_sets_are_right_and_fall_with_the_size(alpha):
    X = related(5)
    fitted = GFS(5, criterion="gain", alpha=alpha, n_candidates=9).fit(X)
    left = fitted.best_sets_residual_variance_
    sets = [[], *fitted.best_sets_]
    assert [len(each) for each in sets] == list(range(6))
    expected = [left_by(X, each, hand.multilinear(2), alpha=alpha) for each in sets]
    assert left == pytest.approx(expected, rel=1e-5)
    assert (np.diff(left) < 0).all()
    assert fitted.total_residual_variance_[-1] == pytest.approx(left[-1], rel=1e-6)


@pytest.mark.parametrize("seed", range(6))
def test_exchanges_are_never_worse_than_greedy_search_and_find_the_optimum_here(seed):
    X, by_hand = related(seed, d=8), hand.multilinear(1)
    plain = GFS(4, criterion="gain", alpha=0.0, degree=1, exchange=False).fit(X)
    again = GFS(4, criterion="gain", alpha=0.0, degree=1).fit(X)
    assert (
        again.best_sets_residual_variance_ <= plain.best_sets_residual_variance_ * (1 + 1e-9)
    ).all()
    best = min(left_by(X, each, by_hand) for each in combinations(range(8), 4))
    assert again.best_sets_residual_variance_[-1] == pytest.approx(best, rel=1e-3)


def test_gains_do_not_change_when_the_other_columns_are_rotated():
    X, rng = related(6), np.random.default_rng(6)
    turned = X.copy()
    turned[:, 3:] = X[:, 3:] @ orthonormal(rng, 6).T
    fits = [GFS(3, criterion="gain", alpha=0.0, given=[0, 1, 2]).fit(each) for each in (X, turned)]
    assert fits[0].losses_ == pytest.approx(fits[1].losses_, rel=1e-6)
    assert fits[0].best_sets_residual_variance_ == pytest.approx(
        fits[1].best_sets_residual_variance_, rel=1e-6
    )


def test_indicators_take_part_in_the_search():
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 3, (2, 400))
    X = np.column_stack([a == b, a, b, rng.integers(0, 2, 400), a == 1]).astype(float)
    X[:, 3] *= 0.1
    fitted = GFS(2, criterion="gain", alpha=0.0, family=Indicator(2)).fit(X)
    assert {*fitted.selected_features_.tolist()} == {1, 2}
    assert fitted.best_sets_residual_variance_[-1] == pytest.approx(X[:, 3].var(), rel=0.05)


def test_an_unrelated_column_comes_last_whatever_its_variance():
    rng = np.random.default_rng(1)
    a, b, noise = rng.standard_normal((3, 500))
    X = np.column_stack([1.5 * noise, a, b, a * b, a + b, a - b])
    assert GFS(1, criterion="variance").fit(X).selected_features_.tolist() == [0]
    fitted = GFS(3, criterion="gain", alpha=0.0).fit(X)
    assert 0 not in fitted.best_sets_[1]
    assert 0 in fitted.selected_features_
    assert fitted.total_residual_variance_[-1] == pytest.approx(0.0, abs=1e-8)


def test_constant_columns_are_never_chosen_and_the_search_ends_at_zero_residual():
    rng = np.random.default_rng(2)
    a, b = rng.standard_normal((2, 100))
    X = np.column_stack([np.ones(100), a, b, a + b, a * b])
    fitted = GFS(5, criterion="gain", alpha=0.0).fit(X)
    assert fitted.stop_reason_ == "exhausted"
    assert len(fitted.selected_features_) == 2
    assert 0 not in fitted.selected_features_
    nothing = GFS(criterion="gain", alpha=0.0).fit(np.ones((5, 3)))
    assert not len(nothing.selected_features_)
    assert nothing.best_sets_ == ()


def test_the_search_obeys_the_limits_of_the_pursuit():
    X = related(7, d=12, n=400)
    share = GFS(0.8, criterion="gain", alpha=0.0).fit(X)
    left = share.best_sets_residual_variance_ / share.best_sets_residual_variance_[0]
    assert share.stop_reason_ == "explained_variance"
    assert left[-1] <= 0.2 < left[-2]
    few = GFS(9, criterion="gain", alpha=0.0, max_functions=10).fit(X)
    assert few.stop_reason_ == "max_functions"
    assert few.n_functions_.sum() == 10
    loose = GFS(criterion="gain", alpha=0.0, threshold=0.4, relative=True).fit(X)
    assert loose.stop_reason_ == "threshold"
    rows, _ = centre(X, None, "column")
    asked = GainRequest(np.ones(12), Limits(), threshold=0.4)
    found, reason = search(rows, Multilinear(2), asked)
    assert reason == "threshold"
    assert found.total[-1] < found.total[0]


def test_held_out_rows_choose_the_penalty_and_may_stop_the_search():
    X = related(8, d=10, n=120)
    rng = np.random.default_rng(8)
    X = np.column_stack([X, rng.standard_normal((120, 6))])
    fitted = GFS(6, criterion="gain", family=Polynomial(2), alpha="auto").fit(X)
    assert fitted.alpha_ > 0
    assert fitted.n_samples_ == 120
    assert len(fitted.selected_features_) == len(fitted.best_sets_) == 6
    early = GFS(16, criterion="gain", alpha=0.1, early_stopping=True, tol=0.05).fit(X)
    assert early.stop_reason_ == "early_stopping"
    assert len(early.selected_features_) < 16


def test_no_penalty_is_searched_if_few_columns_explain_everything():
    rng = np.random.default_rng(9)
    a, b = rng.standard_normal((2, 150))
    X = np.column_stack([a, b, a * b, a + b, a - b, 2 * a, a * b + a, b - a * b, 3 * b])
    fitted = GFS(8, criterion="gain").fit(X)
    assert fitted.stop_reason_ == "exhausted"
    assert fitted.alpha_ == 0
    assert len(fitted.selected_features_) == 2


def test_the_best_sets_of_pit_props_equal_those_of_an_exhaustive_search():
    folder = os.environ.get("GRAMIAN_DATA")
    path = Path(folder or ".") / "pitprops.csv"
    if folder is None or not path.exists():
        pytest.skip("pitprops.csv is not in the folder that GRAMIAN_DATA names")
    with path.open() as stream:
        correlation = np.array(
            [[float(v) for v in row[1:]] for row in list(csv.reader(stream))[1:]]
        )
    d = len(correlation)
    rows = np.random.default_rng(0).standard_normal((180, d))
    rows = np.linalg.qr(rows - rows.mean(axis=0))[0] @ np.linalg.cholesky(correlation).T
    fitted = GFS(d - 1, criterion="gain", alpha=0.0, degree=1, scale=True).fit(rows)
    for size, left in enumerate(fitted.best_sets_residual_variance_[1:], start=1):
        every = np.array(list(combinations(range(d), size)))
        blocks = correlation[every[:, :, np.newaxis], every[:, np.newaxis, :]]
        right = correlation[every]
        explained = np.einsum("nij,nij->n", right, np.linalg.solve(blocks, right))
        assert d - left == pytest.approx(explained.max(), rel=1e-4)


@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("seed", [2, 8])
def test_a_wider_beam_is_never_worse_and_finds_better_sets_here(seed, degree):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((200, 8)) @ rng.standard_normal((8, 30))
    X += rng.standard_normal(X.shape)
    narrow, wide = (
        GFS(6, criterion="gain", alpha=0.0, degree=degree, n_candidates=4, beam=beam).fit(X)
        for beam in (1, 3)
    )
    left = wide.best_sets_residual_variance_
    assert (left <= narrow.best_sets_residual_variance_).all()
    if seed == 8:
        assert left[3] < 0.99 * narrow.best_sets_residual_variance_[3]
    expected = [left_by(X, each, hand.multilinear(degree)) for each in wide.best_sets_]
    assert left[1:] == pytest.approx(expected, rel=1e-5)
    assert wide.selected_features_.tolist() == wide.best_sets_[-1].tolist()


@pytest.mark.parametrize("beam", [1, 3])
def test_a_requested_share_is_explained_with_the_fewest_columns_found(beam):
    X = related(3, d=12)
    fitted = GFS(0.8, criterion="gain", alpha=0.0, beam=beam, n_candidates=3).fit(X)
    left = fitted.best_sets_residual_variance_
    assert fitted.stop_reason_ == "explained_variance"
    assert left[-1] <= 0.2 * left[0] < left[-2]


def test_indicators_can_be_searched_with_default_parameters():
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 4, (2, 300))
    table = np.column_stack([np.array([0.0, 3.0, 1.0, 7.0])[a], a, b, rng.integers(0, 2, 300)])
    fitted = GFS(2, family="indicator", scale=True).fit(table)
    assert len(fitted.selected_features_) == 2
    assert {*fitted.selected_features_} & {0, 1}


@pytest.mark.parametrize(
    ("seed", "shape", "functions"),
    [
        (38, (50, 4), [(np.abs, 1)]),
        (5, (3000, 5), [(np.hypot, 2)]),
        (6, (900, 5), [(np.abs, 1), (np.hypot, 2)]),
    ],
)
def test_gains_of_custom_functions_equal_those_of_regressions(seed, shape, functions):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal(shape)
    if shape[0] > 50:
        X = X @ rng.standard_normal((5, 5))
    by_hand = hand.custom(functions)
    fit = GFS(2, criterion="gain", family=Custom(functions), alpha=0.0, exchange=False).fit(X)
    expected = [left_by(X, each, by_hand) for each in ([], *fit.best_sets_)]
    assert fit.best_sets_residual_variance_ == pytest.approx(expected, rel=1e-6)
    kept, now = list(fit.selected_features_), expected[-1]
    gains = [now - left_by(X, [*kept, j], by_hand) for j in fit.next_features_]
    assert fit.next_gains_ == pytest.approx(gains, rel=1e-6)


@pytest.mark.parametrize("seed", range(40, 52))
def test_exchanges_never_leave_more_than_the_search_without_them(seed):
    rng = np.random.default_rng(seed)
    rng.random()
    z = rng.standard_normal((150, 3))
    hidden = np.column_stack([z, z[:, [0]] * z[:, 1:], z[:, [1]] ** 2])
    X = hidden @ rng.standard_normal((6, 11)) * 1.3 ** rng.permutation(11)
    X += 0.5 * rng.standard_normal((150, 11))
    left = [
        GFS(5, criterion="gain", alpha=0.0, scale=True, exchange=exchange)
        .fit(X)
        .best_sets_residual_variance_
        for exchange in (True, False)
    ]
    assert np.all(left[0] <= left[1] * (1 + 1e-9))


@pytest.mark.parametrize("exchange", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_no_prefix_of_the_selection_is_better_than_the_best_set_of_its_size(seed, exchange):
    X = related(seed, d=9, n=200)
    fit = GFS(6, criterion="gain", alpha=0.0, exchange=exchange).fit(X)
    for size in range(1, 6):
        left = left_by(X, list(fit.selected_features_[:size]), hand.multilinear(2))
        assert fit.best_sets_residual_variance_[size] <= left * (1 + 1e-6)


@pytest.mark.parametrize("unit", [1e-100, 1e-60, 1e60, 1e100])
def test_a_search_does_not_depend_on_the_unit_of_the_table(unit):
    rng = np.random.default_rng(5)
    X = rng.standard_normal((200, 5))
    X[:, 3], X[:, 4] = X[:, 0] * X[:, 1], X[:, 0] + X[:, 1]
    expected, found = GFS(3).fit(X), GFS(3).fit(unit * X)
    assert found.selected_features_.tolist() == expected.selected_features_.tolist()
    np.testing.assert_allclose(
        found.best_sets_residual_variance_ / unit**2,
        expected.best_sets_residual_variance_,
        atol=1e-9,
    )
    assert found.score(unit * X) == pytest.approx(expected.score(X), abs=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_no_exchange_of_one_column_explains_more(seed):
    rng = np.random.default_rng(seed)
    base = rng.standard_normal((300, 4))
    made = [base[:, rng.integers(4)] * base[:, rng.integers(4)] for _ in range(8)]
    X = np.column_stack([base, *(each + 0.5 * rng.standard_normal(300) for each in made)])
    X -= X.mean(axis=0)

    def left(columns):
        pairs = combinations_with_replacement(columns, 2)
        products = [X[:, i] * X[:, j] for i, j in pairs]
        functions = np.column_stack([np.ones(300), X[:, columns], *products])
        return np.sum((X - functions @ np.linalg.lstsq(functions, X, rcond=None)[0]) ** 2)

    chosen = GFS(3, family="polynomial", degree=2, alpha=0).fit(X).selected_features_.tolist()
    others = [i for i in range(12) if i not in chosen]
    exchanged = [left([*chosen[:k], new, *chosen[k + 1 :]]) for k in range(3) for new in others]
    assert min(exchanged) >= (1 - 1e-9) * left(chosen)


@pytest.mark.parametrize("seed", range(8))
def test_of_columns_equal_up_to_rounding_the_first_is_chosen(seed):
    # The chosen columns leave nothing: then every exchange gains a rounding error or less.
    x, noise = np.random.default_rng(0).standard_normal((2, 3000))
    copies = np.column_stack([x, noise, x, 2 * x, -x, 3 * x]).astype(np.float32).astype(float)
    rounding = np.random.default_rng(seed).standard_normal(copies.shape)
    rounding *= 1e-13 * copies.std(axis=0)
    gfs = GFS(6, criterion="gain", family=Multilinear(2), scale=True, alpha=0.0)
    assert [*gfs.fit(copies + rounding).selected_features_] == [0, 1]


@pytest.mark.parametrize("seed", [44, 226, 278, 699])
def test_of_equal_columns_the_first_comes_in_by_exchange(seed):
    rng = np.random.default_rng(seed)
    z = rng.standard_normal((300, 4))
    a, b, c, d = z.T
    x = np.column_stack([z, a * b, a + 0.5 * c, b - d, np.abs(c)])[:, rng.permutation(8)]
    x = x * 10 ** rng.uniform(-1, 1, 8)
    twin = rng.integers(8)
    x += 0.3 * rng.standard_normal(x.shape) * x.std(axis=0)
    x = np.column_stack([x, 2 - x[:, twin] / 2, x[:, twin]])
    rounding = np.random.default_rng(0).standard_normal(x.shape) * 1e-13 * x.std(axis=0)
    gfs = GFS(5, criterion="gain", family=Multilinear(2), alpha=0.0)
    chosen = {*gfs.fit(x + rounding).selected_features_.tolist()}
    assert twin in chosen
    assert not chosen & {8, 9}
