"""Functions and levels that users supply: used as given, or refused with the reason."""

import dask.array as da
import numpy as np
import pytest
from input_cases import A, B, N, X, fit
from support import SOLVERS, WITH_FAMILY, make

import gramian
from gramian import GFA, GFR, GFS
from gramian.families import Custom, Indicator


def nan_for_negatives(z):
    return np.where(z > 0, z, np.nan)


def infinite(z):
    return np.full_like(z, np.inf)


def scalar(z):
    return 1.0


def column(z):
    return z[:, np.newaxis]


def too_short(z):
    return z[1:]


def imaginary(z):
    return 1j * z


def textual(z):
    return z.astype(str)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (nan_for_negatives, "'nan_for_negatives' returned NaN or infinity.*return finite values"),
        (infinite, "'infinite' returned NaN or infinity.*return finite values"),
        (scalar, r"'scalar' returned an array of shape \(\).*return one value a row"),
        (column, r"'column' returned an array of shape \(200, 1\).*return one value a row"),
        (too_short, r"'too_short' returned an array of shape \(199,\).*return one value a row"),
        (imaginary, "'imaginary' returned values of type complex128; real numbers"),
        (textual, "'textual' returned values of type <U.*; real numbers"),
    ],
)
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("estimator", WITH_FAMILY)
def test_an_error_about_bad_results_names_the_function(estimator, solver, function, message):
    with pytest.raises(ValueError, match=message):
        make(estimator, family=Custom([(function, 1)]), solver=solver).fit(X)


@pytest.mark.parametrize("solver", SOLVERS)
def test_an_error_inside_a_function_is_raised_unchanged(solver):
    def broken(z):
        raise ZeroDivisionError("my own mistake")

    with pytest.raises(ZeroDivisionError, match="my own mistake"):
        GFR(family=Custom([(broken, 1)]), solver=solver, alpha=0).fit(X)


@pytest.mark.parametrize(
    "functions",
    [
        None,
        [],
        [np.abs],
        [(np.abs,)],
        [(np.abs, 0)],
        [(np.abs, -1)],
        [(np.abs, 1.5)],
        [(np.abs, "1")],
        [("abs", 1)],
        [(np.abs, 1), (np.hypot, None)],
    ],
    ids=repr,
)
def test_custom_functions_without_an_arity_are_refused_with_an_example(functions):
    with pytest.raises(ValueError, match=r"pairs of a callable and its arity.*Custom\(\[\(np.abs"):
        GFR(family=Custom(functions), alpha=0).fit(X)


@pytest.mark.parametrize(("function", "arity"), [(np.hypot, 1), (lambda u, v: u + v, 3)])
def test_a_function_of_another_arity_raises_the_type_error_of_the_call(function, arity):
    with pytest.raises(TypeError, match=r"argument|operand"):
        GFS(3, family=Custom([(function, arity)]), alpha=0, criterion="variance").fit(X)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_second_argument_is_not_used_as_an_output_array(solver):
    # np.abs(u, v) writes to v.
    with pytest.raises((TypeError, ValueError)):
        GFS(3, family=Custom([(np.abs, 2)]), solver=solver, alpha=0, criterion="variance").fit(X)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_function_that_changes_its_argument_does_not_change_the_fit(solver):
    def cube_in_place(z):
        z **= 3
        return z

    table = np.column_stack([3 * A, 2 * B, 0.1 * A**3])
    params = {"threshold": None, "solver": solver}
    expected = fit(
        GFS(2, family=Custom([(lambda z: z**3, 1), (np.hypot, 2)]), **params, criterion="variance"),
        table,
    )
    try:
        fitted = fit(
            GFS(
                2,
                family=Custom([(cube_in_place, 1), (np.hypot, 2)]),
                **params,
                criterion="variance",
            ),
            table,
        )
    except ValueError as error:
        assert "read-only" in str(error)  # noqa: PT017
    else:
        np.testing.assert_allclose(fitted.residual_variance_, expected.residual_variance_)


@pytest.mark.parametrize(
    "function", [lambda z: z > 0, lambda z: np.rint(z).astype(int), lambda z: (z**2).tolist()]
)
def test_functions_may_return_booleans_integers_and_lists(function):
    fitted = fit(GFS(2, family=Custom([(function, 1)]), alpha=0, criterion="variance"), X)
    np.testing.assert_array_equal(fitted.n_functions_ + fitted.n_dropped_functions_, [2, 2])


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("estimator", WITH_FAMILY)
def test_constant_and_repeated_functions_are_dropped(estimator, solver):
    family = Custom([(np.ones_like, 1), (np.zeros_like, 1), (np.positive, 1), (np.abs, 1)])
    fitted = fit(make(estimator, 2, family=family, solver=solver, threshold=None), X)
    np.testing.assert_array_equal(fitted.n_functions_, [2, 2])
    np.testing.assert_array_equal(fitted.n_dropped_functions_, [3, 3])


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("estimator", WITH_FAMILY)
def test_indicators_of_continuous_data_are_refused_with_the_remedy(estimator, solver):
    with pytest.raises(ValueError, match=r"more than max_levels=32.*KBinsDiscretizer.*raise max"):
        make(estimator, family="indicator", solver=solver).fit(X)


def test_max_levels_is_the_number_of_levels_still_accepted():
    table = np.column_stack([3 * (np.arange(N) % 5), np.arange(N) % 2])
    assert fit(
        GFS(2, family=Indicator(2, max_levels=5), alpha=0, criterion="variance"), table
    ).support_.all()
    with pytest.raises(ValueError, match="max_levels=4"):
        GFS(2, family=Indicator(2, max_levels=4), alpha=0, criterion="variance").fit(table)


SIZES = [1e-200, 1e-300, 1e160, 1e300]
SQUARES = np.column_stack([3 * A, 2 * B, A**2, 0.5 * B**2 + A])


def squares_of_size(size):
    return Custom([(lambda z: size * z**2, 1), (lambda u, v: size * u * v, 2)])


def fitted_to(form, size, folder, **params):
    """Fit squares of magnitude `size` to a table in the given form."""
    estimator = GFS(2, family=squares_of_size(size), threshold=None, **params, criterion="variance")
    if form == "file":
        np.save(folder / "table.npy", SQUARES)
        return estimator.fit(folder / "table.npy")
    return estimator.fit(da.from_array(SQUARES, chunks=(64, 4)) if form == "Dask" else SQUARES)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    ("form", "params"),
    [
        ("array", {"solver": "qr"}),
        ("array", {"solver": "gram"}),
        ("array", {"solver": "gram", "validation_fraction": 0.3}),
        ("array", {"alpha": 0.1}),
        ("file", {}),
        ("Dask", {}),
    ],
    ids=["qr", "gram", "held out", "shrunk", "file", "Dask"],
)
def test_the_scale_of_a_function_does_not_change_the_fit(form, params, size, tmp_path):
    expected = fitted_to(form, 1.0, tmp_path, **params)
    with np.errstate(all="raise", under="ignore"):
        fitted = fitted_to(form, size, tmp_path, **params)
    np.testing.assert_array_equal(fitted.selected_features_, expected.selected_features_)
    np.testing.assert_array_equal(fitted.n_functions_, expected.n_functions_)
    for name in ("residual_variance_", "validation_total_residual_variance_"):
        if hasattr(expected, name):
            np.testing.assert_allclose(getattr(fitted, name), getattr(expected, name), atol=1e-12)
    chosen = SQUARES[:, expected.selected_features_]
    restored = expected.inverse_transform(chosen)
    np.testing.assert_allclose(fitted.inverse_transform(chosen), restored, atol=1e-9)


def test_a_fit_with_tiny_functions_goes_on_from_its_checkpoint(tmp_path):
    estimator = GFS(
        2, family=squares_of_size(1e-200), checkpoint=tmp_path, threshold=None, criterion="variance"
    )
    first = estimator.fit(SQUARES).residual_variance_
    np.testing.assert_array_equal(estimator.fit(SQUARES).residual_variance_, first)
    np.testing.assert_array_equal(estimator.n_functions_, [2, 3])


@pytest.mark.parametrize("size", [1.0, *SIZES])
def test_the_scale_of_a_function_does_not_change_backward_elimination(size):
    table = np.column_stack([A**2, 3 * A, B])
    fitted = GFA(backward=True, family=Custom([(lambda z: size * z**2, 1)])).fit(table)
    np.testing.assert_array_equal(fitted.redundant_features_, [0])


def tiny_square(z):
    return 1e-200 * z**2


@pytest.mark.parametrize("solver", ["qr", "gram"])
def test_stored_coefficients_belong_to_the_unscaled_functions_of_the_user(solver, tmp_path):
    """A model file does not hold the internal scale of functions."""
    family = Custom([(tiny_square, 1)])
    fitted = GFS(2, family=family, solver=solver, alpha=0, criterion="variance").fit(SQUARES)
    fitted.save(tmp_path / "fit.gram")
    again = gramian.load(tmp_path / "fit.gram", functions={"tiny_square": tiny_square})
    chosen = SQUARES[:, fitted.selected_features_]
    np.testing.assert_allclose(
        again.inverse_transform(chosen), fitted.inverse_transform(chosen), rtol=1e-12
    )
