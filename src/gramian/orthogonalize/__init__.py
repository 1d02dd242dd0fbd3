"""Algorithm 1 of the paper, in two ways that agree up to rounding."""

from gramian.orthogonalize._common import Added, Direction, Orthogonalizer, Step
from gramian.orthogonalize._factor import Factor
from gramian.orthogonalize._gram import Gram
from gramian.orthogonalize._qr import QR
from gramian.orthogonalize._variables import functions_of, variables_of

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
