"""The data of the paper's experiments: loaders for five data sets, generators of labelled ones.

The loaders read files of yours, from a folder that an argument or the environment variable
``GRAMIAN_DATA`` names, or download what OpenML has when asked to. Nothing is downloaded otherwise.
The generators return, with the data, what was planted in them. Data without labels are drawn by
`gramian.datasets.make_planted_redundancy`.
"""

from gramian_paper.datasets._images import load_coil20, load_mnist, load_usps
from gramian_paper.datasets._products import (
    LabelledTruth,
    make_appendix_example,
    make_labelled_products,
    make_uffs_comparison,
)
from gramian_paper.datasets._tables import load_credit_approval, load_musk

__all__ = [
    "LabelledTruth",
    "load_coil20",
    "load_credit_approval",
    "load_mnist",
    "load_musk",
    "load_usps",
    "make_appendix_example",
    "make_labelled_products",
    "make_uffs_comparison",
]
