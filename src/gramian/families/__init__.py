"""Function families F(z): sets of functions of the chosen variables z.

Variables enter a family with mean 0 and variance 1. Every family contains the variables themselves
and, without being listed, the constant function. Open `_family.py` first.
"""

from gramian.families._custom import Custom
from gramian.families._expansion import AtomBasis as AtomBasis
from gramian.families._expansion import Block as Block
from gramian.families._expansion import Call as Call
from gramian.families._expansion import Calls as Calls
from gramian.families._expansion import Products as Products
from gramian.families._family import Family, Union
from gramian.families._family import at_most as at_most
from gramian.families._family import no_levels as no_levels
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
from gramian.families._products import Z as Z
from gramian.families._pruning import prune as prune

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
