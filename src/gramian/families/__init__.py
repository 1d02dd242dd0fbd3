"""Function families F(z): sets of functions of the chosen variables z.

Variables enter a family with mean 0 and variance 1. Every family contains the variables themselves
and, without being listed, the constant function. Open `_family.py` first.
"""

from gramian.families._custom import Custom
from gramian.families._expansion import AtomBasis, Block, Call, Calls, Products
from gramian.families._family import Family, Union, at_most, no_levels
from gramian.families._products import (
    BY_NAME,
    Fourier,
    Hermite,
    Indicator,
    Legendre,
    Multilinear,
    Polynomial,
    Z,
    by_name,
)

__all__ = [
    "BY_NAME",
    "Custom",
    "Family",
    "Fourier",
    "Hermite",
    "Indicator",
    "Legendre",
    "Multilinear",
    "Polynomial",
    "Union",
    "by_name",
]
