"""The paper's data sets, by the names that the experiments use."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from warnings import catch_warnings, simplefilter

from gramian.exceptions import OverfittingWarning
from gramian_paper._types import Array, IntArray
from gramian_paper.datasets import (
    load_coil20,
    load_credit_approval,
    load_mnist,
    load_musk,
    load_usps,
)
from gramian_paper.experiments._experiment import Task

LOADERS: dict[str, Callable[..., Any]] = {
    "usps": load_usps,
    "mnist": load_mnist,
    "coil20": load_coil20,
    "musk": load_musk,
    "credit": load_credit_approval,
}
TITLES = {
    "usps": "USPS",
    "mnist": "MNIST",
    "coil20": "COIL-20",
    "musk": "Musk",
    "credit": "Credit Approval",
}


def load(task: Task, name: str, **options: Any) -> tuple[Array, IntArray]:
    """Return a data set and its labels.

    Parameters
    ----------
    task : Task
        The cell, which knows the folder.
    name : str
        A key of `TITLES`.
    **options : object
        The loader's, `scaling` and `subset` for instance.

    Returns
    -------
    X : array of shape (n_samples, n_features)
        The data, standardized unless `scaling` says otherwise.
    y : array of shape (n_samples,)
        The labels.

    Raises
    ------
    FileNotFoundError
        If there is no file, or none that holds the data set.
    """
    try:
        X, y = LOADERS[name](task.data, return_X_y=True, **options)
    except ValueError as error:  # a file that is damaged, or that holds something else
        raise FileNotFoundError(str(error)) from error
    return X, y


@contextmanager
def expected_overfitting() -> Iterator[None]:
    """Silence the warnings about too many functions, which the pages discuss."""
    with catch_warnings():
        simplefilter("ignore", OverfittingWarning)
        yield
