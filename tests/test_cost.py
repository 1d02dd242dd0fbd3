"""Cost of a fit, estimated before the fit."""

import tracemalloc

import numpy as np
import pytest
from support import make

from gramian import GCA, GFA, GFR, GFS, UFFS
from gramian.families import Indicator

ESTIMATORS = [GFR, GCA, GFS, GFA, UFFS]


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("solver", ["auto", "qr", "gram", "moments"])
def test_the_estimated_number_of_functions_equals_that_of_the_fit(estimator, solver):
    X = np.random.default_rng(0).standard_normal((300, 6)) * np.arange(6, 0, -1)
    model = estimator(5, degree=2, solver=solver, threshold=None)
    steps = 6 if estimator is UFFS else 5  # UFFS visits all features
    cost = model.estimate_cost(X, n_steps=steps)
    assert cost.n_functions == 1 + model.fit(X).n_functions_.sum()
    assert cost.n_steps == steps
    assert 0 < cost.seconds < 60
    assert cost.memory >= X.nbytes


@pytest.mark.parametrize("solver", ["qr", "gram", "moments"])
def test_more_steps_and_more_rows_cost_more(solver):
    def cost(n_rows, n_steps):
        return GFR(degree=3, solver=solver, alpha=0).estimate_cost(np.empty((n_rows, 40)), n_steps)

    few, many = cost(10_000, 10), cost(10_000, 20)
    assert few.n_functions < many.n_functions
    assert few.seconds < many.seconds
    assert few.memory < many.memory
    assert cost(20_000, 10).seconds > 1.5 * few.seconds


def test_moments_are_estimated_to_be_faster_for_many_variables_of_high_degree():
    X = np.empty((60_000, 50))
    plain = GFR(25, degree=4, solver="gram", alpha=0).estimate_cost(X)
    shared = GFR(25, degree=4, solver="moments", alpha=0).estimate_cost(X)
    assert shared.seconds < plain.seconds / 3
    assert GFR(25, degree=4, alpha=0).estimate_cost(X).seconds <= shared.seconds


def test_the_estimate_reads_no_data():
    cost = GFR(100, degree=2, alpha=0).estimate_cost(np.broadcast_to(0.0, (10**9, 1000)))
    assert cost.n_functions == 5051
    assert "5,051 functions" in str(cost)


def test_the_estimate_asks_for_a_number_of_steps_that_it_cannot_know():
    with pytest.raises(ValueError, match="give n_steps"):
        GFR(threshold=0.1, alpha=0).estimate_cost(np.empty((100, 5)))
    with pytest.raises(ValueError, match="depends on the data"):
        GFS(2, family=Indicator(), alpha=0, criterion="variance").estimate_cost(np.empty((100, 5)))


@pytest.mark.parametrize("estimator", [GFS, GFA])
def test_selection_never_forms_a_matrix_of_features_by_features(estimator):
    X = np.random.default_rng(0).standard_normal((50, 4000))
    tracemalloc.start()
    make(estimator, 3, threshold=None).fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4000 * 4000 * 8 / 4
