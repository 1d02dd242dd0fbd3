"""Warnings about doubtful fits, with remedies."""

import numpy as np
import pytest
from input_cases import A, B, X, assert_same_choice, fit
from sklearn.base import clone
from support import ALL, SOLVERS, WITH_FAMILY, make

from gramian import GCA, GFA, GFR, GFS, UFFS
from gramian.exceptions import NumericalWarning, OverfittingWarning, SaturationWarning
from gramian.families import Custom
from gramian.fitting import NearDependence, Overfitting, Remedy, Saturation, UnequalUnits


def caught(record):
    assert len(record) == 1
    return record[0]


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("estimator", ALL)
def test_more_functions_than_half_of_the_samples_give_a_warning(estimator, solver):
    table = np.random.default_rng(0).standard_normal((13, 3))  # 1 + 1 + 2 + 3 functions
    with pytest.warns(
        OverfittingWarning,
        match=r"7 functions were fitted to 13 samples.*lower degree.*fewer.*more samples",
    ) as record:
        fit(make(estimator, 3, threshold=None, solver=solver), table)
    assert caught(record).category is OverfittingWarning
    table = np.random.default_rng(0).standard_normal((14, 3))
    fit(make(estimator, 3, threshold=None, solver=solver), table)  # exactly half: no warning


def few_rows():
    z = np.random.default_rng(0).standard_normal((24, 4))
    return np.column_stack([9 * z, z[:, 0] * z[:, 1], z[:, 1] * z[:, 2] * z[:, 3]])


@pytest.mark.parametrize(
    ("estimator", "advised"),
    [(GFS(4, degree=3, alpha=0, criterion="variance"), True), (UFFS(degree=3), False)],
    ids=repr,
)
def test_the_warning_advises_shrinkage_if_the_estimator_has_it(estimator, advised):
    with pytest.warns(OverfittingWarning, match="lower degree") as record:
        fit(estimator, few_rows())
    assert ("alpha='auto'" in str(caught(record).message)) is advised


@pytest.mark.parametrize("estimator", WITH_FAMILY)
def test_no_warning_is_given_if_held_out_rows_chose_the_penalty(estimator):
    # The reported residuals were measured on rows outside the fit.
    fitted = fit(make(estimator, 4, degree=3, alpha="auto"), few_rows())
    assert len(fitted.validation_total_residual_variance_) == 5
    assert 2 * fitted.n_functions_.sum() > 24


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("estimator", ALL)
def test_saturation_gives_a_warning(estimator, solver):
    table = np.random.default_rng(0).standard_normal((12, 5))
    with pytest.warns(
        SaturationWarning,
        match=r"After 4 steps the functions span all 12 samples.*lower degree.*more samples",
    ) as record:
        fitted = fit(make(estimator, degree=None, threshold=1e-9, solver=solver), table)
    caught(record)
    assert fitted.stop_reason_ == "saturated"
    assert fitted.residual_variance_[-1] == fitted.total_residual_variance_[-1] == 0


HEAVY_TAILS = np.exp(np.random.default_rng(0).standard_normal((500, 2)))
"""Columns whose powers up to the twelfth are nearly dependent, except at the largest values."""
POWERS = {"family": "polynomial", "degree": 12, "solver": "gram"}


@pytest.mark.parametrize("estimator", WITH_FAMILY)
def test_the_gram_solver_warns_of_functions_too_dependent_for_its_accuracy(estimator):
    model = make(estimator, 2, threshold=None, **POWERS)
    with pytest.warns(NumericalWarning, match=r"solver='gram' may be off.*solver='qr'.*hermite"):
        fitted = fit(clone(model), HEAVY_TAILS)
    assert fitted.orthogonality_loss_ > 1e-6
    accurate = fit(clone(model).set_params(solver="qr"), HEAVY_TAILS)
    assert accurate.orthogonality_loss_ < 1e-12


NEAR_COPY = np.column_stack([2 * A, 2 * A + 6e-5 * B])
NEARLY_LINEAR = Custom([(lambda z: z + 2e-4 * np.abs(z), 1)])
NEARLY_DEPENDENT = {
    GFR: (GFR(1, family=NEARLY_LINEAR, solver="gram", alpha=0), X),
    GCA: (GCA(1, family=NEARLY_LINEAR, solver="gram", backward=False, alpha=0), X),
    GFS: (
        GFS(2, threshold=None, degree=1, solver="gram", alpha=0, criterion="variance"),
        NEAR_COPY,
    ),
    GFA: (GFA(2, threshold=None, degree=1, solver="gram", backward=False, alpha=0), NEAR_COPY),
    UFFS: (UFFS(2, degree=1, solver="gram"), NEAR_COPY),
}


@pytest.mark.parametrize("estimator", ALL)
def test_nearly_dependent_functions_give_no_warning(estimator):
    model, table = NEARLY_DEPENDENT[estimator]
    fitted = fit(clone(model), table)
    assert fitted.orthogonality_loss_ < 1e-9
    accurate = fit(clone(model).set_params(solver="qr"), table)
    assert_same_choice(fitted, accurate, atol=1e-10)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_cautions_are_values_with_facts_and_remedies():
    noise = np.random.default_rng(0).standard_normal((13, 3))
    published = {"alpha": 0, "criterion": "variance"}
    helps = (Remedy.AUTO_ALPHA, Remedy.LOWER_DEGREE, Remedy.FEWER_FEATURES, Remedy.MORE_ROWS)
    many = GFS(3, **published).fit(noise).model_
    assert many.cautions == [Overfitting(helps, 7.0, 13)]
    spanning = GFS(3, **published).fit(noise[:6]).model_
    assert spanning.cautions == [Saturation(helps, 3, 6)]
    (rounding,) = GFR(2, alpha=0, **POWERS).fit(HEAVY_TAILS).model_.cautions
    assert isinstance(rounding, NearDependence)
    assert rounding.loss > 1e-6
    assert rounding.remedies == (Remedy.QR_SOLVER, Remedy.BETTER_FAMILY)
    metres = np.random.default_rng(0).standard_normal((300, 3)) * [1, 1e3, 1]
    (units,) = GFS(1, **published).fit(metres).model_.cautions
    assert isinstance(units, UnequalUnits)
    assert (units.algorithm, units.column, units.remedies) == ("GFS", "x1", (Remedy.SCALE,))
    assert units.ratio == pytest.approx(1e3, rel=0.2)


OVERFITTING = np.random.default_rng(0).standard_normal((13, 3))  # 7 functions
SATURATED = OVERFITTING[:7]


@pytest.mark.parametrize("estimator", WITH_FAMILY)
@pytest.mark.parametrize("category", [OverfittingWarning, SaturationWarning, NumericalWarning])
def test_warnings_point_to_the_line_that_called_fit(estimator, category):
    model, table = {
        OverfittingWarning: (make(estimator, 3, threshold=None), OVERFITTING),
        SaturationWarning: (make(estimator, 3, threshold=None), SATURATED),
        NumericalWarning: (make(estimator, 2, threshold=None, **POWERS), HEAVY_TAILS),
    }[category]
    with pytest.warns(category) as record:
        clone(model).fit(table)
    assert caught(record).filename == __file__
