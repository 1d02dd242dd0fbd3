"""The reference is complete, every public object has an example, and pages agree with the code."""

from __future__ import annotations

import importlib
import inspect
import re
import tomllib
from pathlib import Path

import pytest

import gramian

ROOT = Path(__file__).parent.parent
REFERENCE = ROOT / "docs" / "reference"
MODULES = [
    "gramian",
    *(f"gramian.{name}" for name in gramian.__all__ if inspect.ismodule(getattr(gramian, name))),
]

pytestmark = pytest.mark.skipif(
    not REFERENCE.exists(), reason="the documentation comes with a clone of the repository only"
)


def public_objects() -> dict[str, object]:
    """Return all public objects but modules, by their full names."""
    found = {}
    for module_name in MODULES:
        module = importlib.import_module(module_name)
        names = getattr(module, "__all__", None) or [
            name for name, value in vars(module).items() if inspect.isclass(value)
        ]
        for name in names:
            value = getattr(module, name)
            if not inspect.ismodule(value):
                found[f"{module_name}.{name}"] = value
    return found


PUBLIC = public_objects()
DOCUMENTED = {
    name: value
    for name, value in PUBLIC.items()
    if inspect.isclass(value) or inspect.isroutine(value)
}
"""Classes and functions; types and tables have no docstring."""


def listed_in_reference() -> set[str]:
    """Return the full names of all that the pages of the reference list."""
    names = set()
    for page in REFERENCE.glob("*.rst"):
        module = ""
        for line in page.read_text(encoding="utf-8").splitlines():
            if line.startswith(".. currentmodule:: "):
                module = line.split()[-1]
            elif line.startswith(".. py:type:: ") or re.fullmatch(r"   ~?[\w.]+", line):
                name = line.split()[-1].removeprefix("~")
                names.add(name if name.startswith("gramian.") else f"{module}.{name}")
    return names


LISTED = listed_in_reference()


@pytest.mark.parametrize("name", DOCUMENTED)
def test_every_public_class_and_function_has_an_example_that_is_run(name: str) -> None:
    docstring = inspect.getdoc(DOCUMENTED[name]) or ""
    assert re.search(r"^Examples\n-+\n", docstring, re.MULTILINE), f"{name} has no Examples"
    assert ">>> " in docstring.partition("Examples\n")[2]


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_object_is_in_the_reference(name: str) -> None:
    # An object that has two names is documented under one of them.
    assert name in LISTED or any(
        PUBLIC[name] is PUBLIC[other] for other in LISTED & PUBLIC.keys()
    ), f"{name} is in no page of docs/reference"


def test_the_reference_lists_nothing_that_does_not_exist() -> None:
    assert PUBLIC.keys() >= LISTED


def test_the_map_of_the_code_names_every_module() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([\w/]+(?:\.py|/))`", text.partition("## Where things are")[2]))
    package = ROOT / "src" / "gramian"
    modules = {path.name for path in package.glob("*.py")} - {"__init__.py", "__main__.py"}
    rooms = {f"{path.parent.name}/" for path in package.glob("*/__init__.py")}
    assert modules | rooms <= named, f"not in the map: {sorted((modules | rooms) - named)}"
    folders = [package, *package.glob("*/"), ROOT, ROOT / "docs", ROOT / "tests"]
    missing = {name for name in named if not any((each / name).exists() for each in folders)}
    assert not missing, f"in the map, but not there: {sorted(missing)}"


def test_the_version_is_written_in_one_place_and_read_from_there() -> None:
    document = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "version" not in document["project"]
    assert document["project"]["dynamic"] == ["version"]
    source = (ROOT / document["tool"]["hatch"]["version"]["path"]).read_text(encoding="utf-8")
    assert re.findall(r'^__version__ = "(.+)"$', source, re.MULTILINE) == [gramian.__version__]


def test_citations_have_the_version_of_the_package_and_one_doi() -> None:
    names = ("CITATION.cff", "docs/citing.md", "README.md")
    citation, page, readme = [(ROOT / name).read_text(encoding="utf-8") for name in names]
    assert f"\nversion: {gramian.__version__}\n" in citation
    assert f"version = {{{gramian.__version__}}}" in page
    doi = re.search(r"doi: (\S+)", citation)
    assert doi is not None
    assert doi[1] in page
    assert doi[1] in readme
