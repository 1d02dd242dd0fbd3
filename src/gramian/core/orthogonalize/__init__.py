"""Orthogonalization of functions: Algorithm 1 of the paper, in two ways that agree up to rounding.

`QR` keeps the values of orthonormal functions on all rows. `Gram` needs sums over rows only. Open
`_orthogonalizer.py` first, which holds the interface of both.
"""

from gramian.core.orthogonalize._gram import Gram
from gramian.core.orthogonalize._orthogonalizer import Added, Orthogonalizer
from gramian.core.orthogonalize._qr import QR
from gramian.core.orthogonalize._triangle import cholesky_columns
