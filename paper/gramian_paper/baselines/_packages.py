"""Packages that are imported where they are used."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any


def load(module: str, package: str) -> Any:
    """Import a module of another package, or raise an error with the command to install it.

    Parameters
    ----------
    module : str
        The module to import.
    package : str
        The name by which the package is installed.

    Returns
    -------
    module : module
        The imported module.

    Raises
    ------
    ImportError
        If the package is not installed.
    """
    if not installed(module):
        raise ImportError(f"This baseline needs the package {package}: pip install {package}.")
    return importlib.import_module(module)


def installed(module: str) -> bool:
    """Return True if the package of a module is installed, without importing it."""
    return importlib.util.find_spec(module.partition(".")[0]) is not None
