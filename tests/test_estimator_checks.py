"""scikit-learn's own contract, on every estimator."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from gramian import GCA, GFA, GFR, GFS, UFFS, GramianImputer, PolynomialManifold


# The checks fit tables of ten or twenty rows, for which the warning is correct.
@pytest.mark.filterwarnings("ignore::gramian.exceptions.OverfittingWarning")
@parametrize_with_checks(
    [
        *(GFR(), GCA(), GFS(), GFA(), UFFS(), PolynomialManifold(), GramianImputer()),
        *(GFR(alpha=0), GCA(alpha=0, backward=False)),
        *(GFS(alpha=0, criterion="variance"), GFA(alpha=0, backward=False)),
    ],
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)
