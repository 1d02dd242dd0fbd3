"""Count the functions and files of ours that a fit passes through: `python tools/trace.py`.

`--list` names the functions, file by file.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np
import sklearn
from sklearn.decomposition import PCA

import gramian

COMPREHENSIONS = ("comp>", "<genexpr>")
"""Ends of the names that Python gives to comprehensions, which are not counted."""
X = np.random.default_rng(0).standard_normal((500, 12))


def functions_of(estimator: Any, package: Path) -> dict[str, set[str]]:
    """Return the names of the functions that `fit` calls, by file of a package."""
    estimator.fit(X)  # imports on demand, and compiled code, are no part of a fit
    codes: set[CodeType] = set()

    def note(frame: FrameType, event: str, argument: object) -> None:
        if event == "call":
            codes.add(frame.f_code)

    sys.setprofile(note)
    try:
        estimator.fit(X)
    finally:
        sys.setprofile(None)
    found = defaultdict(set)
    for code in codes:
        path = Path(code.co_filename)
        if path.is_relative_to(package) and not code.co_name.endswith(COMPREHENSIONS):
            found[str(path.relative_to(package))].add(f"{code.co_qualname}:{code.co_firstlineno}")
    return found


def main() -> None:
    """Print the numbers."""
    ours, theirs = (Path(each.__file__).parent for each in (gramian, sklearn))
    for estimator, package in (
        (gramian.GFR(5), ours),
        (gramian.GFA(laws=False), ours),
        (gramian.GFA(), ours),
        (PCA(5), theirs),
    ):
        found = functions_of(estimator, package)
        n_functions = sum(map(len, found.values()))
        print(f"{estimator}: {n_functions} functions in {len(found)} files")
        if "--list" in sys.argv:
            for path, names in sorted(found.items()):
                print(f"  {path}: {', '.join(sorted(names))}")


if __name__ == "__main__":
    main()
