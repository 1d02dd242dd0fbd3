"""The estimators, one file for each, and the base classes that they share.

Open `_gfr.py` first. Its base classes are in `_estimator.py`, `_pursuit_estimator.py` and
`_extractor.py` (for selection `_selector.py`); `_pursuit_plan.py` translates the parameters.
"""

from gramian.estimators._estimator import Estimator, parameters_set
from gramian.estimators._gca import GCA
from gramian.estimators._gfa import GFA
from gramian.estimators._gfr import GFR
from gramian.estimators._gfs import GFS
from gramian.estimators._imputer import GramianImputer
from gramian.estimators._path import Path
from gramian.estimators._polynomial_manifold import PolynomialManifold
from gramian.estimators._pursuit_estimator import PursuitEstimator
from gramian.estimators._stability import Stability
from gramian.estimators._summary import unbroken_percent
from gramian.estimators._uffs import UFFS
