"""What scikit-learn users rely on, beyond its own checks."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from gramian import GCA, GFA, GFR, GFS, UFFS
from gramian.exceptions import SaturationWarning
from gramian.families import Custom, Fourier, Hermite, Indicator, Legendre, Multilinear, Polynomial

EXTRACTORS = [GFR, GCA]
SELECTORS = [GFS, GFA, UFFS]
ALL = EXTRACTORS + SELECTORS
STEPWISE = [GFR, GCA, GFS, GFA]  # UFFS goes through all features and selects afterwards
WITH_FAMILY = STEPWISE

NAMES = ["ab", "two_a", "c", "three_b", "bc", "half_c"]
FAMILIES = [
    Multilinear(3),
    Multilinear(None),
    Polynomial(3, max_variables=2),
    Hermite(2),
    Legendre(2),
    Fourier(2, frequency=0.5),
    Indicator(1, max_levels=5),
    Custom([(np.abs, 1), (np.hypot, 2)], any_order=True),
    Multilinear(2) + Fourier(1),
    Multilinear(2) + Custom([(np.abs, 1)]) + Polynomial(2),
]


def make_table(n_samples=200):
    """Three independent variables, and functions of them."""
    rng = np.random.default_rng(1)
    a, b, c = rng.choice([-1, 1], (3, n_samples)) * rng.uniform(1, 2, (3, n_samples))
    return np.column_stack([0.2 * a * b, 2 * a, c, 3 * b, 0.2 * b * c, 0.5 * c])


X = make_table()
N, D = X.shape


def make(estimator, count=None, **params):
    """Make an estimator; the count is of directions or of features."""
    if estimator is UFFS:
        params.setdefault("degree", 2)
    return estimator(count, **params)


def n_selected(fitted):
    if isinstance(fitted, tuple(EXTRACTORS)):
        return fitted.n_components_
    return len(fitted.selected_features_)


def assert_same_fit(one, other, rtol=0.0):
    """All fitted attributes are equal."""
    assert vars(one).keys() == vars(other).keys()
    for name, value in vars(one).items():
        if name.endswith("_"):
            if isinstance(value, str):
                assert value == getattr(other, name), name
            else:
                np.testing.assert_allclose(
                    value, getattr(other, name), rtol=rtol, atol=rtol, err_msg=name
                )


def table_whose_label_hides_behind_a_redundancy(n_samples=300):
    """The label is the sign of what is the fourth principal component.

    The third is a product of the first two: a family that knows products skips it.
    """
    rng = np.random.default_rng(0)
    a, b, c = rng.choice([-1, 1], (3, n_samples)) * rng.uniform(1, 2, (3, n_samples))
    return np.column_stack([a, a, a, a, b, b, b, a * b, a * b, c]), c > 0


# Pipelines and searches


def pipeline(**params):
    return make_pipeline(StandardScaler(), GFR(3, **params), LogisticRegression())


def test_pipeline_classifies_by_what_pca_would_miss():
    table, label = table_whose_label_hides_behind_a_redundancy()
    linear = pipeline(degree=1).fit(table[::2], label[::2])
    product = pipeline(degree=2).fit(table[::2], label[::2])
    assert linear.score(table[1::2], label[1::2]) < 0.7
    assert product.score(table[1::2], label[1::2]) > 0.95
    np.testing.assert_array_equal(product[:-1].get_feature_names_out(), ["gfr0", "gfr1", "gfr2"])


@pytest.mark.parametrize(
    ("model", "grid", "best"),
    [
        (pipeline(), {"gfr__degree": [1, 2]}, {"gfr__degree": 2}),
        (
            pipeline(),
            {"gfr__family": [Multilinear(1), Custom([(np.abs, 1)]), Multilinear(2) + Fourier(1)]},
            {"gfr__family": Multilinear(2) + Fourier(1)},
        ),
        (
            pipeline(family=Multilinear(1)),
            {"gfr__family__degree": [1, 2]},
            {"gfr__family__degree": 2},
        ),
    ],
    ids=["degree", "family", "family__degree"],
)
def test_grid_search_finds_the_family_that_sees_the_redundancy(model, grid, best):
    table, label = table_whose_label_hides_behind_a_redundancy()
    search = GridSearchCV(model, grid, cv=2, error_score="raise").fit(table, label)
    assert search.best_params_ == best
    assert search.best_score_ > 0.95
    assert search.best_estimator_.get_params()[next(iter(best))] == next(iter(best.values()))


def test_nested_search_leaves_the_given_family_alone():
    table, label = table_whose_label_hides_behind_a_redundancy()
    family = Multilinear(1)
    GridSearchCV(pipeline(family=family), {"gfr__family__degree": [2]}, cv=2).fit(table, label)
    assert family == Multilinear(1)


def test_sample_weight_reaches_the_fit_through_a_pipeline():
    weight = np.arange(N) % 3
    fitted = make_pipeline(StandardScaler(), GFR(2)).fit(X, gfr__sample_weight=weight)
    direct = GFR(2).fit(StandardScaler().fit_transform(X), sample_weight=weight)
    assert_same_fit(fitted[-1], direct)
    assert not np.allclose(fitted[-1].mean_, 0)


# Parameters


@pytest.mark.parametrize("family", FAMILIES, ids=repr)
@pytest.mark.parametrize("estimator", WITH_FAMILY)
def test_clone_has_an_equal_family_of_its_own(estimator, family):
    original = make(estimator, family=family)
    copy = clone(original)
    assert copy.family is not family
    assert copy.family == family
    assert repr(copy) == repr(original)


def test_changing_the_family_of_a_clone_leaves_the_original():
    original = GFS(family=Multilinear(2))
    clone(original).set_params(family__degree=5)
    assert original.family == Multilinear(2)


@pytest.mark.parametrize("family", FAMILIES, ids=repr)
def test_parameters_of_a_family_round_trip_through_an_estimator(family):
    estimator = GFR(family=family)
    nested = {
        name.removeprefix("family__"): value
        for name, value in estimator.get_params(deep=True).items()
        if name.startswith("family__")
    }
    assert nested == family.get_params()
    assert type(family)(**nested) == family
    assert GFR().set_params(**estimator.get_params(deep=False)).family is family


@pytest.mark.parametrize("estimator", ALL)
def test_set_params_changes_what_get_params_returns(estimator):
    fitted = make(estimator, 2).fit(X)
    params = fitted.get_params(deep=False)
    assert make(estimator).set_params(**params).get_params(deep=False) == params
    assert fitted.set_params(degree=1).get_params()["degree"] == 1


def test_set_params_reaches_into_the_family():
    estimator = GFR(family=Fourier(1)).set_params(family__degree=3, family__frequency=2.0)
    assert estimator.family == Fourier(3, frequency=2.0)


def test_a_nested_parameter_that_the_family_lacks_is_an_error():
    with pytest.raises(ValueError, match=r"'frequency' for Multilinear; its parameters are \['deg"):
        GFR(family=Multilinear(2)).set_params(family__frequency=2.0)


@pytest.mark.parametrize(
    ("estimator", "shown"),
    [
        (GFR(family=Multilinear(3) + Fourier(2)), "GFR(family=Multilinear(3) + Fourier(2))"),
        (GFA(0.5, relative=True), "GFA(n_features_to_select=0.5, relative=True)"),
    ],
)
def test_representation_shows_what_differs_from_the_default(estimator, shown):
    assert repr(estimator) == shown


def test_diagram_in_a_notebook_shows_the_family():
    assert "Multilinear(3)" in GFR(family=Multilinear(3))._repr_html_()


@pytest.mark.parametrize("estimator", ALL)
def test_fit_leaves_parameters_as_they_were_given(estimator):
    original = make(estimator, 2, threshold=0.1)
    before = original.get_params()
    original.fit(X)
    assert original.get_params() == before


# Names and containers

FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame}


def make_frame(kind, table=X):
    return FRAMES[kind]({name: table[:, i] for i, name in enumerate(NAMES)})


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("estimator", ALL)
def test_frames_in_and_out(estimator, kind):
    frame = make_frame(kind)
    fitted = make(estimator, 2).set_output(transform=kind).fit(frame)
    out = fitted.transform(frame)
    assert isinstance(out, FRAMES[kind])
    assert list(fitted.feature_names_in_) == NAMES
    assert list(out.columns) == list(fitted.get_feature_names_out())
    plain = make(estimator, 2).fit(X)
    np.testing.assert_allclose(out.to_numpy(), plain.transform(X), atol=1e-12)
    again = make(estimator, 2).set_output(transform=kind).fit_transform(frame)
    assert again.equals(out)


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("estimator", SELECTORS)
def test_selectors_keep_names_and_order_of_columns(estimator, kind):
    frame = make_frame(kind)
    fitted = make(estimator, 3, threshold=0.5).set_output(transform=kind).fit(frame)
    kept = [name for name, kept in zip(NAMES, fitted.support_, strict=True) if kept]
    assert len(kept) == 3
    assert kept == ["two_a", "c", "three_b"] or estimator is UFFS
    assert list(fitted.transform(frame).columns) == kept


@pytest.mark.parametrize("estimator", EXTRACTORS)
def test_extractors_number_their_directions(estimator):
    fitted = make(estimator, 3).fit(make_frame("pandas"))
    name = estimator.__name__.lower()
    assert list(fitted.get_feature_names_out()) == [f"{name}0", f"{name}1", f"{name}2"]


@pytest.mark.parametrize("estimator", ALL)
def test_arrays_have_no_feature_names(estimator):
    fitted = make(estimator, 2).fit(X)
    assert not hasattr(fitted, "feature_names_in_")
    assert fitted.n_features_in_ == D


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("estimator", ALL)
def test_columns_in_another_order_are_refused(estimator, kind):
    frame = make_frame(kind)
    fitted = make(estimator, 2).fit(frame)
    with pytest.raises(ValueError, match="same order"):
        fitted.transform(frame[NAMES[::-1]])


# What transform and its inverse are


@pytest.mark.parametrize("estimator", EXTRACTORS)
def test_extractors_project_the_centred_data(estimator):
    fitted = make(estimator, 3).fit(X)
    expected = (X - X.mean(axis=0)) @ fitted.components_.T
    np.testing.assert_allclose(fitted.mean_, X.mean(axis=0), atol=1e-14)
    np.testing.assert_allclose(fitted.transform(X), expected, atol=1e-13)
    np.testing.assert_allclose(make(estimator, 3).fit_transform(X), expected, atol=1e-13)
    np.testing.assert_allclose(fitted.components_ @ fitted.components_.T, np.eye(3), atol=1e-13)


@pytest.mark.parametrize("estimator", EXTRACTORS)
def test_extractors_invert_to_the_projection_on_their_directions(estimator):
    fitted = make(estimator, 3).fit(X)
    projection = fitted.components_.T @ fitted.components_
    mean = X.mean(axis=0)
    back = fitted.inverse_transform(fitted.transform(X))
    np.testing.assert_allclose(back, mean + (X - mean) @ projection, atol=1e-12)
    np.testing.assert_allclose(fitted.transform(back), fitted.transform(X), atol=1e-12)


@pytest.mark.parametrize("estimator", SELECTORS)
def test_selectors_take_columns_and_invert_to_zeros(estimator):
    fitted = make(estimator, 2).fit(X)
    out = fitted.transform(X)
    np.testing.assert_array_equal(out, X[:, fitted.support_])
    back = fitted.inverse_transform(out)
    np.testing.assert_array_equal(back, np.where(fitted.support_, X, 0.0))


@pytest.mark.parametrize("estimator", [GFS, GFA])
def test_selected_features_are_in_order_of_selection_and_support_in_order_of_columns(estimator):
    fitted = make(estimator, 3, threshold=0.1).fit(X)
    np.testing.assert_array_equal(fitted.selected_features_, [3, 1, 2])
    np.testing.assert_array_equal(fitted.get_support(indices=True), [1, 2, 3])
    np.testing.assert_array_equal(fitted.get_support(), fitted.support_)
    np.testing.assert_array_equal(fitted.support_, [False, True, True, True, False, False])


def test_uffs_orders_features_by_their_fourier_norm():
    every = UFFS(degree=2, threshold=None).fit(X[:, ::-1])
    assert every.support_.all()
    assert every.fourier_norms_.shape == (D,)
    assert (np.diff(every.fourier_norms_[every.selected_features_]) <= 0).all()
    assert (np.diff(every.selected_features_) < 0).any()
    three = UFFS(3, degree=2, threshold=None).fit(X[:, ::-1])
    np.testing.assert_array_equal(three.selected_features_, every.selected_features_[:3])
    np.testing.assert_array_equal(
        three.get_support(indices=True), np.sort(three.selected_features_)
    )


@pytest.mark.parametrize("estimator", ALL)
def test_transform_keeps_float32(estimator):
    single = X.astype(np.float32)
    fitted = make(estimator, 2).fit(single)
    out = fitted.transform(single)
    assert out.dtype == np.float32
    np.testing.assert_allclose(out, fitted.transform(X), atol=1e-5)
    assert fitted.inverse_transform(out).dtype == np.float32


# Fitted attributes


@pytest.mark.parametrize("solver", ["qr", "gram"])
@pytest.mark.parametrize("estimator", ALL)
def test_fitted_attributes_have_the_documented_shapes(estimator, solver):
    fitted = make(estimator, 2, solver=solver).fit(X)
    steps = len(fitted.n_functions_)
    assert n_selected(fitted) == 2
    assert steps == 2 or estimator is UFFS
    assert fitted.mean_.shape == (D,)
    assert fitted.residual_variance_.shape == (steps + 1,)
    assert fitted.total_residual_variance_.shape == (steps + 1,)
    assert fitted.explained_variance_ratio_.shape == (steps,)
    assert fitted.n_functions_.shape == fitted.n_dropped_functions_.shape == (steps,)
    assert fitted.n_functions_.dtype.kind == fitted.n_dropped_functions_.dtype.kind == "i"
    assert fitted.solver_ == solver
    assert isinstance(fitted.orthogonality_loss_, float)
    assert 0 <= fitted.orthogonality_loss_ < 1e-8
    if estimator in EXTRACTORS:
        assert fitted.components_.shape == (2, D)
    else:
        assert fitted.selected_features_.shape == (2,)
        assert fitted.support_.shape == (D,)
        assert fitted.support_.dtype == bool


@pytest.mark.parametrize("estimator", ALL)
def test_residual_variances_begin_with_the_data_and_end_with_what_is_unexplained(estimator):
    fitted = make(estimator, 2).fit(X)
    total = fitted.total_residual_variance_
    assert total[0] == pytest.approx(X.var(axis=0).sum())
    assert fitted.explained_variance_ratio_.sum() == pytest.approx(1 - total[-1] / total[0])
    assert (fitted.explained_variance_ratio_ >= 0).all()
    expected = {
        GFR: np.linalg.eigvalsh(np.cov(X.T, bias=True))[-1],
        GCA: np.linalg.eigvalsh(np.cov(X.T, bias=True))[-1],
    }.get(estimator, X.var(axis=0).max())
    assert fitted.residual_variance_[0] == pytest.approx(expected)
    assert (fitted.residual_variance_ <= total * (1 + 1e-12)).all()


@pytest.mark.parametrize("estimator", ALL)
def test_functions_kept_and_dropped_make_up_each_block(estimator):
    doubled = np.column_stack([X, X[:, 1]])
    fitted = make(estimator, threshold=None, degree=2).fit(doubled)
    steps = len(fitted.n_functions_)
    assert steps >= 3
    # The j-th variable brings itself and its product with each of the j - 1 before it.
    np.testing.assert_array_equal(
        fitted.n_functions_ + fitted.n_dropped_functions_, 1 + np.arange(steps)
    )


def test_dropped_functions_are_counted_at_the_step_that_drops_them():
    sign, other = np.random.default_rng(0).choice([-1.0, 1.0], (2, 300))
    table = np.column_stack([2 * sign, other])
    fitted = GFS(2, family=Polynomial(2)).fit(table)  # the square of a sign is constant
    np.testing.assert_array_equal(fitted.n_functions_, [1, 2])
    np.testing.assert_array_equal(fitted.n_dropped_functions_, [1, 1])


RANK_3 = X[:, [1, 2, 3]] @ np.random.default_rng(2).standard_normal((3, D))
STOPS = {
    "n_components": (X, {"count": 2}),
    "threshold": (X, {"threshold": 0.5}),
    "explained_variance": (X, {"count": 0.5}),
    "exhausted": (RANK_3, {"count": D, "threshold": None}),
    "max_functions": (X, {"max_functions": 4}),
    "saturated": (
        np.random.default_rng(3).standard_normal((10, D)),
        {"degree": None, "threshold": 1e-9},
    ),
}


@pytest.mark.parametrize("reason", [reason for reason in STOPS if reason != "saturated"])
@pytest.mark.parametrize("estimator", STEPWISE)
def test_stop_reason(estimator, reason):
    table, params = STOPS[reason]
    fitted = make(estimator, **params).fit(table)
    assert fitted.stop_reason_ == reason
    explained = 1 - fitted.total_residual_variance_ / fitted.total_residual_variance_[0]
    match reason:
        case "n_components":
            assert n_selected(fitted) == 2
        case "threshold":
            assert fitted.residual_variance_[-1] <= 0.5 < fitted.residual_variance_[-2]
        case "explained_variance":
            assert explained[-1] >= 0.5 > explained[-2]
        case "exhausted":
            assert n_selected(fitted) == 3
            assert fitted.residual_variance_[-1] <= 1e-12 * fitted.residual_variance_[0]
        case "max_functions":
            # One function, two more, and the next three would be too many.
            np.testing.assert_array_equal(fitted.n_functions_, [1, 2])
            assert n_selected(fitted) == 2


@pytest.mark.parametrize("estimator", ALL)
def test_stop_reason_when_functions_span_all_samples(estimator):
    table, params = STOPS["saturated"]
    with pytest.warns(SaturationWarning):
        fitted = make(estimator, **params).fit(table)
    assert fitted.stop_reason_ == "saturated"
    assert 1 + fitted.n_functions_.sum() == len(table)
    assert fitted.residual_variance_[-1] == fitted.total_residual_variance_[-1] == 0


def test_stop_reasons_of_uffs():
    assert UFFS(degree=2).fit(RANK_3).stop_reason_ == "exhausted"
    stopped = UFFS(degree=2, max_functions=4).fit(X)
    assert stopped.stop_reason_ == "max_functions"
    np.testing.assert_array_equal(stopped.n_functions_, [1, 2])


@pytest.mark.parametrize("estimator", STEPWISE)
def test_max_functions_does_not_count_the_constant(estimator):
    # 1 + 2 + 3 functions of three variables
    enough = make(estimator, 3, threshold=None, max_functions=6).fit(X)
    assert enough.stop_reason_ == "n_components"
    assert enough.n_functions_.sum() == 6
    too_few = make(estimator, 3, threshold=None, max_functions=5).fit(X)
    assert too_few.stop_reason_ == "max_functions"
    assert too_few.n_functions_.sum() == 3
    assert n_selected(too_few) == 2


@pytest.mark.parametrize("estimator", STEPWISE)
def test_max_functions_below_the_first_block_leaves_nothing(estimator):
    fitted = make(estimator, family=Polynomial(2), max_functions=1).fit(X)
    assert fitted.stop_reason_ == "max_functions"
    assert n_selected(fitted) == len(fitted.n_functions_) == 0
    assert len(fitted.residual_variance_) == 1


@pytest.mark.parametrize("estimator", [GFR, GFS])
def test_default_is_to_explain_95_percent(estimator):
    fitted = estimator().fit(X)
    explained = 1 - fitted.total_residual_variance_ / fitted.total_residual_variance_[0]
    assert fitted.stop_reason_ == "explained_variance"
    assert explained[-1] >= 0.95 > explained[-2]


@pytest.mark.parametrize("estimator", [GFR, GFS])
def test_threshold_alone_replaces_the_default(estimator):
    fitted = estimator(threshold=1e-6).fit(X)
    assert fitted.stop_reason_ == "threshold"
    assert fitted.residual_variance_[-1] <= 1e-6


def test_gca_tells_which_directions_of_the_basis_it_kept():
    fitted = GCA(threshold=1e-2, basis=np.eye(D)).fit(X)
    np.testing.assert_array_equal(fitted.basis_, np.eye(D))
    np.testing.assert_array_equal(fitted.component_indices_, [3, 1, 2])
    np.testing.assert_array_equal(fitted.redundant_indices_, [0, 4, 5])
    np.testing.assert_array_equal(fitted.components_, np.eye(D)[[3, 1, 2]])


def test_gca_takes_principal_directions_by_default():
    fitted = GCA(threshold=None).fit(X)
    variances = np.var((X - X.mean(axis=0)) @ fitted.basis_.T, axis=0)
    np.testing.assert_allclose(fitted.basis_ @ fitted.basis_.T, np.eye(D), atol=1e-12)
    np.testing.assert_allclose(
        variances, np.linalg.eigvalsh(np.cov(X.T, bias=True))[::-1], atol=1e-12
    )
    np.testing.assert_array_equal(fitted.components_, fitted.basis_[fitted.component_indices_])
    assert (np.diff(fitted.component_indices_) > 0).all()


def test_gfa_tells_selected_redundant_and_undecided_features_apart():
    fitted = GFA(threshold=1e-2).fit(X)
    np.testing.assert_array_equal(fitted.selected_features_, [3, 1, 2])
    np.testing.assert_array_equal(fitted.redundant_features_, [0, 4, 5])
    early = GFA(2, threshold=1e-2).fit(X)
    np.testing.assert_array_equal(early.selected_features_, [3, 1])
    np.testing.assert_array_equal(early.redundant_features_, [0])


@pytest.mark.parametrize("threshold", [None, 0.0])
def test_without_a_threshold_exact_functions_and_constants_are_redundant(threshold):
    table = np.column_stack([X, np.ones(N)])
    gfa = GFA(threshold=threshold).fit(table)
    assert gfa.stop_reason_ == "exhausted"
    np.testing.assert_array_equal(gfa.selected_features_, [3, 1, 2])
    np.testing.assert_array_equal(gfa.redundant_features_, [0, 4, 5, 6])
    gca = GCA(threshold=threshold, basis=np.eye(D + 1)).fit(table)
    np.testing.assert_array_equal(gca.redundant_indices_, [0, 4, 5, 6])


# What a fitted object holds


@pytest.mark.parametrize("solver", ["qr", "gram"])
@pytest.mark.parametrize("estimator", ALL)
def test_fitted_object_holds_no_rows(estimator, solver):
    small, large = (
        make(estimator, 2, threshold=0.5, solver=solver).fit(make_table(n)) for n in (200, 2000)
    )
    for value in vars(large).values():
        assert np.size(value) <= D * D
    sizes = [len(pickle.dumps(fitted)) for fitted in (small, large)]
    assert abs(sizes[0] - sizes[1]) < 64
    assert sizes[1] < 4096


@pytest.mark.parametrize("estimator", ALL)
def test_pickled_object_transforms_alike(estimator):
    fitted = make(estimator, 2).fit(X)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.transform(X), fitted.transform(X))
    assert_same_fit(again, fitted)


@pytest.mark.parametrize("family", FAMILIES, ids=repr)
def test_families_can_be_pickled(family):
    assert pickle.loads(pickle.dumps(family)) == family


# Fits


@pytest.mark.parametrize("estimator", ALL)
def test_verbose_prints_a_line_a_step(estimator, capsys):
    fitted = make(estimator, 2, verbose=1).fit(X)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(fitted.n_functions_) >= 2
    functions = 1 + np.cumsum(fitted.n_functions_)
    for step, line in enumerate(lines, start=1):
        assert line.startswith(f"[{estimator.__name__}] step {step}: residual variance ")
        assert f"{functions[step - 1]} functions" in line


@pytest.mark.parametrize("estimator", ALL)
def test_fit_is_silent_by_default(estimator, capsys):
    make(estimator, 2).fit(X)
    captured = capsys.readouterr()
    assert captured.out == captured.err == ""


@pytest.mark.parametrize(("n_samples", "solver"), [(5000, "qr"), (5001, "gram")])
@pytest.mark.parametrize("estimator", ALL)
def test_auto_solver_follows_the_number_of_rows(estimator, n_samples, solver):
    table = np.random.default_rng(0).standard_normal((n_samples, 3))
    assert make(estimator, 2).fit(table).solver_ == solver


def test_auto_solver_turns_to_qr_where_the_gram_matrix_loses_accuracy():
    a, b = np.random.default_rng(0).standard_normal((2, 6000))
    table = np.column_stack([2 * a, a + 1e-5 * b])
    params = {"threshold": None, "degree": 1}
    fitted = GFS(2, **params).fit(table)
    assert fitted.solver_ == "qr"
    assert_same_fit(fitted.set_params(solver="qr"), GFS(2, solver="qr", **params).fit(table))


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("estimator", ALL)
def test_fit_and_transform_leave_data_as_they_are(estimator, order):
    table = np.array(X, order=order)
    weight = np.ones(N)
    fitted = make(estimator, 2).fit(table, sample_weight=weight)
    out = fitted.transform(table)
    fitted.inverse_transform(out)
    np.testing.assert_array_equal(table, X)
    np.testing.assert_array_equal(weight, 1.0)
    np.testing.assert_array_equal(out, fitted.transform(X))


@pytest.mark.parametrize("estimator", ALL)
def test_read_only_and_strided_data_give_the_same_fit(estimator):
    expected = make(estimator, 2).fit(X)
    read_only = X.copy()
    read_only.setflags(write=False)
    assert_same_fit(make(estimator, 2).fit(read_only), expected)
    strided = np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3]
    assert_same_fit(make(estimator, 2).fit(strided), expected)
    np.testing.assert_array_equal(expected.transform(read_only), expected.transform(X))


@pytest.mark.parametrize("solver", ["qr", "gram"])
@pytest.mark.parametrize("estimator", ALL)
def test_fitting_again_gives_the_identical_result(estimator, solver):
    once = make(estimator, 2, solver=solver).fit(X)
    assert_same_fit(clone(once).fit(X), once)
    fitted_to_other_data = make(estimator, 2, solver=solver).fit(X[:100, :4])
    assert_same_fit(fitted_to_other_data.fit(X), once)


@pytest.mark.parametrize("estimator", ALL)
def test_no_weights_are_equal_weights(estimator):
    unweighted = make(estimator, 2).fit(X)
    assert_same_fit(make(estimator, 2).fit(X, sample_weight=np.ones(N)), unweighted, rtol=1e-12)
    assert_same_fit(make(estimator, 2).fit(X, sample_weight=[7] * N), unweighted, rtol=1e-12)


@pytest.mark.parametrize("estimator", ALL)
def test_y_is_ignored(estimator):
    without = make(estimator, 2).fit(X)
    assert_same_fit(make(estimator, 2).fit(X, np.arange(N)), without)
