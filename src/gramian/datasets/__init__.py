"""The data of the paper's experiments: loaders for five data sets, generators of synthetic ones.

The loaders read files of yours, from a folder that an argument or the environment variable
``GRAMIAN_DATA`` names, or download what OpenML has when asked to. Nothing is downloaded otherwise.
The generators return, with the data, what was planted in them.
"""

from gramian.datasets._images import load_coil20, load_mnist, load_usps
from gramian.datasets._planted import make_planted_redundancy
from gramian.datasets._products import (
    make_appendix_example,
    make_labelled_products,
    make_uffs_comparison,
)
from gramian.datasets._tables import load_credit_approval, load_musk
from gramian.datasets._truth import Product, Truth

__all__ = [
    "Product",
    "Truth",
    "load_coil20",
    "load_credit_approval",
    "load_mnist",
    "load_musk",
    "load_usps",
    "make_appendix_example",
    "make_labelled_products",
    "make_planted_redundancy",
    "make_uffs_comparison",
]
