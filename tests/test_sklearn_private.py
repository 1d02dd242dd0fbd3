"""Private names of scikit-learn are imported in one module only."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import gramian

PACKAGE = Path(gramian.__file__).parent
FILES = sorted(
    path.relative_to(PACKAGE).as_posix()
    for path in PACKAGE.rglob("*.py")
    if path.name != "scikit_learn.py"
)


def private_imports(source: str) -> list[str]:
    """Return the names with an underscore that a module imports from scikit-learn."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and not node.level:
            found += [f"{node.module}.{each.name}" for each in node.names]
        elif isinstance(node, ast.Import):
            found += [each.name for each in node.names]
    parts = [(name, name.split(".")) for name in found]
    return [
        name
        for name, (first, *rest) in parts
        if first == "sklearn" and any(part.startswith("_") for part in rest)
    ]


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("from sklearn.utils import check_array", []),
        ("from sklearn.utils.validation import _num_samples", ["_num_samples"]),
        ("def f():\n    from sklearn.utils._tags import Tags", ["Tags"]),
        ("import sklearn.utils._tags", ["_tags"]),
        ("from gramian._support.scikit_learn import Interval", []),
    ],
)
def test_private_imports_are_recognized(source: str, names: list[str]) -> None:
    assert [name.rpartition(".")[2] for name in private_imports(source)] == names


@pytest.mark.parametrize("name", FILES)
def test_no_other_module_imports_private_names_of_scikit_learn(name: str) -> None:
    source = (PACKAGE / name).read_text(encoding="utf-8")
    assert private_imports(source) == []
