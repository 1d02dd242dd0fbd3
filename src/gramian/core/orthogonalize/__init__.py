"""Algorithm 1 of the paper, in two ways that agree up to rounding."""

from gramian.core.orthogonalize._factor import Factor
from gramian.core.orthogonalize._gram import Gram
from gramian.core.orthogonalize._orthogonalizer import Added, Direction, Orthogonalizer, Step
from gramian.core.orthogonalize._qr import QR
from gramian.core.orthogonalize._variables import functions_of, variables_of

__all__ = [
    "QR",
    "Added",
    "Direction",
    "Factor",
    "Gram",
    "Orthogonalizer",
    "Step",
    "functions_of",
    "variables_of",
]
