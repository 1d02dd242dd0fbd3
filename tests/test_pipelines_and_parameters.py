"""Pipelines, searches, clones and pickles reach an estimator's parameters, and its family's."""

import pickle

import numpy as np
import pytest
from contract_cases import N, X, assert_same_fit, signed_variables
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from support import ALL, WITH_FAMILY, make

from gramian import GFA, GFR, GFS
from gramian.families import Custom, Fourier, Hermite, Indicator, Legendre, Multilinear, Polynomial

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


def table_whose_label_hides_behind_a_redundancy(n_samples=300):
    """Return a table whose label is the sign of its fourth principal component.

    The third component is a product of the first two: a family with products skips it.
    """
    rng = np.random.default_rng(0)
    a, b, c = signed_variables(rng, n_samples)
    return np.column_stack([a, a, a, a, b, b, b, a * b, a * b, c]), c > 0


# Pipelines and searches


def pipeline(**params):
    return make_pipeline(StandardScaler(), GFR(3, **params), LogisticRegression())


def test_a_pipeline_classifies_by_a_direction_that_pca_misses():
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


def test_a_nested_search_does_not_change_the_given_family():
    table, label = table_whose_label_hides_behind_a_redundancy()
    family = Multilinear(1)
    GridSearchCV(pipeline(family=family), {"gfr__family__degree": [2]}, cv=2).fit(table, label)
    assert family == Multilinear(1)


def test_sample_weight_reaches_the_fit_through_a_pipeline():
    weight = np.arange(N) % 3
    fitted = make_pipeline(StandardScaler(), GFR(2, alpha=0)).fit(X, gfr__sample_weight=weight)
    direct = GFR(2, alpha=0).fit(StandardScaler().fit_transform(X), sample_weight=weight)
    assert_same_fit(fitted[-1], direct)
    assert not np.allclose(fitted[-1].mean_, 0)


# Parameters


@pytest.mark.parametrize("family", FAMILIES, ids=repr)
@pytest.mark.parametrize("estimator", WITH_FAMILY)
def test_a_clone_has_an_equal_copy_of_the_family(estimator, family):
    original = make(estimator, family=family)
    copy = clone(original)
    assert copy.family is not family
    assert copy.family == family
    assert repr(copy) == repr(original)


def test_changing_the_family_of_a_clone_leaves_the_original():
    original = GFS(family=Multilinear(2), alpha=0, criterion="variance")
    clone(original).set_params(family__degree=5)
    assert original.family == Multilinear(2)


@pytest.mark.parametrize("family", FAMILIES, ids=repr)
def test_parameters_of_a_family_round_trip_through_an_estimator(family):
    estimator = GFR(family=family, alpha=0)
    nested = {
        name.removeprefix("family__"): value
        for name, value in estimator.get_params(deep=True).items()
        if name.startswith("family__")
    }
    assert nested == family.get_params()
    assert type(family)(**nested) == family
    assert GFR(alpha=0).set_params(**estimator.get_params(deep=False)).family is family


@pytest.mark.parametrize("estimator", ALL)
def test_set_params_changes_what_get_params_returns(estimator):
    fitted = make(estimator, 2).fit(X)
    params = fitted.get_params(deep=False)
    assert make(estimator).set_params(**params).get_params(deep=False) == params
    assert fitted.set_params(degree=1).get_params()["degree"] == 1


def test_set_params_sets_parameters_of_the_family():
    estimator = GFR(family=Fourier(1), alpha=0).set_params(family__degree=3, family__frequency=2.0)
    assert estimator.family == Fourier(3, frequency=2.0)


def test_a_nested_parameter_that_the_family_lacks_is_an_error():
    with pytest.raises(ValueError, match=r"'frequency' for Multilinear; its parameters are \['deg"):
        GFR(family=Multilinear(2), alpha=0).set_params(family__frequency=2.0)


@pytest.mark.parametrize(
    ("estimator", "shown"),
    [
        (
            GFR(family=Multilinear(3) + Fourier(2)),
            "GFR(family=Multilinear(3) + Fourier(2))",
        ),
        (
            GFA(0.5, relative=True, backward=False, alpha=0),
            "GFA(alpha=0, backward=False, n_features_to_select=0.5, relative=True)",
        ),
    ],
)
def test_the_representation_shows_parameters_other_than_defaults(estimator, shown):
    assert repr(estimator) == shown


def test_diagram_in_a_notebook_shows_the_family():
    assert "Multilinear(3)" in GFR(family=Multilinear(3), alpha=0)._repr_html_()


@pytest.mark.parametrize("estimator", ALL)
def test_fit_does_not_change_parameters(estimator):
    original = make(estimator, 2, threshold=0.1)
    before = original.get_params()
    original.fit(X)
    assert original.get_params() == before


@pytest.mark.parametrize("family", FAMILIES, ids=repr)
def test_families_can_be_pickled(family):
    assert pickle.loads(pickle.dumps(family)) == family
