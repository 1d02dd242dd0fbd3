"""Families as objects: representation, comparison, changes and checks."""

import itertools

import numpy as np
import pytest

from gramian import GFS
from gramian.families import (
    Custom,
    Fourier,
    Hermite,
    Indicator,
    Legendre,
    Multilinear,
    Polynomial,
    by_name,
)


@pytest.mark.parametrize(
    ("family", "shown"),
    [
        (Multilinear(), "Multilinear(2)"),
        (Multilinear(None), "Multilinear(None)"),
        (Polynomial(3), "Polynomial(3)"),
        (Polynomial(3, max_variables=1), "Polynomial(3, max_variables=1)"),
        (Hermite(4), "Hermite(4)"),
        (Legendre(4), "Legendre(4)"),
        (Fourier(2, frequency=0.5), "Fourier(2, frequency=0.5)"),
        (Indicator(2, max_levels=7), "Indicator(2, max_levels=7)"),
        (Custom([(np.abs, 1)]), "Custom([(<ufunc 'absolute'>, 1)])"),
        (Multilinear(3) + Fourier(2), "Multilinear(3) + Fourier(2)"),
    ],
)
def test_the_representation_is_the_expression_that_makes_the_family(family, shown):
    assert repr(family) == shown


def make_distinct_families():
    return [
        Multilinear(2),
        Multilinear(3),
        Multilinear(None),
        Polynomial(2),
        Polynomial(2, max_variables=1),
        Hermite(2),
        Legendre(2),
        Fourier(2),
        Fourier(2, frequency=2.0),
        Indicator(2),
        Indicator(2, max_levels=3),
        Custom([(np.abs, 1)]),
        Custom([(np.abs, 1)], any_order=True),
        Custom([(np.cbrt, 1)]),
        Multilinear(2) + Fourier(2),
        Fourier(2) + Multilinear(2),
    ]


def test_families_are_equal_when_their_parameters_are():
    pairs = itertools.product(
        enumerate(make_distinct_families()), enumerate(make_distinct_families())
    )
    for (i, one), (k, other) in pairs:
        assert (one == other) is (i == k), (one, other)
        assert (one != other) is (i != k), (one, other)
    assert Multilinear(2) != "multilinear"


def test_families_are_mutable_and_not_hashable():
    with pytest.raises(TypeError, match="unhashable"):
        hash(Multilinear(2))


@pytest.mark.parametrize("family", make_distinct_families(), ids=repr)
def test_parameters_make_an_equal_family(family):
    assert type(family)(**family.get_params()) == family


def test_set_params_changes_the_family_and_returns_it():
    family = Fourier(1)
    assert family.set_params(degree=3, frequency=2.0) is family
    assert family == Fourier(3, frequency=2.0)


@pytest.mark.parametrize("family", make_distinct_families(), ids=repr)
def test_set_params_refuses_an_unknown_parameter_with_the_known_names(family):
    known = ".*".join(family.get_params())
    name = type(family).__name__
    with pytest.raises(ValueError, match=f"'colour' for {name}; its parameters are .*{known}"):
        family.set_params(colour="red")


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("multilinear", Multilinear(3)),
        ("polynomial", Polynomial(3)),
        ("hermite", Hermite(3)),
        ("legendre", Legendre(3)),
        ("fourier", Fourier(3)),
        ("indicator", Indicator(3)),
    ],
)
def test_a_name_and_a_degree_are_short_for_an_instance(name, family):
    assert by_name(name, 3) == family
    table = np.random.default_rng(0).integers(0, 5, (200, 4))
    by_short_name = GFS(2, family=name, degree=3, alpha=0, criterion="variance").fit(table)
    by_instance = GFS(2, family=family, degree=None, alpha=0, criterion="variance").fit(table)
    np.testing.assert_array_equal(by_short_name.residual_variance_, by_instance.residual_variance_)


# Parameters are checked when a fit begins


@pytest.mark.parametrize(
    ("family", "message"),
    [
        (Multilinear(0), "degree of Multilinear must be a positive integer, or None for all"),
        (Multilinear(1.5), r"degree of Multilinear must be a positive integer.*got 1\.5"),
        (Multilinear("2"), r"degree of Multilinear must be a positive integer.*got '2'"),
        (Multilinear(True), r"degree of Multilinear must be a positive integer.*got True"),
        (Polynomial(None), "degree of Polynomial must be a positive integer; got None"),
        (Hermite(-1), "degree of Hermite must be a positive integer; got -1"),
        (Legendre(2, max_variables=0), "max_variables of Legendre .* or None for any number"),
        (Fourier(None), "degree of Fourier must be a positive integer; got None"),
        (Fourier(1, frequency=0), "frequency of Fourier must be a positive number; got 0"),
        (Fourier(1, frequency=np.nan), "frequency of Fourier must be a positive number; got nan"),
        (Fourier(1, frequency="fast"), "frequency of Fourier must be a positive number; got 'fas"),
        (Indicator(0), "degree of Indicator must be a positive integer, or None for any number"),
        (Indicator(2, max_levels=None), "max_levels of Indicator must be a positive integer"),
        (Multilinear(2) + Fourier(0), "degree of Fourier must be a positive integer; got 0"),
    ],
    ids=repr,
)
def test_bad_parameters_are_refused_with_the_allowed_values(family, message):
    with pytest.raises(ValueError, match=message):
        family.count(2)


@pytest.mark.parametrize("degree", [np.int64(2), np.int8(2)])
def test_numpy_integers_are_accepted_as_degrees(degree):
    assert Multilinear(degree).count(3) == 6
