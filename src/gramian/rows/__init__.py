"""Where row blocks come from. Everything a fit needs of the data is a sum over rows."""

from gramian.rows._array import ArrayRows, Centring, centre
from gramian.rows._protocol import RowBlock, Rows

__all__ = ["ArrayRows", "Centring", "RowBlock", "Rows", "centre"]
