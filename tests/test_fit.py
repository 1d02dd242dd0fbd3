"""A fit depends on the data and the parameters only, changes neither, and keeps no rows."""

import pickle

import numpy as np
import pytest
from contract_cases import D, N, X, assert_same_fit, make_table
from sklearn.base import clone
from support import ALL, make

# Content of a fitted object


@pytest.mark.parametrize("solver", ["qr", "gram"])
@pytest.mark.parametrize("estimator", ALL)
def test_a_fitted_object_holds_no_rows(estimator, solver):
    small, large = (
        make(estimator, 2, threshold=0.5, solver=solver).fit(make_table(n)) for n in (200, 2000)
    )
    for value in vars(large).values():
        assert np.size(value) <= D * D
    sizes = [len(pickle.dumps(fitted)) for fitted in (small, large)]
    assert abs(sizes[0] - sizes[1]) < 64
    assert sizes[1] < 8192  # 2,000 rows would take more


@pytest.mark.parametrize("estimator", ALL)
def test_a_pickled_object_transforms_equally(estimator):
    fitted = make(estimator, 2).fit(X)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.transform(X), fitted.transform(X))
    assert_same_fit(again, fitted)


# Output and solver of a fit


@pytest.mark.parametrize("estimator", ALL)
def test_verbose_prints_one_line_for_each_step(estimator, capsys):
    fitted = make(estimator, 2, verbose=2).fit(X)
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
def test_the_automatic_solver_depends_on_the_number_of_rows(estimator, n_samples, solver):
    table = np.random.default_rng(0).standard_normal((n_samples, 3))
    assert make(estimator, 2).fit(table).solver_ == solver


# Dependence on the input


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("estimator", ALL)
def test_fit_and_transform_do_not_change_the_data(estimator, order):
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
def test_a_fit_without_weights_equals_one_with_equal_weights(estimator):
    unweighted = make(estimator, 2).fit(X)
    assert_same_fit(make(estimator, 2).fit(X, sample_weight=np.ones(N)), unweighted, rtol=1e-12)
    assert_same_fit(make(estimator, 2).fit(X, sample_weight=[7] * N), unweighted, rtol=1e-12)


@pytest.mark.parametrize("estimator", ALL)
def test_y_is_ignored(estimator):
    without = make(estimator, 2).fit(X)
    assert_same_fit(make(estimator, 2).fit(X, np.arange(N)), without)
