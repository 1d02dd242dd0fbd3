"""Algorithm 1 of the paper, in two ways that agree up to rounding."""

from gramian.orthogonalize._common import Added, Direction, Orthogonalizer, Step
from gramian.orthogonalize._gram import Gram
from gramian.orthogonalize._qr import QR

__all__ = ["QR", "Added", "Direction", "Gram", "Orthogonalizer", "Step"]
