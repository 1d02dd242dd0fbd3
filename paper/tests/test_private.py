"""Private names of scikit-learn are imported in one file only."""

from __future__ import annotations

import re
from pathlib import Path

import gramian_paper

PACKAGE = Path(gramian_paper.__file__).parent
PRIVATE = re.compile(
    r"^\s*(from|import) sklearn[\w.]*\._|^\s*from sklearn\S* import .*\b_[a-z]", re.M
)


def test_one_file_imports_private_names_of_scikit_learn():
    found = [
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if PRIVATE.search(path.read_text(encoding="utf-8"))
    ]
    assert found == ["_sklearn.py"]
