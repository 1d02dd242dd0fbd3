"""Optional packages, imported when they are needed."""

from __future__ import annotations

import importlib
from typing import Any

EXTRAS = {
    "jinja2": "report",
    "matplotlib": "figures",
    "onnx": "onnx",
    "pyarrow": "files",
    "rich": "progress",
    "sympy": "sympy",
}
"""Extra of gramian that installs each optional package."""


def require(module: str, purpose: str) -> Any:
    """Import a module of an optional package; the error says what to install.

    Parameters
    ----------
    module : str
        The name of the module.
    purpose : str
        The function that needs the module, as the beginning of a sentence.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        extra = f'"gramian[{EXTRAS[package]}]"' if package in EXTRAS else package
        raise ModuleNotFoundError(
            f"{purpose} needs the package {package}: pip install {extra}.", name=package
        ) from error
