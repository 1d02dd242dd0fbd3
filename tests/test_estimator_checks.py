"""scikit-learn's own contract, on every estimator."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from gramian import GCA, GFA, GFR, GFS, UFFS, GramianImputer, PolynomialManifold


def left_out_rows_decide(estimator):
    """Return checks expected to fail: leave-one-out tests treat copies unlike weights."""
    if not isinstance(estimator, GFS) or estimator.alpha != "auto":
        return {}
    why = "a row that is left out is predicted by its copies"
    return {f"check_sample_weight_equivalence_on_{kind}_data": why for kind in ("dense", "sparse")}


# The checks fit tables of ten or twenty rows, for which the warning is correct.
@pytest.mark.filterwarnings("ignore::gramian.exceptions.OverfittingWarning")
@parametrize_with_checks(
    [
        *(GFR(), GCA(), GFS(), GFA(), UFFS(), PolynomialManifold(), GramianImputer()),
        *(GFR(alpha=0), GCA(alpha=0, backward=False)),
        *(GFS(alpha=0, criterion="variance"), GFA(alpha=0, backward=False)),
    ],
    expected_failed_checks=left_out_rows_decide,
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
