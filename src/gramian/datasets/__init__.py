"""Synthetic tables with redundant columns, and the true formulas of these columns."""

from gramian.datasets._planted import make_planted_redundancy
from gramian.datasets._truth import Product, Truth

__all__ = [
    "Product",
    "Truth",
    "make_planted_redundancy",
]
