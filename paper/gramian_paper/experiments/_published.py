"""The paper's numbers, transcribed: one file an experiment in the folder ``published``."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any


def published(name: str) -> dict[str, Any]:
    """Return what the paper published for an experiment.

    Parameters
    ----------
    name : str
        The experiment's name.

    Returns
    -------
    tables : dict
        The content of ``published/NAME.json``, by the labels of the paper's tables.

    Examples
    --------
    >>> from gramian_paper.experiments import published
    >>> published("gfr-synthetic")["table:classification-synthetic-GFR-PCA-60-features"]["counts"]
    [1, 2, 3, 4, 5, 10, 15, 20, 25, 30]
    """
    text = files(__package__).joinpath("published", f"{name}.json").read_text(encoding="utf-8")
    tables: dict[str, Any] = json.loads(text)
    return tables
