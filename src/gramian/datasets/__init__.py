"""Synthetic tables with planted redundancy, and the truth about them."""

from gramian.datasets._planted import make_planted_redundancy
from gramian.datasets._truth import Product, Truth

__all__ = ["Product", "Truth", "make_planted_redundancy"]
