"""Function families F(z): which functions of the chosen variables count as redundancy.

Variables enter a family with mean 0 and variance 1. Every family contains the variables themselves
and, silently, the constant function.
"""

from gramian.families._custom import Custom
from gramian.families._family import Family, Union
from gramian.families._products import (
    BY_NAME,
    Fourier,
    Hermite,
    Indicator,
    Legendre,
    Multilinear,
    Polynomial,
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
