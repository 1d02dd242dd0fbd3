"""Cache of finished cells, one file for each, so that an interrupted run resumes."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np

from gramian_paper.experiments._experiment import Experiment, Outcome, Params, Results


def default_cache() -> Path:
    """Return the default folder for cells, in the system's cache folder."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "gramian" / "reproduce"


def write_file(path: Path, content: str | bytes) -> None:
    """Write a file completely: a reader finds the old file or the new one, never a part."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{uuid4().hex}.tmp")
    try:
        temporary.write_bytes(content.encode() if isinstance(content, str) else content)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def plain(item: Any) -> Any:
    """Convert NumPy's numbers and arrays to JSON values."""
    if isinstance(item, np.generic | np.ndarray):
        return item.tolist()
    raise TypeError(f"a cell's values are plain numbers, strings, lists and dicts, not {item!r}")


def to_json(item: Any, *, indent: int | None = None) -> str:
    """Return JSON text."""
    return json.dumps(item, indent=indent, default=plain, allow_nan=False, ensure_ascii=False)


class Cache:
    """A folder of cells.

    Parameters
    ----------
    folder : Path
        Where the files are; made when the first cell is stored.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, experiment: Experiment, params: Params, seed: int) -> Path:
        """Return the path of a cell's file."""
        return self.folder / experiment.name / f"{experiment.key(params, seed)}.json"

    def load(self, experiment: Experiment, params: Params, seed: int) -> Outcome | None:
        """Return a finished cell, or None."""
        try:
            text = self.path(experiment, params, seed).read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        return Outcome(**json.loads(text))

    def fill(self, experiment: Experiment, results: Results) -> None:
        """Store the computed cells of an earlier run that are not in the cache."""
        for outcome in results.outcomes:
            there = self.path(experiment, outcome.params, results.seed).exists()
            if outcome.values is not None and not there:
                self.store(experiment, outcome, results.seed)

    def store(self, experiment: Experiment, outcome: Outcome, seed: int) -> Outcome:
        """Store a cell, and return it as `load` would."""
        text = to_json(asdict(outcome))
        write_file(self.path(experiment, outcome.params, seed), text + "\n")
        return Outcome(**json.loads(text))
