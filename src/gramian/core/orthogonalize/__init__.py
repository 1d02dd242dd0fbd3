"""Orthogonalization of functions (Algorithm 1 of the paper), by two methods: `QR` and `Gram`.

`QR` stores the values of the orthonormal functions on all rows. `Gram` needs only sums over the
rows. The results agree up to rounding errors.
"""

from gramian.core.orthogonalize._factor import Factor
from gramian.core.orthogonalize._gram import Gram
from gramian.core.orthogonalize._orthogonalizer import Added, Orthogonalizer, cholesky_columns
from gramian.core.orthogonalize._qr import QR

__all__ = ["QR", "Added", "Factor", "Gram", "Orthogonalizer", "cholesky_columns"]
