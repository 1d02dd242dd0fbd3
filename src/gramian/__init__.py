"""Feature extraction and selection that see nonlinear redundancy."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gramian import (
        certificates,
        datasets,
        exceptions,
        explanations,
        families,
        laws,
        models,
        plots,
        reports,
        results,
        tabular,
    )
    from gramian.certificates import certify
    from gramian.estimators import (
        GCA,
        GFA,
        GFR,
        GFS,
        UFFS,
        GramianImputer,
        PolynomialManifold,
    )
    from gramian.explanations import explain
    from gramian.laws import assert_laws, relations
    from gramian.models import load
    from gramian.reports import report
    from gramian.tabular import select

__version__ = "0.1.0.dev0"
__all__ = [
    "GCA",
    "GFA",
    "GFR",
    "GFS",
    "UFFS",
    "GramianImputer",
    "PolynomialManifold",
    "assert_laws",
    "certificates",
    "certify",
    "datasets",
    "exceptions",
    "explain",
    "explanations",
    "families",
    "laws",
    "load",
    "models",
    "plots",
    "relations",
    "report",
    "reports",
    "results",
    "select",
    "tabular",
]

_MODULES = {
    "GCA": "estimators",
    "GFA": "estimators",
    "GFR": "estimators",
    "GFS": "estimators",
    "GramianImputer": "estimators",
    "PolynomialManifold": "estimators",
    "UFFS": "estimators",
    "assert_laws": "laws",
    "certify": "certificates",
    "explain": "explanations",
    "load": "models",
    "relations": "laws",
    "report": "reports",
    "select": "tabular",
}
"""Where the public names are; all others are modules."""


def __getattr__(name: str) -> Any:
    """Import what is asked for when it is asked for, and no sooner."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = importlib.import_module(f"{__name__}.{_MODULES.get(name, name)}")
    return getattr(module, name) if name in _MODULES else module


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
