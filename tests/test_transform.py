"""Results of transform and its inverse: values, containers and names."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from contract_cases import D, X
from support import ALL, EXTRACTORS, SELECTORS, make

from gramian import GFA, GFS, UFFS

NAMES = ["ab", "two_a", "c", "three_b", "bc", "half_c"]


# Names and containers


FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame}


def make_frame(kind, table=X):
    return FRAMES[kind]({name: table[:, i] for i, name in enumerate(NAMES)})


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("estimator", ALL)
def test_frames_are_transformed_to_frames(estimator, kind):
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


# Values of transform and its inverse


@pytest.mark.parametrize("estimator", EXTRACTORS)
def test_extractors_project_the_centred_data(estimator):
    fitted = make(estimator, 3).fit(X)
    expected = (X - X.mean(axis=0)) @ fitted.components_.T
    np.testing.assert_allclose(fitted.mean_, X.mean(axis=0), atol=1e-14)
    np.testing.assert_allclose(fitted.transform(X), expected, atol=1e-13)
    np.testing.assert_allclose(make(estimator, 3).fit_transform(X), expected, atol=1e-13)
    np.testing.assert_allclose(fitted.components_ @ fitted.components_.T, np.eye(3), atol=1e-13)


@pytest.mark.parametrize("linear", [False, True])
@pytest.mark.parametrize("estimator", EXTRACTORS)
def test_extractors_of_a_linear_family_invert_to_the_projection_on_their_directions(
    estimator, linear
):
    fitted = make(estimator, 3, degree=1).fit(X)
    projection = fitted.components_.T @ fitted.components_
    mean = X.mean(axis=0)
    back = fitted.inverse_transform(fitted.transform(X), linear=linear)
    np.testing.assert_allclose(back, mean + (X - mean) @ projection, atol=1e-12)


@pytest.mark.parametrize("linear", [False, True])
@pytest.mark.parametrize("estimator", EXTRACTORS)
def test_extractors_invert_to_rows_of_the_same_coordinates(estimator, linear):
    fitted = make(estimator, 3).fit(X)
    back = fitted.inverse_transform(fitted.transform(X), linear=linear)
    np.testing.assert_allclose(fitted.transform(back), fitted.transform(X), atol=1e-12)


@pytest.mark.parametrize("estimator", SELECTORS)
def test_selectors_take_columns(estimator):
    fitted = make(estimator, 2).fit(X)
    np.testing.assert_array_equal(fitted.transform(X), X[:, fitted.support_])


@pytest.mark.parametrize("estimator", [GFS, GFA])
def test_selectors_restore_kept_columns_and_compute_functions_of_them(estimator):
    fitted = make(estimator, 2).fit(X)
    np.testing.assert_array_equal(fitted.selected_features_, [3, 1])
    back = fitted.inverse_transform(fitted.transform(X))
    np.testing.assert_array_equal(back[:, fitted.support_], X[:, fitted.support_])
    np.testing.assert_allclose(back[:, 0], X[:, 0], atol=1e-12)


def test_uffs_has_no_decoder_and_inverts_to_zeros():
    fitted = UFFS(2, degree=2).fit(X)
    back = fitted.inverse_transform(fitted.transform(X))
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


def test_uffs_takes_the_selected_columns_of_a_frame_by_name():
    table = pd.DataFrame(np.random.default_rng(0).normal(size=(50, 4)), columns=[*"abcd"])
    fitted = UFFS(n_features_to_select=2).fit(table)
    kept = table[fitted.get_feature_names_out()]
    turned = kept[kept.columns[::-1]]
    np.testing.assert_array_equal(
        fitted.inverse_transform(turned), fitted.inverse_transform(kept.to_numpy())
    )
    with pytest.raises(ValueError, match="lacks the column"):
        fitted.inverse_transform(kept.rename(columns={kept.columns[0]: "e"}))
