"""The methods that the paper compares with, and some more, behind one small interface."""

from gramian.baselines._autoencoder import Autoencoder
from gramian.baselines._filters import CorrelationFilter, VarianceRanking
from gramian.baselines._lpp import LPP
from gramian.baselines._mcfs import MCFS
from gramian.baselines._ndfs import NDFS
from gramian.baselines._ranking import ranks_read_as_columns
from gramian.baselines._registry import (
    EXTRACTORS,
    SELECTORS,
    Baseline,
    available,
    extractor,
    selector,
)
from gramian.baselines._scores import FisherScore, LaplacianScore, TraceRatio
from gramian.baselines._udfs import UDFS
from gramian.baselines._wrapped import CURRanking, FastCanRanking, FPSRanking, UFFSRanking

__all__ = [
    "EXTRACTORS",
    "LPP",
    "MCFS",
    "NDFS",
    "SELECTORS",
    "UDFS",
    "Autoencoder",
    "Baseline",
    "CURRanking",
    "CorrelationFilter",
    "FPSRanking",
    "FastCanRanking",
    "FisherScore",
    "LaplacianScore",
    "TraceRatio",
    "UFFSRanking",
    "VarianceRanking",
    "available",
    "extractor",
    "ranks_read_as_columns",
    "selector",
]
