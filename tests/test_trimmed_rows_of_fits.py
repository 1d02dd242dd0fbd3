"""Rows with wrong cells: a few of them do not decide a fit, and the fit tells which they are."""

import itertools
import warnings
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn import datasets

import gramian
from gramian import GCA, GFA, GFR, GFS
from gramian.core.elimination import wrong_rows
from gramian.core.rows import far_rows, moderate_rows
from gramian.exceptions import ModelFileError, TrimmedRowsWarning
from gramian.families import Polynomial
from gramian.laws.candidates._trimmed_rows import _polynomials
from gramian.models import _stored_pursuits

WILD = 1e6
pytestmark = pytest.mark.filterwarnings("ignore::gramian.exceptions.UnitsWarning")


def low_rank(seed, n_rows=500, n_columns=10):
    """Return a table of three directions with noise."""
    rng = np.random.default_rng(seed)
    axes = np.linalg.qr(rng.standard_normal((n_columns, 3)))[0]
    codes = rng.standard_normal((n_rows, 3)) * [3, 2, 1.5]
    return codes @ axes.T + 0.1 * rng.standard_normal((n_rows, n_columns))


def with_wild_cells(X, seed, share=0.01):
    """Multiply a share of the cells by 10 to 1,000."""
    rng = np.random.default_rng([seed, 1])
    wild = rng.random(X.shape) < share
    return np.where(wild, X * 10 ** rng.uniform(1, 3, X.shape), X)


def derived(seed, n_rows=500, n_wrong=5):
    """Return a table with four derived columns, and the same table with wrong cells in them."""
    rng = np.random.default_rng(seed)
    z = rng.standard_normal((n_rows, 6))
    more = [
        z[:, 0] * z[:, 1],
        z[:, 2] ** 2 + z[:, 0],
        z[:, 3] * z[:, 4] + z[:, 5],
        z[:, 1] * z[:, 5],
    ]
    X = np.column_stack([z, *more]) * 10 ** rng.uniform(-3, 3, 10)
    Y = X.copy()
    for column in range(6, 10):
        rows = rng.choice(n_rows, n_wrong, replace=False)
        kinds = (
            X[rng.integers(n_rows, size=n_wrong), column],
            10 * X[rows, column],
            -X[rows, column],
            X[rows, column] + X[:, column].std() * rng.uniform(2, 20, n_wrong),
        )
        Y[rows, column] = np.choose(rng.integers(4, size=n_wrong), kinds)
    return X, Y


def angle(first, second):
    """Return the largest angle between two subspaces, in degrees."""
    first, second = (np.linalg.qr(each.T)[0] for each in (first, second))
    return np.degrees(np.arccos(np.clip(np.linalg.svd(first.T @ second)[1].min(), -1, 1)))


def clean_tables():
    for name in ("iris", "wine", "breast_cancer", "diabetes", "digits", "linnerud"):
        yield name, getattr(datasets, f"load_{name}")().data
    rng = np.random.default_rng(0)
    for n_rows, n_columns in ((40, 3), (300, 6)):
        shape = (n_rows, n_columns)
        yield "normal", rng.standard_normal(shape)
        yield "uniform", rng.random(shape)
        yield "lognormal", rng.lognormal(0, 1.5, shape)
        yield "Laplace", rng.laplace(size=shape)
        yield "t with 3 degrees of freedom", rng.standard_t(3, shape)
        yield "counts", rng.poisson(0.2, shape).astype(float)
        yield "zeros", rng.lognormal(0, 1, shape) * (rng.random(shape) < 0.15)
        yield "0 and 1", (rng.random(shape) < 0.1).astype(float)
        levels = rng.integers(0, n_columns, n_rows)
        yield "categories", np.column_stack([np.eye(n_columns)[levels], rng.random(n_rows)])


def same_fit(first, second):
    """Check that two fits agree bit for bit."""
    assert_array_equal(first.model_.kept.chosen, second.model_.kept.chosen)
    assert_array_equal(first.model_.decoder.coefficients, second.model_.decoder.coefficients)
    assert_array_equal(first.total_residual_variance_, second.total_residual_variance_)


@pytest.mark.parametrize(("name", "X"), list(clean_tables()))
def test_a_table_without_wrong_cells_has_the_same_fit_bit_for_bit(name, X):
    for make in (GFR, GCA, GFS, GFA):
        if make is not GFR and X.shape[1] > 40:  # slow
            continue
        options = {"laws": False, "exceptions": 0.05} if make is GFA else {}
        robust = make(2, **options).fit(X)
        same_fit(robust, make(2, **options, robust=False).fit(X))
        assert len(robust.trimmed_rows_) == 0


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("make", [GFR, GFS])
def test_one_wild_cell_takes_no_direction_and_no_column(make, seed):
    X = low_rank(seed)
    rng = np.random.default_rng(seed)
    row, column = rng.integers(500), rng.integers(10)
    Y = X.copy()
    Y[row, column] = WILD
    with pytest.warns(TrimmedRowsWarning, match="trimmed_rows_"):
        fit = make(3).fit(Y)
    assert row in fit.trimmed_rows_
    assert len(fit.trimmed_rows_) <= 5
    undamaged = make(3).fit(np.delete(X, fit.trimmed_rows_, axis=0))
    same_fit(fit, undamaged)


@pytest.mark.parametrize("seed", range(5))
def test_wild_cells_in_a_tenth_of_the_rows_take_no_direction_and_no_column(seed):
    X = low_rank(seed)
    Y = with_wild_cells(X, seed)
    undamaged = (X == Y).all(axis=1)
    assert undamaged.mean() < 0.95
    with pytest.warns(TrimmedRowsWarning):
        directions, columns = GFR(3).fit(Y), GFS(3).fit(Y)
    assert angle(directions.components_, GFR(3).fit(X[undamaged]).components_) < 1
    assert {*columns.selected_features_} == {*GFS(3).fit(X[undamaged]).selected_features_}
    for fit in (directions, columns):
        assert fit.n_samples_ + len(fit.trimmed_rows_) == 500
        assert len(fit.trimmed_rows_) <= 100


@pytest.mark.parametrize("seed", [0, 2, 3])
def test_wild_cells_do_not_hide_a_redundant_component(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.choice([-1, 1], (2, 500)) * rng.uniform(1, 2, (2, 500))
    X = np.column_stack([3 * a, 2 * b, 0.3 * a * b])
    X = X @ np.linalg.qr(rng.standard_normal((3, 3)))[0]
    one = X.copy()
    one[rng.integers(500), rng.integers(3)] = WILD
    for Y in (one, with_wild_cells(X, seed)):
        assert GCA(robust=False).fit(Y).n_components_ == 3
        with pytest.warns(TrimmedRowsWarning):
            fit = GCA().fit(Y)
        assert fit.n_components_ == GCA().fit(X).n_components_ == 2


@pytest.mark.parametrize("seed", range(6))
def test_derived_columns_with_wrong_cells_are_dropped_if_exceptions_allow_it(seed):
    X, Y = derived(seed)
    assert GFA(laws=False, exceptions=0.05, robust=False).fit(Y).redundant_features_.size < 4
    with pytest.warns(TrimmedRowsWarning):
        fit = GFA(laws=False, exceptions=0.05).fit(Y)
    assert_array_equal(fit.redundant_features_, GFA(laws=False).fit(X).redundant_features_)
    wrong = np.flatnonzero((X != Y).any(axis=1))
    assert len(np.setdiff1d(wrong, fit.trimmed_rows_)) <= 2  # wrong cells close to the true ones


@pytest.mark.parametrize("seed", range(3))
def test_without_exceptions_no_column_is_dropped_that_loses_a_wrong_cell(seed):
    _, Y = derived(seed)
    fit = GFA(laws=False).fit(Y)
    same_fit(fit, GFA(laws=False, robust=False).fit(Y))
    assert len(fit.trimmed_rows_) == 0
    few = GFA(laws=False, exceptions=0.005).fit(Y)  # 5 of 500 rows are more
    assert len(few.redundant_features_) == 0


def test_a_wild_cell_of_a_kept_column_does_not_keep_a_column_that_needs_it_not():
    rng = np.random.default_rng(0)
    z = rng.standard_normal((400, 4))
    X = np.column_stack([z, z[:, 0] + 2 * z[:, 1]])
    X[11, 3] = WILD
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrimmedRowsWarning)
        fit = GFA(laws=False).fit(X)
    assert len(fit.redundant_features_) == 1
    assert_allclose(fit.inverse_transform(fit.transform(X)), X, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("seed", [0, 1])
def test_laws_and_functions_together_drop_derived_columns_with_wrong_cells(seed):
    _, Y = derived(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrimmedRowsWarning)
        fit = GFA(exceptions=0.05).fit(Y)
    assert len(fit.selected_features_) == 6
    assert len(fit.model_.laws) > 0


@pytest.mark.parametrize("seed", range(4))
def test_trimming_drops_no_column_of_an_independent_table(seed):
    rng = np.random.default_rng(seed)
    tables = [
        rng.standard_normal((300, 6)),
        rng.standard_t(2, (300, 6)),
        rng.lognormal(0, 1, (300, 6)) * (rng.random((300, 6)) < 0.1),
    ]
    for X in tables:
        Y = with_wild_cells(X, seed, 0.005)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", TrimmedRowsWarning)
            assert len(GFA(laws=False, exceptions=0.05).fit(Y).redundant_features_) == 0


def test_a_column_that_varies_only_in_trimmed_rows_stays():
    _, Y = derived(0)
    with pytest.warns(TrimmedRowsWarning):
        trimmed = GFA(laws=False, exceptions=0.05).fit(Y).trimmed_rows_
    rare = np.zeros(len(Y))
    rare[trimmed[:3]] = 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrimmedRowsWarning)
        fit = GFA(laws=False, exceptions=0.05).fit(np.column_stack([Y, rare]))
    assert 10 in fit.selected_features_


def test_an_integer_weight_equals_so_many_copies():
    Y = with_wild_cells(low_rank(0), 0)
    weights = np.random.default_rng(0).integers(0, 4, len(Y))
    with pytest.warns(TrimmedRowsWarning):
        weighted = GFR(3).fit(Y, sample_weight=weights)
    with pytest.warns(TrimmedRowsWarning):
        copied = GFR(3).fit(np.repeat(Y, weights, axis=0))
    assert_allclose(weighted.components_, copied.components_, atol=1e-8)
    rows = np.repeat(np.arange(len(Y)), weights)
    assert {*weighted.trimmed_rows_} == {*rows[copied.trimmed_rows_]}
    assert weights[weighted.trimmed_rows_].all()


def test_units_and_the_order_of_rows_and_columns_do_not_matter():
    _, Y = derived(2)
    rng = np.random.default_rng(0)
    rows, columns = rng.permutation(len(Y)), rng.permutation(10)
    with pytest.warns(TrimmedRowsWarning):
        one = GFA(laws=False, exceptions=0.05).fit(Y)
    Z = (Y * 10.0 ** np.arange(-5, 5))[rows][:, columns]
    with pytest.warns(TrimmedRowsWarning):
        other = GFA(laws=False, exceptions=0.05).fit(Z)
    assert {*one.redundant_features_} == {*columns[other.redundant_features_]}
    assert {*one.trimmed_rows_} == {*rows[other.trimmed_rows_]}


def test_wild_cells_do_not_spoil_filled_gaps_and_rows_are_counted_with_gaps():
    X = low_rank(3)
    X[np.random.default_rng(0).random(X.shape) < 0.05] = np.nan
    Y = X.copy()
    Y[17, 2] = WILD
    with pytest.warns(TrimmedRowsWarning):
        fit = GFR(3).fit(Y)
    assert 17 in fit.trimmed_rows_
    others = np.delete(X, fit.trimmed_rows_, axis=0)
    same_fit(fit, GFR(3).fit(others))


def test_robust_false_fits_all_rows():
    Y = low_rank(0)
    Y[3, 4] = WILD
    fit = GFR(3, robust=False).fit(Y)
    assert len(fit.trimmed_rows_) == 0
    assert fit.n_samples_ == 500
    with pytest.raises(ValueError, match="robust"):
        GFR(3, robust=True).fit(Y)


def test_more_than_a_fifth_of_the_rows_are_never_trimmed():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 40))
    Y = with_wild_cells(X, 0)  # in a third of the rows
    fit = GFR(3).fit(Y)
    assert len(fit.trimmed_rows_) == 0
    same_fit(fit, GFR(3, robust=False).fit(Y))


def test_streams_sparse_matrices_checkpoints_and_paths_use_all_rows(tmp_path):
    Y = low_rank(0)
    Y[3, 4] = WILD
    fits = [
        GFR(3).fit(lambda: iter([Y[:200], Y[200:]])),
        GFR(3).fit(sparse.csr_array(Y)),
        GFR(3, checkpoint=tmp_path).fit(Y),
        *GFR(3).path(Y, degrees=[2]).estimators,
    ]
    for fit in fits:
        assert len(fit.trimmed_rows_) == 0


def test_the_published_gfa_uses_all_rows():
    Y = low_rank(0)
    Y[3, 4] = WILD
    fit = GFA(backward=False, relative=True, threshold=0.01).fit(Y)
    assert len(fit.trimmed_rows_) == 0


def test_trimmed_rows_are_stored_in_model_files(tmp_path, monkeypatch):
    Y = low_rank(0)
    Y[[3, 40], 4] = WILD
    with pytest.warns(TrimmedRowsWarning):
        fit = GFS(3).fit(Y)
    fit.save(tmp_path / "fit.gram")
    assert_array_equal(gramian.load(tmp_path / "fit.gram").trimmed_rows_, fit.trimmed_rows_)
    GFS(3, robust=False).fit(Y).save(tmp_path / "all.gram")
    assert len(gramian.load(tmp_path / "all.gram").trimmed_rows_) == 0
    monkeypatch.setattr(_stored_pursuits, "MOST_ROWS", 10)
    with pytest.raises(ModelFileError, match="trimmed_rows_"):
        gramian.load(tmp_path / "fit.gram")


def test_select_and_the_report_tell_about_trimmed_rows(tmp_path):
    pandas = pytest.importorskip("pandas")
    Y = low_rank(0)
    Y[3, 4] = WILD
    table = pandas.DataFrame(Y, columns=list("abcdefghij"))
    selection = gramian.select(table, algorithm="gfs", n=3)
    (caution,) = (each for each in selection.cautions if each.kind == "trimmed")
    assert str(caution).startswith("1 of 500 rows lie far from the others")
    with pytest.warns(TrimmedRowsWarning):
        fit = GFS(3).fit(table)
    page = tmp_path / "page.html"
    gramian.report(fit, table, page)
    assert "Some rows were not fitted" in Path(page).read_text(encoding="utf-8")


def test_far_cells_are_judged_by_the_tail_of_their_column():
    rng = np.random.default_rng(0)
    for column in (rng.standard_cauchy(2000), rng.lognormal(0, 3, 2000)):
        assert np.abs(column - np.median(column)).max() > 100 * column.std() / np.sqrt(2000)
        assert far_rows(column[:, np.newaxis]) is None
    assert far_rows(np.array([[1.0], [WILD]])) is None
    assert far_rows(np.ones((50, 2))) is None


def test_a_wild_cell_among_categories_is_far():
    X = np.zeros((100, 2))
    X[::2, 0] = 1.0
    X[:, 1] = np.arange(100.0)
    X[4, 0] = WILD
    assert_array_equal(np.flatnonzero(far_rows(X)), [4])


def test_missing_cells_are_neither_far_nor_immoderate():
    X = np.random.default_rng(0).standard_normal((200, 3))
    X[::7, 1] = np.nan
    assert far_rows(X) is None
    assert moderate_rows(X, 0.8).all()
    X[5, 1] = WILD
    assert_array_equal(np.flatnonzero(far_rows(X)), [5])
    assert_array_equal(np.flatnonzero(~moderate_rows(X, 0.8)), [5])


@pytest.mark.parametrize("seed", range(4))
def test_rows_that_break_a_function_are_the_rows_with_wrong_cells(seed):
    X, Y = derived(seed)
    start = moderate_rows(Y, 0.8)
    found = wrong_rows(Y, start, Polynomial(2), threshold=1e-3, most=0.05)
    wrong = (np.abs(X - Y) > 0.1 * X.std(axis=0)).any(axis=1)
    assert found[wrong].all()
    assert found.sum() <= wrong.sum() + 5


def test_clean_tables_break_no_functions():
    for _, X in itertools.islice(clean_tables(), 6, None):
        every = np.ones(len(X), dtype=bool)
        assert not wrong_rows(X, every, Polynomial(2), threshold=1e-3, most=0.05).any()


def test_a_product_of_columns_that_is_zero_in_all_rows_is_no_error():
    x = np.random.default_rng(0).lognormal(size=(200, 2))
    x[::2, 0] = x[1::2, 1] = 0.0
    assert np.isfinite(_polynomials(x, 2)).all()
