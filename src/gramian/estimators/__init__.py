"""The estimators: one file for each, and the ladder that they share."""

from gramian.estimators._gca import GCA
from gramian.estimators._gfa import GFA
from gramian.estimators._gfr import GFR
from gramian.estimators._gfs import GFS
from gramian.estimators._imputer import GramianImputer
from gramian.estimators._polynomial_manifold import PolynomialManifold
from gramian.estimators._uffs import UFFS

__all__ = ["GCA", "GFA", "GFR", "GFS", "UFFS", "GramianImputer", "PolynomialManifold"]
