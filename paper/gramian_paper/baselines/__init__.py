"""The methods that the paper compares with, and some more, behind one small interface."""

from gramian_paper.baselines._autoencoder import Autoencoder
from gramian_paper.baselines._filters import CorrelationFilter, VarianceRanking
from gramian_paper.baselines._lpp import LPP
from gramian_paper.baselines._mcfs import MCFS
from gramian_paper.baselines._ndfs import NDFS
from gramian_paper.baselines._ranking import ranks_read_as_columns
from gramian_paper.baselines._registry import (
    EXTRACTORS,
    SELECTORS,
    Baseline,
    available,
    extractor,
    selector,
)
from gramian_paper.baselines._scores import FisherScore, LaplacianScore, TraceRatio
from gramian_paper.baselines._udfs import UDFS
from gramian_paper.baselines._wrapped import CURRanking, FastCanRanking, FPSRanking, UFFSRanking

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
