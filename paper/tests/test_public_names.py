"""The paper's package uses gramian as any other program would: by its public names."""

import ast
from pathlib import Path

import pytest

PAPER = Path(__file__).parents[1]
FILES = sorted([*PAPER.glob("gramian_paper/**/*.py"), *PAPER.glob("tests/*.py")])


def private_uses(source: str) -> list[str]:
    """Return the private modules and attributes of gramian that a program imports or names."""
    found = []
    names: set[str] = set()  # local names of gramian and its modules
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and is_gramian(node.module or ""):
            found += [f"{node.module}.{each.name}" for each in node.names]
            names |= {each.asname or each.name for each in node.names}
        elif isinstance(node, ast.Import):
            inside = [each for each in node.names if is_gramian(each.name)]
            found += [each.name for each in inside]
            names |= {each.asname or "gramian" for each in inside}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute):
            chain = ast.unparse(node)
            if chain.partition(".")[0] in names:
                found.append(chain)
    return [name for name in found if any(is_private(part) for part in name.split("."))]


def is_gramian(module: str) -> bool:
    return module.partition(".")[0] == "gramian"


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PAPER)))
def test_only_public_names_of_gramian_are_used(path):
    assert not private_uses(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "program",
    [
        "from gramian._support.types import Array",
        "from gramian import _types",
        "from gramian.families._family import Family",
        "import gramian._support.writing",
        "import gramian.cli._app as app",
        "import gramian\ngramian._words.duration(3)",
        "from gramian import GFR\nGFR._fit",
        "def f():\n    from gramian import families as g\n    return g._base",
    ],
)
def test_the_check_finds_a_private_name(program):
    assert private_uses(program)


def test_the_check_allows_public_names_and_names_of_other_packages():
    program = "import gramian\nfrom gramian_paper import _types\nself._x, gramian.__version__"
    assert not private_uses(program)
